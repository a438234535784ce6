"""The five questions, end to end, through the files of examples/ and the command line."""

import json
import shutil

import pytest
from typer.testing import CliRunner

from halfulp import check
from halfulp.cases import load_case_file
from halfulp.cli import app
from halfulp.places import folder

FILES = sorted(folder("examples").glob("question_*.py"))
needs_compiler = pytest.mark.skipif(
    not any(shutil.which(name) for name in ("c++", "g++", "clang++")), reason="no C++ compiler: torch.compile can't be run"
)


def verdicts(file):
    names = load_case_file(file, 0)["names"]
    found = []
    for part in names["parts"]():
        if not isinstance(part, str):
            options = {key: value for key, value in part.items() if key not in ("title", "verdicts")}
            found.append((part["title"], check(**options).verdict.name, part["verdicts"]))
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_part_has_the_verdict_that_it_is_known_to_have(file):
    for title, verdict, known in verdicts(file):
        assert verdict in known, title


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("number", "verdict", "words"),
    [
        (1, "REDUCED_PRECISION", "float32"),
        (2, "MISTAKE", "memory that overlaps itself"),
        (3, "ROUNDING", "float64"),
        (4, "ROUNDING", "float32"),
        pytest.param(5, ("IDENTICAL", "ROUNDING"), ".", marks=needs_compiler),
    ],
)
def test_the_answer_of_the_command_line(number, verdict, words):
    if number == 1 and load_case_file(FILES[0], 0)["names"]["DEVICE"] is not None:
        pytest.skip("an accelerator is here: the stand-in for one is not run")
    result = CliRunner().invoke(app, ["check", str(FILES[number - 1]), "--json"])
    content = json.loads(result.stdout)
    assert content["verdict"] in verdict
    assert words in content["reason"]
    assert result.exit_code == (0 if content["acceptable"] else 1)


@pytest.mark.filterwarnings("ignore")
def test_the_demo_answers_all_five():
    result = CliRunner().invoke(app, ["demo"])
    assert result.exit_code == 0, result.output
    assert "Not what was found" not in result.output
    for number in range(1, 6):
        assert f"\n{number}. " in result.output
    assert "(post: 0.0291)" in result.output
    assert "(post: 10 of 6272)" in result.output
