"""Modes that watch ops are hidden from torch.compile where it is loaded, and don't load it."""

import subprocess
import sys

import torch

from halfulp.process.dispatch import DispatchMode


class Counting(DispatchMode):
    def __init__(self):
        super().__init__()
        self.ops = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.ops.append(str(func))
        return func(*args, **(kwargs or {}))


def test_ops_are_seen_with_and_without_the_compiler():
    program = (
        "import sys, torch\nfrom halfulp.process.dispatch import DispatchMode\n"
        "class Mode(DispatchMode):\n    def __torch_dispatch__(self, func, types, args=(), kwargs=None):\n        print(func)\n"
        "        return func(*args, **(kwargs or {}))\n"
        "with Mode(): torch.ones(2) + 1\nprint('torch._dynamo' in sys.modules)\nimport torch._dynamo\nwith Mode(): torch.zeros(2) * 2\n"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert said == ["aten.ones.default", "aten.add.Tensor", "False", "aten.zeros.default", "aten.mul.Tensor"]


def test_a_compiled_function_runs_under_a_mode():
    compiled = torch.compile(lambda x: x.sin() + 1, backend="eager")
    x = torch.linspace(0, 1, 5)
    with Counting() as mode:
        result = compiled(x)
    assert torch.equal(result, x.sin() + 1)
    assert "aten.sin.default" in mode.ops
