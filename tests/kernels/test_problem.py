"""Problems are read as people have them, and asked at other sizes."""

import pytest
import torch

from halfulp.errors import CaseFileError
from halfulp.kernels import read_problem
from halfulp.kernels.problems.literals import sizes_in

KERNELBENCH = """
import torch
import torch.nn as nn

batch = 16

class Model(nn.Module):
    def __init__(self, features, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(features))
        self.eps = eps

    def forward(self, x):
        return self.weight * x / (x.square().mean(-1, keepdim=True) + self.eps).sqrt()

def get_inputs():
    return [torch.randn(batch, 64)]

def get_init_inputs():
    return [64, 1e-5]
"""
GPU_MODE = """
import torch

def ref_kernel(data):
    a, b = data
    return a + b

def generate_input(size: int, seed: int):
    generator = torch.Generator(device="cuda").manual_seed(seed)
    return torch.randn(size, device="cuda", generator=generator), torch.randn(size, device="cuda", generator=generator)
"""


@pytest.fixture
def kernelbench(tmp_path):
    (tmp_path / "norm.py").write_text(KERNELBENCH)
    return tmp_path / "norm.py"


def test_a_problem_of_kernelbench(kernelbench):
    problem = read_problem(kernelbench)
    given = problem.draw(0, {})
    assert (problem.format, problem.entry, problem.name) == ("KernelBench", "ModelNew", "norm")
    assert given.init == (64, 1e-5) and given.arguments[0].shape == (16, 64)
    assert torch.equal(problem.draw(0, {}).arguments[0], given.arguments[0])
    assert not torch.equal(problem.draw(1, {}).arguments[0], given.arguments[0])


def test_sizes_are_changed_wherever_they_stand(kernelbench):
    problem = read_problem(kernelbench)
    assert problem.sizes == {"batch": 16, "64": 64, "64#2": 64} == sizes_in(KERNELBENCH)
    changed = problem.draw(0, {"batch": 3, "64": 5})
    assert changed.arguments[0].shape == (3, 5) and changed.init == (5, 1e-5)
    assert problem.make(changed.init)(*changed.arguments).shape == (3, 5)
    assert (problem.draw(0, {"64#2": 5}).arguments[0].shape, problem.draw(0, {"64#2": 5}).init) == ((16, 64), (5, 1e-5))


def test_a_problem_of_gpu_mode(tmp_path):
    folder = tmp_path / "vectoradd"
    folder.mkdir()
    (folder / "reference.py").write_text(GPU_MODE.replace('device="cuda"', 'device="cpu"').replace(', device="cpu"', ', device="cuda"'))
    (folder / "task.yml").write_text("lang: !py\ntests:\n  - {size: 127, seed: 4242}\n  - {size: 128, seed: 5236}\n")
    problem = read_problem(folder)
    assert (problem.format, problem.entry, problem.name, problem.sizes) == ("GPU MODE", "custom_kernel", "vectoradd", {"size": 127})
    ((a, b),) = problem.draw(0, {}).arguments
    assert a.shape == b.shape == (127,) and torch.equal(problem.make(())((a, b)), a + b)
    assert [label for label, _ in problem.tests] == ["size=128, seed=5236"]
    assert problem.draw(0, {"size": 3}).arguments[0][0].shape == (3,)


def test_a_case_file(tmp_path):
    (tmp_path / "case.py").write_text(
        "import torch\nexpected = torch.exp\ndef inputs(seed, size=8): return (torch.randn(size),)\nactual = torch.exp\n"
    )
    problem = read_problem(tmp_path / "case.py")
    assert (problem.format, problem.entry) == ("case file", "actual") and problem.draw(0, {"size": 3}).arguments[0].shape == (3,)


@pytest.mark.parametrize(
    ("text", "words"),
    [("x = 1\n", "without a reference"), ("raise ValueError('no')\n", "Got ValueError while running"), (None, "which is not a file")],
)
def test_what_is_no_problem_is_refused(tmp_path, text, words):
    file = tmp_path / "problem.py"
    if text is not None:
        file.write_text(text)
    with pytest.raises(CaseFileError, match=words):
        read_problem(file)
    (tmp_path / "empty").mkdir()
    with pytest.raises(CaseFileError, match=r"without a reference\.py"):
        read_problem(tmp_path / "empty")


def test_a_reference_that_names_cuda_runs_on_the_processor(tmp_path):
    # GPU MODE's references draw their inputs with a generator of the device.
    (tmp_path / "reference.py").write_text(
        "import torch\n"
        "def generate_input(size, seed):\n"
        "    generator = torch.Generator(device='cuda')\n"
        "    generator.manual_seed(seed)\n"
        "    return torch.randn(size, device='cuda', generator=generator)\n"
        "def ref_kernel(data):\n"
        "    return data + torch.ones(data.shape, device='cuda')\n",
        encoding="utf-8",
    )
    (tmp_path / "task.yml").write_text("tests:\n  - {size: 12, seed: 1}\n", encoding="utf-8")
    before = torch.Generator
    problem = read_problem(tmp_path)
    setting = problem.draw(3, {})
    assert setting.arguments[0].device.type == "cpu"
    assert torch.equal(problem.make(())(setting.arguments[0]), setting.arguments[0] + 1)
    assert torch.Generator is before


def test_sizes_stand_in_a_row_have_types_and_are_computed(tmp_path):
    (tmp_path / "problem.py").write_text(
        "import torch\nimport torch.nn as nn\n"
        "ROWS, COLUMNS = 5, 24\nDEEP: int = 3\nLONG = 1 << 4\nSCALE, WIDE = 0.5, 2 * 16\n"
        "class Model(nn.Module):\n    def forward(self, x, y):\n        return x.sum(1) * SCALE\n"
        "def get_inputs():\n    return [torch.randn(ROWS, COLUMNS, DEEP), torch.randn(LONG, WIDE)]\n"
        "def get_init_inputs():\n    return []\n"
    )
    problem = read_problem(tmp_path / "problem.py")
    assert problem.sizes == {"ROWS": 5, "COLUMNS": 24, "DEEP": 3, "LONG": 16, "WIDE": 32}
    changed = problem.draw(0, {"COLUMNS": 7, "DEEP": 2, "LONG": 9, "WIDE": 11})
    assert [tuple(tensor.shape) for tensor in changed.arguments] == [(5, 7, 2), (9, 11)]
