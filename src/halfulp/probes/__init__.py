"""Probes: what an implementation does, asked by running it on numbers of our choice. Here: in which order it adds."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .revealed import PositionClass, RevealedOrder

if TYPE_CHECKING:
    from .revealing import reveal_order

__all__ = ["PositionClass", "RevealedOrder", "reveal_order"]


def __getattr__(name: str) -> Any:
    if name != "reveal_order":
        raise AttributeError(f"module 'halfulp.probes' has no attribute {name!r}")
    return import_module(".revealing", __name__).reveal_order
