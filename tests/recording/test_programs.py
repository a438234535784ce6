"""Programs from the command line: `halfulp record`, then `locate` and `env diff` on what it wrote."""

import json
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from halfulp.errors import CaseFileError
from halfulp.recording.programs import record_program
from halfulp.traces import read_trace

MODEL = """
    import torch
    from torch import nn

    class Model(nn.Module):
        def __init__(self, eps):
            super().__init__()
            self.fc = nn.Linear(8, 16)
            self.norm = nn.LayerNorm(16, eps=eps)
            self.head = nn.Linear(16, 4)

        def forward(self, x):
            return self.head(self.norm(torch.tanh(self.fc(x))))

    def model_with(eps):
        torch.manual_seed(7)
        return Model(eps)

    right = model_with(1e-5)
    wrong = model_with(1e-2)

    def function(x):
        return x.exp().sum()

    def without_inputs():
        return torch.ones(3) * 2

    def draws(x):
        return torch.rand(3)

    NUMBER = 3

    def inputs(seed):
        return torch.randn(5, 8, generator=torch.Generator().manual_seed(seed))
"""

SCRIPT = """
    import sys
    import torch
    import model_file
    from torch import nn

    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    if __name__ == "__main__":
        print("arguments", sys.argv[1:])
        loss = model(torch.ones(3, 4)).square().sum()
        loss.backward()
        optimizer.step()
        if "raise" in sys.argv:
            raise ArithmeticError("on line so and so")
        if "exit" in sys.argv:
            sys.exit(5)
        if "exit 0" in sys.argv:
            sys.exit(0)
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "model_file.py").write_text(textwrap.dedent(MODEL))
    (tmp_path / "script.py").write_text(textwrap.dedent(SCRIPT))
    return tmp_path


def halfulp(folder, *arguments, expect=0):
    ended = subprocess.run(
        [sys.executable, "-c", "from halfulp.cli import main; main()", *arguments], cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert ended.returncode == expect, ended.stdout + ended.stderr
    assert "Traceback" not in ended.stderr
    return ended.stdout if "--json" in arguments else ended.stdout + ended.stderr


def test_a_module_of_a_file_is_recorded_on_its_inputs(files):
    out = halfulp(files, "record", "model_file.py:right", "-o", "a.trace")
    trace = read_trace(files / "a.trace")
    assert f"{len(trace.ops)} ops" in out and not trace.is_partial and trace.level == "tensors"
    assert [step.module for step in trace.steps if step.kind == "module"] == ["fc", "norm", "head", ""]
    assert {value.name for value in trace.values if value.role == "input"} == {"inputs[0]"}
    assert {step.phase for step in trace.ops} == {"forward"}
    assert {step.source.split(":")[0] for step in trace.ops} == {"model_file.py"}


@pytest.fixture
def same_path(monkeypatch):
    """`record_program` makes modules next to the script importable, as Python does."""
    monkeypatch.setattr(sys, "path", list(sys.path))


def test_the_seed_goes_to_inputs_and_to_random_numbers(files, same_path):
    found = {}
    for seed in ("0", "1", "1 again"):
        for name in ("right", "draws"):
            trace = record_program(f"{files}/model_file.py:{name}", files / f"{name} {seed}", seed=int(seed[0]))
            first = next(value.number for value in trace.values if value.role == "input")
            found[name, seed] = (trace.values[first].hash, trace.values[trace.named["output"]].hash)
    for name in ("right", "draws"):
        assert found[name, "1"] == found[name, "1 again"]
        assert not set(found[name, "0"]) & set(found[name, "1"])


def test_a_whole_program_is_recorded_with_its_arguments(files, same_path, capsys):
    trace = record_program(f"{files}/script.py", files / "whole", arguments=("one", "exit 0"))
    assert not trace.is_partial and {step.phase for step in trace.ops} >= {"forward", "backward"}
    assert capsys.readouterr().out == "arguments ['one', 'exit 0']\n" and sys.argv != [f"{files}/script.py", "one", "exit 0"]


@pytest.mark.parametrize(
    ("argument", "words"), [("raise", ["ArithmeticError", "on line so and so"]), ("exit", ["exit code 5", "exit code 0"])]
)
def test_what_a_failing_program_did_is_kept(files, same_path, argument, words):
    with pytest.raises(CaseFileError) as caught:
        record_program(f"{files}/script.py", files / argument, arguments=(argument,))
    assert all(word in str(caught.value) for word in [*words, "partial"])
    trace = read_trace(files / argument)
    assert trace.is_partial and any(step.phase == "backward" for step in trace.ops)


def test_a_case_file_run_as_a_program_says_how_one_side_is_recorded(files, same_path):
    (files / "case.py").write_text("import torch\nactual = expected = torch.exp\nactual(torch.ones(3))\n")
    trace = record_program(f"{files}/case.py", files / "case")
    assert any("case.py:actual -o actual.trace" in note for note in trace.notes), trace.notes


def test_gradients_levels_and_limits_are_options(files):
    halfulp(files, "record", "model_file.py:right", "-o", "g", "--gradients", "--level", "hash")
    trace = read_trace(files / "g")
    assert trace.level == "hash" and {step.phase for step in trace.ops} == {"forward", "backward"}
    assert {name for name in trace.named if name.endswith(".grad")} == {
        f"{a}.{b}.grad" for a in ("fc", "norm", "head") for b in ("weight", "bias")
    }
    halfulp(files, "record", "model_file.py:right", "-o", "s", "--sample", "5", "--select", "norm")
    kept = {value.place.elements for value in read_trace(files / "s").values if value.place is not None}
    assert max(kept) <= 64 and 5 in kept


def test_functions_without_modules_and_without_inputs_are_recorded(files):
    halfulp(files, "record", "model_file.py:function", "-o", "f")
    assert [step.op for step in read_trace(files / "f").ops] == ["aten.exp.default", "aten.sum.default"]
    plain = files / "plain.py"
    plain.write_text("import torch\n\ndef twice():\n    return torch.ones(3) * 2\n")
    halfulp(files, "record", "plain.py:twice", "-o", "p")
    trace = read_trace(files / "p")
    np.testing.assert_array_equal(trace.stored(trace.named["output"]), np.full(3, 2.0, np.float32))


def test_a_whole_script_is_recorded_with_backward_and_optimizer(files):
    out = halfulp(files, "record", "script.py", "-o", "whole", "--", "one", "--two")
    assert "arguments ['one', '--two']" in out
    trace = read_trace(files / "whole")
    assert [phase for phase in ("forward", "backward", "step") if any(step.phase == phase for step in trace.ops)] == [
        "forward",
        "backward",
        "step",
    ]
    assert any(step.kind == "module" and step.op == "Linear" for step in trace.steps)
    halfulp(files, "record", "script.py", "-o", "exited", "--", "exit 0")
    assert not read_trace(files / "exited").is_partial


@pytest.mark.parametrize(("argument", "word"), [("raise", "ArithmeticError"), ("exit", "exit code 5")])
def test_a_script_that_fails_ends_with_2_and_leaves_a_partial_trace(files, argument, word):
    out = halfulp(files, "record", "script.py", "-o", "failed", "--", argument, expect=2)
    assert word in out and "marked partial" in out
    assert not (files / "failed").exists()
    trace = read_trace(files / "failed")
    assert trace.is_partial and trace.notes
    assert {step.phase for step in trace.ops} == {"forward", "backward", "step"}
    for value in trace.values:
        if value.place is not None:
            assert trace.stored(value.number).size == value.elements


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("missing.py", ["missing.py", "not a file"]),
        ("missing.py:name", ["missing.py", "not a file"]),
        ("model_file.py:nothing", ["nothing", "right"]),
        ("model_file.py:NUMBER", ["NUMBER"]),
        ("broken.py:name", ["ZeroDivisionError", "broken.py"]),
    ],
)
def test_what_is_missing_is_named_and_nothing_is_written(files, same_path, script, words):
    (files / "broken.py").write_text("1 / 0\n")
    with pytest.raises(CaseFileError) as caught:
        record_program(f"{files}/{script}", files / "none")
    assert all(word in str(caught.value) for word in words), caught.value
    assert not list(files.glob("none*"))


@pytest.mark.parametrize(("script", "word"), [("missing.py", "not a file"), ("model_file.py:nothing", "right")])
def test_the_command_ends_with_2_where_something_is_missing(files, script, word):
    assert word in halfulp(files, "record", script, "-o", "none", expect=2)
    assert not list(files.glob("none*"))


def test_an_existing_trace_is_refused(files):
    (files / "there").mkdir()
    assert "exists" in halfulp(files, "record", "model_file.py:right", "-o", "there", expect=2)
    assert not list((files / "there").iterdir())


def test_locate_names_the_module_and_env_diff_the_settings(files):
    halfulp(files, "record", "model_file.py:right", "-o", "right.trace")
    halfulp(files, "record", "model_file.py:wrong", "-o", "wrong.trace")
    halfulp(files, "record", "model_file.py:right", "-o", "again.trace")
    out = halfulp(files, "locate", "wrong.trace", "right.trace", expect=1)
    assert "norm" in out and "native_layer_norm" in out
    origin = json.loads(halfulp(files, "locate", "wrong.trace", "right.trace", "--json", expect=1))
    assert (origin["module"], origin["op"], origin["acceptable"], origin["verdict"]) == (
        "norm",
        "aten.native_layer_norm.default",
        False,
        "MISTAKE",
    )
    assert len(origin["walk"]) > 3 and origin["schema"] == 1
    same = json.loads(halfulp(files, "locate", "again.trace", "right.trace", "--json"))
    assert (same["module"], same["verdict"], same["acceptable"], same["settings"]) == (None, "IDENTICAL", True, [])
    assert "are the same" in halfulp(files, "env", "diff", "right.trace", "again.trace")
    found = json.loads(halfulp(files, "env", "diff", "right.trace", "wrong.trace", "--json", expect=0))
    assert found == []  # weights and inputs are the same, eps is no setting


def test_env_diff_names_what_differs(files):
    halfulp(files, "record", "model_file.py:right", "-o", "a")
    halfulp(files, "record", "model_file.py:right", "-o", "b", "--seed", "3")
    out = halfulp(files, "env", "diff", "a", "b", expect=1)
    assert "run: seed" in out and "run: inputs" in out and "run: weights" not in out
    found = json.loads(halfulp(files, "env", "diff", "a", "b", "--json", expect=1))
    assert {each["name"]: (each["first"], each["second"]) for each in found}["run: seed"] == ("0", "3")


def test_locate_on_what_is_no_trace_ends_with_2(files):
    halfulp(files, "record", "model_file.py:right", "-o", "a")
    for arguments in (("a", "nothing"), ("nothing", "a"), ("a", "model_file.py"), ("a",)):
        out = halfulp(files, "locate", *arguments, expect=2)
        assert "Needed" in out
    assert "Needed" in halfulp(files, "env", "diff", "a", "nothing", expect=2)


def test_a_case_file_that_is_run_as_a_script_is_told_how_to_record_a_side(files):
    sides = "def actual(x):\n    return x + 1\n\n\ndef expected(x):\n    return 1 + x\n"
    (files / "case.py").write_text(f"import torch\n\n\n{sides}\n\nW = torch.ones(3) * 2\n")
    assert "to record one: halfulp record case.py:actual" in " ".join(halfulp(files, "record", "case.py", "-o", "built").split())
