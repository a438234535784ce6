"""What a function does with number formats, op by op: promotions, downcasts, autocast, constants, integers that lose bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazily import on_first_use
from .findings import Audit, AuditEntry

if TYPE_CHECKING:
    from .auditor import audit

__all__ = ["Audit", "AuditEntry", "audit"]

__getattr__ = on_first_use(__name__, {"audit": "auditor"})
