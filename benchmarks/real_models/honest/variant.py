"""How an honest variant becomes a pair: the same model, computed in another of the ways that are right."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from torch import nn

from ..architectures import ARCHITECTURES
from ..pair import Pair, Sides, add
from ..planting import only


def honest(name: str, architecture: str, make: Callable[[Any], Sides], *, kind: Any = "honest", note: str = "") -> None:
    """A pair of an architecture; `make` is given the architecture."""
    add(Pair(f"{architecture}/{name}", kind, architecture, lambda: make(ARCHITECTURES[architecture]), note=note))


def changed(change: Callable[[nn.Module], Any], *, output: bool = False, **more: Any) -> Callable[[Any], Sides]:
    """A deep copy of the model that is changed in place, or the model that `change` returns."""

    def make(chosen: Any) -> Sides:
        expected = chosen.model()
        actual = copy.deepcopy(expected)
        actual = change(actual) or actual
        if output:
            actual, expected = only(actual, chosen.output), only(expected, chosen.output)
        return Sides(actual, expected, chosen.inputs(0, 2), **more)

    return make


def field_of(out: Any, name: str) -> Any:
    return out[name] if name else out
