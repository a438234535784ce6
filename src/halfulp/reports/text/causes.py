"""An explanation as text: the verdict, the causes with evidence and remedy, the stages of compiling, what was tried."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rich.console import RenderableType
from rich.table import Table

from ...causes.cause import Cause, Experiment, Explanation
from ...verdicts import Verdict
from ...verdicts.reasons import reason
from ...words.numbers import counted, number
from .places import differing_in_words, place_in_words, place_lines
from .tables import as_text

ROWS = 10
"""Experiments that are shown; JSON has all."""
SOURCE_LINES = 40
_FITTED = re.compile(r"(?<![\w.])[-+]?\d[\d.e+-]*(?= instead of )")


def explanation_text(explanation: Explanation, form: str) -> str:
    """The answer alone ("answer", "reason"), or with stages, ops and experiments around it."""
    answer = explanation_answer(explanation)
    if form == "reason":
        return answer.splitlines()[-2] if explanation.causes else answer.splitlines()[-1]
    if form in ("answer", "assertion"):
        return answer
    parts: list[RenderableType] = [answer]
    if explanation.place is not None:
        parts += place_lines(explanation.place)
    for place, cause in enumerate(explanation.causes, 1):
        parts += ["", *_cause(place, cause)]
    if explanation.stages:
        parts += ["", "Stages of compiling, each against the eager function:", _stages_table(explanation), *stages_in_words(explanation)]
    if explanation.nodes:
        parts += [
            "",
            "Ops whose bits differ between the generated program and the eager op on the same values:",
            _nodes_table(explanation),
        ]
    tried = [experiment for experiment in explanation.experiments if experiment.share is not None]
    if tried:
        parts += [
            "",
            f"{len(explanation.experiments)} experiment{'s were' if len(explanation.experiments) != 1 else ' was'} run; the largest effects:",
            _experiments_table(tried),
        ]
        parts += _only_bits(explanation, tried)
    parts += ["", *(f"{name}" for name in explanation.sensitivity)] if explanation.sensitivity else []
    if explanation.notes:
        parts += ["", *(f"Note: {note}" for note in dict.fromkeys(explanation.notes))]
    if not explanation.complete:
        parts += ["", "The time budget ran out before everything was tried. Pass a larger budget_s (--budget)."]
    return as_text(*parts)


def catalog_text(records: Sequence[tuple[str, str, str, str]]) -> str:
    """The known causes as a table.

    Args:
        records: name, what it looks like, the experiment that tells, user reports, of each.
    """
    table = _plain_table("cause", "what it looks like", "what is changed to test for it", "reported before in")
    for record in records:
        table.add_row(*record)
    return as_text(table)


def explanation_answer(explanation: Explanation) -> str:
    """The verdict, the cause and its remedy; or what was tried in vain."""
    result = explanation.result
    acceptable = {True: "acceptable", False: "not acceptable", None: "undecided"}[result.acceptable]
    head = f"{result.verdict.name}: {result.verdict.meaning} ({acceptable})"
    place = explanation.place
    if place is not None:
        head += f"\nPlace: {place_in_words(place)}. {differing_in_words(place)}".rstrip()
    causes = explanation.causes
    if causes:
        first = causes[0]
        others = f" Other causes: {', '.join(cause.name for cause in causes[1:])}." if len(causes) > 1 else ""
        return f"{head}\nCause: {first.name} ({percent(first.share)} of the difference, confidence {first.confidence}). {first.statement}{others}\nRemedy: {first.remedy}."
    if result.verdict is Verdict.IDENTICAL:
        words = " ".join(stages_in_words(explanation)) if explanation.stages else ""
        return f"{head}\nThere is no difference to explain. {words}".rstrip()
    tried = len({(experiment.name, experiment.detail) for experiment in explanation.experiments})
    words = (
        "no setting, order or algorithm that was tried reproduces the bits"
        if result.acceptable
        else "no change that was tried removes the difference"
    )
    return f"{head}\nUnexplained: {words} ({counted(tried, 'change')} tried). {reason(result)}"


def percent(share: float) -> str:
    """A share in percent, with as many digits as tell it from all."""
    hundredths = 100.0 * share
    if hundredths in (0.0, 100.0) or 1.0 <= hundredths < 99.0:
        return f"{hundredths:.0f} %"
    return f"{hundredths:.2g} %" if hundredths < 1.0 else f"{min(hundredths, 99.99):.2f} %" if hundredths < 99.995 else "100 %"


def _cause(place: int, cause: Cause) -> list[str]:
    lines = [
        f"{place}. {cause.name} ({cause.kind}): {percent(cause.share)} of the difference, confidence {cause.confidence}",
        f"   {cause.statement}",
    ]
    lines += [f"   - {name}" for name in cause.evidence]
    lines.append(f"   Remedy: {cause.remedy}")
    if cause.reports:
        lines.append(f"   Reported before in: {', '.join(cause.reports)}")
    if cause.source:
        source = cause.source.splitlines()
        lines += ["   Generated code:", *(f"     {line}" for line in source[:SOURCE_LINES])]
        lines += [f"     ... ({counted(len(source) - SOURCE_LINES, 'more line')})"] if len(source) > SOURCE_LINES else []
    return lines


def _plain_table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in columns:
        table.add_column(name, justify="right" if name in _NUMBERS else "left", overflow="fold")
    return table


_NUMBERS = ("unequal", "in noise", "error", "eager's error", "share", "left in noise", "bits changed", "s")


def _stages_table(explanation: Explanation) -> Table:
    table = _plain_table("stage", "what it adds", "verdict", "unequal", "in noise", "error", "eager's error", "s")
    for stage in explanation.stages:
        if stage.verdict is None and stage.note:
            table.add_row(stage.name, stage.what, stage.note, "", "", "", "", "")
            continue
        table.add_row(
            stage.name, stage.what, stage.verdict.name if stage.verdict is not None else "-", f"{stage.unequal:,} of {stage.count:,}", number(stage.in_noise, 2),
            number(stage.error_in_noise, 2), number(stage.eager_error_in_noise, 2), f"{stage.seconds:.1f}",
        )  # fmt: skip
    return table


def stages_in_words(explanation: Explanation) -> list[str]:
    """Where bits and the verdict change first."""
    bits = next((stage for stage in explanation.stages if stage.unequal), None)
    worse = next((stage for stage in explanation.stages if stage.verdict is not None and stage.verdict.acceptable is False), None)
    first = (
        "None of the stages that ran changes any bits."
        if bits is None
        else f"Bits change first at {bits.name!r} ({bits.what}): {bits.unequal:,} of {counted(bits.count, 'element')}."
    )
    second = (
        "No stage that ran made the verdict unacceptable." if worse is None else f"The verdict changes at {worse.name!r} ({worse.what})."
    )
    return [f"{first} {second}"]


def _nodes_table(explanation: Explanation) -> Table:
    table = _plain_table("op", "kernel", "unequal", "in noise", "line")
    for node in explanation.nodes[:ROWS]:
        mark = "! " if node.beyond and explanation.result.acceptable is not True else ""
        table.add_row(
            f"{mark}{node.op} ({node.name})",
            node.kernel or "-",
            f"{node.unequal:,} of {node.count:,}",
            number(node.in_noise, 2),
            node.source or "-",
        )
    return table


def _experiments_table(tried: list[Experiment]) -> Table:
    table = _plain_table("experiment", "side", "share", "left in noise", "bits changed", "where")
    ranked = sorted(tried, key=lambda experiment: -(experiment.share or 0.0))
    best = {  # one line for each constant that was fitted
        (experiment.name, experiment.side, experiment.place, _FITTED.sub("", experiment.detail)): experiment
        for experiment in reversed(ranked)
    }
    chosen = sorted(best.values(), key=lambda experiment: -(experiment.share or 0.0))[:ROWS]
    for experiment in chosen:
        share = "none" if not experiment.share or experiment.share < 0.005 else percent(min(1.0, experiment.share))
        touched = "-" if experiment.touched is None else f"{experiment.touched:,}"
        table.add_row(
            f"{experiment.name}: {experiment.detail}",
            experiment.side,
            share,
            number(experiment.in_noise, 2),
            touched,
            experiment.place or "-",
        )
    return table


def _only_bits(explanation: Explanation, tried: list[Experiment]) -> list[str]:
    """Settings that changed bits and no part of the difference worth a name."""
    named = {cause.name for cause in explanation.causes}
    found = [
        experiment
        for experiment in tried
        if experiment.touches and experiment.touched and (experiment.share or 0.0) < 0.05 and experiment.name not in named
    ]
    details = list(dict.fromkeys(f"{experiment.detail} ({experiment.side})" for experiment in found))
    if not details:
        return []
    return ["", f"Changed bits but not the difference: {'; '.join(details[:8])}{' ...' if len(details) > 8 else ''}."]
