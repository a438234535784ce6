"""report: a result as text or as a page, in full or in part."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any

from ..audits import Audit
from ..causes import Explanation
from ..datasheets import Datasheet
from ..differences import Comparison
from ..errors import InputError
from ..origins import Origin
from ..probes import RevealedOrder
from ..probes.stored import StoredOrders
from ..remedies import StoredTolerance, Tolerance
from ..sweeps import Baseline, Benchmark, Growth, Matrix, Watch
from ..traces import Fingerprint
from ..verdicts import CheckResult
from ..words.visible import cleaned, fitting, visible
from .text.audits import audit_text
from .text.benchmarks import benchmark_text
from .text.causes import explanation_text
from .text.checks import check_text
from .text.comparisons import comparison_text
from .text.datasheets import datasheet_text
from .text.fingerprints import fingerprint_text
from .text.growths import growth_text
from .text.matrices import matrix_text
from .text.orders import order_text, orders_text
from .text.origins import origin_text
from .text.tolerances import tolerance_text
from .text.watches import baseline_text, watch_text

FORMS = ("full", "answer", "reason", "assertion", "html", "snippet")

Result = (
    CheckResult | Comparison | Audit | Tolerance | StoredTolerance | RevealedOrder | StoredOrders | Datasheet | Origin | Explanation | Matrix
    | Growth | Benchmark | Fingerprint | Watch | Baseline
)  # fmt: skip


def report(result: Result, *, form: str = "full") -> str:
    """A result as text.

    Args:
        result: what `check`, `compare`, `audit`, `suggest_tolerance`, `reveal_order`, `datasheet`, `locate`, `explain`, `matrix`, `growth` or
            `read_result` returned.
        form: "full" (the answer, the evidence, the numbers, the worst elements, what to do next), "answer" (the answer alone), "reason" (the
            reason in a sentence), "assertion" (for a failing test), "html" (a page that needs nothing else; `halfulp[report]`),
            "snippet" (a piece of HTML for a notebook). Those with nothing to shorten give the full text for the first four.

    Raises:
        InputError: an unknown form, or something that is no result.
    """
    if form not in FORMS:
        raise InputError(
            f"Got form={form!r}. Needed: one of {', '.join(FORMS)}. Each is a different text. Leave it out for the full report."
        )
    for kind, text in _TEXTS.items():
        if isinstance(result, kind):
            if form in _MARKUP:
                return _MARKUP[form](result)
            with fitting(result):
                # The whole once more, line by line: a value may stand at the beginning of a line.
                return visible(text(cleaned(result), form), lines=True)
    raise InputError(
        f"Got {type(result).__name__}. Needed: a result of halfulp.check, compare, audit, suggest_tolerance, reveal_order, datasheet, locate, "
        "explain, matrix, growth or read_result. Only results can be drawn. Pass what they returned."
    )


def lacking(error: ModuleNotFoundError) -> InputError:
    """What to say where the packages of pages and pictures are missing; any other missing module is raised as it is."""
    if (error.name or "").partition(".")[0] not in ("altair", "jinja2", "markupsafe", "vl_convert", "narwhals", "jsonschema"):
        raise error
    return InputError(
        f"Got no package {error.name}. Needed: Vega-Altair, Jinja2 and vl-convert. Pages and pictures are made with them. Install them: pip "
        "install 'halfulp[report]'."
    )


def _page(result: Result) -> str:
    try:
        from .pages import page
    except ModuleNotFoundError as error:
        raise lacking(error) from error
    return page(result)


def _snippet(result: Result) -> str:
    """For a notebook; where the packages of pages are missing, the text."""
    try:
        from .pages import snippet
    except ModuleNotFoundError:
        return f"<pre>{html.escape(report(result))}</pre>"
    return snippet(result)


_MARKUP: dict[str, Callable[[Any], str]] = {"html": _page, "snippet": _snippet}

_TEXTS: dict[type, Callable[[Any, str], str]] = {
    CheckResult: check_text,
    Comparison: lambda result, form: comparison_text(result),
    Audit: lambda result, form: audit_text(result),
    Tolerance: lambda result, form: tolerance_text(result.stored()),
    StoredTolerance: lambda result, form: tolerance_text(result),
    RevealedOrder: lambda result, form: order_text(result.stored()),
    StoredOrders: lambda result, form: orders_text(result),
    Origin: origin_text,
    Explanation: explanation_text,
    Matrix: matrix_text,
    Growth: growth_text,
    Benchmark: lambda result, form: benchmark_text(result),
    Datasheet: lambda result, form: datasheet_text(result),
    Watch: watch_text,
    Baseline: lambda result, form: baseline_text(result),
    Fingerprint: lambda result, form: fingerprint_text(result),
}
