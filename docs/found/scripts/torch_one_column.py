# /// script
# dependencies = ["torch==2.13.0"]
# ///
"""Images whose rows hold one number each, made one column wide: every row should keep its number."""

import torch
from torch.nn.functional import interpolate

image = torch.arange(8.0).reshape(1, 1, 8, 1).repeat(1, 1, 1, 8)  # each row holds its own number
for mode in ("bilinear", "bicubic"):
    one, two = (interpolate(image, size=(4, columns), mode=mode, antialias=True)[0, 0, :, 0] for columns in (1, 2))
    print(f"{mode}: one column {[round(x, 3) for x in one.tolist()]}, the first of two {[round(x, 3) for x in two.tolist()]}")
turned = interpolate(image.mT.contiguous(), size=(1, 4), mode="bilinear", antialias=True)
print(f"the same image, turned: {[round(x, 3) for x in turned.flatten().tolist()]}")
raise SystemExit("every row is the first one" if one.unique().numel() == 1 else 0)
