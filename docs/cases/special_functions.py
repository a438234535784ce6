"""Special functions of PyTorch in float64 beside mpmath and SciPy, where PyTorch is far off."""

import mpmath
import numpy as np
import scipy.special as scipy_special
import torch

mpmath.mp.dps = 40

FUNCTIONS = {
    "special.bessel_j0": (torch.special.bessel_j0, scipy_special.j0, lambda x: mpmath.besselj(0, x), (5.0001, 8.0)),
    "special.bessel_j1": (torch.special.bessel_j1, scipy_special.j1, lambda x: mpmath.besselj(1, x), (5.0001, 8.0)),
    "special.bessel_y0": (torch.special.bessel_y0, scipy_special.y0, lambda x: mpmath.bessely(0, x), (5.0001, 8.0)),
    "special.bessel_y1": (torch.special.bessel_y1, scipy_special.y1, lambda x: mpmath.bessely(1, x), (5.0001, 8.0)),
    "special.airy_ai": (torch.special.airy_ai, lambda x: scipy_special.airy(x)[0], mpmath.airyai, (-2.0901, -4.0)),
    "polygamma(1, .)": (
        lambda x: torch.polygamma(1, x),
        lambda x: scipy_special.polygamma(1, x),
        lambda x: mpmath.polygamma(1, x),
        (6.0, 0.4),
    ),
}

print("function              x         exact value             error of PyTorch   in ulps       error of SciPy")
for name, (ours, peer, exact, places) in FUNCTIONS.items():
    for x in places:
        value = exact(mpmath.mpf(x))
        errors = [
            float(abs(mpmath.mpf(float(found)) - value)) for found in (ours(torch.tensor(x, dtype=torch.float64)), peer(np.float64(x)))
        ]
        print(
            f"{name:20} {x:8}  {float(value):22.15e}   {errors[0]:16.1e}   {errors[0] / np.spacing(abs(float(value))):7.1e}   {errors[1]:15.1e}"
        )

print()
print("In float32 at 5.0001:")
for name, (ours, _, exact, _) in list(FUNCTIONS.items())[:4]:
    x = float(np.float32(5.0001))
    value = float(exact(mpmath.mpf(x)))
    error = abs(float(ours(torch.tensor(x))) - value)
    print(f"{name:20} error {error:.1e}, {error / float(np.spacing(np.float32(abs(value)))):.0f} ulps")

print()
print("In float32, where the exact value is a float32 number:")
for name, ours, exact, x in (
    ("special.i0", torch.special.i0, lambda x: mpmath.besseli(0, x), 89.5),
    ("special.i1", torch.special.i1, lambda x: mpmath.besseli(1, x), 89.5),
):
    print(
        f"{name:20} {x:8}  {float(exact(x)):.6e}   PyTorch: {float(ours(torch.tensor(x)))}   largest float32: {torch.finfo(torch.float32).max:.3e}"
    )
