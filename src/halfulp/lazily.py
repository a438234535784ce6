"""Names of a package that load on first use: what runs functions needs PyTorch, and reading a stored result doesn't."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def on_first_use(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package (PEP 562).

    Args:
        package: its name. homes: public name -> the module below it that has it, or the module itself under its own name.
    """

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f".{homes[name]}", package)
        return module if homes[name] == name else getattr(module, name)

    return find
