"""Setting: what a kernel is called with; and the call itself, the same for the reference (here) and for a solution (in its own process)."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from ...process.alone import alone

State = dict[str, torch.Tensor]


@dataclass(frozen=True, eq=False)
class Setting:
    """What a kernel is called with.

    Attributes:
        arguments: of the call. init: of the constructor, for modules. state: parameters and buffers by name; empty for functions.
        training: the mode of modules. keywords: of the call; every draw has the same.
    """

    arguments: tuple[Any, ...]
    init: tuple[Any, ...] = ()
    state: State = field(default_factory=dict)
    training: bool = False
    keywords: Mapping[str, Any] = field(default_factory=dict)


def state_of(target: Any) -> State:
    """Parameters and buffers of a module by name; nothing for a function."""
    if not isinstance(target, nn.Module):
        return {}
    return {name: tensor.detach().clone() for name, tensor in (*target.named_parameters(), *target.named_buffers())}


def call(
    target: Callable[..., Any],
    state: Mapping[str, torch.Tensor],
    arguments: tuple[Any, ...],
    keywords: Mapping[str, Any],
    *,
    training: bool,
) -> tuple[Any, State]:
    """What a kernel returns, its buffers after the call, and the parameters that it changed in training mode, as an optimizer does.

    Args:
        target: a module or function. state: what stands for a module's parameters and buffers; it is not changed.
        arguments, keywords: which the call may change. training: the mode of a module, which it keeps.
    """
    if not isinstance(target, nn.Module):
        return target(*arguments, **keywords), {}
    names = {name for name, _ in target.named_buffers()}
    own = {name: tensor.clone() if name in names or training else tensor for name, tensor in state.items()}
    if any(part.training is not training for part in target.modules()):  # a checkpoint is loaded without it: it may empty a cache
        target.train(training)
    given = {f"{TARGET}.{name}": tensor for name, tensor in own.items()}
    result, after = torch.func.functional_call(_Reading(target), given, arguments, dict(keywords))
    changed = {name for name, tensor in state.items() if training and name not in names and not equal(own[name], tensor)}
    return result, {name: after.get(name, own[name]) for name in sorted(names & own.keys() | changed)}


TARGET = "target"


class _Reading(nn.Module):
    """Returns the buffers of a module with its result: replaced ones can be seen only while the substitutes are in place."""

    def __init__(self, target: nn.Module) -> None:
        super().__init__()
        self.target = target

    def forward(self, *arguments: Any, **keywords: Any) -> tuple[Any, State]:
        result = self.target(*arguments, **keywords)
        return result, dict(self.target.named_buffers())


ALL, ROWS_ALIKE, OF_PARAMETERS, OF_INPUTS = "all", "rows alike", "of parameters", "of inputs"
"""What is differentiated, and with respect to what: see `differentiated`."""


def differentiated(
    target: Callable[..., Any],
    state: Mapping[str, torch.Tensor],
    arguments: tuple[Any, ...],
    keywords: Mapping[str, Any],
    *,
    training: bool,
    way: str = ALL,
) -> dict[str, Any]:
    """The gradients of a fixed combination of a kernel's results, for parameters and arguments; empty if it records none.

    The combination weights each element by a number from -1 to 1 that depends only on its place, so that both sides use the same one.

    Args:
        way: `ALL`; `ROWS_ALIKE`, where the weights along the first axis are one, as those of a sum are: the gradients that come from there
            have no stride; `OF_PARAMETERS` or `OF_INPUTS` alone, the others being frozen.
    """
    leaves: dict[str, torch.Tensor] = {}
    learned = {name for name, _ in target.named_parameters()} if isinstance(target, nn.Module) else set[str]()
    own: State = {}
    for name, tensor in state.items():
        own[name] = tensor.detach().clone()
        if name in learned and is_real(tensor) and way != OF_INPUTS:
            leaves[name] = own[name].requires_grad_()
    given: list[Any] = []
    for place, argument in enumerate(copied(arguments)):  # the call may write to what has no gradient
        is_leaf = isinstance(argument, torch.Tensor) and is_real(argument) and way != OF_PARAMETERS
        given.append(argument.detach().requires_grad_() if is_leaf else argument)
        if is_leaf:
            leaves[f"inputs[{place}]"] = given[-1]
    with torch.enable_grad():
        result, _ = call(target, own, tuple(given), keywords, training=training)
        total: Any = 0.0
        for tensor in _tensors(result):
            if tensor.requires_grad:
                weighted = tensor.sum(0) if way == ROWS_ALIKE and tensor.dim() else tensor
                total = total + (weighted * weights(weighted)).sum()
    if not isinstance(total, torch.Tensor) or not leaves:
        return {}
    found: Any = torch.autograd.grad(total, list(leaves.values()), allow_unused=True)
    return {name: gradient for name, gradient in zip(leaves, found) if gradient is not None}


def weights(tensor: torch.Tensor) -> torch.Tensor:
    """A number from -1 to 1 for each place: cosines of multiples of the golden angle, which are as varied as random ones."""
    places = torch.arange(tensor.numel(), dtype=torch.float64)
    return torch.cos(2.399963229728653 * (places + 1.0)).reshape(tensor.shape).to(tensor)


def remembered(target: Any, setting: Setting) -> set[str]:
    """The buffers that a call in evaluation mode changes, such as a cache of keys; none if the call fails."""
    if not isinstance(target, nn.Module):
        return set()
    try:
        own = copy.deepcopy(target).eval()
        before = {name: tensor.clone() for name, tensor in own.named_buffers()}
        with torch.no_grad():
            own(*copied(setting.arguments), **setting.keywords)
        after = dict(own.named_buffers())
    except Exception:  # whatever the reference raises, and what can't be copied
        return set()
    return {name for name, tensor in before.items() if name not in after or not equal(after[name], tensor)}


def equal(left: torch.Tensor, right: torch.Tensor) -> bool:
    """Whether two tensors have the same shape and numbers; 8-bit formats are compared as bits, because PyTorch can't compare them."""
    if left.shape != right.shape or left.dtype is not right.dtype:
        return left.shape == right.shape and torch.equal(left, right)
    if left.is_floating_point() and left.itemsize == 1:
        return torch.equal(left.view(torch.uint8), right.view(torch.uint8))
    return torch.equal(left, right)


def same_arguments(one: Any, other: Any) -> bool:
    """Whether two (nested) arguments are the same, tensors number by number."""
    if isinstance(one, torch.Tensor) or isinstance(other, torch.Tensor):
        return isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor) and one.dtype == other.dtype and equal(one, other)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same_arguments, one, other))  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_arguments(one[key], other[key]) for key in one)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return bool(one == other)


def _tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value] if is_real(value) else []
    if isinstance(value, (list, tuple)):
        return [tensor for part in value for tensor in _tensors(part)]
    return [tensor for part in value.values() for tensor in _tensors(part)] if isinstance(value, dict) else []


def is_real(tensor: torch.Tensor) -> bool:
    """Whether a tensor holds floating-point numbers that PyTorch computes with (8-bit formats are only stored)."""
    return tensor.is_floating_point() and tensor.itemsize > 1


def leaves(arguments: tuple[Any, ...]) -> list[torch.Tensor]:
    """The tensors among nested arguments, in order."""
    from ...cases.trees import tensors_of

    return list(tensors_of(arguments))


def changed_axes(arguments: tuple[Any, ...], given: tuple[Any, ...]) -> set[tuple[int, int]]:
    """The axes of each tensor whose lengths differ; all axes if their number does."""
    pairs = list(enumerate(zip(leaves(arguments), leaves(given))))
    return {
        (place, axis)
        for place, (new, old) in pairs
        for axis in range(old.dim())
        if new.dim() != old.dim() or new.shape[axis] != old.shape[axis]
    }


def with_leaves(arguments: tuple[Any, ...], tensors: Mapping[int, torch.Tensor]) -> tuple[Any, ...]:
    """The arguments with some tensors replaced, by their place among the leaves."""
    from ...cases.trees import tree_map

    numbers = iter(range(1 << 30))

    def exchanged(value: Any) -> Any:
        return tensors.get(next(numbers), value) if isinstance(value, torch.Tensor) else value

    return tree_map(exchanged, arguments)


def copied(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments with tensors in memory of their own."""
    return with_leaves(arguments, {place: tensor.clone() for place, tensor in enumerate(leaves(arguments))})


@contextlib.contextmanager
def seeded(seed: int) -> Any:
    """Inside, PyTorch's random numbers start at a seed; afterwards they continue as before."""
    devices = range(torch.cuda.device_count()) if torch.cuda.is_initialized() else ()
    with alone(), torch.random.fork_rng(devices=list(devices)):
        torch.default_generator.manual_seed(seed)
        if devices:
            torch.cuda.manual_seed_all(seed)
        yield
