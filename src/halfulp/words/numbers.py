"""Numbers and counts as words: one place, so that every report reads alike."""

from __future__ import annotations

import math
from collections.abc import Sequence


def number(value: object, digits: int = 3) -> str:
    """A number with few significant digits; "-" for one that is missing."""
    if value is None:
        return "-"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "infinite" if value > 0 else "-infinite"
    if abs(value) > 0 and not 1e-3 <= abs(value) < 1e5:
        return f"{value:.{digits - 1}e}"
    return f"{value + 0.0:.{digits}g}" if abs(value) < 1000 else f"{value:,.0f}"


def counted(count: int, noun: str) -> str:
    """A count and what is counted: "1 op", "1,200 ops"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def shaped(noun: str, shapes: Sequence[tuple[int, ...]]) -> str:
    """Arrays by their shapes: "input of shape (3,)", "inputs of shapes (3,), (4, 3)"."""
    return f"{noun} of shape {shapes[0]}" if len(shapes) == 1 else f"{noun}s of shapes {', '.join(map(str, shapes))}"


def verb(count: int, plural: str) -> str:
    """The verb of so many things: "1 element differs", "2 elements differ"."""
    return {"are": "is", "do": "does", "have": "has"}.get(plural, f"{plural}s") if count == 1 else plural


def with_article(name: str) -> str:
    """A class with its article: "a Tensor", "an Audit", "an ndarray" (spoken: en-d-array)."""
    return f"{'an' if name.lower().startswith(('a', 'e', 'i', 'o', 'nd')) else 'a'} {name}"


def share(part: int, whole: int) -> str:
    """A count as a share: 12 of 6,272 elements (0.19 %)."""
    percent = 100.0 * part / whole if whole else 0.0
    unit = "element" if whole == 1 else "elements"
    rounded = f"{percent:.1f}" if percent >= 10 else f"{percent:.2g}"
    return f"{part:,} of {whole:,} {unit} ({rounded} %)"


def many_times(value: object) -> str:
    """How many times closer or larger: "3.1 times", "infinitely"."""
    return "infinitely" if value == float("inf") else f"{number(value)} times"


def times_of(value: object, digits: int = 3) -> str:
    """A factor: "3.1 times", "infinitely many times"."""
    return "infinitely many times" if value == float("inf") else f"{number(value, digits)} times"


def up_to(value: object) -> str:
    """How far elements are apart at most: "by up to 0.5"; an infinite distance is one between a number and NaN or infinity."""
    return "where one side is NaN or infinite" if value == float("inf") else f"by up to {number(value)}"


def digits_lost(times: float) -> str:
    """How many decimal digits a factor is: "1.3 digits"."""
    return f"{math.log10(max(times, 1.0)):.1f} digits"


def place(path: str) -> str:
    """Which output, in words; nothing for a single bare one."""
    return f" in output {path}" if path else ""


def power_of_two(bits: object) -> str:
    """By which power of two something shrank; "to nothing" where no rest is left."""
    return f"by a factor of 2^{bits:.0f}" if isinstance(bits, float) else "to nothing"
