"""taken_apart: a compiled function against the eager one: stages, options, ops and kernels, choices."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from ...cases import OutOfTime
from ...cases.deadline import now
from ...differences import Leaf
from ...process.alone import quiet
from ...words.numbers import counted
from ..cause import Cause, Experiment, NodeResult, StageResult
from ..laboratory import Laboratory
from ..processes import OVER
from ..scale import Distance
from .captures import wrong_capture
from .changing_nodes import changing_nodes
from .compiled_function import Compilation
from .compiler_causes import first_stage, of_capture, of_decomposition, of_option, of_pass, of_rounding_kernels, of_stage, of_wrong_kernel
from .decompositions import wrong_decomposition
from .graph_passes import wrong_pass
from .graphs import captured, lowered
from .internals import config, forget_compiled
from .kernel_choices import Choices, choices_of
from .options import usable_options
from .stages import BUILDING_S, CAPTURE, DECOMPOSITIONS, PASSES, Stage, run_stages, staged, stages_of

CHOICES, INSIDE, BISECTION = "compiling in fresh processes", "examining the generated program", "bisecting the compiler's passes"
CASTS = "emulate_precision_casts"
COMPILED_INSIDE = 3
"""So often a graph is compiled to look into it: with its values as outputs, for its kernels, and one op by itself."""

AGREES = 0.99
"""The share of a difference of 16-bit casts or contractions that an option has to take away to be named; other options take away none, or
draw the rounding anew."""


@dataclass(frozen=True, eq=False)
class TakenApart:
    """What taking a compiled function apart showed.

    Attributes:
        causes: largest share first. stages: of compiling. nodes: ops that give other bits than eagerly. choices: of kernels, by process.
        left_in_noise: what the first cause leaves; None without a cause. notes: what was seen besides, in sentences.
    """

    causes: tuple[Cause, ...]
    stages: tuple[StageResult, ...]
    nodes: tuple[NodeResult, ...] = ()
    choices: Choices | None = None
    left_in_noise: float | None = None
    notes: tuple[str, ...] = ()


def taken_apart(laboratory: Laboratory, compilation: Compilation, *, processes: bool) -> TakenApart:
    """Where, by which op and kernel, and why a compiled function differs from the eager one."""
    with contextlib.redirect_stderr(io.StringIO()):  # inductor prints what it times
        return _taken_apart(laboratory, compilation, processes=processes)


def _taken_apart(laboratory: Laboratory, compilation: Compilation, *, processes: bool) -> TakenApart:
    case, scale = laboratory.case, laboratory.scale
    try:
        eager = case.with_function("actual", compilation.original).native("actual").outputs
    except OutOfTime:
        laboratory.stop("examining the compiled function")
        return TakenApart((), tuple(StageResult(stage.name, stage.what, None, note=OVER) for stage in stages_of(compilation)))
    builds_s = max(BUILDING_S, case.native("actual").seconds)
    apart = _Apart(laboratory, compilation, eager, scale.distance(laboratory.native["actual"], eager), builds_s)
    notes: list[str] = (
        [] if compilation.known else ["This version of PyTorch does not say how the function was compiled, so default options were used."]
    )
    if not scale.within(scale.distance(eager, laboratory.native["expected"])):
        notes.append("The function differs from `expected` before it is compiled; the stages of compiling show only what compiling adds.")
    stages = run_stages(laboratory, compilation, eager, builds=False)
    early = first_stage(stages, verdict=True) if apart.beyond else None
    nodes: list[NodeResult] = []
    left: float | None = None
    if early is not None:
        causes = _early_cause(apart, early) or of_stage(stages, beyond=apart.beyond)
        stages += run_stages(laboratory, compilation, eager, builds=True, before=stages, until_wrong=True)
    elif apart.beyond:  # the op first: it is what is asked for, and the time may be short
        causes, nodes, left = _causes(apart, stages, notes)
        stages += run_stages(laboratory, compilation, eager, builds=True, before=stages, until_wrong=True)
        causes = causes or of_stage(stages, beyond=apart.beyond)
    else:
        stages += run_stages(laboratory, compilation, eager, builds=True, before=stages)
        causes, nodes, left = _causes(apart, stages, notes) if apart.differs else ([], [], None)
        causes = causes or (of_stage(stages, beyond=apart.beyond) if apart.differs and laboratory.result.acceptable is True else [])
    choices = None
    tuned = bool(compilation.options.get("max_autotune"))
    if (
        processes
        and not apart.beyond
        and compilation.is_inductor
        and (tuned or _freezing_differs(stages))
        and not laboratory.hurries(CHOICES, takes=builds_s)
    ):
        laboratory.progress("compiling in fresh processes")
        choices = choices_of(laboratory, compilation, frozen=False)
        notes += [*choices.notes, _choice_in_words(choices, "as compiled here")]
        if _freezing_differs(stages) and not laboratory.hurries(CHOICES, takes=builds_s):
            frozen = choices_of(laboratory, compilation, frozen=True)
            notes += [*frozen.notes, _choice_in_words(frozen, "with parameters frozen and kernels chosen by timing")]
    return TakenApart(
        tuple(causes), tuple(stages), tuple(nodes), choices, left_in_noise=left, notes=tuple(dict.fromkeys(note for note in notes if note))
    )


@dataclass(frozen=True, eq=False)
class _Apart:
    """What is taken apart.

    Attributes:
        before: the distance between the compiled function and `eager`, what it gives uncompiled. builds_s: about how long compiling takes.
    """

    laboratory: Laboratory
    compilation: Compilation
    eager: Sequence[Leaf]
    before: Distance
    builds_s: float = 0.0

    @property
    def differs(self) -> bool:
        """Whether compiling changes anything."""
        return self.before.unequal > 0 or not self.before.alike

    @property
    def beyond(self) -> bool:
        """Whether compiling changes more than rounding does."""
        return self.laboratory.result.acceptable is not True and not self.laboratory.scale.within(self.before)


def _causes(apart: _Apart, stages: list[StageResult], notes: list[str]) -> tuple[list[Cause], list[NodeResult], float | None]:
    """Why compiling changes what it changes."""
    if not apart.beyond and apart.laboratory.result.acceptable is not True:
        return [], [], None  # rounding beside a difference that was there before
    causes: list[Cause] = []
    nodes: list[NodeResult] = []
    left: float | None = None
    if apart.compilation.is_inductor:
        short = apart.laboratory.seconds_left() <= COMPILED_INSIDE * apart.builds_s
        if short:  # perhaps only the first compilation took so long, which builds headers that later ones find
            start = now()
            causes, left = _options(apart, CASTS)
            apart = replace(apart, builds_s=max(BUILDING_S, now() - start))
        nodes = _nodes(apart, notes)
        if not short:  # in 16 bits an op inside a fused loop reads what isn't rounded yet, and seems to err: casts before it is blamed
            causes, left = _options(apart, CASTS)
        if not causes and apart.beyond:
            causes = of_wrong_kernel(nodes, stages)
        if not causes:
            causes, left = _options(apart)
        if not causes:
            causes = _bisected(apart) if apart.beyond else of_rounding_kernels(nodes, stages)
    return causes, nodes, left


def _early_cause(apart: _Apart, stage: StageResult) -> list[Cause]:
    """The op that a stage before code generation gets wrong."""
    laboratory, compilation = apart.laboratory, apart.compilation

    def ends() -> bool:
        return laboratory.hurries(f"looking into the stage {stage.name!r}")

    laboratory.progress(f"looking into the stage {stage.name!r}")
    arguments, keywords = _arguments(laboratory)
    with laboratory.case.actual.unchanged(), quiet(), contextlib.suppress(Exception):  # a function that can't be captured by itself
        graphs = captured(compilation.original, arguments, keywords)
        if stage.name == CAPTURE:
            return [of_capture(stage, wrong_capture(lambda: compilation.original(*arguments, **keywords), graphs))]
        for graph in graphs:
            if stage.name == DECOMPOSITIONS:
                decomposition = wrong_decomposition(graph, ends)
                if decomposition is not None:
                    return [of_decomposition(stage, decomposition)]
            if stage.name == PASSES:
                wrong = wrong_pass(graph, compilation.options, ends)
                if wrong is not None:
                    return [of_pass(stage, wrong)]
    return []


def _freezing_differs(stages: list[StageResult]) -> bool:
    return any(stage.name == "freezing" and stage.unequal for stage in stages)


def _choice_in_words(choices: Choices, how: str) -> str:
    if not choices.chosen and not choices.results:
        return ""
    several = len(choices.chosen) > 1
    runs = f"{len(choices.chosen)} fresh processes" if several else "one fresh process"
    kernels = sorted({name for one in choices.chosen for name in one})
    chosen = f"{_timed(len(kernels), several, choices.varies)} ({', '.join(kernels)})" if kernels else "no kernel was chosen by timing"
    bits = (
        "; every process gave the same bits"
        if choices.results == 1
        else f"; the processes gave {choices.results} different results, which differ in up to {counted(choices.unequal, 'element')}"
    )
    choice = bits if several else ""
    here = f" {choices.like_here} of {len(choices.chosen)} gave the same bits as this process." if how.startswith("as compiled") else ""
    return f"In {runs} without caches ({how}): {chosen}{choice}.{here}"


def _timed(kernels: int, several: bool, varies: bool) -> str:
    if several and varies:
        return "timing chose different kernels"
    noun = "kernel" if kernels == 1 else "kernels"
    return f"timing chose the same {noun} every time" if several else f"timing chose {'this' if kernels == 1 else 'these'} {noun}"


def _arguments(laboratory: Laboratory) -> tuple[Any, dict[str, Any]]:
    from ...cases import NATIVE

    return laboratory.case.arguments(laboratory.case.actual, NATIVE)


def _nodes(apart: _Apart, notes: list[str]) -> list[NodeResult]:
    """The ops of all graphs that give other bits than eagerly."""
    laboratory, compilation = apart.laboratory, apart.compilation
    if laboratory.hurries(INSIDE, takes=COMPILED_INSIDE * apart.builds_s):
        return []
    laboratory.progress("examining the generated program")
    found: list[NodeResult] = []
    arguments, keywords = _arguments(laboratory)
    try:
        with laboratory.case.actual.unchanged(), quiet():
            for graph in map(lowered, captured(compilation.original, arguments, keywords)):
                if laboratory.hurries(INSIDE, takes=COMPILED_INSIDE * apart.builds_s):
                    break
                results, note = changing_nodes(graph, compilation.options)
                found += results
                notes += [note] if note else []
    except Exception as error:  # whatever inductor can't do with the graph taken by itself
        lines = str(error).strip().splitlines() or [""]
        notes.append(f"The generated program could not be examined: {type(error).__name__}: {lines[0][:160]}")
    return found


def _options(apart: _Apart, only: str = "") -> tuple[list[Cause], float | None]:
    """The first option that makes what compiling changes vanish (or, beyond rounding, makes it rounding)."""
    laboratory, compilation = apart.laboratory, apart.compilation
    case, scale = laboratory.case, laboratory.scale
    tried = {(experiment.name, experiment.detail) for experiment in laboratory.experiments}
    for option in usable_options(compilation.options):
        if laboratory.hurries("compiling with other options", takes=apart.builds_s):
            break
        if (only and option.name != only) or (option.name, option.detail) in tried:
            continue
        laboratory.progress(f"compiling with {option.detail}")
        stage = Stage(option.name, option.detail, {"options": {**compilation.options, **option.patches}}, option.around)
        try:
            with quiet():
                outputs = case.with_function("actual", staged(compilation, stage)).native("actual").outputs
        except OutOfTime:
            laboratory.stop("compiling with other options")
            break
        except Exception as error:
            laboratory.experiments.append(
                Experiment(option.name, option.detail, "actual", note=str(error.__cause__ or error).strip()[:160])
            )
            continue
        distance = scale.distance(outputs, apart.eager)
        share = distance.share_gone(apart.before)
        touched = scale.distance(outputs, laboratory.native["actual"]).unequal
        laboratory.experiments.append(
            Experiment(option.name, option.detail, "actual", "", share=share, touched=touched, in_noise=distance.rms)
        )
        if distance.alike and (share >= AGREES or (apart.beyond and scale.within(distance))):
            return [of_option(option, share, distance.unequal, distance.rms, apart.before.rms)], distance.rms
    return [], None


def _bisected(apart: _Apart) -> list[Cause]:
    """PyTorch's own bisection of passes and lowerings, with the judgement of halfulp as its predicate."""
    try:
        from torch._inductor.compiler_bisector import CompilerBisector
    except ImportError:
        return []
    if apart.laboratory.hurries(BISECTION, takes=2 * apart.builds_s):  # the first two say whether there is anything to find
        return []
    apart.laboratory.progress("bisecting the compiler's passes")
    # A graph from the cache is not lowered, and nothing is counted.
    uncached = config().patch(force_disable_caches=True)
    with contextlib.redirect_stdout(io.StringIO()), uncached, contextlib.suppress(Exception):
        found = CompilerBisector.do_bisect(_predicate(apart))
        if found is not None:
            what = ", ".join(str(name) for name in (found.subsystem, found.debug_info) if name)
            return [
                Cause(
                    f"compiler pass: {found.subsystem or found.backend}", "compiler", f"The difference appears in {found.backend}{f': {what}' if what else ''}{f' (step {found.bisect_number})' if found.bisect_number is not None else ''}.", 1.0,
                    evidence=("PyTorch's CompilerBisector ended there, with halfulp's verdict as its test.",),
                    remedy="turn that pass off, or report it", confidence="medium", side="actual",
                )
            ]  # fmt: skip
    return []


def _predicate(apart: _Apart) -> Callable[[], bool]:
    def good() -> bool:
        if apart.laboratory.hurries(BISECTION, takes=apart.builds_s):
            raise RuntimeError("the time budget ran out")  # which ends the bisection
        forget_compiled()  # what is compiled already is not bisected; functions of the user's are compiled again when they are called
        compiled = torch.compile(apart.compilation.original, **apart.compilation.arguments)
        case = apart.laboratory.case.with_function("actual", lambda *arguments, **keywords: compiled(*arguments, **keywords))
        try:
            with quiet():
                outputs = case.native("actual").outputs
        except OutOfTime as error:
            apart.laboratory.stop(BISECTION)
            raise RuntimeError("the time budget ran out") from error
        return apart.laboratory.scale.within(apart.laboratory.scale.distance(outputs, apart.eager))

    return good
