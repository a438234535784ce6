"""Op: one function that backends have in common; OpModule: an op with its attributes and weights, ready to be called on activations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

Draw = Callable[[torch.Generator, tuple[int, ...]], torch.Tensor]


def normal(generator: torch.Generator, shape: tuple[int, ...]) -> torch.Tensor:
    """Standard normal numbers."""
    return torch.randn(shape, generator=generator, dtype=torch.float32)


def wide(generator: torch.Generator, shape: tuple[int, ...]) -> torch.Tensor:
    """Normal numbers of standard deviation 3: activations reach their flat parts."""
    return 3.0 * torch.randn(shape, generator=generator, dtype=torch.float32)


def shifted(generator: torch.Generator, shape: tuple[int, ...]) -> torch.Tensor:
    """Normal numbers of mean 2: differences from a mean lose a bit or two."""
    return 2.0 + torch.randn(shape, generator=generator, dtype=torch.float32)


def positive(generator: torch.Generator, shape: tuple[int, ...]) -> torch.Tensor:
    """Positive numbers over five decades."""
    return torch.exp(3.0 * torch.randn(shape, generator=generator, dtype=torch.float32))


def small(generator: torch.Generator, shape: tuple[int, ...]) -> torch.Tensor:
    """Normal numbers divided by the root of the last axis: weights of a recurrent cell, which would saturate otherwise."""
    return torch.randn(shape, generator=generator, dtype=torch.float32) / max(1, shape[-1]) ** 0.5


def below(limit: int) -> Draw:
    """Random indices from 0 to limit - 1."""
    return lambda generator, shape: torch.randint(0, limit, shape, generator=generator)


@dataclass(frozen=True)
class Size:
    """One size of an op.

    Attributes:
        shapes: argument -> shape. attributes: keyword arguments of the op's function.
        draws: argument -> how its numbers are drawn, where that depends on the size (indices).
    """

    shapes: Mapping[str, tuple[int, ...]]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    draws: Mapping[str, Draw] = field(default_factory=dict)

    def __str__(self) -> str:
        return " ".join("x".join(map(str, shape)) or "scalar" for shape in self.shapes.values())


@dataclass(frozen=True)
class Op:
    """One op.

    Attributes:
        name: "conv2d". kind: "product", "normalization", "function", "reduction", "pooling", "recurrent", "indexing" or "elementary".
        function: PyTorch's own, of activations, then weights, then attributes by keyword: what the op means.
        activations, weights: names of what is given at each call, and of what a module holds.
        sizes: small, medium and an odd one, in that order. draws: argument -> how its numbers are drawn; standard normal by default.
    """

    name: str
    kind: str
    function: Callable[..., Any]
    activations: tuple[str, ...]
    weights: tuple[str, ...]
    sizes: tuple[Size, ...]
    draws: Mapping[str, Draw] = field(default_factory=dict)

    def drawn(self, size: Size, seed: int = 0, dtype: torch.dtype = torch.float32) -> tuple[OpModule, tuple[torch.Tensor, ...]]:
        """The op on random numbers.

        Returns:
            The module that holds its weights, and its activations.
        """
        generator = torch.Generator().manual_seed(seed)
        numbers: dict[str, torch.Tensor] = {}
        for name in (*self.activations, *self.weights):
            draw = size.draws.get(name) or self.draws.get(name, normal)
            drawn = draw(generator, size.shapes[name])
            numbers[name] = drawn.to(dtype) if drawn.is_floating_point() else drawn
        module = OpModule(self, {name: numbers[name] for name in self.weights}, size.attributes)
        return module.eval(), tuple(numbers[name] for name in self.activations)


BY_NAME: dict[str, Op] = {}
"""What `table` fills: a module that travels to another process finds its op again by name."""


class OpModule(nn.Module):
    """An op with its attributes and weights.

    Args:
        op: which. weights: name -> tensor. attributes: keyword arguments of its function.
    """

    def __init__(self, op: Op, weights: Mapping[str, torch.Tensor], attributes: Mapping[str, Any]) -> None:
        super().__init__()
        self.op_name = op.name
        self.attributes = dict(attributes)
        for name in op.weights:
            setattr(self, name, nn.Parameter(weights[name], requires_grad=False))

    @property
    def op(self) -> Op:
        """The entry of the table."""
        return BY_NAME[self.op_name]

    @property
    def weights(self) -> tuple[torch.Tensor, ...]:
        """What it holds, in the order of the op's function."""
        return tuple(getattr(self, name) for name in self.op.weights)

    def forward(self, *activations: torch.Tensor) -> Any:
        """PyTorch's own result."""
        return self.op.function(*activations, *self.weights, **self.attributes)

    def extra_repr(self) -> str:
        """The op and its attributes."""
        return ", ".join((self.op_name, *(f"{key}={value!r}" for key, value in self.attributes.items())))
