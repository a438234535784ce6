"""Tensors and arrays of whatever kind, as contiguous tensors on the CPU, which all adapters take and give."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from ..errors import InputError

_BITS = {
    torch.bfloat16: (torch.int16, "bfloat16"),
    torch.float8_e4m3fn: (torch.uint8, "float8_e4m3fn"),
    torch.float8_e5m2: (torch.uint8, "float8_e5m2"),
}


def is_array(value: Any) -> bool:
    """Whether it is a tensor, or an array of NumPy or of a library whose arrays convert to NumPy's."""
    return isinstance(value, (torch.Tensor, np.ndarray, np.generic)) or (hasattr(value, "__array__") and hasattr(value, "dtype"))


def as_tensor(value: Any) -> torch.Tensor:
    """A contiguous tensor on the CPU with the same numbers; memory is shared where it can be.

    Raises:
        InputError: a dtype that PyTorch doesn't have, or a tensor that is not a plain array of numbers.
    """
    if isinstance(value, torch.Tensor):
        if value.layout != torch.strided or value.device.type == "meta" or value.is_quantized:
            kind = (
                "quantized"
                if value.is_quantized
                else value.device.type
                if value.device.type == "meta"
                else str(value.layout).removeprefix("torch.")
            )
            raise InputError(
                f"Got a tensor that is {kind}. Needed: numbers in plain memory. Backends take nothing else. Convert it first (.to_dense(), "
                ".dequantize(); a tensor on the device 'meta' has no numbers)."
            )
        return value.detach().to("cpu").resolve_conj().resolve_neg().contiguous()
    array = np.ascontiguousarray(np.asarray(value)).reshape(np.shape(value))
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    for bits, name in _BITS.values():
        if array.dtype.name == name:
            target = getattr(torch, name)
            return torch.from_numpy(array.view(np.int16 if bits == torch.int16 else np.uint8).copy()).view(target)
    try:
        return torch.from_numpy(array if array.flags.writeable else array.copy())
    except TypeError as error:
        raise InputError(
            f"Got an array of dtype {array.dtype.name}. Needed: a dtype that PyTorch has. Arrays are passed to backends as PyTorch tensors. "
            "Convert the array first."
        ) from error


def as_numpy(tensor: torch.Tensor) -> npt.NDArray[Any]:
    """The tensor as an array over the same memory; formats that NumPy lacks take their dtype from ml_dtypes.

    Raises:
        InputError: ml_dtypes is needed and missing.
    """
    tensor = tensor.detach()
    if tensor.dtype not in _BITS:
        return tensor.numpy()
    bits, name = _BITS[tensor.dtype]
    try:
        dtype = getattr(import_module("ml_dtypes"), name)
    except ImportError as error:
        raise InputError(
            f"Got {name}, which NumPy doesn't have. Needed: the package ml_dtypes, which adds it. Backends other than PyTorch take NumPy's "
            "arrays. Install it with pip install ml_dtypes."
        ) from error
    return tensor.view(bits).numpy().view(dtype)


def owned(tensor: torch.Tensor) -> torch.Tensor:
    """The numbers in contiguous memory of their own."""
    return tensor.detach().clone(memory_format=torch.contiguous_format)
