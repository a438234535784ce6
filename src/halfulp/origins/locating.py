"""locate(actual, expected): the first op that adds more than rounding. From two traces, or from two callables that are recorded first."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..floats import Format, format_named
from ..traces import Step, Trace, read_trace
from ..verdicts.verdict import Verdict
from .aligning import Alignment
from .collectives import Peers
from .hashes import walk_hashes
from .ledger import Suspect, Walk
from .nonfinite import first_nonfinite
from .origin import Origin
from .ranks import first_of_ranks, is_distributed
from .walking import Walker

Traced = Trace | str | os.PathLike[str]


def locate(
    actual: Any,
    expected: Any,
    inputs: Any = None,
    *,
    declared: str | None = None,
    gradients: bool = False,
    rename: Mapping[str, str] | None = None,
    keywords: Mapping[str, Any] | None = None,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> Origin:
    """Where two implementations begin to differ by more than rounding: which module, which op, and what that op adds by itself.

    Args:
        actual, expected: two traces (or the folders of two), or two callables. `nn.Module`s and functions are run once each on the inputs
            and recorded; nothing of their state is changed.
        inputs: for callables: a tuple or list of arguments; anything else is the only argument.
        declared: the precision that `actual` is entitled to; default: that of each result in `expected`.
        gradients: for callables: also run and walk the backward pass.
        rename: patterns of module paths in `expected` -> in `actual` (`encoder.layer.*` -> `blocks.*`), where names can't be guessed.
        keywords: for callables: keyword arguments. seed: for callables: where random numbers start, the same on both sides.
        progress: called with a word about what is going on.

    Returns:
        An Origin. `.module` is None where nothing adds more than rounding.

    Raises:
        InputError: a trace and a callable mixed, inputs that are missing or not wanted. TraceError: a trace that can't be read.
        RunError: one of the two callables raised.

    Numerics:
        Each op of `expected` is evaluated in float64 on the numbers that `actual` had at that place; what `actual` made of them is
        compared with that, in units of how far rounding spreads the op (8 samples). The limits are those of `check`. What is inherited
        from earlier ops does therefore not count, whatever they amplify.

    Example:
        >>> import copy, torch, halfulp
        >>> expected = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.LayerNorm(8), torch.nn.Linear(8, 2))
        >>> actual = copy.deepcopy(expected)
        >>> actual[1].eps = 1e-3
        >>> halfulp.locate(actual, expected, torch.randn(4, 8)).module
        '1'
    """
    traces = [isinstance(each, (Trace, str, os.PathLike)) for each in (actual, expected)]
    if all(traces):
        if inputs is not None or keywords is not None or gradients:
            raise InputError(
                "Got two traces and inputs (or gradients=True). Needed: traces alone. What they hold was computed when they were recorded. "
                "Leave the other arguments out, or record with gradients=True."
            )
        if is_distributed(actual) and is_distributed(expected):
            return locate_in_ranks(Path(actual), Path(expected), declared=declared, rename=rename, progress=progress)
        return locate_in_traces(_opened(actual), _opened(expected), declared=declared, rename=rename, progress=progress)
    if any(traces) or not (callable(actual) and callable(expected)):
        raise InputError(
            f"Got {type(actual).__name__} and {type(expected).__name__}. Needed: two traces, or two callables with inputs. "
            "Both sides have to be of one kind to be walked together. Record the callable first: halfulp.record(model, inputs, "
            "'run.trace')."
        )
    if inputs is None:
        raise InputError(
            "Got two callables and no inputs. Needed: the arguments to run them on. Both are recorded once. Pass them as the third "
            "argument."
        )
    from .running import locate_in_functions

    return locate_in_functions(
        actual, expected, inputs, declared=declared, gradients=gradients, rename=rename, keywords=keywords, seed=seed, progress=progress
    )


def _opened(trace: Traced) -> Trace:
    return trace if isinstance(trace, Trace) else read_trace(Path(trace))


def locate_in_traces(
    actual: Trace,
    expected: Trace,
    *,
    declared: str | Format | None = None,
    rename: Mapping[str, str] | None = None,
    progress: Callable[[str], None] | None = None,
) -> Origin:
    """`locate` for two traces."""
    if (actual.level, expected.level) != ("tensors", "tensors"):
        return _by_hashes(actual, expected, Alignment(actual, expected, rename), *_common(actual, expected, declared))
    walker, walk = walk_traces(actual, expected, declared=declared, rename=rename, progress=progress)
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

    def walked(theirs: Trace, mine: Trace, peers: Peers) -> tuple[Walker, Origin]:
        walker, walk = walk_traces(theirs, mine, declared=declared, rename=rename, progress=progress, peers=peers)
        return walker, _concluded(walker, walk, *_common(theirs, mine, declared))

    return first_of_ranks(actual, expected, walked)


def _common(actual: Trace, expected: Trace, declared: str | Format | None) -> tuple[dict[str, Any], list[str]]:
    """What is said of two traces whatever the walk finds, and notes on them."""
    common: dict[str, Any] = {
        "nonfinite": tuple(each for each in (first_nonfinite("actual", actual), first_nonfinite("expected", expected)) if each is not None),
        "settings": tuple(actual.fingerprint.differences(expected.fingerprint)),
        "declared": format_named(declared).name if declared is not None else "",
    }
    sides = (("actual", actual), ("expected", expected))
    notes = [f"{side}: {note}" for side, trace in sides for note in trace.notes]
    notes += [f"{side}: partial, the run did not end" for side, trace in sides if trace.is_partial]
    if not common["settings"] and is_repetition(actual, expected):
        notes.append(REPETITION)
    return common, notes


REPETITION = "the same program, weights, inputs and settings: whatever differs is not deterministic"
"""What is said of two recordings of one thing."""


def is_repetition(actual: Trace, expected: Trace) -> bool:
    """Whether both recorded the same ops with the same arguments on the same numbers."""
    calls = [[(each.op, each.arguments, each.keywords) for each in trace.ops] for trace in (actual, expected)]
    return calls[0] == calls[1] and _leaf_bits(actual) == _leaf_bits(expected)


def _leaf_bits(trace: Trace) -> dict[tuple[str, str], str]:
    """Name -> hash of what was there before the first op wrote to it."""
    found: dict[tuple[str, str], str] = {}
    for each in trace.values:
        if each.role in ("input", "parameter", "buffer"):
            found.setdefault((each.role, each.name), each.hash)
    return found


def walk_traces(
    actual: Trace,
    expected: Trace,
    *,
    declared: str | Format | None = None,
    rename: Mapping[str, str] | None = None,
    progress: Callable[[str], None] | None = None,
    peers: Peers | None = None,
) -> tuple[Walker, Walk]:
    """The walk itself, for what needs more than its conclusion."""

    def told(place: int, count: int) -> None:
        if progress is not None and place % 16 == 0:
            progress(f"comparing op {place} of {count}")

    format = format_named(declared) if declared is not None else None
    walker = Walker(
        actual, expected, Alignment(actual, expected, rename), declared=format, fallback=_torch_fallback(), progress=told, peers=peers
    )
    return walker, walker.run()


def _torch_fallback() -> Any:
    if importlib.util.find_spec("torch") is None:
        return None
    from .torch_replaying import evaluate_with_torch

    return evaluate_with_torch


def _by_hashes(actual: Trace, expected: Trace, alignment: Alignment, common: dict[str, Any], notes: list[str]) -> Origin:
    points = walk_hashes(actual, expected, alignment)
    first = next((each for each in points if each.total > 0.0), None)
    notes.append("recorded without elements: what an op adds can't be told from what it inherited; record with level='tensors' for that")
    if not points:
        return Origin(None, "", "", "", Verdict.UNDECIDED, 0.0, 0.0, "Nothing could be aligned.", (), notes=tuple(notes), **common)
    if first is None:
        because = f"All {len(points)} values that could be aligned have the same bits."
        return Origin(None, "", "", "", Verdict.IDENTICAL, 0.0, 0.0, because, points, notes=_without_repetition(notes), **common)
    because = f"Bits differ first at {first.op} in {first.module or 'the outermost module'}; whether that is rounding, hashes don't tell."
    return Origin(
        None, first.op, first.phase, first.source, Verdict.UNDECIDED, 0.0, 0.0, because, points, first_bits=first, notes=tuple(notes),
        point=first, **common,
    )  # fmt: skip


def _without_repetition(notes: list[str]) -> tuple[str, ...]:
    """Where every bit agrees nothing is to be said about determinism."""
    return tuple(each for each in notes if each != REPETITION)


def _concluded(walker: Walker, walk: Walk, common: dict[str, Any], notes: list[str]) -> Origin:
    right = sorted(
        (each for each in walk.suspects.values() if each.state in ("right", "final")), key=lambda each: (each.step.index, each.slot)
    )
    common |= {
        "walk": tuple(walk.points),
        "first_bits": next((each for each in walk.points if each.total > 0.0), None),
        "unaligned": tuple(_unaligned(walker, walk)),
        "complete": walk.complete,
    }
    notes += list(dict.fromkeys(walk.notes))
    if right:
        first = right[0]
        point = first.point
        steps = _at_fault(walker, first)
        segment = tuple(f"{each.op} in {each.module or '(outermost)'}" for each in steps)
        module = point.module if steps == (first.step,) else _common_module(steps, point.phase) or point.module
        return Origin(
            module, steps[-1].op, point.phase, steps[-1].source or point.source,
            Verdict.NONDETERMINISTIC if REPETITION in notes else point.verdict or Verdict.MISTAKE, point.added,
            point.inherited, _because(first, segment), more=tuple(each.point for each in right[1:]), segment=segment, notes=tuple(notes),
            point=point, **common,
        )  # fmt: skip
    unjudged = [each for each in walk.points if each.counterpart == "given" and each.verdict is None and each.total > 0.0]
    results = [number for name, number in walker.expected.named.items() if name.startswith("output")]
    lost = [number for number in results if walker.is_lost(number)]
    if lost or (unjudged and not walk.points):
        because = "Results of expected have no counterpart in actual: nothing can be said about them."
        return Origin(None, "", "", "", Verdict.UNDECIDED, 0.0, 0.0, because, notes=tuple(notes), **common)
    largest = max((each.excess for each in walk.points), default=0.0)
    verdict = Verdict.ROUNDING if common["first_bits"] is not None else Verdict.IDENTICAL
    because = (
        "Every value that could be aligned has the same bits."
        if verdict is Verdict.IDENTICAL
        else f"Nothing adds more than rounding: the largest addition is {largest:.2g} of its limit."
    )
    said = _without_repetition(notes) if verdict is Verdict.IDENTICAL else tuple(notes)
    return Origin(None, "", "", "", verdict, 0.0, 0.0, because, notes=said, **common)


def _because(suspect: Suspect, segment: tuple[str, ...]) -> str:
    excess, point = suspect.excess, suspect.point
    if suspect.state == "right" and suspect.excess.worst == float("inf") and "itself differs" in point.note:
        return point.note[0].upper() + point.note[1:] + f" (rms {point.added:.2g} of its size)."
    if excess.nonfinite:
        what = "NaN or infinities are in other places than its formula gives on the same inputs"
    elif excess.rms_in_noise == float("inf"):
        what = f"it adds a relative {point.added:.2g} where rounding changes nothing"
    else:
        what = f"on the inputs that it really got it adds a relative {point.added:.2g}, {excess.worst:.3g} times the limit of rounding"
    inherited = f"; {point.inherited:.2g} was there before" if point.inherited else "; nothing was there before"
    precision = f"; {point.note}" if point.note else ""
    inside = f" (somewhere in the {len(segment)} ops since the last value that both sides have)" if len(segment) > 1 else ""
    return what[0].upper() + what[1:] + inherited + precision + inside + "."


def _at_fault(walker: Walker, suspect: Suspect) -> tuple[Step, ...]:
    """The ops that may be: from the last values that both sides have to the suspect. A view only shows what others made."""
    steps = (*walker.unseen_before(suspect.step), suspect.step)
    values = walker.expected.values
    computing = tuple(each for each in steps if any(values[n].hash for n in each.outputs if n is not None))
    return computing or steps


def _common_module(steps: tuple[Step, ...], phase: str) -> str:
    # Of an optimizer's ops only those on parameters have a module.
    paths = [each.module.split(".") for each in steps if each.module or phase != "step"]
    shared: list[str] = []
    for parts in zip(*paths):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    return ".".join(shared)


def _unaligned(walker: Walker, walk: Walk) -> list[tuple[str, str, str]]:
    producers = walker.actual.producers
    aligned = {each.step for each in walk.points if each.counterpart != "none"}
    found = [("expected", each.op, each.module) for each in walk.points if each.counterpart == "none" and each.step not in aligned]
    matched = walk.matched | {each.candidate for each in walk.suspects.values() if each.state in ("right", "final")}
    used = {producers[number].index for number in matched if number in producers}
    for value in walker.actual.values:
        step: Step | None = producers.get(value.number)
        if step is not None and value.hash and value.number not in matched and step.index not in used:
            found.append(("actual", step.op, step.module))
    return list(dict.fromkeys(found))
