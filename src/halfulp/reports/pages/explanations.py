"""The page of an explanation: causes with their evidence and remedy, the stages of compiling, all that was tried; then the verdict's own page."""

from __future__ import annotations

import dataclasses
from functools import partial

from ...causes.cause import Cause, Explanation
from ...words.numbers import number
from ..charts.shares import share_chart
from ..text.causes import explanation_answer, percent, stages_in_words
from .checks import check_numbers, check_page
from .page import Code, Column, Columns, Figure, Number, Page, Part, Section, Table, Words
from .places import place_sections
from .tables import columns_of


def explanation_page(explanation: Explanation) -> Page:
    """The page of an explanation."""
    below = check_page(explanation.result)
    datasets: dict[str, Columns] = {**below.datasets, "experiments": _experiments(explanation)}
    sections: list[Section] = place_sections(explanation.place, datasets)
    if len(explanation.causes) > 1 or (not explanation.causes and any(experiment.share for experiment in explanation.experiments)):
        caption = (
            "Each bar shows the share of the difference that is gone when this one thing is changed; shares of several causes may overlap."
        )
        sections.append(
            Section(
                "shares", "What explains it", (Figure("shares", partial(share_chart, explanation), "Share of the difference", caption),)
            )
        )
    for place, cause in enumerate(explanation.causes):
        sections.append(Section(f"cause-{place + 1}", f"Cause: {cause.name}", tuple(_cause_parts(cause))))
    sections += _compiling(explanation, datasets)
    tried = Table(
        "experiments",
        "Everything that was tried: a share of 1 means that the difference is gone",
        (
            Column("name", "experiment"), Column("detail", "what was changed"), Column("side", "side"), Column("place", "where", is_code=True), Column("share", "share", True),
            Column("in_noise", "left in noise", True), Column("touched", "bits changed", True), Column("note", "note"),
        ),
    )  # fmt: skip
    remarks = [*explanation.sensitivity, *(f"Note: {note}" for note in dict.fromkeys(explanation.notes))]
    if not explanation.complete:
        remarks.append("Time ran out before everything was tried: pass a larger budget_s (--budget).")
    sections.append(Section("experiments", "What was tried", (tried, *([Words(tuple(remarks), is_list=True)] if remarks else []))))
    answer = explanation_answer(explanation).splitlines()
    cause = explanation.causes[0] if explanation.causes else None
    return dataclasses.replace(
        below,
        kind="explanation",
        question="Why do they differ?",
        headline=f"{explanation.verdict.name}: {cause.name}" if cause is not None else f"{explanation.verdict.name}, no cause found" if explanation.result.difference.unequal else below.headline,
        sentence=cause.statement if cause is not None else " ".join(answer[1:]),
        numbers=_numbers(explanation),
        steps=tuple(dict.fromkeys(cause.remedy for cause in explanation.causes if cause.remedy)) or below.steps,
        sections=(*sections, *below.sections),
        datasets=datasets,
    )  # fmt: skip


def _numbers(explanation: Explanation) -> tuple[Number, ...]:
    found: list[Number] = []
    if explanation.causes:
        first = explanation.causes[0]
        found.append(Number(percent(first.share), f"of the difference is explained by {first.name}", f"confidence {first.confidence}"))
        if explanation.left_in_noise is not None:
            found.append(Number(number(explanation.left_in_noise), "what remains after all causes are removed, in units of the noise"))
    return (*found, *check_numbers(explanation.result))[:3]


def _cause_parts(cause: Cause) -> list[Part]:
    facts = [f"{percent(cause.share)} of the difference", f"confidence {cause.confidence}", f"kind of cause: {cause.kind}"]
    facts += [f"side: {cause.side}"] if cause.side else []
    facts += [f"place: {cause.place}"] if cause.place else []
    parts: list[Part] = [
        Words(
            (
                cause.statement,
                f"{'; '.join(facts)}.",
            )
        ),
        Words(cause.evidence, is_list=True),
        *([Words((f"Remedy: {cause.remedy}",))] if cause.remedy else []),
    ]
    if cause.reports:
        parts.append(Words((f"Reported before in: {', '.join(cause.reports)}",)))
    if cause.source:
        parts.append(Code("Generated code", cause.source))
    return parts


def _experiments(explanation: Explanation) -> Columns:
    ranked = sorted(explanation.experiments, key=lambda experiment: (experiment.share is None, -(experiment.share or 0.0)))
    return columns_of(
        ((experiment.name, experiment.detail, experiment.side, experiment.place, experiment.share, experiment.in_noise, experiment.touched, experiment.note) for experiment in ranked),
        "name", "detail", "side", "place", "share", "in_noise", "touched", "note",
    )  # fmt: skip


def _compiling(explanation: Explanation, datasets: dict[str, Columns]) -> list[Section]:
    parts: list[Part] = []
    if explanation.stages:
        datasets["stages"] = columns_of(
            (
                (stage.name, stage.what, stage.verdict.name if stage.verdict is not None else "-", stage.unequal, stage.count, stage.in_noise, stage.seconds, stage.note)
                for stage in explanation.stages
            ),
            "name", "what", "verdict", "unequal", "count", "in_noise", "seconds", "note",
        )  # fmt: skip
        columns = (
            Column("name", "stage"), Column("what", "what it adds"), Column("verdict", "verdict"), Column("unequal", "unequal", True), Column("count", "of", True),
            Column("in_noise", "in noise", True), Column("seconds", "s", True), Column("note", "note"),
        )  # fmt: skip
        parts += [
            Words(tuple(stages_in_words(explanation))),
            Table("stages", "Stages of compiling, each against the eager function", columns),
        ]
    if explanation.nodes:
        datasets["nodes"] = columns_of(
            ((node.op, node.name, node.kernel, node.unequal, node.count, node.in_noise, node.source) for node in explanation.nodes),
            "op", "name", "kernel", "unequal", "count", "in_noise", "source",
        )  # fmt: skip
        columns = (
            Column("op", "op", is_code=True), Column("name", "node", is_code=True), Column("kernel", "kernel", is_code=True), Column("unequal", "unequal", True),
            Column("count", "of", True), Column("in_noise", "in noise", True), Column("source", "line", is_code=True),
        )  # fmt: skip
        parts.append(Table("nodes", "Ops whose bits in the generated program are not those of the eager op on the same values", columns))
    return [Section("compiling", "Taken apart: compiling", tuple(parts))] if parts else []
