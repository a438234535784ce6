"""How a fault becomes a pair: a deep copy of an architecture's model in which one module is changed."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from ..architectures import ARCHITECTURES
from ..pair import Pair, Sides, add
from ..planting import Plant


def fault(
    name: str,
    architecture: str,
    truth: str,
    plant: Plant,
    *,
    also: tuple[str, ...] = (),
    inputs: Callable[[], dict[str, Any]] | None = None,
    both: Plant | None = None,
    gradients: bool = False,
    note: str = "",
    **settings: Any,
) -> None:
    """A pair whose `actual` is the model after `plant`; `both` prepares the two alike."""

    def make() -> Sides:
        chosen = ARCHITECTURES[architecture]
        expected = chosen.model(**settings)
        if both is not None:
            both(expected)
        actual = copy.deepcopy(expected)
        plant(actual)
        return Sides(actual, expected, inputs() if inputs else chosen.inputs(0, 2), gradients=gradients)

    add(Pair(f"{architecture}/{name}", "fault", architecture, make, truth=truth, also=also, note=note))
