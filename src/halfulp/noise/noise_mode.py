"""Run a function while every op's result is moved by random rounding errors.

`NoiseMode` intercepts each op below autograd, so gradients get the noise of the backward ops too. The first pass, without
noise, gives the reference and remembers each op's deviation; later passes only add random multiples of it.
"""

from __future__ import annotations

import contextlib
import functools
import math
import random
from collections import Counter
from collections.abc import Generator, Iterator
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.weak import WeakIdKeyDictionary

from ..cases.trees import tensors_of, tree_map
from ..floats import FLOAT32, FLOAT64
from ..ops import Kind, OpRecord, called
from ..ops.arithmetic import LARGEST_PIECE, POOL_SIZE, Rounding
from ..ops.evaluation import Unknown, run_formula
from ..ops.formulas import formula_of
from .decompositions import decomposed
from .doubled import doubled_product
from .rules import OpError
from .stored_results import StoredResults

_PERTURBED = (torch.float64, torch.complex128)


@functools.lru_cache(maxsize=4)
def _gaussian_numbers(seed: int, device: torch.device) -> torch.Tensor:
    return torch.randn(POOL_SIZE, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(device)


class GaussianPool:
    """Standard normal numbers, served from random places of one pool, so that a run can be repeated.

    Args:
        seed: of the numbers, which are drawn once for each seed. places: of where they are taken from; default: follows from `seed`.
    """

    def __init__(self, seed: int, *, places: int | None = None) -> None:
        self.seed = seed
        self._places = random.Random(seed + 1 if places is None else places)

    def number(self) -> int:
        """A seed for other random numbers."""
        return self._places.getrandbits(32)

    def like(self, tensor: torch.Tensor) -> torch.Tensor:
        """Standard normal numbers of a real float64 tensor's shape, on its device."""
        if tensor.numel() <= LARGEST_PIECE:
            return self._piece(_gaussian_numbers(self.seed, tensor.device), tensor.numel()).view(tensor.shape)
        return torch.cat([piece for _, piece in self.pieces(tensor)]).view(tensor.shape)

    def pieces(self, tensor: torch.Tensor) -> Iterator[tuple[int, torch.Tensor]]:
        """The same in pieces, each with its place in the flattened tensor."""
        pool, size = _gaussian_numbers(self.seed, tensor.device), tensor.numel()
        for start in range(0, max(1, size), LARGEST_PIECE):
            yield start, self._piece(pool, min(LARGEST_PIECE, size - start))

    def _piece(self, pool: torch.Tensor, size: int) -> torch.Tensor:
        start = self._places.randrange(POOL_SIZE - size + 1)
        return pool[start : start + size]


class _Error(NamedTuple):
    """How far one result is moved, and whether it is finite throughout (in the measuring pass)."""

    spread: float | torch.Tensor | None
    finite: bool


class _Measured(NamedTuple):
    """What the measuring pass found of one op.

    Attributes:
        op: a sample that meets it at the same place treats it alike; None where more has to be done than to move its result.
        name: of the op, as the table has it. relative: its deviation relative to its result, where that is one number.
        errors: of its results.
    """

    op: Any
    name: str
    relative: float | None
    errors: list[_Error]


class NoiseMode(TorchDispatchMode):
    """Adds to each op's result the rounding error that its rule describes.

    Args:
        error: the rounding model of single ops.
        pool: the source of randomness.
        apart: whether composite ops are taken apart; otherwise their inputs are moved by one rounding.
        stored: which results are stored in the declared format; None where all are.

    Attributes:
        amplitude: 0.0 for the pass that measures, 1.0 for samples of rounding.
        counted: how often each kind of op was met in the measuring pass; "unknown:NAME" for ops without a rule.
    """

    def __init__(self, error: OpError, pool: GaussianPool, *, apart: bool = True, stored: StoredResults | None = None) -> None:
        super().__init__()
        self.error = self._of_data = error
        self._of_constants = OpError(FLOAT32)
        self._stored = stored
        self._is_stored: bool | None = True  # None inside a composite op
        self._constants: Any = None if stored is None else WeakIdKeyDictionary()
        self._is_constant = False
        self.declared = error.declared
        self.pool = pool
        self.apart = apart
        self.amplitude = 0.0
        self.counted: Counter[str] = Counter()
        self._measured: list[_Measured] = []
        self._next = 0

    def measure(self) -> NoiseMode:
        """Prepare the pass without noise."""
        self.amplitude, self._next = 0.0, 0
        self._measured.clear()
        self.counted.clear()
        if self._stored is not None:
            self._stored.restart()
        return self

    def sample(self, amplitude: float = 1.0) -> NoiseMode:
        """Prepare a pass with noise of this many standard deviations."""
        self.amplitude, self._next = amplitude, 0
        if self._stored is not None:
            self._stored.restart()
        return self

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if self._constants is None or self.amplitude != 0.0:
            return self._dispatched(func, types, args, kwargs)
        is_constant = all(self._constants.get(tensor, False) for tensor in tensors_of((args, kwargs)))
        before, self._is_constant = self._is_constant, is_constant
        try:
            result = self._dispatched(func, types, args, kwargs)
        finally:
            self._is_constant = before
        for tensor in tensors_of(result):
            self._constants[tensor] = is_constant
        return result

    def _dispatched(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        name, record = called(func)
        if func.is_view and not types:
            return _by_pytorch(func, args, kwargs)
        if func.is_view or record.is_exact:
            return func(*args, **kwargs)
        if self.amplitude != 0.0 and not types and self._next < len(self._measured):
            known = self._measured[self._next]
            if known.op is func:  # most of a sample repeats what the measuring pass found
                result = _by_pytorch(func, args, kwargs)
                self._perturb(record, result, known.relative, func, args, kwargs)
                return result
        if record.kind is not Kind.RANGE and not _computes_in_float64(args, kwargs):
            return func(*args, **kwargs)
        if self._stored is not None and self._is_stored is not None:
            self._is_stored = self._stored.stores(name)
        # A table that is made of no data, in more than the declared precision: nobody has to make it in less.
        self.error = self._of_constants if self._is_constant and self._is_stored is False else self._of_data
        return self._rounded(func, name, record, types, args, kwargs)

    def _rounded(self, func: Any, name: str, record: OpRecord, types: Any, args: Any, kwargs: Any) -> Any:
        """An op that computes in float64, its result moved by the rounding that its rule describes."""
        in_place = name.endswith("_") and not name.endswith("__")
        base = name.rstrip("_") if in_place else name
        relative = self.error.elementwise(record, args[1] if record.name == "pow" and len(args) > 1 else None)
        has_rule = relative is not None or record.kind in _RULED or _is_whole_gelu(record, kwargs)
        if not has_rule and not in_place and self.apart:
            result = self._taken_apart(func, record, args, kwargs)
            if result is not NotImplemented:
                return result
        if not has_rule and in_place and self.apart and not base.startswith("_foreach_"):
            # Its out-of-place form is known by a formula; the result goes where it belongs.
            with self:
                result = _functional(func)(*args, **kwargs)
            _put_back(func, args, result)
            return args[0] if func._schema.returns else None
        repeats = not (in_place or types or record.makes)
        if not has_rule or record.kind is Kind.FACTORIZATION:
            repeats = False
            is_stable = record.kind is Kind.FACTORIZATION
            if self.amplitude == 0.0:
                self.counted[f"factorization:{name}" if is_stable else f"unknown:{name}"] += 1
            args = self._moved_inputs(args, norm_relative=is_stable)
            relative = self.error.storage_u
        if self.amplitude == 0.0 and self.declared == FLOAT64 and not in_place:
            better = doubled_product(name, args, kwargs)
            if better is not None:
                self.counted["doubled"] += 1
                self._perturb(record, better, relative, func, args, kwargs, repeats)
                return better
        # In-place sums need their operands as they were before the call.
        is_read = in_place and relative is None
        before = tuple(argument.clone() if isinstance(argument, torch.Tensor) else argument for argument in args) if is_read else args
        result = func(*args, **kwargs) if types or record.makes else _by_pytorch(func, args, kwargs)
        if in_place and base.startswith("_foreach_"):
            self._perturb(record, list(args[0]), relative, func, args, kwargs)
            return result
        self._perturb(record, result, relative, func, before, kwargs, repeats)
        return result

    def _taken_apart(self, func: Any, record: OpRecord, args: Any, kwargs: Any) -> Any:
        """A composite op as the ops that it is made of, or by its formula; NotImplemented where neither is known."""
        if record.own:
            result = self._by_formula(func, record, args, kwargs)
            if result is not NotImplemented:
                return result
        formula = decomposed(func, called(func)[0])
        with self, self._inside():
            result = func.decompose(*args, **kwargs) if formula is None else formula(*args, **kwargs)
        return self._by_formula(func, record, args, kwargs) if result is NotImplemented else result

    @contextlib.contextmanager
    def _inside(self) -> Generator[None]:
        """Inside a composite op, whose kernels compute in float32: none of its steps is stored."""
        before, self._is_stored = self._is_stored, None
        try:
            yield
        finally:
            self._is_stored = before

    def _by_formula(self, func: Any, record: OpRecord, args: Any, kwargs: Any) -> Any:
        """An op that PyTorch can't take apart, by the formula of recorded runs; NotImplemented where that does not fit."""
        if formula_of(record.name) is None:
            return NotImplemented
        given, named = [numbers_of(argument) for argument in args], {key: numbers_of(item) for key, item in kwargs.items()}
        try:
            exact = run_formula(record.name, given, named)
            moved = exact
            if self.amplitude != 0.0:
                moved = run_formula(record.name, given, named, Rounding(self.declared, self.pool.number(), self.error))
        except Unknown:
            return NotImplemented
        result = func(*args, **kwargs)
        values = _flat(result)
        if self.amplitude == 0.0:
            self.counted["formula"] += 1
        for value, before, after in zip(values, exact, moved):
            if before is None or after is None or not isinstance(value, torch.Tensor) or value.dtype not in _PERTURBED:
                continue
            if before.shape == tuple(value.shape) and before is not after:
                with np.errstate(invalid="ignore"):
                    error = np.nan_to_num(after - before, nan=0.0, posinf=0.0, neginf=0.0)
                value.add_(torch.from_numpy(np.array(error)).to(value.device), alpha=self.amplitude)
        return result

    def _perturb(
        self, record: OpRecord, result: Any, relative: float | None, func: Any, args: Any, kwargs: Any, repeats: bool = False
    ) -> None:
        """Measure how far an op's result is moved, or move it. repeats: whether a sample may treat the same op alike at once."""
        position, self._next = self._next, self._next + 1
        values = list(result) if isinstance(result, (tuple, list)) else [result]
        with torch._C._DisableTorchDispatch():  # pyright: ignore[reportPrivateUsage]  # our own ops are nobody else's: they pass no other mode
            if self.amplitude == 0.0:
                errors = self._errors_of(record, values, result, relative, func, args, kwargs)
                self._measured.append(_Measured(func if repeats else None, record.name, relative, errors))
                self.counted[record.kind.value if record.kind in _RULED else "elementwise"] += 1
                return
            known = self._measured[position] if position < len(self._measured) else None
            if known is not None and known.name == record.name and _fits(known.errors, values):
                errors = known.errors
            else:  # the data took another branch than in the measuring pass
                errors = self._errors_of(record, values, result, relative, func, args, kwargs)
            for value, error in zip(values, errors):
                self._add(value, error)

    def _errors_of(
        self, record: OpRecord, values: list[Any], result: Any, relative: float | None, func: Any, args: Any, kwargs: Any
    ) -> list[_Error]:
        name, kind = record.name, record.kind
        call = _functional(func) if func._schema.name.endswith("_") else func
        found: Any
        if relative is not None:
            found = [relative for _ in values]
        elif kind is Kind.PRODUCT:
            found = self.error.product(call, name, args, kwargs, result)
        elif kind is Kind.SUM:
            found = self.error.reduced(call, name, args, kwargs, result)
        elif kind is Kind.SCATTER:
            found = self.error.scattered(call, name, args, kwargs, result)
        elif kind is Kind.SCAN:
            found = self.error.scanned(call, args, kwargs, result)
        elif kind is Kind.FACTORS:
            found = self.error.multiplied(name, args, kwargs, result)
        elif kind is Kind.TRANSFORM:
            found = self.error.transformed(args, result)
        elif kind is Kind.RANGE:
            # start + k step: every point carries the rounding of the step and of the endpoints.
            found = [2.0 * self.error.storage_u * value.abs().max().expand(value.shape) if value.numel() else None for value in values]
        else:
            found = self.error.gelu(args[0])
        if isinstance(found, torch.Tensor):
            found = [found]
        spreads = [None for _ in values] if found is None else list(found)
        return [_Error(self._with_underflow(value, spread), _all_finite(value)) for value, spread in zip(values, spreads)]

    def _with_underflow(self, value: Any, spread: Any) -> Any:
        """Below the smallest normal number an absolute error joins the relative one."""
        if spread is None or not isinstance(value, torch.Tensor) or value.is_complex():
            return spread
        if self._stored is not None and not self._is_stored:
            return spread
        step = self.error.underflow(value)
        if step is None:
            return spread
        scale = spread if isinstance(spread, torch.Tensor) else spread * value.abs()
        return torch.hypot(scale, step)

    def _add(self, value: Any, error: _Error) -> None:
        """Move one result in place by its deviation times random numbers; infinities and NaN stay what they are."""
        spread = error.spread
        if spread is None or not isinstance(value, torch.Tensor) or value.dtype not in _PERTURBED or not value.numel():
            return
        target = torch.view_as_real(value) if value.is_complex() else value
        if value.is_complex():
            spread = (spread if isinstance(spread, torch.Tensor) else spread * value.abs()).unsqueeze(-1)
        with torch.no_grad():
            before = None if error.finite else target.clone()
            if isinstance(spread, torch.Tensor):
                target.addcmul_(self.pool.like(target), spread.expand_as(target), value=self.amplitude)
            elif target.numel() > LARGEST_PIECE and target.is_contiguous():  # without numbers for all of it at once
                flat = target.view(-1)
                for place, numbers in self.pool.pieces(target):
                    part = flat[place : place + len(numbers)]
                    part.addcmul_(numbers, part, value=self.amplitude * spread)
            else:
                target.addcmul_(self.pool.like(target), target, value=self.amplitude * spread)
            if before is not None:  # infinity plus a multiple of infinity may be NaN
                target.copy_(torch.where(torch.isfinite(target), target, before))

    def _moved_inputs(self, args: Any, *, norm_relative: bool) -> Any:
        """Inputs of an op without a rule, moved by one rounding (relative to the norm for a backward stable factorization)."""
        if self.amplitude == 0.0:
            return args
        u = max(self.error.storage_u, self.error.sum_u)

        def move(value: Any) -> Any:
            if not isinstance(value, torch.Tensor) or value.dtype != torch.float64 or not value.numel():
                return value
            numbers = self.pool.like(value)
            if norm_relative:
                scale = u * math.sqrt(value.shape[-1] if value.dim() else 1.0) * value.square().mean().sqrt()
                return value + self.amplitude * scale * numbers
            return torch.addcmul(value, numbers, value, value=self.amplitude * u)

        return tree_map(move, args)


_RULED = (
    Kind.PRODUCT, Kind.SUM, Kind.SCATTER, Kind.SCAN, Kind.FACTORS, Kind.TRANSFORM, Kind.RANGE, Kind.FACTORIZATION,
)  # fmt: skip
"""Kinds of ops that are not elementwise and have a rule of their own."""


def _is_whole_gelu(record: OpRecord, kwargs: Any) -> bool:
    return record.name == "gelu" and kwargs.get("approximate", "none") == "none"


def _computes_in_float64(args: Any, kwargs: Any) -> bool:
    for value in (*args, *kwargs.values()):
        if isinstance(value, torch.Tensor):
            if value.dtype in _PERTURBED:
                return True
        elif isinstance(value, (list, tuple)) and any(isinstance(part, torch.Tensor) and part.dtype in _PERTURBED for part in value):
            return True
    return False


def _all_finite(value: Any) -> bool:
    if not isinstance(value, torch.Tensor) or value.dtype not in _PERTURBED:
        return True
    total = value.sum()  # without a temporary of the value's size; an overflow of the sum only costs time
    return bool(torch.isfinite(total.abs()))


def _fits(errors: list[_Error], values: list[Any]) -> bool:
    if len(errors) != len(values):
        return False
    return all(not isinstance(error.spread, torch.Tensor) or error.spread.shape == value.shape for error, value in zip(errors, values))


def _by_pytorch(func: Any, args: Any, kwargs: Any) -> Any:
    """The op itself, past the mode of the default dtype below: one with float64 among its tensors, or a view, gives no number of that."""
    with torch._C._DisableTorchDispatch():  # pyright: ignore[reportPrivateUsage]
        return func(*args, **kwargs)


def numbers_of(tree: Any) -> Any:
    """Tensors as NumPy arrays, dtypes as they are recorded."""
    if isinstance(tree, torch.Tensor):
        return tree.detach().cpu().resolve_conj().resolve_neg().numpy()
    if isinstance(tree, torch.dtype):
        return {"dtype": str(tree).removeprefix("torch.")}
    return [numbers_of(part) for part in tree] if isinstance(tree, (list, tuple)) else tree


def _flat(tree: Any) -> list[Any]:
    return [leaf for part in tree for leaf in _flat(part)] if isinstance(tree, (tuple, list)) else [tree]


def _put_back(func: Any, args: Any, result: Any) -> None:
    """What the op without the underscore gives, into the arguments that the one with it would write."""
    given = list(result) if isinstance(result, (tuple, list)) else [result]
    written = [
        value for value, argument in zip(args, func._schema.arguments) if argument.alias_info is not None and argument.alias_info.is_write
    ]
    for target, group in zip(written, given):
        for into, value in zip(target, group) if isinstance(target, (list, tuple)) else [(target, group)]:
            into.copy_(value)


def _functional(func: Any) -> Any:
    """The op that returns a new tensor where `func` works in place."""
    namespace, name = func._schema.name.split("::")
    packet = getattr(getattr(torch.ops, namespace), name.rstrip("_"))
    return getattr(packet, func._overloadname)
