"""Lines on standard error where there is no terminal: when they come, what they say, and that none comes after the end."""

import json
import sys
import threading

import pytest
from typer.testing import CliRunner

from halfulp.cli import app, progress
from halfulp.words.stage import Stage


@pytest.fixture(autouse=True)
def _patience(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE_S", 2.0)


def test_a_line_after_two_seconds_and_every_twenty():
    lines = progress.Lines(100.0, "reading")
    assert lines.line(101.9) is None
    assert lines.line(102.0) == "halfulp: reading (2 s so far)"
    lines.tell("trying small integers", 103.0)
    assert lines.line(121.0) is None and lines.due == 122.0
    assert lines.line(122.5) == "halfulp: trying small integers (22 s so far)"
    assert lines.line(142.6) == "halfulp: trying small integers (43 s so far)"  # the same step: it takes long


def test_the_time_left_is_that_of_what_is_counted():
    lines = progress.Lines(0.0, "")
    for done in range(4):
        lines.tell(Stage(f"op {done} of 10", done, 10), 10.0 * done)
    assert lines.line(31.0) == "halfulp: op 3 of 10 (31 s so far, about 70 s left)"
    assert lines.line(90.0) == "halfulp: op 3 of 10 (90 s so far, about 70 s left)"
    lines.tell(Stage("at most 5 s left", 4, 10), 95.0)
    assert lines.line(120.0) == "halfulp: at most 5 s left (120 s so far)"


def test_what_a_terminal_would_act_on_is_shown_as_escapes():
    lines = progress.Lines(0.0, "")
    lines.tell("\x1b[2Jcleared", 0.0)
    assert "\x1b" not in lines.line(3.0)


@pytest.fixture
def written(monkeypatch):
    """The lines that were written, and something to wait for the first of them with."""
    found, came = [], threading.Event()

    def write(line, stream):
        found.append(line)
        came.set()

    monkeypatch.setattr(progress, "_write", write)
    return found, came


def test_a_line_comes_while_one_step_takes_long_and_none_after_the_end(monkeypatch, written):
    found, came = written
    monkeypatch.setattr(progress, "PATIENCE_S", 0.0)
    monkeypatch.setattr(progress, "EVERY_S", 0.0)
    with progress.steps_on_stderr(False, "one long step"):
        assert came.wait(60)
    after = len(found)
    assert found[0].startswith("halfulp: one long step (0 s so far")
    assert not [thread for thread in threading.enumerate() if thread.name == "halfulp progress"]
    assert len(found) == after


def test_quiet_says_nothing_and_starts_no_thread(monkeypatch, written):
    monkeypatch.setattr(progress, "PATIENCE_S", 0.0)
    with progress.steps_on_stderr(True) as show:
        show("working")
        assert not [thread for thread in threading.enumerate() if thread.name == "halfulp progress"]
    assert not written[0]


@pytest.mark.parametrize("raised", [KeyboardInterrupt, ValueError])
def test_the_thread_ends_where_the_work_is_interrupted(raised):
    with pytest.raises(raised), progress.steps_on_stderr(False):
        raise raised
    assert not [thread for thread in threading.enumerate() if thread.name == "halfulp progress"]


def test_lines_go_to_the_real_standard_error(capfd):
    progress._write("halfulp: \u00b5 working", sys.stderr)
    said = capfd.readouterr()
    assert "working" in said.err and not said.out


CASE = """
import torch, threading, halfulp.cli.progress as progress
def expected(x):
    came.wait(60)
    return x * 3
actual = lambda x: x * 3
inputs = lambda seed: (torch.ones(3),)
came, write = threading.Event(), progress._write
def told(line, stream):
    write(line, stream)
    came.set()
progress._write = told
"""


@pytest.mark.parametrize("options", [("--json",), ("--quiet",), ()])
def test_json_stays_json_and_quiet_stays_quiet(tmp_path, monkeypatch, options):
    """The function under test waits until a line was written, where one is to come."""
    monkeypatch.setattr(progress, "PATIENCE_S", 0.0)
    monkeypatch.setattr(progress, "_write", progress._write)  # put back after
    (tmp_path / "case.py").write_text(CASE if "--quiet" not in options else CASE.replace("came.wait(60)", "pass"))
    result = CliRunner().invoke(app, ["check", str(tmp_path / "case.py"), *options])
    assert result.exit_code == 0, result.output
    if "--json" in options:
        assert json.loads(result.stdout)["verdict"] == "IDENTICAL"
    assert ("halfulp: " in result.stderr) == ("--quiet" not in options)
    assert "so far" not in result.stdout
