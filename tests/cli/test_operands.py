"""What commands take besides case files."""

import json
import subprocess
import sys

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from typer.testing import CliRunner

import halfulp
from halfulp.cli import app

LINEAR = ["x @ W.T + b", "F.linear(x, W, b)", "-i", "x=randn(4, 96), W=randn(8, 96), b=randn(8)"]
FILE = """
import torch
import torch.nn.functional as F
def actual(x, W): return x @ W.T
def expected(x, W): return F.linear(x, W)
def inputs(seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(4, 96, generator=generator), torch.randn(8, 96, generator=generator)
"""


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "code.py").write_text(FILE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("check", *LINEAR), 0, "declared precision float32"),
        (("check", *LINEAR, "--seed", "3", "--full"), 0, "declared precision float32"),
        (("check", "F.linear(x, W, b) * 1.01", *LINEAR[1:], "-q"), 1, "MISTAKE"),
        (("check", "code.py:actual", "code.py:expected", "-q"), 0, "declared precision float32"),
        (("check", "code.py:actual", "--backends", "torch", "-q"), 0, "actual (torch)"),
        (
            ("explain", "F.layer_norm(x, (64,), eps=1e-3)", "F.layer_norm(x, (64,))", "-i", "x=randn(8, 64)", "--no-processes", "-q"),
            1,
            "layer epsilon",
        ),
        (("locate", *LINEAR, "-q"), 0, "acceptable"),
        (("tolerance", "F.linear(x, W)", "-i", "x=randn(4, 96), W=randn(8, 96)"), 0, "rtol"),
        (("tolerance", "code.py:expected"), 0, "rtol"),
        (("growth", "x @ W.T", "F.linear(x, W)", "-i", "x=randn(4, size), W=randn(8, size)", "--sizes", "16,32,64", "-q"), 0, "size"),
        (("order", "x.sum(1)", "-i", "x=randn(3, 20)"), 0, "actual"),
        (("audit", "(x.bfloat16() * 2).float()", "-i", "x=randn(8)"), 0, "bfloat16"),
        (("record", "F.linear(x, W)", "-i", "x=randn(4, 96), W=randn(8, 96)", "-o", "run.trace"), 0, "run.trace"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, tuple) else "",
)
def test_commands_take_expressions_and_names(arguments, code, words, folder):
    result = run(*arguments)
    assert result.exit_code == code, (result.output, result.exception)
    assert words in result.output


def test_a_result_holds_a_case_file_of_its_expressions(folder):
    stored = json.loads(run("check", *LINEAR, "--json").output)
    (folder / "kept.py").write_text(stored["case_file"])
    again = json.loads(run("check", "kept.py", "--json").output)
    assert again["difference"] == stored["difference"]


def test_a_stored_result_on_the_command_line(folder):
    generator = torch.Generator().manual_seed(0)
    given = torch.randn(4, 96, generator=generator), torch.randn(8, 96, generator=generator)
    np.save("result.npy", F.linear(*given).numpy())
    result = run("check", "result.npy", "code.py:expected")
    assert result.exit_code == 0 and "trusts that it was computed" in result.output and "not asked" in result.output
    assert "can both sides be run?" in result.output
    for command in ("explain", "locate", "growth", "audit", "order", "record"):
        more = ("-o", "a.trace") if command == "record" else ()
        words = ("result.npy",) if command in ("audit", "record") else ("result.npy", "code.py:expected")
        refused = run(command, *words, *more)
        assert isinstance(refused.exception, halfulp.InputError), command
        assert "stored result" in str(refused.exception)


def test_two_results_are_for_compare(folder):
    for name in ("a.npy", "b.npy"):
        np.save(name, np.ones(3))
    assert "halfulp compare a.npy b.npy" in str(run("check", "a.npy", "b.npy").exception)


def test_a_word_that_nothing_has_is_no_such_file(folder):
    for command in ("check", "explain", "locate", "growth", "order", "audit", "tolerance"):
        assert "Got nowhere, which is not a file" in str(run(command, "nowhere").exception), command


def test_one_trace_needs_another(folder):
    halfulp.record(torch.relu, (torch.ones(2),), "a.trace", level="tensors")
    assert "Got one trace, a.trace" in str(run("locate", "a.trace").exception)
    assert "Got one trace, a.trace" in str(run("locate", "a.trace", "code.py:expected").exception)


def test_a_program_for_the_fault_of_two_functions(folder):
    result = run("repro", "F.layer_norm(x, (16,), eps=1e-2)", "F.layer_norm(x, (16,))", "-i", "x=randn(4, 16)", "-o", "out")
    assert result.exit_code == 0, (result.output, result.exception)
    assert (folder / "out" / "repro.py").is_file()


@pytest.mark.parametrize("expression", ["x * 2", "x @ x.T", "F.relu(x)"])
def test_an_expression_is_recorded(tmp_path, expression):
    """PyTorch imports a module of its own while it watches an op, as the code would that called the op: expressions have no names for that."""
    words = ["record", expression, "-i", "x=randn(3, 3)", "-o", str(tmp_path / "run.trace")]
    ended = subprocess.run([sys.executable, "-m", "halfulp", *words], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert halfulp.read_trace(tmp_path / "run.trace").ops


def test_no_expression_reaches_what_imports():
    for text in ("__import__('os')", "x.__class__", "__builtins__"):
        with pytest.raises(halfulp.errors.InputError):
            halfulp.sources.expressions.function_of(text, ["x"], "actual")


@pytest.mark.parametrize("what", ["failing.py:f", "x.view(2)"])
def test_what_a_recorded_function_raises_is_said(tmp_path, what, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "failing.py").write_text("def f(): raise ValueError('boom')\n")
    words = ["-i", "x=randn(3)"] if "view" in what else []
    ended = run("record", what, *words, "-o", "run.trace")
    assert ended.exit_code == 2 or isinstance(ended.exception, halfulp.errors.CaseFileError)
    said = str(ended.exception)
    assert f"from {what}: " in said and "run.trace.partial" in said and "Fix the error above" in said
    assert (tmp_path / "run.trace.partial").is_dir()


def test_inputs_that_no_expression_uses_are_too_many():
    ended = run("check", "torch.ones(3)", "torch.ones(3) * 2", "-i", "randn(4)")
    assert "the expressions use no inputs. Needed: no inputs" in str(ended.exception)
