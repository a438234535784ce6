# /// script
# dependencies = ["torch==2.13.0", "mpmath", "scipy"]
# ///
"""Bessel's functions in float64: five or six digits in PyTorch just above 5."""

import mpmath
import numpy as np
import scipy.special
import torch

mpmath.mp.dps = 40
FUNCTIONS = {
    "special.bessel_j0": (torch.special.bessel_j0, scipy.special.j0, lambda x: mpmath.besselj(0, x), (2.0001, 5.0001, 8.0, 30.0)),
    "special.bessel_j1": (torch.special.bessel_j1, scipy.special.j1, lambda x: mpmath.besselj(1, x), (5.0001, 8.0)),
    "special.bessel_y0": (torch.special.bessel_y0, scipy.special.y0, lambda x: mpmath.bessely(0, x), (5.0001, 8.0)),
    "special.bessel_y1": (torch.special.bessel_y1, scipy.special.y1, lambda x: mpmath.bessely(1, x), (5.0001, 8.0)),
}

print("function            x         exact value             error of PyTorch   in ulps    error of SciPy")
worst = 0.0
for name, (function, peer, exact, places) in FUNCTIONS.items():
    for x in places:
        value = exact(mpmath.mpf(x))
        errors = [float(abs(float(found) - value)) for found in (function(torch.tensor(x, dtype=torch.float64)), peer(x))]
        ulps = errors[0] / np.spacing(abs(float(value)))
        worst = max(worst, ulps)
        print(f"{name:18}  {x:7}  {float(value):22.15e}   {errors[0]:16.1e}   {ulps:7.1e}   {errors[1]:14.1e}")
raise SystemExit("five or six digits" if worst > 1e4 else 0)
