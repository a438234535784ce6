"""What a function does with number formats, op by op: promotions, downcasts, autocast, constants, integers that lose bits."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .findings import Audit, AuditEntry

if TYPE_CHECKING:
    from .auditing import audit

__all__ = ["Audit", "AuditEntry", "audit"]


def __getattr__(name: str) -> Any:
    if name != "audit":
        raise AttributeError(f"module 'halfulp.audits' has no attribute {name!r}")
    return import_module(".auditing", __name__).audit
