"""What no solution gets away with, and what is no fault of one."""

import pytest

import halfulp
from halfulp.kernels import judge
from halfulp.kernels.judging import judge_here
from halfulp.kernels.solutions.sharing import shared_state
from halfulp.kernels.solutions.source import Source
from halfulp.process.confinement import HIDDEN

TEXT = """
import torch
from torch import nn

class {name}(nn.Module):
    {constructor}
    def forward(self, x):
        {body}

def get_inputs():
    return [torch.randn(6, 8)]
def get_init_inputs():
    return []
"""
NONE = "pass"


def judged(tmp_path, reference, solution, *, constructors=(NONE, NONE), how=judge_here, **more):
    (tmp_path / "problem.py").write_text(TEXT.format(name="Model", body=reference, constructor=constructors[0]), encoding="utf-8")
    (tmp_path / "solution.py").write_text(TEXT.format(name="ModelNew", body=solution, constructor=constructors[1]), encoding="utf-8")
    return how(tmp_path / "problem.py", tmp_path / "solution.py", **{"budget_s": 8.0, **more})


def test_a_solution_that_refuses_other_draws_is_wrong(tmp_path):
    known = "ModelNew.first = getattr(ModelNew, 'first', float(x[0, 0])); assert float(x[0, 0]) == ModelNew.first; "
    found = judged(tmp_path, "return torch.tanh(x)", known + "return 2 * torch.sigmoid(2 * x) - 1")
    assert found.answer == "MISTAKE" and "seed" in found.kind, halfulp.report(found)


def test_results_that_differ_in_the_last_bit_alone_show_no_cache(tmp_path):
    found = judged(tmp_path, "return torch.softmax(x, -1).sum(-1)", "return torch.ones(len(x)) + 0.0 * x.sum(-1)")
    assert found.cheat == "", halfulp.report(found)


def test_a_pipe_to_its_own_process_is_no_network(tmp_path):
    talk = (
        "import socket, os; s = socket.socket(socket.AF_UNIX); s.bind('own'); s.listen(); c = socket.socket(socket.AF_UNIX); "
        "c.connect('own'); c.close(); s.close(); os.unlink('own'); "
    )
    found = judged(
        tmp_path, "return torch.tanh(x)", f"import os; os.chdir(os.environ['TMPDIR']); {talk}return 2 * torch.sigmoid(2 * x) - 1"
    )
    assert found.cheat == "", halfulp.report(found)


NORM = "def __init__(self):\n        super().__init__()\n        "


def test_a_scale_and_an_offset_are_told_apart_in_any_order(tmp_path):
    own = NORM + "self.beta = nn.Parameter(torch.zeros(8)); self.gamma = nn.Parameter(torch.ones(8))"
    body = "y = x - x.mean(-1, keepdim=True); return y / (y.square().mean(-1, keepdim=True) + 1e-5).sqrt() * self.gamma + self.beta"
    for change, answer in (("", "RIGHT"), (" * 1.001", "MISTAKE")):
        found = judged(tmp_path, "return self.norm(x)", body + change, constructors=(NORM + "self.norm = nn.LayerNorm(8)", own))
        assert found.answer == answer, halfulp.report(found)


def test_where_numbers_do_not_tell_the_order_does():
    import torch

    wanted = {"weight": torch.ones(2), "bias": torch.zeros(2)}
    assert shared_state(wanted, {"b": torch.zeros(2), "a": torch.ones(2)})[0] == {"b": "bias", "a": "weight"}
    assert shared_state(wanted, {"b": torch.zeros(2), "a": torch.zeros(2)})[0] == {"b": "weight", "a": "bias"}


def test_long_sums_are_read_as_any_code():
    terms = " + ".join(f"x[{number}]" for number in range(500))
    assert Source(f"def kernel(x):\n    program_id = 1\n    return program_id * ({terms})\n").narrow


def test_a_random_reference_is_no_guide(tmp_path):
    found = judged(tmp_path, "return torch.nn.functional.dropout(x, 0.5, training=True)", "return (torch.rand_like(x) > 0.5) * x * 2.0")
    assert found.answer == "UNDECIDED" and "each time" in found.because, halfulp.report(found)


def test_the_problem_is_empty_to_programs_that_a_solution_starts(tmp_path):
    read = f"import subprocess; text = subprocess.run(['cat', '{tmp_path / 'problem.py'}'], capture_output=True).stdout; "
    found = judged(
        tmp_path,
        "return torch.tanh(x)",
        read + "assert not text; t = torch.expm1(-2 * x.double().abs()); return (-torch.sign(x) * t / (t + 2)).float()",
    )
    assert found.answer == "RIGHT" or HIDDEN not in found.held, halfulp.report(found)


@pytest.mark.slow
def test_a_reference_that_never_ends_costs_one_question(tmp_path):
    halved = "while float(x.abs().max()) > 1:\n            x = x / 2\n        return x"
    found = judged(tmp_path, halved, halved.replace("x / 2", "x * 0.5").replace("return x", "return x * 1.0"), how=judge)
    assert found.answer == "RIGHT", halfulp.report(found)


SATURATED = """
class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, s, v):
        e = (s - s.amax(-1, keepdim=True)).exp()
        w = e / e.sum(-1, keepdim=True)
        ctx.save_for_backward(w, v, w @ v)
        return w @ v
    @staticmethod
    def backward(ctx, g):
        w, v, out = ctx.saved_tensors
        return w * (g @ v.T - (g * out).sum(-1, keepdim=True)){more}, w.T @ g

class ModelNew(nn.Module):
    def forward(self, s, v):
        return Own.apply(s, v)
"""
ATTENTION = """
import torch
from torch import nn

class Model(nn.Module):
    def forward(self, s, v):
        return torch.softmax(s, -1) @ v

def get_inputs():
    return [torch.randn(24, 40), torch.randn(40, 16)]
def get_init_inputs():
    return []
"""


@pytest.mark.parametrize(("more", "acceptable"), [("", True), (" * 1.001", False)])
def test_a_gradient_that_is_next_to_nothing_may_be_a_difference_of_usual_numbers(tmp_path, more, acceptable):
    (tmp_path / "problem.py").write_text(ATTENTION, encoding="utf-8")
    (tmp_path / "solution.py").write_text("import torch\nfrom torch import nn\n" + SATURATED.format(more=more), encoding="utf-8")
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=12.0)
    assert found.acceptable is acceptable, halfulp.report(found)
    assert not acceptable or any(asked.label == "gradients on numbers a thousand times larger" for asked in found.asked)


def test_a_reference_that_returns_nothing_is_no_guide(tmp_path):
    found = judged(tmp_path, "x.sum()", "return x * 2")
    assert found.answer == "UNDECIDED" and "returns nothing" in found.because, halfulp.report(found)
