"""From a walk to an answer: what two traces have in common, where the difference starts, and the words for it."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..floats import Format, format_named
from ..ops import record_of
from ..traces import Step, Trace
from ..traces.fingerprint import LIBRARY
from ..traces.roles import Phase, Role
from ..verdicts.verdict import Verdict
from ..words.numbers import times_of
from ..words.stage import Stage
from .alignment import Alignment
from .collectives import Peers
from .counterpart import MatchedBy
from .hashes import walk_hashes
from .ledger import Suspect, SuspectState, Walk
from .nonfinite import first_nonfinite
from .origin import Origin
from .place import made_since, op_in, place_of
from .ranks import first_of_ranks
from .walker import NORMWISE, Walker


def locate_in_traces(
    actual: Trace,
    expected: Trace,
    *,
    declared: str | Format | None = None,
    rename: Mapping[str, str] | None = None,
    progress: Callable[[str], None] | None = None,
    ends: Callable[[], bool] | None = None,
) -> Origin:
    """`locate` for two traces; `ends` is asked before each op whether the walk is to end there."""
    if (actual.level, expected.level) != ("tensors", "tensors"):
        return _by_hashes(actual, expected, Alignment(actual, expected, rename), *_common(actual, expected, declared))
    walker, walk = walk_traces(actual, expected, declared=declared, rename=rename, progress=progress, ends=ends)
    return _concluded(walker, walk, *_common(actual, expected, declared))


def locate_in_ranks(
    actual: Path,
    expected: Path,
    *,
    declared: str | Format | None = None,
    rename: Mapping[str, str] | None = None,
    progress: Callable[[str], None] | None = None,
) -> Origin:
    """`locate` for two folders with the traces of all ranks of a distributed run."""

    def walked(actual_trace: Trace, expected_trace: Trace, peers: Peers) -> tuple[Walker, Origin]:
        walker, walk = walk_traces(actual_trace, expected_trace, declared=declared, rename=rename, progress=progress, peers=peers)
        return walker, _concluded(walker, walk, *_common(actual_trace, expected_trace, declared))

    return first_of_ranks(actual, expected, walked)


def _common(actual: Trace, expected: Trace, declared: str | Format | None) -> tuple[dict[str, Any], list[str]]:
    """What is said of two traces whatever the walk finds, and notes on them."""
    common: dict[str, Any] = {
        "nonfinite": tuple(
            nonfinite for nonfinite in (first_nonfinite("actual", actual), first_nonfinite("expected", expected)) if nonfinite is not None
        ),
        "settings": tuple(entry for entry in actual.fingerprint.differences(expected.fingerprint) if not _is_unrecorded(*entry)),
        "declared": format_named(declared).name if declared is not None else "",
    }
    sides = (("actual", actual), ("expected", expected))
    notes = [f"{side}: {note}" for side, trace in sides for note in trace.notes]
    notes += [f"{side}: the recording is partial, because the run did not finish" for side, trace in sides if trace.is_partial]
    if not common["settings"] and is_repetition(actual, expected):
        notes.append(REPETITION)
    return common, notes


def _is_unrecorded(name: str, here: str, there: str) -> bool:
    """Whether it is the hash of inputs or weights that one side was not seen to use: no setting that differs."""
    return name.startswith("run: ") and "-" in (here, there)


REPETITION = "both sides have the same program, weights, inputs and settings, so any difference is nondeterminism"
"""What is said of two recordings of one thing."""


def is_repetition(actual: Trace, expected: Trace) -> bool:
    """Whether both recorded the same ops with the same arguments on the same numbers, and nothing else made their results.

    A transcript has no attributes of its ops (an epsilon, a factor), so two that look the same may be of different programs.
    """
    if any(LIBRARY in trace.fingerprint.sections for trace in (actual, expected)):
        return False
    calls = [[(step.op, step.arguments, step.keywords) for step in trace.ops] for trace in (actual, expected)]
    return calls[0] == calls[1] and _leaf_bits(actual) == _leaf_bits(expected) and not any(map(is_made_elsewhere, (actual, expected)))


def is_made_elsewhere(trace: Trace) -> bool:
    """Whether a result comes from neither an op nor what was there before: it was made of Python numbers, or by another library."""
    results = [number for name, number in trace.named.items() if name.startswith("output")]
    there = (Role.INPUT, Role.PARAMETER, Role.BUFFER)
    return any(number not in trace.producers and trace.values[number].role not in there for number in results)


def _leaf_bits(trace: Trace) -> dict[tuple[str, str], str]:
    """Name -> hash of what was there before the first op wrote to it."""
    found: dict[tuple[str, str], str] = {}
    for value in trace.values:
        if value.role in (Role.INPUT, Role.PARAMETER, Role.BUFFER):
            found.setdefault((value.role, value.name), value.hash)
    return found


def walk_traces(
    actual: Trace,
    expected: Trace,
    *,
    declared: str | Format | None = None,
    rename: Mapping[str, str] | None = None,
    progress: Callable[[str], None] | None = None,
    peers: Peers | None = None,
    ends: Callable[[], bool] | None = None,
) -> tuple[Walker, Walk]:
    """The walk itself, for what needs more than its conclusion."""

    def told(place: int, count: int) -> None:
        if progress is not None and place % 16 == 0:
            progress(Stage(f"comparing op {place} of {count}", place, count))

    format = format_named(declared) if declared is not None else None
    walker = Walker(
        actual, expected, Alignment(actual, expected, rename), declared=format, fallback=_torch_fallback(), progress=told, peers=peers,
        ends=ends,
    )  # fmt: skip
    return walker, walker.run()


def _torch_fallback() -> Any:
    if importlib.util.find_spec("torch") is None:
        return None
    from .torch_replay import evaluate_with_torch

    return evaluate_with_torch


def _by_hashes(actual: Trace, expected: Trace, alignment: Alignment, common: dict[str, Any], notes: list[str]) -> Origin:
    points = walk_hashes(actual, expected, alignment)
    first = next((point for point in points if point.total > 0.0), None)
    notes.append(
        "the traces hold no elements, so what an op adds can't be separated from what it inherited; record with level='tensors' to see it"
    )
    if not points:
        return Origin(
            None,
            "",
            "",
            "",
            verdict=Verdict.UNDECIDED,
            added=0.0,
            inherited=0.0,
            because="No value of one side has a counterpart in the other.",
            walk=(),
            notes=tuple(notes),
            **common,
        )
    if first is None:
        compared = "The only value with a counterpart has" if len(points) == 1 else f"All {len(points)} values with a counterpart have"
        because = f"{compared} the same bits."
        return Origin(
            None,
            "",
            "",
            "",
            verdict=Verdict.IDENTICAL,
            added=0.0,
            inherited=0.0,
            because=because,
            walk=points,
            notes=_without_repetition(notes),
            **common,
        )
    because = f"Bits first differ at {op_in(first.op, first.module)}; hashes can't show whether that is rounding."
    return Origin(
        None, first.op, first.phase, first.source, verdict=Verdict.UNDECIDED, added=0.0, inherited=0.0, because=because, walk=points,
        first_bits=first, notes=tuple(notes), point=first, **common,
    )  # fmt: skip


def _without_repetition(notes: list[str]) -> tuple[str, ...]:
    """Where every bit agrees nothing is to be said about determinism."""
    return tuple(note for note in notes if note != REPETITION)


def _concluded(walker: Walker, walk: Walk, common: dict[str, Any], notes: list[str]) -> Origin:
    right = walk.standing
    common |= {
        "walk": tuple(walk.points),
        "first_bits": next((point for point in walk.points if point.total > 0.0), None),
        "unaligned": tuple(_unaligned(walker, walk)),
        "complete": walk.complete,
    }
    notes += list(dict.fromkeys(walk.notes))
    if right:
        first = next((suspect for suspect in right if NORMWISE not in suspect.point.note), right[0])
        point = first.point
        steps = _at_fault(walker, first)
        segment = tuple(f"{step.op} in {step.module or '(outermost)'}" for step in steps)
        module = point.module if steps == (first.step,) else _common_module(steps, point.phase) or point.module
        modules = tuple(dict.fromkeys(step.module for step in (*walker.parts_before(first.step), *steps)))
        seen = steps[-1] if steps[-1].source else first.step
        place = place_of(
            walker.actual, walker.expected, made_since(walker.actual, first.candidate, walk.matched.__contains__),
            made_since(walker.expected, first.number, walker.is_seen), module=module, seen=seen,
        )  # fmt: skip
        return Origin(
            module, steps[-1].op, point.phase, steps[-1].source or point.source,
            verdict=Verdict.NONDETERMINISTIC if REPETITION in notes else point.verdict or Verdict.MISTAKE,
            added=point.added, inherited=point.inherited, because=_because(first, segment),
            more=tuple(suspect.point for suspect in right if suspect is not first),
            segment=segment, notes=tuple(notes), point=point, place=place,
            between=modules if len(modules) > 1 else (), **common,
        )  # fmt: skip
    resized = _resized(walker)
    if resized:
        return _at_output(walker, walk, resized, common, notes)
    open_question = _unanswered(walker, walk)
    if open_question:
        return Origin(
            None, "", "", "", verdict=Verdict.UNDECIDED, added=0.0, inherited=0.0, because=open_question, notes=tuple(notes), **common
        )
    verdict = Verdict.ROUNDING if common["first_bits"] is not None else Verdict.IDENTICAL
    because = "Every value with a counterpart has the same bits." if verdict is Verdict.IDENTICAL else _nothing_more(walk)
    said = _without_repetition(notes) if verdict is Verdict.IDENTICAL else tuple(notes)
    return Origin(None, "", "", "", verdict=verdict, added=0.0, inherited=0.0, because=because, notes=said, **common)


def _resized(walker: Walker) -> str:
    """The first output that has no counterpart because the one of its name in `actual` has another shape; "" for none."""
    for name in _results(walker):
        number, actual_number = walker.expected.named[name], walker.actual.named.get(name)
        if actual_number is not None and walker.is_lost(number) and _shape(walker.actual, actual_number) != _shape(walker.expected, number):
            return name
    return ""


def _shape(trace: Trace, number: int) -> tuple[int, ...]:
    return tuple(trace.values[number].shape)


def _at_output(walker: Walker, walk: Walk, name: str, common: dict[str, Any], notes: list[str]) -> Origin:
    """The origin of an output of another shape: somewhere in the ops that make it from the last values that both sides have."""
    number, actual_number = walker.expected.named[name], walker.actual.named[name]
    here = made_since(walker.actual, actual_number, walk.matched.__contains__)
    there = made_since(walker.expected, number, walker.is_seen)
    returned = "." if there else ", where it is an input that is returned unchanged."
    because = (
        f"{name} has shape {_shape(walker.actual, actual_number)} in actual and {_shape(walker.expected, number)} in expected{returned}"
    )
    if not there:  # an input is returned
        return Origin(
            "", "", "", "", verdict=Verdict.MISTAKE, added=0.0, inherited=0.0, because=because, notes=tuple(notes), **common
        )  # fmt: skip
    module, last = _common_module(tuple(there), there[-1].phase), there[-1]
    return Origin(
        module, last.op, last.phase, last.source, verdict=Verdict.MISTAKE, added=0.0, inherited=0.0, because=because, notes=tuple(notes),
        place=place_of(walker.actual, walker.expected, here, there, module=module, seen=last), **common,
    )  # fmt: skip


def _nothing_more(walk: Walk) -> str:
    largest = max(walk.points, key=lambda point: point.excess, default=None)
    if largest is None or largest.excess <= 1.0:
        most = largest.excess if largest is not None else 0.0
        return f"No op adds more than rounding: the most that one adds is {times_of(most, 2)} its limit."
    why = largest.note or "a good algorithm can add that much"
    return (
        f"Nothing is wrong: {largest.op} adds the most, {times_of(largest.excess, 2)} the limit for the usual way to compute it, but {why}."
    )


UNSEEN_GROWTH = 8.0
"""A result that can't be predicted may differ by so many times what went in before it counts as a question.

Where honest pairs could be predicted, 168 ops of forward passes made a difference at most 4.0 times larger, but for the normalization of
a constant (`benchmarks.origins.calibrate`)."""

UNSEEN_GROWTH_BACKWARD = 4096.0
"""The same of a gradient, whose terms cancel by nature: there the largest was 1,170."""

UNSEEN_ROUNDINGS = 64.0
"""And by so many u: more than one op's own rounding comes to (16 ulps of a library function are 32 u)."""


def _unanswered(walker: Walker, walk: Walk) -> str:
    """What was seen of the difference, but could not be judged, in a sentence; "" for nothing."""
    names = _results(walker)
    lost = [name for name in names if name.startswith("output") and walker.is_lost(walker.expected.named[name])]
    if lost:
        have, were = ("has", "it was") if len(lost) == 1 else ("have", "they were")
        return f"{', '.join(lost)} of expected {have} no counterpart in actual, so {were} not judged."
    for point in walk.points:
        if point.counterpart != MatchedBy.GIVEN or point.verdict is not None:
            continue
        step = walker.expected.steps[point.step]
        if record_of(step.name).unwritten:
            continue
        before = max((walker.ledger.totals.get(number, 0.0) for number in step.inputs), default=0.0)
        rounding = UNSEEN_ROUNDINGS * max(
            (walker.format_of(number).unit_roundoff for number in step.outputs if number is not None), default=0.0
        )
        growth = UNSEEN_GROWTH if point.phase == Phase.FORWARD else UNSEEN_GROWTH_BACKWARD
        if point.total > max(rounding, growth * before):
            return (
                f"{op_in(point.op, point.module)} could not be evaluated ({point.note or 'no formula'}). "
                f"The relative difference is {point.total:.2g} in its result and {before:.2g} in its inputs; "
                "halfulp can't tell whether that is rounding."
            )
    differing = [name for name in names if _differs(walker, name)]
    unseen = [name for name in differing if not _was_compared(walker, walk, walker.actual.named[name])]
    if unseen:
        last = f"after {walk.points[-1].op}" if walk.points else "before the first op with a counterpart"
        return (
            f"The ops with a counterpart add no more than rounding, but {', '.join(unseen)} "
            f"{'differs' if len(unseen) == 1 else 'differ'}: the difference arises {last}, in ops "
            "of `actual` without a counterpart."
        )
    return ""


def _was_compared(walker: Walker, walk: Walk, number: int) -> bool:
    """Whether a value of `actual`, or what it is a view of, stands for something; True for what no recorded op made."""
    values, producers = walker.actual.values, walker.actual.producers
    while number not in walk.matched:
        made_by = producers.get(number)
        if made_by is None:
            return True
        if values[number].hash or len(made_by.inputs) != 1:
            return False
        number = made_by.inputs[0]
    return True


def _results(walker: Walker) -> list[str]:
    """Names of outputs and gradients that both sides have, or `expected` alone."""
    return [name for name in walker.expected.named if name.startswith("output") or name.endswith(".grad")]


def _differs(walker: Walker, name: str) -> bool:
    """Whether a result's elements are not the same on both sides; False where `actual` has none of that name."""
    number, actual_number = walker.expected.named[name], walker.actual.named.get(name)
    if actual_number is None:
        return False
    expected_value, actual_value = walker.expected.values[number], walker.actual.values[actual_number]
    is_same = (
        expected_value.hash == actual_value.hash
        if expected_value.hash and actual_value.hash
        else walker.same_numbers(actual_number, number)
    )
    return not is_same or (expected_value.dtype, expected_value.elements) != (actual_value.dtype, actual_value.elements)


def _because(suspect: Suspect, segment: tuple[str, ...]) -> str:
    addition, point = suspect.addition, suspect.point
    if suspect.state == SuspectState.RIGHT and suspect.addition.excess.of_limit == float("inf") and "itself differs" in point.note:
        return point.note[0].upper() + point.note[1:] + f" (by {point.added:.2g} of its size, rms)."
    if addition.residual.nonfinite:
        what = "NaN or infinity is in places where the formula gives none on the same inputs"
    elif addition.excess.in_noise == float("inf"):
        what = f"it adds a relative error of {point.added:.2g} where rounding changes nothing"
    else:
        what = f"given the inputs that it has in `actual`, it adds a relative error of {point.added:.2g}, {addition.excess.words()}"
    inherited = f"; {point.inherited:.2g} was inherited" if point.inherited else "; nothing was inherited"
    precision = f"; {point.note}" if point.note else ""
    inside = f" (somewhere in the {len(segment)} ops since the last value that both sides share)" if len(segment) > 1 else ""
    return what[0].upper() + what[1:] + inherited + precision + inside + "."


def _at_fault(walker: Walker, suspect: Suspect) -> tuple[Step, ...]:
    """The ops that may be: from the last values that both sides have to the suspect. A view only shows what others made."""
    steps = (*walker.unseen_before(suspect.step), suspect.step)
    values = walker.expected.values
    computing = tuple(step for step in steps if any(values[n].hash for n in step.outputs if n is not None))
    return computing or steps


def _common_module(steps: tuple[Step, ...], phase: str) -> str:
    # Of an optimizer's ops only those on parameters have a module.
    paths = [step.module.split(".") for step in steps if step.module or phase != Phase.STEP]
    shared: list[str] = []
    for parts in zip(*paths):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    return ".".join(shared)


def _unaligned(walker: Walker, walk: Walk) -> list[tuple[str, str, str]]:
    producers = walker.actual.producers
    aligned = {point.step for point in walk.points if point.counterpart != MatchedBy.NONE}
    found = [
        ("expected", point.op, point.module) for point in walk.points if point.counterpart == MatchedBy.NONE and point.step not in aligned
    ]
    matched = walk.matched | {suspect.candidate for suspect in walk.suspects.values() if suspect.stands}
    used = {producers[number].index for number in matched if number in producers}
    for value in walker.actual.values:
        step: Step | None = producers.get(value.number)
        if step is not None and value.hash and value.number not in matched and step.index not in used:
            found.append(("actual", step.op, step.module))
    return list(dict.fromkeys(found))
