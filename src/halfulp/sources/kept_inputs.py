"""Kept inputs: a .safetensors file whose tensors lie in memory as they did, beside arguments that are no tensors."""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from ..errors import TensorFileError
from ..files import write_file

FIELD = "halfulp.arguments"
"""In the file's metadata: for each argument its name, and its strides or what it is as a Python literal."""
LONGEST = 10_000
"""Characters of a literal that is read: a deeply nested one exhausts the parser."""
LOOSEST = 64
"""Times the elements of a tensor: strides that need more memory than that are not believed."""


def write_inputs(path: Path, arguments: Sequence[tuple[str, Any]]) -> None:
    """Write tensors, numbers, strings, and tuples, lists and dictionaries of these, by their names."""
    from safetensors.torch import save

    tensors = {name: value.detach().cpu().contiguous() for name, value in arguments if isinstance(value, torch.Tensor)}
    said = [
        {"name": name, "strides": list(strides_of(value))} if isinstance(value, torch.Tensor) else {"name": name, "literal": repr(value)}
        for name, value in arguments
    ]
    write_file(path, save(tensors, metadata={FIELD: json.dumps(said)}))


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
            return [
                (entry["name"], laid_out(file.get_tensor(entry["name"]), tuple(entry["strides"])) if "strides" in entry else literal(entry["literal"]))
                for entry in json.loads(said)
            ]  # fmt: skip
        except Exception as error:  # whatever somebody else has written there
            raise TensorFileError(
                f"Got {path}, whose field {FIELD} can't be read: {type(error).__name__}: {str(error)[:200]}. Needed: a file that halfulp worst --keep "
                "wrote, unchanged. The field says how its tensors lie in memory. Write it again, or remove the field."
            ) from error


def literal(text: str) -> Any:
    """The value of a Python literal, or of inf, -inf and nan.

    Raises:
        ValueError: it is neither, or too long.
    """
    if len(text) > LONGEST:
        raise ValueError(f"{len(text)} characters")
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return float(text)


def strides_of(tensor: torch.Tensor) -> tuple[int, ...]:
    """How its elements lie in memory; () if one after the other."""
    return () if tensor.is_contiguous() else tuple(tensor.stride())


def laid_out(tensor: torch.Tensor, strides: tuple[int, ...]) -> torch.Tensor:
    """The same numbers with other strides, as `strides_of` gave them.

    Raises:
        ValueError: they don't fit the tensor.
    """
    if not strides:
        return tensor
    if len(strides) != tensor.dim() or not all(type(stride) is int and stride >= 0 for stride in strides):
        raise ValueError(f"strides {strides} of a tensor with {tensor.dim()} axes")
    size = 1 + sum((length - 1) * stride for length, stride in zip(tensor.shape, strides)) if tensor.numel() else 0
    if size > LOOSEST * max(1, tensor.numel()):
        raise ValueError(f"strides {strides} of {tensor.numel()} elements")
    found = torch.zeros(size, dtype=tensor.dtype).as_strided(tensor.shape, strides)
    once = tuple(slice(0, 1) if stride == 0 else slice(None) for stride in strides)
    found[once].copy_(tensor[once])
    return found
