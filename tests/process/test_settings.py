"""What code under test changes in the process is put back after each run, and said."""

import io
import logging
import os
import signal
import sys
import warnings
from unittest import mock

import numpy as np
import pytest
import torch
from torch import nn

import halfulp
from halfulp.process.settings import COMPUTING, RANDOM, SURROUNDINGS, put_back, readings, settings_kept

W = torch.randn(8, 8, generator=torch.Generator().manual_seed(1))
X = torch.randn(4, 8, generator=torch.Generator().manual_seed(2))

CHANGES = {
    "the default dtype": lambda: torch.set_default_dtype(torch.float64),
    "the use of deterministic algorithms": lambda: torch.use_deterministic_algorithms(True),
    "the number of threads": lambda: torch.set_num_threads(torch.get_num_threads() + 1),
    "NumPy's handling of floating-point errors": lambda: np.seterr(all="raise"),
    "the default device": lambda: torch.set_default_device("meta"),
    "flushing of subnormal numbers": lambda: torch.set_flush_denormal(True),
    "the working folder": lambda: os.chdir("/"),
    "environment variables": lambda: os.environ.__setitem__("ATTACK", "1"),
    "all of the program's warnings": lambda: warnings.simplefilter("ignore"),
    "what Ctrl-C does": lambda: signal.signal(signal.SIGINT, lambda *_: None),  # shells let their background jobs ignore it
    "autocast": lambda: torch.set_autocast_enabled("cpu", True),
    "hooks of all modules": lambda: nn.modules.module.register_module_forward_hook(lambda *_: None),
    "recording of gradients": lambda: torch.set_grad_enabled(not torch.is_grad_enabled()),
    "oneDNN": lambda: setattr(torch.backends.mkldnn, "enabled", False),
    "float32 matmul precision": lambda: torch.set_float32_matmul_precision("medium"),
    "the level of logging": lambda: logging.getLogger().setLevel(logging.CRITICAL),
    "standard output": lambda: setattr(sys, "stdout", io.StringIO()),
}  # fmt: skip


@pytest.fixture(autouse=True)
def everything_is_put_back():
    str(halfulp.check(torch.exp, torch.exp, (X,)))  # what is loaded for the first report draws random numbers
    kept = readings((*COMPUTING, *RANDOM, *SURROUNDINGS))
    yield
    left = put_back(kept)
    assert not left


def changing(change):
    def actual(x):
        y = x @ W.T
        change()
        return y

    return actual


@pytest.mark.parametrize("name", CHANGES)
def test_a_check_puts_back_what_the_function_changed_and_says_it(name):
    result = halfulp.check(changing(CHANGES[name]), lambda x: x @ W.T, (X,))
    said = result.find("effects").measured["actual_changed_settings"]
    assert len(said) == 1 and said[0].startswith(name)
    assert f"actual changes settings of the process ({name}" in str(result)
    assert result.verdict.name == "IDENTICAL"


@pytest.mark.parametrize(
    "command", [halfulp.record, halfulp.audit, lambda f, x: halfulp.locate(f, lambda x: x @ W.T, x)], ids=["record", "audit", "locate"]
)
@pytest.mark.parametrize("name", CHANGES)
def test_other_commands_put_it_back_too(name, command):
    before = readings((*COMPUTING, *SURROUNDINGS))
    command(changing(CHANGES[name]), (X,))
    assert not put_back(before)


def test_a_recording_says_what_was_put_back():
    trace = halfulp.record(changing(CHANGES["the use of deterministic algorithms"]), (X,))
    assert "the use of deterministic algorithms was off and became on; halfulp undid the change" in trace.notes


def test_a_function_that_raises_leaves_nothing_changed():
    def actual(x):
        torch.use_deterministic_algorithms(True)
        raise ValueError("not today")

    with pytest.raises(halfulp.RunError):
        halfulp.check(actual, lambda x: x, (X,))


def test_the_other_side_runs_without_it():
    """`actual` turns the default dtype over; `expected` makes constants in the default dtype."""
    seen = []

    def expected(x):
        seen.append(torch.zeros(1).dtype)
        return x @ W.T

    halfulp.check(changing(CHANGES["the default dtype"]), expected, (X,))
    assert seen[0] == torch.float32


def test_what_frameworks_set_for_themselves_is_no_change():
    with mock.patch.dict(os.environ), warnings.catch_warnings():
        os.environ.pop("TORCHINDUCTOR_CACHE_DIR", None)
        with settings_kept() as changed:
            os.environ["TORCHINDUCTOR_CACHE_DIR"] = "/tmp/x"
            warnings.filterwarnings("ignore", message="of their own", module="theirs")
    assert not changed


def test_a_working_folder_that_is_gone_is_a_message(tmp_path):
    here, gone = os.getcwd(), tmp_path / "gone"
    gone.mkdir()
    os.chdir(gone)
    try:
        gone.rmdir()
        with pytest.raises(halfulp.InputError, match="working folder was removed"):
            halfulp.check(lambda x: x, lambda x: x, (X,))
    finally:
        os.chdir(here)
