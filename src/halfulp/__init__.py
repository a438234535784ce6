"""halfulp: rounding or mistake?

Two implementations should agree and don't quite: `check` says why, with evidence. Names load on first use; importing halfulp
imports no framework and computes nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import inputs
    from .audits import Audit, audit
    from .causes import Cause, Explanation, checked_graphs, explain
    from .datasheets import Datasheet, datasheet
    from .differences import Comparison, Difference, compare
    from .errors import CaseFileError, HalfulpError, InputError, RunError, TensorFileError, TraceError
    from .orders import Order
    from .origins import Origin, locate, repro
    from .probes import RevealedOrder, reveal_order
    from .recording import Recorder, record
    from .remedies import Tolerance, suggest_tolerance
    from .reports import report
    from .traces import Trace, read_trace
    from .verdicts import CheckResult, Evidence, Verdict, assert_equivalent, check, judge

__version__ = "0.1.0"

_HOME = {
    "Audit": "audits",
    "audit": "audits",
    "Cause": "causes",
    "Explanation": "causes",
    "checked_graphs": "causes",
    "explain": "causes",
    "Tolerance": "remedies",
    "suggest_tolerance": "remedies",
    "Datasheet": "datasheets",
    "datasheet": "datasheets",
    "Comparison": "differences",
    "Difference": "differences",
    "compare": "differences",
    "CaseFileError": "errors",
    "HalfulpError": "errors",
    "InputError": "errors",
    "RunError": "errors",
    "TensorFileError": "errors",
    "TraceError": "errors",
    "Order": "orders",
    "Origin": "origins",
    "locate": "origins",
    "repro": "origins",
    "Recorder": "recording",
    "record": "recording",
    "RevealedOrder": "probes",
    "reveal_order": "probes",
    "report": "reports",
    "Trace": "traces",
    "read_trace": "traces",
    "CheckResult": "verdicts",
    "Evidence": "verdicts",
    "Verdict": "verdicts",
    "assert_equivalent": "verdicts",
    "check": "verdicts",
    "judge": "verdicts",
}

__all__ = [
    "Audit",
    "CaseFileError",
    "Cause",
    "CheckResult",
    "Comparison",
    "Datasheet",
    "Difference",
    "Evidence",
    "Explanation",
    "HalfulpError",
    "InputError",
    "Order",
    "Origin",
    "Recorder",
    "RevealedOrder",
    "RunError",
    "TensorFileError",
    "Tolerance",
    "Trace",
    "TraceError",
    "Verdict",
    "assert_equivalent",
    "audit",
    "check",
    "checked_graphs",
    "compare",
    "datasheet",
    "explain",
    "inputs",
    "judge",
    "locate",
    "read_trace",
    "record",
    "report",
    "repro",
    "reveal_order",
    "suggest_tolerance",
]


def __getattr__(name: str) -> Any:
    if name == "inputs":
        return import_module(".inputs", __name__)
    if name not in _HOME:
        raise AttributeError(f"module 'halfulp' has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
