# /// script
# dependencies = ["torch==2.13.0", "mpmath"]
# ///
"""I0 and I1 in float32: infinite where the exact value is a float32 number."""

import mpmath
import torch

infinite = 0
for name, function, order in (("special.i0", torch.special.i0, 0), ("special.i1", torch.special.i1, 1)):
    for x in (88.7, 89.5, 91.9):
        found = function(torch.tensor(x)).item()
        infinite += found == float("inf")
        print(f"{name}({x}): {found:.6e}, exactly {float(mpmath.besseli(order, torch.tensor(x).item())):.6e}")
raise SystemExit(f"{infinite} results are infinite; the largest float32 number is {torch.finfo(torch.float32).max:.6e}" if infinite else 0)
