"""packages_of(): the packages that Python files import, whose versions decide what a sweep of them finds."""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path

KNOWN = frozenset({"halfulp", "numpy", "torch"})
"""Whose versions are noted anyway."""


def packages_of(files: Iterable[Path]) -> tuple[str, ...]:
    """The names by which pip knows what Python files import, anywhere in them, and what files beside them import that they import."""
    seen: set[Path] = set()
    names: set[str] = set()
    left = [Path(file) for file in files]
    while left:
        file = left.pop()
        if file in seen or file.suffix != ".py" or not file.is_file():
            continue
        seen.add(file)
        imported = _imported(file)
        names |= imported
        left += [file.parent / f"{name}.py" for name in imported]
    others = names - set(sys.stdlib_module_names) - KNOWN - {file.stem for file in seen}
    known = _distributions() if others else {}
    return tuple(sorted({package for name in others for package in known.get(name, ())}))


def _imported(file: Path) -> set[str]:
    """The first part of each module's name that a file imports."""
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError, RecursionError, OSError):  # whoever runs it says so
        return set()
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module and not node.level}
    return {name.partition(".")[0] for name in names}


@functools.cache
def _distributions() -> Mapping[str, list[str]]:
    """Name of a module -> packages that have it."""
    return metadata.packages_distributions()
