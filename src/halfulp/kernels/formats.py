"""read_problem(): a problem as people have it: KernelBench's modules, GPU MODE's and BackendBench's folders, case files, functions."""

from __future__ import annotations

import ast
import contextlib
import linecache
import operator
import re
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import CaseFileError, shortened
from .calls import Setting, seeded
from .op_samples import is_of_an_op, op_problem
from .problem import Problem
from .stand_in import kept_on_processor, on_processor


def read_problem(path: str | Path) -> Problem:
    """The problem of a file or folder.

    Args:
        path: a file with `Model`, `get_inputs` and `get_init_inputs` (KernelBench); a folder with `reference.py` and `task.yml`, or its
            `reference.py` (GPU MODE); a folder that is named for an op of ATen, with implementations (BackendBench); a case file with
            `expected` and `inputs(seed)`; FILE.py:name for a function, beside which stands `inputs(seed)` or `get_inputs()`.

    Raises:
        CaseFileError: it is none of these, or its code fails.
    """
    file, name = named(path)
    if file.is_dir():
        if is_of_an_op(file):
            return op_problem(file)
        found = [file / name for name in ("reference.py", "problem.py") if (file / name).is_file()]
        if not found:
            raise CaseFileError(
                f"Got the folder {path} without a reference.py or problem.py. Needed: a problem of KernelBench or GPU MODE, or a case "
                "file. The reference says what a kernel has to compute. Check the path."
            )
        file = found[0]
    if not file.is_file():
        raise CaseFileError(
            f"Got {path}, which is not a file. Needed: a problem of KernelBench or GPU MODE, or a case file. Check the path."
        )
    text = file.read_text(encoding="utf-8")
    names = run(file, text, {})
    if name:
        return _function(file, text, names, name)
    for fits, read in (
        (("Model", "get_inputs"), _kernelbench),
        (("ref_kernel", "generate_input"), _gpu_mode),
        (("expected", "inputs"), _case),
    ):
        if all(callable(names.get(name)) for name in fits):
            return read(file, text, names)
    raise CaseFileError(
        f"Got {file} without a reference. Needed: Model and get_inputs (KernelBench), ref_kernel and generate_input (GPU MODE), or "
        f"expected and inputs (a case file). It defines {', '.join(name for name in names if not name.startswith('_'))[:200] or 'nothing'}."
    )


def run(file: Path, text: str, changes: Mapping[str, int]) -> dict[str, Any]:
    """The names that a file defines when some of its whole numbers are others.

    Args:
        changes: "NAME" for a constant of the file, "64" for this number wherever the inputs are made, "64#2" for its second place there.

    Raises:
        CaseFileError: it fails.
    """
    import sys

    tree = _Changed(changes).visit(ast.parse(text)) if changes else ast.parse(text)
    module = types.ModuleType("halfulp_problem")
    module.__file__ = str(file)
    linecache.cache[str(file)] = (len(text), None, text.splitlines(keepends=True), str(file))
    folder = str(file.resolve().parent)
    added = folder not in sys.path
    if added:
        sys.path.insert(0, folder)
    try:
        with on_processor(text):
            exec(compile(ast.fix_missing_locations(tree), str(file), "exec"), module.__dict__)
    except Exception as error:
        raise CaseFileError(
            f"Got {type(error).__name__} while running {file}: {shortened(str(error))}. Needed: a file that runs. "
            "Nothing was judged. Run it by itself."
        ) from error
    finally:
        if added:
            sys.path.remove(folder)
    return module.__dict__


INPUTS = ("get_inputs", "get_init_inputs")


class _Changed(ast.NodeTransformer):
    """Exchanges whole numbers: constants of the file, and literals in the functions that make inputs."""

    def __init__(self, changes: Mapping[str, int]) -> None:
        self.changes, self.inside = changes, False
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
        before, self.inside = self.inside, node.name in INPUTS
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
    """Names with what is assigned to each: A = 1, or A, B = 1, 2, or A: int = 1."""
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
    """The whole number that an expression of literals is, such as 4 * 1024 or 1 << 14; None for anything else."""
    if isinstance(node, ast.BinOp) and type(node.op) in COMPUTED:
        left, right = _computed(node.left), _computed(node.right)
        if left is None or right is None or not 0 <= right <= (32 if isinstance(node.op, (ast.LShift, ast.Pow)) else 1 << 40):
            return None
        return None if isinstance(node.op, ast.FloorDiv) and not right else COMPUTED[type(node.op)](left, right)
    return _whole(node)


def _is_one_past(node: ast.AST) -> bool:
    """Whether a number is added to a size, as where the end of a range is one past the last: that is no size."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)) and isinstance(node.right, ast.Constant)


def sizes_in(text: str) -> dict[str, int]:
    """The whole numbers of a problem that may be sizes: constants of the file, then literals where inputs are made."""
    found: dict[str, int] = {}
    counts: dict[int, int] = {}
    tree = ast.parse(text)
    for node in tree.body:
        for name, assigned in _named(node) if isinstance(node, (ast.Assign, ast.AnnAssign)) else ():
            value = _computed(assigned)
            if value is not None and value > 0:
                found[name.id] = value
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name in INPUTS:
            for value, is_bound in _numbers(node):
                counts[value] = counts.get(value, 0) + 1
                if value > 1:
                    found[str(value)] = value
                if (counts[value] > 1 or value == 1) and not is_bound:  # ones mean many things: they are never changed together
                    found[f"{value}#{counts[value]}"] = value
    return found


def _numbers(node: ast.AST, *, is_bound: bool = False) -> Iterator[tuple[int, bool]]:
    """Positive whole numbers in the order in which `_Changed` meets them, and whether each bounds random numbers, as of indices."""
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


def _kernelbench(file: Path, text: str, names: Mapping[str, Any]) -> Problem:
    def draw(seed: int, changes: Mapping[str, int]) -> Setting:
        known = run(file, text, changes) if changes else names
        with seeded(seed), on_processor(text):
            init = tuple(known["get_init_inputs"]()) if callable(known.get("get_init_inputs")) else ()
            return Setting(tuple(known["get_inputs"]()), init)

    def make(init: tuple[Any, ...]) -> Any:
        with seeded(0), on_processor(text):
            return kept_on_processor(names["Model"](*init), text)

    return Problem(
        _name(file), "KernelBench", file, "ModelNew", make, draw, sizes_in(text), differentiable=True, constructor=names["Model"]
    )


def _gpu_mode(file: Path, text: str, names: Mapping[str, Any]) -> Problem:
    task = _task(file.with_name("task.yml"))
    tests = [dict(test) for test in task.get("tests") or () if isinstance(test, Mapping)]
    given = tests[0] if tests else {}

    def draw(seed: int, changes: Mapping[str, int]) -> Setting:
        return drawn({**given, **changes, "seed": seed})

    def drawn(keywords: Mapping[str, Any]) -> Setting:
        with on_processor(text):
            return Setting((names["generate_input"](**keywords),))

    asked = tuple((", ".join(f"{key}={value}" for key, value in test.items()), drawn(test)) for test in tests[1:8])
    sizes = {key: value for key, value in given.items() if type(value) is int and key != "seed" and value >= 0}
    return Problem(
        _name(file), "GPU MODE", file, "custom_kernel", lambda _: kept_on_processor(names["ref_kernel"], text), draw, sizes, tests=asked,
        description=str(task.get("description") or ""),
    )  # fmt: skip


def _task(file: Path) -> dict[str, Any]:
    """What a `task.yml` says: a description in words, and the keyword arguments of each test; nothing where it can't be read."""
    import yaml

    if file.is_file():
        with contextlib.suppress(yaml.YAMLError, OSError, UnicodeDecodeError):
            found = yaml.load(file.read_text(encoding="utf-8"), _Loader)
            return found if isinstance(found, dict) else {}
    return {}


def _loader() -> Any:
    import yaml

    class Loader(yaml.SafeLoader):
        """Tags of the contest (!include ...) are read as text."""

    Loader.add_multi_constructor("!", lambda _loader, _suffix, node: str(node.value))
    return Loader


_Loader = _loader()


def _case(file: Path, text: str, names: Mapping[str, Any]) -> Problem:
    def draw(seed: int, changes: Mapping[str, int]) -> Setting:
        with seeded(seed), on_processor(text):
            found = names["inputs"](seed, **({"size": changes["size"]} if "size" in changes else {}))
        return Setting(tuple(found) if isinstance(found, (tuple, list)) else (found,))

    has_size = "size" in names["inputs"].__code__.co_varnames[: names["inputs"].__code__.co_argcount]
    return Problem(
        _name(file),
        "case file",
        file,
        "actual",
        lambda _: kept_on_processor(names["expected"], text),
        draw,
        {"size": 64} if has_size else {},
        differentiable=False,
    )


def _function(file: Path, text: str, names: Mapping[str, Any], name: str) -> Problem:
    """A function by its name, or a module's class, beside which its inputs stand."""
    reference = names.get(name)
    if not callable(reference) or not (callable(names.get("inputs")) or callable(names.get("get_inputs"))):
        raise CaseFileError(
            f"Got {file}:{name}. Needed: a function or module class of that name, and `inputs(seed)` or `get_inputs()` beside it. Its "
            "inputs are what a solution is tested on. It defines "
            f"{', '.join(each for each in names if not each.startswith('_'))[:200] or 'nothing'}."
        )
    if callable(names.get("inputs")):
        return replace(_case(file, text, {**names, "expected": reference}), name=name, entry=name)
    if isinstance(reference, type):
        return replace(_kernelbench(file, text, {**names, "Model": reference}), name=name, entry=name)
    made = replace(_kernelbench(file, text, {**names, "Model": None}), name=name, entry=name, format="function", constructor=None)
    return replace(made, make=lambda _: kept_on_processor(reference, text))


def named(path: str | Path) -> tuple[Path, str]:
    """A file and the name after it, "" for none: FILE.py:name."""
    found = NAMED.match(str(path))
    return (Path(found["file"]), found["name"]) if found else (Path(path), "")


def solution_file(solution: str | Path, entry: str) -> tuple[Path, str]:
    """The file of a solution, and the name in it that was given, "" for none.

    Raises:
        CaseFileError: there is no such file.
    """
    file, name = named(solution)
    if not file.is_file():
        raise CaseFileError(
            f"Got {solution}, which is not a file. Needed: a Python file that defines {name or entry}. It is run in a process of its own. "
            "Check the path."
        )
    return file, name


NAMED = re.compile(r"(?P<file>.+\.py):(?P<name>[A-Za-z_]\w*)$")


def _name(file: Path) -> str:
    return file.resolve().parent.name if file.stem in ("reference", "problem") else file.stem
