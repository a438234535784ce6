"""The binary formats that models are computed in, each as the few integers that define it.

A format has precision p (significand bits, the implicit one counted) and an exponent range; everything else follows
(IEEE 754-2019, section 3.3; OCP 8-bit floating point specification for the two 8-bit formats).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..errors import InputError


@dataclass(frozen=True)
class Format:
    """A binary floating-point format.

    Attributes:
        name: the name that PyTorch and NumPy users know ("float32", "bfloat16", "tf32" ...).
        precision_bits: p, the bits of the significand with the implicit one.
        exponent_min: the exponent of the smallest normal number, 2**exponent_min.
        exponent_max: the exponent of the largest finite number.
        storage_bits: how many bits a stored value takes (tf32 is stored in 32).
        max_finite: the largest finite number.
        has_infinity: False for float8_e4m3fn, which has NaN only; overflow then saturates.
    """

    name: str
    precision_bits: int
    exponent_min: int
    exponent_max: int
    storage_bits: int
    max_finite: float
    has_infinity: bool = True

    @property
    def unit_roundoff(self) -> float:
        """U = 2**-p: the largest relative error of one rounding to nearest (half of `finfo.eps`)."""
        return math.ldexp(1.0, -self.precision_bits)

    @property
    def min_normal(self) -> float:
        """The smallest positive normal number."""
        return math.ldexp(1.0, self.exponent_min)

    @property
    def min_subnormal(self) -> float:
        """The smallest positive number, which is also the spacing of all subnormal numbers."""
        return math.ldexp(1.0, self.exponent_min - self.precision_bits + 1)

    def __str__(self) -> str:
        return self.name


def _format(name: str, p: int, exponent_min: int, exponent_max: int, storage_bits: int, has_infinity: bool = True) -> Format:
    # Without infinities (e4m3fn) the all-ones significand of the top binade is NaN: the largest number ends one step earlier.
    step = math.ldexp(1.0, 1 - p)
    significand = 2.0 - step if has_infinity else 2.0 - 2.0 * step
    return Format(
        name,
        p,
        exponent_min,
        exponent_max,
        storage_bits=storage_bits,
        max_finite=math.ldexp(significand, exponent_max),
        has_infinity=has_infinity,
    )


FLOAT64 = _format("float64", 53, -1022, 1023, 64)
FLOAT32 = _format("float32", 24, -126, 127, 32)
TF32 = _format("tf32", 11, -126, 127, 32)
FLOAT16 = _format("float16", 11, -14, 15, 16)
BFLOAT16 = _format("bfloat16", 8, -126, 127, 16)
FLOAT8_E4M3FN = _format("float8_e4m3fn", 4, -6, 8, 8, has_infinity=False)
FLOAT8_E5M2 = _format("float8_e5m2", 3, -14, 15, 8)

FORMATS: dict[str, Format] = {
    float_format.name: float_format for float_format in (FLOAT64, FLOAT32, TF32, FLOAT16, BFLOAT16, FLOAT8_E4M3FN, FLOAT8_E5M2)
}

_ALIASES = {
    "double": "float64", "float": "float32", "half": "float16", "fp64": "float64", "fp32": "float32", "fp16": "float16", "bf16": "bfloat16",
    "f64": "float64", "f32": "float32", "f16": "float16",
}  # fmt: skip


def format_named(name: object) -> Format:
    """The format of this name, dtype or alias.

    Args:
        name: "float32", "torch.float32", a NumPy or PyTorch dtype, "half", "bf16", a `Format` itself.

    Raises:
        InputError: the name is no floating-point format; the message lists those that are.

    Example:
        >>> format_named("torch.bfloat16").unit_roundoff
        0.00390625
    """
    if isinstance(name, Format):
        return name
    word = getattr(name, "__name__", None) or str(name)
    word = word.rsplit(".", maxsplit=1)[-1]
    word = _ALIASES.get(word, word)
    if word not in FORMATS:
        raise InputError(
            f"Got the precision {name!r}. Needed: one of {', '.join(FORMATS)}. "
            'Only these have a unit roundoff that rounding can be judged by. Pass, for example, declared="float32".'
        )
    return FORMATS[word]
