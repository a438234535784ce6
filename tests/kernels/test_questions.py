"""What is asked of problems with modes, whole numbers, tests of their own, and parameters under other names."""

import pytest

import halfulp
from halfulp.kernels import judge

BATCH_NORM = """
import torch
import torch.nn as nn
class Model(nn.Module):
    def __init__(self, channels, momentum=0.1, affine=True):
        super().__init__()
        self.norm = nn.BatchNorm1d(channels, momentum=momentum, affine=affine)
    def forward(self, x):
        return self.norm(x)
def get_inputs():
    return [torch.randn(12, 6)]
def get_init_inputs():
    return [6]
"""
OWN_NORM = """
import torch
import torch.nn as nn
class Inner(nn.BatchNorm1d):
    pass
class ModelNew(nn.Module):
    def __init__(self, channels, momentum=0.1, affine=True):
        super().__init__()
        self.{name} = Inner(channels, momentum=momentum, affine=affine)
    def forward(self, x):
        n = self.{name}
        if n.training:
            mean, var = x.mean(0), x.var(0, correction=0)
            with torch.no_grad():
                n.num_batches_tracked += 1
                n.running_mean += n.momentum * (mean - n.running_mean)
                {update}
        else:
            mean, var = n.running_mean, n.running_var
        y = (x - mean) / torch.sqrt(var + n.eps)
        return y * n.weight + n.bias if n.affine else y
"""
UPDATE = "n.running_var += n.momentum * (x.var(0) - n.running_var)"
GATHER = """
import torch
def ref_kernel(data):
    table, places, factor = data
    return table[places] * factor
def generate_input(size: int, seed: int):
    torch.manual_seed(seed)
    return torch.randn(40, size), torch.randint(0, 40, (17,)), 2
"""


@pytest.fixture
def problem(tmp_path):
    (tmp_path / "problem.py").write_text(BATCH_NORM)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "update", "answer", "kind"),
    [
        ("norm", UPDATE, "RIGHT", ""),
        ("other", UPDATE, "RIGHT", ""),
        ("norm", "pass", "MISTAKE", "mode"),
        ("norm", UPDATE.replace("x.var(0)", "var"), "MISTAKE", "mode"),
    ],
    ids=["right", "other names", "running variance forgotten", "running variance biased"],
)
def test_training_mode_and_running_statistics(problem, name, update, answer, kind):
    (problem / "solution.py").write_text(OWN_NORM.replace("{name}", name).replace("{update}", update))
    found = judge(problem, problem / "solution.py", budget_s=60.0)
    assert (found.answer, found.kind) == (answer, kind), halfulp.report(found)
    assert ("The solution's parameters have other names than the reference's, so they are matched by their order." in found.notes) is (
        name == "other"
    )


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ("torch.stack([table[int(p)] for p in places]) * factor", "RIGHT"),
        ("torch.stack([table[int(p)] for p in places]) * 2", "MISTAKE"),
        ("torch.stack([table[max(0, int(p))] for p in places]) * factor", "MISTAKE"),
        ("torch.stack([table[int(p), :8] for p in places]) * factor", "MISTAKE"),
    ],
    ids=["right", "a number ignored", "negative places", "the second test"],
)
def test_whole_numbers_and_tests_of_the_problem(tmp_path, body, answer):
    (tmp_path / "reference.py").write_text(GATHER)
    (tmp_path / "task.yml").write_text("tests:\n  - {size: 8, seed: 1}\n  - {size: 9, seed: 2}\n")
    (tmp_path / "solution.py").write_text(f"import torch\ndef custom_kernel(data):\n    table, places, factor = data\n    return {body}\n")
    found = judge(tmp_path, tmp_path / "solution.py", budget_s=60.0)
    assert found.answer == answer, halfulp.report(found)


COUNTS = """
import torch
def ref_kernel(data):
    return torch.bincount(data, minlength=16)
def generate_input(size: int, seed: int):
    torch.manual_seed(seed)
    return torch.randint(0, 16, (size,))
"""
NARROW = """
import torch
def custom_kernel(data):
    return torch.nn.functional.one_hot(data, 16).sum(0, dtype=torch.{dtype}).long()
"""


@pytest.mark.parametrize(("dtype", "answer"), [("int16", "MISTAKE"), ("int32", "RIGHT")])
def test_counters_of_sixteen_bits_show_where_one_number_alone_is_counted(tmp_path, dtype, answer):
    (tmp_path / "reference.py").write_text(COUNTS)
    (tmp_path / "task.yml").write_text("tests:\n  - {size: 300, seed: 1}\n")
    (tmp_path / "submission.py").write_text(NARROW.format(dtype=dtype))
    found = judge(tmp_path, tmp_path / "submission.py", budget_s=60.0)
    assert found.answer == answer, halfulp.report(found)
