"""Functions of one number, on every number of a format or on parts of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import torch

from ...cases.inputs import TORCH_DTYPES
from ...cases.opinfo import op_infos
from ...errors import InputError
from .patterns import chosen
from .rounded import in_float64, natural_formats
from .sample import Call, Group, Sample

WIDTHS = {"float32": 32, "bfloat16": 16, "float16": 16}
PART_BITS = 20
"""A part holds 2^20 numbers: float32 has 4,096 such parts. One part is checked in about two seconds."""


@dataclass(frozen=True)
class Functions:
    """Elementwise functions against themselves in float64, on every finite number of a format.

    Args:
        part: its place in the plan. ops: names or patterns of unary ops of PyTorch. dtypes: of "float32", "bfloat16" and "float16".
        parts: which of the parts of 2^20 numbers (16-bit formats have one); every `every`th by default. every: 1 for all.
    """

    is_seeded: ClassVar[bool] = False
    part: int = 0
    ops: Sequence[str] = ("*",)
    dtypes: Sequence[str] = ("float32",)
    parts: Sequence[int] = ()
    every: int = 1

    def paths(self) -> list[Path]:
        """None: they come with packages."""
        return []

    def groups(self) -> Iterator[Group]:
        """A function in a format.

        Raises:
            InputError: a pattern that fits no function, a format that isn't scanned.
        """
        names = chosen(sorted(_unary()), self.ops, "functions")
        for dtype in dict.fromkeys(self.dtypes):
            if dtype not in WIDTHS:
                raise InputError(
                    f"Got the dtype {dtype!r}. Needed: one of {', '.join(WIDTHS)}. All its numbers are tried. Name one of them."
                )
            for name in names:
                if _unary()[name].supports_dtype(TORCH_DTYPES[dtype], "cpu"):
                    yield Group("functions", self.part, name, "eager", "float64", dtype)

    def samples(self, group: Group, seed: int) -> list[Callable[[], Sample]]:
        """Parts of the numbers, in the order of their bits."""
        width = WIDTHS[group.dtype]
        count = 2 ** max(0, width - PART_BITS)
        function, dtype = _unary()[group.subject].op, TORCH_DTYPES[group.dtype]
        call = Call(f"torch.{group.subject}", f"torch.{group.subject}", "float64")

        def maker(place: int) -> Callable[[], Sample]:
            def make() -> Sample:
                numbers = numbers_of(group.dtype, place)
                formats = natural_formats(function, (numbers[:1],), {})  # of isfinite no numbers of the inputs' format
                return Sample(f"part {place} of {count}", function, in_float64(function, dtype, formats), (numbers,), call=call)

            return make

        return [maker(place) for place in (dict.fromkeys(self.parts) or range(0, count, self.every)) if place < count]


def numbers_of(dtype: str, part: int) -> torch.Tensor:
    """The finite numbers of a part of a format, in the order of their bits."""
    width = WIDTHS[dtype]
    size = 2 ** min(width, PART_BITS)
    bits = torch.arange(part * size, (part + 1) * size, dtype=torch.int64)
    signed = torch.where(bits >= 2 ** (width - 1), bits - 2**width, bits)
    found = signed.to(torch.int32 if width == 32 else torch.int16).view(TORCH_DTYPES[dtype])
    return found[torch.isfinite(found)]


def _unary() -> dict[str, Any]:
    from torch.testing._internal.opinfo.core import UnaryUfuncInfo

    return {info.name: info for info in op_infos() if isinstance(info, UnaryUfuncInfo) and not info.variant_test_name}
