"""Which numbers of coarser formats does `actual` compute with? Seen in one run as written, before any format is tried by experiment.

An op in a coarser format has tensors of that dtype, or, where a function rounds by itself (a mask over the bits, there and back again), of
numbers that all fit into that format. Where every op is PyTorch's own, on the processor, in float32 or more, and no tensor holds such
numbers, no coarser format is in it, and none has to be tried.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from ...cases import Case, observed
from ...cases.trees import tensors_of
from ...containers import named_in
from ...floats import FORMATS, Format, is_representable
from ...ops import Kind, called
from ...process.dispatch import DispatchMode
from ...recording.storage_tracker import Storages

FIRST = 64
"""So many numbers are looked at before all of a tensor is: one in 2^13 float32 numbers is a tf32 number by chance, so few tensors pass."""

DISTINCT = 5
"""Significands that a tensor has to have before its numbers tell a format: masks, steps and powers of two fit into all of them."""

NAMESPACES = ("aten", "prims", "prim", "quantized")
"""Of the ops that show what they compute with. Any other is a custom kernel."""

COARSER = ("float32", "tf32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2")
"""The formats that are looked for, where less than declared."""


ROLES = ("first", "second", "results", "others")
"""What a tensor may be: an operand of a product, its result, the result of another op."""


@dataclass
class Roles:
    """How often each role of an op had numbers of a format, of how often it was seen.

    Attributes:
        products: ops that multiply and add. first, second: their operands. results: theirs. others: results of other ops that compute.
        computed: how many such ops there are.
    """

    products: int = 0
    first: int = 0
    second: int = 0
    results: int = 0
    others: int = 0
    computed: int = 0

    @property
    def count(self) -> int:
        """How often in any role."""
        return self.first + self.second + self.results + self.others

    @property
    def is_most(self) -> bool:
        """Whether more than half of all ops gave such numbers."""
        return self.results + self.others > 0.5 * (self.products + self.computed)

    def share(self, role: str) -> float:
        """The share of one role."""
        of = self.computed if role == "others" else self.products
        return getattr(self, role) / of if of else 0.0


@dataclass
class CoarseNumbers:
    """What one run showed.

    Attributes:
        opaque: why not all is seen; "" where it is. formats: name of a format -> where its numbers were.
    """

    opaque: str = ""
    formats: dict[str, Roles] = field(default_factory=dict)


def coarse_numbers(case: Case) -> CoarseNumbers:
    """The coarser formats among the numbers that `actual` computes with, and `expected` doesn't.

    Where both sides were given the same coarse numbers (weights of a checkpoint in 16 bits), those tell nothing.
    """
    if case.actual.is_compiled:
        return CoarseNumbers(opaque="it is compiled")
    run = case.native("actual")
    if run.settings:
        return CoarseNumbers(opaque=f"it changes settings of the process ({run.settings[0]})")
    coarser = [form for form in FORMATS.values() if form.name in COARSER and form.precision_bits < case.declared.precision_bits]
    common = _Watch(coarser, known=frozenset())
    common.know(list(case.expected.state.current().values()))
    observed(case, "expected", common, told=common.know)
    watch = _Watch(coarser, known=frozenset(common.fitting))
    watch.know(list(case.actual.state.current().values()))
    if not observed(case, "actual", watch, told=watch.know):
        return CoarseNumbers(opaque="its ops can't be seen")
    if not watch.computed:
        return CoarseNumbers(opaque="it doesn't call any PyTorch ops")
    return CoarseNumbers(watch.opaque, watch.found)


class _Watch(DispatchMode):
    """Looks at the numbers of every op.

    Args:
        coarser: the formats to look for. known: tensors that tell nothing, by their marks.

    Attributes:
        fitting: the marks of tensors whose numbers all fit into a coarser format. computed: how many ops compute.
    """

    def __init__(self, coarser: list[Format], *, known: frozenset[Any]) -> None:
        super().__init__()
        self.coarser, self.known = coarser, known
        self.opaque = ""
        self.computed = 0
        self.products = 0
        self.found: dict[str, Roles] = {}
        self.fitting: set[Any] = set()
        self._met = Storages()
        self._data = Storages()
        self._bits = Storages()
        self._cast = Storages()

    def know(self, tree: Any) -> None:
        """Tensors that come from outside of the run, and are known."""
        for _, tensor in named_in(tree, "", lambda value: isinstance(value, torch.Tensor)):
            self._met.add(tensor)
            self._data.add(tensor)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name, record = called(func)
        given = list(tensors_of((args, kwargs)))
        if func.namespace not in NAMESPACES:
            self.opaque = self.opaque or f"it calls {name}, a custom kernel"
        if not func.is_view and not self.opaque:
            self._strangers(given)
        result = func(*args, **kwargs)
        made = list(tensors_of(result))
        # Tables of positions and steps are made of no data: whatever they are rounded to, nothing is computed in it.
        is_data = any(tensor in self._data for tensor in given)
        for tensor in made if not func.is_view else ():
            self._met.add(tensor)
            if is_data:
                self._data.add(tensor)
            if is_data and not (tensor.is_floating_point() or tensor.is_complex()):
                self._bits.add(tensor)  # integers that a view may read as numbers
            if record.kind is Kind.CAST:
                self._cast.add(tensor)
        if (
            func.is_view
            or record.makes
            or not is_data
            or not any(tensor.is_floating_point() or tensor.is_complex() for tensor in (*given, *made))
        ):
            return result
        with torch._C._DisableTorchDispatch():  # pyright: ignore[reportPrivateUsage]  # our own ops are no part of the run
            self._count(record.kind is Kind.PRODUCT, record, args, given, made)
        return result

    def _count(self, is_product: bool, record: Any, args: Any, given: list[torch.Tensor], made: list[torch.Tensor]) -> None:
        self.computed += 1
        roles: dict[str, list[Any]] = {"others": [tensor for tensor in (*made, *given) if self._is_stored(record, tensor)]}
        if is_product:
            self.products += 1
            start = 1 if record.addend == 0 else 0
            used = {"first": args[start : start + 1], "second": args[start + 1 : start + 2], "results": made}
            roles = {role: [value for value in values if not self._is_cancelled(value)] for role, values in used.items()}
            if torch.get_float32_matmul_precision() != "highest":
                self.opaque = self.opaque or "float32 products may be computed in lower precision (set_float32_matmul_precision)"
        for role, values in roles.items():
            for form in {form for value in values for form in self._formats_of(value)}:
                known = self.found.setdefault(form, Roles())
                setattr(known, role, getattr(known, role) + 1)
        for known in self.found.values():
            known.products, known.computed = self.products, self.computed - self.products

    def _is_stored(self, record: Any, tensor: torch.Tensor) -> bool:
        """Whether numbers were put into a format: by their dtype, a cast, or as bits.

        A difference of two close numbers has few bits as well, whatever they are.
        """
        form = FORMATS.get(str(tensor.dtype).removeprefix("torch."))
        is_coarse = form is not None and form in self.coarser
        return is_coarse or record.kind is Kind.CAST or tensor in self._bits

    def _is_cancelled(self, value: Any) -> bool:
        """Whether the numbers have few bits because large ones were subtracted, and nobody put them into a format."""
        if not isinstance(value, torch.Tensor) or value.dtype not in (torch.float32, torch.float64) or value.layout != torch.strided:
            return False
        return value not in self._bits and value not in self._cast and _on_one_grid(_some(value))

    def _strangers(self, given: list[torch.Tensor]) -> None:
        """Whether numbers come in that no op made: NumPy's, or those of another library."""
        for tensor in given:
            if tensor.device.type not in ("cpu", "meta"):
                self.opaque = f"it runs on {tensor.device.type}"
            elif tensor.is_floating_point() and tensor.numel() > FIRST and tensor not in self._met:
                self.opaque = "it uses numbers that no PyTorch op made"

    def _formats_of(self, value: Any) -> list[str]:
        """The coarser formats that all numbers of a tensor are of; none where they tell nothing."""
        if not isinstance(value, torch.Tensor) or not value.is_floating_point() or not value.numel() or value.layout != torch.strided:
            return []
        own = str(value.dtype).removeprefix("torch.")
        if any(form.name == own for form in self.coarser):
            return [own]
        if value.dtype not in (torch.float32, torch.float64):
            return []
        some = _some(value)
        needed = _bits(some)
        usable = [form for form in self.coarser if form.precision_bits >= needed]
        if not usable or not _tells(some):
            return []
        numbers = value.detach().cpu().numpy()
        fitting = [form for form in usable if bool(is_representable(numbers, form).all())]
        if not fitting:
            return []
        mark = (numbers.size, float(numbers.sum(dtype=np.float64)))
        self.fitting.add(mark)
        coarsest = min(form.precision_bits for form in fitting)  # numbers of bfloat16 are numbers of tf32 as well
        return [] if mark in self.known else [form.name for form in fitting if form.precision_bits == coarsest]


def _some(value: torch.Tensor) -> npt.NDArray[Any]:
    """Some of the numbers of a tensor, from all of its memory."""
    flat = value.detach()
    if not flat.is_contiguous():  # of a permuted tensor in the order of its memory
        dense = math.prod(flat.shape) == 1 + sum((size - 1) * stride for size, stride in zip(flat.shape, flat.stride()))
        flat = flat.as_strided((flat.numel(),), (1,)) if dense else flat.reshape(-1)
    flat = flat.view(-1)
    return flat[:: max(1, flat.numel() // FIRST)].numpy()


def _bits(numbers: npt.NDArray[Any]) -> int:
    """How many bits of significand the numbers need, counted from their encodings; subnormal ones may need fewer."""
    width, explicit = (np.int32, 23) if numbers.dtype == np.float32 else (np.int64, 52)
    joined = int(np.bitwise_or.reduce(np.ascontiguousarray(numbers).view(width))) & ((1 << explicit) - 1)
    return 1 + explicit - ((joined & -joined).bit_length() - 1) if joined else 1


SLACK = 2
"""Bits: the largest of 64 differences ends in so many zeros with probability 1/4, and needs that many bits fewer than the grid has."""


def _on_one_grid(numbers: npt.NDArray[Any]) -> bool:
    """Whether all numbers are multiples of one spacing, and each spends on it what its size leaves: differences of numbers of one size.

    Numbers that were rounded to a format spend its bits at every size: the small ones have a spacing of their own. Of 64 normal numbers the
    smallest is some 2^7 times smaller than the largest, so that much more than `SLACK` is between the two.
    """
    numbers = np.abs(numbers[np.isfinite(numbers) & (numbers != 0)].astype(np.float64))
    if not numbers.size:
        return True
    fractions, exponents = np.frexp(numbers)
    whole = np.ldexp(fractions, 53).astype(np.int64)
    lowest = exponents - 53 + np.frexp((whole & -whole).astype(np.float64))[1] - 1
    return int(exponents.max() - lowest.min()) <= _bits(numbers) + SLACK


def _tells(numbers: npt.NDArray[Any]) -> bool:
    """Whether numbers are various enough to tell a format: not whole numbers, masks, powers of two."""
    numbers = numbers[np.isfinite(numbers) & (numbers != 0)]
    if not numbers.size or np.array_equal(numbers, np.rint(numbers)):
        return False
    significands = np.unique(np.abs(np.frexp(numbers)[0]))
    return significands.size >= min(DISTINCT, numbers.size) and bool((significands != 0.5).any())
