"""Datasets and tables that several pages have."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ...differences import Comparison, Difference, WorstElement
from .page import Column, Columns, Table


def columns_of(rows: Iterable[Iterable[Any]], *keys: str) -> Columns:
    """Rows as columns."""
    listed = [list(row) for row in rows]
    return {key: [_finite(row[place]) for row in listed] for place, key in enumerate(keys)}


def _finite(value: Any) -> Any:
    """What JSON has; other numbers as words."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "infinite" if value > 0 else "-infinite"
    return value


def difference_data(comparison: Iterable[Difference]) -> Columns:
    """The metrics of each output."""
    rows = [
        (
            each.path or "-", "x".join(str(size) for size in each.shape) or "scalar", each.actual_dtype, each.reference_dtype, each.count,
            each.unequal, each.special_mismatches, each.max_abs, each.max_rel, each.rel_rms, each.sqnr_db, each.bias, each.max_ulps, each.median_ulps,
        )
        for each in comparison
    ]  # fmt: skip
    return columns_of(
        rows, "output", "shape", "actual_dtype", "expected_dtype", "elements", "unequal", "special", "max_abs", "max_rel", "rel_rms", "sqnr", "bias",
        "max_ulps", "median_ulps",
    )  # fmt: skip


DIFFERENCE_TABLE = Table(
    "differences",
    "The metrics of each output",
    (
        Column("output", "output", is_code=True), Column("shape", "shape"), Column("actual_dtype", "dtype"), Column("elements", "elements", True),
        Column("unequal", "unequal", True), Column("special", "NaN or inf apart", True), Column("max_abs", "max abs", True), Column("max_rel", "max rel", True),
        Column("rel_rms", "rel rms", True), Column("sqnr", "SQNR dB", True), Column("bias", "bias", True), Column("max_ulps", "max ulps", True),
        Column("median_ulps", "median ulps", True),
    ),
)  # fmt: skip


def worst_data(comparison: Comparison) -> Columns:
    """The worst elements of each output by each measure, each once."""
    rows: dict[tuple[str, tuple[int, ...]], WorstElement] = {}
    for each in comparison:
        for element in (*each.worst_abs, *each.worst_rel, *each.worst_ulps):
            rows.setdefault((each.path, element.index), element)
    ranked = sorted(rows.items(), key=lambda item: -item[1].abs_difference)
    return columns_of(
        (
            (f"{path}[{', '.join(str(part) for part in index)}]", f"{each.actual:.9g}", f"{each.reference:.9g}", each.abs_difference, each.rel_difference, each.ulps)
            for (path, index), each in ranked
        ),
        "element", "actual", "expected", "abs", "rel", "ulps",
    )  # fmt: skip


WORST_TABLE = Table(
    "worst",
    "The elements that differ most by some measure",
    (
        Column("element", "element", is_code=True), Column("actual", "actual", is_code=True), Column("expected", "expected", is_code=True),
        Column("abs", "abs", True), Column("rel", "rel", True), Column("ulps", "ulps", True),
    ),
)  # fmt: skip
