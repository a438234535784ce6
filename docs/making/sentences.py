"""sentences: every sentence that the program can say, on one page, to be read in one sitting. python docs/making/sentences.py

Taken from the source itself, so none can be missing: every text with at least four words that is no docstring and no pattern. What is
filled in while it runs is shown as the name of its value between angle quotes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src" / "halfulp"
PAGE = Path(__file__).resolve().parents[1] / "sentences.md"
PARTS = {
    "Verdicts and their reasons": ("verdicts", "differences/excess.py", "words"),
    "What to do next, reports and pages": ("reports", "remedies"),
    "Where it starts": ("origins",),
    "Why they differ": ("causes", "backends/knobs"),
    "Orders": ("orders", "probes"),
    "Cases, inputs and sources": ("cases", "sources", "arguments.py", "containers.py", "inputs.py"),
    "Recordings and traces": ("recording", "traces", "documents", "files.py"),
    "Backends": ("backends",),
    "Sweeps, datasheets and audits": ("sweeps", "datasheets", "audits"),
    "The command line": ("cli", "pytest_plugin.py", "assistants"),
    "Everything else": ("",),
}
"""The parts of the page -> the folders and files that they are taken from; each file stands in the first part that names it."""
WORDS = 4
"""Fewer words than these are a label."""


def sentences(file: Path) -> Iterator[tuple[int, str]]:
    """The line and the text of each sentence in a file."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)}
    silent |= {id(part) for node in ast.walk(tree) if _is_of_patterns(node) for part in ast.walk(node)}
    inner: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            inner |= {id(part) for value in node.values for part in ast.walk(value) if part is not node and isinstance(value, ast.Constant)}
    found: dict[tuple[int, str], None] = {}
    for node in ast.walk(tree):
        if id(node) in silent or id(node) in inner:
            continue
        text = _text(node)
        if "(?" not in text and len(re.findall(r"[A-Za-z][a-z']+", re.sub(r"‹[^›]*›", "", text))) >= WORDS and " " in text:
            found[getattr(node, "lineno", 0), " ".join(text.split())] = None
    yield from sorted(found)


def _is_of_patterns(node: ast.AST) -> bool:
    """Whether it is a call of `re`: its arguments are searched for and never shown. (Parts of patterns are recognized by "(?".)"""
    return isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re.")


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else f"‹{_name(part)}›" for part in node.values)
    return ""


def _name(part: ast.AST) -> str:
    """What is filled in: the last name in it, which says what it is."""
    names = [
        node.attr if isinstance(node, ast.Attribute) else node.id for node in ast.walk(part) if isinstance(node, (ast.Attribute, ast.Name))
    ]
    keys = [
        node.value
        for node in ast.walk(part)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier()
    ]
    return (keys or names or ["..."])[0].replace("_", " ")


def page() -> str:
    """The page as Markdown."""
    lines = [
        "# All sentences", "",
        "Every sentence that halfulp can say, taken from its source by `make sentences`. What is filled in is shown between ‹ and ›. This page is for",
        "whoever changes one. Each sentence has a subject and a verb, and gives the answer first, then the number, then the reason.",
    ]  # fmt: skip
    left = sorted(file.relative_to(SOURCE) for file in SOURCE.rglob("*.py"))
    for title, places in PARTS.items():
        chosen = [
            file for file in left if any(place in ("", file.as_posix()) or file.as_posix().startswith(f"{place}/") for place in places)
        ]
        left = [file for file in left if file not in chosen]
        lines += ["", f"## {title}"]
        for file in chosen:
            said = [text for _, text in sentences(SOURCE / file)]
            if said:
                lines += ["", f"### {file.as_posix()}", "", *(f"- {_markdown(text)}" for text in said)]
    return "\n".join(lines) + "\n"


def _markdown(text: str) -> str:
    return f"`{text}`" if "`" not in text else f"`` {text} ``"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
