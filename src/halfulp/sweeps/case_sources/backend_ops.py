"""halfulp's own table of ops, on any backend."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import torch

from ...backends.ops import OPS
from ...cases.inputs import TORCH_DTYPES
from ...errors import InputError
from ..matrix_sweep import SIZES, configured
from .patterns import chosen
from .sample import Group, Sample


@dataclass(frozen=True)
class BackendOps:
    """The ops that every backend is asked for, each on three sizes.

    Args:
        part: its place in the plan. ops: names or patterns. actual: backends, with options after a colon ("openvino:precision=f32").
        expected: the backend that they are compared with. sizes: of "small", "medium" and "odd". dtypes: of the inputs.
    """

    is_seeded: ClassVar[bool] = True
    part: int = 0
    ops: Sequence[str] = ("*",)
    actual: Sequence[str] = ("torch.compile",)
    expected: str = "torch"
    sizes: Sequence[str] = SIZES
    dtypes: Sequence[str] = ("float32",)

    def paths(self) -> list[Path]:
        """None: they come with packages."""
        return []

    def groups(self) -> Iterator[Group]:
        """An op on a backend.

        Raises:
            InputError: a pattern that fits no op, an unknown size or dtype, a backend that can't be used here.
        """
        for size in self.sizes:
            if size not in SIZES:
                raise InputError(f"Got the size {size!r}. Needed: one of {', '.join(SIZES)}. Each op has these three. Name one of them.")
        for dtype in self.dtypes:
            if dtype not in TORCH_DTYPES:
                raise InputError(
                    f"Got the dtype {dtype!r}. Needed: one of {', '.join(TORCH_DTYPES)}. Inputs are stored in it. Name one of them."
                )
        names = chosen(list(OPS), self.ops, "ops")
        for backend in (*self.actual, self.expected):
            configured(backend)
        for backend in dict.fromkeys(self.actual):
            for dtype in dict.fromkeys(self.dtypes):
                yield from (Group("ops", self.part, name, backend, self.expected, dtype) for name in names)

    def samples(self, group: Group, seed: int) -> list[Callable[[], Sample]]:
        """The op on each size."""
        dtype = TORCH_DTYPES[group.dtype]

        def maker(size: str) -> Callable[[], Sample]:
            def make() -> Sample:
                module, activations = OPS[group.subject].drawn(OPS[group.subject].sizes[SIZES.index(size)], seed, dtype)
                return Sample(size, _on(group.actual, module), _on(group.expected, module), activations)

            return make

        return [maker(size) for size in dict.fromkeys(self.sizes)]


def _on(name: str, module: torch.nn.Module) -> Any:
    loaded, options = configured(name)
    return module if name == "torch" else loaded.implement(module, **options)
