"""Run a function while every op's result is moved by random rounding errors.

`NoiseMode` intercepts each op below autograd, so gradients get the noise of the backward ops too. The first pass, without
noise, gives the reference and remembers each op's deviation; later passes only add random multiples of it.
"""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Generator
from typing import Any

import numpy as np
import torch

from ..cases.trees import tensors_of, tree_map
from ..differences import Leaf
from ..floats import FLOAT32, FLOAT64
from ..ops import Kind, OpRecord, called
from ..ops.arithmetic import LARGEST_PIECE, Rounding
from ..ops.evaluation import Unknown, run_formula
from ..ops.formulas import formula_of
from ..process.dispatch import DispatchMode
from .calls import by_pytorch, computes_in_float64, flat, functional, has_whole_numbers, is_float, numbers_of, put_back
from .decompositions import decomposed
from .doubled import doubled_product
from .gaussians import GaussianPool
from .measured import PERTURBED, ROOM, Again, Error, Measured, fits, is_finite, only_of
from .rules import OpError
from .stored_results import StoredResults
from .tape import ByIdentity, Diverged, Step, Tape, unwatched

PLAIN = (torch.Tensor, torch.nn.Parameter)
"""Classes of which PyTorch has nothing to say; 2.4 names them all the same where a class of someone else's was seen before."""


class NoiseMode(DispatchMode):
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
        self._constants: ByIdentity[bool] = ByIdentity()
        self._decided: list[torch.Tensor | None] = []
        self._next_decided = 0
        self._is_constant = False
        self.declared = error.declared
        self.pool = pool
        self.apart = apart
        self.amplitude = 0.0
        self.counted: Counter[str] = Counter()
        self._measured: list[Measured] = []
        self._next = 0
        self.tape: Tape | None = None

    def measure(self) -> NoiseMode:
        """Prepare the pass without noise."""
        self.amplitude, self._next = 0.0, 0
        self._measured.clear()
        self._decided.clear()
        self.counted.clear()
        self.tape = Tape()
        if self._stored is not None:
            self._stored.restart()
        return self

    def sample(self, amplitude: float = 1.0) -> NoiseMode:
        """Prepare a pass with noise of this many standard deviations."""
        self.amplitude, self._next, self._next_decided = amplitude, 0, 0
        if self._stored is not None:
            self._stored.restart()
        return self

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        types = tuple(kind for kind in types if kind not in PLAIN)
        if self.amplitude != 0.0:
            return self._dispatched(func, types, args, kwargs)
        # What `torch.tensor` makes of Python's numbers is no data either.
        is_constant = called(func)[0] == "lift_fresh" or all(self._constants.get(tensor) for tensor in tensors_of((args, kwargs)))
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
        if types and self.tape is not None:
            self.tape.drop("tensors of other classes")
        if func.is_view and not types:
            return self._recorded(func, args, kwargs, by_pytorch(func, args, kwargs), Again(below=True))
        if func.is_view:
            return func(*args, **kwargs)
        if record.is_exact or (record.scales and has_whole_numbers(args[0])):
            result = func(*args, **kwargs)
            if isinstance(result, torch.Tensor):
                result = self._decision(record, args, result)
            return self._recorded(func, args, kwargs, result, self._exactly(record, args, kwargs, result))
        if record.kind is not Kind.RANGE and not computes_in_float64(args, kwargs):
            return self._recorded(func, args, kwargs, func(*args, **kwargs), Again(below=False))
        if self.amplitude != 0.0 and not types and self._next < len(self._measured):
            known = self._measured[self._next]
            if known.op is func:  # most of a sample repeats what the measuring pass found
                with torch._C._DisableTorchDispatch():  # pyright: ignore[reportPrivateUsage]
                    result = func(*args, **kwargs)
                    if known.only is not None and result.shape == known.shape:
                        self._next += 1
                        self._move(result, known)
                        return result
                self._perturb(record, result, known.relative, func, args, kwargs)
                return result
        if self._stored is not None and self._is_stored is not None:
            self._is_stored = self._stored.stores(name)
        # A table that is made of no data, in more than the declared precision: nobody has to make it in less.
        self.error = self._of_constants if self._is_constant and self._is_stored is False else self._of_data
        return self._rounded(func, name, record, types, args, kwargs)

    def play(self, given: list[torch.Tensor]) -> tuple[Leaf, ...]:
        """A sample by the tape instead of the function's own code: the same bits, and the same random numbers.

        Raises:
            Diverged: the function might have done something else.
        """
        assert self.tape is not None
        self.error = self._of_data
        with unwatched():
            return self.tape.play(given, self._again)

    def _again(self, step: Step, args: list[Any], kwargs: dict[str, Any]) -> Any:
        how: Again = step.how
        func = step.func
        if how.by_formula:
            return self._by_formula(func, called(func)[1], args, kwargs)
        if how.position is not None:
            self._next = how.position
            name, record = called(func)
            return self._rounded(func, name, record, (), tuple(args), kwargs)
        if how.decided is not None:
            return how.decided.clone()
        result: Any = None if how.below else func(*args, **kwargs)
        with torch._C._DisableTorchDispatch():  # pyright: ignore[reportPrivateUsage]
            if how.below:
                result = func(*args, **kwargs)
            if how.known is not None:
                self._move_again(result, how.known)
        return result

    def _move_again(self, result: Any, known: Measured) -> None:
        """What an op of the tape gave, moved by what the measuring pass found."""
        if known.only is not None and result.shape == known.shape:
            self._move(result, known)
            return
        values: list[Any] = list(result) if isinstance(result, (tuple, list)) else [result]
        if not fits(known.errors, values):
            raise Diverged
        for value, error in zip(values, known.errors):
            self._add(value, error)

    def _move(self, result: torch.Tensor, known: Measured) -> None:
        """The only result of an op moved, where nothing else has to be asked."""
        numbers = self.pool.like(result)
        if known.only.__class__ is float:
            result.addcmul_(numbers, result, value=self.amplitude * known.only)
        else:
            result.addcmul_(numbers, known.only, value=self.amplitude)

    def _recorded(self, func: Any, args: Any, kwargs: Any, result: Any, how: Again) -> Any:
        """The result, once it is on the tape."""
        if self.amplitude == 0.0 and self.tape is not None:
            self.tape.record(func, args, kwargs, result, how)
        return result

    def _exactly(self, record: OpRecord, args: Any, kwargs: Any, result: Any) -> Again:
        """How an op is run again that does not round."""
        decided = None
        if self.amplitude == 0.0 and self.tape is not None and isinstance(result, torch.Tensor) and self._decides(record, args, result):
            decided = self._decided[-1]
        gives_numbers = isinstance(result, torch.Tensor) and is_float(result)
        return Again(below=not record.makes and (not gives_numbers or computes_in_float64(args, kwargs)), decided=decided)

    def _decides(self, record: OpRecord, args: Any, result: torch.Tensor) -> bool:
        return record.whole or (not is_float(result) and any(isinstance(given, torch.Tensor) and is_float(given) for given in args))

    def _decision(self, record: OpRecord, args: Any, result: torch.Tensor) -> Any:
        """A result that rounding moves by a whole step or not at all; where it is made of no data, what the measuring pass decided.

        A table of buckets or positions is the same in every implementation, however its logarithms are rounded.
        """
        if not self._decides(record, args, result):
            return result
        if self.amplitude == 0.0:
            self._decided.append(result.clone() if self._is_constant else None)
            return result
        place, self._next_decided = self._next_decided, self._next_decided + 1
        known = self._decided[place] if place < len(self._decided) else None
        return result if known is None or known.shape != result.shape or known.dtype != result.dtype else known.clone()

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
                result = functional(func)(*args, **kwargs)
            for into, value in put_back(func, args, result):
                self._recorded(torch.ops.aten.copy_.default, (into, value), {}, into, Again(below=True))
            return args[0] if func._schema.returns else None
        repeats, given = not (in_place or types or record.makes), args
        position = None
        if not has_rule or record.kind is Kind.FACTORIZATION:
            repeats, position = False, self._next
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
                if self.tape is not None:
                    self.tape.drop("products in doubled precision")
                return better
        # In-place sums need their operands as they were before the call.
        is_read = in_place and relative is None
        before = tuple(argument.clone() if isinstance(argument, torch.Tensor) else argument for argument in args) if is_read else args
        result = func(*args, **kwargs) if types or record.makes else by_pytorch(func, args, kwargs)
        if in_place and base.startswith("_foreach_"):
            position = self._next
            self._perturb(record, list(args[0]), relative, func, args, kwargs)
            return self._recorded(func, args, kwargs, result, Again(below=False, position=position))
        self._perturb(record, result, relative, func, before, kwargs, repeats)
        if self.amplitude == 0.0:
            known = self._measured[-1] if position is None else None
            self._recorded(func, given, kwargs, result, Again(below=not (types or record.makes), known=known, position=position))
        return result

    def _taken_apart(self, func: Any, record: OpRecord, args: Any, kwargs: Any) -> Any:
        """A composite op as the ops that it is made of, or by its formula; NotImplemented where neither is known."""
        if record.own:
            result = self._by_formula(func, record, args, kwargs)
            if result is not NotImplemented:
                return result
        formula = decomposed(func, called(func)[0])
        length = 0 if self.tape is None else len(self.tape)
        with self, self._inside():
            result = func.decompose(*args, **kwargs) if formula is None else formula(*args, **kwargs)
        if result is NotImplemented and self.amplitude == 0.0 and self.tape is not None:
            self.tape.cut(length)
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
        values = flat(result)
        if self.amplitude == 0.0:
            self.counted["formula"] += 1
        for value, before, after in zip(values, exact, moved):
            if before is None or after is None or not isinstance(value, torch.Tensor) or value.dtype not in PERTURBED:
                continue
            if before.shape == tuple(value.shape) and before is not after:
                with np.errstate(invalid="ignore"):
                    error = np.nan_to_num(after - before, nan=0.0, posinf=0.0, neginf=0.0)
                value.add_(torch.from_numpy(np.array(error)).to(value.device), alpha=self.amplitude)
        return self._recorded(func, args, kwargs, result, Again(below=False, by_formula=True))

    def _perturb(
        self, record: OpRecord, result: Any, relative: float | None, func: Any, args: Any, kwargs: Any, repeats: bool = False
    ) -> None:
        """Measure how far an op's result is moved, or move it. repeats: whether a sample may treat the same op alike at once."""
        position, self._next = self._next, self._next + 1
        values = list(result) if isinstance(result, (tuple, list)) else [result]
        with torch._C._DisableTorchDispatch():  # pyright: ignore[reportPrivateUsage]  # our own ops are nobody else's: they pass no other mode
            if self.amplitude == 0.0:
                errors = self._errors_of(record, values, result, relative, func, args, kwargs)
                self._measured.append(Measured(func if repeats else None, record.name, relative, errors, *only_of(values, errors)))
                self.counted[record.kind.value if record.kind in _RULED else "elementwise"] += 1
                return
            known = self._measured[position] if position < len(self._measured) else None
            if known is not None and known.name == record.name and fits(known.errors, values):
                errors = known.errors
            else:  # the data took another branch than in the measuring pass
                errors = self._errors_of(record, values, result, relative, func, args, kwargs)
            for value, error in zip(values, errors):
                self._add(value, error)

    def _errors_of(
        self, record: OpRecord, values: list[Any], result: Any, relative: float | None, func: Any, args: Any, kwargs: Any
    ) -> list[Error]:
        name, kind = record.name, record.kind
        if not any(isinstance(value, torch.Tensor) and is_float(value) for value in values) or self._is_whole(record, args, values):
            return [Error(None, is_finite(value)) for value in values]
        call = functional(func) if func._schema.name.endswith("_") else func
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
        return [self._error_of(value, spread) for value, spread in zip(values, spreads)]

    def _is_whole(self, record: OpRecord, args: Any, values: list[Any]) -> bool:
        """Whether an op adds or multiplies whole numbers that the declared format holds, also on the way: that is exact."""
        if len(values) != 1 or not (record.adds or record.name in ("mul", "sum", "cumsum")) or values[0].dtype != torch.float64:
            return False
        tensors = [given for given in args if isinstance(given, torch.Tensor)]
        if any(isinstance(given, float) and not given.is_integer() for given in args) or not all(
            map(has_whole_numbers, (*tensors, values[0]))
        ):
            return False
        largest = float(values[0].abs().max()) if values[0].numel() else 0.0
        if record.name in ("sum", "cumsum"):
            largest = float(tensors[0].abs().sum()) if tensors[0].numel() else 0.0
        return largest <= 2.0**self.declared.precision_bits

    def _error_of(self, value: Any, spread: Any) -> Error:
        """The deviation of one result; below the smallest normal number an absolute error joins the relative one."""
        if spread is None or not isinstance(value, torch.Tensor) or value.dtype != torch.float64 or not value.numel():
            return Error(spread, is_finite(value))
        least, largest = (float(size) for size in torch.aminmax(value.abs()))
        step = None
        if not (self._stored is not None and not self._is_stored) and not least >= self.declared.min_normal:
            step = self.error.underflow(value)
        if step is not None:
            spread = torch.hypot(spread if isinstance(spread, torch.Tensor) else spread * value.abs(), step)
        return Error(spread, largest < ROOM)

    def _add(self, value: Any, error: Error) -> None:
        """Move one result in place by its deviation times random numbers; infinities and NaN stay what they are."""
        spread = error.spread
        if spread is None or not isinstance(value, torch.Tensor) or value.dtype not in PERTURBED or not value.numel():
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
