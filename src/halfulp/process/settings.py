"""What a process keeps once for everybody: settings that the code under test may change. Read before and after a run, and put back."""

from __future__ import annotations

import contextlib
import logging
import os
import random
import signal
import sys
import warnings
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.nn.modules import module as _modules

from ..errors import InputError
from .interrupts import surely


@dataclass(frozen=True)
class Setting:
    """One thing that the whole process shares.

    Attributes:
        name: as a report names it. read: gives its value, which can be compared and kept. write: sets it.
        says_value: whether the value tells a reader anything; that of a random generator doesn't.
        differs: of the values before and now, how they differ in words, where equality is not the question.
    """

    name: str
    read: Callable[[], Any]
    write: Callable[[Any], Any]
    says_value: bool = True
    differs: Callable[[Any, Any], str] | None = None

    def change(self, before: Any) -> str:
        """How it changed, in words; "" if it didn't."""
        try:
            now = self.read()
        except Exception as error:  # what can be read no more was changed
            return f"{self.name} was {before} and can no longer be read: {type(error).__name__}"
        if self.differs is not None:
            return self.differs(before, now)
        if now == before:
            return ""
        return f"{self.name} was {before} and became {now}" if self.says_value else f"{self.name} changed"


_HALF, _SMALLEST_NORMAL = 0.5, 2.0**-1022


def flushes() -> bool:
    """Whether PyTorch flushes subnormal numbers in this thread: measured, because there is no way to ask.

    The switch is the processor's, of this thread: Python's own products go by it too.
    """
    return _SMALLEST_NORMAL * _HALF == 0.0


def _numpy_state() -> tuple[Any, ...]:
    state: Any = np.random.get_state()
    return (state[0], state[1].tobytes(), *state[2:])


def _write_numpy_state(state: tuple[Any, ...]) -> None:
    np.random.set_state((state[0], np.frombuffer(state[1], np.uint32), *state[2:]))


def _write_handlers(handlers: list[logging.Handler]) -> None:
    logging.getLogger().handlers[:] = handlers


def _write_mkldnn(on: bool) -> None:
    torch.backends.mkldnn.enabled = on  # pyright: ignore[reportAttributeAccessIssue]


def _write_stdout(stream: Any) -> None:
    sys.stdout = stream


def _write_stderr(stream: Any) -> None:
    sys.stderr = stream


def _default_device() -> torch.device:
    try:
        return torch.get_default_device()
    except AttributeError:  # PyTorch 2.4, once the default has been put back
        return torch.device("cpu")


def _write_default_device(device: torch.device) -> None:
    torch.set_default_device(None if device.type == "cpu" else device)  # any other device is a mode that stays on the stack


def _autocast() -> tuple[Any, ...]:
    return tuple((kind, torch.is_autocast_enabled(kind), torch.get_autocast_dtype(kind)) for kind in ("cpu", "cuda"))


def _write_autocast(state: tuple[Any, ...]) -> None:
    for kind, on, dtype in state:
        torch.set_autocast_enabled(kind, on)
        torch.set_autocast_dtype(kind, dtype)


def _determinism() -> str:
    on, warns_only = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    return "off" if not on else "on, warning only" if warns_only else "on"


def _write_determinism(state: str) -> None:
    torch.use_deterministic_algorithms(state != "off", warn_only=state.endswith("only"))


_HOOKS: tuple[Any, ...] = tuple(
    hooks for name, hooks in sorted(vars(_modules).items()) if name.startswith("_global_") and isinstance(hooks, dict)
)


def _write_hooks(kept: list[dict[int, Any]]) -> None:
    for hooks, before in zip(_HOOKS, kept):
        hooks.clear()
        hooks.update(before)


_OWN = ("TORCH", "PYTORCH", "TRITON", "KMP_", "OMP_", "MKL_", "CUDA", "NCCL", "XLA", "TF_", "NUMBA", "JAX", "PYTEST_")
"""Beginnings of variables that frameworks set for themselves and their children."""


def _variables() -> dict[Any, Any]:
    """The environment variables as the process keeps them, in bytes where it does: decoding all of them twice a run costs a tenth of it."""
    return dict(getattr(os.environ, "_data", os.environ))


def changed_variables(before: dict[Any, Any], now: dict[Any, Any]) -> str:
    """Which variables changed; what a framework added for itself is no change."""
    if now == before:
        return ""
    names = [
        name for name in map(os.fsdecode, (name for name in before if now.get(name) != before[name])) if not name.startswith("PYTEST_")
    ]
    names += [name for name in map(os.fsdecode, (name for name in now if name not in before)) if not name.startswith(_OWN)]
    return f"environment variables changed: {', '.join(names)}" if names else ""


_ALL = ((None, Warning, None, 0), (None, UserWarning, None, 0))
"""What filters stand for that are not about some module's own messages: (message, category, module, line)."""


def changed_filters(before: list[Any], now: list[Any]) -> str:
    """How filters of warnings changed; those that a framework adds for its own warnings are no change."""
    if now == before:
        return ""
    found = ["warning filters were removed"] if any(item not in now for item in before) else []
    found += ["all of the program's warnings are filtered"] if any(item[1:] in _ALL for item in now if item not in before) else []
    return " and ".join(found)


def _write_variables(before: dict[Any, Any]) -> None:
    for name in _variables():
        if name not in before:
            del os.environ[os.fsdecode(name)]
    os.environ.update({os.fsdecode(name): os.fsdecode(text) for name, text in before.items()})


def _write_filters(before: list[Any]) -> None:
    warnings.filters[:] = before  # pyright: ignore[reportIndexIssue]
    getattr(warnings, "_filters_mutated", lambda: None)()


def _matmul_precision() -> str | None:
    with contextlib.suppress(RuntimeError):  # refuses an answer where the new switches contradict each other
        return torch.get_float32_matmul_precision()
    return None


COMPUTING = (
    Setting("the default device", _default_device, _write_default_device),  # first: others are read on it
    Setting("the number of threads", torch.get_num_threads, torch.set_num_threads),
    Setting("the default dtype", torch.get_default_dtype, torch.set_default_dtype),
    Setting("recording of gradients", torch.is_grad_enabled, torch.set_grad_enabled),
    Setting("flushing of subnormal numbers", flushes, torch.set_flush_denormal),
    Setting("NumPy's handling of floating-point errors", np.geterr, lambda kept: np.seterr(**kept)),
    Setting("the working folder", os.getcwd, os.chdir),
    Setting("what Ctrl-C does", lambda: signal.getsignal(signal.SIGINT), lambda handler: signal.signal(signal.SIGINT, handler)),
    Setting("the level of logging", lambda: logging.getLogger().level, lambda level: logging.getLogger().setLevel(level)),
    Setting("the list of logging handlers", lambda: list(logging.getLogger().handlers), _write_handlers),
    Setting("oneDNN", lambda: torch.backends.mkldnn.enabled, _write_mkldnn),
    Setting("float32 matmul precision", _matmul_precision, torch.set_float32_matmul_precision),
    Setting("standard output", lambda: sys.stdout, _write_stdout, says_value=False),
    Setting("standard error", lambda: sys.stderr, _write_stderr, says_value=False),
    Setting("the use of deterministic algorithms", _determinism, _write_determinism),
    Setting("autocast", _autocast, _write_autocast),
    Setting("hooks of all modules", lambda: [dict(hooks) for hooks in _HOOKS], _write_hooks, says_value=False),
)  # fmt: skip
"""What decides how the next function computes."""

RANDOM = (
    Setting(
        "PyTorch's random state",
        lambda: torch.get_rng_state().numpy().tobytes(),
        lambda state: torch.set_rng_state(torch.frombuffer(bytearray(state), dtype=torch.uint8)),
        says_value=False,
    ),
    Setting("NumPy's random state", _numpy_state, _write_numpy_state, says_value=False),
    Setting("Python's random state", random.getstate, random.setstate, says_value=False),
)

SURROUNDINGS = (
    Setting("environment variables", _variables, _write_variables, differs=changed_variables),
    Setting("filters of warnings", lambda: list(warnings.filters), _write_filters, differs=changed_filters),
)
"""What frameworks, too, change when they are imported (a variable of their own, a filter for their own warnings)."""


def readings(settings: Iterable[Setting]) -> list[tuple[Setting, Any]]:
    """Each setting with its value now.

    Raises:
        InputError: one can't be read.
    """
    try:
        return [(setting, setting.read()) for setting in settings]
    except FileNotFoundError as error:
        raise InputError(
            "Got a process whose working folder was removed. Needed: a working folder that exists. halfulp "
            "returns to it after each run, in case the code under test changes it. Change to a folder that exists (os.chdir)."
        ) from error


def put_back(before: Iterable[tuple[Setting, Any]]) -> list[str]:
    """Give settings their values again; what had changed, in words."""
    found: list[str] = []
    with contextlib.suppress(Exception):  # one that can be read no more is named below
        if all(setting.read() == value for setting, value in before):  # as after nearly every run
            return found
    for setting, value in before:
        words = setting.change(value)
        if words:
            found.append(words)
            with contextlib.suppress(Exception):  # the others are put back all the same
                setting.write(value)
    return found


@contextlib.contextmanager
def settings_kept() -> Generator[list[str]]:
    """Whatever changes inside of what decides how functions compute is put back; yields a list that says afterwards what changed."""
    before = readings((*COMPUTING, *SURROUNDINGS))
    changed: list[str] = []
    try:
        yield changed
    finally:
        surely(lambda: changed.extend(put_back(before)))
