"""RevealedOrder: what `reveal_order` found, for each class of output positions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..orders import Contraction, Order
from ..orders.replaying import replay

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class PositionClass:
    """Output positions that add in one order.

    Attributes:
        order: None where there is no fixed order.
        positions: the flat indices of those that were checked and belong here. at: the one where it was asked.
        status: "proved" (replaying gave every bit), "consistent with the probes", or "nothing".
        draws: on how many random inputs it was proved. problem: why it isn't proved, "" if it is.
        terms: those that are present at `at` (padding leaves some out), None where that was not asked.
    """

    order: Order | None
    positions: Indices
    at: int
    status: str
    draws: int
    problem: str
    terms: Indices | None


@dataclass(frozen=True)
class RevealedOrder:
    """In which order a function adds.

    Attributes:
        contraction: which elements meet in which output.
        classes: groups of output positions that share an order, the one asked for first.
        shape: the shape of the output. draws: how many random inputs the proof took. runs: how often the function was run by the probes.
    """

    contraction: Contraction
    classes: tuple[PositionClass, ...]
    shape: tuple[int, ...]
    draws: int
    runs: int

    @property
    def order(self) -> Order:
        """The order at the position asked for.

        Raises:
            InputError: there is no fixed order.
        """
        found = self.classes[0].order
        if found is None:
            raise InputError(
                f"Got a function without a fixed order: {self.classes[0].problem}. Needed: a function that adds its terms in one tree. There is "
                "no order to show. Use halfulp.check to judge its results."
            )
        return found

    @property
    def is_proved(self) -> bool:
        """Whether replaying gave the function's result in every bit, at every position that was checked."""
        return all(each.status == "proved" for each in self.classes)

    @property
    def checked(self) -> int:
        """How many output positions were replayed."""
        return sum(len(each.positions) for each in self.classes)

    def replay(self, inputs: Any) -> npt.NDArray[Any]:
        """The bits that the function gives on these inputs, computed in the revealed order.

        Args:
            inputs: as for the function: arrays or tensors of the same shapes and dtypes (a module's parameters behind them).

        Returns:
            Array of the output's shape, float64 for float64 results and float32 otherwise (which holds bfloat16 and float16 exactly).

        Raises:
            InputError: other shapes, or positions without a known order.
        """
        arrays = _arrays(inputs)
        for factor in (*self.contraction.factors, *self.contraction.extras):
            if factor.argument >= len(arrays) or arrays[factor.argument].shape != factor.shape:
                got = [each.shape for each in arrays]
                raise InputError(
                    f"Got arrays of shapes {got}. Needed: input {factor.argument} of shape {factor.shape}. An order holds for the shapes that it was "
                    "revealed at. Reveal it anew for others."
                )
        main = self.order
        result = replay(main, self.contraction, arrays).reshape(-1)
        if len(self.classes) > 1:
            if self.checked < self.contraction.positions:
                raise InputError(
                    f"Got {len(self.classes)} orders of which {self.checked} of {self.contraction.positions} positions are known. Needed: one order for "
                    "each position. Larger results are checked at random positions. Replay a smaller output."
                )
            for each in self.classes[1:]:
                if each.order is None:
                    raise InputError(f"Got positions without an order: {each.problem}. Needed: an order for each. Use halfulp.check to judge them.")
                result[each.positions] = replay(each.order, self.contraction, arrays, each.positions)
        return result.reshape(self.shape).astype(np.float64 if main.output == "float64" else np.float32)

    def describe(self) -> str:
        """The order in words, with what it was proved on."""
        from ..orders.describing import describe_positions

        lines: list[str] = []
        for each in self.classes:
            where = "" if len(self.classes) == 1 else f"{describe_positions(each.positions, self.shape, self.checked)}: "
            what = each.order.describe() if each.order is not None else each.problem
            lines.append(where + what)
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: the structure, and the order of each class."""
        return {
            "kind": self.contraction.kind,
            "axes": [list(axis) for axis in self.contraction.axes],
            "output_shape": list(self.shape),
            "proved": self.is_proved,
            "draws": self.draws,
            "runs": self.runs,
            "checked_positions": self.checked,
            "classes": [
                {
                    "order": each.order.to_dict() if each.order is not None else None,
                    "describe": each.order.describe() if each.order is not None else None,
                    "positions": len(each.positions),
                    "at": [int(index) for index in np.unravel_index(each.at, self.shape)] if self.shape else [],
                    "status": each.status,
                    "problem": each.problem,
                }
                for each in self.classes
            ],
        }

    def to_json(self) -> str:
        """JSON with a schema number."""
        return json.dumps({"schema": 1, **self.to_dict()})

    def __str__(self) -> str:
        import halfulp

        return halfulp.report(self)


def _arrays(inputs: Any) -> Sequence[npt.NDArray[Any]]:
    from torch.utils._pytree import tree_leaves

    found: list[npt.NDArray[Any]] = []
    for leaf in tree_leaves(tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)):
        if hasattr(leaf, "detach"):
            held = leaf.detach().cpu()
            found.append((held.float() if str(held.dtype) in ("torch.bfloat16", "torch.float16") else held).numpy())
        elif isinstance(leaf, np.ndarray):
            found.append(leaf.astype(np.float32) if leaf.dtype == np.float16 else leaf)
    return [each for each in found if each.dtype.kind == "f"]
