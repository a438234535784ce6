"""Digits that are lost beyond the given inputs: where no algorithm would keep them, where they don't matter, and where they do."""

import pytest

from halfulp.kernels.judging import judge_here

HEAD = "import torch\nimport torch.nn as nn\n"


def judged(tmp_path, problem, solution, budget_s=60.0):
    (tmp_path / "problem.py").write_text(HEAD + problem, encoding="utf-8")
    (tmp_path / "solution.py").write_text(HEAD + solution, encoding="utf-8")
    return judge_here(tmp_path, tmp_path / "solution.py", budget_s=budget_s)


SEGMENTS = """
class {name}(nn.Module):
    def forward(self, values):
        {body}

def get_inputs():
    return [torch.randn(6, 20, 8)]
def get_init_inputs():
    return []
"""
OF_EACH = "return torch.stack([part.sum(0) for part in values])"
BY_DIFFERENCE = (
    "ends = values.reshape(-1, values.shape[2]).cumsum(0)[values.shape[1] - 1 :: values.shape[1]]; "
    "return torch.cat([ends[:1], ends[1:] - ends[:-1]])"
)


@pytest.mark.parametrize(("body", "answer"), [(OF_EACH, True), (BY_DIFFERENCE, False)], ids=["each", "differences of running sums"])
def test_what_does_not_depend_on_large_numbers_keeps_its_digits(tmp_path, body, answer):
    reference = SEGMENTS.format(name="Model", body="return values.sum(1)")
    found = judged(tmp_path, reference, SEGMENTS.format(name="ModelNew", body=body))
    assert found.acceptable is answer, (found.label, found.because)


SCAN = """
class {name}(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.decay = nn.Parameter(torch.rand(width))
    def forward(self, x, gate):
        h, out = torch.zeros_like(x[:, 0]), []
        for t in range(x.shape[1]):
            h = {step}
            out.append(h * gate[:, t])
        return torch.stack(out, 1)

def get_inputs():
    return [torch.randn(2, 12, 5), torch.randn(2, 12, 5)]
def get_init_inputs():
    return [5]
"""


def test_a_parameter_without_influence_needs_no_gradient_and_lengths_that_belong_together_are_the_same(tmp_path):
    # At a length of one the decay multiplies zero; a gate that is longer than x is ignored by the loop and refused by a product.
    solution = SCAN.format(name="ModelNew", step="x[:, t] if t == 0 else torch.addcmul(x[:, t], self.decay, h)")
    solution = solution.replace("out.append(h * gate[:, t])", "out.append(h)").replace("torch.stack(out, 1)", "torch.stack(out, 1) * gate")
    found = judged(tmp_path, SCAN.format(name="Model", step="self.decay * h + x[:, t]"), solution, 20.0)
    assert found.answer == "RIGHT", (found.label, found.because)


ANGLES = """
class {name}(nn.Module):
    def forward(self, x):
        {body}

def get_inputs():
    return [torch.rand(40, 25) * 30]
def get_init_inputs():
    return []
"""


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ("return torch.from_numpy(np.cos((x.numpy().astype(np.float32) * np.float32(0.7)).astype(np.float64)).astype(np.float32)).to(x.dtype)", True),
        ("return torch.from_numpy(np.cos((x.numpy().astype(np.float32) * np.float32(0.70001))).astype(np.float32)).to(x.dtype)", False),
    ],
    ids=["closer than the reference", "another angle"],
)  # fmt: skip
def test_what_rounds_to_float32_inside_and_is_closer_than_the_reference_is_right(tmp_path, body, answer):
    solution = "import numpy as np\n" + ANGLES.format(name="ModelNew", body=body)
    found = judged(tmp_path, ANGLES.format(name="Model", body="return torch.cos(x * 0.7)"), solution, 5.0)
    assert found.acceptable is answer, (found.label, found.because)


LIKELIHOOD = """
class {name}(nn.Module):
    def forward(self, x):
        {body}

def get_inputs():
    return [torch.randn(8, 30)]
def get_init_inputs():
    return []
"""


def test_an_algorithm_that_is_exact_for_inputs_an_ulp_away_is_right(tmp_path):
    reference = LIKELIHOOD.format(name="Model", body="return torch.softmax(x, -1)")
    solution = LIKELIHOOD.format(name="ModelNew", body="return torch.exp(x - torch.logsumexp(x, -1, keepdim=True))")
    found = judged(tmp_path, reference, solution, 20.0)
    assert found.answer == "RIGHT", (found.label, found.because)
