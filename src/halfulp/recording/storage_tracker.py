"""Known: which recorded value a tensor holds, by the memory that it lies in and how often that memory was written.

Python objects come and go, and autograd makes new tensors over the same memory, so a tensor is known by its storage. A weak reference keeps
the storage's address from being used again.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field

import torch
from torch.multiprocessing.reductions import StorageWeakRef

Geometry = tuple[int, tuple[int, ...], tuple[int, ...], torch.dtype, bool, bool]
"""Offset, shape, strides and dtype, and whether it is read conjugated or negated: which part of a storage a tensor is, and how."""


@dataclass
class Holding:
    """A value and where it lies in its storage.

    Attributes:
        number: of the value. writes: how often the storage had been written when it was recorded.
    """

    number: int
    geometry: Geometry
    writes: int


@dataclass
class _Memory:
    reference: StorageWeakRef
    writes: int = 0
    holdings: dict[Geometry, Holding] = field(default_factory=dict)
    written: list[Holding] = field(default_factory=list)


def geometry_of(tensor: torch.Tensor) -> Geometry:
    """Which part of its storage a tensor is, and how it is read."""
    return int(tensor.storage_offset()), tuple(tensor.shape), tensor.stride(), tensor.dtype, tensor.is_conj(), tensor.is_neg()


def storage_key(tensor: torch.Tensor) -> int:
    """The address of a tensor's storage."""
    return tensor.untyped_storage()._cdata  # pyright: ignore[reportPrivateUsage]


class Storages:
    """A set of storages. Tensors over the same memory are in it together; a tensor without memory of its own (sparse, nested) never is."""

    def __init__(self) -> None:
        self._known: dict[int, StorageWeakRef] = {}

    def add(self, tensor: torch.Tensor) -> None:
        """Put the storage of a tensor into the set."""
        with contextlib.suppress(RuntimeError, NotImplementedError):
            if tensor not in self:
                self._known[storage_key(tensor)] = StorageWeakRef(tensor.untyped_storage())

    def __contains__(self, tensor: torch.Tensor) -> bool:
        try:
            return storage_key(tensor) in self._known
        except (RuntimeError, NotImplementedError):
            return False

    def __len__(self) -> int:
        return len(self._known)


class Known:
    """The values that tensors hold."""

    def __init__(self) -> None:
        self._memories: dict[int, _Memory] = {}
        self._sweep_at = 4096

    def number_of(self, tensor: torch.Tensor) -> int | None:
        """The value that a tensor holds; None for one that was never recorded, or whose memory was written since."""
        memory = self._memories.get(storage_key(tensor))
        holding = memory.holdings.get(geometry_of(tensor)) if memory is not None else None
        return holding.number if memory is not None and holding is not None and holding.writes == memory.writes else None

    def before_writes(self, tensor: torch.Tensor) -> tuple[Holding, list[Holding]] | None:
        """What a tensor held before other parts of its memory were written, and those writes; None when that is not known."""
        memory = self._memories.get(storage_key(tensor))
        holding = memory.holdings.get(geometry_of(tensor)) if memory is not None else None
        if memory is None or holding is None:
            return None
        return holding, [later for later in memory.written if later.writes > holding.writes]

    def holds(self, tensor: torch.Tensor, number: int) -> None:
        """From now on the tensor is known to hold this value."""
        memory = self._memory(tensor)
        geometry = geometry_of(tensor)
        memory.holdings[geometry] = Holding(number, geometry, memory.writes)

    def overwritten(self, tensor: torch.Tensor, number: int) -> None:
        """The tensor's memory was written and holds this value now; what other tensors held there is no longer known."""
        memory = self._memory(tensor)
        memory.writes += 1
        geometry = geometry_of(tensor)
        holding = Holding(number, geometry, memory.writes)
        memory.holdings[geometry] = holding
        memory.written.append(holding)

    def forget(self, tensor: torch.Tensor) -> None:
        """The tensor's memory may have been written unseen."""
        self._memories.pop(storage_key(tensor), None)

    def _memory(self, tensor: torch.Tensor) -> _Memory:
        storage = tensor.untyped_storage()
        key = storage_key(tensor)
        memory = self._memories.get(key)
        if memory is None:
            if len(self._memories) >= self._sweep_at:
                self._memories = {place: memory for place, memory in self._memories.items() if not memory.reference.expired()}
                self._sweep_at = max(4096, 2 * len(self._memories))
            memory = self._memories[key] = _Memory(StorageWeakRef(storage))
        return memory
