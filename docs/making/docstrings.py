"""Griffe: the project's docstrings in the form that it reads. What stands on one line ("a: ... b: ...", "a, b: ...") gets lines of its own."""

from __future__ import annotations

import re
from typing import Any

import griffe

_SECTION = re.compile(r"^( *)(Args|Attributes|Raises):\n((?:\1    .*\n?|\n)+)", re.MULTILINE)
_ERROR = r"[A-Z]\w*Error|MissingBackend|Unsupported"


class Docstrings(griffe.Extension):
    """Rewrites each docstring before it is parsed."""

    def on_instance(self, *, obj: Any, **_: Any) -> None:
        """Of a module, class, function or attribute."""
        if obj.docstring is None:
            return
        text = re.sub(r"^Example:$", "Examples:", obj.docstring.value, flags=re.MULTILINE)
        names = [each.name for each in obj.parameters] if obj.is_function or obj.is_class else []
        names += [name for name in obj.members if not name.startswith("_")] if obj.is_class else []
        obj.docstring.value = _SECTION.sub(lambda found: _apart(found, names), text + "\n").rstrip("\n")


def _apart(found: re.Match[str], names: list[str]) -> str:
    """A section with each of its names on a line of its own."""
    name = _ERROR if found[2] == "Raises" else "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    if not name:
        return found[0]
    indent = f"{found[1]}    "
    body = re.sub(rf"(?<=[.;?)]) +((?:{name})(?:, (?:{name}))*): ", rf"\n{indent}\1: ", found[3])
    lines: list[str] = []
    for item in re.split(rf"\n(?={indent}\S)", body.rstrip("\n")):  # with the lines that go on deeper
        several = re.match(rf"{indent}((?:{name})(?:, (?:{name}))+): (.*)", item, re.DOTALL)
        lines += [f"{indent}{each}: {several[2]}" for each in several[1].split(", ")] if several else [item]
    return f"{found[1]}{found[2]}:\n" + "\n".join(lines) + found[3][len(found[3].rstrip("\n")) :]
