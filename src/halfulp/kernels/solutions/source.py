"""Source: what the text of a solution reveals before it runs: the numbers that it uses, and the width of its indices."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ..problems.comparisons import constants

SMALLEST, LARGEST, MOST = 8, 1 << 14, 6
"""The smallest and the largest number that may be the size of a block, and how many are asked: each size of the problem becomes each of
them plus one."""

MOST_OWN = 4
"""How many other numbers are asked, such as the length of a table or the most steps of a loop, unless the problem's text has them too."""
BOUNDS = re.compile(r"^(?:f?max|f?min|m(?:ax|in)imum|clamp|clip|where|full|fill|masked_fill|load)(?:f|_like|_max|_min)?_?$")
"""Functions that limit numbers to a bound, or replace them by one."""
IN_C = re.compile(r"(?:[<>]=?|\bf?(?:max|min)f?\([^()]*?)\s*(-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)")
"""A number in C++ that others are compared with, or limited to."""
LEAST_WHOLE, LARGEST_BOUND, MOST_BOUNDS = 5, 1e30, 8
"""What may be a bound: smaller whole numbers are numbers of axes; float32 can hold the largest one times a million."""

LOOKS_FOR_NAN = re.compile(r"\b(?:isnan|nan_to_num|isfinite)\b")
"""Functions by which a solution says what becomes of NaN."""
INFINITE = re.compile(r"\binf(?:init\w+)?\b", re.IGNORECASE)

C_INDEX = re.compile(r"\b(?:int|int32_t|unsigned|uint32_t)\s+\w+\s*=[^;]*\b(?:blockIdx|threadIdx|blockDim)\b")
"""A 32-bit index in CUDA C++, made of block and thread numbers."""


@dataclass(frozen=True)
class Source:
    """The text of a solution."""

    text: str

    @cached_property
    def blocks(self) -> tuple[int, ...]:
        """Numbers that may be sizes of blocks, the most frequent first: powers of two and multiples of 16, also in C++ strings."""
        counts: dict[int, int] = {}
        for number in self._numbers():
            if SMALLEST <= number <= LARGEST and (number & (number - 1) == 0 or number % 16 == 0):
                counts[number] = counts.get(number, 0) + 1
        return tuple(sorted(counts, key=lambda number: -counts[number])[:MOST])

    def own_sizes(self, problem: str) -> tuple[int, ...]:
        """Other numbers that may be sizes and don't occur in the problem's text, the most frequent first."""
        named = {int(word) for word in re.findall(r"\b\d{1,5}\b", problem)}
        counts: dict[int, int] = {}
        for number in self._numbers():
            if SMALLEST <= number <= LARGEST and number not in named and number not in self.blocks:
                counts[number] = counts.get(number, 0) + 1
        return tuple(sorted(counts, key=lambda number: -counts[number])[:MOST_OWN])

    def bounds(self, problem: str) -> tuple[float, ...]:
        """Magnitudes that numbers are compared with, or limited to, and that don't occur in the problem's text, in order."""
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

    def speaks_of_nan(self, problem: str) -> bool:
        """Whether it looks for NaN, in Python or in C++, and so says what becomes of an input that is NaN.

        Where the problem's text has infinities, it may look for what their differences give.
        """
        if INFINITE.search(problem):
            return False
        for node in ast.walk(self._tree):
            named = ""
            if isinstance(node, ast.Attribute):
                named = node.attr
            elif isinstance(node, ast.Name):
                named = node.id
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "float" in node.value:
                named = node.value
            if LOOKS_FOR_NAN.search(named):
                return True
        return False

    @property
    def compiles(self) -> bool:
        """Whether C++ is compiled when the solution is loaded, or first called."""
        return "cpp_extension" in self.text

    @cached_property
    def narrow(self) -> str:
        """A sentence if offsets are computed in 32 bits, so that they wrap beyond 2^31 elements; "" otherwise."""
        functions = [node for node in ast.walk(self._tree) if isinstance(node, ast.FunctionDef)]
        codes = (ast.get_source_segment(self.text, function) or "" for function in functions)
        is_narrow = any(map(_multiplies_programs, codes)) or C_INDEX.search(self.text) is not None
        if not is_narrow:
            return ""
        return "Its offsets have 32 bits, as its source says: beyond 2^31 elements they would wrap. Sizes that large were not run."

    @cached_property
    def _tree(self) -> ast.Module:
        try:
            return ast.parse(self.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return ast.Module([], [])


def _multiplies_programs(code: str) -> bool:
    """Whether a Triton kernel computes offsets from program numbers, and never uses 64 bits."""
    return "program_id" in code and "*" in code and "int64" not in code
