"""Markdown: a summary for a pull request's comment or a job's page."""

from __future__ import annotations

import html
import re

from ...sweeps.watch import Watch, Watched
from ...words.numbers import counted, verb

SIGNS = {"worse": "❌", "failed": "❌", "better": "✅", "unchanged": "✔️", "changed": "✔️", "new": "🆕"}
LONGEST = 60_000
"""Characters: GitHub refuses comments above 65,536."""
CELL = 200
"""Characters of a cell; the details have the rest."""


def markdown(watch: Watch) -> str:
    """A line that sums up, a table with those that fail first, the whole reports folded."""
    failing = [case for case in watch.cases if case.exit_code]
    ranked = sorted(watch.cases, key=lambda case: (not case.exit_code, case.change == "unchanged"))
    lines = [f"### halfulp: {summary(watch)}", "", "| | case | verdict | before | why |", "|---|---|---|---|---|"]
    room = LONGEST - sum(len(line) + 1 for line in lines)
    for place, watched in enumerate(ranked):
        verdict = watched.verdict.name if watched.verdict is not None else "not run"
        before = watched.before.name if watched.before is not None else "-"
        sign = "❌" if watched.exit_code else SIGNS[watched.change]
        row = f"| {sign} | {_cell(watched.name)} | {verdict} | {before} | {_cell(watched.reason)} |"
        if len(row) >= room:
            lines += [
                "",
                f"(And {len(ranked) - place:,} more, which {verb(len(ranked) - place, 'do')} not fit into a comment.)",
            ]
            break
        room -= len(row) + 1
        lines.append(row)
    if watch.missing:
        lines += ["", f"In the baseline and not run: {_cell(', '.join(watch.missing))}."]
    for outcome in failing:
        details = _details(outcome)
        if len(details) > room:
            lines += ["", "(More details don't fit into a comment; the JSON and the pages have them.)"]
            break
        room -= len(details)
        lines += ["", details]
    return "\n".join(lines) + "\n"


def summary(watch: Watch) -> str:
    """How many cases, and what became of them, in a phrase."""
    count = len(watch.cases)
    failing = [case.change for case in watch.cases if case.exit_code]
    passing = [case.change for case in watch.cases if not case.exit_code]
    why = ", ".join(f"{failing.count(name)} {words}" for name, words in _FAILING.items() if name in failing)
    also = "".join(f"; {passing.count(name)} {words}" for name, words in _PASSING.items() if name in passing)
    stopped = "" if watch.complete else "; interrupted, the rest is missing"
    if not count and stopped:
        return "interrupted before the first case was done"
    verdict = f"{len(failing)} of {counted(count, 'case')} {verb(len(failing), 'fail')} ({why})"
    return f"{verdict if failing else f'{count} case' + 's' * (count != 1) + ', no failures'}{also}{stopped}"


_FAILING = {"worse": "worse than before", "failed": "did not run", "new": "new and not acceptable"}
"""Why a case fails, by its change."""
_PASSING = {"new": "new", "better": "better than before", "changed": "changed, no worse"}
"""What is said of cases that don't fail."""


def _details(watched: Watched) -> str:
    fence = "`" * (max((len(run) for run in _runs(watched.report)), default=2) + 1)
    fence = fence if len(fence) > 2 else "```"
    return f"<details><summary>{html.escape(watched.name)}</summary>\n\n{fence}\n{watched.report}\n{fence}\n</details>"


def _runs(text: str) -> list[str]:
    return re.findall(r"`+", text)


def _cell(text: str) -> str:
    """Text that is a cell's, and no markup: links, mentions and HTML stay words."""
    words = " ".join(text.split())
    words = words if len(words) <= CELL else f"{words[:CELL]} ..."
    return re.sub(r"[&<>\\`*_\[\]|~#@]", lambda mark: f"&#{ord(mark[0])};", words)
