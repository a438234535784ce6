"""Ops against backends: the verdict of each, and the families of equal bits."""

from __future__ import annotations

from typing import Any

import altair as alt

from ...sweeps import Cell, Matrix
from ...words.numbers import counted
from ..text.matrices import ORDER, direct_cells
from .style import Columns, Sketch, finished, rounded
from .tiles import verdict_tiles


def cell_columns(cells: list[Cell]) -> dict[str, list[Any]]:
    """Cells as columns."""
    return {
        "actual": [cell.actual for cell in cells],
        "expected": [cell.expected for cell in cells],
        "op": [cell.op for cell in cells],
        "size": [cell.size for cell in cells],
        "dtype": [cell.dtype for cell in cells],
        "verdict": [cell.verdict or "-" for cell in cells],
        "format": [cell.format for cell in cells],
        "difference": [None if cell.difference_in_u is None else rounded(cell.difference_in_u) for cell in cells],
        "error": [None if cell.actual_error_in_u is None else rounded(cell.actual_error_in_u) for cell in cells],
        "fault": [cell.fault for cell in cells],
    }


def matrix_chart(matrix: Matrix, name: str = "matrix") -> Sketch:
    """A tile for each op and backend: the worst verdict of its sizes, told by color and letter."""
    datasets: dict[str, Columns] = {}
    worst: dict[tuple[str, str], Cell] = {}
    for cell in direct_cells(matrix):
        key = (cell.op, cell.actual)
        if key not in worst or ORDER.index(cell.verdict) < ORDER.index(worst[key].verdict):
            worst[key] = cell
    cells = list(worst.values())
    rows: dict[str, list[Any]] = {
        "op": [cell.op for cell in cells],
        "backend": [cell.actual for cell in cells],
        "verdict": [cell.verdict for cell in cells],
        "format": [cell.format for cell in cells],
        "error": [None if cell.actual_error_in_u is None else rounded(cell.actual_error_in_u) for cell in cells],
    }
    tooltip = ["op:N", "backend:N", "verdict:N", "format:N", alt.Tooltip("error:Q", title="error in u", format=".3~g")]
    chart, size = verdict_tiles(datasets, name, rows, down="op", across="backend", nothing="not supported", tooltip=tooltip)
    bad = sum(cell.verdict in ORDER[:5] for cell in cells)
    words = f"{counted(len(set(rows['op'])), 'op')} by {counted(len(set(rows['backend'])), 'backend')}; {bad} {'tile is' if bad == 1 else 'tiles are'} unacceptable or undecided."
    return finished(
        chart,
        datasets,
        title="Each backend against PyTorch: the worst verdict over all sizes",
        description=f"Heat map. {words}",
        **size,
    )


def family_columns(matrix: Matrix) -> dict[str, list[Any]]:
    """Groups of backends that give the same bits, with the number of cases in which they do."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for key, families in matrix.families.items():
        for family in families:
            if len(family) > 1:
                groups.setdefault(tuple(family), []).append(key)
    ranked = sorted(groups, key=lambda group: (-len(groups[group]), group))
    return {
        "backends": [" = ".join(entry) for entry in ranked],
        "cases": [len(groups[entry]) for entry in ranked],
        "ops": [", ".join(dict.fromkeys(key.split(" ")[0] for key in groups[entry])) for entry in ranked],
    }
