"""The page of a tolerance: the line for a test, what it is made of, and a row for each output."""

from __future__ import annotations

from functools import partial

from ...remedies import StoredTolerance
from ..charts.tolerances import drawable, tolerance_chart
from ..text.tolerances import tolerance_words
from .page import Code, Column, Figure, Number, Page, Part, Section, Table
from .tables import columns_of

PICTURES = 4
"""More outputs than these have no pictures, only their rows."""


def tolerance_page(tolerance: StoredTolerance) -> Page:
    """The page of a tolerance."""
    rows = ((tensor.path or "-", tensor.rtol, tensor.atol, tensor.scale_min, tensor.scale_max) for tensor in tolerance.tensors)
    columns = (
        Column("output", "output", is_code=True), Column("rtol", "rtol", True), Column("atol", "atol", True), Column("low", "elements may be off by", True),
        Column("high", "up to", True),
    )  # fmt: skip
    parts: tuple[Part, ...] = (
        Code("A line for a test", tolerance.line),
        *_pictures(tolerance),
        Table("tensors", "The tolerance of each output", columns),
    )
    numbers = (
        Number(f"{tolerance.rtol:g}", "rtol"),
        Number(f"{tolerance.atol:g}", "atol"),
        Number(f"{tolerance.failure_probability:.0e}", "chance that correct results differ by more"),
    )
    datasets = {"tensors": columns_of(rows, "output", "rtol", "atol", "low", "high")}
    headline = f"rtol={tolerance.rtol:g}, atol={tolerance.atol:g}"
    return Page(
        "tolerance", "Which tolerance does a test need?", headline, "plain", tolerance_words(tolerance), numbers, ("Paste the line below into the test.",),
        (Section("tolerance", "The tolerance", parts),), datasets,
    )  # fmt: skip


def _pictures(tolerance: StoredTolerance) -> list[Part]:
    drawn = [tensor for tensor in tolerance.tensors if drawable(tensor)]
    if len(drawn) > PICTURES:
        return []
    caption = (
        "Each point is the element that needs the most among those of its size: how far apart two correct implementations may be there. "
        "The line is what the tolerance allows. It is flat where atol decides, for elements that are small because large terms cancel, "
        "and rises where rtol decides."
    )
    return [
        Figure(
            f"needs-{place}",
            partial(tolerance_chart, tensor, f"needs_{place}"),
            f"What the tolerance{f' of {tensor.path}' if tensor.path else ''} is made of",
            caption,
        )
        for place, tensor in enumerate(drawn)
    ]
