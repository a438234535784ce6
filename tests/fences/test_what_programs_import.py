"""What stands beside the package (benchmarks, tests, examples, the making of pages) imports only modules and names that it has."""

import ast
import functools
from pathlib import Path

import pytest

import halfulp

PACKAGE = Path(halfulp.__file__).parent
ROOT = Path(__file__).parents[2]
SETS = ROOT / "benchmarks" / "kernels" / "sets"  # strangers' problems: they import nothing of the package


def at_the_top(tree):
    """The statements of a module that run when it is imported: not those inside functions and classes."""
    for node in ast.iter_child_nodes(tree):
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            yield from at_the_top(node)


def source_of(module):
    """The file of a module of the package, or None."""
    path = PACKAGE.joinpath(*module.split(".")[1:])
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


@functools.cache
def names_of(module):
    """Names that a module has, as its source says; None where it makes them when they are asked for."""
    found = set()
    for node in at_the_top(ast.parse(source_of(module).read_text(encoding="utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {each.asname or each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return None if "__getattr__" in found else found


def missing(program):
    """What a program imports of the package that isn't there: (line, name)."""
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Import):
            asked = [(each.name, None) for each in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            asked = [(node.module, each.name) for each in node.names]
        else:
            continue
        for module, name in asked:
            if module.split(".")[0] != "halfulp":
                continue
            if source_of(module) is None:
                yield node.lineno, module
            elif name not in (None, "*") and source_of(f"{module}.{name}") is None:
                has = names_of(module)
                if has is not None and name not in has:
                    yield node.lineno, f"{module}.{name}"


@pytest.mark.parametrize("folder", ["benchmarks", "docs", "examples", "tests"])
def test_programs_import_what_is_there(folder):
    found = []
    for path in sorted((ROOT / folder).rglob("*.py")):
        if SETS not in path.parents:
            found += [(str(path.relative_to(ROOT)), *each) for each in missing(path.read_text(encoding="utf-8"))]
    assert not found


@pytest.mark.parametrize(
    "line",
    [
        "import halfulp.kernels.stand_in",
        "from halfulp.kernels.stand_in import pretend",
        "from halfulp.kernels.problems.stand_in import no_such",
    ],
)
def test_the_fence_sees_what_is_missing(line):
    assert list(missing(line))
    assert not list(missing("from halfulp.kernels.problems.stand_in import pretend\nfrom halfulp import check"))
