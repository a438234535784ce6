"""finding_script(): a finding as a program that needs the package under test alone, with a text for a report above it."""

from __future__ import annotations

import importlib.util
import re
from typing import Any

import torch

from ..store.records import Row
from .case_sources import Sample

MOST = 256
"""Numbers that are written out. Larger inputs are made by the sweep alone, and the script says how."""


def finding_script(sample: Sample, row: Row, inputs: tuple[Any, ...], keywords: dict[str, Any], *, is_smaller: bool) -> str:
    """The program; "" where it can't be written: functions that are not known by name, gradients, or more than `MOST` numbers.

    Where it can't call `expected`, it has its results on these inputs.

    Args:
        sample, row: the case. inputs, keywords: that the program calls both sides on. is_smaller: whether these were made smaller.
    """
    call = sample.call
    given = [*(("", value) for value in inputs), *keywords.items()]
    count = sum(value.numel() for _, value in given if isinstance(value, torch.Tensor))
    if call is None or sample.options.get("gradients") or count > MOST:
        return ""
    lines: list[str] = []
    plainly: list[str] = []
    beside: list[str] = []
    try:
        for place, (name, value) in enumerate(given):
            variable, keyword = name or f"x{place}", f"{name}=" if name else ""
            lines.append(f"{variable} = {_written(value)}")
            plainly.append(keyword + _given_as(call.taken, variable, value))
            beside.append(keyword + _given_as(call.given, variable, value))
        wanted = f"{call.expected}({', '.join(beside)})" if call.expected else _written(sample.expected(*inputs, **keywords))
    except TypeError:
        return ""
    small = "are as small and plain as they could be made while it stays wrong" if is_smaller else "are those of the case"
    off = f"{call.actual} is off{f' in {row.dtype}' if row.dtype else ''}"
    head = f"{off}\n\n{row.reason}\n\nSeen on {row.subject}, {row.setting}, beside {row.expected}. The inputs below {small}."
    arrays = "numpy" in f"{call.taken} {call.given}"
    needed = ["torch", "numpy"] if arrays else ["torch"]
    modules = dict.fromkeys([*needed, *_modules(call.actual), *_modules(call.expected)])
    packages = dict.fromkeys(name.partition(".")[0] for name in modules)
    is_wide = any(isinstance(value, torch.Tensor) and value.dtype in (torch.float64, torch.complex128) for _, value in given)
    digits = 17 if is_wide else 9  # which tell two numbers apart
    settings = [f"{name}.set_printoptions(precision={digits})" for name in packages if name in ("torch", "numpy")]
    settings += ["jax.config.update('jax_enable_x64', True)"] if "jax" in packages else []  # or JAX rounds them to float32
    imports = [*(f"import {name}" for name in modules), "", *settings]
    return "\n".join([
        f'"""{_quoted(head)}"""', "", *imports, "", "inf, nan = float('inf'), float('nan')", *lines,
        *(f"print('{name}', {name}.__version__)" for name in packages),
        f"print({row.actual + ':'!r}, {call.actual}({', '.join(plainly)}))", f"print({row.expected + ':'!r}, {wanted})", "",
    ])  # fmt: skip


def _modules(function: str) -> list[str]:
    """The modules that a function's name begins with: those that are lower case, and can be imported."""
    found: list[str] = []
    for path in re.findall(r"\b(?:\w+\.)+\w+", function):
        name = path.rpartition(".")[0]
        while name and not _is_module(name):
            name = name.rpartition(".")[0]
        found += [name] if name else []
    return found


def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, AttributeError, ValueError):
        return False


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"""', "'''")


def _given_as(form: str, name: str, value: Any) -> str:
    """What the other side gets, see `Call`."""
    if not isinstance(value, torch.Tensor) or not form:
        return name
    wide = f"{name}.double()" if value.is_floating_point() else f"{name}.to(torch.complex128)" if value.is_complex() else name
    return {"numpy": f"{name}.numpy()", "float64": wide, "numpy float64": f"{wide}.numpy()"}[form]


def _written(value: Any) -> str:
    """A value as Python.

    Raises:
        TypeError: it can't be written so that it is read back.
    """
    if isinstance(value, torch.Tensor):
        if value.layout != torch.strided or value.is_quantized:
            raise TypeError
        if not value.numel():
            return f"torch.empty({tuple(value.shape)}, dtype={value.dtype})"
        return f"torch.tensor({value.detach().tolist()!r}, dtype={value.dtype})"
    if isinstance(value, (list, tuple)):
        inside = ", ".join(map(_written, value))
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' if len(value) == 1 else ''})"
    if isinstance(value, (bool, int, float, complex, str, type(None), torch.dtype, slice)):
        return repr(value)
    raise TypeError
