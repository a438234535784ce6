"""The script stands alone, shows the difference, and is small."""

import copy
import subprocess
import sys

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import halfulp


def net():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(64, 96), nn.GELU(), nn.LayerNorm(96), nn.Linear(96, 10))


def errors(text):
    lines = {line.split(":")[0]: float(line.split()[-1]) for line in text.splitlines() if "relative error against float64" in line}
    return lines["expected"], lines["actual"]


def change_eps(model):
    model[2].eps = 1e-3


def change_form(model):
    model[1].approximate = "tanh"


def change_weight(model):
    with torch.no_grad():
        model[3].weight *= 1.0 + 1e-4


def in_bfloat16(model):
    layer = model[3]
    layer.forward = lambda x: F.linear(x.bfloat16(), layer.weight.bfloat16(), layer.bias.bfloat16()).float()


def one_element(model):
    inner = model[3].forward

    def forward(x):
        y = inner(x)
        y[2, 1] += 0.01
        return y

    model[3].forward = forward


@pytest.mark.parametrize("change", [change_eps, change_form, change_weight, in_bfloat16, one_element])
def test_the_script_shows_the_difference(change, tmp_path):
    expected = net()
    actual = copy.deepcopy(expected)
    change(actual)
    x = torch.randn(16, 64, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        halfulp.record(actual, x, tmp_path / "a.trace", level="tensors")
        halfulp.record(expected, x, tmp_path / "b.trace", level="tensors")
    script = halfulp.repro(tmp_path / "a.trace", tmp_path / "b.trace", tmp_path / "out", run=True)
    ran = subprocess.run([sys.executable, "-W", "ignore", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    own, theirs = errors(ran.stdout)
    assert theirs > 8.0 * own
    text = script.read_text()
    assert "halfulp" not in text.replace("Written by halfulp", "")
    assert {line.split()[1] for line in text.splitlines() if line.startswith("import ")} <= {"torch", "json", "platform"}
    assert sum(path.stat().st_size for path in script.parent.iterdir()) < 60_000  # the layer's own numbers are 4 kB and more
    assert ran.stdout in (script.parent / "issue.md").read_text()


def test_shapes_are_made_smaller(tmp_path):
    expected, x = net(), torch.randn(16, 64, generator=torch.Generator().manual_seed(1))
    actual = copy.deepcopy(expected)
    change_eps(actual)
    halfulp.record(actual, x, tmp_path / "a.trace", level="tensors")
    halfulp.record(expected, x, tmp_path / "b.trace", level="tensors")
    text = halfulp.repro(tmp_path / "a.trace", tmp_path / "b.trace", tmp_path / "out").read_text()
    assert "[96]" not in text


def test_nothing_to_reproduce(tmp_path):
    model, x = net(), torch.randn(4, 64)
    halfulp.record(model, x, tmp_path / "a.trace", level="tensors")
    with pytest.raises(halfulp.InputError, match="no op adds more than rounding"):
        halfulp.repro(tmp_path / "a.trace", tmp_path / "a.trace", tmp_path / "out")
