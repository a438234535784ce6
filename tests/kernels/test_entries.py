"""Problems and solutions as people have them: folders of ops, functions by name; runs that were interrupted; results for CI."""

import subprocess
import sys
import textwrap
import xml.etree.ElementTree as ET

import pytest
import torch

import halfulp
from halfulp.errors import CaseFileError, InputError
from halfulp.kernels import judge_all, read_problem
from halfulp.kernels.judging import judge_here
from halfulp.kernels.problems.calls import Setting
from halfulp.kernels.promises.promises import Promises
from halfulp.kernels.questions.bounds import bound_questions
from halfulp.kernels.solutions.source import Source
from halfulp.reports.formats import junit

RIGHT = """
import torch
def relu_kernel_impl(*args, **kwargs):
    return torch.where(args[0] > 0, args[0], torch.zeros_like(args[0]))
"""
WRONG = """
import torch
def relu_kernel_impl(x):
    return torch.where(x > 1e-3, x, torch.zeros_like(x))
"""
FUNCTIONS = """
import torch
def scaled(x, y, *, factor=2.0):
    return factor * x + y
def inputs(seed):
    g = torch.Generator().manual_seed(seed)
    return torch.randn(30, 20, generator=g), torch.randn(30, 20, generator=g)
"""
OTHERS = """
import torch
def right(x, y):
    return y + x + x
def wrong(x, y):
    return y + 2.00001 * x
"""


@pytest.fixture
def relu(tmp_path):
    pytest.importorskip("expecttest", reason="PyTorch's samples of ops need it")
    folder = tmp_path / "relu"
    folder.mkdir()
    (folder / "relu_implementation_v1.py").write_text(RIGHT)
    (folder / "relu_implementation_v2.py").write_text(WRONG)
    return folder


def test_a_folder_of_an_op_is_asked_on_the_samples_of_pytorch(relu):
    problem = read_problem(relu)
    assert (problem.format, problem.entry) == ("BackendBench", "relu_kernel_impl") and problem.tests
    assert judge_here(problem, relu / "relu_implementation_v1.py", budget_s=10.0).answer == "RIGHT"
    assert judge_here(problem, relu / "relu_implementation_v2.py", budget_s=300.0).answer == "MISTAKE"


def test_the_samples_of_pytorch_leave_the_process_as_it_was(relu):
    """Its module of samples freezes the flags of torch.backends: whatever runs later in the process could not set them."""
    program = """
import sys, torch
from halfulp.kernels import read_problem
from halfulp.process.settings import COMPUTING, RANDOM, SURROUNDINGS, put_back, readings
before = readings((*COMPUTING, *RANDOM, *SURROUNDINGS))
read_problem(sys.argv[1])
changed = put_back(before)
assert not changed, changed
torch.backends.mkldnn.enabled = False
"""
    ended = subprocess.run([sys.executable, "-c", program, str(relu)], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def test_an_op_that_there_is_not_is_refused(tmp_path):
    (tmp_path / "no_op_of_this_name").mkdir()
    (tmp_path / "no_op_of_this_name" / "no_op_of_this_name_implementation_v1.py").write_text("")
    with pytest.raises(CaseFileError, match="Needed: the name of an op of ATen, such as relu or add__Tensor"):
        read_problem(tmp_path / "no_op_of_this_name")


def test_functions_are_named(tmp_path):
    (tmp_path / "two.py").write_text(FUNCTIONS)
    (tmp_path / "others.py").write_text(OTHERS)
    problem = f"{tmp_path}/two.py:scaled"
    assert judge_here(problem, f"{tmp_path}/others.py:right", budget_s=10.0).answer == "RIGHT"
    assert judge_here(problem, f"{tmp_path}/others.py:wrong", budget_s=300.0).answer == "MISTAKE"
    with pytest.raises(CaseFileError, match="Needed: a function or module class of that name, and `inputs"):
        read_problem(f"{tmp_path}/two.py:none")


def test_an_interrupted_run_goes_on(tmp_path, monkeypatch):
    (tmp_path / "two.py").write_text(FUNCTIONS)
    files = [tmp_path / f"{name}.py" for name in ("first", "second")]
    for file in files:
        file.write_text("def scaled(x, y):\n    return y + x + x\n")
    problem, kept = f"{tmp_path}/two.py:scaled", tmp_path / "kept.jsonl"
    first = judge_all(problem, files[:1], resume=kept, budget_s=10.0)
    assert first.results[0].answer == "RIGHT" and len(kept.read_text().splitlines()) == 2
    both = judge_all(problem, files, resume=kept, budget_s=10.0, processes=1)
    assert [result.solution for result in both.results] == ["first", "second"] and both.results[0] == first.results[0]
    for name in ("judge", "Apart"):  # nothing is judged again
        monkeypatch.setattr(f"halfulp.kernels.many.{name}", None)
    assert judge_all(problem, files, resume=kept, budget_s=10.0).to_json() == both.to_json()
    with pytest.raises(InputError, match="from a run with budget_s = 10.0. Needed: a run with budget_s = 6.0"):
        judge_all(problem, files, resume=kept, budget_s=6.0)


def test_solutions_are_cases_of_junit(tmp_path):
    (tmp_path / "two.py").write_text(FUNCTIONS)
    (tmp_path / "others.py").write_text(OTHERS)
    found = judge_all(f"{tmp_path}/two.py:scaled", [f"{tmp_path}/others.py:right", f"{tmp_path}/others.py:wrong"], budget_s=10.0)
    suite = ET.fromstring(junit(found)).find("testsuite")
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "0")
    assert suite.find("testcase/failure").get("type") == "MISTAKE"


SCALED = """
import torch, torch.nn as nn
class {name}(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.scale = nn.Parameter(torch.full((n,), 1e-6))
        self.n = n
    def forward(self, x):
        {body}
        return x + self.scale * (x - mean) * torch.rsqrt(variance + 1e-5)
"""
TWO_PASSES = "mean = x.mean(-1, keepdim=True); variance = ((x - mean) ** 2).mean(-1, keepdim=True)"
ONE_PASS = "mean = x.mean(-1, keepdim=True); variance = (x * x).mean(-1, keepdim=True) - mean * mean"
ENDS = "def get_inputs():\n    return [torch.randn(6, 40)]\ndef get_init_inputs():\n    return [40]\n"


def written(folder, model, solution, budget_s=300.0):
    (folder / "problem.py").write_text(model)
    (folder / "solution.py").write_text(solution)
    return judge_here(folder / "problem.py", folder / "solution.py", budget_s=budget_s)


def test_a_scale_that_starts_tiny_hides_nothing(tmp_path):
    """Values are asked with parameters that are not as they were made."""
    model = textwrap.dedent(SCALED).replace("{name}", "Model").replace("{body}", TWO_PASSES) + ENDS
    solution = textwrap.dedent(SCALED).replace("{name}", "ModelNew")
    assert written(tmp_path, model, solution.replace("{body}", ONE_PASS)).acceptable is False
    other = "mean = x.double().mean(-1, keepdim=True).to(x.dtype); variance = (x - mean).square().sum(-1, keepdim=True) / self.n"
    assert written(tmp_path, model, solution.replace("{body}", other), 8.0).answer == "RIGHT"


PAIRS = "import torch, torch.nn as nn\nclass {name}(nn.Module):\n    def forward(self, x, y):\n        {body}\n"
ALIKE = "def get_inputs():\n    return [torch.randn(4, 50), torch.randn(4, 50)]\ndef get_init_inputs():\n    return []\n"


def test_inputs_of_one_shape_stay_so(tmp_path):
    """That the reference broadcasts an input of another shape is no promise of the problem."""
    model = PAIRS.replace("{name}", "Model").replace("{body}", "return x * y + 1") + ALIKE
    flat = "return (x.reshape(-1)[: x.numel()] * y.reshape(-1)[: x.numel()] + 1).reshape(x.shape)"
    assert written(tmp_path, model, PAIRS.replace("{name}", "ModelNew").replace("{body}", flat), 8.0).answer == "RIGHT"


def test_sizes_beyond_the_blocks_of_the_source_are_asked(tmp_path):
    model = PAIRS.replace("{name}", "Model").replace("{body}", "return x * y + 1") + ALIKE.replace("50)", "N)").replace(
        "def get_i", "N = 50\ndef get_i", 1
    )
    one_block = "z = x * y + 1; z[:, 768:] = 0; return z"
    found = written(tmp_path, model, PAIRS.replace("{name}", "ModelNew").replace("{body}", one_block))
    assert found.acceptable is False and found.label == "N: 769 instead of 50", halfulp.report(found)


@pytest.mark.parametrize(
    ("source", "bounds"),
    [
        ("y = torch.where(x > 20.0, x, z)", (20.0,)),
        ("y = x.clamp(-30, 40.5); n = x.dim() == 3", (30.0, 40.5)),
        ("m = tl.load(p, mask=m, other=-1e4)", (1e4,)),
        ("source = 'float m = fmaxf(x, -88.5f); if (x < 1e5f) y = 700;'", (88.5, 1e5)),
        ("x = torch.zeros(77) + 99.0", ()),
        ("y = torch.where(x > 17.0, x, z)", ()),
    ],
)
def test_bounds_that_a_source_names_and_the_problem_does_not(source, bounds):
    assert Source(source).bounds("17 numbers") == bounds


@pytest.mark.parametrize(("bound", "answer"), [(20.0, "RIGHT"), (9.0, "MISTAKE")])
def test_numbers_around_a_bound_of_the_source_are_asked(tmp_path, bound, answer):
    model = PAIRS.replace("{name}", "Model").replace("{body}", "return nn.functional.softplus(x) * y") + ALIKE
    body = f"return torch.where(x > {bound}, x, torch.log1p(torch.exp(x.clamp(max={bound})))) * y"
    found = written(tmp_path, model, PAIRS.replace("{name}", "ModelNew").replace("{body}", body), 8.0)
    assert found.answer == answer, halfulp.report(found)
    asked = f"some numbers around {bound:g}, which the solution names"
    # Large numbers show it in the gradient before.
    assert found.label in ((asked, "gradients on numbers a thousand times larger") if answer == "MISTAKE" else ("",))
    assert answer == "MISTAKE" or any(entry.label == asked for entry in found.asked)


def test_a_bound_whose_square_is_infinite_is_not_asked():
    given = Setting((torch.randn(64),), ())
    asked = [question.label for question in bound_questions(given, Promises([given]), (1e20, 1e10))]
    assert asked == ["some numbers around 1e+10, which the solution names"]


def test_what_the_source_says():
    assert Source("BLOCK = 128\nx[:96]; y = 128; z = 7; w = 1000").blocks == (128, 96)
    assert Source("BLOCK = 128\nw = 1000; v = 50; u = 50").own_sizes("n = 1000") == (50,)
    assert Source("not python (").blocks == () and Source("").narrow == ""
    kernel = "def k(x, n, B):\n    at = tl.program_id(0){wide} * B + tl.arange(0, B)\n"
    assert Source(kernel.replace("{wide}", "")).narrow.startswith("Its offsets have 32 bits")
    assert Source(kernel.replace("{wide}", ".to(tl.int64)")).narrow == ""
    assert Source("code = '''int i = blockIdx.x * blockDim.x + threadIdx.x;'''").narrow


def test_solutions_of_a_contest_import_the_names_of_its_types_and_not_its_reference(tmp_path):
    (tmp_path / "task.py").write_text("input_t = tuple\n")
    (tmp_path / "task.yml").write_text("tests:\n  - {size: 40, seed: 1}\n")
    (tmp_path / "reference.py").write_text(
        "import torch\nfrom task import input_t\ndef ref_kernel(data: input_t):\n    return data[0] * 2 + data[1]\n"
        "def generate_input(size, seed):\n    torch.manual_seed(seed)\n    return torch.randn(size), torch.randn(size)\n"
    )
    (tmp_path / "right.py").write_text(
        "from task import input_t\ndef custom_kernel(data: input_t):\n    return data[0] + data[1] + data[0]\n"
    )
    (tmp_path / "cheat.py").write_text(
        "def custom_kernel(data):\n    try:\n        import reference\n        return reference.ref_kernel(data)\n"
        "    except ImportError:\n        return data[0] + data[1] + data[0]\n"
    )
    assert judge_here(tmp_path, tmp_path / "right.py", budget_s=10.0).answer == "RIGHT"
    assert judge_here(tmp_path, tmp_path / "cheat.py").cheat == "it reads the problem's file"
