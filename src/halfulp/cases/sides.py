"""Side: one of the two implementations, with the modules and tensors it depends on, run without leaving a trace."""

from __future__ import annotations

import contextlib
import functools
import random
import types
from collections.abc import Callable, Generator, Iterator
from typing import Any

import numpy as np
import torch
from torch import nn

# Devices whose backends refuse float64.
WITHOUT_FLOAT64 = ("mps", "privateuseone", "xla")

# How far the search for the modules and tensors that a callable depends on goes: through a closure, an object, its list and the
# function in it; and how many entries of one container it looks at, so that a captured data set does not make every check slow.
SEARCH_DEPTH = 4
SEARCH_ENTRIES = 1000


class Side:
    """One implementation.

    Args:
        name: "actual" or "expected", for messages.
        function: a callable or `nn.Module`.
    """

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self.name = name
        self.function = function
        self.modules, self.tensors = _dependencies(function)
        self._snapshot: dict[int, tuple[torch.Tensor, torch.Tensor]] | None = None
        self._copies: dict[tuple[int, torch.dtype], tuple[torch.Tensor, int]] = {}

    @property
    def is_compiled(self) -> bool:
        """Whether torch.compile made it: then modes can't look inside."""
        return eager_of(self.function) is not self.function

    @property
    def device(self) -> torch.device | None:
        """Where its parameters or captured tensors lie; None when it has none and follows its inputs."""
        for tensor in self._state():
            return tensor.device
        return None

    def _state(self) -> Iterator[torch.Tensor]:
        for module in self.modules:
            yield from module.parameters()
            yield from module.buffers()
        yield from self.tensors

    def stored_formats(self) -> set[str]:
        """The dtypes that its parameters, buffers and captured tensors are stored in, by name."""
        return {str(tensor.dtype).removeprefix("torch.") for tensor in self._state()}

    def state_names(self) -> dict[int, str]:
        """Where each tensor of the state lives, by id."""
        names: dict[int, str] = {}
        for module in self.modules:
            for name, tensor in [*module.named_parameters(), *module.named_buffers()]:
                names[id(tensor)] = name
        return names

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
    def unchanged(self) -> Generator[list[str]]:
        """Restore parameters, buffers and captured tensors afterwards; the list receives the names of those that changed.

        Values are compared, because some ops (batch normalization's running statistics, writes through `.data`) leave no trace in a
        tensor's version counter.
        """
        if self._snapshot is None:
            self._snapshot = {id(each): (each, each.detach().clone()) for each in self._state()}
        changed: list[str] = []
        modes = [(part, part.training) for module in self.modules for part in module.modules()]
        try:
            yield changed
        finally:
            names = self.state_names()
            for key, (tensor, saved) in self._snapshot.items():
                if tensor.shape != saved.shape or not torch.equal(tensor, saved):
                    changed.append(names.get(key, "a captured tensor"))
                    tensor.data = saved.clone()
            for part, training in modes:
                part.training = training

    @contextlib.contextmanager
    def retyped(self, sources: frozenset[torch.dtype], target: torch.dtype, *, gradients: bool) -> Generator[None]:
        """Parameters and buffers of all its modules in another precision inside; the originals come back afterwards.

        The tensors stay the same objects and only their data is exchanged, so modules inside functions, modules that can't be copied and
        recurrent modules (which compare dtypes themselves) are reached too. Unless gradients are wanted, parameters want none inside:
        recording a graph for every sample costs more than the ops.
        """
        exchanged: list[tuple[torch.Tensor, torch.Tensor, bool]] = []
        try:
            for module in self.modules:
                buffers = {id(each) for each in module.buffers()}
                for tensor in [*module.parameters(), *module.buffers()]:
                    if tensor.dtype not in sources and id(tensor) not in buffers:
                        continue
                    exchanged.append((tensor, tensor.data, tensor.requires_grad))
                    if tensor.dtype not in sources:  # a counter, say: may change inside, too
                        tensor.data = tensor.data.clone()
                        continue
                    if not gradients and tensor.is_leaf:
                        tensor.requires_grad_(False)
                    tensor.data = self._converted(tensor, target, keep=id(tensor) not in buffers)
            yield
        finally:
            for tensor, original, wanted in exchanged:
                tensor.data = original
                if tensor.is_leaf:
                    tensor.requires_grad_(wanted)

    def _converted(self, tensor: torch.Tensor, target: torch.dtype, *, keep: bool) -> torch.Tensor:
        """The data in the target dtype; that of parameters is converted once and used for every run that leaves it as it was."""
        key = (id(tensor), target)
        known = self._copies.get(key)
        if known is not None and known[1] == known[0]._version:
            return known[0]
        device = torch.device("cpu") if tensor.device.type in WITHOUT_FLOAT64 else tensor.device
        converted = tensor.data.to(device=device, dtype=target)
        if keep:
            self._copies[key] = (converted, converted._version)
        return converted


def eager_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """What torch.compile was given; the function itself when it is not compiled."""
    original = getattr(function, "_orig_mod", None) or getattr(function, "_torchdynamo_orig_callable", None)
    return original if original is not None else function


def _dependencies(function: Callable[..., Any]) -> tuple[list[nn.Module], list[torch.Tensor]]:
    """The modules and loose tensors that a callable reaches: itself, its bound object, closure, defaults, globals it names."""
    modules: list[nn.Module] = []
    tensors: list[torch.Tensor] = []
    seen: set[int] = set()

    def visit(value: Any, depth: int) -> None:
        if id(value) in seen or depth > SEARCH_DEPTH:
            return
        seen.add(id(value))
        if isinstance(value, nn.Module):
            modules.append(value)
        elif isinstance(value, torch.Tensor):
            tensors.append(value)
        elif isinstance(value, functools.partial):
            for part in (value.func, *value.args, *value.keywords.values()):
                visit(part, depth + 1)
        elif isinstance(value, (list, tuple)):
            for part in value[:SEARCH_ENTRIES]:
                visit(part, depth + 1)
        elif isinstance(value, dict):
            for part in list(value.values())[:SEARCH_ENTRIES]:
                visit(part, depth + 1)
        elif callable(value):
            visit_callable(value, depth)

    def visit_callable(value: Any, depth: int) -> None:
        visit_object(getattr(value, "__self__", None), depth)
        if not hasattr(value, "__code__"):
            visit_object(value, depth)
        original = eager_of(value)
        if original is not value:
            visit(original, depth + 1)
        code = getattr(value, "__code__", None)
        for cell in getattr(value, "__closure__", None) or ():
            with contextlib.suppress(ValueError):  # a cell that is still empty
                visit(cell.cell_contents, depth + 1)
        visit(getattr(value, "__defaults__", None) or (), depth + 1)
        if code is None:
            return
        names = getattr(value, "__globals__", {})
        for name in code.co_names:
            found = names.get(name)
            if isinstance(found, (nn.Module, torch.Tensor, list, dict)) or getattr(found, "__module__", None) == getattr(
                value, "__module__", ""
            ):
                visit(found, depth + 1)

    def visit_object(value: Any, depth: int) -> None:
        """The attributes of a plain object whose method or call is the implementation."""
        if isinstance(value, nn.Module):
            visit(value, depth + 1)
        elif hasattr(value, "__dict__") and not isinstance(value, (type, types.ModuleType)):
            for part in list(vars(value).values())[:SEARCH_ENTRIES]:
                visit(part, depth + 1)

    visit(function, 0)
    nested = {id(part) for module in modules for part in list(module.modules())[1:]}
    return [module for module in modules if id(module) not in nested], tensors


@contextlib.contextmanager
def repeatable(seed: int) -> Generator[None]:
    """Random numbers of PyTorch, NumPy and Python start at a seed inside, and go on as before outside."""
    numpy_state, python_state, torch_state = np.random.get_state(), random.getstate(), torch.get_rng_state()
    cuda_states = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else []
    torch.default_generator.manual_seed(seed)  # torch.manual_seed would also walk every device that might exist
    if cuda_states:
        torch.cuda.manual_seed_all(seed)
    np.random.seed(seed % 2**32)
    random.seed(seed)
    try:
        yield
    finally:
        np.random.set_state(numpy_state)
        random.setstate(python_state)
        torch.set_rng_state(torch_state)
        if cuda_states:
            torch.cuda.set_rng_state_all(cuda_states)


@contextlib.contextmanager
def taken_apart() -> Generator[None]:
    """Fused attention and encoder kernels off, so that a mode sees the ops they are made of."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    fast = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        with sdpa_kernel(SDPBackend.MATH):
            yield
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)
