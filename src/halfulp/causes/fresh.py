"""Knobs that need a fresh process: run side by side, each for both sides, beside a control that changes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..backends.knobs import Knob
from ..differences import Leaf
from ..words.numbers import counted
from .cause import Experiment
from .laboratory import Laboratory
from .processes import OVER, Job, Reply, run_jobs
from .scale import Distance


@dataclass(frozen=True, eq=False)
class Turned:
    """What a knob did to one side in a process of its own.

    Attributes:
        knob: which. side: whose outputs are those of the knob; the other side's are those without it.
        distance: between the sides then. share: of the difference that is gone. touched: elements of the side with other bits.
    """

    knob: Knob
    side: str
    distance: Distance
    share: float
    touched: int


@dataclass(frozen=True)
class FreshRuns:
    """What fresh processes showed.

    Attributes:
        turned: for each knob and side. sensitivity: which knobs change the bits of which side, in sentences. notes: what failed.
    """

    turned: tuple[Turned, ...]
    sensitivity: tuple[str, ...]
    notes: tuple[str, ...]


def payload_of(laboratory: Laboratory, actual: Any, expected: Any) -> dict[str, Any]:
    """What fresh processes need to know of a case, with these functions as its sides."""
    case = laboratory.case
    return {
        "actual": actual, "expected": expected, "inputs": case.inputs, "keywords": case.keywords, "gradients": case.gradients,
        "seed": case.seed, "declared": case.declared.name,
    }  # fmt: skip


def turned_in_fresh_processes(laboratory: Laboratory, knobs: Sequence[Knob]) -> FreshRuns:
    """Turn each knob in a process of its own."""
    case = laboratory.case
    usable = [knob for knob in knobs if not knob.unavailable()]
    jobs = [Job("nothing changed"), *(Job(knob.detail, knob.environment) for knob in usable)]
    replies = run_jobs(
        payload_of(laboratory, case.actual.eager.function, case.expected.eager.function),
        jobs,
        deadline=laboratory.deadline,
        progress=laboratory.progress,
    )
    control, *others = replies
    if any(reply.error == OVER for reply in replies):
        laboratory.stop("some settings in fresh processes")
    if control.error:
        return FreshRuns((), (), (f"No setting was tried in a fresh process: {control.error}.",))
    notes = [f"{knob.detail} in a fresh process: {reply.error}." for knob, reply in zip(usable, others) if reply.error]
    native = {name: laboratory.native[name] for name in ("actual", "expected")}
    for name, outputs in native.items():
        changed = laboratory.scale.distance(control.outputs[name], outputs).unequal
        if changed and not case.side(name).is_compiled:
            notes.append(
                f"With nothing changed, `{name}` gives different bits in a fresh process than in this one ({counted(changed, 'element')})."
            )
    turned = [
        side for knob, reply in zip(usable, others) if not reply.error for side in _both_sides(laboratory, knob, reply, control.outputs)
    ]
    for turning in turned:
        laboratory.experiments.append(
            Experiment(
                turning.knob.name,
                turning.knob.detail,
                turning.side,
                "",
                share=turning.share,
                touched=turning.touched,
                in_noise=turning.distance.rms,
                touches=tuple(sorted(turning.knob.touches)),
                note="fresh process",
            )
        )
    return FreshRuns(tuple(turned), tuple(_sensitivity(turned)), tuple(notes))


def _both_sides(laboratory: Laboratory, knob: Knob, reply: Reply, control: Mapping[str, tuple[Leaf, ...]]) -> list[Turned]:
    scale = laboratory.scale
    before = scale.distance(control["actual"], control["expected"])
    found: list[Turned] = []
    for name in ("expected", "actual"):
        sides = {**control, name: reply.outputs[name]}
        distance = scale.distance(sides["actual"], sides["expected"])
        touched = scale.distance(reply.outputs[name], control[name]).unequal
        found.append(Turned(knob, name, distance, distance.share_gone(before), touched=touched))
    return found


def _sensitivity(turned: Sequence[Turned]) -> list[str]:
    """Which kinds of ops make the bits of each side: the knobs touch disjoint ones."""
    lines: list[str] = []
    for name in ("actual", "expected"):
        own = [turning for turning in turned if turning.side == name]
        moving = {turned.knob.name: sorted(turned.knob.touches) for turned in own if turned.touched}
        still = {turned.knob.name: sorted(turned.knob.touches) for turned in own} if not moving else {}
        still = {turned.knob.name: sorted(turned.knob.touches) for turned in own if turned.knob.name not in moving} or still
        if moving:
            depends = "; ".join(f"{knob} ({', '.join(touches)})" for knob, touches in moving.items())
            rest = "; ".join(f"{knob} ({', '.join(touches)})" for knob, touches in still.items())
            lines.append(f"The bits of `{name}` depend on: {depends}." + (f" They don't depend on: {rest}." if rest else ""))
        elif own:
            lines.append(f"The bits of `{name}` don't depend on: {', '.join(still)}.")
    return lines
