from my_backend import Blocked

from halfulp.testing import check_backend

found = check_backend(Blocked())
print(f"{len(found.kept)} laws kept:")
for law in found.kept:
    print(f"  {law}")
print(f"{len(found.left_out)} ops and dtypes left out, the first:")
for name, why in list(found.left_out.items())[:3]:
    print(f"  {name}: {why}")
