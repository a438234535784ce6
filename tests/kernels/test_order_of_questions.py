"""What a solution is most likely to have taken for granted is asked first, as time may run out."""

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
