"""Comparisons: what a source compares its names with. A formula may have a special case there, and inputs may be marked that way."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Comparison:
    """One comparison in a source.

    Attributes:
        names: the names and attributes in it. values: the constants in it. is_equality: whether it asks for the same or another value.
    """

    names: frozenset[str]
    values: tuple[Any, ...]
    is_equality: bool


DRAWING = ("generate_input", "get_inputs", "get_init_inputs")
"""Functions that draw the inputs: what they compare says nothing about the computation."""


def _walked(node: ast.AST) -> Iterator[ast.AST]:
    """A node and everything in it, except functions that draw inputs."""
    yield node
    for inner in ast.iter_child_nodes(node):
        if not (isinstance(inner, ast.FunctionDef) and inner.name in DRAWING):
            yield from _walked(inner)


def comparisons_in(text: str) -> Iterator[Comparison]:
    """Every comparison in a source, except where inputs are drawn; "x in (1, 2)" has two values."""
    for node in _walked(ast.parse(text)):
        if isinstance(node, ast.Compare):
            parts = list(ast.walk(node))
            names = {part.id for part in parts if isinstance(part, ast.Name)}
            names |= {part.attr for part in parts if isinstance(part, ast.Attribute)}
            values = tuple(value for side in (node.left, *node.comparators) for value in constants(side))
            yield Comparison(frozenset(names), values, all(isinstance(op, (ast.Eq, ast.NotEq)) for op in node.ops))


def constants(node: ast.expr) -> tuple[Any, ...]:
    """The constant that an expression is, or those of a tuple, list or set; empty for anything else."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError):
        return ()
    return tuple(value) if isinstance(value, (tuple, list, set)) else (value,)
