"""What a solution is most likely to have taken for granted is asked first, as time may run out."""

import pytest

from halfulp.kernels.judging import judge_here

TURNED = """
import torch
import torch.nn as nn
class Model(nn.Module):
    def __init__(self, scale, offset, power):
        super().__init__()
        self.scale, self.offset, self.power = scale, offset, power
    def forward(self, x, positions):
        {body}
def get_inputs():
    return [torch.randn(2, 12, 8), torch.arange(12).expand(2, 12)]
def get_init_inputs():
    return [1.5, 0.25, 0.5]
"""
GIVEN_PLACES = "return (x * self.scale + self.offset) * torch.cos(positions.float()[..., None] * self.power)"
OWN_PLACES = """
        import numpy as np
        turns = np.cos(np.arange(x.shape[1], dtype=np.float32)[:, None] * np.float32(self.power))
        return torch.from_numpy((x.numpy() * np.float32(self.scale) + np.float32(self.offset)) * turns)
"""


def test_whole_numbers_that_every_draw_gives_alike_are_changed_before_constructor_arguments(tmp_path):
    (tmp_path / "problem.py").write_text(TURNED.format(body=GIVEN_PLACES))
    (tmp_path / "solution.py").write_text(TURNED.format(body=OWN_PLACES.strip()).replace("Model", "ModelNew"))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=30.0)
    assert found.answer == "MISTAKE" and "input 1" in found.label
    assert not [asked.label for asked in found.asked if "instead of" in asked.label]


ENERGY = """
import torch
import torch.nn as nn
class Model(nn.Module):
    def forward(self, energy):
        {body}
frames = 64
def get_inputs():
    return [torch.randn(8, frames).pow(2) * 10]
def get_init_inputs():
    return []
"""


def test_an_exponent_is_no_length_and_stays_where_all_lengths_change(tmp_path):
    (tmp_path / "problem.py").write_text(ENERGY.format(body="return torch.log(energy).cumsum(-1)"))
    own = "import numpy as np; return torch.from_numpy(np.log(energy.numpy()).cumsum(-1, dtype=np.float64).astype(np.float32))"
    (tmp_path / "solution.py").write_text(ENERGY.format(body=own).replace("Model", "ModelNew"))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=15.0)
    together = [asked.label for asked in found.asked if "frames: 96 instead of 64" in asked.label]
    assert together and all("the number 2:" not in label for label in together)
    assert any("the number 8: 12 instead of 8" in label for label in together)


REDUCED = """
import torch
def generate_input(rows: int, length: int, reduce: str, seed: int):
    return torch.randn(rows, length, generator=torch.Generator().manual_seed(seed)) + 3.0, reduce
def ref_kernel(data):
    x, reduce = data
    return x.sum(1) if reduce == "sum" else x.amax(1)
"""
REDUCED_TESTS = """
tests:
  - {rows: 5, length: 32, reduce: sum, seed: 1}
  - {rows: 6, length: 48, reduce: max, seed: 2}
"""
FROM_ZERO = """
import torch
def custom_kernel(data):
    x, reduce = data
    found = torch.zeros(x.shape[0])
    for place in range(x.shape[1]):
        found = found + x[:, place] if reduce == "sum" else torch.maximum(found, x[:, place])
    return found
"""


def labels_before(found, *kinds):
    """Labels of what was asked of these kinds before the question that decided."""
    return [asked.label for asked in found.asked[:-1] if asked.kind in kinds]


def test_what_says_the_most_is_asked_of_each_mode_before_sizes(tmp_path):
    (tmp_path / "reference.py").write_text(REDUCED)
    (tmp_path / "task.yml").write_text(REDUCED_TESTS)
    (tmp_path / "solution.py").write_text(FROM_ZERO)
    found = judge_here(tmp_path / "reference.py", tmp_path / "solution.py", budget_s=15.0)
    assert found.answer == "MISTAKE" and "reduce=max" in found.label and "negative" in found.label
    assert not labels_before(found, "sizes")


CHOSEN = '''
import torch
import torch.nn as nn
class Model(nn.Module):
    """The places of the two largest numbers of each row; among equal scores the lower index comes first."""
    def forward(self, x):
        return torch.sort(x, dim=1, descending=True, stable=True).indices[:, :2]
def get_inputs():
    return [torch.randn(16, 40)]
def get_init_inputs():
    return []
'''
HIGHER_FIRST = """
import torch
import torch.nn as nn
class ModelNew(nn.Module):
    def forward(self, x):
        return x.shape[1] - 1 - torch.sort(x.flip(1), dim=1, descending=True, stable=True).indices[:, :2]
"""


def test_ties_come_early_where_the_text_says_which_counts(tmp_path):
    (tmp_path / "problem.py").write_text(CHOSEN)
    (tmp_path / "solution.py").write_text(HIGHER_FIRST)
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=15.0)
    assert found.answer == "MISTAKE" and not labels_before(found, "sizes")


SUMMED = """
import torch
import torch.nn as nn
class Model(nn.Module):
    def forward(self, x):
        return torch.logcumsumexp(x, dim=1)
def get_inputs():
    return [torch.randn(4, 24)]
def get_init_inputs():
    return []
"""
NAIVE_GRADIENT = """
import torch
import torch.nn as nn
class Summed(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        found = x.clone()
        for place in range(1, x.shape[1]):
            found[:, place] = torch.logaddexp(found[:, place - 1], x[:, place])
        context.save_for_backward(x, found)
        return found
    @staticmethod
    def backward(context, incoming):
        x, found = context.saved_tensors
        last = found[:, -1:]
        return (x - last).exp() * (incoming * (last - found).exp()).flip(1).cumsum(1).flip(1)
class ModelNew(nn.Module):
    def forward(self, x):
        return Summed.apply(x)
"""


def test_gradients_on_large_numbers_come_before_sizes(tmp_path):
    (tmp_path / "problem.py").write_text(SUMMED)
    (tmp_path / "solution.py").write_text(NAIVE_GRADIENT)
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=15.0)
    assert found.answer != "RIGHT" and found.kind == "gradients" and not labels_before(found, "sizes")


QUANTIZED = '''
import torch
import torch.nn as nn
class Model(nn.Module):
    """Each row divided by its scale, rounded to nearest, ties to even."""
    def forward(self, x):
        scale = x.abs().amax(dim=1, keepdim=True).clamp_min(1e-8) / 127
        return torch.clamp(torch.round(x / scale), -127, 127) * scale
def get_inputs():
    return [torch.randn(16, 40)]
def get_init_inputs():
    return []
'''
AWAY_FROM_ZERO = """
import torch
import torch.nn as nn
class ModelNew(nn.Module):
    def forward(self, x):
        scale = x.abs().amax(dim=1, keepdim=True).clamp_min(1e-8) / 127
        steps = x / scale
        return torch.clamp(torch.sign(steps) * torch.floor(steps.abs() + 0.5), -127, 127) * scale
"""


@pytest.mark.parametrize("seconds", [0.0, 0.1], ids=["quick", "slow"])
def test_numbers_half_way_come_early_where_the_text_says_how_they_are_rounded(tmp_path, seconds):
    (tmp_path / "problem.py").write_text(QUANTIZED)
    slow = f"        __import__('time').sleep({seconds})\n        steps ="
    (tmp_path / "solution.py").write_text(AWAY_FROM_ZERO.replace("        steps =", slow))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=15.0)
    assert found.answer == "MISTAKE" and "half-way" in found.label and not labels_before(found, "sizes")
