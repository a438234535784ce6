"""Gradients of a fixed random combination of a function's outputs, with respect to its inputs and parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.utils._pytree import tree_flatten, tree_unflatten

from ..containers import named_in
from ..errors import InputError
from .inputs import map_arrays

RETURNED = "['output']"
"""The path of what the function itself returned among the results of `with_gradients`."""


def cotangent(output: torch.Tensor, seed: int) -> torch.Tensor:
    """Weights of one output's elements: multiples of 1/8 in [-1, 1], exact in every format, the same for both sides."""
    generator = torch.Generator().manual_seed(seed)
    steps = torch.randint(-8, 9, tuple(output.shape), generator=generator)
    return (steps.to(torch.float64) / 8.0).to(device=output.device, dtype=output.dtype)


def with_gradients(
    function: Callable[..., Any], arguments: Any, keywords: dict[str, Any], seed: int, parameters: Mapping[str, torch.Tensor]
) -> dict[str, Any]:
    """Call the function and differentiate it.

    Args:
        function: what is called. arguments, keywords: its inputs, copied already.
        seed: for the weights of the outputs.
        parameters: those that both sides have, by name; the others have no counterpart to be compared with.

    Returns:
        {"output": what it returned, "gradient": {name: gradient}} with a gradient for each floating-point or complex input and each
        parameter; zeros where the output does not depend on it.

    Raises:
        InputError: no output can be differentiated.
    """
    flat, structure = tree_flatten((arguments, keywords))
    wanted: dict[str, torch.Tensor] = {}
    for place, value in enumerate(flat):
        flat[place] = map_arrays(value, _as_leaf, lambda array: array)
        found_here = named_in(flat[place], f"inputs[{place}]", lambda part: isinstance(part, torch.Tensor))
        wanted |= {name: tensor for name, tensor in found_here if tensor.requires_grad}
    wanted |= parameters
    # The function gets copies of the leaves that are no leaves themselves, so that it may change them in place.
    passed = [map_arrays(item, lambda tensor: tensor.clone() if tensor.requires_grad else tensor, lambda array: array) for item in flat]
    arguments, keywords = tree_unflatten(passed, structure)
    with torch.enable_grad():
        output = function(*arguments, **keywords)
        leaves: list[torch.Tensor] = []
        map_arrays(output, lambda tensor: leaves.append(tensor) if tensor.requires_grad else None, lambda array: array)
        if not leaves or not wanted:
            raise InputError(
                "Got outputs without a gradient. Needed: at least one output that depends on a floating-point input through "
                "PyTorch ops. Gradients were asked for. Leave out gradients=True (--gradients) for this function."
            )
        weighted = [_weighted_sum(leaf, seed + place) for place, leaf in enumerate(leaves)]
        found = torch.autograd.grad(sum(weighted[1:], weighted[0]), list(wanted.values()), allow_unused=True)
    gradients: dict[str, torch.Tensor] = {}
    for (name, source), gradient in zip(wanted.items(), found):
        is_unused = gradient is None  # pyright: ignore[reportUnnecessaryComparison] (allow_unused=True returns None for those)
        gradients[name] = torch.zeros_like(source) if is_unused else gradient
    return {"output": output, "gradient": gradients}


def _as_leaf(value: torch.Tensor) -> torch.Tensor:
    differentiable = value.is_floating_point() or value.is_complex()
    return value.detach().clone().requires_grad_() if differentiable else value


def _weighted_sum(output: torch.Tensor, seed: int) -> torch.Tensor:
    parts = torch.view_as_real(output) if output.is_complex() else output
    return (parts * cotangent(parts, seed)).sum()
