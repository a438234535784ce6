"""What a module derives from its parameters has to follow them, as it can tell: a checkpoint is loaded, or its mode changes."""

import pytest

import halfulp
from halfulp.kernels.judging import judge_here

TEXT = '''
import torch
from torch import nn

class {name}(nn.Module):
    """Batch normalization. In training mode it normalizes with the statistics of the batch. Only the forward result and the buffers count."""
    def __init__(self, n):
        super().__init__()
        self.bn = nn.BatchNorm1d(n)
        self._folded = None
    {more}
    def forward(self, x):
        {body}

def get_inputs():
    return [torch.randn(16, 8)]
def get_init_inputs():
    return [8]
'''
FOLDED = """if self.training:
            return self.bn(x * 1.0)
        if self._folded is None:
            scale = self.bn.weight / (self.bn.running_var + self.bn.eps).sqrt()
            self._folded = scale, self.bn.bias - self.bn.running_mean * scale
        scale, offset = self._folded
        return x * scale + offset"""
OF_MODE = """def train(self, mode=True):
        self._folded = None
        return super().train(mode)
    """
OF_CHECKPOINTS = """def _load_from_state_dict(self, *given, **more):
        self._folded = None
        return super()._load_from_state_dict(*given, **more)
    """


@pytest.mark.parametrize(
    ("more", "acceptable"), [("", False), (OF_MODE, False), (OF_MODE + OF_CHECKPOINTS, True)], ids=["never", "mode", "mode and checkpoints"]
)
def test_what_is_folded_follows_checkpoints(tmp_path, more, acceptable):
    (tmp_path / "problem.py").write_text(TEXT.format(name="Model", more="", body="return self.bn(x)"), encoding="utf-8")
    (tmp_path / "solution.py").write_text(TEXT.format(name="ModelNew", more=more, body=FOLDED), encoding="utf-8")
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=8.0)
    assert found.acceptable is acceptable, halfulp.report(found)
