"""The five questions, end to end, through the files of examples/ and the command line."""

import json
import runpy
import shutil
import subprocess
import sys

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


QUESTION = """
TITLE, QUESTION = "{number}. One", "Is it so?"
actual = expected = abs
inputs = lambda seed: ()
def parts(full=False):
    yield "full" if full else "short"
def figures(full=False):
    yield "An answer."
    {last}
"""


def test_each_answer_is_shown_as_soon_as_it_is_there(tmp_path):
    """Through a pipe too: the second question waits until the answer to the first was read."""
    (tmp_path / "question_1.py").write_text(QUESTION.format(number=1, last="return"))
    (tmp_path / "question_2.py").write_text(QUESTION.format(number=2, last="assert input() == 'seen'"))
    program = (
        "import sys, pathlib, halfulp.places\nfolder = pathlib.Path(sys.argv.pop())\nhalfulp.places.folder = lambda name: folder\n"
        "from halfulp.cli import main\nmain()"
    )
    command = [sys.executable, "-c", program, "demo", str(tmp_path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    said = []
    while not said or "An answer." not in said[-1] or "2. One\n" not in said:
        said.append(process.stdout.readline())
        assert said[-1]
    rest, _ = process.communicate("seen\n")
    assert process.returncode == 0
    assert "the code: question_2.py" in rest and "  short\n" in said


@pytest.mark.filterwarnings("ignore")
@pytest.mark.slow
@needs_compiler
def test_the_whole_demo_runs_what_takes_longer():
    result = CliRunner().invoke(app, ["demo", "--full"])
    assert result.exit_code == 0, result.output
    assert "of 100 (the post prints none of its numbers)" in result.output and "Stages of compiling that were run" in result.output
    assert "The cause: " in result.output


@pytest.mark.parametrize(
    ("file", "question", "verdict", "words"),
    [
        ("cuda_linear.npy", "question_3_linear.py", "ROUNDING", "This is rounding in float32"),
        ("cuda_linear_tf32.npy", "question_3_linear.py", "REDUCED_PRECISION", "to tf32"),
        ("directml_product.npy", "question_1_directml.py", "REDUCED_PRECISION", "every result is a float32 number"),
    ],
)
def test_only_the_numbers_of_another_device_are_at_hand(file, question, verdict, words, tmp_path):
    examples = folder("examples")
    runpy.run_path(str(examples / "results_of_devices.py"))["main"](tmp_path)
    result = CliRunner().invoke(app, ["check", str(tmp_path / file), f"{examples / question}:expected", "--json"])
    content = json.loads(result.stdout)
    assert content["verdict"] == verdict
    assert words in content["reason"]
    assert "trusts that it was computed" in " ".join(content["warnings"])
