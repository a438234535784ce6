"""On a device: what a solution puts on a stream of its own has to wait for its inputs, and its results for that."""

import pytest
import torch

import halfulp
from halfulp.kernels.judging import judge_here

PROBLEM = """
import torch, torch.nn as nn

class Model(nn.Module):
    def forward(self, x):
        return torch.nn.functional.silu(x)

def get_inputs():
    return [torch.randn(256, 1000).cuda()]

def get_init_inputs():
    return []
"""
SOLUTION = """
import torch, torch.nn as nn

class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.side = torch.cuda.{stream}()

    def forward(self, x):
        current = torch.cuda.current_stream()
        {before}
        with torch.cuda.stream(self.side):
            for _ in range({times}):
                out = x * torch.sigmoid(x)
        {after}
        return out
"""
BEFORE, AFTER = "self.side.wait_stream(current)", "current.wait_stream(self.side)"


def judged(folder, *, before=BEFORE, after=AFTER, stream="Stream", times=1):
    (folder / "problem.py").write_text(PROBLEM)
    (folder / "solution.py").write_text(SOLUTION.format(before=before, after=after, stream=stream, times=times))
    return judge_here(folder / "problem.py", folder / "solution.py", budget_s=20.0)


@pytest.mark.gpu
@pytest.mark.repeated
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
@pytest.mark.parametrize("change", [{"before": "pass"}, {"before": "pass", "after": "pass"}, {"after": "pass", "times": 400}])
def test_what_does_not_wait_is_wrong(tmp_path, change):
    found = judged(tmp_path, **change)
    assert found.acceptable is False, halfulp.report(found)
    assert found.cheat or found.answer == "NONDETERMINISTIC" or "stream" in found.because


@pytest.mark.gpu
@pytest.mark.repeated
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_what_waits_is_right(tmp_path):
    found = judged(tmp_path)
    assert found.answer == "RIGHT" and "sequence: on another" not in " ".join(found.notes), halfulp.report(found)


@pytest.mark.gpu
@pytest.mark.repeated
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_what_always_runs_on_the_default_stream_is_noted(tmp_path):
    found = judged(tmp_path, before="pass", after="pass", stream="default_stream")
    assert found.answer == "RIGHT", halfulp.report(found)
    assert any("another stream" in note for note in found.notes)
