"""Probes: what an implementation does, asked by running it on numbers of our choice. Here: in which order it adds."""

from .revealed import PositionClass, RevealedOrder
from .revealing import reveal_order

__all__ = ["PositionClass", "RevealedOrder", "reveal_order"]
