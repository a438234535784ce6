"""finding_script(): a finding as a program that needs the package under test alone, with a text for a report above it."""

from __future__ import annotations

from typing import Any

import torch

from ..store.records import Row
from .case_sources import Sample

MOST = 256
"""Numbers that are written out. Larger inputs are made by the sweep alone, and the script says how."""


def finding_script(sample: Sample, row: Row, inputs: tuple[Any, ...], keywords: dict[str, Any]) -> str:
    """The program, or "" where it can't be written: a call that is not known by name, or more than `MOST` numbers."""
    given = [*(("", value) for value in inputs), *keywords.items()]
    count = sum(value.numel() for _, value in given if isinstance(value, torch.Tensor))
    if not sample.call or count > MOST:
        return ""
    lines: list[str] = []
    plainly: list[str] = []
    exactly: list[str] = []
    try:
        for place, (name, value) in enumerate(given):
            variable, keyword = name or f"x{place}", f"{name}=" if name else ""
            lines.append(f"{variable} = {_written(value)}")
            plainly.append(keyword + variable)
            exactly.append(keyword + _widened(variable, value))
    except TypeError:
        return ""
    head = (
        f"{sample.call} is off in {row.dtype}\n\n{row.reason}\n\nSeen on {row.subject}, {row.setting}, beside {row.expected}. The inputs below "
        "are as small and plain as they could be made while they stay wrong."
    )
    return "\n".join([
        f'"""{_quoted(head)}"""', "", "import torch", "", "inf, nan = float('inf'), float('nan')", *lines,
        "print('PyTorch', torch.__version__)", f"print('{row.dtype}: ', {sample.call}({', '.join(plainly)}))",
        f"print('float64: ', {sample.call}({', '.join(exactly)}))", "",
    ])  # fmt: skip


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"""', "'''")


def _widened(name: str, value: Any) -> str:
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return f"{name}.double()"
    if isinstance(value, torch.Tensor) and value.is_complex():
        return f"{name}.to(torch.complex128)"
    return name


def _written(value: Any) -> str:
    """A value as Python.

    Raises:
        TypeError: it can't be written so that it is read back.
    """
    if isinstance(value, torch.Tensor):
        if value.layout != torch.strided or value.is_quantized:
            raise TypeError
        return f"torch.tensor({value.detach().tolist()!r}, dtype={value.dtype})"
    if isinstance(value, (list, tuple)):
        inside = ", ".join(map(_written, value))
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' if len(value) == 1 else ''})"
    if isinstance(value, (bool, int, float, complex, str, type(None), torch.dtype, slice)):
        return repr(value)
    raise TypeError
