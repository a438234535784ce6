"""What a matrix and the list of backends say."""

import json

import pytest
from typer.testing import CliRunner

import halfulp
from halfulp.backends import Availability
from halfulp.backends.habits import Habits, Reading, Switch
from halfulp.cli import app
from halfulp.reports.text.backends import backends_text
from halfulp.reports.text.matrices import matrix_text, pairs_text
from halfulp.sweeps import Cell, Matrix, read_matrix

COARSE = Habits(
    {"linear": Reading(8, 8, 24, None), "conv2d": Reading(24, 24, 24, True)},
    {"linear": "flushed", "sum": "kept"},
    (
        Switch("f32 on", True, "bfloat16", "float32"),
        Switch("medium", True, "float32", "float32"),
        Switch("high", False, "float32", "float32"),
    ),
    ("linear: left to others",),
    {"matmul": "it died"},
)


def cell(actual, op, verdict, **more):
    return Cell(actual, "torch", op, "small", "8x64", "float32", verdict, **more)


def made(complete=True):
    cells = (
        cell("numpy", "gelu", "ROUNDING", difference_in_u=1.0, actual_error_in_u=1.5),
        cell("engine", "gelu", "MISTAKE", difference_in_u=900.0, actual_error_in_u=901.0),
        cell("engine", "linear", "REDUCED_PRECISION", format="bfloat16", actual_error_in_u=1e5),
        cell("numpy", "linear", "", fault="numpy: no such op"),
    )
    families = {"gelu small float32": (("numpy", "triton"), ("engine",)), "linear small float32": (("numpy", "triton"),)}
    remarks = {"engine": {"gelu small float32": "left to its own kernels"}}
    return Matrix(cells, families, {"engine": COARSE}, remarks, {"engine": ("linear: died",)}, {}, {}, 12.0, complete)


def test_the_worst_of_each_op_with_its_error_and_what_was_noticed():
    text = matrix_text(made())
    assert "MISTAKE 901" in text and "REDUCED bfloat16" in text and "engine: MISTAKE in gelu" in text
    assert "numpy = triton: 2 cases (gelu, linear)" in text and "engine: linear: died" in text and "instead of its delegate: gelu" in text
    assert "1 ROUNDING" in text and "1 not supported" in text and "INTERRUPTED" not in text
    assert "INTERRUPTED" in matrix_text(made(complete=False), "answer")


def test_pairs_that_do_not_agree_are_listed_by_op():
    text = pairs_text(made())
    assert text.count("engine") == 2 and "numpy" not in text
    assert pairs_text(Matrix((), {}, {}, {}, {}, {}, {})) == "All pairs agree within rounding."


@pytest.mark.parametrize(("verdict", "code"), [("ROUNDING", 0), ("MISTAKE", 1), ("UNDECIDED", 3)])
def test_exit_codes(verdict, code):
    assert Matrix((cell("a", "gelu", verdict),), {}, {}, {}, {}, {}, {}).exit_code == code


def test_habits_in_words():
    found = {"engine": Availability("here", "1.0"), "other": Availability(reason="not installed", install="pip install other")}
    text = backends_text(found, {"engine": COARSE})
    assert "linear of float32 numbers runs in bfloat16: inputs and weights are read with 8 of 24 bits" in text
    assert "f32 on changes the precision from bfloat16 to float32" in text and "medium changes the bits but not the precision" in text
    assert (
        "high changes nothing" in text
        and "flushes subnormal numbers to zero in linear" in text
        and "matmul could not be measured: it died" in text
    )
    assert "pip install other" in text and "1 of 2 backends" in text


def test_the_commands(tmp_path):
    file = tmp_path / "matrix.json"
    options = ["--backends", "torch,numpy", "--ops", "relu,linear", "--shapes", "small", "--json", str(file), "--pairs"]
    run = CliRunner().invoke(app, ["matrix", *options])
    assert run.exit_code == 0, run.output
    assert "linear" in run.output and "All pairs agree within rounding." in run.output
    found = read_matrix(file)
    assert {result.op for result in found.results} == {"relu", "linear"} and halfulp.report(found).startswith(
        "1 backend against PyTorch, 2 cases"
    )
    listed = CliRunner().invoke(app, ["backends", "--no-measure", "--json"])
    assert listed.exit_code == 0 and json.loads(listed.output)["backends"]["numpy"]["where"] == "here"
    assert CliRunner().invoke(app, ["backends", "install", "torch"]).exit_code != 0
