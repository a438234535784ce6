"""Source: what the text of a solution says of it before it runs: the numbers that it goes by, and how wide it counts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ..problems.comparisons import constants

SMALLEST, LARGEST, MOST = 8, 1 << 14, 6
"""Of what may be the size of a block, and how many of them are asked: every size of the problem is one more than each."""

MOST_OWN = 4
"""Of other numbers, as the length of a table or the most steps that are taken: where the problem doesn't name them, they are its own."""
BOUNDS = re.compile(r"^(?:f?max|f?min|m(?:ax|in)imum|clamp|clip|where|full|fill|masked_fill|load)(?:f|_like|_max|_min)?_?$")
"""Functions that bound numbers by one, or put one in their place."""
IN_C = re.compile(r"(?:[<>]=?|\bf?(?:max|min)f?\([^()]*?)\s*(-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)")
"""A number that C++ compares another one with, or bounds it by."""
LEAST_WHOLE, LARGEST_BOUND, MOST_BOUNDS = 5, 1e30, 8
"""What may be a bound of numbers: smaller whole ones are numbers of axes; float32 holds the product of the largest and a million."""

C_INDEX = re.compile(r"\b(?:int|int32_t|unsigned|uint32_t)\s+\w+\s*=[^;]*\b(?:blockIdx|threadIdx|blockDim)\b")
"""A 32-bit index of CUDA C++, made of the numbers of a block and a thread."""


@dataclass(frozen=True)
class Source:
    """The text of a solution."""

    text: str

    @cached_property
    def blocks(self) -> tuple[int, ...]:
        """Numbers that may be the sizes of blocks, the most frequent first: powers of two and multiples of 16, in C++ strings too."""
        counts: dict[int, int] = {}
        for number in self._numbers():
            if SMALLEST <= number <= LARGEST and (number & (number - 1) == 0 or number % 16 == 0):
                counts[number] = counts.get(number, 0) + 1
        return tuple(sorted(counts, key=lambda number: -counts[number])[:MOST])

    def own_sizes(self, problem: str) -> tuple[int, ...]:
        """Other numbers that may be sizes and that the problem's text doesn't name, the most frequent first."""
        named = {int(word) for word in re.findall(r"\b\d{1,5}\b", problem)}
        counts: dict[int, int] = {}
        for number in self._numbers():
            if SMALLEST <= number <= LARGEST and number not in named and number not in self.blocks:
                counts[number] = counts.get(number, 0) + 1
        return tuple(sorted(counts, key=lambda number: -counts[number])[:MOST_OWN])

    def bounds(self, problem: str) -> tuple[float, ...]:
        """Magnitudes that its numbers are compared with, or bounded by, and that the problem's text doesn't name, in order."""
        named = {float(word) for word in re.findall(r"\d+(?:\.\d*)?(?:[eE][+-]?\d+)?", problem)}
        found = (abs(float(value)) for value in self._bounds() if type(value) is float or abs(value) >= LEAST_WHOLE)
        return tuple(dict.fromkeys(value for value in found if 1.0 < value <= LARGEST_BOUND and value not in named))[:MOST_BOUNDS]

    def _bounds(self) -> Iterator[int | float]:
        for node in ast.walk(self._tree):
            parts: list[ast.expr] = []
            if isinstance(node, ast.Compare):
                parts = [node.left, *node.comparators]
            elif isinstance(node, ast.Call) and BOUNDS.search(getattr(node.func, "attr", getattr(node.func, "id", ""))):
                parts = [*node.args, *(keyword.value for keyword in node.keywords)]
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "float" in node.value:
                yield from (float(word) if "." in word or "e" in word.lower() else int(word) for word in IN_C.findall(node.value))
            yield from (value for part in parts for value in constants(part) if type(value) in (int, float))

    def _numbers(self) -> Iterator[int]:
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Constant):
                if type(node.value) is int:
                    yield node.value
                elif isinstance(node.value, str) and ("int" in node.value or "float" in node.value):
                    yield from (int(word) for word in re.findall(r"\b\d{1,5}\b", node.value))

    @property
    def compiles(self) -> bool:
        """Whether C++ is compiled when the solution is loaded, or first called."""
        return "cpp_extension" in self.text

    @cached_property
    def narrow(self) -> str:
        """A sentence where offsets are made of 32 bits: beyond 2^31 elements they wrap; "" where nothing says so."""
        functions = [node for node in ast.walk(self._tree) if isinstance(node, ast.FunctionDef)]
        is_narrow = any(_multiplies_programs(ast.unparse(function)) for function in functions) or C_INDEX.search(self.text) is not None
        if not is_narrow:
            return ""
        return "Its offsets have 32 bits, as its source says: beyond 2^31 elements they would wrap. Sizes that large were not run."

    @cached_property
    def _tree(self) -> ast.Module:
        try:
            return ast.parse(self.text)
        except (SyntaxError, ValueError):
            return ast.Module([], [])


def _multiplies_programs(code: str) -> bool:
    """Whether a Triton kernel makes offsets of program numbers, and never asks for 64 bits."""
    return "program_id" in code and "*" in code and "int64" not in code
