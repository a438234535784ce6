"""Comparisons: what a source compares its names with; a formula may have a case of its own there, and inputs may be marked so."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Comparison:
    """One comparison of a source.

    Attributes:
        names: the names and attributes in it. values: the constants in it. is_equality: whether it asks for the same or another value.
    """

    names: frozenset[str]
    values: tuple[Any, ...]
    is_equality: bool


DRAWING = ("generate_input", "get_inputs", "get_init_inputs")
"""Functions that draw the inputs: what they compare says nothing of what is computed."""


def _walked(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all in it, but for functions that draw inputs."""
    yield node
    for inner in ast.iter_child_nodes(node):
        if not (isinstance(inner, ast.FunctionDef) and inner.name in DRAWING):
            yield from _walked(inner)


def comparisons_in(text: str) -> Iterator[Comparison]:
    """Every comparison of a source but in what draws the inputs; "x in (1, 2)" has two values."""
    for node in _walked(ast.parse(text)):
        if isinstance(node, ast.Compare):
            parts = list(ast.walk(node))
            names = {part.id for part in parts if isinstance(part, ast.Name)}
            names |= {part.attr for part in parts if isinstance(part, ast.Attribute)}
            values = tuple(value for side in (node.left, *node.comparators) for value in constants(side))
            yield Comparison(frozenset(names), values, all(isinstance(op, (ast.Eq, ast.NotEq)) for op in node.ops))


def constants(node: ast.expr) -> tuple[Any, ...]:
    """The constant that an expression is, or those of a tuple, list or set; nothing where it is none."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError):
        return ()
    return tuple(value) if isinstance(value, (tuple, list, set)) else (value,)
