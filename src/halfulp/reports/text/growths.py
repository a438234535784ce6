"""Growth as text: errors and verdict at each size, exponents with their intervals."""

from __future__ import annotations

from ...sweeps.slopes import Growth, Slope
from ...words.numbers import number
from .checks import ACCEPTABLE
from .tables import as_text, plain_table


def growth_text(found: Growth, form: str = "full") -> str:
    """The answer alone, or with a row for each size."""
    if form in ("answer", "reason", "assertion"):
        return growth_answer(found)
    table = plain_table("size", "seed", "verdict", "actual in u", "expected in u", "difference in u", "noise in u", "times the limit")
    for point in found.points:
        table.add_row(
            f"{point.size:,}", str(point.seed), point.verdict.name, number(point.actual_error), number(point.expected_error), number(point.difference),
            number(point.noise), number(found.share(point)),
        )  # fmt: skip
    legend = f"Errors are root mean squares, in units of u times the result's root mean square (u is half an ulp of 1 in {found.declared}); a correct implementation stays below the limit."
    return as_text(growth_answer(found), "", table, legend)


def growth_answer(found: Growth) -> str:
    """The worst verdict, and how the errors grow."""
    head = f"{found.worst.name}: {found.worst.meaning} ({ACCEPTABLE[found.worst.acceptable]})"
    stopped = "" if found.complete else f" Larger sizes are missing: {found.stopped}"
    slopes = "; ".join(slope_words(slope) for slope in found.slopes)
    where = "the only size" if found.sizes == 1 else f"the worst of {found.sizes:,} sizes"
    return f"{head} at {where}.{stopped}\n{slopes[:1].upper() + slopes[1:] or 'No exponent was fitted: that takes errors above zero at three sizes or more'}."


def slope_words(slope: Slope) -> str:
    """An exponent in words."""
    of = {"noise": "the predicted noise", "difference": "the difference"}.get(slope.of, f"the error of {slope.of}")
    return f"{of} grows as size^{slope.exponent:.2f} ({slope.low:.2f} to {slope.high:.2f})"
