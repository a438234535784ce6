"""Single calls of PyTorch's ops: what their arguments hold, and how they are made."""

from __future__ import annotations

from typing import Any

import torch

from .measured import PERTURBED


def is_float(value: torch.Tensor) -> bool:
    """Whether its numbers are real or complex ones."""
    return value.is_floating_point() or value.is_complex()


def has_whole_numbers(value: torch.Tensor) -> bool:
    """Whether all numbers are whole; most tensors tell by their first few."""
    if not is_float(value):
        return True
    if value.is_complex() or not value.numel():
        return False
    first = value[(0,) * (value.dim() - 1)][:8] if value.dim() else value
    return bool((first == first.round()).all()) and torch.equal(value, value.round())


def computes_in_float64(args: Any, kwargs: Any) -> bool:
    """Whether a tensor among the arguments holds numbers of float64."""
    for value in (*args, *kwargs.values()):
        if isinstance(value, torch.Tensor):
            if value.dtype in PERTURBED:
                return True
        elif isinstance(value, (list, tuple)) and any(isinstance(part, torch.Tensor) and part.dtype in PERTURBED for part in value):
            return True
    return False


def by_pytorch(func: Any, args: Any, kwargs: Any) -> Any:
    """The op itself, past the mode of the default dtype below: one with float64 among its tensors, or a view, gives no number of that."""
    with torch._C._DisableTorchDispatch():  # pyright: ignore[reportPrivateUsage]
        return func(*args, **kwargs)


def numbers_of(tree: Any) -> Any:
    """Tensors as NumPy arrays, dtypes as they are recorded."""
    if isinstance(tree, torch.Tensor):
        return tree.detach().cpu().resolve_conj().resolve_neg().numpy()
    if isinstance(tree, torch.dtype):
        return {"dtype": str(tree).removeprefix("torch.")}
    return [numbers_of(part) for part in tree] if isinstance(tree, (list, tuple)) else tree


def flat(tree: Any) -> list[Any]:
    """The results of an op in one list."""
    return [leaf for part in tree for leaf in flat(part)] if isinstance(tree, (tuple, list)) else [tree]


def put_back(func: Any, args: Any, result: Any) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """What the op without the underscore gives, into the arguments that the one with it would write; both, of each."""
    found: list[tuple[torch.Tensor, torch.Tensor]] = []
    given = list(result) if isinstance(result, (tuple, list)) else [result]
    written = [
        value for value, argument in zip(args, func._schema.arguments) if argument.alias_info is not None and argument.alias_info.is_write
    ]
    for target, group in zip(written, given):
        for into, value in zip(target, group) if isinstance(target, (list, tuple)) else [(target, group)]:
            into.copy_(value)
            found.append((into, value))
    return found


def functional(func: Any) -> Any:
    """The op that returns a new tensor where `func` works in place."""
    namespace, name = func._schema.name.split("::")
    packet = getattr(getattr(torch.ops, namespace), name.rstrip("_"))
    return getattr(packet, func._overloadname)
