"""An order in one line of words, and what distinguishes two orders."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..words.numbers import counted, verb
from .contraction import row_major_strides
from .summation import Summation
from .tree import CHAIN, EXTRA, TERM, TOGETHER, Item, Shape, Tree

NESTED = 3
"""So many levels of partial sums are described; what lies deeper is summarized by its number of terms."""


def describe(order: Summation) -> str:
    """The order in one line: how terms are grouped, FMA, what happens to the partial sums, where extra leaves come in, formats."""
    parts = [_tree_in_words(order)]
    if order.products and order.fma is not None:
        parts[0] += " with FMA" if order.fma else ", products rounded first"
        if order.unfused:
            rest = "the last term" if order.unfused == (order.tree.terms - 1,) else f"{len(order.unfused):,} of the products"
            parts[0] += f" except for {rest}"
    joined = _joined(order.tree)
    if joined:
        parts.append(joined)
    if not order.extra_factors:
        parts += [f"{name} {_place(order, number)}" for number, name in enumerate(order.extras)]
    parts += _formats(order)
    return ", ".join(parts)


def difference(order: Summation, other: Summation) -> str:
    """What distinguishes the first order from the second; "the same order" when nothing does."""
    parts: list[str] = []
    moved_only = order.tree != other.tree and order.tree.without_extras() == other.tree.without_extras()
    if order.tree != other.tree:
        parts += _moved_extras(order, other) if moved_only else [_other_tree(order, other)]
    if order.fma != other.fma and order.fma is not None and other.fma is not None:
        parts.append(
            "products added without rounding (FMA) instead of rounded first" if order.fma else "products rounded first instead of FMA"
        )
    if order.unfused != other.unfused and order.fma and other.fma:
        parts.append(f"{counted(len(order.unfused), 'product')} rounded first instead of {len(other.unfused):,}")
    for name in ("accumulator", "output", "rounding"):
        here, there = getattr(order, name), getattr(other, name)
        if here != there:
            parts.append(f"{name} {here} instead of {there}")
    if order.extras and order.rounds_before_extras != other.rounds_before_extras:
        here, there = ("before", "after") if order.rounds_before_extras else ("after", "before")
        parts.append(
            f"rounded to {order.output} {here} the {' and '.join(order.extras)} {verb(len(order.extras), 'are')} added instead of {there}"
        )
    if order.scale != other.scale:
        parts.append(f"scaling: {_scale(order)} instead of {_scale(other)}")
    if order.extra_factors != other.extra_factors:
        here, there = (" and ".join(f"{factor:g}" for factor in one.extra_factors) or "1" for one in (order, other))
        parts.append(f"{' and '.join(order.extras)} times {here} instead of {there}")
    elif order.fused_extras != other.fused_extras:
        fused, rounded = "added without rounding (FMA)", "rounded first"
        here, there = (fused, rounded) if order.fused_extras else (rounded, fused)
        parts.append(
            f"{' and '.join(order.extras)} times {'its factor' if len(order.extras) == 1 else 'their factors'} {here} instead of {there}"
        )
    if moved_only:
        parts.append(f"otherwise the same {'products' if order.products else 'terms'} in the same order")
    return "; ".join(parts) or "the same order"


def _other_tree(order: Summation, other: Summation) -> str:
    if order.tree.terms != other.tree.terms:
        return f"{counted(order.tree.terms, 'term')} instead of {other.tree.terms:,}"
    return f"a different order of terms ({describe(order)}, instead of {describe(other)})"


def _moved_extras(order: Summation, other: Summation) -> list[str]:
    if order.extras != other.extras:
        return [f"{' and '.join(order.extras) or 'nothing'} added instead of {' and '.join(other.extras) or 'nothing'}"]
    moved: list[str] = []
    for number, name in enumerate(order.extras):
        here, there = _place(order, number), _place(other, number)
        if here != there:
            moved.append(f"{name} {here} instead of {there}")
    return moved


def _scale(order: Summation) -> str:
    if order.scale is None:
        return "none"
    action, by = order.scale
    return f"a division by {by:g}" if action == "divide" else f"a multiplication by {by:g}"


def _formats(order: Summation) -> list[str]:
    parts: list[str] = []
    if order.rounding != "nearest":
        parts.append(f"additions rounded {order.rounding}")
    if order.tree.widest > 2:
        parts.append(f"up to {order.tree.widest} values added in one operation")
    if order.scale is not None:
        parts.append(f"then {_scale(order)}")
    for name, factor in zip(order.extras, order.extra_factors):
        rounded = " without rounding the product (FMA)" if order.fused_extras and factor != 1.0 else ""
        parts.append(f"then {name if factor == 1.0 else f'{factor:g} times {name}'} added{rounded}")
    if order.rounds_before_extras:
        parts.append(f"summed in {order.accumulator} and rounded to {order.output} before the {' and '.join(order.extras)}")
    elif order.accumulator != order.output:
        parts.append(f"summed in {order.accumulator} and rounded to {order.output} at the end")
    return parts


# The tree.


def _tree_in_words(order: Summation) -> str:
    tree = order.tree.without_extras()
    names = " and ".join(name for name, _ in order.axes) or "k"
    root = tree.root
    if tree.terms == 1:
        return "one term"
    balanced = _balanced(tree, root)
    if balanced is not None:
        return f"pairwise over {names} ({tree.terms:,} terms)"
    if root.kind == TOGETHER:
        return f"all {root.count:,} values in one operation over {names}"
    if _only_terms(root):
        walk = _walk(order, root)
        return f"one chain over {names} ({tree.terms:,} terms{walk})"
    blocks = _blocks(tree)
    if blocks is not None:
        return f"chains of {blocks} over {names}{_order_of_axes(order)}"
    return f"{_words(tree, root, NESTED)} over {names}"


def _joined(tree: Tree) -> str:
    bare = tree.without_extras()
    if bare.terms > 1 and bare.root.kind == CHAIN and not _only_terms(bare.root) and _blocks(bare) is not None:
        return "partial sums added left to right"
    return ""


def _only_terms(shape: Shape) -> bool:
    return shape.kind == CHAIN and all(item.shape == TERM for item in shape.items)


def _blocks(tree: Tree) -> str | None:
    """The lengths of consecutive chains whose sums are added left to right: "192", "192 (the last 128)"."""
    lengths: list[int] = []
    start = 0
    for place, item in enumerate(tree.root.items):
        if item.shape == TERM:
            if place or item.start or not _consecutive(item):
                return None
            lengths.append(item.count)
            start = item.count
            continue
        shape = tree.shapes[item.shape]
        if not _only_terms(shape) or len(shape.items) != 1 or not _consecutive(shape.items[0]):
            return None
        for first in item.starts():
            if first != start:
                return None
            lengths.append(shape.count)
            start += shape.count
    if len(lengths) < 2 or len(set(lengths[:-1])) > 1 or lengths[-1] > 2 * lengths[0]:
        return None if len(set(lengths)) > 3 else " and ".join(dict.fromkeys(str(length) for length in lengths))
    return str(lengths[0]) if lengths[-1] == lengths[0] else f"{lengths[0]} (the last {lengths[-1]})"


def _consecutive(item: Item) -> bool:
    return len(item.loops) == 1 and item.loops[0][1] == 1


def _balanced(tree: Tree, shape: Shape) -> int | None:
    """The depth of a complete pairwise tree of neighbors; None for any other shape."""
    depth = 0
    steps: list[int] = []
    while True:
        if shape.kind != CHAIN or len(shape.items) != 1 or len(shape.items[0].loops) != 1:
            return None
        item = shape.items[0]
        count, step = item.loops[0]
        if count != 2:
            return None
        depth += 1
        steps.append(step)
        if item.shape == TERM:
            return depth if depth > 1 and steps == [2**place for place in range(depth)][::-1] else None
        shape = tree.shapes[item.shape]


def _walk(order: Summation, shape: Shape) -> str:
    """How a chain walks over its terms, where that isn't simply from the first to the last."""
    if len(shape.items) == 1:
        item = shape.items[0]
        if item.loops == ((item.count, 1),):
            return f", {_natural(order)}" if len(order.axes) > 1 else ""
        named = _axes_of_loops(order, item)
        if named:
            return f", {named}"
        if len(item.loops) == 1:
            step = item.loops[0][1]
            return ", from the last to the first" if step == -1 else f", {abs(step)} apart"
    starts = np.concatenate([item.starts() for item in shape.items])
    if np.array_equal(starts[2:4], starts[[1]] + [2, 1]) or np.array_equal(starts[:4], [0, 1, 3, 2]):
        return ", the second of each pair first"
    return ", in an order other than their storage order"


def _natural(order: Summation) -> str:
    names = [name for name, _ in order.axes]
    return f"{names[-1]} fastest" + (f", then {', then '.join(names[-2::-1])}" if len(names) > 1 else "")


def _axes_of_loops(order: Summation, item: Item) -> str:
    """Loops in terms of the summed axes, innermost first: "c fastest, then kx, then ky"."""
    sizes = [size for _, size in order.axes]
    strides = row_major_strides(sizes)
    named: list[str] = []
    for count, step in item.loops:
        left = count
        for (name, size), stride in zip(reversed(order.axes), reversed(strides)):
            if stride >= step and left > 1 and size > 1 and (stride == step or left < count):
                if left % size:
                    return ""
                named.append(name)
                left //= size
        if left > 1:
            return ""
    if len(named) < 2 or len(set(named)) != len(named):
        return ""
    return f"{named[0]} fastest, then {', then '.join(named[1:])}"


def _order_of_axes(order: Summation) -> str:
    return f" ({_natural(order)})" if len(order.axes) > 1 else ""


def _words(tree: Tree, shape: Shape, levels: int) -> str:
    """A shape as nested partial sums."""
    if shape.kind == TOGETHER:
        return f"{shape.count} values in one operation"
    if _only_terms(shape):
        steps = {loop[1] for item in shape.items for loop in item.loops[:1]}
        apart = f" terms {steps.pop()} apart" if len(steps) == 1 and steps != {1} else ""
        return f"a chain of {shape.count:,}{apart}"
    if levels == 0:
        return f"partial sums of {_leaves(tree, shape):,} terms"
    if len(shape.items) == 1:
        item = shape.items[0]
        inner = _words(tree, tree.shapes[item.shape], levels - 1)
        if item.count == 2:
            return f"the sum of two halves, each {inner}" if levels == NESTED else f"two of ({inner})"
        count, step = item.loops[0]
        if step == 1 and len(item.loops) == 1 and _is_strided(tree.shapes[item.shape], count):
            return f"{count} interleaved lanes added in turn, each {inner}"
        return f"{item.count:,} partial sums added in turn, each {inner}"
    pieces: list[str] = []
    for item in shape.items[:4]:
        if item.shape == TERM:
            pieces.append(f"{item.count:,} terms" if item.count > 1 else "a term")
        elif item.shape == EXTRA:
            continue
        else:
            times = f"{item.count:,} times " if item.count > 1 else ""
            pieces.append(f"{times}{_words(tree, tree.shapes[item.shape], levels - 1)}")
    more = f" + {len(shape.items) - 4} more" if len(shape.items) > 4 else ""
    return f"[{' + '.join(pieces)}{more}]"


def _is_strided(shape: Shape, step: int) -> bool:
    return _only_terms(shape) and all(item.loops and item.loops[0][1] == step for item in shape.items)


def _leaves(tree: Tree, shape: Shape) -> int:
    return sum(item.count * (_leaves(tree, tree.shapes[item.shape]) if item.shape >= 0 else 1) for item in shape.items)


def _place(order: Summation, number: int) -> str:
    """Where an extra leaf comes in."""
    tree = order.tree
    before, blocks = 0, 0
    for place, item in enumerate(tree.root.items):
        if item.shape == EXTRA and item.start == number:
            if place == 0 or not before:
                return "first"
            if place == len(tree.root.items) - 1:
                return "last"
            if blocks == 1 or (not blocks and all(item.shape != TERM for item in tree.root.items[place + 1 :])):
                return "after the first block"
            return f"after {before:,} of {tree.terms:,} terms"
        before += item.count * (_leaves(tree, tree.shapes[item.shape]) if item.shape >= 0 else 1)
        blocks += item.count if item.shape >= 0 else 0
    for place, shape in enumerate(tree.shapes[:-1]):
        for item in shape.items:
            if item.shape == EXTRA and item.start == number:
                first = shape.items[0] == item
                return f"{'first in' if first else 'inside'} a partial sum of {counted(_leaves(tree, tree.shapes[place]) - 1, 'term')}"
    return "nowhere"


def describe_positions(positions: npt.NDArray[Any], shape: tuple[int, ...], checked: int) -> str:
    """A set of output positions in words: "columns 0 to 31", "512 of 16,384 outputs"."""
    share = f"{len(positions):,} of {counted(checked, 'output')}"
    if not shape or not len(positions):
        return share
    coordinates = np.unravel_index(positions, shape)
    ranges: list[str] = []
    box = 1
    for axis, (values, size) in enumerate(zip(coordinates, shape)):
        low, high = int(values.min()), int(values.max())
        box *= high - low + 1
        if (low, high) != (0, size - 1):
            ranges.append(f"{low} to {high} on axis {axis}" if high > low else f"{low} on axis {axis}")
    inside = f" ({', '.join(ranges)})" if ranges else ""
    return f"{share}{inside if box == len(positions) else ''}"
