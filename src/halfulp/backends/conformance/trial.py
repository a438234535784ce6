"""Trial: a backend under test, the ops that it has, and what it says it has not; and whether a result is of the right function."""

from __future__ import annotations

import contextlib
from typing import Any

import torch
from torch.utils._pytree import tree_flatten

from ...errors import Unsupported
from ...words.numbers import counted
from ..arrays import as_tensor
from ..interface import Backend
from ..knobs.knob import NotApplicable
from ..ops import OPS, OpModule

RIGHT_FUNCTION = 0.05
"""How far from float64 a result may be, in norm, and still be of the right function: eight bits of bfloat16 lose 2**-9 in each number, a few of
which add up over three steps; a wrong weight, axis or constant makes more than a tenth."""


class Trial:
    """The backend, the ops that are tried, and what was left out (law, op or dtype -> why)."""

    def __init__(self, backend: Backend, names: tuple[str, ...]) -> None:
        self.backend = backend
        self.names = names
        self.left_out: dict[str, str] = {}
        self._there: set[str] = set()

    def on(
        self, name: str, *, size: int = 0, seed: int = 0, dtype: torch.dtype = torch.float32
    ) -> tuple[Any, OpModule, tuple[torch.Tensor, ...]]:
        """An op implemented, its module and activations.

        Raises:
            NotApplicable: the backend says that it lacks the op or the dtype.
        """
        if dtype != torch.float32 and name not in self._there:
            self.on(name)  # what is missing in float32 is the op and not the dtype
        op = OPS[name]
        module, activations = op.drawn(op.sizes[size], seed, dtype)
        try:
            implementation = self.backend.implement(module)
            implementation(*(activation.clone() for activation in activations))  # what an op does to its inputs is for a law to say
        except Unsupported as reason:
            what = name if dtype == torch.float32 else str(dtype).removeprefix("torch.")
            self.left_out.setdefault(what, (str(reason).splitlines() or [""])[0][:200])
            raise NotApplicable(str(reason)) from reason
        self._there.add(name)
        return implementation, module, activations

    def first(self, *, dtype: torch.dtype = torch.float32) -> tuple[Any, OpModule, tuple[torch.Tensor, ...]]:
        """The simplest op that the backend has: of one floating-point activation if there is one."""
        for name in sorted(self.names, key=lambda name: (OPS[name].kind == "indexing", len(OPS[name].activations) > 1)):
            with contextlib.suppress(NotApplicable):
                return self.on(name, dtype=dtype)
        raise NotApplicable("the backend has none of the ops")


def difference(implementation: Any, module: OpModule, activations: tuple[torch.Tensor, ...]) -> str:
    """What is wrong with a result; "" when it is right to a few bits."""
    results, expected = leaves(implementation(*activations)), exact(module, activations)
    if len(results) != len(expected):
        return f"{counted(len(results), 'result')}, not {len(expected)}"
    for result, right in zip(results, expected):
        found = as_tensor(result)
        if found.shape != right.shape:
            return f"a result of shape {list(found.shape)}, not {list(right.shape)}"
        apart = torch.linalg.vector_norm(found.double() - right) / torch.linalg.vector_norm(right).clamp_min(1e-30)
        if not apart <= RIGHT_FUNCTION:
            return f"a result with a relative error of {float(apart):.2g}"
    return ""


def exact(module: OpModule, activations: tuple[torch.Tensor, ...]) -> list[torch.Tensor]:
    """The op's results, computed in float64."""
    weights = {name: _lifted(tensor) for name, tensor in zip(module.op.weights, module.weights)}
    with torch.no_grad():
        return [leaf.double() for leaf in leaves(OpModule(module.op, weights, module.attributes)(*map(_lifted, activations)))]


def _lifted(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().double() if tensor.is_floating_point() else tensor


def leaves(result: Any) -> list[Any]:
    """The arrays of a result in order."""
    return tree_flatten(result)[0]


def same(left: list[torch.Tensor], right: list[torch.Tensor]) -> bool:
    """Whether the numbers are the same, NaN beside NaN included."""
    if [tensor.shape for tensor in left] != [tensor.shape for tensor in right]:
        return False
    return all(bool(((one == other) | (one.isnan() & other.isnan())).all()) for one, other in zip(left, right))
