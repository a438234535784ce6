"""What a backend leaves as it was in the process it runs in: read before and after, put back in between."""

from __future__ import annotations

import contextlib
import logging
import os
import random
import signal
import sys
import warnings
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from .broken import Broken


@dataclass(frozen=True)
class Setting:
    """One thing that the whole process shares.

    Attributes:
        name: as a report names it. read: gives its value, which can be compared and kept. write: sets it.
        says_value: whether the value tells a reader anything; that of a random generator doesn't.
    """

    name: str
    read: Callable[[], Any]
    write: Callable[[Any], Any]
    says_value: bool = True

    def change(self, before: Any) -> str:
        """How it changed, in words; "" if it didn't."""
        try:
            now = self.read()
        except Exception as error:  # what can be read no more was changed
            return f"{self.name} was {before} and can't be read: {type(error).__name__}"
        if now == before:
            return ""
        return f"{self.name} was {before} and is {now}" if self.says_value else f"{self.name} is another"


def _flushes() -> bool:
    return bool((torch.full((8,), 2.0**-127) * 0.5 == 0).any())


def _numpy_state() -> tuple[Any, ...]:
    state: Any = np.random.get_state()
    return (state[0], state[1].tobytes(), *state[2:])


def _write_numpy_state(state: tuple[Any, ...]) -> None:
    np.random.set_state((state[0], np.frombuffer(state[1], np.uint32), *state[2:]))


def _write_handlers(handlers: list[logging.Handler]) -> None:
    logging.getLogger().handlers[:] = handlers


def _write_mkldnn(on: bool) -> None:
    torch.backends.mkldnn.enabled = on


def _write_stdout(stream: Any) -> None:
    sys.stdout = stream


def _write_default_device(device: torch.device) -> None:
    torch.set_default_device(None if device.type == "cpu" else device)  # any other device is a mode that stays on the stack


def _write_stderr(stream: Any) -> None:
    sys.stderr = stream


SETTINGS = (
    Setting("the default device", torch.get_default_device, _write_default_device),  # first: others are read on it
    Setting("the number of threads", torch.get_num_threads, torch.set_num_threads),
    Setting("the default dtype", torch.get_default_dtype, torch.set_default_dtype),
    Setting("recording of gradients", torch.is_grad_enabled, torch.set_grad_enabled),
    Setting("flushing of subnormal numbers", _flushes, torch.set_flush_denormal),
    Setting(
        "PyTorch's random state",
        lambda: torch.get_rng_state().numpy().tobytes(),
        lambda state: torch.set_rng_state(torch.frombuffer(bytearray(state), dtype=torch.uint8)),
        says_value=False,
    ),
    Setting("NumPy's random state", _numpy_state, _write_numpy_state, says_value=False),
    Setting("Python's random state", random.getstate, random.setstate, says_value=False),
    Setting("NumPy's floating-point errors", np.geterr, lambda kept: np.seterr(**kept)),
    Setting("the working folder", os.getcwd, os.chdir),
    Setting("what Ctrl-C does", lambda: signal.getsignal(signal.SIGINT), lambda handler: signal.signal(signal.SIGINT, handler)),
    Setting("the level of logging", lambda: logging.getLogger().level, lambda level: logging.getLogger().setLevel(level)),
    Setting("handlers of logging", lambda: list(logging.getLogger().handlers), _write_handlers),
    Setting("oneDNN", lambda: torch.backends.mkldnn.enabled, _write_mkldnn),
    Setting("float32 matmul precision", torch.get_float32_matmul_precision, torch.set_float32_matmul_precision),
    Setting("standard output", lambda: sys.stdout, _write_stdout, says_value=False),
    Setting("standard error", lambda: sys.stderr, _write_stderr, says_value=False),
    Setting("deterministic algorithms", torch.are_deterministic_algorithms_enabled, torch.use_deterministic_algorithms),
)


@contextlib.contextmanager
def process_kept() -> Generator[None]:
    """What happens inside leaves the process as it was: what of `SETTINGS`, variables and warnings is changed is put back, and named.

    Raises:
        Broken: something is changed. Not where the inside raises an error of its own, which says more.
    """
    before = [(setting, setting.read()) for setting in SETTINGS]
    variables = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    with warnings.catch_warnings():
        filters = list(warnings.filters)
        try:
            yield
        finally:
            changed = [*_changes(before), *_changed_variables(variables), *_changed_filters(filters)]
    if changed:
        raise Broken(f"the process is changed afterwards: {'; '.join(changed)}")


def _changes(before: list[tuple[Setting, Any]]) -> list[str]:
    found: list[str] = []
    for setting, value in before:
        words = setting.change(value)
        if words:
            found.append(words)
            with contextlib.suppress(Exception):  # the others are put back all the same
                setting.write(value)
    return found


# What a framework adds when it is imported (a variable of its own, a filter for its own warnings) concerns nobody else.
def _changed_variables(before: Mapping[str, str]) -> list[str]:
    changed = [name for name, text in before.items() if os.environ.get(name) != text]
    os.environ.update({name: before[name] for name in changed})
    return [f"the environment variable {name} is changed" for name in changed]


def _changed_filters(before: list[Any]) -> list[str]:
    now = list(warnings.filters)
    removed = any(each not in now for each in before)
    hiding = any(each[0] == "ignore" and each[1:] in _ALL for each in now if each not in before)
    return ["filters of warnings were removed"] * removed + ["all warnings of the program are hidden"] * hiding


_ALL = ((None, Warning, None, 0), (None, UserWarning, None, 0))
"""What filters hide that are not about some module's own messages: (message, category, module, line)."""
