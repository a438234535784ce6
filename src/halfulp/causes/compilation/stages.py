"""The stages of compiling, each run by itself: where the bits change first, and where the verdict does."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unittest import mock

import torch

from ...cases import OutOfTime
from ...cases.deadline import now
from ...differences import Leaf
from ...errors import HalfulpError
from ...process.alone import alone, quiet
from ...verdicts.checker import judged
from ...verdicts.gatherer import Gatherer
from ...verdicts.verdict import Verdict
from ..cause import StageResult
from ..laboratory import Laboratory
from ..processes import OVER
from ..scale import Distance
from .compiled_function import Compilation, compile_apart
from .internals import config, graph_lowering, mode_options, passed, tensor_box

BUILDING_S = 3.0
"""Generating and compiling a small net takes three to fifteen seconds; a function that comes from a cache doesn't show it."""
TUNING = 2.0
"""So much longer it takes where kernels are chosen by timing (`python -m benchmarks.explain_cost` keeps to it)."""


@dataclass(frozen=True)
class Stage:
    """One stage of compiling.

    Attributes:
        name, what: what it is called, and what it adds to the stage before. arguments: of torch.compile.
        around: what is in force while it is compiled and run. needs_no_grad: whether it exists for inference only.
        builds: whether code is generated and compiled, which takes seconds.
    """

    name: str
    what: str
    arguments: Mapping[str, Any]
    around: Callable[[], contextlib.AbstractContextManager[Any]] = contextlib.nullcontext
    needs_no_grad: bool = False
    builds: bool = True

    @property
    def is_tuned(self) -> bool:
        """Whether kernels are chosen by timing."""
        return bool(dict(self.arguments.get("options") or {}).get("max_autotune"))


CAPTURE, DECOMPOSITIONS, PASSES = "eager through dynamo", "decompositions", "graph passes"
"""Names of stages whose op can be found without generating code."""


def stages_of(compilation: Compilation) -> Iterator[Stage]:
    """The stages that lead to what was compiled, and those beyond it that people turn on."""
    options = dict(compilation.options)
    inductor: dict[str, Any] = {"options": options} if options else {}
    tuned = {**options, **mode_options("max-autotune-no-cudagraphs")}
    yield Stage(CAPTURE, "bytecode captured, ops run eagerly", {"backend": "eager"}, builds=False)
    yield Stage("aot_eager", "functionalized, forward and backward separated", {"backend": "aot_eager"}, builds=False)
    yield Stage(DECOMPOSITIONS, "ops taken apart into simpler ones", {"backend": "aot_eager_decomp_partition"}, builds=False)
    if not compilation.is_inductor:
        if compilation.backend not in ("eager", "aot_eager", "aot_eager_decomp_partition"):
            yield Stage(compilation.backend, "as compiled", compilation.arguments)
        return

    def without_code(module: Any, inputs: Any) -> Any:
        return passed(module, inputs, options, [])

    yield Stage(PASSES, "rewritten by inductor's passes over graphs, ops run eagerly", {"backend": without_code}, builds=False)
    yield Stage(
        "inductor, nothing fused", "kernels generated, one loop for each op", {"options": {**options, "max_fusion_size": 1}}, unfused
    )
    plain = {key: value for key, value in options.items() if key not in mode_options("max-autotune")}
    yield Stage("inductor", "loops fused", {"options": plain} if plain else {})
    if plain != options:
        yield Stage("inductor as compiled", f"with {_words(options)}", inductor)
    if not options.get("max_autotune"):
        yield Stage("max-autotune", "kernels chosen by timing", {"options": tuned})
    yield Stage("freezing", "parameters taken as constants, kernels chosen by timing", {"options": tuned}, frozen, needs_no_grad=True)


def _words(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} = {value}" for key, value in options.items())


@contextlib.contextmanager
def frozen() -> Generator[None]:
    """Parameters are constants for the compiler inside."""
    with config().patch(freezing=True), torch.no_grad():
        yield


@contextlib.contextmanager
def unfused() -> Generator[None]:
    """Every op is given a buffer of its own inside, so that none is computed within the loop of another."""
    lowering, box = graph_lowering(), tensor_box()
    original = lowering.run_node

    def run_node(self: Any, node: Any) -> Any:
        result = original(self, node)
        if isinstance(result, box) and node.op == "call_function":
            result.realize()
        return result

    # Not part of the key of inductor's cache.
    with alone(), mock.patch.object(lowering, "run_node", run_node), config().patch(force_disable_caches=True):
        yield


def staged(compilation: Compilation, stage: Stage) -> Callable[..., Any]:
    """The original function as a stage runs it; recognized as compiled by what looks for it."""
    compiled = compile_apart(compilation.original, **stage.arguments)

    def run(*arguments: Any, **keywords: Any) -> Any:
        with stage.around():
            return compiled(*arguments, **keywords)

    run._torchdynamo_orig_callable = compilation.original  # type: ignore[attr-defined]
    return run


def run_stages(
    laboratory: Laboratory,
    compilation: Compilation,
    eager: Sequence[Leaf],
    *,
    builds: bool,
    before: Sequence[StageResult] = (),
    until_wrong: bool = False,
) -> list[StageResult]:
    """The stages with or without generated code against what the function gives eagerly.

    Args:
        laboratory, compilation: what was compiled. eager: what the function gives. builds: which stages. before: what those before gave.
        until_wrong: whether stages after the first wrong one are left out.
    """
    found = list(before)
    for stage in stages_of(compilation):
        if stage.builds is not builds or (stage.needs_no_grad and laboratory.case.gradients):
            continue
        wrong = next((result.name for result in found if result.verdict is not None and result.verdict.acceptable is False), "")
        if until_wrong and wrong:
            found.append(StageResult(stage.name, stage.what, None, note=f"not run, because the earlier stage {wrong!r} is already wrong"))
            continue
        if laboratory.hurries(f"the stage {stage.name!r}", takes=_takes(stage, laboratory, found)):
            found.append(StageResult(stage.name, stage.what, None, note=OVER))
            continue
        laboratory.progress(f"compiling: {stage.name}")
        found.append(_run(laboratory, compilation, stage, eager, found))
    return found[len(before) :]


def _takes(stage: Stage, laboratory: Laboratory, before: list[StageResult]) -> float:
    """About how many seconds a stage takes: what the longest before it took, the function as it was compiled first; longer where kernels are timed."""
    if not stage.builds:
        return 0.0
    longest = max([BUILDING_S, laboratory.case.native("actual").seconds, *(result.seconds for result in before)])
    return TUNING * longest if stage.is_tuned else longest


def _run(laboratory: Laboratory, compilation: Compilation, stage: Stage, eager: Sequence[Leaf], before: list[StageResult]) -> StageResult:
    case, scale = laboratory.case, laboratory.scale
    start = now()
    changed = case.with_function("actual", staged(compilation, stage))
    try:
        with quiet():
            outputs = changed.native("actual").outputs
    except OutOfTime:
        laboratory.stop(f"the stage {stage.name!r}")
        return StageResult(stage.name, stage.what, None, note=OVER)
    except (Exception, SystemExit) as error:
        reason = error.__cause__ or error
        lines = str(reason).strip().splitlines() or [""]
        return StageResult(stage.name, stage.what, None, seconds=now() - start, note=f"{type(reason).__name__}: {lines[0][:160]}")
    seconds = now() - start
    distance = scale.distance(outputs, eager)
    return StageResult(
        stage.name, stage.what, _verdict(laboratory, changed.with_function("expected", compilation.original), distance, before, stage.name), distance.unequal, count=distance.count, in_noise=distance.rms,
        error_in_noise=laboratory.error_of(outputs), eager_error_in_noise=laboratory.error_of(eager), seconds=seconds,
    )  # fmt: skip


def _verdict(laboratory: Laboratory, changed: Any, distance: Distance, before: list[StageResult], stage: str) -> Verdict | None:
    if distance.unequal == 0 and distance.alike:
        return Verdict.IDENTICAL
    if laboratory.scale.within(distance):
        return Verdict.ROUNDING
    # The whole judgement once, for the first stage that goes beyond; later ones that differ alike are of its kind.
    for stage_result in before:
        known = stage_result.verdict is not None and stage_result.verdict.acceptable is False and stage_result.in_noise is not None
        if known and 0.5 <= distance.rms / (stage_result.in_noise or 1.0) <= 2.0:
            return stage_result.verdict
    try:
        with quiet():
            return judged(Gatherer(changed, lambda _: None)).verdict
    except OutOfTime:
        laboratory.stop(f"the verdict on the stage {stage!r}")
        return None
    except HalfulpError:
        return None
