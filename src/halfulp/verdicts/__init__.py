"""From a case to a verdict: evidence (one kind a file), judge, and check, which gathers until decided.

Judging a stored result needs no PyTorch, so what runs functions (`check`, `assert_equivalent`) loads on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .evidence.evidence import Evidence
from .judging import Decision, decide, judge
from .result import CheckResult
from .verdict import Verdict

if TYPE_CHECKING:
    from .assertion import assert_equivalent
    from .checking import check

__all__ = ["CheckResult", "Decision", "Evidence", "Verdict", "assert_equivalent", "check", "decide", "judge"]

_ON_FIRST_USE = {"assert_equivalent": "assertion", "check": "checking"}


def __getattr__(name: str) -> Any:
    if name not in _ON_FIRST_USE:
        raise AttributeError(f"module 'halfulp.verdicts' has no attribute {name!r}")
    return getattr(import_module(f".{_ON_FIRST_USE[name]}", __name__), name)
