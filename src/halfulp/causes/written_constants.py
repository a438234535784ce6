"""Constants that people write into code: short decimals, and what follows from the sizes of tensors and from a few numbers of mathematics.

Any number can be fitted. One that somebody wrote is another matter: among all numbers those are rare.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

DIGITS = (1, 2, 3, 4)
"""A decimal of up to four digits: 0.044715 and 1.702 are written so, and a fit that holds to 1e-6 meets one by chance once in a hundred times."""

NEAR = 0.02
"""A constant is tried if it is so near to the fitted value, relatively: what a fit is off by at most where it tells anything."""
NEAR_RECIPROCAL = 1e-3
"""There are a hundred decimals of two digits between 1 and 10: one over one of them is within 1e-3 by chance about once in ten times, and the trial
with that very number decides."""
MOST = 8
"""So many are tried, nearest first."""

OF_MATHEMATICS = {
    "pi": math.pi, "2 pi": 2 * math.pi, "1/pi": 1 / math.pi, "1/(2 pi)": 0.5 / math.pi, "sqrt(2)": math.sqrt(2), "1/sqrt(2)": math.sqrt(0.5),
    "sqrt(2/pi)": math.sqrt(2 / math.pi), "sqrt(pi/2)": math.sqrt(math.pi / 2), "sqrt(2 pi)": math.sqrt(2 * math.pi), "e": math.e,
    "log(2)": math.log(2), "1/log(2)": 1 / math.log(2), "log(10)": math.log(10), "1/log(10)": 1 / math.log(10), "10/log(10)": 10 / math.log(10),
    "20/log(10)": 20 / math.log(10), "log(2 pi)": math.log(2 * math.pi), "log(2 pi)/2": math.log(2 * math.pi) / 2, "1/3": 1 / 3, "2/3": 2 / 3,
    "1/6": 1 / 6, "1/7": 1 / 7, "1/9": 1 / 9, "1/12": 1 / 12, "sqrt(3)": math.sqrt(3), "1/sqrt(3)": 1 / math.sqrt(3), "255": 255.0,
    "1/255": 1 / 255, "127.5": 127.5, "32768": 32768.0, "1/32768": 1 / 32768, "pi/180": math.pi / 180, "180/pi": 180 / math.pi,
}  # fmt: skip


def decimals_near(value: float) -> list[float]:
    """The value rounded to few digits, fewest first."""
    return list(dict.fromkeys(float(f"{value:.{digits - 1}e}") for digits in DIGITS))


def constants_near(value: float, present: float, lengths: Iterable[int]) -> list[tuple[float, str]]:
    """Constants near a value with what they are, nearest first.

    Args:
        value: what was fitted. present: what stands there now: a constant may have been multiplied to it or divided out of it.
        lengths: of the axes of tensors.

    Example:
        >>> constants_near(0.12501, 1.0, [64])[0]
        (0.125, '1/sqrt(64)')
    """
    known = {**OF_MATHEMATICS, **{name: number for length in lengths for name, number in _of_length(length)}}
    found = [(number, name) for name, number in known.items()]
    if present not in (0.0, 1.0):
        found += [(present * number, f"{present:g} times {name}") for name, number in known.items()]
    near = [
        (round(abs(number - value) / abs(number), 9), " times " in name, number, name)
        for number, name in found
        if number and abs(number - value) <= NEAR * abs(number)
    ]
    written = [(number, name) for *_, number, name in sorted(near)]
    return list(dict.fromkeys((*written, *_reciprocals_near(value))))[:MOST]


def _reciprocals_near(value: float) -> Iterator[tuple[float, str]]:
    """One over a decimal of two digits, which has to fit better: beside the others these are many."""
    for digits in DIGITS[:2]:
        divisor = float(f"{1 / value:.{digits - 1}e}") if value else 0.0
        if divisor and abs(1 / divisor - value) <= NEAR_RECIPROCAL * abs(value):
            yield 1 / divisor, f"1/{divisor:g}"


def _of_length(length: int) -> Iterator[tuple[str, float]]:
    if length < 2:
        return
    yield from ((f"{length}", float(length)), (f"1/{length}", 1 / length), (f"sqrt({length})", math.sqrt(length)))
    yield from ((f"1/sqrt({length})", 1 / math.sqrt(length)), (f"{length}/{length - 1}", length / (length - 1)))
    yield from ((f"{length - 1}/{length}", (length - 1) / length), (f"{length - 1}", length - 1.0), (f"{length + 1}", length + 1.0))
    yield f"sqrt({length}/{length - 1})", math.sqrt(length / (length - 1))
    yield f"sqrt({length - 1}/{length})", math.sqrt((length - 1) / length)
