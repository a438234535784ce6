"""A watch as text: a row for each case, those that fail in full."""

from __future__ import annotations

from ...sweeps.watch import Baseline, Watch
from ..formats.markdown_summary import summary
from .tables import as_text, plain_table


def watch_text(watch: Watch, form: str = "full") -> str:
    """The summary alone, or with every case, and the whole report of those that fail."""
    if form in ("answer", "reason", "assertion"):
        return summary(watch)
    table = plain_table("case", "verdict", "before", "change", "s")
    for case in watch.cases:
        verdict = case.verdict.name if case.verdict is not None else "not run"
        table.add_row(case.name, verdict, case.before.name if case.before is not None else "-", case.change, f"{case.seconds:.1f}")
    parts = [as_text(table), "", f"{summary(watch)}."]
    if any(case.accepted for case in watch.cases):
        parts.append("The baseline now holds these verdicts.")
    elif not watch.has_baseline and watch.cases:
        parts.append("There is no baseline yet, so each case is judged alone: --baseline FILE --update writes one.")
    parts += [f"In the baseline and not run: {', '.join(watch.missing)}."] if watch.missing else []
    for watched in watch.cases:
        if watched.exit_code:
            parts += ["", f"{watched.name} ({watched.file}:{watched.line})", watched.report]
    return "\n".join(parts)


def baseline_text(baseline: Baseline) -> str:
    """A row for each case."""
    table = plain_table("case", "verdict")
    for name, verdict in baseline.verdicts.items():
        table.add_row(name, verdict.name)
    return as_text(table)
