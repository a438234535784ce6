"""The outputs as a whole, judged as `check` judges them: what no single op shows (a small systematic error), and what no op could tell."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from ..cases import Case
from ..differences.comparison import compare_leaves
from ..errors import HalfulpError, shortened
from ..floats import Format
from ..verdicts.checker import judged_with_modules
from ..verdicts.gatherer import Gatherer
from ..verdicts.result import CheckResult
from ..verdicts.verdict import Verdict
from ..words.numbers import times_of
from .counterpart import MatchedBy
from .origin import Origin, Point
from .place import op_in
from .python_numbers import place_of_numbers
from .walker import NORMWISE

LEFT = 0.1
"""An op whose error lost a digit on its way to the outputs may have been made up for: then the whole is asked."""


def with_the_whole(origin: Origin, case: Callable[[], Case], finest: Format, progress: Callable[[str], None] | None) -> Origin:
    """An origin that says nothing else than what `check` says of the same two functions.

    Args:
        origin: what the walk found.
        case: makes the case that `check` would judge.
        finest: the finest format that `expected` computes in.
        progress: called with a few words before each step that takes time.

    Returns:
        The origin as it was where both agree. UNDECIDED where no op adds more than rounding and the whole is beyond it. The verdict on the
        whole where that is acceptable: an op could not be judged, or what it adds is taken off again (a bias before a normalization).
    """
    if not origin.complete:
        return origin
    try:
        made = case()
        if origin.acceptable is False and not _may_be_harmless(origin, made, finest):
            return origin
        is_identical = origin.verdict is Verdict.IDENTICAL
        if is_identical and _same_bits(made):
            return origin
        whole = judged_with_modules(Gatherer(made, progress or (lambda _: None)))
    except HalfulpError as error:
        return dataclasses.replace(
            origin, notes=(*origin.notes, f"the outputs could not be judged as a whole: {shortened(str(error), lines=1, characters=160)}")
        )
    if not is_identical and (whole.acceptable is None or whole.acceptable == origin.acceptable):
        return origin
    # Another dtype is no error of an op, and what is random in both was drawn from the same seed: the walk compares numbers.
    if not is_identical and whole.because[:1] in (("structure",), ("repetition",)):
        return dataclasses.replace(origin, notes=(*origin.notes, f"check says: {whole.reason}"))
    if origin.acceptable is False:
        where = op_in(origin.op, origin.module or "")
        because = (
            f"The outputs as a whole are judged {whole.verdict.name}: {whole.reason} What {where} adds by itself "
            f"({origin.verdict.name}) makes no difference in the end."
        )
        return dataclasses.replace(
            origin, verdict=whole.verdict, because=because, module=None, op="", phase="", source="", added=0.0, inherited=0.0, point=None,
            more=(), segment=(),
        )  # fmt: skip
    if whole.acceptable is not False:
        because = f"{origin.because.rstrip('.')}. The outputs as a whole are judged {whole.verdict.name}: {whole.reason}"
        return dataclasses.replace(origin, verdict=whole.verdict, because=because)
    excused = next((point for point in origin.walk if point.excess > 1.0 and point.verdict is Verdict.ROUNDING), None)
    if excused is not None:
        because = (
            f"It adds {times_of(excused.excess, 2)} the limit for the usual way to compute it, as some good algorithms do, but the "
            "outputs as a whole are not "
            f"acceptable. check says: {whole.reason}"
        )
        return _at(origin, excused, whole.verdict, because)
    standing_out = _standing_out(origin)
    if whole.verdict is Verdict.MISTAKE and standing_out is not None:
        because = (
            f"It adds {times_of(standing_out.excess, 2)} its limit, and no other module adds half as much. The outputs as a whole are not "
            f"acceptable. check says: {whole.reason}"
        )
        return _at(origin, standing_out, whole.verdict, because)
    place = place_of_numbers(made) if whole.verdict is Verdict.MISTAKE else None
    if place is not None:
        because = (
            f"No PyTorch op differs before the results, but plain Python numbers do: the number that {place.source} computes doesn't "
            "occur in actual. check "
            f"says: {whole.reason}"
        )
        return dataclasses.replace(
            origin, verdict=whole.verdict, module="", op=place.op, phase=place.phase, source=place.source, because=because, place=place
        )  # fmt: skip
    return dataclasses.replace(origin, verdict=Verdict.UNDECIDED, because=_no_op_alone(origin, whole))


NEAR = 0.5
"""Share of its limit that an op has to add to be named for a mistake that only the whole shows. That there is one is certain by then: only
whether a place is named is chosen here. The two such faults of `benchmarks.real_models` ("epsilon of a group norm") add 0.66 and 0.95."""

STANDS_OUT = 2.0
"""How many times more of its limit it adds than an op of any other module; those two stand out 2.7 and 5.8 times."""


def _at(origin: Origin, point: Point, verdict: Verdict, because: str) -> Origin:
    """The origin at a point of the walk."""
    return dataclasses.replace(
        origin, module=point.module, op=point.op, phase=point.phase, source=point.source, verdict=verdict, added=point.added,
        inherited=point.inherited, because=because, point=point,
    )  # fmt: skip


def _standing_out(origin: Origin) -> Point | None:
    """The op that adds far more of its limit than those of any other module; None where there is none."""
    largest = max(origin.walk, key=lambda point: point.excess, default=None)
    if largest is None or not NEAR <= largest.excess < float("inf"):
        return None
    others = max((point.excess for point in origin.walk if point.module != largest.module), default=0.0)
    return largest if largest.excess >= STANDS_OUT * others else None


def _may_be_harmless(origin: Origin, case: Case, finest: Format) -> bool:
    """Whether the outputs may be right although an op is not.

    It computes in a coarser format than `expected`, which is finer there than what is declared; or less than a tenth of what it adds is
    left in the end; or no element is off by more than an ulp of the largest. A parameter that differs is another one, whether it shows or
    not.
    """
    if origin.point is not None and "itself differs" in origin.point.note:
        return False
    if origin.point is not None and NORMWISE in origin.point.note and not origin.more:
        return True
    left = max((point.total for point in origin.walk if point.counterpart is MatchedBy.OUTPUT), default=0.0)
    if left <= LEFT * origin.added:
        return True
    return origin.verdict is Verdict.REDUCED_PRECISION and case.declared.precision_bits < finest.precision_bits


def _same_bits(case: Case) -> bool:
    """Whether what is returned agrees: recording sees tensors, and a function may also return arrays and numbers."""
    return compare_leaves(case.native("actual").outputs, case.native("expected").outputs).same_bits


def _no_op_alone(origin: Origin, whole: CheckResult) -> str:
    """The whole is beyond rounding, and no op by itself: where the rest lies."""
    largest = max(origin.walk, key=lambda point: point.excess, default=None)
    first = _named(origin.first_bits) if origin.first_bits is not None else "the inputs"
    most = (
        f" {_named(largest)} adds the most, {times_of(largest.excess, 2)} the limit for the usual way to compute it."
        if largest is not None and largest.excess
        else ""
    )
    return (
        f"The outputs as a whole are not acceptable ({whole.verdict.name}), but no single op adds more than rounding, so the fault lies "
        f"between {first} and the outputs.{most} check says: {whole.reason}"
    )


def _named(point: Point) -> str:
    return op_in(point.op, point.module)
