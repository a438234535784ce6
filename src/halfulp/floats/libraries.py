"""How far library functions may be off: the published numbers that rounding is modelled with, whatever computes it."""

from __future__ import annotations

import math

ROUNDING_RMS = math.sqrt(1.0 / (8.0 * math.log(2.0)))
"""Root mean square of one rounding's relative error, in units of u: 0.425.

The error of rounding a number 2**e m to nearest is uniform in +-u 2**e, so its relative variance is u^2 / (3 m^2); with log m
uniform (Benford; Hamming 1970) the mean of 1/m^2 over [1, 2) is 3 / (8 ln 2).
"""

LIBRARY_ULPS: dict[str, float] = {
    # Largest error that the OpenCL C specification (3.0, section 7.4, full profile, single precision) allows a library.
    # It is the only published bound that CPU, GPU and accelerator libraries of all vendors are written to meet. Functions that it leaves
    # out (gamma and Bessel functions, inverse erf) get its largest bound.
    "acos": 4, "acosh": 4, "asin": 4, "asinh": 4, "atan": 5, "atan2": 6, "atanh": 5, "cbrt": 2, "cos": 4, "cosh": 4,
    "erf": 16, "erfc": 16, "exp": 3, "exp2": 3, "expm1": 3, "hypot": 4, "log": 3, "log10": 3, "log1p": 2, "log2": 3,
    "pow": 16, "rsqrt": 2, "sin": 4, "sinh": 4, "tan": 5, "tanh": 5, "lgamma": 16, "special_erfcx": 16, "erfinv": 16,
    "digamma": 16, "igamma": 16, "igammac": 16, "sinc": 4, "i0": 16, "mvlgamma": 16, "polygamma": 16, "angle": 6,
}  # fmt: skip
