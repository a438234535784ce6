"""Datasets and tables that several pages have."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from ...differences import Comparison, Difference, WorstElement
from .page import Column, Columns, Pairs, Section, Table


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
            difference.path or "-", "x".join(str(size) for size in difference.shape) or "scalar", difference.actual_dtype, difference.reference_dtype, difference.count,
            difference.unequal, difference.special_mismatches, difference.max_abs, difference.max_rel, difference.rel_rms, difference.sqnr_db, difference.bias, difference.max_ulps, difference.median_ulps,
        )
        for difference in comparison
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
        Column("unequal", "unequal", True), Column("special", "NaN or inf mismatches", True), Column("max_abs", "max abs", True), Column("max_rel", "max rel", True),
        Column("rel_rms", "rel rms", True), Column("sqnr", "SQNR dB", True), Column("bias", "bias", True), Column("max_ulps", "max ulps", True),
        Column("median_ulps", "median ulps", True),
    ),
)  # fmt: skip


def worst_data(comparison: Comparison) -> Columns:
    """The worst elements of each output by each measure, each once."""
    rows: dict[tuple[str, tuple[int, ...]], WorstElement] = {}
    for difference in comparison:
        for element in (*difference.worst_abs, *difference.worst_rel, *difference.worst_ulps):
            rows.setdefault((difference.path, element.index), element)
    ranked = sorted(rows.items(), key=lambda item: -item[1].abs_difference)
    return columns_of(
        (
            (f"{path}[{', '.join(str(part) for part in index)}]", f"{worst.actual:.9g}", f"{worst.reference:.9g}", worst.abs_difference, worst.rel_difference, worst.ulps)
            for (path, index), worst in ranked
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


def provenance(made_with: Mapping[str, str], *settings: tuple[str, str]) -> Section:
    """What the result of a page was made with.

    Args:
        made_with: versions and the machine, as results have them. settings: (name, value) of what else decided it.
    """
    return Section(
        "environment", "Where it ran", (Pairs("Versions, machine and settings", (*made_with.items(), *settings)),), is_open=False
    )
