"""Gradients of a fixed random combination of a function's outputs, with respect to its inputs and parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_flatten, tree_unflatten

from ..errors import InputError


def cotangent(output: torch.Tensor, seed: int) -> torch.Tensor:
    """Weights of one output's elements: multiples of 1/8 in [-1, 1], exact in every format, the same for both sides."""
    generator = torch.Generator().manual_seed(seed)
    steps = torch.randint(-8, 9, tuple(output.shape), generator=generator)
    return (steps.to(torch.float64) / 8.0).to(device=output.device, dtype=output.dtype)


def with_gradients(function: Callable[..., Any], arguments: Any, keywords: dict[str, Any], seed: int) -> dict[str, Any]:
    """Call the function and differentiate it.

    Returns:
        {"output": what it returned, "gradient": {name: gradient}} with a gradient for each floating-point input and, for a
        module, each parameter that wants one; zeros where the output does not depend on it.

    Raises:
        InputError: no output can be differentiated.
    """
    flat, structure = tree_flatten((arguments, keywords))
    wanted: dict[str, torch.Tensor] = {}
    for place, value in enumerate(flat):
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            flat[place] = value.detach().clone().requires_grad_()
            wanted[f"inputs[{place}]"] = flat[place]
    if isinstance(function, nn.Module):
        wanted |= {name: each for name, each in function.named_parameters() if each.requires_grad}
    # The function gets copies of the leaves that are no leaves themselves, so that it may change them in place.
    passed = [each.clone() if isinstance(each, torch.Tensor) and each.requires_grad else each for each in flat]
    arguments, keywords = tree_unflatten(passed, structure)
    with torch.enable_grad():
        output = function(*arguments, **keywords)
        leaves = [each for each in tree_flatten(output)[0] if isinstance(each, torch.Tensor) and each.requires_grad]
        if not leaves:
            raise InputError(
                "Got outputs without a gradient. Needed: at least one output that depends on a floating-point input through "
                "PyTorch ops. Gradients were asked for. Leave out gradients=True (--gradients) for this function."
            )
        weighted = [(leaf * cotangent(leaf, seed + place)).sum() for place, leaf in enumerate(leaves)]
        found = torch.autograd.grad(sum(weighted[1:], weighted[0]), list(wanted.values()), allow_unused=True)
    gradients: dict[str, torch.Tensor] = {}
    for (name, source), gradient in zip(wanted.items(), found):
        is_unused = gradient is None  # pyright: ignore[reportUnnecessaryComparison] (allow_unused=True returns None for those)
        gradients[name] = torch.zeros_like(source) if is_unused else gradient
    return {"output": output, "gradient": gradients}
