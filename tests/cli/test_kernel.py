"""`halfulp kernel`: one solution, a folder of them, and what is no solution."""

import json

import pytest
from typer.testing import CliRunner

import halfulp
from halfulp.cli import app
from halfulp.errors import InputError

PROBLEM = """
import torch
def expected(x): return torch.softmax(x, -1)
def inputs(seed):
    torch.manual_seed(seed)
    return (torch.randn(4, 33),)
"""
SOLUTION = """
import torch
def actual(x):
    top = {top}
    e = torch.exp(x - top)
    return e / e.sum(-1, keepdim=True)
"""


def run(*words):
    return CliRunner().invoke(app, ["kernel", *map(str, words)])


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "softmax.py").write_text(PROBLEM)
    solutions = tmp_path / "solutions"
    solutions.mkdir()
    (solutions / "stable.py").write_text(SOLUTION.format(top="x.amax(-1, keepdim=True)"))
    (solutions / "naive.py").write_text(SOLUTION.format(top="0.0"))
    return tmp_path


def test_one_solution_in_full_and_several_in_rows(folder):
    right = run(folder / "softmax.py", folder / "solutions" / "stable.py")
    assert right.exit_code == 0 and right.stdout.startswith("RIGHT: It is right on all ")
    assert "the inputs of the problem" in right.stdout and "a process of its own" in right.stdout
    both = run(folder / "softmax.py", folder / "solutions", "--json", "--html", folder / "page.html")
    report = json.loads(both.stdout)
    assert both.exit_code == 1 and report["kind"] == "kernel" and report["answers"] == ["UNSTABLE", "RIGHT"]
    assert [result["solution"] for result in report["results"]] == ["naive", "stable"]
    assert "1 of 2 solutions is right." in (folder / "page.html").read_text()
    (folder / "kept.json").write_text(both.stdout)
    assert [result.answer for result in halfulp.read_result(folder / "kept.json").results] == ["UNSTABLE", "RIGHT"]


def test_quiet_prints_the_answer_alone(folder):
    assert run(folder / "softmax.py", folder / "solutions" / "naive.py", "-q").stdout.count("\n") == 1


def test_a_folder_without_solutions_is_refused(folder):
    (folder / "empty").mkdir()
    ended = run(folder / "softmax.py", folder / "empty")
    assert isinstance(ended.exception, InputError) and "Got no solutions" in str(ended.exception)
    assert "Got no solutions" in str(run(folder / "softmax.py", folder).exception)  # the problem itself is none
