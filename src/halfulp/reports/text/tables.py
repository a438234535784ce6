"""Tables as text of a fixed width, drawn by rich."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich import box
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table

from ...words.numbers import number

if TYPE_CHECKING:
    from ...audits import Audit
    from ...differences import Comparison, Difference, WorstElement
    from ...remedies import StoredTolerance
    from ...verdicts import CheckResult

WIDEST, NARROWEST = 118, 60
"""Columns of a table: as many as the terminal has, between these; the widest where there is none (files, pipes, tests)."""


def width() -> int:
    """How wide a table may be: COLUMNS where it is set, else as wide as the terminal."""
    given = os.environ.get("COLUMNS", "")
    if given.isdigit() and int(given):
        columns = int(given)
    elif sys.stdout is not None and sys.stdout.isatty():
        columns = shutil.get_terminal_size((WIDEST, 24)).columns
    else:
        columns = WIDEST
    return max(NARROWEST, min(WIDEST, columns))


def as_text(*parts: RenderableType) -> str:
    """What rich draws, as plain text."""
    console = Console(file=io.StringIO(), width=width(), color_system=None, force_terminal=False, highlight=False, markup=False)
    for part in parts:
        for place, piece in enumerate(part.pieces(console) if isinstance(part, Numbers) else [part]):
            if place:
                console.print()
            console.print(piece, soft_wrap=isinstance(piece, str))
    stream = console.file
    assert isinstance(stream, io.StringIO)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines())


class Numbers(Table):
    """A table whose cells are not to be broken: where it is too wide its columns go on below, each piece with the first column."""

    def pieces(self, console: Console) -> list[Table]:
        """Tables of the console's width or less, as far as single columns allow."""
        columns = [[str(column.header), *(str(cell) for cell in column.cells)] for column in self.columns]
        widths = [max(map(cell_len, cells)) + 3 for cells in columns]  # the gap between columns is three
        widths[0] = min(widths[0], console.width // 3)  # a long path is folded
        found: list[list[int]] = [[]]
        for place in range(1, len(columns)):
            if found[-1] and widths[0] + sum(widths[index] for index in found[-1]) + widths[place] > console.width + 3:
                found.append([])
            found[-1].append(place)
        return [self._of([0, *places], columns, widths[0] - 3) for places in found]

    def _of(self, places: list[int], columns: list[list[str]], first: int) -> Table:
        table = Table(box=self.box, show_edge=False, pad_edge=False, header_style="")
        for place in places:
            table.add_column(columns[place][0], overflow="fold", no_wrap=place > 0, max_width=None if place else max(first, 1))
        for row in list(zip(*columns))[1:]:
            table.add_row(*(row[place] for place in places))
        return table


def _numbers(*columns: str) -> Table:
    table = Numbers(box=box.SIMPLE_HEAD)
    for column in columns:
        table.add_column(column)
    return table


def _table(*columns: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def evidence_table(result: CheckResult) -> Table:
    """All evidence: question, finding, numbers."""
    from .evidence import QUESTIONS, measured_words

    table = _table("evidence", "finding", "measured")
    table.columns[0].ratio, table.columns[0].min_width = None, 24
    table.columns[1].no_wrap = True
    for evidence in result.evidence:
        where = f" [{evidence.path}]" if evidence.path else ""
        table.add_row(QUESTIONS.get(evidence.kind, evidence.kind), evidence.finding, measured_words(evidence) + where)
    return table


def plain_table(*columns: str) -> Table:
    """An empty table with these columns."""
    return _table(*columns)


def difference_table(differences: Iterable[Difference]) -> Table:
    """The metrics, a row per tensor."""
    table = _numbers("output", "shape", "unequal", "max abs", "max rel", "rel rms", "SQNR dB", "bias", "max ulps", "median ulps")
    for difference in differences:
        table.add_row(
            difference.path or "-",
            "x".join(str(size) for size in difference.shape) or "scalar",
            f"{difference.unequal + difference.special_mismatches:,}/{difference.count:,}",
            number(difference.max_abs),
            number(difference.max_rel),
            number(difference.rel_rms),
            number(difference.sqnr_db),
            number(difference.bias),
            f"{difference.max_ulps:,}",
            number(difference.median_ulps),
        )
    return table


def worst_table(comparison: Comparison, count: int = 5) -> Table | None:
    """The elements that differ most, by absolute difference."""
    rows: list[tuple[str, WorstElement]] = [(difference.path, element) for difference in comparison for element in difference.worst_abs]
    rows.sort(key=lambda row: -row[1].abs_difference)
    if not rows:
        return None
    table = _numbers("worst elements", "actual", "expected", "abs", "rel", "ulps")
    for path, element in rows[:count]:
        index = f"{path}[{', '.join(str(size) for size in element.index)}]"
        table.add_row(
            index,
            f"{element.actual:.9g}",
            f"{element.reference:.9g}",
            number(element.abs_difference),
            number(element.rel_difference),
            f"{element.ulps:,}",
        )
    return table


def audit_table(found: Audit) -> Table:
    """Every finding: what, where, how often."""
    table = _table("finding", "op", "what happens", "times", "where")
    for entry in found.entries:
        table.add_row(entry.kind, entry.op, entry.detail, f"{entry.count:,}", entry.where or "in a backward pass")
    return table


def tolerance_table(found: StoredTolerance) -> Table:
    """The tolerance of each output."""
    table = _table("output", "rtol", "atol", "elements may be off by")
    for tensor in found.tensors:
        table.add_row(tensor.path, f"{tensor.rtol:g}", f"{tensor.atol:g}", f"{number(tensor.scale_min)} to {number(tensor.scale_max)}")
    return table
