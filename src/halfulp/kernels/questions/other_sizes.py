"""Other sizes: which ones each size of a problem becomes, and which of them say the most."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..problems.problem import CHOICE

PRIMES = (2, 3, 5, 7, 13, 17, 31, 61, 97, 127, 257, 509, 1021)
"""Sizes that no block divides, about two for each power of two."""


def other_sizes(value: int, blocks: Sequence[int], steps: Sequence[int]) -> list[int]:
    """Other values for a size; if it must be a multiple of another size, the next multiples."""
    if not value:  # it is a choice, and no size
        return [1]
    prime = max((prime for prime in PRIMES if prime < value), default=0)
    multiple = -(-value // 16) * 16 + 1
    multiples = [value + sign * step for step in steps if step < value and value % step == 0 for sign in (1, -1)]
    beyond = (
        *(size for block in blocks if block > value for size in (block + 1, 2 * block + 1)),
        *(limit for limit in BEYOND if limit > value),
    )
    alike = [step for step in steps if step != value][:ALIKE_SIZES]
    halves = (value // 2, 2 * value) if any(step > value and step % value == 0 for step in steps) else ()
    none = (0,) if value <= CHOICE else ()
    few = (FEW,) if value > 2 * FEW else ()
    unlike = (UNLIKE * max(parts),) if (parts := [step for step in steps if step < value and value % step == 0]) else ()
    others = (
        value - 1, value + 1, *halves, *multiples[:4], *alike, 1, *few, *none, prime, multiple, 2 * value + 1, SEVERAL * value + 1,
        *unlike, *beyond,
    )  # fmt: skip
    return [other for other in dict.fromkeys(others) if other != value and (other > 0 or other == 0 < value)]


def next_to(limits: Collection[int], value: int) -> list[int]:
    """The limits that the problem names, and those one inside; what is outside, it excludes."""
    return [other for limit in limits for other in (limit, limit - 1, limit + 1) if other not in (0, value)]


def rank(plan: tuple[str, int, int]) -> int:
    """The most telling first: one more, several times as large, half and twice as large where it divides another, one less."""
    _, value, other = plan
    first = (value + 1, SEVERAL * value + 1, value // 2, 2 * value, value - 1)
    return first.index(other) if other in first else len(first) + (other in BEYOND)


SEVERAL = 5
"""Times a size: dividing it into a fixed number of pieces leaves a remainder."""
FEW = 5
"""Probably shorter than what slides over it, and longer than 1: when rounded up to a power of two, more than half is used."""
UNLIKE = 41
"""The smallest integer n with n * (1 / n) < 1 in float32: a quotient computed that way and truncated is one too small."""
ALIKE_SIZES = 2
"""How many of a problem's other sizes a size is made equal to: code that finds an axis by its length then finds another."""
BEYOND = ((3 << 14) + 1, (3 << 15) + 1)
"""Sizes of which a third is past the range of 16 bits, signed and unsigned, so that a chosen index may lie there."""
