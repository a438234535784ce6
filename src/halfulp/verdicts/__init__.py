"""From a case to a verdict: evidence (one kind a file), judge, and check, which gathers until decided.

Judging a stored result needs no PyTorch, so what runs functions (`check`, `assert_equivalent`) loads on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazily import on_first_use
from .evidence.evidence import Evidence
from .judgment import Decision, decide, judge
from .result import CheckResult
from .verdict import Verdict

if TYPE_CHECKING:
    from .assertion import assert_equivalent
    from .checker import check

__all__ = ["CheckResult", "Decision", "Evidence", "Verdict", "assert_equivalent", "check", "decide", "judge"]


__getattr__ = on_first_use(__name__, {"assert_equivalent": "assertion", "check": "checker"})
