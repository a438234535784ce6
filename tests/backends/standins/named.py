"""A stand-in under a name that PyTorch keeps for a device of its own: mps, xpu. It can be taken away again.

PyTorch lets nobody register those. So its tensors are a subclass: for PyTorch's C++ code they are of the device meta, which needs no driver, and
Python is told the name. `torch.set_default_device`, autocast and saving don't work, nor gradients of what was moved to the host by `.data =`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten

from .memory import ATEN, Lender, patch_storages


class Lent(torch.Tensor):
    """A tensor of the device; of the host once its data was set to a tensor of the host."""

    lender: Lender
    __torch_function__ = torch._C._disabled_torch_function_impl
    is_meta = property(lambda self: False)
    is_mps = property(lambda self: self.device.type == "mps")
    is_xpu = property(lambda self: self.device.type == "xpu")

    @property
    def device(self) -> torch.device:
        return torch.device("cpu") if hasattr(self.untyped_storage(), "is_home") else Lent.lender.device

    @property
    def data(self) -> Lent:
        return torch.Tensor.data.__get__(self)

    @data.setter
    def data(self, value: torch.Tensor) -> None:
        if not isinstance(value, Lent):  # PyTorch allows it between processors, CUDA, MPS and XPU
            value = Lent.lender.lend(value)
            value.untyped_storage().is_home = True
        torch.Tensor.data.__set__(self, value)

    def __repr__(self, **_: Any) -> str:
        return repr(Lent.lender.host(self))[:-1] + f", device='{self.device}')"

    def numpy(self, **keywords: Any) -> Any:
        if self.device.type == "cpu":
            return Lent.lender.host(self).numpy(**keywords)
        raise TypeError(
            f"can't convert {self.device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
        )

    def tolist(self) -> Any:
        return Lent.lender.host(self).tolist()

    def __array__(self, *_: Any, **__: Any) -> Any:
        return self.numpy()

    def __setitem__(self, place: Any, value: Any) -> None:
        # PyTorch would make a number a tensor of the device meta, without a value.
        super().__setitem__(place, value if isinstance(value, torch.Tensor) else torch.tensor(value, dtype=self.dtype))

    def __deepcopy__(self, memo: Any) -> Lent:
        copied = Lent.lender.lend(Lent.lender.host(self).clone()).requires_grad_(self.requires_grad)
        if getattr(self, "_is_param", False):
            copied._is_param = True
        return copied

    def cpu(self, **_: Any) -> torch.Tensor:
        return _Departure.apply(self)

    def to(self, *arguments: Any, **keywords: Any) -> torch.Tensor:
        device, dtype = _asked(arguments, keywords)
        if device is not None and device.type == "cpu":
            departed = _Departure.apply(self)
            return departed if dtype is None else departed.to(dtype)
        return super().to(self.dtype if dtype is None else dtype, copy=keywords.get("copy", False))

    @classmethod
    def __torch_dispatch__(cls, op: Any, types: Any, arguments: Any = (), keywords: Any = None) -> Any:
        return cls.lender.answer(op, arguments, keywords or {})


class _Arrival(torch.autograd.Function):
    """Moving to the device. PyTorch's own would move gradients to and from the device meta, where they have no values."""

    @staticmethod
    def forward(context: Any, tensor: torch.Tensor, dtype: torch.dtype | None) -> torch.Tensor:
        context.dtype = tensor.dtype
        lender = Lent.lender
        return lender.answer(ATEN._to_copy.default, (tensor.detach(),), {"dtype": dtype or tensor.dtype, "device": lender.device})

    @staticmethod
    def backward(context: Any, gradient: Any) -> Any:
        return Lent.lender.host(gradient).to(context.dtype), None


class _Departure(torch.autograd.Function):
    """Moving to the host."""

    @staticmethod
    def forward(context: Any, tensor: torch.Tensor) -> torch.Tensor:
        return Lent.lender.host(tensor).clone()

    @staticmethod
    def backward(context: Any, gradient: Any) -> Any:
        return Lent.lender.lend(gradient.detach().clone())


def _asked(arguments: Any, keywords: Any) -> tuple[torch.device | None, torch.dtype | None]:
    """The device and dtype that arguments of `Tensor.to` name."""
    device, dtype = keywords.get("device"), keywords.get("dtype")
    for argument in arguments:
        if isinstance(argument, (str, torch.device)):
            device = argument
        elif isinstance(argument, torch.dtype):
            dtype = argument
        elif isinstance(argument, torch.Tensor):
            device, dtype = argument.device, argument.dtype
    return None if device is None else torch.device(device), dtype


class _Naming(TorchFunctionMode):
    """Calls that name the device."""

    def __torch_function__(self, function: Any, types: Any, arguments: Any = (), keywords: Any = None) -> Any:
        keywords = dict(keywords or {})
        if function is torch.Tensor.to and not isinstance(arguments[0], Lent):
            device, dtype = _asked(arguments[1:], keywords)
            return _Arrival.apply(arguments[0], dtype) if self._is_ours(device) else function(*arguments, **keywords)
        if not self._is_ours(keywords.get("device")):
            return function(*arguments, **keywords)
        if any(isinstance(each, Lent) for each in tree_flatten(arguments)[0]):  # zeros_like(lent, device=...)
            return function(*arguments, **{**keywords, "device": "meta"})
        wants_gradient = keywords.pop("requires_grad", False)
        with torch.no_grad():
            made = _Arrival.apply(function(*arguments, **{**keywords, "device": "cpu"}), None)
        return made.requires_grad_(wants_gradient)

    @staticmethod
    def _is_ours(device: Any) -> bool:
        return device is not None and torch.device(device).type == Lent.lender.device.type


class _FillingIn(TorchDispatchMode):
    """Inside C++ PyTorch makes tensors like one of ours (zeros for a gradient): of the device meta, without data."""

    def __torch_dispatch__(self, op: Any, types: Any, arguments: Any = (), keywords: Any = None) -> Any:
        keywords = keywords or {}
        has_tensors = any(isinstance(each, torch.Tensor) for each in tree_flatten(arguments)[0])
        if str(keywords.get("device")) != "meta" or has_tensors:
            return op(*arguments, **keywords)
        return Lent.lender.lend(op(*arguments, **{**keywords, "device": torch.device("cpu")}))


@contextlib.contextmanager
def named(name: str, patch: Any) -> Generator[Lender]:
    """The device, there inside.

    Args:
        name: "mps", "xpu". patch: sets an attribute for as long; pytest's `monkeypatch.setattr`.
    """

    def blank(dtype: torch.dtype) -> torch.Tensor:
        return torch.Tensor._make_wrapper_subclass(Lent, (0,), dtype=dtype, device="meta")

    Lent.lender = Lender(torch.device(name, 0), blank, lambda value: isinstance(value, Lent))
    patch_storages(patch, Lent.lender.lend)
    with _Naming(), _FillingIn():
        yield Lent.lender
