"""What a command says that leads on: the next command, a tolerance that isn't needed, a baseline that isn't there, a function for inputs."""

import pytest
from typer.testing import CliRunner

import halfulp
from halfulp.cli import app
from halfulp.errors import InputError

RUN = CliRunner()
CASE = """
import torch
def actual(x): return x * 2.1
def expected(x): return x + x
def inputs(seed): return (torch.randn(4, generator=torch.Generator().manual_seed(seed)),)
"""


@pytest.fixture
def case(tmp_path):
    file = tmp_path / "my_case.py"
    file.write_text(CASE)
    return str(file)


def test_a_short_answer_leads_on_too(case):
    found = RUN.invoke(app, ["check", case, "-q"])
    assert found.stdout.rstrip().endswith(f"Next, to find the cause: halfulp explain {case}")


@pytest.mark.parametrize("option", ["--rtol", "--atol", "--tol"])
def test_a_tolerance_is_answered_by_what_takes_its_place(option, case):
    found = RUN.invoke(app, ["check", case, option, "1e-3"])
    assert isinstance(found.exception, InputError) and "halfulp tolerance" in str(found.exception)


def test_ci_leads_on_with_the_file_and_says_that_there_is_no_baseline(case, tmp_path):
    found = RUN.invoke(app, ["ci", case, "--baseline", str(tmp_path / "none.json")])
    assert f"To find the cause: halfulp explain {case}" in found.stdout.replace("\n", " ")
    assert "There is no baseline yet" in found.stdout


def test_a_function_for_inputs_is_said():
    with pytest.raises(halfulp.RunError, match=r"call it first, as in inputs\(0\)"):
        halfulp.check(lambda x, y: x + y, lambda x, y: y + x, lambda seed: (1.0, 2.0))


def test_of_two_words_the_second_has_its_tolerance_derived(case):
    found = RUN.invoke(app, ["tolerance", "x * 2", "x + x", "-i", "x=randn(8)"])
    assert found.exit_code == 0 and "rtol=" in found.stdout
