"""Memory: what a reference gave on the questions that were asked, for all solutions of its problem: it takes most of the time."""

from __future__ import annotations

import dataclasses
import hashlib
import os
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ...cases import Known
from ...cases.raw_bytes import raw_bytes
from ...cases.trees import tensors_of, tree_map

LEAST_BYTES, MOST_BYTES = 256 << 20, 1 << 30
"""The memory of one problem. Half of the least has the results and noise (six arrays) of 280 questions with ten thousand float64 numbers
each; an eighth of the most, those of one question with two million."""
SHARE = 8
"""One part in so many of a processor's share of the memory, between these limits: judgements run on all processors."""
PARTS = 8
"""One question may take one part in so many, and its inputs as much. Larger ones are rare, and leave no room for others."""
PLAIN = (bool, int, float, complex, str, bytes, type(None), torch.dtype, torch.device)
"""What inputs may hold besides tensors: two of these are the same if they are written the same."""


class Memory:
    """What is known of one reference.

    Args:
        most_bytes: how much is kept, by default what suits the machine; what was not asked for the longest time is forgotten first.
    """

    def __init__(self, most_bytes: int | None = None) -> None:
        self.most_bytes = _suitable() if most_bytes is None else most_bytes
        self._known: OrderedDict[str, tuple[Known, int]] = OrderedDict()
        self._bytes = 0

    def of(self, question: Any) -> Known:
        """What is known on a question; whatever is added there is kept.

        Args:
            question: tensors and plain values, nested, that say everything that the reference is given.
        """
        if not _is_plain(question) or sum(tensor.nbytes for tensor in tensors_of(question)) > self.most_bytes // PARTS:
            return Known()
        key = digest(question)
        known, size = self._known.pop(key, (Known(), 0))
        self._known[key] = known, size
        self._tidy()
        return known

    def _tidy(self) -> None:
        """Weigh what was asked last, and forget the oldest where there is too much."""
        for key in list(self._known)[-3:]:
            known, before = self._known[key]
            size = size_of(known)
            self._known[key] = known, size
            self._bytes += size - before
            if size > self.most_bytes // PARTS:  # it would drive out all others
                del self._known[key]
                self._bytes -= size
        while self._bytes > self.most_bytes and len(self._known) > 1:
            self._bytes -= self._known.popitem(last=False)[1][1]


def _suitable() -> int:
    try:
        there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        allowed = Path("/sys/fs/cgroup/memory.max")
        words = allowed.read_text(encoding="ascii").strip() if allowed.is_file() else ""
    except (AttributeError, ValueError, OSError):  # Windows has none of these
        return LEAST_BYTES
    there = min(there, int(words)) if words.isdecimal() else there
    return max(LEAST_BYTES, min(MOST_BYTES, there // (SHARE * _processors())))


def _processors() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS
        return os.cpu_count() or 1


def digest(given: Any) -> str:
    """A digest of nested arguments: plain values, and of tensors their bytes, how they lie in memory, and which of them share it."""
    places: dict[int, int] = {}

    def signature(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        place = places.setdefault(value.untyped_storage().data_ptr(), len(places))
        return str(value.dtype), tuple(value.shape), value.stride(), value.storage_offset(), value.requires_grad, place

    found = hashlib.blake2b(repr(tree_map(signature, given)).encode(), digest_size=16)
    for tensor in tensors_of(given):
        found.update(raw_bytes(tensor))
    return found.hexdigest()


def size_of(value: Any) -> int:
    """The bytes of all arrays in nested results."""
    if isinstance(value, (np.ndarray, torch.Tensor)):
        return value.nbytes
    if dataclasses.is_dataclass(value):
        return sum(size_of(getattr(value, field.name)) for field in dataclasses.fields(value))
    if isinstance(value, Mapping):
        return sum(map(size_of, value.values()))
    return sum(map(size_of, value)) if isinstance(value, (list, tuple)) else 0


def _is_plain(value: Any) -> bool:
    if isinstance(value, torch.Tensor):
        return type(value) in (torch.Tensor, torch.nn.Parameter) and value.layout == torch.strided and value.device.type == "cpu"
    if type(value) is dict:
        return all(isinstance(key, str) for key in value) and all(map(_is_plain, value.values()))
    if type(value) in (list, tuple):
        return all(map(_is_plain, value))
    return type(value) in PLAIN
