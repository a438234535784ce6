"""What a floating-point number is: formats, ulps, error-free transforms, bounds and exact sums. NumPy only."""

from .bounds import gamma, probabilistic_gamma
from .dots import correctly_rounded_dot, doubled_dot, doubled_matmul
from .formats import (
    BFLOAT16,
    FLOAT8_E4M3FN,
    FLOAT8_E5M2,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    FORMATS,
    TF32,
    Format,
    format_named,
)
from .rounding import is_representable, round_to_format
from .transforms import fma32, fma64, round_to_odd, two_prod, two_sum
from .ulps import ulp_distance, ulp_error, ulp_spacing
from .wide_numbers import widen

__all__ = [
    "BFLOAT16",
    "FLOAT8_E4M3FN",
    "FLOAT8_E5M2",
    "FLOAT16",
    "FLOAT32",
    "FLOAT64",
    "FORMATS",
    "TF32",
    "Format",
    "correctly_rounded_dot",
    "doubled_dot",
    "doubled_matmul",
    "fma32",
    "fma64",
    "format_named",
    "gamma",
    "is_representable",
    "probabilistic_gamma",
    "round_to_format",
    "round_to_odd",
    "two_prod",
    "two_sum",
    "ulp_distance",
    "ulp_error",
    "ulp_spacing",
    "widen",
]
