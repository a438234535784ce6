"""report: a result as text or as a page, in full or in part."""

from __future__ import annotations

import html
from collections.abc import Callable
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any

from ..errors import InputError, install_command
from ..words.visible import cleaned, fitting, visible

if TYPE_CHECKING:
    from ..audits import Audit
    from ..causes import Explanation
    from ..datasheets import Datasheet
    from ..differences import Comparison
    from ..kernels import KernelReport, KernelResult
    from ..origins import Origin
    from ..probes import RevealedOrder
    from ..probes.stored import StoredOrders
    from ..remedies import StoredTolerance, Tolerance
    from ..store import Answer
    from ..sweeps import Baseline, Benchmark, Growth, Matrix, Swept, Watch, Worst
    from ..traces import Fingerprint
    from ..verdicts import CheckResult

    Result = (
        CheckResult | Comparison | Audit | Tolerance | StoredTolerance | RevealedOrder | StoredOrders | Datasheet | Origin | Explanation
        | Matrix | Growth | Worst | Swept | Answer | Benchmark | Fingerprint | Watch | Baseline | KernelReport | KernelResult
    )  # fmt: skip

FORMS = ("full", "answer", "reason", "assertion", "html", "snippet")


def report(result: Result, *, form: str = "full") -> str:
    """A result as text.

    Args:
        result: what `check`, `compare`, `audit`, `tolerance`, `order`, `datasheet`, `locate`, `explain`, `matrix`, `growth`,
            `worst`, `sweep` or `read_result` returned.
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
    for kind in type(result).__mro__:
        text = _TEXTS.get(f"{kind.__module__.partition('.')[2]}.{kind.__qualname__}")
        if text is not None:
            if form in _MARKUP:
                return _MARKUP[form](result)
            with fitting(result):
                # The whole once more, line by line: a value may stand at the beginning of a line.
                return visible(_drawn(text, cleaned(result), form), lines=True)
    raise InputError(
        f"Got {type(result).__name__}. Needed: a result of halfulp.check, compare, audit, tolerance, order, datasheet, locate, "
        "explain, matrix, growth, worst, sweep or read_result. Only results can be reported. Pass what they returned."
    )


def lacking(error: ModuleNotFoundError) -> InputError:
    """What to say where the packages of pages and pictures are missing; any other missing module is raised as it is."""
    if (error.name or "").partition(".")[0] not in ("altair", "jinja2", "markupsafe", "vl_convert", "narwhals", "jsonschema"):
        raise error
    return InputError(
        f"Got no package {error.name}. Needed: Vega-Altair, Jinja2 and vl-convert. Pages and pictures are made with them. Install them: "
        f"{install_command('report')}."
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

_TEXTS = {
    "verdicts.result.CheckResult": "checks.check_text",
    "differences.difference.Comparison": "comparisons.comparison_text",
    "audits.findings.Audit": "audits.audit_text",
    "remedies.tolerances.Tolerance": "tolerances.tolerance_text",
    "remedies.tolerances.StoredTolerance": "tolerances.tolerance_text",
    "probes.revealed.RevealedOrder": "orders.order_text",
    "probes.stored.StoredOrders": "orders.orders_text",
    "origins.origin.Origin": "origins.origin_text",
    "causes.cause.Explanation": "causes.explanation_text",
    "sweeps.result.Matrix": "matrices.matrix_text",
    "sweeps.slopes.Growth": "growths.growth_text",
    "sweeps.worst_inputs.Worst": "worsts.worst_text",
    "sweeps.swept.Swept": "sweeps.sweep_text",
    "store.answer.Answer": "sweeps.answer_text",
    "sweeps.benchmark.Benchmark": "benchmarks.benchmark_text",
    "datasheets.sheet.Datasheet": "datasheets.datasheet_text",
    "sweeps.watch.Watch": "watches.watch_text",
    "sweeps.watch.Baseline": "watches.baseline_text",
    "kernels.result.KernelReport": "kernels.kernel_report_text",
    "kernels.result.KernelResult": "kernels.kernel_text",
    "traces.fingerprint.Fingerprint": "fingerprints.fingerprint_text",
}
"""The class of a result, by where it is, and what draws it, in `text`: who draws one kind doesn't load the others."""


def _drawn(text: str, result: Any, form: str) -> str:
    file, _, name = text.partition(".")
    draw: Callable[..., str] = getattr(import_module(f".text.{file}", __package__), name)
    if hasattr(result, "stored"):  # what is drawn of it is what is kept of it
        result = result.stored()
    # Those with nothing to shorten take no form.
    return draw(result, form) if "form" in signature(draw).parameters else draw(result)
