"""An order as a picture, text or SVG, in which equal parts are drawn once."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from html import escape

from ..errors import InputError
from ..words.numbers import counted
from .description import describe
from .summation import Summation
from .tree import CHAIN, EXTRA, TERM, Item, Shape, Tree

FIRST = "\u2190 they diverge here"
"""The mark of the first row that the other order lacks: below it most rows differ, and a mark on each says nothing."""
ROW_HEIGHT, INDENT, MARGIN, CHARACTER = 22, 26, 12, 7.3


def draw(order: Summation, form: str = "text") -> str:
    """The order as text or SVG.

    Raises:
        InputError: an unknown form.
    """
    if form not in ("text", "svg"):
        raise InputError(f'Got form={form!r}. Needed: "text" or "svg". Orders can be drawn only in these forms. Leave it out for text.')
    rows = _rows(order)
    if form == "svg":
        return _svg(order, rows)
    return "\n".join(prefix + text for prefix, text, _ in rows)


def draw_beside(orders: Mapping[str, Summation]) -> str:
    """Two orders side by side as one SVG; the first row that only one of them has is marked.

    Args:
        orders: name -> order, two of them.
    """
    rows = {name: _rows(order) for name, order in orders.items()}
    first, second = ([(text, depth) for _, text, depth in row] for row in rows.values())
    matcher = difflib.SequenceMatcher(None, first, second, autojunk=False)
    shared = [set[int](), set[int]()]
    for block in matcher.get_matching_blocks():
        shared[0].update(range(block.a, block.a + block.size))
        shared[1].update(range(block.b, block.b + block.size))
    parts: list[str] = []
    left = height = 0
    for (name, order), alike in zip(orders.items(), shared):
        apart = next((place for place in range(len(rows[name])) if place not in alike), None)
        own = [(prefix, f"{text}  {FIRST}" if place == apart else text, depth) for place, (prefix, text, depth) in enumerate(rows[name])]
        inner = _svg(order, own)
        width, tall = (int(found) for found in re.findall(r' width="(\d+)" height="(\d+)"', inner)[0])
        parts.append(f'<text x="{left + MARGIN - 4}" y="{MARGIN}" font-weight="bold">{escape(name)}</text>')
        parts.append(inner.replace("<svg ", f'<svg x="{left}" y="{MARGIN}" ', 1))
        left, height = left + width, max(height, tall + MARGIN)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left}" height="{height}" viewBox="0 0 {left} {height}" role="img" '
        f'font-family="monospace" font-size="12" fill="currentColor" stroke="none"><title>{escape(" beside ".join(orders))}</title>'
    )
    return head + "".join(parts) + "</svg>"


def _rows(order: Summation) -> list[tuple[str, str, int]]:
    """(lines of the tree, words, depth) of each row."""
    tree = order.tree
    rows: list[tuple[str, str, int]] = [("", f"sum of {counted(tree.terms, 'term')}: {_how(tree.root)}", 0)]

    def below(shape: Shape, base: str, prefix: str, depth: int) -> None:
        for place, item in enumerate(shape.items):
            last = place == len(shape.items) - 1
            branch, stem = ("└─ ", "   ") if last else ("├─ ", "│  ")
            rows.append((prefix + branch, _item(order, tree, item, base), depth))
            if item.shape >= 0:
                below(tree.shapes[item.shape], "start", prefix + stem, depth + 1)

    below(tree.root, "", "", 1)
    return rows


def _how(shape: Shape) -> str:
    return "added from top to bottom" if shape.kind == CHAIN else "added in one operation"


def _item(order: Summation, tree: Tree, item: Item, base: str) -> str:
    if item.shape == EXTRA:
        return order.extras[item.start] if item.start < len(order.extras) else f"extra {item.start}"
    at = f" from term {item.start}" if not base else f", {item.start} further on" if item.start else ""
    if item.shape == TERM:
        return f"{_loops(item, 'term')}{at}" if item.loops else f"term {item.start}" if not base else f"one term{at}"
    chained = "" if tree.shapes[item.shape].kind == CHAIN else f", {_how(tree.shapes[item.shape])}"
    return f"{_loops(item, 'partial sum')}{at}{chained}" if item.loops else f"a partial sum{at}{chained}"


def _loops(item: Item, what: str) -> str:
    """So many of them, and how far apart they start; of several loops the inner one first."""
    (count, step), *outer = item.loops
    apart = "" if step == 1 and what == "term" else f", {step} apart"
    return f"{count:,} {what}s{apart}" + "".join(f", {number:,} times, {further} apart" for number, further in outer)


def _svg(order: Summation, rows: list[tuple[str, str, int]]) -> str:
    width = max(int(MARGIN * 2 + depth * INDENT + len(text) * CHARACTER + 20) for _, text, depth in rows)
    height = MARGIN * 2 + ROW_HEIGHT * len(rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" '
        f'font-family="monospace" font-size="12" fill="currentColor" stroke="none"><title>{escape(describe(order))}</title>'
    ]
    last_at: dict[int, float] = {}
    for number, (_, text, depth) in enumerate(rows):
        x, y = MARGIN + depth * INDENT, MARGIN + ROW_HEIGHT * (number + 0.5)
        if depth:
            top = last_at[depth - 1]
            stem = x - INDENT / 2
            parts.append(f'<path d="M{stem:g} {top + 6:g}V{y:g}H{x - 4:g}" fill="none" stroke="currentColor" opacity="0.45"/>')
        last_at[depth] = y
        parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="3"/><text x="{x + 9:g}" y="{y + 4:g}">{escape(text)}</text>')
    return "".join(parts) + "</svg>"
