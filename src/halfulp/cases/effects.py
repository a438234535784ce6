"""Effects: what a call leaves behind besides what it returns: arguments written to, parameters, buffers and gradients changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from ..differences import Leaf, leaves_of
from ..differences.comparison import measure
from ..differences.leaves import DeviceLeaf
from ..errors import InputError
from .run import Run

AFTERWARDS = " (after the call)"


@dataclass(frozen=True)
class Watched:
    """Something that both sides have and at least one of them changes; compared like an output.

    Attributes:
        path: what it is called among the outputs.
        names: what it is called on each side ("actual", "expected").
        is_input: whether it is an argument, else a part of the state.
    """

    path: str
    names: Mapping[str, str]
    is_input: bool


def argument_leaves(arguments: Any) -> dict[str, Leaf]:
    """The tensors and arrays among (positional, keyword) arguments, by name, skipping everything that is not numerical."""
    found: dict[str, Leaf] = {}
    positional, keywords = arguments
    named = [(f"inputs[{place}]", value) for place, value in enumerate(positional)]
    named += [(str(name), value) for name, value in keywords.items()]
    for name, value in named:
        try:
            leaves = leaves_of(value, [])
        except InputError:  # a tensor without memory of its own
            continue
        found |= {name + leaf.path: leaf for leaf in leaves}
    return found


def overwritten(before: Any, after: Any, returned: Iterable[Leaf]) -> tuple[dict[str, Leaf], frozenset[str]]:
    """The arguments whose values differ after the call, as they are then, and which of them are among what was returned."""
    old, new = argument_leaves(before), argument_leaves(after)
    changed = {name: leaf for name, leaf in new.items() if name in old and _differs(leaf, old[name])}
    places = {_place(leaf) for leaf in returned} if changed else set()
    handed_back = frozenset(name for name, leaf in changed.items() if _place(leaf) in places)
    return {name: leaf.owned() for name, leaf in changed.items()}, handed_back


def _place(leaf: Leaf) -> tuple[Any, ...]:
    """Where a leaf lies in memory, and how."""
    if isinstance(leaf, DeviceLeaf):
        return leaf.device, leaf.tensor.data_ptr(), leaf.tensor.shape, leaf.tensor.stride()
    return leaf.device, leaf.stored.ctypes.data, leaf.stored.shape, leaf.stored.strides


def _differs(new: Leaf, old: Leaf) -> bool:
    if old.shape != new.shape or old.dtype != new.dtype:
        return True
    return not new.has_bytes_of(old) and not measure(new, old, worst=0).same_bits


def state_leaf(tensor: torch.Tensor, path: str) -> Leaf:
    """A tensor of the state as a leaf of its own."""
    return leaves_of(tensor)[0].owned(path)


def counterparts(actual: Mapping[str, torch.Tensor], expected: Mapping[str, torch.Tensor]) -> dict[str, str]:
    """Which tensor of `expected` each one of `actual` corresponds to; shapes have to agree.

    The same object; else the only one with the same bits (modules that a function reads are named by their order, which may be another
    one); else the same name, or the only one whose name ends alike ("norm.running_mean" and "model.norm.running_mean").
    """
    by_identity = {id(tensor): name for name, tensor in expected.items()}
    by_sample: dict[Any, list[str]] = defaultdict(list)
    for name, tensor in expected.items():
        by_sample[_sample(tensor)].append(name)
    found: dict[str, str] = {}
    for name, tensor in actual.items():
        same = by_identity.get(id(tensor))
        if same is None:
            equal = [word for word in by_sample[_sample(tensor)] if torch.equal(expected[word].detach(), tensor.detach())]
            alike = [word for word in expected if word.endswith(f".{name}") or name.endswith(f".{word}")]
            close = [word for word in equal if word == name] or [word for word in equal if word in alike]
            same = equal[0] if len(equal) == 1 else close[0] if len(close) == 1 else None
            for other in (name, *(alike if len(alike) == 1 else ())) if same is None else ():
                if other in expected and expected[other].shape == tensor.shape:
                    same = other
                    break
        if same is not None and expected[same].shape == tensor.shape:
            found[name] = same
    return found


FIRST = 64
"""So many elements are looked at before whole tensors are compared."""


def _sample(tensor: torch.Tensor) -> Any:
    """What tensors of the same bits have in common, at little cost."""
    if tensor.layout is not torch.strided or tensor.is_quantized or tensor.is_meta:
        return id(tensor)
    first = tensor.detach().flatten()[:FIRST].cpu()
    return (
        tuple(tensor.shape),
        tensor.dtype,
        tensor.device,
        first.double().numpy().tobytes() if not first.is_complex() else first.numpy().tobytes(),
    )


def same_bits(actual: torch.Tensor, expected: torch.Tensor) -> bool:
    """Whether two tensors of a state are one, or hold the same bits."""
    return actual is expected or (_sample(actual) == _sample(expected) and torch.equal(actual.detach(), expected.detach()))


SAME = 2.0**-4
"""How far apart two tensors may be, relatively (rms), and still be one parameter: rounding to the coarsest format in use (8 bits with three
of them in the fraction) moves a number by that much at most."""


def are_one_parameter(actual: torch.Tensor, expected: torch.Tensor) -> bool:
    """Whether two tensors hold the same numbers, as far as rounding goes.

    The gradient of another number is another gradient: a normalization may be folded into a weight.
    """
    if same_bits(actual, expected):
        return True
    wide = torch.complex128 if actual.is_complex() else torch.float64
    here, there = (tensor.detach().cpu().to(wide) for tensor in (actual, expected))
    return bool((here - there).abs().square().sum() <= SAME**2 * there.abs().square().sum())


def watched_inputs(actual: Run, expected: Run) -> list[Watched]:
    """The arguments that both sides write to, unless both return them anyway.

    One that only one side writes to may be its buffer for the result: it is reported, and not compared.
    """
    names = [name for name in actual.mutated if name in expected.mutated]
    compared = [name for name in names if name not in actual.handed_back or name not in expected.handed_back]
    return [Watched(name + AFTERWARDS, {"actual": name, "expected": name}, True) for name in compared]


def watched_state(actual: Mapping[str, Leaf], expected: Mapping[str, Leaf], names: Mapping[str, str]) -> list[Watched]:
    """The parts of the state that both sides have and at least one of them changes.

    Args:
        actual, expected: what each side changed, by its own names.
        names: counterparts of parameters, buffers and captured tensors.

    Gradients and what optimizers keep count only where both sides change them: one may differentiate without leaving gradients behind.
    """
    back = {expected_name: name for name, expected_name in names.items()}
    pairs = {(name, _translated(name, names)) for name in actual} | {(_translated(name, back), name) for name in expected}
    found: list[Watched] = []
    for actual_name, expected_name in sorted(
        (actual_name, expected_name) for actual_name, expected_name in pairs if actual_name is not None and expected_name is not None
    ):
        if actual_name in names or (actual_name in actual and expected_name in expected):
            found.append(Watched(expected_name + AFTERWARDS, {"actual": actual_name, "expected": expected_name}, False))
    return found


def _translated(name: str, names: Mapping[str, str]) -> str | None:
    """The other side's name for a tensor, its gradient ("weight.grad") or an optimizer's entry ("optimizer 0: weight.exp_avg")."""
    if name in names:
        return names[name]
    prefix, colon, rest = name.rpartition(": ")
    base, _, key = rest.rpartition(".")
    return f"{prefix}{colon}{names[base]}.{key}" if base in names else None
