"""Placed: a module of one device run on another, with the parameters that it has."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn


class Placed:
    """A module's structure on a device. Its parameters are moved by an op, so gradients reach the module's own.

    Args:
        module: whose. device: where. leaves: parameters of their own there, without a way back for gradients.

    Attributes:
        module: what to call there.
    """

    def __init__(self, module: nn.Module, device: str, *, leaves: bool = False) -> None:
        self._device = device
        self._leaves = leaves
        tensors = [*module.parameters(), *module.buffers()]
        self._home = tensors[0].device if tensors else torch.device("cpu")
        self._tensors: dict[int, tuple[torch.Tensor, torch.Tensor, int | None]] = {}  # id -> its own, there, the version of that
        self._modules: dict[int, tuple[nn.Module, nn.Module]] = {}
        self.module = self._placed(module)

    def _there(self, tensor: torch.Tensor) -> torch.Tensor:
        """The tensor on the device; one for each, so that tied parameters stay tied."""
        if id(tensor) not in self._tensors:
            moved = self._moved(tensor)
            if self._leaves:
                moved = moved.detach()
                moved = nn.Parameter(moved, tensor.requires_grad) if isinstance(tensor, nn.Parameter) else moved
            self._tensors[id(tensor)] = tensor, moved, _version_of(moved)
        return self._tensors[id(tensor)][1]

    def _moved(self, tensor: torch.Tensor) -> torch.Tensor:
        return tensor.to(self._device)

    def _attribute(self, value: Any) -> Any:
        """What stands for an attribute: tensors there, and containers of their own, for what is put into them."""
        if isinstance(value, torch.Tensor):
            return self._there(value)
        if type(value) in (list, tuple):  # recurrent modules list their weights
            return type(value)(map(self._attribute, value))
        return {name: self._attribute(item) for name, item in value.items()} if type(value) is dict else value

    def _returned(self, value: Any) -> Any:
        """An attribute as the module itself would have it."""
        if isinstance(value, torch.Tensor):
            own = next((own for own, moved, _ in self._tensors.values() if moved is value), None)
            return value.detach().to(self._home) if own is None else own
        if type(value) in (list, tuple):
            return type(value)(map(self._returned, value))
        return {name: self._returned(item) for name, item in value.items()} if type(value) is dict else value

    def _placed(self, module: nn.Module) -> nn.Module:
        if id(module) in self._modules:
            return self._modules[id(module)][1]
        # Not `copy.copy`, which parametrized modules refuse.
        made = object.__new__(type(module))
        self._modules[id(module)] = module, made
        made.__dict__.update({name: self._attribute(value) for name, value in module.__dict__.items()})
        for kind in ("_parameters", "_buffers"):
            held: dict[str, Any] = module.__dict__[kind]
            made.__dict__[kind] = type(held)((name, None if item is None else self._there(item)) for name, item in held.items())
        parts: dict[str, Any] = module.__dict__["_modules"]
        made.__dict__["_modules"] = type(parts)((name, None if part is None else self._placed(part)) for name, part in parts.items())
        return made

    @torch.no_grad()
    def give_back(self) -> None:
        """What the call changed in the module: buffers, written parameters, and what it was left with (caches, counters)."""
        for own, made in self._modules.values():
            for name, after in made._buffers.items():
                before = own._buffers.get(name)
                if after is None or (before is not None and self._is_as_it_was(before, after)):
                    continue
                returned = after.detach().to(self._home if before is None else before.device)
                if before is None or before.shape != after.shape or before.dtype != after.dtype:
                    own._buffers[name] = returned
                else:
                    before.copy_(returned)
            for name, after in made._parameters.items():
                before = own._parameters.get(name)
                # Whether they were written is known by their version; comparing values would bring all weights back at each call.
                if after is None or before is None or before is after:
                    continue
                version = self._tensors[id(before)][2]
                if version != _version_of(after) or (version is None and not self._is_as_it_was(before, after)):
                    before.copy_(after.detach())
            for name, after in made.__dict__.items():
                if name in ("_parameters", "_buffers", "_modules"):
                    continue
                returned = self._returned(after)
                if not _is_alike(own.__dict__.get(name), returned):
                    own.__dict__[name] = returned

    def _is_as_it_was(self, before: torch.Tensor, after: torch.Tensor) -> bool:
        """Whether a buffer has the same numbers. Values are compared: batch normalization's statistics change unseen by versions."""
        if before.shape != after.shape or before.dtype != after.dtype:
            return False
        now = after.detach().to(before.device)
        return bool(((now == before) | ((now != now) & (before != before))).all())  # noqa: PLR0124  # NaN


def _version_of(tensor: torch.Tensor) -> int | None:
    """How often it was written; None in inference mode, where nobody counts."""
    return None if tensor.is_inference() else tensor._version


def _is_alike(left: Any, right: Any) -> bool:
    """Whether containers hold the same objects, and other values are the same object or number."""
    if type(left) is not type(right):
        return False
    if type(left) in (list, tuple):
        return len(left) == len(right) and all(map(_is_alike, left, right))
    if type(left) is dict:
        return left.keys() == right.keys() and all(_is_alike(left[name], right[name]) for name in left)
    return left is right or (type(left) in (bool, int, float, str) and left == right)
