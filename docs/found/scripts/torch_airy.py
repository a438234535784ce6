# /// script
# dependencies = ["torch==2.13.0", "mpmath", "scipy"]
# ///
"""Airy's function Ai in float64: five digits in PyTorch near -2.09."""

import mpmath
import numpy as np
import scipy.special
import torch

mpmath.mp.dps = 40
FUNCTIONS = {
    "special.airy_ai": (torch.special.airy_ai, lambda x: scipy.special.airy(x)[0], mpmath.airyai, (-2.0901, -4.0)),
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
raise SystemExit("five digits" if worst > 1e4 else 0)
