"""Families: the orders that many implementations share, by name.

A dozen orders cover most of what libraries do: a plain loop, blocks of the summed axis (matrix products), interleaved lanes (vector
instructions), pairwise sums. Results that agree with one of them in every bit are explained by it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from .tree import Tree

BLOCKS = (128, 192, 256, 320, 384, 512)
"""Block lengths along the summed axis found in BLAS libraries: 128 and 192 (MKL), 256 (MLAS), 320 (OpenBLAS), 384 (BLIS, MKL for float64),
512 (XLA)."""

LANES = (4, 8, 16, 32)
EXTRA_PLACES = ("first", "last", "after the first block")


class Additions:
    """Writes down additions one by one, as `Tree.from_nodes` takes them."""

    def __init__(self, terms: int, extras: int = 0) -> None:
        self.terms, self.extras = terms, extras
        self.children: list[tuple[int, ...]] = []

    def add(self, *members: int) -> int:
        """Adds these; returns the number of the sum."""
        self.children.append(members)
        return self.terms + self.extras + len(self.children) - 1

    def chain(self, members: Sequence[int]) -> int:
        """Adds these from left to right."""
        total = members[0]
        for each in members[1:]:
            total = self.add(total, each)
        return total

    def pairwise(self, members: Sequence[int]) -> int:
        """Adds neighbors, then neighbors of those sums, and so on; an odd one out waits."""
        row = list(members)
        while len(row) > 1:
            row = [self.add(*row[place : place + 2]) if place + 1 < len(row) else row[place] for place in range(0, len(row), 2)]
        return row[0]

    def tree(self) -> Tree:
        """The tree of all that was added."""
        return Tree.from_nodes(self.terms, self.extras, self.children)


def sequential(terms: int, extras: int = 0, place: str = "last") -> Tree:
    """One chain from the first term to the last; extra leaves first or last."""
    written = Additions(terms, extras)
    beside = list(range(terms, terms + extras))
    members = [*beside, *range(terms)] if place == "first" else [*range(terms), *beside]
    written.chain(members)
    return written.tree()


def blocks(terms: int, length: int, extras: int = 0, place: str = "last") -> Tree:
    """Chains over blocks of consecutive terms, partial sums added left to right."""
    written = Additions(terms, extras)
    beside = list(range(terms, terms + extras))
    sums = [written.chain(range(start, min(start + length, terms))) for start in range(0, terms, length)]
    at = {"first": 0, "after the first block": 1, "last": len(sums)}[place]
    written.chain([*sums[:at], *beside, *sums[at:]])
    return written.tree()


def lanes(terms: int, count: int, joined: str = "in turn") -> Tree:
    """Lane c adds terms c, c + count, ... ; lanes are joined "in turn" or "pairwise"; what is left over is added last."""
    written = Additions(terms)
    whole = terms - terms % count
    if not whole:
        return sequential(terms)
    sums = [written.chain(range(lane, whole, count)) for lane in range(count)]
    total = written.pairwise(sums) if joined == "pairwise" else written.chain(sums)
    written.chain([total, *range(whole, terms)])
    return written.tree()


def pairwise(terms: int) -> Tree:
    """Neighbors first, then neighbors of those sums."""
    written = Additions(terms)
    written.pairwise(range(terms))
    return written.tree()


def numpy_pairwise(terms: int) -> Tree:
    """np.sum over a contiguous axis: halves (multiples of 8) down to 128 terms, there eight interleaved lanes.

    References:
        NumPy, numpy/_core/src/umath/loops_utils.h.src, `pairwise_sum`.
    """
    written = Additions(terms)

    def part(start: int, count: int) -> int:
        if count < 8:
            return written.chain(range(start, start + count))
        if count <= 128:
            whole = count - count % 8
            lane = [written.chain(range(start + each, start + whole, 8)) for each in range(8)]
            total = written.pairwise(lane)
            return written.chain([total, *range(start + whole, start + count)])
        half = count // 2
        half -= half % 8
        return written.add(part(start, half), part(start + half, count - half))

    part(0, terms)
    return written.tree()


def cascade(terms: int, vector: int = 8, unrolled: int = 4) -> Tree:
    """torch.sum over a contiguous axis: `unrolled` accumulators of `vector` lanes, in a cascade of four levels.

    References:
        PyTorch, aten/src/ATen/native/cpu/SumKernel.cpp, `cascade_sum`, `multi_row_sum`.
    """
    written = Additions(terms)
    vector = vector if terms >= vector else 1
    rows = terms // vector
    lane_sums = [_cascade_lane(written, lane, vector, rows, unrolled) for lane in range(vector)] if rows else []
    rest = list(range(rows * vector, terms))
    total = None
    for each in [*rest, *lane_sums] if rest else lane_sums:
        total = each if total is None else written.add(total, each)
    return written.tree()


def _cascade_lane(written: Additions, lane: int, vector: int, rows: int, unrolled: int) -> int:
    """One lane: its vectors are dealt to `unrolled` accumulators, each with four levels; levels and accumulators are joined at the end."""
    levels = 4
    steps = rows // unrolled
    power = max(4, (max(steps, 1) - 1).bit_length() // levels if steps > 1 else 0)
    accumulators: list[list[int | None]] = [[None] * unrolled for _ in range(levels)]

    def put(level: int, chain: int, value: int) -> None:
        held = accumulators[level][chain]
        accumulators[level][chain] = value if held is None else written.add(held, value)

    for step in range(steps):
        for chain in range(unrolled):
            put(0, chain, (step * unrolled + chain) * vector + lane)
        done = step + 1
        for level in range(1, levels):
            if done % (1 << (power * level)):
                break
            for chain in range(unrolled):
                value = accumulators[level - 1][chain]
                if value is not None:
                    put(level, chain, value)
                accumulators[level - 1][chain] = None
    for level in range(1, levels):
        for chain in range(unrolled):
            value = accumulators[level][chain]
            if value is not None:
                put(0, chain, value)
    for row in range(steps * unrolled, rows):
        put(0, 0, row * vector + lane)
    return written.chain([each for each in accumulators[0] if each is not None])


def candidates(terms: int, extras: int = 0, *, products: bool) -> Iterator[tuple[str, Callable[[], Tree]]]:
    """The families for this many terms: a name in words and what makes the tree. Shorter than a block, blocks are the sequential order."""
    if extras:
        for place in EXTRA_PLACES[:2]:
            yield f"one chain, extra {place}", lambda place=place: sequential(terms, extras, place)
        for length in BLOCKS:
            for place in EXTRA_PLACES if length < terms else ():
                yield f"chains of {length}, extra {place}", lambda length=length, place=place: blocks(terms, length, extras, place)
        return
    yield "one chain", lambda: sequential(terms)
    for length in BLOCKS:
        if length < terms:
            yield f"chains of {length}, partial sums left to right", lambda length=length: blocks(terms, length)
    for count in LANES:
        if count < terms:
            yield f"{count} lanes joined in turn", lambda count=count: lanes(terms, count)
            yield f"{count} lanes joined pairwise", lambda count=count: lanes(terms, count, "pairwise")
    if not products:
        yield "NumPy's pairwise sum", lambda: numpy_pairwise(terms)
        for vector in (8, 16):
            yield f"PyTorch's cascade sum with {vector} lanes", lambda vector=vector: cascade(terms, vector)
    yield "pairwise", lambda: pairwise(terms)
