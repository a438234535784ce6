"""Where two functions part that compute in Python's numbers: the first number that only one of them has, and what it was made of."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from ..cases import Case
from ..cases.inputs import copied, on_device
from ..cases.sides import Side, repeatable
from ..recording.numbers import Bound, numbers_in
from ..traces.roles import Phase
from .place import MOST, OpCall, Place

DIGITS = 6
"""Numbers that agree in six digits are the same one. Python computes in float64, where correct orders of summation agree to some 14 digits:
one pair in 10^8 of these lies on either side of a boundary between two numbers of six digits."""

NEAR = 10.0 ** (1 - DIGITS)
"""One unit in the last of these digits, in a number that begins with 1. NumPy code that returns an array is watched too, and rounds in
float32: results so near to each other are made of numbers that such digits can't tell apart."""


def place_of_numbers(case: Case) -> Place | None:
    """Where the numbers of the two sides of a case part; each is run once more, watched.

    Args:
        case: one that no op of PyTorch tells apart. Its results differ by more than rounding.
    """
    return place_in_numbers(*(_watched(side, case) for side in (case.actual, case.expected)))


def place_in_numbers(actual: Sequence[Bound], expected: Sequence[Bound]) -> Place | None:
    """Where the numbers of two functions part.

    Args:
        actual, expected: the numbers that their statements gave.

    Returns:
        Of each side the first numbers that the other doesn't have, of those that made what it returned; None where both return the same,
        or nothing was seen.
    """
    if not actual or not expected:
        return None
    keys = [[_key(bound) for bound in side] for side in (actual, expected)]
    if keys[0][-1] == keys[1][-1] or _are_near(actual[-1].values, expected[-1].values):
        return None
    blocks = SequenceMatcher(None, *keys, autojunk=False).get_matching_blocks()
    shared = [{start + step for start, step in _steps(blocks, side)} for side in (0, 1)]
    parts = [_first_own(side, known) for side, known in zip((actual, expected), shared)]
    names = {bound.name for bound in parts[0]} & {bound.name for bound in parts[1]}
    parts = [sorted(part, key=lambda bound: bound.name in names) for part in parts]  # a name of both, with two values, is told last
    calls = [tuple(OpCall(f"python.{bound.name}", "", bound.source, (("value", _shown(bound)),)) for bound in part) for part in parts]
    return Place("", calls[1][-1].op, Phase.FORWARD, calls[1][-1].source, calls[1], calls[0])


def _are_near(here: Sequence[float], there: Sequence[float]) -> bool:
    """Whether they differ as results in float32 may, beside the largest of them: numbers in six digits tell nothing then."""
    largest = max(map(abs, (*here, *there)), default=0.0)
    return len(here) == len(there) and all(abs(one - other) <= NEAR * largest for one, other in zip(here, there))


def _steps(blocks: Sequence[tuple[int, int, int]], side: int) -> list[tuple[int, int]]:
    return [(block[side], step) for block in blocks for step in range(block[2])]


def _first_own(side: Sequence[Bound], shared: set[int]) -> list[Bound]:
    """The numbers of one side only that were made of numbers that both have, and that the last one depends on: the nearest, in order."""
    found: set[int] = set()
    seen: set[int] = set()
    waiting = [len(side) - 1]
    while waiting and len(found) < MOST:
        number = waiting.pop(0)
        if number in seen:
            continue
        seen.add(number)
        own = [source for source in side[number].reads if source not in shared]
        waiting += own
        if not own:
            found.add(number)
    return [side[number] for number in sorted(found)]


def _key(bound: Bound) -> tuple[str, ...]:
    return tuple(f"{value:.{DIGITS}g}" for value in bound.values)


def _shown(bound: Bound) -> str:
    values = [f"{value:.6g}" for value in bound.values[:4]]
    return values[0] if len(bound.values) == 1 else f"[{', '.join(values)}{', ...' if len(bound.values) > 4 else ''}]"


def _watched(side: Side, case: Case) -> list[Bound]:
    if side.stored is not None:
        return []
    own, named = on_device(copied((case.inputs, case.keywords)), side.device)
    function = side.eager.function
    with side.unchanged(), repeatable(case.seed):
        return numbers_in(lambda: function(*own, **named))
