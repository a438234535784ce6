"""No circle among files and no arrow upward, counting imports inside functions and those for type checkers, which import-linter is told to skip."""

import ast
import sys
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

import halfulp

PACKAGE = Path(halfulp.__file__).parent
ROOT = Path(__file__).parents[2]
LAYERS = [
    layer
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    for layer in contract.get("layers", [])
]


def modules(package):
    """Module -> file."""
    found = {}
    for path in package.rglob("*.py"):
        parts = (package.name, *path.relative_to(package).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(name, path, known):
    """Every module of the package that a file imports, wherever in it."""
    own = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name in known)
        elif isinstance(node, ast.ImportFrom):
            above = own.split(".")
            base = ".".join([*above[: len(above) - node.level + 1], *([node.module] if node.module else [])]) if node.level else node.module
            for each in node.names:
                yield from (target for target in (f"{base}.{each.name}", base) if target in known)


def graph_of(package):
    """Module -> what it imports; a package's face is what stands in its `__init__`."""
    known = modules(package)
    return {
        name: {target for target in imports(name, path, known) if target != name and not is_face(target, name)}
        for name, path in known.items()
    }


def is_face(target, name):
    """Whether a file imports a neighbour through the package that both are in: that is an import of the neighbour, which is counted."""
    return name.startswith(target + ".")


def circles(graph):
    """Sets of modules that reach each other (Tarjan)."""
    order, lowest, stack, found = {}, {}, [], []

    def visit(name):
        order[name] = lowest[name] = len(order)
        stack.append(name)
        for target in graph[name]:
            if target not in order:
                visit(target)
                lowest[name] = min(lowest[name], lowest[target])
            elif target in stack:
                lowest[name] = min(lowest[name], order[target])
        if lowest[name] == order[name]:
            together = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(together) > 1:
                found.append(sorted(together))

    for name in graph:
        if name not in order:
            visit(name)
    return found


def height(name):
    """Which layer a module is in, the uppermost first; None for the small files below all."""
    return next((k for k, layer in enumerate(LAYERS) if name == layer or name.startswith(layer + ".")), None)


def arrows_upward(graph):
    found = []
    for name, targets in graph.items():
        for target in targets:
            heights = height(name), height(target)
            if None not in heights and heights[1] < heights[0]:
                found.append((name, target))
            if name != "halfulp" and heights[0] is None and heights[1] is not None:  # a small file that everybody uses
                found.append((name, target))
    return found


def test_no_circle_and_no_arrow_upward():
    graph = graph_of(PACKAGE)
    assert not circles(graph)
    upward = [each for each in arrows_upward(graph) if each not in FACES]
    assert not upward


FACES = [("halfulp.__main__", "halfulp.cli")]
"""`python -m halfulp` is the command line."""


@pytest.mark.parametrize(
    "written",
    ["from . import b", "def f():\n    from .b import x", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .b import x"],
)
def test_a_circle_is_seen_wherever_the_import_stands(written, tmp_path):
    package = tmp_path / "p"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "a.py").write_text(written + "\n")
    (package / "b.py").write_text("from .a import f\n")
    assert circles(graph_of(package)) == [["p.a", "p.b"]]


def test_few_imports_are_excused():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    assert sum(len(each.get("ignore_imports", [])) for each in contracts) <= 5
