"""Source: what the text of a solution says of it before it runs: the sizes of its blocks, and how wide it counts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

SMALLEST, LARGEST, MOST = 8, 1 << 14, 6
"""Of what may be the size of a block, and how many of them are asked: every size of the problem is one more than each."""

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
