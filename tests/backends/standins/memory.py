"""Lender: tensors of a device that is not here, over memory of the host.

Such a tensor has no data of its own: its storage carries, as an attribute, a storage of the host. An op runs on the host, and what it
returns is lent back with the aliasing that it has there. How a tensor says on which device it lies is for `device.py` and `named.py`.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Generator, Sequence
from typing import Any

import torch
from torch.utils._pytree import tree_flatten, tree_map

from .cells import DEVICE_ONLY

ATEN = torch.ops.aten
_META = torch._C.DispatchKeySet(torch._C.DispatchKey.Meta)
_TAKES_HOST_TENSORS = (
    "aten::index", "aten::index_put", "aten::index_put_", "aten::_index_put_impl_", "aten::_unsafe_index", "aten::copy_", "aten::_to_copy",
)  # fmt: skip
"""Ops that take tensors of the host beside those of a device, as real devices do. Any op takes numbers (no dimensions)."""

Run = Callable[[Any, Any, Any], Any]
Fault = Callable[[Any, str, Any, Any, Run], Any]


class Lender:
    """The device: what runs on it, and what goes wrong there.

    Args:
        device: what its tensors say. blank: makes an empty tensor of it, of a dtype. is_lent: whether something is a tensor made here.

    Attributes:
        kernels: names of the ops that reached the device.
    """

    def __init__(self, device: torch.device, blank: Callable[[torch.dtype], torch.Tensor], is_lent: Callable[[Any], bool]) -> None:
        self.device = device
        self.is_lent = is_lent
        self._faults: list[Fault] = []
        self.kernels: list[str] = []
        self._blank = blank

    @contextlib.contextmanager
    def having(self, *faults: Fault) -> Generator[None]:
        """The device misbehaves inside, see `faults.py`. What a fault runs, those after it answer."""
        before, self._faults = self._faults, [*faults, *self._faults]
        try:
            yield
        finally:
            self._faults = before

    def is_there(self, value: Any) -> bool:
        """Whether something is a tensor on the device."""
        return self.is_lent(value) and value.device.type == self.device.type

    def answer(self, op: Any, arguments: Any, keywords: Any) -> Any:
        """What the device makes of an op."""
        # Modes that rewrite PyTorch's Python functions see nothing of what goes on inside a device.
        with torch._C.DisableTorchFunction():
            if not self._goes_there(arguments, keywords):
                return self.run(op, arguments, keywords)
            self.kernels.append(str(op))
            return self._answer(self._faults, op, arguments, keywords)

    def _goes_there(self, arguments: Any, keywords: Any) -> bool:
        """Whether an op has to do with the device: a tensor lies there, or the result shall."""
        wanted = keywords.get("device")
        is_asked_for = wanted is not None and torch.device(wanted).type == self.device.type
        return is_asked_for or any(map(self.is_there, tree_flatten((arguments, keywords))[0]))

    def _answer(self, faults: Sequence[Fault], op: Any, arguments: Any, keywords: Any) -> Any:
        if not faults:
            return self.run(op, arguments, keywords)
        rest = functools.partial(self._answer, faults[1:])
        result = faults[0](op, op._schema.name, arguments, keywords, rest)
        return rest(op, arguments, keywords) if result is NotImplemented else result

    def lend(self, plain: torch.Tensor) -> torch.Tensor:
        """A new tensor of the device over the memory of a tensor of the host."""
        lent = self._blank(plain.dtype)
        storage = lent.untyped_storage()
        storage.host = plain.untyped_storage()  # an attribute of a storage lives as long as the storage
        return self._placed(lent, storage, plain)

    def host(self, lent: torch.Tensor) -> torch.Tensor:
        """The tensor of the host over the same memory."""
        plain = torch.empty(0, dtype=lent.dtype)
        return plain.set_(lent.untyped_storage().host, lent.storage_offset(), lent.shape, lent.stride())

    def run(self, op: Any, arguments: Any, keywords: Any) -> Any:
        """An op computed right. Results that share memory with an argument are views of it."""
        name = op._schema.name
        if name.startswith("aten::_copy_from"):
            source, target = arguments[:2]
            (self.host(target) if self.is_lent(target) else target).copy_(self.host(source) if self.is_lent(source) else source)
            return target
        if name == "aten::set_" and isinstance(arguments[1], torch.UntypedStorage):
            return self._set(*arguments)
        if name == "aten::_local_scalar_dense":
            return self.host(arguments[0]).item()
        if name == "aten::is_pinned":
            return False
        leaves = [each for each in tree_flatten((arguments, keywords))[0] if isinstance(each, torch.Tensor)]
        is_mixed = any(map(self.is_there, leaves)) and any(leaf.dim() and not self.is_there(leaf) for leaf in leaves)
        if is_mixed and name not in _TAKES_HOST_TENSORS:
            raise RuntimeError(
                f"Expected all tensors to be on the same device, but found at least two devices, {self.device} and cpu! ({name})"
            )
        stays = str(keywords.get("device")) == "cpu" or not self._goes_there(arguments, keywords)
        lent: dict[int, torch.Tensor] = {}
        memory: dict[int, torch.Tensor] = {}
        before: list[tuple[torch.Tensor, torch.Tensor, Any]] = []

        def to_host(value: Any) -> Any:
            if isinstance(value, torch.device):
                return torch.device("cpu")
            if not self.is_lent(value):
                return value
            plain = self.host(value)
            lent[id(plain)] = value
            memory[plain.untyped_storage()._cdata] = value
            before.append((value, plain, _geometry(plain)))
            return plain

        def to_device(value: Any) -> Any:
            if not isinstance(value, torch.Tensor) or id(value) in lent or stays:
                return lent.get(id(value), value)
            shared = memory.get(value.untyped_storage()._cdata)
            if shared is None:
                return self.lend(value)
            with torch.inference_mode(shared.is_inference()):  # a view of what was made outside inference mode counts writes, also inside
                view = self._blank(value.dtype)
            return self._placed(view, shared.untyped_storage(), value)

        given, words = tree_map(to_host, (arguments, keywords))
        result = DEVICE_ONLY.get(name, op)(*given, **words)
        if name == "aten::copy_" and not self.is_lent(arguments[0]):
            return arguments[0]
        for value, plain, geometry in before:  # squeeze_, t_, resize_, and results that were given
            if _geometry(plain) != geometry:
                self._placed(value, value.untyped_storage(), plain)
        return tree_map(to_device, result)

    def _set(self, tensor: torch.Tensor, storage: Any, offset: int = 0, shape: Any = None, strides: Any = (1,)) -> torch.Tensor:
        shape = [storage.nbytes() // tensor.element_size()] if shape is None else shape
        plain = torch.empty(0, dtype=tensor.dtype).set_(storage.host, offset, shape, strides)
        return self._placed(tensor, storage, plain)

    def _placed(self, tensor: torch.Tensor, storage: Any, plain: torch.Tensor) -> torch.Tensor:
        """The tensor with the shape and strides of another on a storage. The Meta kernel keeps its device and asks for no memory."""
        set_there = ATEN.set_.source_Storage_storage_offset.redispatch
        set_there(_META, tensor, storage, plain.storage_offset(), plain.shape, plain.stride())
        if storage.nbytes() != storage.host.nbytes():  # that kernel also made the storage as long as the tensor
            set_there(_META, self._blank(torch.uint8), storage, 0, [storage.host.nbytes()], [1])
        return tensor


def _geometry(tensor: torch.Tensor) -> tuple[Any, ...]:
    return tuple(tensor.shape), tensor.stride(), tensor.storage_offset()


def patch_storages(patch: Callable[[type, str, Any], None], lend: Callable[[torch.Tensor], torch.Tensor]) -> None:
    """Storages that carry one of the host: their address is its, and copies carry a copy (PyTorch would ask an allocator that is not there).

    Args:
        patch: setattr, or one that undoes it afterwards. lend: see `Lender`.
    """
    address, clone, to_cpu = torch.UntypedStorage.data_ptr, torch.UntypedStorage.clone, torch.UntypedStorage.cpu

    def address_of(storage: Any) -> int:
        return storage.host.data_ptr() if hasattr(storage, "host") else address(storage)

    def copied(storage: Any) -> Any:
        if not hasattr(storage, "host"):
            return clone(storage)
        return lend(torch.empty(0, dtype=torch.uint8).set_(clone(storage.host))).untyped_storage()

    def on_host(storage: Any) -> Any:
        return clone(storage.host) if hasattr(storage, "host") else to_cpu(storage)

    patch(torch.UntypedStorage, "data_ptr", address_of)
    patch(torch.UntypedStorage, "clone", copied)
    patch(torch.UntypedStorage, "cpu", on_host)
