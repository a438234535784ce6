"""Parts of pages that are made from halfulp itself: the catalog of causes, the public names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from halfulp.causes.hypotheses.hypothesis import Hypothesis

KINDS = {
    "formula": "Another formula",
    "arithmetic": "The same formula in other arithmetic",
    "memory": "A use of memory",
    "setting": "A setting of the framework",
}
_ISSUE = re.compile(r"\b([\w.-]+/[\w.-]+)#(\d+)")


def causes() -> str:
    """Every record of the catalog under its name, those of one kind together."""
    from halfulp.causes.hypotheses.catalog import CATALOG

    parts: list[str] = []
    for kind, title in KINDS.items():
        names = dict.fromkeys(each.name for each in CATALOG if each.kind == kind)
        parts += [f"## {title}\n"] if names else []
        for name in names:
            records = [each for each in CATALOG if each.name == name and each.kind == kind]
            parts.append(f"### {name}\n")
            parts += [_record(each) for each in records]
    return "\n".join(parts)


def _record(record: Hypothesis) -> str:
    lines = [f"Looks like: {record.looks_like}.", f"What is changed to tell: {record.experiment}.", f"What to do: {record.remedy}."]
    if record.calls:
        lines.append(f"In calls of: {', '.join(f'`{each}`' for each in sorted(record.calls))}.")
    if record.reports:
        lines.append(f"Reported before in: {', '.join(_linked(each) for each in record.reports)}.")
    return "\n".join(f"- {each}" for each in lines) + "\n"


def _linked(report: str) -> str:
    return _ISSUE.sub(r"[\g<0>](https://github.com/\1/issues/\2)", report)


def public_names() -> str:
    """All names that `import halfulp` gives, with the first line of what they say."""
    import inspect

    import halfulp

    rows = ["| name | what it is |", "|---|---|"]
    for name in sorted(halfulp.__all__, key=str.lower):
        first = (inspect.getdoc(getattr(halfulp, name)) or "").partition("\n")[0].replace("|", "\\|")
        rows.append(f"| `halfulp.{name}` | {first} |")
    return "\n".join(rows)
