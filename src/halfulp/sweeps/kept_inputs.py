"""Kept inputs: a .safetensors file whose tensors lie in memory as they did, beside arguments that are no tensors."""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from ..errors import InputError, TensorFileError
from ..files import write_file

FIELD = "halfulp.arguments"
"""In the file's metadata: for each argument its name, and its strides or what it is as a Python literal."""
LONGEST = 10_000
"""Characters of a literal that is read: a deeply nested one exhausts the parser."""
MOST_GAPS = 1 << 24
"""Elements between those of the tensors of a file, all together: more are neither kept nor believed."""


def write_inputs(path: Path, arguments: Sequence[tuple[str, Any]]) -> None:
    """Write tensors, numbers, strings, and tuples, lists and dictionaries of these, by their names.

    Raises:
        InputError: the format has no such dtype.
    """
    from safetensors.torch import save

    tensors = {name: value.detach().cpu().contiguous().clone() for name, value in arguments if isinstance(value, torch.Tensor)}
    said = [
        {"name": name, "strides": list(strides_of(value))} if isinstance(value, torch.Tensor) else {"name": name, "literal": repr(value)}
        for name, value in arguments
    ]
    try:
        content = save(tensors, metadata={FIELD: json.dumps(said)})
    except (KeyError, RuntimeError, ValueError) as error:
        kinds = ", ".join(sorted({str(tensor.dtype).removeprefix("torch.") for tensor in tensors.values()}))
        raise InputError(
            f"Got tensors of {kinds}, which can't be written to {path}: {error}. Needed: dtypes that the format safetensors has. Convert them, or "
            "keep the result as JSON (--json)."
        ) from error
    write_file(path, content)


def read_inputs(path: Path) -> list[tuple[str, Any]] | None:
    """The arguments that `write_inputs` wrote, in order; None if it did not write the file.

    Raises:
        TensorFileError: what it says of the arguments is not what `write_inputs` says.
    """
    from safetensors import safe_open

    with safe_open(path, framework="pt") as file:
        said = (file.metadata() or {}).get(FIELD)
        if said is None:
            return None
        try:
            entries = json.loads(said)
            names = [entry["name"] for entry in entries]
            if {entry["name"] for entry in entries if "strides" in entry} != set(file.keys()) or len(set(names)) < len(names):
                raise ValueError("it lists other tensors than the file has")
            if not all(isinstance(name, str) for name in names):
                raise ValueError("names that are no text")
            kept = [
                (name, file.get_tensor(name) if "strides" in entry else literal(entry["literal"])) for name, entry in zip(names, entries)
            ]
            gaps = sum(gaps_of(value, tuple(entry["strides"])) for (_, value), entry in zip(kept, entries) if "strides" in entry)
            if gaps > MOST_GAPS:
                raise ValueError(f"{gaps} elements between those of its tensors")
            return [
                (name, laid_out(value, tuple(entry["strides"])) if "strides" in entry else value)
                for (name, value), entry in zip(kept, entries)
            ]
        except Exception as error:  # whatever somebody else has written there
            raise TensorFileError(
                f"Got {path}, whose field {FIELD} can't be read: {type(error).__name__}: {str(error)[:200]}. Needed: a file that halfulp worst --keep "
                "wrote, unchanged. The field says how its tensors lie in memory. Write it again, or remove the field."
            ) from error


def literal(text: str) -> Any:
    """The value of a Python literal, in which inf and nan stand for the numbers.

    Raises:
        ValueError: it is none, or too long.
    """
    if len(text) > LONGEST:
        raise ValueError(f"{len(text)} characters")
    try:
        return ast.literal_eval(_WithNumbers().visit(ast.parse(text, mode="eval")))
    except (SyntaxError, RecursionError, MemoryError, TypeError) as error:
        raise ValueError(str(error)) from error


class _WithNumbers(ast.NodeTransformer):
    """The names inf and nan, as `repr` writes these numbers, become them."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.copy_location(ast.Constant(float(node.id)), node) if node.id in ("inf", "nan") else node


def strides_of(tensor: torch.Tensor) -> tuple[int, ...]:
    """How its elements lie in memory; () if one after the other, or so far apart that they are kept without the gaps."""
    strides = tuple(tensor.stride())
    return () if tensor.is_contiguous() or gaps_of(tensor, strides) > MOST_GAPS else strides


def gaps_of(tensor: torch.Tensor, strides: tuple[int, ...]) -> int:
    """How many elements of memory such strides leave unused.

    Raises:
        ValueError: they don't fit the tensor.
    """
    if not strides or not tensor.numel():
        return 0
    if len(strides) != tensor.dim() or not all(type(stride) is int and stride >= 0 for stride in strides):
        raise ValueError(f"strides {strides} of a tensor with {tensor.dim()} axes")
    return max(0, 1 + sum((length - 1) * stride for length, stride in zip(tensor.shape, strides)) - tensor.numel())


def laid_out(tensor: torch.Tensor, strides: tuple[int, ...]) -> torch.Tensor:
    """The same numbers with other strides, as `strides_of` gave them.

    Raises:
        ValueError: they don't fit the tensor, or lie too far apart.
    """
    if not strides:
        return tensor
    if gaps_of(tensor, strides) > MOST_GAPS or len(strides) != tensor.dim():
        raise ValueError(f"strides {strides} of a tensor with {tensor.dim()} axes and {tensor.numel()} elements")
    size = 1 + sum((length - 1) * stride for length, stride in zip(tensor.shape, strides)) if tensor.numel() else 0
    found = torch.zeros(size, dtype=tensor.dtype).as_strided(tensor.shape, strides)
    once = tuple(slice(0, 1) if stride == 0 else slice(None) for stride in strides)
    found[once].copy_(tensor[once])
    return found
