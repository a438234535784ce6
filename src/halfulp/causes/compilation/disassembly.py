"""taken_apart: a compiled function against the eager one: stages, options, ops and kernels, choices."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ...cases import OutOfTime
from ...differences import Leaf
from ...process.alone import quiet
from ..cause import Cause, Experiment, NodeResult, StageResult
from ..laboratory import Laboratory
from ..processes import OVER
from ..scale import Distance
from .captures import EagerCall, wrong_capture
from .changing_nodes import changing_nodes
from .compiled_function import Compilation
from .decompositions import WrongDecomposition, wrong_decomposition
from .graph_passes import WrongPass, wrong_pass
from .graphs import captured, lowered
from .internals import config, forget_compiled
from .kernel_choices import Choices, choices_of
from .options import Option, usable_options
from .stages import BUILDING_S, CAPTURE, DECOMPOSITIONS, PASSES, Stage, run_stages, staged, stages_of

CHOICES, INSIDE, BISECTION = "compiling in fresh processes", "looking into the generated program", "bisecting the compiler's passes"
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
        laboratory.stop("taking the compiled function apart")
        return TakenApart((), tuple(StageResult(stage.name, stage.what, None, note=OVER) for stage in stages_of(compilation)))
    builds_s = max(BUILDING_S, case.native("actual").seconds)
    apart = _Apart(laboratory, compilation, eager, scale.distance(laboratory.native["actual"], eager), builds_s)
    notes: list[str] = (
        [] if compilation.known else ["How the function was compiled can't be read in this version of PyTorch: default options were taken."]
    )
    if not scale.within(scale.distance(eager, laboratory.native["expected"])):
        notes.append("The function differs from `expected` before it is compiled: what compiling adds is listed by stages.")
    stages = run_stages(laboratory, compilation, eager, builds=False)
    early = _first_stage(stages, verdict=True) if apart.beyond else None
    nodes: list[NodeResult] = []
    left: float | None = None
    if early is not None:
        causes = _early_cause(apart, early) or _stage_cause(apart, stages)
        stages += run_stages(laboratory, compilation, eager, builds=True, before=stages, until_wrong=True)
    elif apart.beyond:  # the op first: it is what is asked for, and the time may be short
        causes, nodes, left = _causes(apart, stages, notes)
        stages += run_stages(laboratory, compilation, eager, builds=True, before=stages, until_wrong=True)
        causes = causes or _stage_cause(apart, stages)
    else:
        stages += run_stages(laboratory, compilation, eager, builds=True, before=stages)
        causes, nodes, left = _causes(apart, stages, notes) if apart.differs else ([], [], None)
        causes = causes or (_stage_cause(apart, stages) if apart.differs and laboratory.result.acceptable is True else [])
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
        nodes = _nodes(apart, notes)
        # In 16 bits an op inside a fused loop reads what isn't rounded yet, and seems to err: casts are tried before it is blamed.
        causes, left = _options(apart, "emulate_precision_casts")
        if not causes and apart.beyond:
            causes = _wrong_kernel(nodes, stages)
        if not causes:
            causes, left = _options(apart)
        if not causes:
            causes = _bisected(apart) if apart.beyond else _kernels(nodes, stages)
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
            return [_capture_cause(stage, wrong_capture(lambda: compilation.original(*arguments, **keywords), graphs))]
        for graph in graphs:
            if stage.name == DECOMPOSITIONS:
                decomposition = wrong_decomposition(graph, ends)
                if decomposition is not None:
                    return [_decomposition_cause(stage, decomposition)]
            if stage.name == PASSES:
                wrong = wrong_pass(graph, compilation.options, ends)
                if wrong is not None:
                    return [_pass_cause(stage, wrong)]
    return []


def _seen_at(stage: StageResult) -> str:
    return f"The verdict changes first at the stage {stage.name!r} ({stage.what}): {stage.unequal:,} of {stage.count:,} elements differ."


def _capture_cause(stage: StageResult, call: EagerCall | None) -> Cause:
    what = f" The first result that the captured graph lacks is that of {call.name} in {call.source}." if call is not None else ""
    return Cause(
        f"graph capture: {call.name}" if call is not None else "graph capture", "compiler", f"Dynamo captures another program than the function runs.{what}", 1.0,
        evidence=("The captured graph, run op by op without compiling it further, gives the wrong results already.", _seen_at(stage)),
        remedy="keep the lines out of the graph: torch.compiler.disable around them; report the captured graph (TORCH_LOGS=graph_code)",
        confidence="high" if call is not None else "medium", side="actual", place="" if call is None else call.source,
    )  # fmt: skip


def _decomposition_cause(stage: StageResult, wrong: WrongDecomposition) -> Cause:
    return Cause(
        f"decomposition: {wrong.op}", "compiler", f"The decomposition of {wrong.op} is wrong. It is registered in {wrong.registered}.", 1.0,
        evidence=(
            f"Without this decomposition the graph is {_apart_in_words(wrong.left.unequal, wrong.left.rms)}; with it the difference is {wrong.before.rms:.3g} times what rounding makes.",
            _seen_at(stage),
        ),
        remedy=f"take {wrong.op} out of the decompositions, or correct the function in {wrong.registered}", confidence="high", side="actual", place=wrong.source,
    )  # fmt: skip


def _apart_in_words(unequal: int, rms: float) -> str:
    return "equal to the eager ops in every bit" if not unequal else f"within {rms:.2g} times the rounding of the eager ops"


def _pass_cause(stage: StageResult, wrong: WrongPass) -> Cause:
    which = f"The pass over graphs in the option {wrong.name!r} ({wrong.registered})" if wrong.name else "A pass of inductor over graphs"
    what = f"{which} changes what {wrong.op} computes." if wrong.op else f"{which} changes the results."
    evidence = [
        f"The graph after all passes, run op by op, differs by {wrong.before.rms:.3g} times what rounding makes: no code was generated."
    ]
    if wrong.name:
        evidence.append(f"With {wrong.name} = None the difference is rounding.")
    if wrong.op:
        evidence.append(
            f"The graph before the passes has the value of {wrong.op}; the graph after them has what the op reads, and not its value."
        )
    return Cause(
        f"graph pass: {wrong.name or wrong.op or 'inductor'}", "compiler", what, 1.0, evidence=(*evidence, _seen_at(stage)),
        remedy=f"set torch._inductor.config.{wrong.name} = None, or correct the pass" if wrong.name else "report the graph (TORCH_LOGS=post_grad_graphs)",
        confidence="high" if wrong.name and wrong.op else "medium", side="actual", place=wrong.source,
    )  # fmt: skip


def _freezing_differs(stages: list[StageResult]) -> bool:
    return any(stage.name == "freezing" and stage.unequal for stage in stages)


def _choice_in_words(choices: Choices, how: str) -> str:
    if not choices.chosen and not choices.results:
        return ""
    runs = len(choices.chosen)
    kernels = sorted({name for one in choices.chosen for name in one})
    chosen = f"kernels chosen by timing: {', '.join(kernels)}" if kernels else "no kernel was chosen by timing"
    same = "all gave the same bits" if choices.results == 1 else f"{choices.results} different results, {choices.unequal:,} elements apart"
    choice = ", not the same in all" if choices.varies else ", the same in all" if kernels else ""
    here = f" {choices.like_here} gave the bits of this process." if how.startswith("as compiled") else ""
    return f"Compiled {how} in {runs} fresh processes without caches: {chosen}{choice}; {same}.{here}"


def _arguments(laboratory: Laboratory) -> tuple[Any, dict[str, Any]]:
    from ...cases import NATIVE

    return laboratory.case.arguments(laboratory.case.actual, NATIVE)


def _nodes(apart: _Apart, notes: list[str]) -> list[NodeResult]:
    """The ops of all graphs that give other bits than eagerly."""
    laboratory, compilation = apart.laboratory, apart.compilation
    if laboratory.hurries(INSIDE, takes=COMPILED_INSIDE * apart.builds_s):
        return []
    laboratory.progress("looking into the generated program")
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
        notes.append(f"The generated program could not be looked into: {type(error).__name__}: {lines[0][:160]}")
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
            return [_option_cause(option, share, distance.unequal, distance.rms, apart.before.rms)], distance.rms
    return [], None


def _option_cause(option: Option, share: float, unequal: int, left: float, before: float) -> Cause:
    bits = "every bit agrees with the eager function" if not unequal else f"a difference of {left:.2g} times what rounding makes is left"
    return Cause(
        option.name, "compiler", f"Compiled with {option.detail}, the function gives what it gives eagerly.", min(1.0, max(0.0, share)),
        evidence=(f"With {', '.join(f'{key} = {value!r}' for key, value in option.patches.items())} {bits}; before it was {before:.3g} times what rounding makes.",),
        remedy=option.remedy, confidence="high" if not unequal else "medium", side="actual", place="", reports=option.reports,
    )  # fmt: skip


def _first_stage(stages: list[StageResult], *, verdict: bool) -> StageResult | None:
    if verdict:
        return next((stage for stage in stages if stage.verdict is not None and stage.verdict.acceptable is False), None)
    return next((stage for stage in stages if stage.unequal), None)


def _wrong_kernel(nodes: list[NodeResult], stages: list[StageResult]) -> list[Cause]:
    """The first op that adds more than rounding in the generated program."""
    wrong = next((node for node in nodes if node.beyond), None)
    if wrong is None:
        return []
    evidence = [
        f"On the values that it reads in the generated program, {wrong.op} gives {wrong.in_noise:.3g} times what rounding of the op makes: "
        f"{wrong.unequal:,} of {wrong.count:,} elements differ from the eager op."
    ]
    if wrong.alone is not None:
        evidence.append(
            f"Compiled by itself it {'does so too' if wrong.alone else 'agrees with the eager op: it goes wrong only in this program'}."
        )
    if stages and all(stage.verdict is not None and stage.verdict.acceptable for stage in stages):
        evidence.append(f"The graph that code is generated from is right: up to the stage {stages[-1].name!r} nothing is wrong.")
    lowering = wrong.lowering
    what = f"The lowering of {wrong.op}, registered in {lowering}, is wrong" if lowering else ""
    if not what and wrong.generator:
        what = f"The code that is generated for {wrong.op} by {wrong.generator} is wrong"
    return [
        Cause(
            f"lowering: {wrong.op}" if lowering else "generated kernel", "compiler",
            f"{what}: {wrong.kernel or 'the generated code'} computes {wrong.name} wrongly." if what else f"{wrong.kernel or 'The generated code'} computes {wrong.op} ({wrong.name}) wrongly.",
            1.0, evidence=tuple(evidence),
            remedy=f'keep the op out of the compiler: torch.compile(m, backend="aot_eager"), or torch.compiler.disable around {wrong.source or wrong.name}; report the kernel below',
            confidence="high", side="actual", place=wrong.source, reports=("pytorch/pytorch#160242", "pytorch/pytorch#173626"), source=wrong.code,
        )
    ]  # fmt: skip


def _kernels(nodes: list[NodeResult], stages: list[StageResult]) -> list[Cause]:
    """Rounding differences come from the ops that are computed otherwise."""
    if not nodes:
        return []
    stage = _first_stage(stages, verdict=False)
    names = list(dict.fromkeys(node.op for node in nodes))
    kernels = list(dict.fromkeys(node.kernel for node in nodes if node.kernel))
    where = f" ({', '.join(kernels)})" if kernels else ""
    evidence = [
        f"In the generated program {node.op} ({node.name}) gives other bits in {node.unequal:,} of {node.count:,} elements, {node.in_noise:.2g} of its noise."
        for node in nodes[:5]
    ]
    if stage is not None:
        evidence.append(f"Bits change first at the stage {stage.name!r} ({stage.what}).")
    return [
        Cause(
            "generated kernels", "compiler", f"Generated code computes {', '.join(names[:4])}{' and others' if len(names) > 4 else ''} in another way{where}. The difference is rounding.",
            1.0, evidence=tuple(evidence), remedy='none is needed; for the bits of the eager ops: torch.compile(m, mode="lite") or backend="aot_eager"', confidence="medium", side="actual", place=nodes[0].source, reports=(), source=nodes[0].code,
        )
    ]  # fmt: skip


def _stage_cause(apart: _Apart, stages: list[StageResult]) -> list[Cause]:
    """Without anything closer: the stage before which all is well."""
    beyond = apart.beyond
    stage = _first_stage(stages, verdict=beyond)
    if stage is None:
        return []
    before = stages[stages.index(stage) - 1].name if stages.index(stage) else "eager"
    return [
        Cause(
            f"stage: {stage.name}", "compiler", f"The {'verdict' if beyond else 'bits'} change{'s' if beyond else ''} at the stage {stage.name!r}: {stage.what}.", 1.0,
            evidence=(f"Up to {before!r} {'the difference is rounding or none' if beyond else 'every bit agrees'}; from {stage.name!r} on {stage.unequal:,} of {stage.count:,} elements differ.",),
            remedy=f"compile up to {before!r} only", confidence="medium", side="actual",
        )
    ]  # fmt: skip


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
                    f"compiler pass: {found.subsystem or found.backend}", "compiler", f"The difference appears with {what or found.backend} (step {found.bisect_number}) of {found.backend}.", 1.0,
                    evidence=("PyTorch's CompilerBisector, with the judgement of halfulp as its predicate, ended there.",),
                    remedy="turn that pass off, or report it", confidence="medium", side="actual",
                )
            ]  # fmt: skip
    return []


def _predicate(apart: _Apart) -> Callable[[], bool]:
    def good() -> bool:
        if apart.laboratory.hurries(BISECTION, takes=apart.builds_s):
            raise RuntimeError("the time was over")  # which ends the bisection
        forget_compiled()  # what is compiled already is not bisected; functions of the user's are compiled again when they are called
        compiled = torch.compile(apart.compilation.original, **apart.compilation.arguments)
        case = apart.laboratory.case.with_function("actual", lambda *arguments, **keywords: compiled(*arguments, **keywords))
        try:
            with quiet():
                outputs = case.native("actual").outputs
        except OutOfTime as error:
            apart.laboratory.stop(BISECTION)
            raise RuntimeError("the time was over") from error
        return apart.laboratory.scale.within(apart.laboratory.scale.distance(outputs, apart.eager))

    return good
