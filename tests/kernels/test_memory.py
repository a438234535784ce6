"""What a reference gave is kept for the other solutions of its problem: the same answers, sooner."""

import itertools

import numpy as np
import pytest
import torch

from halfulp.cases import LIFTED, NATIVE, Case, Known
from halfulp.kernels.judging import judge_here
from halfulp.kernels.trials.memory import Memory, digest, size_of
from halfulp.noise import noise_of
from halfulp.verdicts.checker import judged
from halfulp.verdicts.gatherer import Gatherer

X = torch.linspace(-3.0, 3.0, 600).reshape(20, 30)
PROBLEM = """
import torch, torch.nn as nn

class Model(nn.Module):
    def forward(self, x):
        return torch.softmax(x, -1)

def get_inputs():
    return [torch.randn(12, 33)]

def get_init_inputs():
    return []
"""
SOLUTION = """
import torch, torch.nn as nn

class ModelNew(nn.Module):
    def forward(self, x):
        e = torch.exp(x - x.amax(-1, keepdim=True))
        return e * (1.0 / e.sum(-1, keepdim=True)) {wrong}
"""


def counted(function):
    def expected(*arguments):
        expected.calls += 1
        return function(*arguments)

    expected.calls = 0
    return expected


@pytest.mark.parametrize(
    "other", [lambda x: torch.exp(x) / torch.exp(x).sum(-1, keepdim=True), lambda x: torch.softmax(x.bfloat16(), -1).float()]
)
def test_what_is_known_changes_no_verdict_and_spares_runs(other):
    expected, known = counted(lambda x: torch.softmax(x, -1)), Known()
    found = []
    for kept in (None, known, known):
        case, before = Case(other, expected, (X,)), expected.calls
        case.known = kept
        check = judged(Gatherer(case, lambda _: None))
        found.append((check.verdict, check.because, [vars(evidence)["measured"] for evidence in check.evidence], expected.calls - before))
    plain, first, again = found
    assert repr(plain[:3]) == repr(first[:3]) == repr(again[:3])
    assert first[3] <= plain[3] and again[3] < plain[3] * 0.6


def test_noise_of_fewer_samples_is_not_taken_for_all():
    case = Case(torch.exp, torch.exp, (X,))
    case.known = Known()
    few = noise_of(case, enough=lambda _: True)
    whole = noise_of(case)
    assert few.count < whole.count == noise_of(case, enough=lambda noise: noise.count > few.count).count
    assert noise_of(case, enough=lambda _: True) is few and noise_of(case) is whole
    assert noise_of(case, amplitude=2.0) is not whole


def test_other_functions_and_narrowed_rows_know_nothing():
    case = Case(torch.exp, torch.sin, (X,))
    case.known = Known()
    case.run("expected", LIFTED)
    assert case.with_function("actual", torch.cos).known is case.known
    assert case.with_function("expected", torch.cos).known is None and case.narrowed({}).known is None
    np.testing.assert_array_equal(
        case.with_function("expected", torch.cos).run("expected", LIFTED).outputs[0].float64(), torch.cos(X.double()).numpy()
    )


SHARED = torch.ones(4)
ONES = torch.ones(4)
DIFFERENT = [
    (X,), (X.clone().requires_grad_(),), (X.t().contiguous().t(),), (X.double(),), (X + 1e-7,), (X, 1), (X, 1.0), (X, True), (X, "1"), (X, None), [X],
    {"x": X}, {"y": X}, (X.reshape(30, 20),), (SHARED, SHARED), (SHARED, SHARED.clone()), (torch.zeros(3),), (-torch.zeros(3),), (torch.zeros(0),),
    (torch.zeros(0, 5),), (X.to(torch.bfloat16),), (X.to(torch.complex64),), (torch.tensor(True),), (torch.tensor(1, dtype=torch.uint8),),
    (ONES[:2], ONES[:2]), (ONES[:2], ONES[2:]),
]  # fmt: skip


def test_different_questions_have_different_digests():
    for (one, given), (other, second) in itertools.combinations(enumerate(DIFFERENT), 2):
        assert digest(given) != digest(second), (one, other)
    assert digest((X, [1, {"a": SHARED}])) == digest((X.clone(), [1, {"a": SHARED.clone()}]))
    assert digest((SHARED, SHARED)) == digest((shared := SHARED.clone(), shared))


@pytest.mark.parametrize("given", [object(), (X, lambda x: x), {1: X}, (np.zeros(3),), (X.to_sparse(),), ({"a": {"b": range(3)}},)])
def test_what_can_not_be_told_apart_is_not_kept(given):
    memory = Memory()
    memory.of(given).facts["seconds"] = 1.0
    assert not memory.of(given).facts


def test_what_was_not_asked_for_long_is_forgotten_first():
    memory = Memory(most_bytes=10_000)
    for place in range(30):
        memory.of((place,)).facts["noise"] = np.zeros(125)
        memory.of((0,))
    kept = [place for place in range(30) if memory.of((place,)).facts]
    assert 0 in kept and 29 in kept and 8 <= len(kept) <= 10


def test_the_bytes_of_results_are_counted():
    case = Case(torch.exp, torch.exp, (X,))
    case.known = Known()
    noise_of(case)
    arrays = X.numel() * 8
    assert 4 * arrays <= size_of(case.known) <= 12 * arrays


def test_solutions_of_one_problem_get_the_answers_of_each_alone(tmp_path):
    (tmp_path / "problem.py").write_text(PROBLEM)
    for name, wrong in (("right", ""), ("also", "+ 0.0"), ("wrong", "+ 3e-6")):
        (tmp_path / f"{name}.py").write_text(SOLUTION.replace("{wrong}", wrong))
    together = {name: judge_here(tmp_path / "problem.py", tmp_path / f"{name}.py", budget_s=20.0) for name in ("right", "also", "wrong")}
    assert {name: result.answer for name, result in together.items()} == {"right": "RIGHT", "also": "RIGHT", "wrong": "MISTAKE"}
    (tmp_path / "problem.py").write_text(PROBLEM.replace("softmax(x, -1)", "softmax(x, 0)"))
    assert judge_here(tmp_path / "problem.py", tmp_path / "right.py", budget_s=10.0).answer == "MISTAKE"


TWO_FUNCTIONS = """
import torch
def softmax(x): return torch.softmax(x, -1)
def log_softmax(x): return torch.log_softmax(x, -1)
def inputs(seed): return (torch.randn(12, 33, generator=torch.Generator().manual_seed(seed)),)
"""


def test_functions_of_one_file_are_problems_of_their_own(tmp_path):
    """Their texts, inputs and states are the same."""
    (tmp_path / "ops.py").write_text(TWO_FUNCTIONS)
    (tmp_path / "own.py").write_text(
        "import torch\n"
        "def softmax(x):\n    e = torch.exp(x - x.amax(-1, keepdim=True))\n    return e / e.sum(-1, keepdim=True)\n"
        "def log_softmax(x):\n    return x - torch.logsumexp(x, -1, keepdim=True)\n"
    )
    for name in ("softmax", "log_softmax", "softmax"):
        assert judge_here(f"{tmp_path}/ops.py:{name}", tmp_path / "own.py", budget_s=6.0).answer == "RIGHT", name
    (tmp_path / "own.py").write_text("import torch\ndef log_softmax(x):\n    e = torch.exp(x)\n    return e / e.sum(-1, keepdim=True)\n")
    assert judge_here(f"{tmp_path}/ops.py:log_softmax", tmp_path / "own.py", budget_s=6.0).answer == "MISTAKE"


def test_what_is_forgotten_and_what_failed_is_not_kept():
    def fails_in_float64(x):
        if x.dtype == torch.float64:
            raise MemoryError
        return x.exp()

    case = Case(torch.exp, fails_in_float64, (X,))
    case.known = Known()
    case.run("expected")
    case.run("expected", LIFTED)
    assert list(case.known.runs) == [NATIVE]
    case.forget("expected", NATIVE)
    assert not case.known.runs


def test_one_question_larger_than_its_part_is_not_kept_and_takes_nothing_with_it():
    memory = Memory(most_bytes=10_000)
    memory.of(("small",)).facts["noise"] = np.zeros(100)
    memory.of(("large",)).facts["noise"] = np.zeros(1000)
    for place in range(4):
        memory.of((place,))
    assert memory.of(("small",)).facts and not memory.of(("large",)).facts
