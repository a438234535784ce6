"""Literals: the whole numbers in a problem's source that may be sizes, and the source with other numbers in their place."""

from __future__ import annotations

import ast
import operator
import symtable
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

INPUTS = ("get_inputs", "get_init_inputs")
"""KernelBench's functions that make inputs."""


def changed(text: str, changes: Mapping[str, int], within: Collection[str] = INPUTS) -> ast.Module:
    """The tree of a source with some whole numbers replaced.

    Args:
        changes: "NAME" for a constant of the file, "64" for this number wherever the inputs are made, "64#2" for its second place there.
        within: the names of the functions that make them.
    """
    return _Changed(changes, within).visit(ast.parse(text)) if changes else ast.parse(text)


class _Changed(ast.NodeTransformer):
    """Replaces whole numbers: constants of the file, and literals in the functions that make inputs."""

    def __init__(self, changes: Mapping[str, int], within: Collection[str]) -> None:
        self.changes, self.within, self.inside = changes, within, False
        self.met: dict[int, int] = {}

    def visit_Assign(self, node: ast.Assign) -> Any:
        for target, value in _named(node):
            if target.id in self.changes and _computed(value) is not None:
                changed = ast.Constant(self.changes[target.id])
                if value is node.value:
                    node.value = changed
                else:
                    elements: Any = node.value
                    elements.elts[elements.elts.index(value)] = changed
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        for target, value in _named(node):
            if target.id in self.changes and _computed(value) is not None:
                node.value = ast.Constant(self.changes[target.id])
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        before, self.inside = self.inside, node.name in self.within
        found = self.generic_visit(node)
        self.inside = before
        return found

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        return node  # -1 is the last axis more often than a number less by one

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        if not _is_one_past(node):
            return self.generic_visit(node)
        node.left = self.visit(node.left)
        return node

    def visit_Constant(self, node: ast.Constant) -> Any:
        value = _whole(node)
        if not self.inside or value is None:
            return node
        self.met[value] = self.met.get(value, 0) + 1
        one, every = f"{value}#{self.met[value]}", str(value)
        return ast.Constant(self.changes[one if one in self.changes else every]) if one in self.changes or every in self.changes else node


def _whole(node: ast.expr) -> int | None:
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def _named(node: ast.Assign | ast.AnnAssign) -> list[tuple[ast.Name, ast.expr]]:
    """Names with the value assigned to each: A = 1, or A, B = 1, 2, or A: int = 1."""
    target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0] if len(node.targets) == 1 else None
    if isinstance(target, ast.Name) and node.value is not None:
        return [(target, node.value)]
    if isinstance(target, ast.Tuple) and isinstance(node.value, (ast.Tuple, ast.List)) and len(target.elts) == len(node.value.elts):
        return [(name, value) for name, value in zip(target.elts, node.value.elts) if isinstance(name, ast.Name)]
    return []


COMPUTED: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
    ast.LShift: operator.lshift, ast.Pow: operator.pow,
}  # fmt: skip


def _computed(node: ast.expr) -> int | None:
    """The whole number that an expression of literals has as its value, such as 4 * 1024 or 1 << 14; None for anything else."""
    if isinstance(node, ast.BinOp) and type(node.op) in COMPUTED:
        left, right = _computed(node.left), _computed(node.right)
        if left is None or right is None or not 0 <= right <= (32 if isinstance(node.op, (ast.LShift, ast.Pow)) else 1 << 40):
            return None
        return None if isinstance(node.op, ast.FloorDiv) and not right else COMPUTED[type(node.op)](left, right)
    return _whole(node)


def _is_one_past(node: ast.AST) -> bool:
    """Whether a number is added to a size, as where the end of a range is one past the last: such a number is not a size."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)) and isinstance(node.right, ast.Constant)


def sizes_in(text: str, within: Collection[str] = INPUTS) -> dict[str, int]:
    """The whole numbers of a problem that may be sizes: constants of the file, then literals where inputs are made.

    Args:
        within: the names of the functions that make them.
    """
    read = _read_elsewhere(text, within)
    found = {name: value for name, value in _constants(text).items() if name not in read}
    for key, is_bound in literals_in(text, within).items():
        value, place = map(int, key.split("#"))
        if value > 1:
            found[str(value)] = value
        if (place > 1 or value == 1) and not is_bound:  # ones mean many things: they are never changed together
            found[key] = value
    return found


def constants_read(text: str, within: Collection[str]) -> dict[str, int]:
    """The constants of a file that are no sizes, because the reference itself reads them.

    Args:
        within: the names of the functions that make inputs.
    """
    read = _read_elsewhere(text, within)
    return {name: value for name, value in _constants(text).items() if name in read}


def _constants(text: str) -> dict[str, int]:
    """The positive whole numbers that have a name in a file."""
    assigned = [found for node in ast.parse(text).body if isinstance(node, (ast.Assign, ast.AnnAssign)) for found in _named(node)]
    values = {name.id: _computed(value) for name, value in assigned}
    return {name: value for name, value in values.items() if value is not None and value > 0}


def _read_elsewhere(text: str, within: Collection[str]) -> set[str]:
    """The constants on which code depends that makes no inputs: the reference would keep the old number, and a solution may have it too.

    Args:
        within: the names of the functions that make inputs.
    """
    scopes = [scope for scope in symtable.symtable(text, "problem", "exec").get_children() if scope.get_name() not in within]
    read = set[str]()
    while scopes:
        scope = scopes.pop()
        read |= {symbol.get_name() for symbol in scope.get_symbols() if symbol.is_global()}
        scopes += scope.get_children()
    made: dict[str, set[str]] = {}  # name -> the names in what is assigned to it
    for node in ast.parse(text).body:
        for name, assigned in _named(node) if isinstance(node, (ast.Assign, ast.AnnAssign)) else ():
            made.setdefault(name.id, set()).update(part.id for part in ast.walk(assigned) if isinstance(part, ast.Name))
    left = list(read)
    while left:
        for name in made.get(left.pop(), set[str]()) - read:
            read.add(name)
            left.append(name)
    return read


def literals_in(text: str, within: Collection[str] = INPUTS) -> dict[str, bool]:
    """Every positive whole number where inputs are made, as `changed` takes it ("64#2"), and whether it bounds random numbers."""
    counts: dict[int, int] = {}
    found: dict[str, bool] = {}
    for node in ast.parse(text).body:
        for value, is_bound in _numbers(node) if isinstance(node, ast.FunctionDef) and node.name in within else ():
            counts[value] = counts.get(value, 0) + 1
            found[f"{value}#{counts[value]}"] = is_bound
    return found


def _numbers(node: ast.AST, *, is_bound: bool = False) -> Iterator[tuple[int, bool]]:
    """Positive whole numbers in the order in which `_Changed` meets them, and whether each bounds random numbers, such as indices."""
    if isinstance(node, ast.UnaryOp):
        return
    if isinstance(node, ast.BinOp) and _is_one_past(node):
        yield from _numbers(node.left, is_bound=is_bound)
        return
    value = _whole(node) if isinstance(node, ast.expr) else None
    if value is not None and value > 0:
        yield value, is_bound
    bounds = node.args if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("randint") else []
    for part in ast.iter_child_nodes(node):
        yield from _numbers(part, is_bound=(is_bound or part in bounds) and not isinstance(part, ast.Tuple))
