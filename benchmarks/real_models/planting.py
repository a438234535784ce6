"""How a module of a deep copy is changed, so that copies of the copy carry the change too.

A forward is changed by giving the module a subclass of its own class: a function bound to one instance would go on calling that instance from every
later copy, in float64 or with other weights.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any
from unittest import mock

import torch
from torch import nn

Plant = Callable[[nn.Module], None]


def at(model: nn.Module, path: str) -> nn.Module:
    return model.get_submodule(path) if path else model


def rewrite(module: nn.Module, change: Callable[..., Any]) -> nn.Module:
    """The module with another forward: `change(module, forward, *args, **kwargs)`, with the former forward of this very module (or of its copy)."""
    base = type(module)

    @functools.wraps(base.forward)
    def forward(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
        return change(self, functools.partial(base.forward, self), *args, **kwargs)

    names = {"forward": forward, "__module__": base.__module__, "__qualname__": base.__qualname__, "__doc__": base.__doc__}
    module.__class__ = type(base.__name__, (base,), names)
    return module


def rewritten(path: str, change: Callable[..., Any]) -> Plant:
    return lambda model: (rewrite(at(model, path), change), None)[1]


def setting(path: str, **values: Any) -> Plant:
    """Other attributes of one module, each of which it must have."""

    def plant(model: nn.Module) -> None:
        module = at(model, path)
        for name, value in values.items():
            if not hasattr(module, name):
                raise AttributeError(f"{type(module).__name__} has no {name}")
            setattr(module, name, value)

    return plant


def edited(path: str, edit: Callable[[Any], Any]) -> Plant:
    """Other numbers in the parameters and buffers of one module."""

    def plant(model: nn.Module) -> None:
        with torch.no_grad():
            edit(at(model, path))

    return plant


def replaced(path: str, make: Callable[[Any], nn.Module]) -> Plant:
    """Another module in the place of one."""

    def plant(model: nn.Module) -> None:
        parent, _, name = path.rpartition(".")
        old = at(model, path)
        setattr(at(model, parent), name, make(old).train(old.training))

    return plant


def swapped(first: str, second: str) -> Plant:
    """The weights of two modules of equal shapes, exchanged."""

    def plant(model: nn.Module) -> None:
        one, other = at(model, first), at(model, second)
        kept = copy.deepcopy(one.state_dict())
        one.load_state_dict(copy.deepcopy(other.state_dict()))
        other.load_state_dict(kept)

    return plant


def with_globals(path: str, module_name: str, **functions: Callable[..., Any]) -> Plant:
    """One module that calls other functions in the place of those of its Python file; each is given the former as its first argument."""
    import importlib

    def change(self: nn.Module, forward: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        file = importlib.import_module(module_name)
        exchanged = {name: functools.partial(function, getattr(file, name)) for name, function in functions.items()}
        with mock.patch.multiple(file, **exchanged):
            return forward(*args, **kwargs)

    return rewritten(path, change)


def attention_by(path: str, change: Callable[..., Any], name: str) -> Plant:
    """One attention module of transformers with another attention function, registered as a port registers its own.

    `change(attend, module, query, key, value, mask, **options)` is called with the library's function of PyTorch's fused attention.
    """

    def plant(model: nn.Module) -> None:
        from transformers.integrations.sdpa_attention import sdpa_attention_forward
        from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

        def attend(module: nn.Module, query: Any, key: Any, value: Any, mask: Any, **options: Any) -> Any:
            return change(sdpa_attention_forward, module, query, key, value, mask, **options)

        ALL_ATTENTION_FUNCTIONS.register(name, attend)
        module: Any = at(model, path)
        module.config = copy.deepcopy(module.config)
        module.config._attn_implementation_internal = name

    return plant


def causal(query: torch.Tensor, key: torch.Tensor, ahead: int = 0) -> torch.Tensor:
    """A boolean mask of which keys each query may see: those before it, itself, and `ahead` more."""
    rows = torch.arange(query.shape[2])[:, None] + key.shape[2] - query.shape[2]
    return (torch.arange(key.shape[2])[None, :] <= rows + ahead)[None, None]


def only(model: nn.Module, output: str) -> nn.Module:
    """The model that returns one field of its output."""
    if not output:
        return model

    def change(self: nn.Module, forward: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return forward(*args, **kwargs)[output]

    return rewrite(model, change)


def rounded(tensor: torch.Tensor, bits: int) -> torch.Tensor:
    """The tensor rounded to so many significant bits, ties to even, in the range of its own format."""
    mantissa, exponent = torch.frexp(tensor)
    return torch.ldexp(torch.round(mantissa * 2.0**bits), exponent - bits)
