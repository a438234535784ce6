"""pack() and unpack(): nested values as JSON and a list of tensors, each with its memory layout."""

from __future__ import annotations

import collections
import dataclasses
from typing import Any

import numpy as np
import torch

from ...errors import InputError


class Unsendable(InputError):
    """Raised when an argument or a result can't be sent to another process."""


def pack(value: Any, tensors: list[torch.Tensor]) -> Any:
    """Pack a value as JSON, and append its tensors to a list.

    Raises:
        Unsendable: it holds something else than tensors, arrays, numbers, text, dtypes, and containers and records of these.
    """
    if isinstance(value, torch.Tensor):
        tensors.append(value.detach())
        return {"tensor": len(tensors) - 1, "layout": _layout(value), "leaf": value.requires_grad}
    if isinstance(value, np.ndarray):
        tensors.append(torch.from_numpy(np.ascontiguousarray(value)))
        return {"array": len(tensors) - 1}
    if isinstance(value, np.generic):
        return pack(value.item(), tensors)
    if value is None or isinstance(value, (bool, int, float, str)):
        return {"value": value}
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
        return {"torch": str(value).removeprefix("torch.")}
    if isinstance(value, torch.device):
        return {"device": str(value)}
    fields: Any = getattr(value, "_fields", None)
    if isinstance(value, tuple) and fields is not None:
        return {"named": [type(value).__name__, [[name, pack(part, tensors)] for name, part in zip(fields, value)]]}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = [[part.name, pack(getattr(value, part.name), tensors)] for part in dataclasses.fields(value)]
        return {"data": [type(value).__name__, parts]}
    if isinstance(value, (list, tuple)):
        return {"list" if isinstance(value, list) else "tuple": [pack(part, tensors) for part in value]}
    if isinstance(value, dict):
        return {"dict": [[pack(key, tensors), pack(part, tensors)] for key, part in value.items()]}
    raise Unsendable(
        f"Got {type(value).__name__} among the arguments or results of a kernel. Needed: tensors, arrays, numbers, text, and lists, "
        "tuples, dicts and dataclasses of them. They are sent to another process. Pass only these."
    )


def unpack(packed: Any, tensors: list[torch.Tensor]) -> Any:
    """Restore a packed value, with tensors in memory of their own."""
    ((kind, content), *_) = packed.items()
    if kind == "tensor":
        return _laid_out(tensors[int(content)], packed["layout"]).requires_grad_(bool(packed["leaf"]))
    if kind == "array":
        return tensors[int(content)].cpu().numpy()
    if kind == "complex":
        return complex(*content)
    if kind == "torch":
        return getattr(torch, str(content))
    if kind == "device":
        return torch.device(str(content))
    if kind in ("list", "tuple"):
        parts = [unpack(part, tensors) for part in content]
        return parts if kind == "list" else tuple(parts)
    if kind in ("named", "data"):
        name, named = str(content[0]), {str(field): unpack(part, tensors) for field, part in content[1]}
        made = collections.namedtuple(name, named) if kind == "named" else dataclasses.make_dataclass(name, named)  # pyright: ignore[reportUntypedNamedTuple]
        return made(**named)
    if kind == "dict":
        return {unpack(key, tensors): unpack(part, tensors) for key, part in content}
    return content


def _layout(tensor: torch.Tensor) -> dict[str, Any] | None:
    """How a tensor lies in memory; None if it is contiguous."""
    if tensor.layout is not torch.strided or (tensor.is_contiguous() and tensor.storage_offset() == 0):
        return None
    return {"strides": list(tensor.stride()), "offset": tensor.storage_offset()}


def _laid_out(tensor: torch.Tensor, layout: dict[str, Any] | None) -> torch.Tensor:
    if layout is None or not tensor.numel():
        return tensor
    strides, offset = [int(stride) for stride in layout["strides"]], int(layout["offset"])
    size = offset + 1 + sum((length - 1) * stride for length, stride in zip(tensor.shape, strides))
    memory = torch.zeros(size, dtype=tensor.dtype, device=tensor.device)
    view = memory.as_strided(tensor.shape, strides, offset)
    own = [slice(0, 1) if stride == 0 else slice(None) for stride in strides]  # what is expanded is written once
    view[tuple(own)].copy_(tensor[tuple(own)])
    return view
