"""Side: one of the two implementations, with the modules and tensors it depends on, run without leaving a trace."""

from __future__ import annotations

import contextlib
import copy
import functools
import random
from collections.abc import Callable, Generator
from typing import Any

import numpy as np
import torch

from ..process.alone import alone
from ..process.interrupts import surely
from ..process.settings import settings_kept
from .dependencies import Dependencies, dependencies_of, eager_of
from .state import State
from .stored import Stored


class Side:
    """One implementation.

    Args:
        name: "actual" or "expected", for messages.
        function: a callable, an `nn.Module`, or a `Stored` result.

    Attributes:
        stored: the result that stands for it, None for a function.
        modules: the outermost modules that it reaches. state: the tensors that outlive a call.
        wants_gradients: whether it differentiates by itself (a training step), so that parameters have to record.
    """

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self.name = name
        self.function = function
        self.stored = function if isinstance(function, Stored) else None
        found = Dependencies() if self.stored is not None else dependencies_of(function)
        self.modules = found.modules
        self.state = State(found)
        self.wants_gradients = bool(found.optimizers)

    def with_function(self, function: Callable[..., Any]) -> Side:
        """Another function on the same modules and tensors."""
        other = copy.copy(self)
        other.__dict__.pop("eager", None)
        other.function = function
        return other

    @property
    def is_compiled(self) -> bool:
        """Whether torch.compile made it: then modes can't look inside."""
        return eager_of(self.function) is not self.function

    @property
    def lifts_cheaply(self) -> bool:
        """Whether a run in another precision costs little more than a run: not where something is compiled for it."""
        return not self.is_compiled and not getattr(self.function, "builds_slowly", False)

    @functools.cached_property
    def eager(self) -> Side:
        """The side that torch.compile was given; itself when it is not compiled."""
        if not self.is_compiled:
            return self
        eager = Side(self.name, eager_of(self.function))
        eager.state.borrows(self.state)
        return eager

    @property
    def device(self) -> torch.device | None:
        """Where its parameters or captured tensors lie; None when it has none and follows its inputs."""
        return next((tensor.device for tensor in self.state.tensors().values()), None)

    def stored_formats(self) -> set[str]:
        """The dtypes that its parameters, buffers and captured tensors are stored in, by name."""
        return {str(tensor.dtype).removeprefix("torch.") for tensor in self.state.tensors().values()}

    def random_modules(self) -> list[str]:
        """The modules that draw random numbers in their present mode (dropout left in training mode), by path and type."""
        found: list[str] = []
        for module in self.modules:
            for path, part in module.named_modules():
                probability = getattr(part, "p", getattr(part, "dropout", 0.0))
                is_random = "dropout" in type(part).__name__.lower() or isinstance(getattr(part, "dropout", None), float)
                if part.training and is_random and isinstance(probability, (int, float)) and probability > 0:
                    found.append(f"{path or type(part).__name__} ({type(part).__name__}, p={probability})")
        return found

    @contextlib.contextmanager
    def unchanged(self) -> Generator[None]:
        """Restore the state and the modes (training or not) of its modules afterwards."""
        modes = [(part, part.training) for module in self.modules for part in module.modules()]

        def put_back() -> None:
            for part, training in modes:
                part.training = training

        try:
            with alone(), self.state.put_back():
                yield
        finally:
            surely(put_back)


def misses_gradients(error: BaseException) -> bool:
    """Whether a function failed because it differentiates by itself, and nothing was recorded for that."""
    return "does not require grad" in str(error)


@contextlib.contextmanager
def repeatable(seed: int) -> Generator[list[str]]:
    """A run that leaves the process as it was: random numbers start at a seed and go on as before afterwards, and so do settings.

    Yields:
        A list that says afterwards which settings the run changed.
    """
    with alone(), _seeded(seed), settings_kept() as changed:
        yield changed


@contextlib.contextmanager
def _seeded(seed: int) -> Generator[None]:
    numpy_state, python_state, torch_state = np.random.get_state(), random.getstate(), torch.get_rng_state()
    cuda_states = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else []

    def put_back() -> None:
        np.random.set_state(numpy_state)
        random.setstate(python_state)
        torch.set_rng_state(torch_state)
        if cuda_states:
            torch.cuda.set_rng_state_all(cuda_states)

    try:
        torch.default_generator.manual_seed(seed)  # torch.manual_seed would also walk every device that might exist
        if cuda_states:
            torch.cuda.manual_seed_all(seed)
        np.random.seed(seed % 2**32)
        random.seed(seed)
        yield
    finally:
        surely(put_back)


@contextlib.contextmanager
def taken_apart() -> Generator[None]:
    """Fused attention and encoder kernels off, so that a mode sees the ops they are made of."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    with alone():
        fast = torch.backends.mha.get_fastpath_enabled()
        try:
            torch.backends.mha.set_fastpath_enabled(False)
            with sdpa_kernel(SDPBackend.MATH):
                yield
        finally:
            surely(lambda: torch.backends.mha.set_fastpath_enabled(fast))
