"""What accepts generated kernels today, asked about the same solutions: a few draws of the problem's inputs, and a comparison.

KernelBench compares five draws by `torch.allclose` at 1e-2 (1e-4 in its newer versions, for float32); BackendBench at 1e-2 as well, and
counts shapes that the problem names; `assert_close` has its own tolerances for each dtype; flash-attention's tests ask that the largest error
be at most twice that of the reference in the same precision, both against the reference in a higher one.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from halfulp.cases.trees import tensors_of, tree_map
from halfulp.kernels.judging import HELPERS, shared_state
from halfulp.kernels.problems.calls import Setting, call, copied, seeded, state_of
from halfulp.kernels.problems.formats import read_problem
from halfulp.kernels.problems.problem import Problem
from halfulp.kernels.solutions.sandbox import Failed, Sandbox

DRAWS = 5
"""As many as KernelBench takes."""
FLASH = 2.0
"""How many times the reference's largest error flash-attention's tests allow."""

Tensors = list[torch.Tensor]


def _near(tolerance: float) -> Callable[[Tensors, Tensors, Tensors], bool]:
    def compared(found: Tensors, wanted: Tensors, _: Tensors) -> bool:
        return all(torch.allclose(a, e.to(a.dtype), rtol=tolerance, atol=tolerance) for a, e in zip(found, wanted))

    return compared


def _assert_close(found: Tensors, wanted: Tensors, _: Tensors) -> bool:
    for a, e in zip(found, wanted):
        torch.testing.assert_close(a, e)
    return True


def _flash(found: Tensors, wanted: Tensors, exact: Tensors) -> bool:
    for a, e, x in zip(found, wanted, exact):
        if not e.is_floating_point():
            if not torch.equal(a, e):
                return False
            continue
        if (a.double() - x.double()).abs().max() > FLASH * (e.double() - x.double()).abs().max():
            return False
    return True


PEERS: dict[str, Callable[[Tensors, Tensors, Tensors], bool]] = {
    "KernelBench at 1e-2": _near(1e-2), "KernelBench at 1e-4": _near(1e-4), "assert_close": _assert_close, "flash-attention's rule": _flash,
}  # fmt: skip
TESTED = "BackendBench"
"""Compares at 1e-2 on every test that the problem names besides."""


def accepted_by(problem: str | Path, solution: Path) -> dict[str, bool]:
    """Which of the peers accept a solution; one that raises, hangs or returns other shapes is accepted by none."""
    found = read_problem(problem)
    answers = dict.fromkeys((*PEERS, TESTED), False)
    helpers = [path for path in (found.file.parent / name for name in HELPERS) if path.is_file()]
    sandbox = Sandbox(solution, helpers=helpers, answer_s=20.0)
    try:
        sandbox.load()
        answers = dict.fromkeys(answers, True)
        for setting, is_draw in _settings(found):
            results = _three(found, sandbox, setting)
            for name in answers if is_draw else (TESTED,):
                answers[name] = answers[name] and _holds(PEERS.get(name, PEERS["KernelBench at 1e-2"]), *results)
    except Failed:
        answers = dict.fromkeys(answers, False)
    finally:
        sandbox.close()
    return answers


def _settings(problem: Problem) -> Iterator[tuple[Setting, bool]]:
    for seed in range(DRAWS):
        yield problem.draw(seed, {}), True
    for _, setting in problem.tests:
        yield setting, False


def _three(problem: Problem, sandbox: Sandbox, setting: Setting) -> tuple[Tensors, Tensors, Tensors]:
    """Results of the solution, of the reference, and of the reference in float64 where it runs there."""
    target = problem.make(setting.init)
    state = state_of(target)
    own, _ = sandbox.build(problem.entry, setting.init, 0)
    names, _ = shared_state(state, own)
    given = {mine: state[theirs] for mine, theirs in names.items()} if names is not None else own
    found = sandbox.call(replace(setting, state=given)).results
    with torch.no_grad(), seeded(0):
        wanted = call(target, state, copied(setting.arguments), setting.keywords, training=False)[0]
        exact: Any = wanted
        wide = {name: _wide(tensor) for name, tensor in state.items()}
        with contextlib.suppress(RuntimeError):  # code that names float32 in its own words
            exact = call(target, wide, tree_map(_wide, setting.arguments), setting.keywords, training=False)[0]
    return list(tensors_of(found)), list(tensors_of(wanted)), list(tensors_of(exact))


def _wide(value: Any) -> Any:
    return value.double() if isinstance(value, torch.Tensor) and value.is_floating_point() else value


def _holds(rule: Callable[[Tensors, Tensors, Tensors], bool], found: Tensors, wanted: Tensors, exact: Tensors) -> bool:
    if [tensor.shape for tensor in found] != [tensor.shape for tensor in wanted]:
        return False
    try:
        return rule(found, wanted, exact)
    except (AssertionError, RuntimeError):
        return False
