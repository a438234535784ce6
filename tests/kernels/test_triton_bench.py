"""Problems of TritonBench: a function, a line of #, tests that call it; each call is asked, and inputs that are written out grow."""

import pytest
import torch

import halfulp
from halfulp.errors import CaseFileError
from halfulp.kernels import read_problem
from halfulp.kernels.judging import judge_here

LINE = "#" * 80
PROBLEM = f'''
import torch
import torch.nn.functional as F

def softmax_log(input, dim=-1, dtype=None):
    """The softmax of the logarithm along an axis."""
    input = input if dtype is None else input.to(dtype)
    return F.softmax(input.log(), dim=dim)

{LINE}

import torch
torch.manual_seed(42)

def test_softmax_log():
    results = {{}}
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], device="cuda")
    results["test_case_1"] = softmax_log(x)
    results["test_case_2"] = softmax_log(x, dim=0)
    results["test_case_3"] = softmax_log(input=x, dtype=torch.float64)
    results["test_case_4"] = softmax_log(torch.rand(4, 70, device="cuda") + 0.1)
    print(results)
    return results

test_results = test_softmax_log()
'''
SOLUTION = f"""
import torch
def softmax_log(input, dim=-1, dtype=None):
    x = input if dtype is None else input.to(dtype)
    return x / {{total}}
{LINE}
def test_softmax_log():
    raise RuntimeError("tests of a solution are not run")
test_softmax_log()
"""
TOTAL = "x.sum(dim=dim, keepdim=True)"
BLOCK = "x.narrow(dim, 0, n - n % 128 if (n := x.shape[dim]) > 128 else n).sum(dim=dim, keepdim=True)"


@pytest.fixture
def problem(tmp_path):
    (tmp_path / "softmax_log.py").write_text(PROBLEM)
    return tmp_path / "softmax_log.py"


def test_calls_of_the_tests_are_settings(problem, capsys):
    found = read_problem(problem)
    assert (found.format, found.entry, found.name) == ("TritonBench", "softmax_log", "softmax_log")
    assert [label for label, _ in found.tests] == ["call 2 of its tests", "call 3 of its tests", "call 4 of its tests"]
    by_place, by_name, other = (setting for _, setting in found.tests)
    assert by_place.arguments[1] == 0 and by_name.keywords == {"dtype": torch.float64} and other.arguments[0].shape == (4, 70)
    assert torch.equal(by_name.arguments[0], found.draw(0, {}).arguments[0])
    assert not capsys.readouterr().out


def test_numbers_that_are_written_out_are_drawn_between_the_smallest_and_the_largest(problem):
    found = read_problem(problem)
    first, other, again = (found.draw(seed, {}).arguments[0] for seed in (0, 1, 1))
    assert torch.equal(first, torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    assert other.shape == first.shape and not torch.equal(other, first) and torch.equal(other, again)
    assert float(other.min()) >= 1 and float(other.max()) <= 4


def test_sizes_are_those_that_change_a_shape(tmp_path):
    drawn = PROBLEM.replace('torch.tensor([[1.0, 2.0], [3.0, 4.0]], device="cuda")', "torch.rand(3, 5) + 1")
    (tmp_path / "softmax_log.py").write_text(drawn)
    found = read_problem(tmp_path / "softmax_log.py")
    assert found.sizes == {"3": 3, "5": 5} and found.draw(0, {"5": 9}).arguments[0].shape == (3, 9)
    assert not torch.equal(found.draw(0, {}).arguments[0], found.draw(1, {}).arguments[0])


@pytest.mark.parametrize(("total", "answer", "where"), [
    (TOTAL, "RIGHT", ""), ("x.sum(dim=-1, keepdim=True)", "MISTAKE", "call 2"), (BLOCK, "MISTAKE", "axes of length 2: 129"),
])  # fmt: skip
def test_solutions_are_judged_without_their_tests(problem, tmp_path, total, answer, where):
    (tmp_path / "solution.py").write_text(SOLUTION.format(total=total))
    found = judge_here(problem, tmp_path / "solution.py")
    assert found.answer == answer and where in f"{found.because} {found.asked[-1].label}", halfulp.report(found)


@pytest.mark.parametrize(("change", "words"), [
    (("import torch\nimport torch.nn", "import triton\nimport torch\nimport torch.nn"), "written in Triton"),
    (("softmax_log(", "softmax_2("), "call none of its functions"),
    (("    x = torch.tensor", "    return results\n    x = torch.tensor"), "before they call softmax_log"),
])  # fmt: skip
def test_what_is_missing_is_said(tmp_path, change, words):
    code, _, tests = PROBLEM.partition(LINE)
    text = code + LINE + tests.replace(*change) if "import triton" not in change[1] else code.replace(*change) + LINE + tests
    (tmp_path / "softmax_log.py").write_text(text)
    with pytest.raises(CaseFileError, match=words):
        read_problem(tmp_path / "softmax_log.py")
