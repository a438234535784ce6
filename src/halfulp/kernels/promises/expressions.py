"""Expressions: numbers, names and sums of them as texts write them, "2 * K - 1", and their values once names stand for something."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any

import torch

from .sentences import NAME

Names = Mapping[str, Any]
"""What each name stands for: a number or a tensor; `ALL` stands for all floating inputs."""

NUMBER = r"-?\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?"
ATOM = rf"(?:\|{NAME}\||{NAME}(?:\[\w+\])?|{NUMBER})"
OPERATOR = r"\s*(?://|\*\*|[-+*/%])\s*"
TERM = rf"{ATOM}(?:{OPERATOR}{ATOM})*"
FACTOR = rf"(?:(?:min|max)\(\s*{TERM}\s*,\s*{TERM}\s*\)|\(\s*{TERM}\s*\)|{ATOM})"
EXPRESSION = rf"{FACTOR}(?:{OPERATOR}{FACTOR})*"


def parsed(text: str) -> ast.expr:
    """An expression as a syntax tree; a name for nothing if it is none, such as a reserved word."""
    try:
        return ast.parse(re.sub(rf"\|({NAME})\|", r"abs(\1)", re.sub(r"\[\w+\]", "", text)), mode="eval").body
    except SyntaxError:
        return ast.Name("")


def _power(a: Any, b: Any) -> Any:
    """A power such as 2**30; None for anything else."""
    return a**b if isinstance(a, (int, float)) and isinstance(b, int) and 0 <= b <= 64 and abs(a) <= 16 else None


SIGNS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: lambda a, b: a < b, ast.LtE: lambda a, b: a <= b, ast.Gt: lambda a, b: a > b, ast.GtE: lambda a, b: a >= b,
    ast.Eq: lambda a, b: a == b,
}  # fmt: skip
OPERATIONS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b, ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: a // b, ast.Pow: _power, ast.Mod: lambda a, b: a % b,
}  # fmt: skip


def value_of(node: ast.expr, names: Names) -> Any:
    """The value of an expression; None if a name in it is unknown."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return node.value
    if isinstance(node, ast.Name):
        return looked_up(node.id, names)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = value_of(node.operand, names)
        return None if inner is None else -inner
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "abs":
        inner = value_of(node.args[0], names)
        return None if inner is None else abs(inner)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("min", "max"):
        sides = [value_of(side, names) for side in node.args]
        known = all(isinstance(side, (int, float)) for side in sides)
        return {"min": min, "max": max}[node.func.id](sides) if known else None
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
        left, right = value_of(node.left, names), value_of(node.right, names)
        try:
            return None if left is None or right is None else OPERATIONS[type(node.op)](left, right)
        except (RuntimeError, TypeError, ZeroDivisionError):
            return None
    return None


def looked_up(name: str, names: Names) -> Any:
    """The number or tensor of a name, also if its case differs, or a common prefix or suffix, as long as only one fits."""
    forms = {f"{before}{name}{after}".lower() for before in ("", "n_", "num_") for after in ("", "_size", "s")} | {
        name.lower().removesuffix("s")
    }
    found = [names[name]] if name in names else [value for key, value in names.items() if key.lower() in forms]
    value = found[0] if len(found) == 1 else None
    return value if isinstance(value, (int, float, torch.Tensor)) and not isinstance(value, bool) else None
