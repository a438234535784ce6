"""halfulp: rounding or mistake?

Two implementations should agree and don't quite: `check` says why, with evidence. Names load on first use; importing halfulp
imports no framework and computes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from warnings import warn

from .lazily import on_first_use
from .shown import draw_with

if TYPE_CHECKING:
    from . import inputs
    from .audits import Audit, audit
    from .backends import Availability, Backend, backend
    from .causes import Cause, Explanation, checked_graphs, explain
    from .datasheets import Datasheet, datasheet
    from .differences import Comparison, Difference, compare
    from .documents import read_result, schema_of
    from .errors import BackendError, CaseFileError, HalfulpError, InputError, InternalError, RunError, TensorFileError, TraceError
    from .orders import Order
    from .origins import Origin, locate, repro
    from .probes import RevealedOrder, order
    from .recording import Recorder, record
    from .remedies import Tolerance, tolerance
    from .reports import report
    from .store import Store
    from .sweeps import Benchmark, Growth, Matrix, Swept, Worst, growth, matrix, read_matrix, sweep, worst
    from .traces import Trace, read_trace
    from .verdicts import CheckResult, Evidence, Verdict, assert_equivalent, check, judge

__version__ = "0.1.0"

_HOME = {
    "Audit": "audits",
    "audit": "audits",
    "Availability": "backends",
    "Backend": "backends",
    "backend": "backends",
    "Cause": "causes",
    "Explanation": "causes",
    "checked_graphs": "causes",
    "explain": "causes",
    "Tolerance": "remedies",
    "tolerance": "remedies",
    "Datasheet": "datasheets",
    "datasheet": "datasheets",
    "Comparison": "differences",
    "Difference": "differences",
    "compare": "differences",
    "read_result": "documents",
    "schema_of": "documents",
    "BackendError": "errors",
    "CaseFileError": "errors",
    "HalfulpError": "errors",
    "InputError": "errors",
    "InternalError": "errors",
    "RunError": "errors",
    "TensorFileError": "errors",
    "TraceError": "errors",
    "Order": "orders",
    "Origin": "origins",
    "locate": "origins",
    "repro": "origins",
    "inputs": "inputs",
    "Recorder": "recording",
    "record": "recording",
    "RevealedOrder": "probes",
    "order": "probes",
    "report": "reports",
    "Benchmark": "sweeps",
    "Growth": "sweeps",
    "growth": "sweeps",
    "Matrix": "sweeps",
    "matrix": "sweeps",
    "read_matrix": "sweeps",
    "Swept": "sweeps",
    "sweep": "sweeps",
    "Store": "store",
    "Worst": "sweeps",
    "worst": "sweeps",
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
    "Availability",
    "Backend",
    "BackendError",
    "Benchmark",
    "CaseFileError",
    "Cause",
    "CheckResult",
    "Comparison",
    "Datasheet",
    "Difference",
    "Evidence",
    "Explanation",
    "Growth",
    "HalfulpError",
    "InputError",
    "InternalError",
    "Matrix",
    "Order",
    "Origin",
    "Recorder",
    "RevealedOrder",
    "RunError",
    "Store",
    "Swept",
    "TensorFileError",
    "Tolerance",
    "Trace",
    "TraceError",
    "Verdict",
    "Worst",
    "assert_equivalent",
    "audit",
    "backend",
    "check",
    "checked_graphs",
    "compare",
    "datasheet",
    "explain",
    "growth",
    "inputs",
    "judge",
    "locate",
    "matrix",
    "order",
    "read_matrix",
    "read_result",
    "read_trace",
    "record",
    "report",
    "repro",
    "schema_of",
    "sweep",
    "tolerance",
    "worst",
]


_OLD = {"reveal_order": "order", "suggest_tolerance": "tolerance"}
"""Names of version 0.1, which work for one more version -> what they are called now."""
_found = on_first_use(__name__, _HOME)


def __getattr__(name: str) -> object:
    if name in _OLD:
        warn(f"halfulp.{name} is now halfulp.{_OLD[name]}; the old name works for one more version", DeprecationWarning, stacklevel=2)
        name = _OLD[name]
    return _found(name)


def _report(result: object, *, form: str) -> str:
    from .reports import report as draw

    return draw(result, form=form)  # pyright: ignore[reportArgumentType]


draw_with(_report)


def __dir__() -> list[str]:
    return sorted(__all__)
