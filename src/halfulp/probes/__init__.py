"""Probes: what an implementation does, asked by running it on numbers of our choice. Here: in which order it adds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazily import on_first_use
from .revealed import PositionClass, RevealedOrder

if TYPE_CHECKING:
    from .revealer import order

__all__ = ["PositionClass", "RevealedOrder", "order"]

__getattr__ = on_first_use(__name__, {"order": "revealer"})
