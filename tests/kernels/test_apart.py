"""A reference that ends its process costs a question; the caller and other solutions go on."""

import sys
import threading

import pytest
import torch

import halfulp
from halfulp.kernels import judge, judge_all
from halfulp.kernels.apart import Apart, of_this_thread

PROBLEM = """
import os
import torch
from torch import nn

class Model(nn.Module):
    def forward(self, x):
        if {when}:
            os.kill(os.getpid(), 11)
        return x.sum(-1)

N = 40

def get_inputs():
    return [torch.randn(3, N)]

def get_init_inputs():
    return []
"""
SOLUTION = """
import torch
from torch import nn

class ModelNew(nn.Module):
    def forward(self, x):
        return sum(x[:, at : at + 7].sum(1) for at in range(0, {length}, 7))
"""


def written(folder, when, length="x.shape[1]"):
    (folder / "problem.py").write_text(PROBLEM.replace("{when}", when))
    (folder / "solution.py").write_text(SOLUTION.replace("{length}", length))
    return folder / "problem.py", folder / "solution.py"


def test_the_question_at_which_the_reference_crashes_is_passed_over(tmp_path):
    found = judge(*written(tmp_path, "x.shape[-1] == 39 and bool((x.abs() < 1e6).all())"), budget_s=10.0)
    assert found.answer == "RIGHT", halfulp.report(found)
    assert any("The reference crashed, or never finished, on the question" in note for note in found.notes)
    assert any(entry.answer == "no answer" and "ends its process" in entry.note for entry in found.asked)
    assert judge(*written(tmp_path, "x.shape[-1] == 39", "35"), budget_s=5.0).answer == "MISTAKE"


def test_a_reference_that_always_crashes_leaves_each_solution_undecided(tmp_path):
    problem, solution = written(tmp_path, "True")
    (tmp_path / "other.py").write_text(solution.read_text())
    found = judge_all(problem, [solution, tmp_path / "other.py"], budget_s=5.0)
    assert [result.answer for result in found.results] == ["UNDECIDED"] * 2
    assert "SIGSEGV" in found.results[0].because and found.exit_code == 3


def test_what_a_problem_says_comes_back_as_it_is(tmp_path):
    problem, solution = written(tmp_path, "False")
    problem.write_text("raise ValueError('no problem')")
    with pytest.raises(halfulp.CaseFileError, match="no problem"):
        judge(problem, solution)
    with pytest.raises(halfulp.HalfulpError, match="which is not a file"):
        judge(tmp_path / "missing.py", solution)


def test_a_process_is_kept_by_its_thread_and_can_be_ended_by_another(tmp_path):
    assert of_this_thread() is of_this_thread()
    problem, solution = written(tmp_path, "__import__('time').sleep(600) is None")
    apart, found = Apart(), []
    thread = threading.Thread(
        target=lambda: found.append(apart.judged(problem, solution, declared=None, budget_s=5.0, seed=0, progress=lambda _: begun.set()))
    )  # fmt: skip
    begun = threading.Event()
    thread.start()
    assert begun.wait(60)
    apart.end()
    thread.join(20)
    assert not thread.is_alive() and found[0].answer == "UNDECIDED"


def test_random_numbers_of_the_caller_stay_as_they_are(tmp_path):
    problem, solution = written(tmp_path, "False")
    before = torch.random.get_rng_state()
    assert judge(problem, solution, budget_s=10.0).acceptable
    assert torch.equal(before, torch.random.get_rng_state())


@pytest.mark.skipif(
    sys.platform != "linux" or torch.cuda.is_available(), reason="the memory of references is limited on Linux without CUDA"
)
def test_inputs_that_need_too_much_memory_cost_a_question(tmp_path):
    """The draw takes 12 GB and writes to none of it, so that it succeeds on any machine unless memory is limited."""
    problem, solution = written(tmp_path, "False")
    drawn = tmp_path / "drawn"
    text = problem.read_text().replace(
        "    return [torch.randn(3, N)]",
        f"    if N == 41:\n        torch.empty(3 << 30)\n        open({str(drawn)!r}, 'w').close()\n    return [torch.randn(3, N)]",
    )
    problem.write_text(text)
    found = judge(problem, solution, budget_s=10.0)
    assert found.answer == "RIGHT", halfulp.report(found)
    assert len(found.asked) > 5
    assert not drawn.exists()


def test_a_process_that_was_ended_answers_nothing(tmp_path):
    apart = Apart()
    apart.end()
    found = apart.judged(*written(tmp_path, "False"), declared=None, budget_s=5.0, seed=0)
    assert found.answer == "UNDECIDED" and found.solution == "solution"
