"""Problem: what a solution has to compute, and on what it may be asked."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .calls import Setting

LARGEST = 1 << 21
"""Elements of all inputs together: other sizes are asked only as long as they stay below."""


@dataclass(frozen=True, eq=False)
class Problem:
    """What a solution has to compute.

    Attributes:
        name, format, file: of the problem. entry: the name that a solution defines.
        make: the reference for what its constructor gets. draw: init and arguments from a seed, with some sizes changed.
        sizes: the whole numbers that may be changed, by what they are called. tests: settings that the problem itself asks, by label.
        differentiable: whether gradients belong to it. constructor: the class of the reference, whose constructor may have defaults.
    """

    name: str
    format: str
    file: Path
    entry: str
    make: Callable[[tuple[Any, ...]], Any]
    draw: Callable[[int, Mapping[str, int]], Setting]
    sizes: Mapping[str, int]
    tests: tuple[tuple[str, Setting], ...] = ()
    differentiable: bool = False
    constructor: Any = None

    @functools.cached_property
    def text(self) -> str:
        """The source of its file; "" for a folder."""
        return self.file.read_text(encoding="utf-8", errors="replace") if self.file.is_file() else ""

    def __repr__(self) -> str:
        return f"<Problem {self.name}: {self.format}>"


def count_of(setting: Setting) -> int:
    """The elements of all inputs."""
    from ..cases.trees import tensors_of

    return sum(tensor.numel() for tensor in tensors_of((setting.arguments, setting.state)))
