"""Problem: what a solution has to compute, and what it may be asked."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .calls import Setting
from .literals import INPUTS, constants_read

LARGEST = 1 << 21
"""The most elements of all inputs together: larger sizes are not asked."""
CHOICE = 3
"""Up to this, a number may be a switch, a padding or an order instead of a length; then 0 is a choice too."""


@dataclass(frozen=True, eq=False)
class Problem:
    """What a solution has to compute.

    Attributes:
        name, format, file: of the problem. entry: the name that a solution defines.
        make: the reference for what its constructor gets. draw: init and arguments from a seed, with some sizes changed.
        sizes: the whole numbers that may be changed, by what they are called. tests: settings that the problem itself asks, by label.
        differentiable: whether gradients belong to it. constructor: the class of the reference, whose constructor may have defaults.
        description: what is said of it in words besides its docstrings and comments.
        seen: the whole numbers that the tests of the problem have, by the same names as sizes.
        others: the same problem as other tests of it draw its inputs, where these differ in more than sizes; named for them.
    """

    name: str
    format: str
    file: Path
    entry: str
    make: Callable[[tuple[Any, ...]], Any]
    draw: Callable[[int, Mapping[str, int]], Setting]
    sizes: Mapping[str, int]
    tests: tuple[tuple[str, Setting], ...] = ()
    differentiable: bool = False
    constructor: Any = None
    description: str = ""
    others: tuple[Problem, ...] = ()
    seen: Mapping[str, tuple[int, ...]] = field(default_factory=dict[str, "tuple[int, ...]"])

    @functools.cached_property
    def text(self) -> str:
        """The source of its file; "" for a folder."""
        return self.file.read_text(encoding="utf-8", errors="replace") if self.file.is_file() else ""

    @functools.cached_property
    def constants(self) -> frozenset[int]:
        """The whole numbers above 1 that the reference has names for: an axis of that length stays as it is."""
        try:
            found = constants_read(self.text, MAKERS)
        except SyntaxError:
            return frozenset()
        return frozenset(value for value in found.values() if value > 1)

    def __repr__(self) -> str:
        return f"<Problem {self.name}: {self.format}>"


MAKERS = (*INPUTS, "generate_input", "inputs")
"""The functions that make inputs, in all formats."""


def count_of(setting: Setting) -> int:
    """The elements of all inputs."""
    from ...cases.trees import tensors_of

    return sum(tensor.numel() for tensor in tensors_of((setting.arguments, setting.state, setting.init)))


def argument_names(text: str, entry: str = "") -> list[str]:
    """The names of what the reference is called with; if it unpacks its only argument, the names of the parts.

    Args:
        text: its source. entry: the name of a reference that is a function, where it has one of its own.
    """
    tree = ast.parse(text)
    models = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Model"]
    for node in (part for place in (*models, tree) for part in ast.walk(place)):
        if isinstance(node, ast.FunctionDef) and node.name in ("forward", "ref_kernel", "expected", entry):
            names = [argument.arg for argument in node.args.args if argument.arg != "self"]
            apart = [part for part in node.body if isinstance(part, ast.Assign) and _renames(part, names)]
            return [each.id for part in apart[:1] for each in ast.walk(part.targets[0]) if isinstance(each, ast.Name)] or names
    return []


def _renames(node: ast.Assign, names: list[str]) -> bool:
    """Whether it unpacks the only argument, with each part converted or not, or renames it."""
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Tuple):
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in ("map", "tuple", "list") and value.args:
            value = value.args[-1]
        if isinstance(value, (ast.ListComp, ast.GeneratorExp)) and len(value.generators) == 1:
            value = value.generators[0].iter
    return isinstance(target, (ast.Tuple, ast.Name)) and isinstance(value, ast.Name) and [value.id] == names
