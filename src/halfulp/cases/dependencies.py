"""What a callable depends on besides its arguments: modules, loose tensors and optimizers that it reaches."""

from __future__ import annotations

import contextlib
import functools
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

# How far the search goes: through a closure, an object, its list and the function in it; and how many entries of one container it
# looks at, so that a captured data set does not make every check slow.
SEARCH_DEPTH = 4
SEARCH_ENTRIES = 1000
NARROW: tuple[type, ...] = (np.float32, np.float16)
NARROW_NAMES = frozenset({"float32", "single", "float16", "half"})


@dataclass
class Dependencies:
    """What a callable reaches: the outermost modules, tensors and floating-point arrays outside of them, optimizers.

    Attributes:
        array_places: (what puts another array there, the array) for each place that holds one: a variable, a list, a dict, an object.
        makes_scalars: whether its code names a scalar type of NumPy that has few bits: `np.float32(0.2)` is rounded wherever it runs.
    """

    modules: list[nn.Module] = field(default_factory=list)
    tensors: list[torch.Tensor] = field(default_factory=list)
    arrays: list[npt.NDArray[Any]] = field(default_factory=list)
    array_places: list[tuple[Callable[[Any], None], npt.NDArray[Any]]] = field(default_factory=list)
    optimizers: list[torch.optim.Optimizer] = field(default_factory=list)
    makes_scalars: bool = False


def eager_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """What torch.compile was given; the function itself when it is not compiled."""
    if isinstance(function, nn.Module) and getattr(function, "_compiled_call_impl", None) is not None:
        return getattr(function, "_call_impl")  # noqa: B009  # compiled in place, by module.compile()
    original = getattr(function, "_orig_mod", None) or getattr(function, "_torchdynamo_orig_callable", None)
    return original if original is not None else function


def dependencies_of(function: Callable[..., Any]) -> Dependencies:
    """The modules, tensors and optimizers reached through a callable: itself, its bound object, closure, defaults, globals it names."""
    search = _Search()
    search.visit(function, 0)
    found = search.found
    nested = {id(part) for module in found.modules for part in list(module.modules())[1:]}
    found.modules = [module for module in found.modules if id(module) not in nested]
    return found


class _Search:
    def __init__(self) -> None:
        self.found = Dependencies()
        self._seen: set[int] = set()

    def visit(self, value: Any, depth: int) -> None:
        if id(value) in self._seen or depth > SEARCH_DEPTH:
            return
        self._seen.add(id(value))
        if isinstance(value, nn.Module):
            self.found.modules.append(value)
        elif isinstance(value, torch.Tensor):
            self.found.tensors.append(value)
        elif isinstance(value, torch.optim.Optimizer):
            self.found.optimizers.append(value)
            for group in value.param_groups:
                self.visit(group["params"], depth)
        elif isinstance(value, functools.partial):
            for part in (value.func, *value.args, *value.keywords.values()):
                self.visit(part, depth + 1)
        elif isinstance(value, (list, tuple, dict)):
            self._visit_container(value, depth)
        elif isinstance(value, np.ndarray) and value.dtype.kind == "f":
            self.found.arrays.append(value)
        elif isinstance(value, NARROW) or any(value is kind for kind in NARROW):
            self.found.makes_scalars = True
        elif callable(value):
            self._visit_callable(value, depth)

    def _visit_container(self, value: Any, depth: int) -> None:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, part in list(items)[:SEARCH_ENTRIES]:
            if not isinstance(value, tuple):
                self._place(functools.partial(value.__setitem__, key), part, depth + 1)
            self.visit(part, depth + 1)

    def _visit_callable(self, value: Any, depth: int) -> None:
        self._visit_object(getattr(value, "__self__", None), depth)
        if not hasattr(value, "__code__"):
            self._visit_object(value, depth)
        original = eager_of(value)
        if original is not value:
            self.visit(original, depth + 1)
        code = getattr(value, "__code__", None)
        for cell in getattr(value, "__closure__", None) or ():
            with contextlib.suppress(ValueError):  # a cell that is still empty
                self._place(functools.partial(setattr, cell, "cell_contents"), cell.cell_contents, depth + 1)
                self.visit(cell.cell_contents, depth + 1)
        self.visit(getattr(value, "__defaults__", None) or (), depth + 1)
        if code is None:
            return
        names = getattr(value, "__globals__", {})
        if any(names.get(name) is np for name in code.co_names) and not NARROW_NAMES.isdisjoint(code.co_names):
            self.found.makes_scalars = True
        for name in code.co_names:
            found = names.get(name)
            is_data = isinstance(found, (nn.Module, torch.Tensor, np.ndarray, torch.optim.Optimizer, list, dict))
            if is_data or getattr(found, "__module__", None) == getattr(value, "__module__", ""):
                self._place(functools.partial(names.__setitem__, name), found, depth + 1)
                self.visit(found, depth + 1)

    def _place(self, put: Callable[[Any], None], value: Any, depth: int) -> None:
        """Note where an array is, as often as it is somewhere."""
        if isinstance(value, np.ndarray) and value.dtype.kind == "f" and depth <= SEARCH_DEPTH:
            self.found.array_places.append((put, value))

    def _visit_object(self, value: Any, depth: int) -> None:
        """The attributes of a plain object whose method or call is the implementation."""
        if isinstance(value, (nn.Module, torch.optim.Optimizer)):
            self.visit(value, depth + 1)
        elif hasattr(value, "__dict__") and not isinstance(value, (type, types.ModuleType)):
            for name, part in list(vars(value).items())[:SEARCH_ENTRIES]:
                self._place(functools.partial(vars(value).__setitem__, name), part, depth + 1)  # past what a frozen class refuses
                self.visit(part, depth + 1)
