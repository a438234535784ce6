"""--backends a,b: a target on two engines, or on one beside what it says itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from ..backends import backend
from ..errors import InputError, MissingBackend


def apart(words: str) -> list[str]:
    """Backends with commas between; options of one may be apart by commas too: "a:x=1,y=2,b" is "a:x=1,y=2" and "b"."""
    found: list[str] = []
    for name in words.split(","):
        if found and ":" in found[-1] and "=" in name and ":" not in name:
            found[-1] += f",{name}"
        else:
            found.append(name)
    return [name.strip() for name in found if name.strip()]


def engine(word: str, target: Any) -> Any:
    """A target on a backend, as a callable.

    Args:
        word: its name, options after a colon ("openvino:precision=f32"). target: a module, a function, or an ONNX model.

    Raises:
        InputError: no such backend or option. MissingBackend: it is not here.
    """
    name, _, options = word.partition(":")
    chosen = backend(name)
    here = chosen.availability()
    if not here:
        raise MissingBackend(
            f"Got the backend {name}, which can't be used here ({here.reason}). Needed: one that can be used. `halfulp backends` lists them. {'Run `halfulp backends install ' + name + '`' if here.install else 'Provide what is missing, or run this on a machine where it can be used'}, or name another."
        )
    pairs = [option.partition("=") for option in options.split(",") if option.strip()]
    if any(not mark for _, mark, _ in pairs):
        raise InputError(f"Got the backend {word!r}. Needed: NAME or NAME:OPTION=VALUE. See `halfulp backends`.")
    if not isinstance(target, nn.Module) and callable(target):
        target = AsModule(target)
    made = chosen.implement(target, **{key.strip(): value.strip() for key, _, value in pairs})
    made.__name__ = word
    return made


class AsModule(nn.Module):
    """A function as a module, which is what engines export."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *arguments: Any, **keywords: Any) -> Any:
        """What the function computes."""
        return self.function(*arguments, **keywords)


class Twin:
    """An engine that is run as it is, and looked into through the same model in PyTorch.

    Noise and float64 are those of the model's own formula: its ops are looked at in PyTorch, and float64 inputs go there, because the
    engine's program is one of the stored precision.

    Args:
        run: the engine. model: the same in PyTorch.
    """

    def __init__(self, run: Callable[..., Any], model: nn.Module) -> None:
        self.run = run
        self._orig_mod = model  # what modes look into, as they do for a compiled function
        self.__name__ = getattr(run, "__name__", "engine")
        self.model = model
        self._native = _formats(model)

    def __call__(self, *arguments: Any) -> Any:
        """What the engine gives; while the weights are in another precision, what the model gives."""
        return self.run(*arguments) if _formats(self._orig_mod) == self._native else self._orig_mod(*arguments)


def _formats(model: nn.Module) -> set[torch.dtype]:
    return {tensor.dtype for tensor in (*model.parameters(), *model.buffers()) if tensor.is_floating_point()}
