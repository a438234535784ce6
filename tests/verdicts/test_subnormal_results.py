"""Subnormal results that one side flushes to zero, as XLA and many devices do, are no mistake, and hide none."""

import numpy as np
import pytest
import torch

import halfulp
from halfulp import Verdict

SMALLEST = torch.finfo(torch.float32).tiny
X = torch.randn(16, 64, generator=torch.Generator().manual_seed(0)) * 30
TINY = torch.randn(64, generator=torch.Generator().manual_seed(1)) * 1e-36


def flush(y):
    return torch.where(y.abs() < torch.finfo(y.dtype).tiny, torch.zeros_like(y), y)


def softmax(x):
    return torch.softmax(x, -1)


class Softmax(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.linspace(0.5, 1.5, 64))

    def forward(self, x):
        return torch.softmax(x * self.weight, -1)


RIGHT = {
    "softmax": (lambda x: flush(softmax(x)), softmax, X),
    "expected flushes": (softmax, lambda x: flush(softmax(x)), X),
    "another order": (lambda x: flush(torch.exp(x - x.amax(-1, keepdim=True)) / torch.exp(x - x.amax(-1, keepdim=True)).sum(-1, keepdim=True)), softmax, X),
    "a copy": (flush, torch.clone, torch.tensor([1.0, 2e-39, -3e-40, 0.5])),
    "a product": (lambda x: flush(x * 0.01), lambda x: x * 0.01, torch.cat([TINY, torch.ones(8)])),
    "NumPy": (lambda x: np.where(np.exp(x.numpy()) < SMALLEST, np.float32(0), np.exp(x.numpy())), torch.exp, torch.linspace(-95.0, -70.0, 64)),
    "bfloat16": (lambda x: flush(x * 0.125), lambda x: x * 0.125, torch.cat([TINY, torch.ones(8)]).bfloat16()),
    "float64": (lambda x: flush(x * 1e-12), lambda x: x * 1e-12, torch.cat([TINY.double() * 1e-262, torch.ones(8, dtype=torch.float64)])),
}  # fmt: skip
WRONG = {
    "another function": (lambda x: flush(softmax(x)) * (1 + 1e-4), softmax, X),
    "one element": (lambda x: flush(softmax(x)).index_fill(0, torch.tensor([3]), 0.01), softmax, X),
    "too early": (lambda x: torch.where(softmax(x) < 1e-30, torch.zeros_like(x), softmax(x)), softmax, X),
    "some alone": (lambda x: torch.where(softmax(x) < 1e-40, torch.zeros_like(x), softmax(x)), softmax, X),
    "half of what is flushed": (lambda x: softmax(x) - 0.5 * (softmax(x) - flush(softmax(x))), softmax, X),
    "nothing is left": (lambda x: flush(x * 1e-3), lambda x: x * 1e-3, TINY),
    "float16": (lambda x: flush(x * 1e-4), lambda x: x * 1e-4, torch.cat([torch.rand(64), 1e4 * torch.ones(8)]).half()),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_flushed_results_are_taken_for_right(name):
    actual, expected, x = RIGHT[name]
    found = halfulp.check(actual, expected, (x,))
    assert found.verdict is Verdict.ROUNDING, halfulp.report(found)
    if name == "expected flushes":  # what `expected` loses counts as noise anyway
        return
    count = found.find("bits").measured["subnormals_as_zero"]
    assert count == found.find("bits").measured["flushed_by_actual"] + found.find("bits").measured["flushed_by_expected"] > 0
    assert "which one side flushes to zero" in " ".join(found.warnings)
    assert found.difference.unequal >= count, "the table is of the results as they are"


@pytest.mark.parametrize("name", WRONG)
def test_what_else_is_wrong_stays_wrong(name):
    actual, expected, x = WRONG[name]
    found = halfulp.check(actual, expected, (x,))
    assert found.acceptable is False, halfulp.report(found)
    assert "subnormals_as_zero" not in found.find("bits").measured


def test_modules():
    module = Softmax()

    class Flushing(Softmax):
        def forward(self, x):
            return flush(super().forward(x))

    other = Flushing()
    other.load_state_dict(module.state_dict())
    found = halfulp.check(other, module, (X,))
    assert found.acceptable and "flushes" in " ".join(found.warnings), halfulp.report(found)
    with torch.no_grad():
        other.weight[5] *= 1.001
    assert halfulp.check(other, module, (X,)).acceptable is False


def test_large_results():
    x = X.repeat(1100, 2)
    found = halfulp.check(lambda x: flush(softmax(x)), softmax, (x,))
    assert found.acceptable and "flushes" in " ".join(found.warnings), halfulp.report(found)
    assert halfulp.check(lambda x: flush(softmax(x)) * 1.0001, softmax, (x,)).acceptable is False


def test_a_kernel_may_flush(tmp_path):
    from halfulp.kernels.judging import judge_here

    text = "import torch\nimport torch.nn as nn\nclass {}(nn.Module):\n    def forward(self, x):\n        y = torch.softmax(x, -1)\n        return {}\n"
    inputs = "def get_inputs():\n    return [30 * torch.randn(8, 64)]\ndef get_init_inputs():\n    return []\n"
    (tmp_path / "problem.py").write_text(text.format("Model", "y") + inputs)
    (tmp_path / "solution.py").write_text(
        text.format(
            "ModelNew",
            "torch.exp(x - torch.logsumexp(x, -1, keepdim=True)) * 0 + torch.where(y < torch.finfo(torch.float32).tiny, y * 0, y)",
        )
    )
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=10.0)
    assert found.answer == "RIGHT", halfulp.report(found)
