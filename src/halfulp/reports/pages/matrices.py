"""The page of a matrix: verdicts of every op and backend, families of equal bits, what was noticed."""

from __future__ import annotations

from collections import Counter
from functools import partial

from ...sweeps import Matrix
from ...words.numbers import counted, verb
from ..charts.matrices import cell_columns, family_columns, matrix_chart
from ..text.backends import habit_words
from ..text.matrices import ORDER, direct_cells, undelegated
from .page import Column, Columns, Figure, Number, Page, Part, Section, Table, Words

CELL_COLUMNS = (
    Column("actual", "actual", is_code=True), Column("expected", "expected", is_code=True), Column("op", "op", is_code=True), Column("size", "size"),
    Column("dtype", "dtype"), Column("verdict", "verdict"), Column("format", "format"), Column("difference", "difference in u", True), Column("error", "error of actual in u", True),
    Column("fault", "why not"),
)  # fmt: skip
LARGEST = 6000
"""Rows of the table of all pairs on a page; the JSON has all."""


def matrix_page(matrix: Matrix) -> Page:
    """The page of a matrix."""
    direct = direct_cells(matrix)
    counts = Counter(cell.verdict for cell in direct)
    bad = [cell for cell in direct if cell.verdict in ORDER[:5]]
    datasets: dict[str, Columns] = {"direct": cell_columns(direct), "families": family_columns(matrix)}
    caption = "=: same bits, ok: rounding, P: reduced precision, U: unstable, N: nondeterministic, M: mistake, F: flip, ?: undecided, -: not supported. Each tile shows the worst verdict over all sizes. Point at a tile for the largest error of the backend's own result against float64, in units of u times the result's root mean square (u is half an ulp of 1)."
    sections = [
        Section("matrix", "Each against PyTorch", (Figure("matrix", partial(matrix_chart, matrix), "Verdicts", caption), Table("direct", "Every op, size and backend against PyTorch", CELL_COLUMNS))),
        Section(
            "families", "Families of equal bits",
            (Table("families", "Backends that give the same bits, with the number of cases in which they do", (Column("backends", "backends"), Column("cases", "cases", True), Column("ops", "ops"))),),
        ),
    ]  # fmt: skip
    others = [result for result in matrix.results if result.expected != "torch" and result.verdict in ORDER[:5]]
    if others:
        datasets["pairs"] = cell_columns(others[:LARGEST])
        kept = "" if len(others) <= LARGEST else f" (the first {LARGEST:,} of {len(others):,}; the JSON has all)"
        sections.append(
            Section(
                "pairs",
                "Pairs that don't agree within rounding",
                (Table("pairs", f"Disagreeing pairs of backends other than PyTorch{kept}", CELL_COLUMNS),),
                is_open=False,
            )
        )
    noticed = [f"{name}: {words}" for name, habits in matrix.habits.items() for words in habit_words(habits)] + [
        name.strip() for name in undelegated(matrix)
    ]
    faults = [f"{name}: {word}" for name, words in matrix.faults.items() for word in words]
    parts: list[Part] = [
        *([Words(tuple(noticed), is_list=True)] if noticed else []),
        *([Words(("Faults:", *faults), is_list=True)] if faults else []),
    ]
    if parts:
        sections.append(Section("noticed", "Noticed", tuple(parts)))
    named = ", ".join(f"{counts[verdict]:,} {verdict}" for verdict in reversed(ORDER) if verdict and counts[verdict])
    return Page(
        "matrix",
        "Which backends agree on which ops?",
        f"{len(bad):,} of {counted(len(direct), 'case')} {verb(len(bad), 'do')} not agree within rounding"
        if bad
        else "All that were compared agree within rounding"
        if named
        else "Nothing was compared",
        {0: "good", 1: "bad", 3: "unsure"}[matrix.exit_code],
        f"Each backend against PyTorch: {named or 'nothing'}; {counts['']:,} not supported or failed."
        + ("" if matrix.complete else " The run was interrupted: the rest is missing."),
        (
            Number(f"{len({cell.actual for cell in direct}):,}", "backends against PyTorch"),
            Number(f"{len({cell.op for cell in direct}):,}", "ops", f"{counted(len(matrix.families), 'case')} (op, size, dtype)"),
            Number(f"{len(matrix.results):,}", "pairs compared", f"in {matrix.seconds:.0f} s"),
        ),
        ("halfulp check with halfulp.backend(NAME).implement(OP) shows the evidence for a single case.",) if bad else (),
        tuple(sections),
        datasets,
    )
