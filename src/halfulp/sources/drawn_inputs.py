"""Inputs from the command line: -i "x=randn(32, 2048), W=randn(512, 2048), b=randn(512)", or a file of tensors; drawn from a seed."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from ..errors import InputError
from ..sweeps.kept_inputs import read_inputs
from .expressions import LONGEST, value_of
from .tensor_files import KINDS, read_tensors

SIZE = 256
"""What `size` stands for where no other was asked for: the middle of what growth tries by default then."""


@dataclass(frozen=True)
class Inputs:
    """Arguments of both sides, in order.

    Attributes:
        values: the arguments. names: of each; () where they have none.
    """

    values: tuple[Any, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Drawing:
    """Inputs that can be drawn from any seed.

    Attributes:
        names: of the inputs; () where they have none. draw: makes them from a seed and a size. has_size: whether they depend on the size.
        code: the same as lines of Python, for a case file; () where they come from a file.
    """

    names: tuple[str, ...]
    draw: Callable[[int, int], Inputs]
    has_size: bool = False
    code: tuple[str, ...] = ()


def drawing_of(text: str) -> Drawing:
    """What -i says.

    Args:
        text: assignments or values with commas between, or the path of a file of tensors.

    Raises:
        InputError: neither. TensorFileError: a file that can't be read.
    """
    if Path(text).suffix.lower() in KINDS and re.match(r"^[\w./\\~:+-]+$", text):
        return _of_file(Path(text))
    if len(text) > LONGEST:
        raise InputError(f"Got inputs of {len(text):,} characters. Needed: at most {LONGEST:,}. Put them into a case file's inputs(seed).")
    try:
        call = ast.parse(f"_({text.strip().rstrip(',;').replace(';', ',')})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        call = None
    if (
        not isinstance(call, ast.Call)
        or any(word.arg is None for word in call.keywords)
        or any(isinstance(part, ast.Starred) for part in call.args)
    ):
        raise InputError(
            f"Got -i {text[:80]!r}. Needed: values or name=value pairs, separated by commas, or a file of tensors. The values are read as Python. For example: "
            '-i "x=randn(32, 2048), W=randn(512, 2048)".'
        )
    if call.args and call.keywords:
        raise InputError(
            f"Got -i {text[:80]!r}, in which some inputs have names and some have none. Needed: names for all or for none. Otherwise nobody knows "
            "which parameter is which. Write name=value for each."
        )
    entries = [(word.arg or "", word.value) for word in call.keywords] or [(f"x{place}", value) for place, value in enumerate(call.args)]
    if not entries:
        return Drawing((), lambda *_: Inputs(()), code=("    return ()",))
    has_size = any(isinstance(node, ast.Name) and node.id == "size" for _, value in entries for node in ast.walk(value))
    names = tuple(name for name, _ in entries)

    def draw(seed: int, size: int) -> Inputs:
        found: dict[str, Any] = {}
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            for name, value in entries:
                known = {**found, **({"size": size} if has_size else {}), "seed": seed}
                found[name] = value_of(value, known, text, {"load": _loaded})
        return Inputs(tuple(found.values()), names if call.keywords else ())

    lines = [f"    {name} = {ast.unparse(value)}" for name, value in entries]
    loads = any(isinstance(node, ast.Name) and node.id == "load" for _, value in entries for node in ast.walk(value))
    code = () if loads else ("    torch.manual_seed(seed)", *lines, f"    return {', '.join(names)}{',' if len(names) == 1 else ''}")
    return Drawing(names if call.keywords else (), draw, has_size, code)


def _loaded(path: str) -> Any:
    """A tensor of a file, or its tensors by name."""
    found = _tensors(read_tensors(Path(path)))
    return next(iter(found.values())) if isinstance(found, dict) and len(found) == 1 else found


def _of_file(path: Path) -> Drawing:
    content = _tensors(read_tensors(path))
    kept = read_inputs(path) if path.suffix.lower() == ".safetensors" else None
    if kept is not None:
        names = tuple(name for name, _ in kept)
        inputs = Inputs(tuple(value for _, value in kept), names if all(name.isidentifier() for name in names) else ())
        return Drawing(inputs.names, lambda *_: inputs)
    if isinstance(content, Mapping) and all(isinstance(name, str) and name.isidentifier() for name in content):
        named = tuple(content)
        counted = all(re.fullmatch(r"arr_\d+", name) for name in named)
        found = Inputs(tuple(content.values()), () if counted else named)
    else:
        values = (
            tuple(content.values())
            if isinstance(content, Mapping)
            else tuple(content)
            if isinstance(content, (list, tuple))
            else (content,)
        )
        found = Inputs(values)
    return Drawing(found.names, lambda *_: found)


def _tensors(content: Any) -> Any:
    """Arrays as tensors in memory of their own: a mapped file may change, and PyTorch can't read what can't be written."""
    import numpy as np

    if isinstance(content, np.ndarray):
        return torch.from_numpy(np.array(content))
    if isinstance(content, Mapping):
        return {name: _tensors(part) for name, part in content.items()}
    if isinstance(content, (list, tuple)):
        return type(content)([_tensors(part) for part in content])
    return content
