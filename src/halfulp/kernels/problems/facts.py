"""Facts: what a call does besides returning, found in the same way for the reference (here) and for a solution (in its process)."""

from __future__ import annotations

from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from ...cases.trees import tensors_of
from ...ops import Kind, called
from ...process.dispatch import DispatchMode
from .calls import equal, is_real

MOST_OPS = 10_000
"""The most ops of one call that are recorded; a solution that runs more is not a call of the reference."""


BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
"""The integers by which numbers of so many bytes are compared as bits."""
WHOLE = (Kind.COMPOSITE, Kind.PRODUCT, Kind.SCAN, Kind.TRANSFORM, Kind.FACTORIZATION)
"""Kinds of ops that do in one call what kernels are written for."""


class Ops(DispatchMode):
    """The ops that do more than create, move, copy or cast numbers, and the functions of PyTorch that were called for them.

    Attributes:
        names: in order. sizes: how many numbers each gave. kinds: how they round. exact: the names of those that don't.
        is_plain: whether each is arithmetic of single elements, or chooses or compares them.
        whole: those that compute what a kernel is asked for (products, norms, running sums).
        functions: the names of functions that compute; one function may run other ops on inputs of other shapes.
    """

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.sizes: list[int] = []
        self.kinds: set[Kind] = set()
        self.is_plain = True
        self.exact: set[str] = set()
        self.whole: dict[str, None] = {}
        self.functions: list[str] = []
        self._functions = _Functions(self)

    def __enter__(self) -> Any:
        self._functions.__enter__()
        return super().__enter__()

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        self._functions.__exit__(*error)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name, record = called(func)
        computes = not (func.is_view or record.moves or record.makes or record.unwritten or record.kind is Kind.CAST)
        results = func(*args, **(kwargs or {}))
        if computes and len(self.names) < MOST_OPS:
            self.names.append(name)
            self.sizes.append(sum(tensor.numel() for tensor in tensors_of(results)))
            self.kinds.add(record.kind)
            self.is_plain &= record.kind is Kind.ROUNDED or record.each
            if record.is_exact:
                self.exact.add(name)
            if record.kind in WHOLE:
                self.whole[name] = None
        return results


class _Functions(TorchFunctionMode):
    """Tells `Ops` which functions were called for the ops that compute."""

    def __init__(self, ops: Ops) -> None:
        super().__init__()
        self.ops = ops

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        before = len(self.ops.names)
        results = func(*args, **(kwargs or {}))
        if before < len(self.ops.names) < MOST_OPS:
            self.ops.functions.append(getattr(func, "__name__", ""))
        return results


def written(before: list[torch.Tensor], after: list[torch.Tensor]) -> list[int]:
    """The places of tensors whose numbers changed."""
    return [place for place, (old, new) in enumerate(zip(before, after)) if not same(old, new)]


def same(old: torch.Tensor, new: torch.Tensor) -> bool:
    """Whether two tensors hold the same numbers, NaN included."""
    old, new = (tensor.to_dense() if tensor.layout is not torch.strided else tensor for tensor in (old, new))
    before, after = _bits(old), _bits(new)
    if old.dtype == new.dtype and before is not None and after is not None and torch.equal(before, after):
        return True  # nearly always, and a tenth of the time
    if old.shape != new.shape or not (is_real(old) or old.is_complex()):
        return equal(old, new)
    return bool(((old == new) | (old.isnan() & new.isnan())).all())


def _bits(tensor: torch.Tensor) -> torch.Tensor | None:
    """The numbers as integers of as many bytes; None where PyTorch has none, or they are no plain numbers."""
    kind = BITS.get(tensor.itemsize)
    if kind is None or tensor.is_quantized:
        return None
    return tensor.detach().resolve_conj().resolve_neg().view(kind)


def alike(left: Any, right: Any) -> bool:
    """Whether two results have the same tensors, number by number; NaN equals NaN."""
    pairs = list(tensors_of(left)), list(tensors_of(right))
    return len(pairs[0]) == len(pairs[1]) and all(a.shape == b.shape and same(a, b) for a, b in zip(*pairs))


SEEN = 1e-3
"""A relative change that is too large for rounding in any format but the shortest."""


def differ(left: list[torch.Tensor], right: list[torch.Tensor]) -> bool:
    """Whether two results differ by more than rounding in some tensor: the sums of any two softmaxes are 1 but for the last bit."""
    if [tensor.shape for tensor in left] != [tensor.shape for tensor in right]:
        return True
    for a, b in zip(left, right):
        size = torch.stack([tensor.abs().nan_to_num().max() for tensor in (a.double(), b.double())]).max() if a.numel() else 0.0
        if distance([a], [b]) > SEEN * float(size):
            return True
    return False


DEVIATIONS = 8.0
"""Standard deviations between two means of 32: t with 62 degrees of freedom is larger with probability 4e-11."""


def distributed_otherwise(found: list[Any], wanted: list[Any]) -> str:
    """How random results differ in distribution from the reference's over many seeds: "mean", "mean square" or "share of zeros"."""
    statistics = {
        "mean": lambda tensor: tensor.mean(), "mean square": lambda tensor: tensor.square().mean(),
        "share of zeros": lambda tensor: (tensor == 0).double().mean(),
    }  # fmt: skip
    for name, statistic in statistics.items():
        samples = [
            torch.stack([statistic(torch.cat([tensor.double().reshape(-1) for tensor in tensors_of(each)])) for each in side])
            for side in (found, wanted)
        ]
        (own, other), spread = (float(sample.mean()) for sample in samples), sum(float(sample.var()) / len(sample) for sample in samples)
        if spread > 0 and abs(own - other) > DEVIATIONS * spread**0.5:
            return name
    return ""


def distance(first: list[torch.Tensor], again: list[torch.Tensor]) -> float:
    """The largest difference between two results of the same call; infinite if their shapes differ, or only one is NaN."""
    if [tensor.shape for tensor in first] != [tensor.shape for tensor in again]:
        return float("inf")
    largest = 0.0
    for old, new in zip(first, again):
        if not equal(old, new):
            # Equal infinities are no NaN here; a NaN on both sides is.
            apart = torch.where(old == new, 0.0, (old.double() - new.double()).abs()).masked_fill(old.isnan() & new.isnan(), 0.0)
            largest = max(largest, float(apart.nan_to_num(nan=float("inf"), posinf=float("inf")).max()))
    return largest


def aliased(results: Any, given: list[torch.Tensor]) -> bool:
    """Whether a result shares memory with an argument or the state."""
    places = {tensor.untyped_storage().data_ptr() for tensor in given if tensor.numel()}
    return any(tensor.untyped_storage().data_ptr() in places for tensor in tensors_of(results) if tensor.numel())
