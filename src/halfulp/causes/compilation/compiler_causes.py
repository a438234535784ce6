"""What is found in a compiled function as causes: the sentences, the evidence and the remedy for each stage of compiling."""

from __future__ import annotations

from ...words.numbers import counted, times_of, verb
from ..cause import Cause, NodeResult, StageResult
from .captures import EagerCall
from .decompositions import WrongDecomposition
from .graph_passes import WrongPass
from .options import UNFUSED, Option
from .stages import CAPTURE, DECOMPOSITIONS, PASSES


def first_stage(stages: list[StageResult], *, verdict: bool) -> StageResult | None:
    """The first stage that is wrong, or (verdict=False) that has other bits."""
    if verdict:
        return next((stage for stage in stages if stage.verdict is not None and stage.verdict.acceptable is False), None)
    return next((stage for stage in stages if stage.unequal), None)


def of_capture(stage: StageResult, call: EagerCall | None) -> Cause:
    """Dynamo captured another program; `call`: the first whose result it lacks."""
    what = f" The first result that is missing from the captured graph is that of {call.name} in {call.source}." if call is not None else ""
    return Cause(
        f"graph capture: {call.name}" if call is not None else "graph capture", "compiler", f"Dynamo captures a program that differs from the one the function runs.{what}", 1.0,
        evidence=("The captured graph already gives the wrong results when it is run op by op, without further compiling.", _seen_at(stage)),
        remedy="keep the code that is captured wrongly out of the graph with torch.compiler.disable, and report the captured graph (TORCH_LOGS=graph_code)",
        confidence="high" if call is not None else "medium", side="actual", place="" if call is None else call.source,
    )  # fmt: skip


def of_decomposition(stage: StageResult, wrong: WrongDecomposition) -> Cause:
    """A decomposition is wrong."""
    return Cause(
        f"decomposition: {wrong.op}", "compiler", f"The decomposition of {wrong.op} is wrong. It is registered in {wrong.registered}.", 1.0,
        evidence=(
            f"Without this decomposition, the graph {_apart_in_words(wrong.left.unequal, wrong.left.rms)}; with it, the difference is {times_of(wrong.before.rms)} what rounding causes.",
            _seen_at(stage),
        ),
        remedy=f"take {wrong.op} out of the decompositions, or correct the function in {wrong.registered}", confidence="high", side="actual", place=wrong.source,
    )  # fmt: skip


def of_pass(stage: StageResult, wrong: WrongPass) -> Cause:
    """A pass over graphs is wrong."""
    which = f"The graph pass in the option {wrong.name!r} ({wrong.registered})" if wrong.name else "One of inductor's graph passes"
    what = f"{which} changes what {wrong.op} computes." if wrong.op else f"{which} changes the results."
    evidence = [
        (
            "Run op by op, without generated code, the graph after all passes differs from the eager ops by "
            f"{times_of(wrong.before.rms)} what rounding causes."
        )
    ]
    if wrong.name:
        evidence.append(f"With {wrong.name} = None, the difference is rounding.")
    if wrong.op:
        evidence.append(
            f"The graph before the passes computes {wrong.op}; the graph after them has the inputs of that op, but not its value."
        )
    return Cause(
        f"graph pass: {wrong.name or wrong.op or 'inductor'}", "compiler", what, 1.0, evidence=(*evidence, _seen_at(stage)),
        remedy=f"set torch._inductor.config.{wrong.name} = None, or correct the pass" if wrong.name else "report the graph (TORCH_LOGS=post_grad_graphs)",
        confidence="high" if wrong.name and wrong.op else "medium", side="actual", place=wrong.source,
    )  # fmt: skip


def of_option(option: Option, share: float, unequal: int, left: float, before: float) -> Cause:
    """An option of inductor takes a share of the difference away and leaves so many elements, and so much in units of rounding."""
    bits = (
        "every bit agrees with the eager function"
        if not unequal
        else f"the remaining difference is {times_of(left, 2)} what rounding causes"
    )
    return Cause(
        option.name, "compiler", f"Compiled with {option.detail}, the function agrees with the eager one.", min(1.0, max(0.0, share)),
        evidence=((f"With {', '.join((f'{key} = {value!r}' for key, value in option.patches.items()))}, {bits}; before, the "
f"difference was {times_of(before)} what rounding causes."),),
        remedy=option.remedy, confidence="high" if not unequal else "medium", side="actual", place="", reports=option.reports,
    )  # fmt: skip


def of_wrong_kernel(nodes: list[NodeResult], stages: list[StageResult]) -> list[Cause]:
    """The first op that adds more than rounding in the generated program."""
    wrong = next((node for node in nodes if node.beyond), None)
    if wrong is None:
        return []
    evidence = [
        f"Given the values that it reads in the generated program, {wrong.op} is off by {times_of(wrong.in_noise)} what its rounding causes: "
        f"{wrong.unequal:,} of {counted(wrong.count, 'element')} {verb(wrong.unequal, 'differ')} from what the eager op gives."
    ]
    if wrong.alone is not None:
        evidence.append(
            f"Compiled alone, it {'differs from the eager op too' if wrong.alone else 'agrees with the eager op, so it is wrong only in this program'}."
        )
    if stages and all(stage.verdict is not None and stage.verdict.acceptable for stage in stages):
        evidence.append(f"The graph that the code is generated from is right: every stage up to {stages[-1].name!r} agrees.")
    lowering = wrong.lowering
    what = f"The lowering of {wrong.op}, registered in {lowering}, is wrong" if lowering else ""
    if not what and wrong.generator:
        what = f"The code that is generated for {wrong.op} by {wrong.generator} is wrong"
    return [
        Cause(
            f"lowering: {wrong.op}" if lowering else "generated kernel", "compiler",
            f"{what}: {wrong.kernel or 'the generated code'} computes {wrong.name} wrongly." if what else f"{wrong.kernel or 'The generated code'} computes {wrong.op} ({wrong.name}) wrongly.",
            1.0, evidence=tuple(evidence),
            remedy=f'keep the op out of the compiler: torch.compile(m, backend="aot_eager"), or torch.compiler.disable around {wrong.source or wrong.name}; report the generated kernel (the full report shows it)',
            confidence="high", side="actual", place=wrong.source, reports=("pytorch/pytorch#160242", "pytorch/pytorch#173626"), source=wrong.code,
        )
    ]  # fmt: skip


def of_rounding_kernels(nodes: list[NodeResult], stages: list[StageResult]) -> list[Cause]:
    """Rounding differences come from the ops that are computed otherwise."""
    if not nodes:
        return []
    stage = first_stage(stages, verdict=False)
    names = list(dict.fromkeys(node.op for node in nodes))
    kernels = list(dict.fromkeys(node.kernel for node in nodes if node.kernel))
    where = f" ({', '.join(kernels)})" if kernels else ""
    evidence = [
        (
            f"In the generated program, {node.op} ({node.name}) gives different bits in {node.unequal:,} of {counted(node.count, 'element')}; the difference is {times_of(node.in_noise, 2)} what rounding causes in this op."
        )
        for node in nodes[:5]
    ]
    if stage is not None:
        evidence.append(f"The bits first change at the stage {stage.name!r} ({stage.what}).")
    return [
        Cause(
            "generated kernels", "compiler", f"Generated code computes {', '.join(names[:4])}{' and others' if len(names) > 4 else ''} in a different way{where}. The difference is rounding.",
            1.0, evidence=tuple(evidence), remedy='none is needed; to get the bits of the eager ops, use torch.compile(m, mode="lite") or backend="aot_eager"', confidence="medium", side="actual", place=nodes[0].source, reports=(), source=nodes[0].code,
        )
    ]  # fmt: skip


UNCOMPILED = "keep the function out of the compiler: torch.compiler.disable(f)"
COMPILED_UP_TO = {
    CAPTURE: 'backend="eager"',
    "aot_eager": 'backend="aot_eager"',
    DECOMPOSITIONS: 'backend="aot_eager_decomp_partition"',
    PASSES: 'backend="aot_eager_decomp_partition"',
    "inductor": "the default mode, which doesn't choose kernels by timing",
}
"""The stages of compiling -> the arguments of torch.compile that end there or before."""


def of_stage(stages: list[StageResult], *, beyond: bool) -> list[Cause]:
    """Without anything closer: the stage before which all is well."""
    stage = first_stage(stages, verdict=beyond)
    if stage is None:
        return []
    before = stages[stages.index(stage) - 1].name if stages.index(stage) else "eager"
    remedy = COMPILED_UP_TO.get(before)
    advice = f"compile with {remedy}" if remedy else UNFUSED if before == "inductor, nothing fused" else UNCOMPILED
    return [
        Cause(
            f"stage: {stage.name}", "compiler", f"The {'verdict' if beyond else 'bits'} change{'s' if beyond else ''} at the stage {stage.name!r}: {stage.what}.", 1.0,
            evidence=(f"Up to {before!r}, {'any difference is only rounding' if beyond else 'every bit agrees'}; from {stage.name!r} on, {stage.unequal:,} of {counted(stage.count, 'element')} {verb(stage.unequal, 'differ')}.",),
            remedy=advice, confidence="medium", side="actual",
        )
    ]  # fmt: skip


def _seen_at(stage: StageResult) -> str:
    return f"The verdict first changes at the stage {stage.name!r} ({stage.what}): {stage.unequal:,} of {counted(stage.count, 'element')} {verb(stage.unequal, 'differ')}."


def _apart_in_words(unequal: int, rms: float) -> str:
    return (
        "gives the same bits as the eager ops" if not unequal else f"differs from the eager ops by {times_of(rms, 2)} what rounding causes"
    )
