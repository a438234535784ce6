"""Trial: one change of one side, ready to be made; and all trials that the calls of a side suggest."""

from __future__ import annotations

import contextlib
import dataclasses
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook
from torch.utils._pytree import tree_map

from ..backends.knobs import Knob
from ..cases import NATIVE, Case, Side
from ..origins.place import Place
from .calls import Call, Replacement, chained, watched, with_replaced
from .flow import Flow
from .graph import Graph
from .hypotheses import (
    CATALOG,
    FORMULA,
    MEMORY,
    SETTING,
    Around,
    Fit,
    Site,
    Variation,
    input_variations,
    named,
    optimizers,
    stored_parameters,
)

Function = Callable[..., Any]
EVERY, ONE = "every call", "one call"
FEW_ROUNDS = 3
"""The calls that a line makes are changed one by one where they are no more than this; of more, the steps of a loop, the first and the last."""
FINER = "float64 inside"
"""The setting in which whatever loses digits vanishes: it tells that digits are lost, and not by what."""


@dataclass(frozen=True, eq=False)
class Trial:
    """One change of one side.

    Attributes:
        name, kind, detail, remedy, reports: of the cause that it tests, see `Hypothesis` and `Variation`.
        side: "actual" or "expected". place: the calls that it changes, in words. scope: EVERY or ONE of them.
        changes: what is computed instead, by number of the call. wrap: what is put around the whole function.
        errs: whether the change itself loses digits. rank: place in the catalog. touches: kinds of ops that it is known to touch.
        first_only: see `Hypothesis`. fitted: whether it holds a constant that was fitted. written: whether that is a constant that
            people write; True where nothing was fitted.
        calls: names of the calls that are changed. known: what is known of the change besides.
        needs: calls whose operands and results the changes read. renumbers: see `Around`.
    """

    name: str
    kind: str
    detail: str
    side: str
    remedy: str
    place: str = ""
    scope: str = EVERY
    changes: Mapping[int, Replacement] = field(default_factory=dict)
    wrap: Callable[[Function], Function] | None = None
    errs: bool = False
    rank: int = 0
    reports: tuple[str, ...] = ()
    touches: tuple[str, ...] = ()
    first_only: bool = False
    fitted: bool = False
    written: bool = True
    calls: frozenset[str] = frozenset()
    known: str = ""
    needs: frozenset[int] = frozenset()
    renumbers: bool = False

    @property
    def leaves_out(self) -> bool:
        """Whether it takes something out."""
        return self.detail.startswith("no ")

    @property
    def takes_from_actual(self) -> bool:
        """Whether it takes something out of `actual`, that is, names what `expected` doesn't have."""
        return self.leaves_out and self.side == "actual"

    def same_change(self, other: Trial) -> bool:
        """Whether it tests the same cause at the same place."""
        return (self.name, self.side, set(self.changes)) == (other.name, other.side, set(other.changes))


@dataclass(frozen=True, eq=False)
class Fitting:
    """A constant of some calls whose value is searched.

    Attributes:
        fit: which. trial: gives the trial for a value. scope: EVERY or ONE of the calls. lengths: of the tensors around them.
        others: the numbers that the other side has.
    """

    fit: Fit
    trial: Callable[[float], Trial]
    scope: str
    lengths: frozenset[int] = frozenset()
    others: frozenset[float] = frozenset()


def changed_function(side: Side, trials: Iterable[Trial], done: Callable[[Call, Any], None] | None = None) -> Function:
    """The function of a side with the changes of all trials made; `done` is told of every call and its result."""
    replaced: dict[int, Replacement] = {}
    wraps: list[Callable[[Function], Function]] = []
    needs: frozenset[int] = frozenset()
    for trial in trials:
        needs |= trial.needs
        for number, change in trial.changes.items():
            replaced[number] = chained(replaced[number], change) if number in replaced else change
        if trial.wrap is not None:
            wraps.append(trial.wrap)
    function: Function = side.eager.function
    if replaced or done is not None:
        function = with_replaced(function, replaced, done, needs)
    for wrap in wraps:
        function = wrap(function)
    return function


UNCHANGED = frozenset(("setitem", "delitem", "backward", "copy", "set", "numpy", "array", "tolist", "item", "requires_grad", "out"))
"""Calls that are made for what they do and not for what they return: they are never exchanged."""


class Watch:
    """One side run once with every call watched: the variations that its calls suggest, and what reads what.

    Args:
        case: it is run once. side: whose calls are watched.
    """

    def __init__(self, case: Case, side: str) -> None:
        self.case = case
        self.side = side
        self.flow = Flow()
        self.graph = Graph()
        self.groups: dict[tuple[int, str], dict[int, Variation]] = defaultdict(dict)
        self.fits: dict[tuple[int, str, float], dict[int, Fit]] = defaultdict(dict)
        self.optimizers: set[type] = {type(optimizer) for optimizer in case.side(side).state.optimizers}
        function = watched(case.side(side).eager.function, self._notice, self._done)
        hook = register_optimizer_step_pre_hook(lambda optimizer, *_: self.optimizers.add(type(optimizer)))
        try:
            case.with_function(side, function).run(side)
        except Exception:  # a side that does not run under a mode suggests what was seen until then
            pass
        finally:
            hook.remove()
        # What gives no tensor (sizes, questions about dtypes) computes nothing.
        for found in (*self.groups.values(), *self.fits.values()):
            for number in set(found) - self.flow.computing:
                del found[number]

    def _notice(self, call: Call) -> None:
        self.flow.begin(call)
        self.graph.begin(call)
        if call.name in UNCHANGED:
            return
        for rank, hypothesis in enumerate(CATALOG):
            if not hypothesis.concerns(call):
                continue
            # A variation that doesn't suit an unusual call is not tried there.
            with contextlib.suppress(Exception):
                for variation in hypothesis.vary(call):
                    self.groups[rank, variation.group or variation.detail][call.number] = variation
            with contextlib.suppress(Exception):
                for fit in hypothesis.fit(call):
                    self.fits[rank, fit.name, fit.present][call.number] = fit

    def _done(self, call: Call, result: Any) -> None:
        self.flow.end(call, result)
        self.graph.end(call, result)


class Suggestions:
    """What the calls of one side suggest to try.

    Args:
        watch: of the side. other: of the other side: what a change is called depends on what that one does.

    Attributes:
        trials: at all calls at once, and around the whole function. single: at one call each. fittings: constants to search.
        sees_calls: whether the side calls any PyTorch function.
    """

    def __init__(self, watch: Watch, other: Watch) -> None:
        self.side = watch.side
        self.trials: list[Trial] = []
        self.single: list[Trial] = []
        self.fittings: list[Fitting] = []
        self._flow, self._other = watch.flow, other.flow
        self.graph = watch.graph
        self._gradients = watch.case.gradients
        self.sees_calls = bool(watch.flow.names)
        for (rank, _), variations in watch.groups.items():
            if variations:
                self._suggest(rank, variations)
        for (rank, _, _), fits in watch.fits.items():
            if not fits:
                continue
            together = CATALOG[rank].together
            if together:
                self.fittings.append(self._fitting(rank, fits, EVERY if len(fits) > 1 else ONE))
            if len(fits) > 1 or not together:
                self.fittings += [self._fitting(rank, chosen, ONE) for chosen in self._parts(fits)]
        arguments, _ = watch.case.arguments(watch.case.side(watch.side), NATIVE)
        for around in (*input_variations(arguments), *stored_parameters(), *optimizers(watch.optimizers)):
            self.trials.append(_of_around(around, watch.side, len(CATALOG)))

    def _suggest(self, rank: int, variations: Mapping[int, Variation]) -> None:
        hypothesis = CATALOG[rank]
        grouped = any(variation.group for variation in variations.values())
        if hypothesis.together or grouped or len(variations) == 1:
            self._add(self.trials, self._trial(rank, variations))
        if hypothesis.alone and len(variations) > 1:
            for chosen in self._parts(variations):
                self._add(self.single, self._trial(rank, chosen))

    def _parts(self, found: Mapping[int, Any]) -> Iterator[dict[int, Any]]:
        """What is changed by itself: a call, or all calls that one line makes in a loop; of these the first and the last one alone too."""
        lines: dict[Any, dict[int, Any]] = {}
        for number, entry in found.items():
            node = self.graph.nodes.get(number)
            lines.setdefault(node.path if node is not None else number, {})[number] = entry
        for line in lines.values():
            numbers = list(line)
            if len(line) <= FEW_ROUNDS:
                yield from ({number: line[number]} for number in numbers)
                if 1 < len(line) < len(found):
                    yield line
                continue
            if len(line) < len(found):
                yield line
            yield from ({number: line[number]} for number in (numbers[0], numbers[-1]))

    def _add(self, where: list[Trial], trial: Trial) -> None:
        if not trial.name:
            return
        where.append(trial)
        if self._gradients and trial.kind == FORMULA:
            changes = {number: backward_only(compute) for number, compute in trial.changes.items()}
            where.append(dataclasses.replace(trial, detail=f"{trial.detail}, in the backward pass only", changes=changes))

    def _trial(self, rank: int, variations: Mapping[int, Variation]) -> Trial:
        hypothesis, numbers = CATALOG[rank], list(variations)
        place = self._flow.places.get(numbers[0], "")
        where = place if len(numbers) == 1 else f"all {len(numbers)} calls like {place}"
        first = next(iter(variations.values()))
        detail = first.detail
        name = (
            hypothesis.name
            if hypothesis.naming is None
            else hypothesis.naming(Site(self.side, tuple(numbers), self._flow, self._other, detail=detail))
        )
        advice = first.remedy or next((known.remedy for known in named(name)), hypothesis.remedy)
        remedy = remedy_of(advice, detail, self.side)
        return Trial(
            name, hypothesis.kind, detail, self.side, remedy=remedy, place=where, scope=ONE if len(numbers) == 1 else EVERY,
            changes={number: variation.compute for number, variation in variations.items()}, wrap=None, errs=hypothesis.errs, rank=rank, reports=hypothesis.reports,
            first_only=hypothesis.first_only and name == hypothesis.name, calls=frozenset(self._flow.names[number] for number in numbers),
        )  # fmt: skip

    def _fitting(self, rank: int, fits: Mapping[int, Fit], scope: str) -> Fitting:
        first = next(iter(fits.values()))

        def trial(value: float) -> Trial:
            return dataclasses.replace(self._trial(rank, {number: fit.vary(value) for number, fit in fits.items()}), fitted=True)

        return Fitting(first, trial, scope, frozenset(self._flow.lengths), frozenset(self._other.constants))

    def at(self, place: Place) -> set[int]:
        """The calls in the modules and lines of a place."""
        return self._flow.at(place, self.side)


def suggestions(case: Case) -> tuple[Suggestions, Suggestions]:
    """What the calls of both sides suggest, those of `expected` first."""
    expected, actual = Watch(case, "expected"), Watch(case, "actual")
    return Suggestions(expected, actual), Suggestions(actual, expected)


def remedy_of(advice: str, detail: str, side: str) -> str:
    """What each side has, and what to do about it.

    Args:
        advice: what to do in general. detail: what was changed, "X instead of Y" or "X". side: which side was changed to agree with the
            other one, and so had Y.
    """
    other = "actual" if side == "expected" else "expected"
    here, _, there = detail.partition(" instead of ")
    facts = f"`{other}` has {here}, `{side}` {there}" if there else f"`{other}` has {here}, but `{side}` differs"
    return f"{facts}: {advice}"


def backward_only(compute: Replacement) -> Replacement:
    """A change of the gradient alone: the value is that of the call as it is."""

    def both(call: Call) -> Any:
        changed, plain = compute(call), call.again()
        if not isinstance(changed, torch.Tensor) or changed.shape != plain.shape or not changed.requires_grad:
            raise ValueError("the call has no gradient to change")
        return changed + (plain - changed).detach()

    return both


def placebo(trial: Trial) -> Trial:
    """A change of nothing at the same calls: results are copied. What it does is done by memory, not by what the trial computes."""

    def copied(call: Call) -> Any:
        return tree_map(lambda item: item.clone() if isinstance(item, torch.Tensor) else item, call.again())

    return dataclasses.replace(trial, changes=dict.fromkeys(trial.changes, copied), wrap=None)


def _of_around(around: Around, side: str, rank: int) -> Trial:
    return Trial(
        around.name,
        around.kind,
        around.detail,
        side,
        remedy=around.remedy,
        place="",
        scope=EVERY,
        changes={},
        wrap=around.wrap,
        rank=rank,
        reports=around.reports,
        renumbers=around.renumbers,
    )


BEYOND_ROUNDING = {"contiguity": "strides ignored", "batch size": "samples mixed", "position in the batch": "samples mixed"}
"""What it is called when a setting that may change only bits changes more."""


def of_knob(knob: Knob, side: str, rank: int, *, beyond_rounding: bool = False) -> Trial:
    """The trial that turns a knob while one side runs."""
    name = BEYOND_ROUNDING.get(knob.name, knob.name) if beyond_rounding else knob.name
    mixed = "look for what mixes the samples of a batch: batch statistics, or flips or sums along the batch axis"
    return Trial(
        name, SETTING, knob.detail, side, remedy=mixed if name == "samples mixed" else knob.remedy, place="", scope=EVERY, changes={}, wrap=knob.applied, rank=rank, reports=knob.reports,
        touches=tuple(sorted(knob.touches)), known=knob.algorithm,
    )  # fmt: skip


def cheap_first(trials: Iterable[Trial]) -> Iterator[Trial]:
    """Formulas and memory before arithmetic: there are fewer of them, and mistakes are more often theirs."""
    found = list(trials)
    yield from (trial for trial in found if trial.kind in (FORMULA, MEMORY))
    yield from (trial for trial in found if trial.kind not in (FORMULA, MEMORY))
