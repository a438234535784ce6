"""A matrix as text: verdicts of every op and backend, errors in u, families of equal bits, and what was noticed."""

from __future__ import annotations

import textwrap
from collections import Counter

from rich.console import RenderableType

from ...sweeps import Cell, Matrix
from ...words.numbers import counted, number
from .backends import habit_words
from .tables import as_text, plain_table, width

SHORT = {
    "IDENTICAL": "=", "ROUNDING": "ok", "FLIP": "flip", "REDUCED_PRECISION": "REDUCED", "UNSTABLE": "UNSTABLE", "NONDETERMINISTIC": "NONDET",
    "MISTAKE": "MISTAKE", "UNDECIDED": "?", "": "-",
}  # fmt: skip
ORDER = ("MISTAKE", "NONDETERMINISTIC", "UNSTABLE", "REDUCED_PRECISION", "UNDECIDED", "FLIP", "ROUNDING", "IDENTICAL", "")
"""The worst first: a table's entry is the worst of its sizes."""


def matrix_text(found: Matrix, form: str = "full") -> str:
    """The answer, or all of it."""
    direct = direct_cells(found)
    counts = Counter(cell.verdict for cell in direct)
    named = ", ".join(f"{counts[verdict]:,} {verdict}" for verdict in reversed(ORDER) if verdict and counts[verdict])
    pairs = Counter(result.verdict for result in found.results if result.verdict)
    of_pairs = ", ".join(f"{pairs[verdict]:,} {verdict}" for verdict in reversed(ORDER) if verdict and pairs[verdict])
    count = len(_names(found))
    head = [
        f"{counted(count, 'backend')} against PyTorch, {counted(len(_cases(found)), 'case')} (op, size, dtype), {found.seconds:.0f} s"
        + ("" if found.complete else "; INTERRUPTED, the rest is missing"),
        f"Each backend against PyTorch: {named or 'nothing'}; {counts['']:,} not supported or failed.",
        f"Every pair of backends: {of_pairs or 'nothing'}.",
    ]
    faults = [f"  {name}: {word}" for name, words in found.faults.items() for word in words]
    if form == "answer":
        return as_text(*head, *(["Faults:", *faults] if faults else []))
    notable = [cell for cell in direct if cell.verdict in ORDER[:5]]
    noticed = [f"  {name}: {words}" for name, habits in found.habits.items() for words in habit_words(habits)]
    noticed += undelegated(found)
    return as_text(
        *head, "",
        "Each backend against PyTorch, the worst verdict over all sizes:", "", *_blocks(found, direct), "", *key_lines(), "",
        *(["Not acceptable:", *_grouped(notable), ""] if notable else []),
        "Families of equal bits (of more than one backend):", *_families(found), "",
        *(["Noticed:", *noticed] if noticed else []),
        *(["Faults:", *faults] if faults else []),
    )  # fmt: skip


def key_lines() -> list[str]:
    """What the entries of the table mean."""
    return textwrap.wrap(
        "=: the same bits as PyTorch, ok: rounding, flip: a discontinuity was crossed, REDUCED: a coarser format, ?: undecided, -: not supported. The number "
        "is the largest error of the backend's own result against float64, in units of u times the result's root mean square (u is half an ulp of 1).",
        width(),
    )


def pairs_text(found: Matrix) -> str:
    """Every two backends that don't agree to rounding, by op."""
    groups: dict[tuple[str, str, str, str], list[Cell]] = {}
    for result in found.results:
        if result.verdict in ORDER[:5]:
            groups.setdefault((result.actual, result.expected, result.op, result.verdict), []).append(result)
    table = plain_table("actual", "expected", "op", "verdict", "format", "difference in u", "judged")
    for (actual, expected, op, verdict), cells in groups.items():
        worst = max((cell.difference_in_u or 0.0) for cell in cells)
        table.add_row(
            actual, expected, op, verdict, cells[0].format, number(worst), f"through {cells[0].through}" if cells[0].through else "directly"
        )
    return as_text("Pairs that don't agree within rounding:", table) if groups else "All pairs agree within rounding."


def direct_cells(found: Matrix) -> list[Cell]:
    """Each backend against PyTorch: the first entry of each, since PyTorch may also take part itself."""
    seen: dict[tuple[str, ...], Cell] = {}
    for result in found.results:
        if result.expected == "torch":
            seen.setdefault((result.actual, result.op, result.size, result.dtype), result)
    return list(seen.values())


def _names(found: Matrix) -> list[str]:
    return list(dict.fromkeys(cell.actual for cell in direct_cells(found)))


def _cases(found: Matrix) -> set[str]:
    return set(found.families)


BLOCK = 5
"""Columns side by side: as many as fit beside the names of ops."""


def _blocks(found: Matrix, direct: list[Cell]) -> list[RenderableType]:
    names = _names(found)
    parts: list[RenderableType] = []
    by_op: dict[tuple[str, str], list[Cell]] = {}
    for cell in direct:
        by_op.setdefault((cell.op, cell.actual), []).append(cell)
    ops = list(dict.fromkeys(cell.op for cell in direct))
    for start in range(0, len(names), BLOCK):
        table = plain_table("op", *names[start : start + BLOCK])
        for op in ops:
            table.add_row(op, *(_entry(by_op.get((op, name), [])) for name in names[start : start + BLOCK]))
        parts += [table, ""]
    return parts[:-1]


def _entry(cells: list[Cell]) -> str:
    if not cells:
        return ""
    worst = min(cells, key=lambda cell: ORDER.index(cell.verdict))
    errors = [cell.actual_error_in_u for cell in cells if cell.actual_error_in_u is not None]
    name = SHORT[worst.verdict]
    format = f" {worst.format}" if worst.format else ""
    return f"{name}{format} {number(max(errors))}" if errors else name


def _grouped(cells: list[Cell]) -> list[str]:
    groups: dict[tuple[str, str, str], list[str]] = {}
    for cell in cells:
        groups.setdefault((cell.actual, cell.verdict, cell.format), []).append(cell.op)
    return [
        f"  {name}: {verdict}{f' ({format})' if format else ''} in {', '.join(dict.fromkeys(ops))}"
        for (name, verdict, format), ops in groups.items()
    ]


def _families(found: Matrix) -> list[str]:
    """Groups that share their bits, with the cases in which they do; the most common first."""
    groups: Counter[tuple[str, ...]] = Counter()
    examples: dict[tuple[str, ...], list[str]] = {}
    for key, families in found.families.items():
        for family in families:
            if len(family) > 1:
                groups[family] += 1
                examples.setdefault(family, []).append(key.split(" ")[0])
    lines: list[str] = []
    for group, count in groups.most_common(SHOWN):
        ops = list(dict.fromkeys(examples[group]))
        lines.append(f"  {' = '.join(group)}: {count} case{'s' * (count > 1)} ({', '.join(ops[:6])}{' ...' if len(ops) > 6 else ''})")
    if len(groups) > SHOWN:
        lines.append(f"  and {counted(len(groups) - SHOWN, 'more group')} (in the JSON)")
    return lines or ["  none"]


SHOWN = 20


def undelegated(found: Matrix) -> list[str]:
    """Ops that a delegate left to others, one line a backend."""
    lines: list[str] = []
    for name, remarks in found.remarks.items():
        by_words: dict[str, list[str]] = {}
        for key, words in remarks.items():
            by_words.setdefault(words, []).append(key.split(" ")[0])
        left = sorted({op for words, ops in by_words.items() if "left to" in words for op in ops})
        if left:
            lines.append(
                f"  {name} ran these ops, at least in part, on the runtime's own kernels instead of its delegate: {', '.join(left)}"
            )
    return lines
