"""Backends: the real implementations that people compare, behind one interface.

`backend(name).implement(target)` gives a callable on tensors and arrays, so `check`, `locate`, `explain` and `order` take it like any
function. Targets are ops of the table (`ops/`), modules, or what is native to the backend.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazily import on_first_use
from .interface import Availability, Backend

if TYPE_CHECKING:
    from .registry import availability, backend, names

__all__ = ["Availability", "Backend", "availability", "backend", "names"]

__getattr__ = on_first_use(__name__, {"availability": "registry", "backend": "registry", "names": "registry"})
