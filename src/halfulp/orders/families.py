"""Families: the orders that many implementations share, by name.

A dozen orders cover most of what libraries do: a plain loop, blocks of the summed axis (matrix products), interleaved lanes (vector
instructions), pairwise sums. Results that agree with one of them in every bit are explained by it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from .order import Order
from .tree import Part, Tree, TreeWriter

BLOCKS = (128, 192, 256, 320, 384, 512)
"""Block lengths along the summed axis found in BLAS libraries: 128 and 192 (MKL), 256 (MLAS), 320 (OpenBLAS), 384 (BLIS, MKL for float64),
512 (XLA)."""

LANES = (4, 8, 16, 32)


def sequential(terms: int, extras: int = 0, place: str = "last") -> Tree:
    """One chain from the first term to the last; extra leaves first or last."""
    written = TreeWriter(terms, extras)
    beside = [written.extra(number) for number in range(extras)]
    if place == "first" and extras:
        return written.tree(written.chain([*beside, *(written.term(number) for number in range(terms))]))
    return written.tree(written.chain([written.run(0, terms), *beside]))


def reversed_chain(terms: int) -> Tree:
    """One chain from the last term to the first."""
    written = TreeWriter(terms)
    return written.tree(written.chain([written.term(number) for number in range(terms - 1, -1, -1)]))


def blocks(terms: int, length: int, extras: int = 0, place: str = "last") -> Tree:
    """Chains over blocks of consecutive terms, partial sums added left to right."""
    written = TreeWriter(terms, extras)
    beside = [written.extra(number) for number in range(extras)]
    sums = [written.run(start, min(length, terms - start)) for start in range(0, terms, length)]
    at = 1 if place == "after the first block" else len(sums)
    return written.tree(written.chain([*sums[:at], *beside, *sums[at:]]))


def lanes(terms: int, count: int, joined: str = "in turn") -> Tree:
    """Lane c adds terms c, c + count, ... ; lanes are joined "in turn" or "pairwise"; what is left over is added last."""
    whole = terms // count
    if not whole:
        return sequential(terms)
    written = TreeWriter(terms)
    sums = [written.run(lane, whole, count) for lane in range(count)]
    total = written.pairwise(sums) if joined == "pairwise" else written.chain(sums)
    return written.tree(written.chain([total, *(written.term(number) for number in range(whole * count, terms))]))


def pairwise(terms: int) -> Tree:
    """Neighbors first, then neighbors of those sums."""
    written = TreeWriter(terms)
    return written.tree(written.pairwise([written.term(number) for number in range(terms)]))


def numpy_pairwise(terms: int) -> Tree:
    """np.sum over a contiguous axis: halves (multiples of 8) down to 128 terms, there eight interleaved lanes.

    References:
        NumPy, numpy/_core/src/umath/loops_utils.h.src, `pairwise_sum`.
    """
    written = TreeWriter(terms)

    @cache
    def part(count: int) -> Part:
        if count < 8:
            return written.run(0, count)
        if count <= 128:
            whole = count // 8
            total = written.pairwise([written.run(lane, whole, 8) for lane in range(8)])
            return written.chain([total, *(written.term(number) for number in range(whole * 8, count))])
        half = count // 2
        half -= half % 8
        return written.add(written.shifted(part(half), 0), written.shifted(part(count - half), half))

    return written.tree(part(terms))


def cascade(terms: int, vector: int = 8, unrolled: int = 4) -> Tree:
    """torch.sum over a contiguous axis: `unrolled` accumulators of `vector` lanes, in a cascade of four levels.

    References:
        PyTorch, aten/src/ATen/native/cpu/SumKernel.cpp, `cascade_sum`, `multi_row_sum`.
    """
    written = TreeWriter(terms)
    vector = vector if terms >= vector else 1
    rows = terms // vector
    rest = [written.term(number) for number in range(rows * vector, terms)]
    lane = _cascade_lane(written, vector, rows, unrolled)
    return written.tree(written.chain([*rest, *(written.shifted(lane, number) for number in range(vector))]))


LEVELS = 4


def _cascade_lane(written: TreeWriter, vector: int, rows: int, unrolled: int) -> Part:
    """The first lane: its vectors are dealt to `unrolled` accumulators of four levels each, which are joined at the end."""
    steps = rows // unrolled
    power = max(4, (max(steps, 1) - 1).bit_length() // LEVELS)
    block = 1 << power
    first = _cascade_chain(written, vector, steps, unrolled, block) if steps else None
    sums = [written.shifted(first, chain * vector) for chain in range(unrolled)] if first is not None else []
    rest = [written.term(row * vector) for row in range(steps * unrolled, rows)]
    if rest:
        sums[:1] = [written.chain([*sums[:1], *rest])]
    return written.chain(sums)


def _cascade_chain(written: TreeWriter, vector: int, steps: int, unrolled: int, block: int) -> Part:
    """The first accumulator: a level adds blocks of sums of the level below; at the end levels are joined upwards."""
    levels: list[Part | None] = [None] * LEVELS

    def put(level: int, value: Part) -> None:
        held = levels[level]
        levels[level] = value if held is None else written.add(held, value)

    for start in range(0, steps, block):
        count = min(block, steps - start)
        put(0, written.run(start * unrolled * vector, count, unrolled * vector))
        done = start + count
        for level in range(1, LEVELS):
            value = levels[level - 1]
            if done % block**level or value is None:
                break
            put(level, value)
            levels[level - 1] = None
    total: Part | None = None
    for value in levels:
        if value is not None:
            total = value if total is None else written.add(total, value)
    assert total is not None
    return total


def family_of(order: Order) -> str | None:
    """The name of the common order that this is, with its arithmetic; None for any other."""
    tree = order.tree
    for name, made in candidates(tree.terms, tree.extras, products=order.products):
        if made() == tree:
            fused = "" if order.fma is None else " with FMA" if order.fma else " without FMA"
            late = " after rounding" if order.rounds_before_extras else ""
            return f"{name}{late}{fused}, {order.accumulator} sums"
    return None


def candidates(terms: int, extras: int = 0, *, products: bool) -> Iterator[tuple[str, Callable[[], Tree]]]:
    """The families for this many terms: a name in words and what makes the tree. Shorter than a block, blocks are the sequential order."""
    if extras:
        for place in ("first", "last"):
            yield f"one chain, extra {place}", lambda place=place: sequential(terms, extras, place)
        for length in BLOCKS:
            for place in ("after the first block", "last") if length < terms else ():
                yield f"chains of {length}, extra {place}", lambda length=length, place=place: blocks(terms, length, extras, place)
        for place in ("after the first block", "last"):
            yield f"two halves, extra {place}", lambda place=place: blocks(terms, (terms + 1) // 2, extras, place)
        return
    if not products:
        yield "NumPy's pairwise sum", lambda: numpy_pairwise(terms)
        for vector in (8, 16):
            yield f"PyTorch's cascade sum with {vector} lanes", lambda vector=vector: cascade(terms, vector)
    yield "one chain", lambda: sequential(terms)
    for length in BLOCKS:
        if length < terms:
            yield f"chains of {length}, partial sums left to right", lambda length=length: blocks(terms, length)
    yield "two halves, each one chain", lambda: blocks(terms, (terms + 1) // 2)
    for count in LANES:
        if count < terms:
            yield f"{count} lanes joined in turn", lambda count=count: lanes(terms, count)
            yield f"{count} lanes joined pairwise", lambda count=count: lanes(terms, count, "pairwise")
    yield "one chain from the last term to the first", lambda: reversed_chain(terms)
    yield "pairwise", lambda: pairwise(terms)
