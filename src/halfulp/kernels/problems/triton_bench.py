"""A problem in TritonBench's format: a function, a line of #, and tests. Each call in these is a setting; the first is the given one."""

from __future__ import annotations

import ast
import contextlib
import copy
import inspect
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from ...cases.trees import tensors_of
from ...errors import CaseFileError
from .calls import Setting, equal, is_real, leaves, seeded, with_leaves
from .literals import changed, sizes_in
from .loading import run
from .problem import Problem
from .stand_in import kept_on_processor, on_processor

LINE = re.compile(r"^#{20,}[ \t]*$", re.MULTILINE)
"""What separates the code from its tests."""
OTHERS = re.compile(r"^def (?:get_inputs|generate_input|inputs)\b", re.MULTILINE)
"""What creates the inputs in problems of other formats."""
MOST_TESTS = 8
"""The most calls that are asked as they are."""


def is_of_triton_bench(text: str) -> bool:
    """Whether a source has that line, followed by functions that test what comes before; problems of other formats may have both."""
    return "def test_" in _parts(text)[1] and OTHERS.search(text) is None


def code_of(text: str) -> str:
    """A solution without the tests that came with it: they would run when it is loaded."""
    return _parts(text)[0] if is_of_triton_bench(text) else text


def triton_bench_problem(file: Path, text: str) -> Problem:
    """Read the problem in a file.

    Raises:
        CaseFileError: its reference needs Triton, its code fails, or its tests call nothing.
    """
    code, tests = _parts(text)
    if re.search(r"^\s*(?:import|from) triton\b", code, re.MULTILINE):
        raise CaseFileError(
            f"Got {file}, whose reference is written in Triton. Needed: a reference in PyTorch: the processor runs it in float64 as well. "
            "Write what it computes in PyTorch, above the same tests."
        )
    names = run(file, text, ast.parse(code))
    entry = _entry(tests, names)
    if entry is None:
        raise CaseFileError(
            f"Got {file}, whose tests call none of its functions. Needed: tests that call what a solution has to define. "
            f"It is called with the same arguments. Before the line of # it defines {', '.join(_functions(names)) or 'no function'}."
        )
    within = [node.name for node in ast.parse(tests).body if isinstance(node, ast.FunctionDef)]
    calls = _Calls(file, text, names, entry)

    def draw(seed: int, changes: Mapping[str, int]) -> Setting:
        tree = _Unseeded().visit(changed(tests, changes, within))
        first = next(iter(calls.made(tree, seed, most=1)), None)
        if first is None:
            raise CaseFileError(
                f"Got {file}, whose tests end before they call {entry}. Needed: one call. A solution is called with the same arguments. "
                "Run the file by itself."
            )
        return _redrawn(first, seed) if seed and is_fixed else first

    is_fixed = False
    first = draw(0, {})
    is_fixed = _same(draw(1, {}), draw(2, {}))
    sizes = {name: value for name, value in sizes_in(tests, within).items() if _is_size(draw, first, name, value)}
    others = calls.made(_Unseeded().visit(ast.parse(tests)), 0, most=MOST_TESTS)[1:]
    asked = tuple((f"call {number} of its tests", setting) for number, setting in enumerate(others, 2))
    return Problem(
        file.stem, "TritonBench", file, entry, lambda _: kept_on_processor(names[entry], code), draw, sizes, tests=asked,
    )  # fmt: skip


def _parts(text: str) -> tuple[str, str]:
    """What comes before the last line of #, and what comes after it."""
    lines = list(LINE.finditer(text))
    return (text[: lines[-1].start()], text[lines[-1].end() :]) if lines else (text, "")


def _functions(names: Mapping[str, Any]) -> list[str]:
    return [name for name, value in names.items() if callable(value) and getattr(value, "__module__", "") == "halfulp_problem"]


def _entry(tests: str, names: Mapping[str, Any]) -> str | None:
    """The function that the tests call most often."""
    own = set(_functions(names))
    called = [node.func.id for node in ast.walk(ast.parse(tests)) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    found = [name for name in called if name in own]
    return max(found, key=found.count) if found else None


class _Enough(BaseException):
    """Raised when enough calls were made."""


class _Calls:
    """Runs tests, and records what they call the reference with."""

    def __init__(self, file: Path, text: str, names: Mapping[str, Any], entry: str) -> None:
        self.file, self.text, self.names, self.entry = file, text, names, entry

    def made(self, tree: ast.Module, seed: int, *, most: int) -> list[Setting]:
        """The settings of the first calls."""
        found: list[Setting] = []

        def recorded(*arguments: Any, **keywords: Any) -> Any:
            found.append(self._setting(*copy.deepcopy((arguments, keywords))))
            if len(found) >= most:
                raise _Enough
            return self.names[self.entry](*arguments, **keywords)

        try:
            with seeded(seed), contextlib.redirect_stdout(None), contextlib.suppress(_Enough), on_processor(self.text):
                run(self.file, self.text, ast.fix_missing_locations(tree), {**self.names, self.entry: recorded})
        except CaseFileError:  # a later test fails by itself
            if not found:
                raise
        return found

    def _setting(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Setting:
        """A call, with arguments by position wherever they may be: tensors passed by keyword are inputs too."""
        with contextlib.suppress(TypeError, ValueError):
            bound = inspect.signature(self.names[self.entry]).bind(*arguments, **keywords)
            arguments, keywords = bound.args, bound.kwargs
        return Setting(arguments, keywords=keywords)


class _Unseeded(ast.NodeTransformer):
    """Removes the seeds from tests: the caller chooses them."""

    def visit_Expr(self, node: ast.Expr) -> Any:
        return ast.Pass() if "manual_seed(" in ast.unparse(node) else self.generic_visit(node)


def _same(one: Setting, other: Setting) -> bool:
    """Whether two seeds give the same inputs; if so, they are written out."""
    pairs = zip(leaves(one.arguments), leaves(other.arguments))
    return all(equal(a, b) for a, b in pairs)


def _redrawn(setting: Setting, seed: int) -> Setting:
    """New numbers between the smallest and the largest of each tensor that is written out; their order is left to chance."""
    generator = torch.Generator().manual_seed(seed)
    found: dict[int, torch.Tensor] = {}
    for place, tensor in enumerate(leaves(setting.arguments)):
        if not tensor.numel() or tensor.is_complex():
            continue
        if is_real(tensor):
            least, most = float(tensor.min()), float(tensor.max())
            share = torch.rand(tensor.shape, generator=generator, dtype=torch.float64)
            found[place] = (least + (most - least) * share).to(tensor.dtype)
        else:
            order = torch.randint(0, tensor.numel(), (tensor.numel(),), generator=generator)
            found[place] = tensor.reshape(-1)[order].reshape(tensor.shape)
    arguments = with_leaves(setting.arguments, found)
    return Setting(arguments, keywords=setting.keywords)


def _is_size(draw: Any, first: Setting, name: str, value: int) -> bool:
    """Whether another number gives a tensor of another shape."""
    try:
        other = draw(0, {name: value + 1})
    except Exception:  # whatever tests make of another number
        return False
    return [tensor.shape for tensor in tensors_of(other.arguments)] != [tensor.shape for tensor in tensors_of(first.arguments)]
