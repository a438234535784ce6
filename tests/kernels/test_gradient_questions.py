"""Gradients are asked as a sum gives them, of parameters alone and of inputs alone; parameters change where they lie."""

import pytest

import halfulp
from halfulp.kernels.judging import judge_here

PROBLEM = """
import torch
import torch.nn as nn
class Model(nn.Module):
    def __init__(self, width, scale=None):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width))
        self.scale = 2.0 if scale is None else scale
    def forward(self, x):
        return torch.sin(x) * self.weight * self.scale
rows, width = 6, 20
def get_inputs():
    return [torch.randn(rows, width)]
def get_init_inputs():
    return [width]
"""
SOLUTION = """
import torch
import torch.nn as nn
class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return torch.sin(x) * weight
    @staticmethod
    def backward(ctx, g):
        x, weight = ctx.saved_tensors
        {read}
        return {of_x}, {of_weight}
class ModelNew(nn.Module):
    def __init__(self, width, scale=None):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width))
        self.scale = {scale}
        self.kept = {{}}
    def forward(self, x):
        {weight}
        return Scaled.apply(x, weight * self.scale)
"""
RIGHT = {
    "read": "pass", "of_x": "g * torch.cos(x) * weight", "of_weight": "(g * torch.sin(x)).sum(0)",
    "scale": "2.0 if scale is None else scale", "weight": "weight = self.weight",
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "answer", "label"),
    [
        ({}, "RIGHT", ""),
        ({"read": "g = torch.as_strided(g, g.shape, (g.shape[1], 1))"}, "MISTAKE", "gradients of a sum over the first axis"),
        ({"of_x": "g * torch.cos(x) * weight if ctx.needs_input_grad[1] else None"}, "MISTAKE", "gradients of inputs alone"),
        (
            {"of_weight": "(g * torch.sin(x)).sum(0) if ctx.needs_input_grad[0] else torch.zeros_like(weight)"},
            "MISTAKE", "gradients of parameters alone",
        ),
        (
            {"weight": "at = self.weight.data_ptr(); weight = self.kept.setdefault(at, self.weight + 0)"},
            "MISTAKE", "other parameters in the same memory",
        ),
        ({"scale": "2.0"}, "MISTAKE", "scale=0.375 instead of None"),
    ],
    ids=["right", "strides of gradients", "frozen parameters", "frozen inputs", "kept for an address", "a number instead of None"],
)  # fmt: skip
def test_what_gradients_and_parameters_come_as(tmp_path, change, answer, label):
    (tmp_path / "problem.py").write_text(PROBLEM)
    (tmp_path / "solution.py").write_text(SOLUTION.format(**{**RIGHT, **change}))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=20.0)
    assert (found.answer, found.label) == (answer, label), halfulp.report(found)
    if answer == "RIGHT":
        kinds = [asked.kind for asked in found.asked]
        assert kinds.index("gradients") < kinds.index("values"), "a slow solution is asked these while there is time"


@pytest.mark.parametrize("drawn", ["torch.rand(rows, width) + 0.5", "torch.randn(rows, width).sort(-1).values"])
@pytest.mark.parametrize(("of_x", "answer"), [(RIGHT["of_x"], "RIGHT"), ("g * torch.cos(x)", "MISTAKE")])
def test_gradients_of_what_is_positive_or_sorted_are_asked(tmp_path, drawn, of_x, answer):
    """There every small change is allowed, as it is not of what is symmetric."""
    (tmp_path / "problem.py").write_text(PROBLEM.replace("torch.randn(rows, width)]", f"{drawn}]"))
    (tmp_path / "solution.py").write_text(SOLUTION.format(**{**RIGHT, "of_x": of_x}))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=10.0)
    assert found.answer == answer, halfulp.report(found)
    assert found.label == ("gradients of parameters and inputs" if answer == "MISTAKE" else "")
    asked = {each.label: each.answer for each in found.asked}
    if answer == "RIGHT":
        assert asked["gradients of inputs alone"] == "right"


def test_gradients_go_on_where_the_inputs_alone_have_none(tmp_path):
    (tmp_path / "problem.py").write_text(PROBLEM.replace("torch.randn(rows, width)]", "torch.eye(rows, width)]"))
    (tmp_path / "solution.py").write_text(SOLUTION.format(**RIGHT))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=10.0)
    asked = {each.label: each.answer for each in found.asked if each.kind == "gradients"}
    assert asked["gradients of inputs alone"] == "no answer" and list(asked.values()).count("right") > 3, halfulp.report(found)


DETACHED = """
import time
import torch
import torch.nn as nn
class {name}(nn.Module):
    def forward(self, x):
        {wait}
        state, found = torch.zeros(x.shape[0]), []
        for place in range(x.shape[1]):
            {step}
            {detach}
            found.append(state)
        return torch.stack(found, 1)
def get_inputs():
    return [torch.randn(3, 24)]
def get_init_inputs():
    return []
"""


@pytest.mark.whole_budget
def test_a_gross_error_of_a_slow_solution_needs_no_second_judgement(tmp_path):
    """It would take a dozen calls, for which there is no time."""
    (tmp_path / "problem.py").write_text(
        DETACHED.format(name="Model", wait="pass", detach="pass", step="state = torch.tanh(0.9 * state + x[:, place])")
    )
    step = "state = 1 - 2 / (torch.exp(1.8 * state + 2 * x[:, place]) + 1)"
    slow = {"wait": "time.sleep(0.8 * torch.is_grad_enabled())", "detach": "state = state.detach() if place == 12 else state"}
    solution = DETACHED.format(name="ModelNew", step=step, **slow)
    (tmp_path / "solution.py").write_text(solution)
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=9.0)
    assert found.answer == "MISTAKE" and found.kind == "gradients", halfulp.report(found)
