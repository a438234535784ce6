"""What one side alone has stored rounded: the only constants whose rounding excuses a difference in float64.

Two functions that are one function in exact arithmetic agree in float64, unless one of them holds numbers that were rounded before it
ran: a table, folded weights, a captured tensor, a constant written with seven digits. Such numbers are seen while both sides run in
float64. What both sides hold is no difference. The rest is moved by its own rounding, and what becomes of that in the outputs is all the
room there is.
"""

from __future__ import annotations

import contextlib
import functools
import math
import random
from collections.abc import Generator, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch.utils._pytree import tree_map

from ..cases import LIFTED, Case, Retyping, Side
from ..cases.inputs import map_arrays
from ..cases.precision_modes import Seen
from ..cases.sides import repeatable
from ..differences import Leaf
from ..floats import FLOAT32, FORMATS, Format, is_representable
from ..ops.deviation import ROUNDING_RMS, SAMPLES
from ..process.alone import alone
from ..process.dispatch import DispatchMode
from .gaussians import GaussianPool

FloatArray = npt.NDArray[np.float64]
WRITTEN = FLOAT32.unit_roundoff * 2.0
"""Two constants that agree to so much, seven digits, are one constant that was written down with fewer digits."""
STEP_RMS = 1.0 / math.sqrt(12.0)
"""A rounding error in spacings, root mean square: it is uniform within half of one on both sides."""


@dataclass(frozen=True, eq=False)
class StoredNoise:
    """How far the rounding of stored numbers moves the outputs.

    Attributes:
        spreads: path of an output -> standard deviation, of its shape.
        outputs: path -> what `actual` gives in float64 with the constants of `expected` in the place of its own, where they are the same
            but for rounding; empty where it has none such.
        tensors: how many stored tensors were moved. constants: the pairs of constants that were exchanged. samples: how many.
    """

    spreads: dict[str, FloatArray] = field(default_factory=dict)
    outputs: dict[str, FloatArray] = field(default_factory=dict)
    tensors: int = 0
    constants: tuple[tuple[float, float], ...] = ()
    samples: int = SAMPLES


class _Seen:
    """Watches a run in float64 for numbers that the side brings along."""

    def __init__(self, exchanged: dict[float, float] | None = None) -> None:
        self.tensors: list[torch.Tensor] = []
        self.constants: set[float] = set()
        self._exchanged = exchanged or {}

    def constant(self, value: float) -> float:
        self.constants.add(value)
        return self._exchanged.get(value, value)

    def tensor(self, stored: torch.Tensor, lifted: torch.Tensor) -> torch.Tensor:
        self.tensors.append(stored)
        return lifted


class _Moving(_Seen):
    """Moves the tensors that a side alone holds."""

    def __init__(self, unshared: _Unshared, pool: GaussianPool) -> None:
        super().__init__()
        self._unshared, self._pool = unshared, pool

    def tensor(self, stored: torch.Tensor, lifted: torch.Tensor) -> torch.Tensor:
        return self._unshared.moved(stored, lifted, self._pool)


def few_stored_noise(case: Case) -> StoredNoise:
    """The same from the fewest samples that have a spread: enough where another formula is far off."""
    return stored_noise(case, FEWEST)


FEWEST = 2
"""Samples. The limit of one of 10,000 elements is then 177 times as wide as with eight (`max_limit`), and another formula is often further
off than that; where it isn't, all eight are drawn."""


def stored_noise(case: Case, samples: int = SAMPLES) -> StoredNoise:
    """How far rounding of what one side alone has stored moves each output, in float64.

    Returns:
        A noise without spreads where neither side holds anything of its own.
    """
    seen = {name: _Seen() for name in ("actual", "expected")}
    center = {name: _run(case, name, seen[name]) for name in seen}
    if any(found is None for found in center.values()):
        return StoredNoise()
    given = _given(case)
    held = {
        name: _Held([*given, *_own(case.side(name)), *seen[name].tensors, *map(_tensor_of, case.side(name).eager.state.arrays)])
        for name in seen
    }
    pairs = _near(seen["actual"].constants, seen["expected"].constants, case.declared)
    outputs: dict[str, FloatArray] = {}
    if pairs:
        exchanged = _run(case, "actual", _Seen(dict(pairs)))
        outputs = {leaf.path: leaf.float64() for leaf in exchanged or () if leaf.format is not None}
    variances: dict[str, FloatArray] = {}
    count = 0
    for name, other in (("actual", "expected"), ("expected", "actual")):
        unshared = _Unshared(held[other], case.storage)
        own = [*_own(case.side(name)), *seen[name].tensors]
        arrays = [array for array in case.side(name).eager.state.arrays if unshared.has(_tensor_of(array))]
        found = sum(unshared.has(tensor) for tensor in own) + len(arrays)
        if not found:
            continue
        count += found
        base = {leaf.path: leaf.float64() for leaf in center[name] or ()}
        pool = GaussianPool(case.seed)
        for _ in range(samples):
            with _arrays_moved(arrays, pool):
                _add(variances, _run(case, name, _Moving(unshared, pool), unshared, pool), base, samples)
    actual = case.actual.eager
    if actual.state.makes_scalars or getattr(actual.function, "rounds_constants", False):
        # Which of them were rounded can't be seen in NumPy's code or a program of another library. They stand in `expected` as well.
        base = {leaf.path: leaf.float64() for leaf in center["expected"] or ()}
        generator = random.Random(case.seed)
        for _ in range(samples):
            with _ConstantsMoved(generator) as moving:
                _add(variances, _run(case, "expected", moving), base, samples)
    return StoredNoise({path: np.sqrt(square) for path, square in variances.items()}, outputs, count, pairs, samples)


def _add(variances: dict[str, FloatArray], sample: tuple[Leaf, ...] | None, center: dict[str, FloatArray], samples: int) -> None:
    """Adds what one sample says of the variance of each output."""
    for leaf in sample or ():
        if leaf.format is None or leaf.path not in center or center[leaf.path].shape != leaf.stored.shape:
            continue
        with np.errstate(invalid="ignore"):
            square = np.square(leaf.float64() - center[leaf.path]) / samples
        variances[leaf.path] = variances.get(leaf.path, 0.0) + np.where(np.isfinite(square), square, 0.0)


class _ConstantsMoved(DispatchMode):
    """Moves each number in the arguments of a call (a scale, an epsilon) by a rounding to float32, where float32 doesn't hold it.

    As `Seen` it moves those that the code writes, as a mode those that PyTorch's own functions add.
    """

    def __init__(self, generator: random.Random) -> None:
        super().__init__()
        self._random = generator
        self._moved: set[float] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        moved = [tree_map(lambda value: self.constant(value) if isinstance(value, float) else value, tree) for tree in (args, kwargs or {})]
        return func(*moved[0], **moved[1])

    def constant(self, value: float) -> float:
        if value in self._moved or not math.isfinite(value) or is_representable(np.asarray(value), FLOAT32):
            return value
        moved = value * (1.0 + ROUNDING_RMS * FLOAT32.unit_roundoff * self._random.gauss(0.0, 1.0))
        self._moved.add(moved)
        return moved

    def tensor(self, stored: torch.Tensor, lifted: torch.Tensor) -> torch.Tensor:  # noqa: ARG002  # as `Seen` has it
        return lifted


class _Held:
    """The numbers that a side holds, to find others among them.

    Two numbers of 24 bits are the same by chance once in many millions. Of 16-bit numbers whole rows are compared, along either axis.
    """

    def __init__(self, tensors: Iterable[torch.Tensor]) -> None:
        self._tensors = [_as_real(tensor.detach().cpu()) for tensor in tensors if tensor.layout == torch.strided]

    @functools.cached_property
    def _values(self) -> torch.Tensor:
        values = [_wide(tensor) for tensor in self._tensors]
        return torch.unique(torch.cat(values)) if values else torch.zeros(0, dtype=torch.float64)

    @functools.cached_property
    def _rows(self) -> set[bytes]:
        return {row for tensor in self._tensors for row in (*_rows(tensor), *_rows(_turned(tensor)))}

    def lacks(self, stored: torch.Tensor) -> torch.Tensor:
        """Which elements of a tensor are not among them."""
        if any(_is_same(stored, tensor) for tensor in self._tensors):  # most weights: nothing has to be sorted
            return torch.zeros(stored.shape, dtype=torch.bool)
        form = FORMATS.get(str(stored.dtype).removeprefix("torch."))
        if form is not None and form.precision_bits < FLOAT32.precision_bits:
            value = stored.detach().cpu()
            by_row = torch.tensor([row not in self._rows for row in _rows(value)], dtype=torch.bool)
            by_column = torch.tensor([row not in self._rows for row in _rows(_turned(value))], dtype=torch.bool)
            length = value.shape[-1] if value.dim() else 1
            along = by_row.repeat_interleave(length).view(value.shape)
            across = by_column.view(_turned(value).shape[:-1]).unsqueeze(-1).expand(_turned(value).shape)
            return along & (across.movedim(-1, 0) if value.dim() > 1 else along)
        wanted, known = _wide(stored), self._values
        if not known.numel():
            return torch.ones(stored.shape, dtype=torch.bool)
        places = torch.searchsorted(known, wanted).clamp_max(known.numel() - 1)
        return (known[places] != wanted).view(stored.shape)


def _is_same(one: torch.Tensor, other: torch.Tensor) -> bool:
    return one.dtype == other.dtype and one.shape == other.shape and torch.equal(one.detach().cpu(), other)


def _turned(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.movedim(0, -1) if tensor.dim() > 1 else tensor


def _rows(tensor: torch.Tensor) -> list[bytes]:
    """The rows along the last axis, as bytes of float64."""
    if not tensor.numel():
        return []
    rows = tensor.to(torch.float64).reshape(-1, tensor.shape[-1] if tensor.dim() else 1).contiguous().numpy()
    return [row.tobytes() for row in rows]


class _Unshared:
    """The stored numbers that the other side does not hold."""

    def __init__(self, others: _Held, storage: Format) -> None:
        self._others, self._storage = others, storage
        self._found: dict[int, tuple[torch.Tensor, torch.Tensor | None]] = {}
        self._declared: dict[int, bool] = {}

    def _lacking(self, stored: torch.Tensor) -> torch.Tensor | None:
        """Which numbers the other side lacks, looked for once; None where it has all."""
        known = self._found.get(id(stored))
        if known is None:  # the tensor is kept too, so that no other gets its id
            lacks = self._others.lacks(_as_real(stored))
            known = self._found[id(stored)] = stored, lacks if bool(lacks.any()) else None
        return known[1]

    def _is_declared(self, stored: torch.Tensor) -> bool:
        """Whether all its numbers are of the declared format."""
        known = self._declared.get(id(stored))  # which `_lacking` keeps
        if known is None:
            known = self._declared[id(stored)] = bool(is_representable(_wide(_as_real(stored)).numpy(), self._storage).all())
        return known

    def has(self, stored: torch.Tensor) -> bool:
        """Whether a tensor has any."""
        return stored.numel() > 0 and self._lacking(stored) is not None

    def moved(self, stored: torch.Tensor, lifted: torch.Tensor, pool: GaussianPool) -> torch.Tensor:
        """The lifted tensor, with these numbers moved by one rounding of the format that they are stored in, or of the declared one."""
        with torch.no_grad(), torch._C.DisableTorchFunction():  # pyright: ignore[reportPrivateUsage]  # what is stored is not lifted here
            own = FORMATS.get(str(_as_real(stored).dtype).removeprefix("torch."))
            if own is None or not lifted.numel() or lifted.dtype not in (torch.float64, torch.complex128):
                return lifted
            lacking = self._lacking(stored)
            if lacking is None:
                return lifted
            # Numbers of the declared format may well be held in a finer one.
            u = self._storage.unit_roundoff if self._is_declared(stored) else min(own.unit_roundoff, self._storage.unit_roundoff)
            parts = _as_real(lifted.detach())
            numbers = pool.like(parts) * lacking.to(lifted.device)
            moved = parts * (1.0 + ROUNDING_RMS * u * numbers)
            found = torch.view_as_complex(moved) if lifted.is_complex() else moved
        return found.requires_grad_(lifted.requires_grad)


def _given(case: Case) -> list[torch.Tensor]:
    """The inputs, which both sides hold."""
    found: list[torch.Tensor] = []
    map_arrays((case.inputs, case.keywords), found.append, lambda array: found.append(_widest(array)))
    return [tensor for tensor in found if tensor.is_floating_point() or tensor.is_complex()]


def _own(side: Side) -> list[torch.Tensor]:
    """Parameters and buffers as they are stored."""
    return [tensor.detach() for tensor in side.eager.state.owned.values() if tensor.is_floating_point() or tensor.is_complex()]


def _tensor_of(array: npt.NDArray[Any]) -> torch.Tensor:
    """A copy of a captured array, however it lies in memory."""
    return torch.from_numpy(np.array(array, dtype=array.dtype if array.dtype.itemsize <= 8 else np.float64, order="C"))


def _widest(array: npt.NDArray[Any]) -> torch.Tensor:
    return torch.from_numpy(np.array(array, dtype=np.complex128 if np.iscomplexobj(array) else np.float64))


def _as_real(tensor: torch.Tensor) -> torch.Tensor:
    """The parts of complex numbers, along a last axis of two; real numbers as they are."""
    return torch.view_as_real(tensor.resolve_conj()) if tensor.is_complex() else tensor


def _wide(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().cpu().to(torch.float64).reshape(-1)


def _near(actual: set[float], expected: set[float], declared: Format) -> tuple[tuple[float, float], ...]:
    """The constants of `actual` that are one of `expected`'s but for the rounding to the declared precision, or to seven digits."""
    found: list[tuple[float, float]] = []
    for own in sorted(actual - expected):
        others = [other for other in expected - actual if other and math.isfinite(other)]
        nearest = min(others, key=lambda other: abs(own - other), default=None)
        if nearest is None:
            continue
        is_stored = any(bool(is_representable(np.asarray(value), declared)) for value in (own, nearest))
        room = declared.unit_roundoff if is_stored else min(declared.unit_roundoff, WRITTEN)
        if abs(own - nearest) <= room * abs(nearest):
            found.append((own, nearest))
    return tuple(found)


def _run(case: Case, name: str, seen: Seen, unshared: _Unshared | None = None, pool: GaussianPool | None = None) -> tuple[Leaf, ...] | None:
    """The outputs of one side in float64 while its stored numbers are looked at; None where it does not run so."""
    side = case.side(name).eager
    natives = side.state.saved() if unshared is not None else {}

    def moved(key: str, lifted: torch.Tensor) -> torch.Tensor:
        assert unshared is not None and pool is not None
        return unshared.moved(natives[key], lifted, pool) if key in natives else lifted

    arguments, keywords = case.arguments(side, LIFTED)
    try:
        with case.precision_of(side, LIFTED.precision) as retyping, repeatable(case.seed):
            if isinstance(retyping, Retyping):
                retyping.seen = seen
            with side.state.exchanged(moved if unshared is not None else None):
                result = case.evaluate(side, arguments, keywords)
                return case.collected(side, result, arguments, keywords)
    except Exception:  # it ran in float64 before; what fails now is no evidence
        return None


@contextlib.contextmanager
def _arrays_moved(arrays: list[npt.NDArray[Any]], pool: GaussianPool) -> Generator[None]:
    """Captured NumPy arrays moved by a rounding inside.

    An array of float32 holds no less than a spacing: each number goes on to the next one or stays, with the variance of a rounding.
    """
    kept = [(array, array.copy()) for array in arrays if array.flags.writeable]
    generator = np.random.default_rng(pool.number())
    with alone():
        try:
            for array, before in kept:
                toward = np.where(generator.random(array.shape) < 0.5, -np.inf, np.inf).astype(array.dtype)
                moves = generator.random(array.shape) < STEP_RMS**2
                array[...] = np.where(moves, np.nextafter(before, toward), before)
            yield
        finally:
            for array, before in kept:
                array[...] = before
