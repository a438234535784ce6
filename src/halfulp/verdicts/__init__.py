"""From a case to a verdict: evidence (one kind a file), judge, and check, which gathers until decided."""

from .assertion import assert_equivalent
from .check import check
from .evidence.evidence import Evidence
from .judge import Decision, decide, judge
from .result import CheckResult
from .verdict import Verdict

__all__ = ["CheckResult", "Decision", "Evidence", "Verdict", "assert_equivalent", "check", "decide", "judge"]
