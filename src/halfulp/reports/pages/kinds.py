"""page_of(result): the page of each kind of result."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from ...audits import Audit
from ...causes import Explanation
from ...datasheets import Datasheet
from ...differences import Comparison
from ...documents import KINDS
from ...errors import InputError
from ...kernels import KernelReport, KernelResult
from ...origins import Origin
from ...probes import RevealedOrder
from ...probes.stored import StoredOrders
from ...remedies import StoredTolerance, Tolerance
from ...sweeps import Baseline, Benchmark, Growth, Matrix, Swept, Watch, Worst
from ...traces import Fingerprint
from ...verdicts import CheckResult
from .audits import audit_page, fingerprint_page
from .benchmarks import benchmark_page
from .checks import check_page
from .comparisons import comparison_page
from .datasheets import datasheet_page
from .explanations import explanation_page
from .growths import growth_page
from .kernels import kernel_page
from .matrices import matrix_page
from .orders import orders_page
from .origins import origin_page
from .page import Code, Page, Section
from .sweeps import sweep_page
from .tables import provenance
from .tolerances import tolerance_page
from .watches import baseline_page, watch_page
from .worsts import worst_page


def page_of(result: Any) -> Page:
    """The page of a result; with the case file that it was made from, where there is one.

    Raises:
        InputError: it is no result.
    """
    result = _stored(result)
    for kind, (name, make) in _PAGES.items():
        if isinstance(result, kind):
            found = make(result)
            inner = getattr(result, "result", result)
            script, command = getattr(inner, "case_file", ""), _command(name, getattr(inner, "operands", ""))
            sections = found.sections
            made_with = getattr(inner, "versions", {})
            if made_with and all(section.name != "environment" for section in sections):
                sections = (*sections, provenance(made_with))
            if script:
                sections = (*sections, Section("again", "Run it again", (Code(f"The case file, which was run with: {command}", script),)))
            return dataclasses.replace(found, sections=sections, made_by=found.made_by or f"Made by {command} --html PAGE.html")
    raise InputError(
        f"Got {type(result).__name__}. Needed: a result of halfulp. Only results have pages. Pass what check, locate, explain ... returned."
    )


def _stored(result: Any) -> Any:
    """What is stored of a result that can also be computed with (a tolerance, an order), which is what its page shows."""
    if isinstance(result, RevealedOrder):
        return StoredOrders({"function": result.stored()})
    if isinstance(result, KernelResult):
        return KernelReport((result,))
    return result.stored() if isinstance(result, Tolerance) else result


def _command(name: str, operands: str) -> str:
    """The command as it was run, or one of its kind for what was made in Python."""
    usual = KINDS[name].written_by.replace(" --json", "")
    return f"{usual.split(' FILE.py')[0]} {operands}" if operands else usual.replace("FILE.py", "case.py")


_PAGES: dict[type, tuple[str, Callable[[Any], Page]]] = {
    CheckResult: ("check", check_page),
    Comparison: ("comparison", comparison_page),
    Origin: ("origin", origin_page),
    Explanation: ("explanation", explanation_page),
    StoredOrders: ("orders", orders_page),
    Datasheet: ("datasheet", datasheet_page),
    Matrix: ("matrix", matrix_page),
    Growth: ("growth", growth_page),
    Worst: ("worst", worst_page),
    Swept: ("sweep", sweep_page),
    Benchmark: ("benchmark", benchmark_page),
    Audit: ("audit", audit_page),
    StoredTolerance: ("tolerance", tolerance_page),
    Watch: ("watch", watch_page),
    Baseline: ("baseline", baseline_page),
    KernelReport: ("kernel", kernel_page),
    Fingerprint: ("fingerprint", fingerprint_page),
}
