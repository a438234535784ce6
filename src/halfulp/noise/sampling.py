"""Run a function while every op's result is moved by random rounding errors.

`NoiseMode` intercepts each op below autograd, so gradients get the noise of the backward ops too. The first pass, without
noise, gives the reference and remembers each op's deviation; later passes only add random multiples of it.
"""

from __future__ import annotations

import functools
import math
import random
from collections import Counter
from typing import Any, NamedTuple

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

from ..floats import FLOAT64
from . import rules
from .doubled import doubled_product

POOL_SIZE = 1 << 19
"""Gaussian numbers drawn once and used from random places: drawing fresh ones costs more than the ops they perturb."""

_PERTURBED = (torch.float64, torch.complex128)


@functools.lru_cache(maxsize=4)
def _gaussian_numbers(seed: int, device: torch.device) -> torch.Tensor:
    return torch.randn(POOL_SIZE, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(device)


class GaussianPool:
    """Standard normal numbers, served from random places of one pool. Seeded, so a run can be repeated."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._places = random.Random(seed + 1)

    def like(self, tensor: torch.Tensor) -> torch.Tensor:
        """Standard normal numbers of a real float64 tensor's shape, on its device."""
        pool = _gaussian_numbers(self.seed, tensor.device)
        size = tensor.numel()
        if size <= POOL_SIZE // 2:
            return self._piece(pool, size).view(tensor.shape)
        pieces = [self._piece(pool, min(POOL_SIZE // 2, size - start)) for start in range(0, size, POOL_SIZE // 2)]
        return torch.cat(pieces).view(tensor.shape)

    def _piece(self, pool: torch.Tensor, size: int) -> torch.Tensor:
        start = self._places.randrange(POOL_SIZE - size + 1)
        return pool[start : start + size]


class _Error(NamedTuple):
    """How far one result is moved, and whether it is finite throughout (in the measuring pass)."""

    spread: float | torch.Tensor | None
    finite: bool


class NoiseMode(TorchDispatchMode):
    """Adds to each op's result the rounding error that its rule describes.

    Args:
        error: the rounding model of single ops.
        pool: the source of randomness.

    Attributes:
        amplitude: 0.0 for the pass that measures, 1.0 for samples of rounding.
        counted: how often each kind of op was met in the measuring pass; "unknown:NAME" for ops without a rule.
        discontinuous: names of ops met at which a rounding error can become a jump.
    """

    def __init__(self, error: rules.OpError, pool: GaussianPool) -> None:
        super().__init__()
        self.error = error
        self.declared = error.declared
        self.pool = pool
        self.amplitude = 0.0
        self.counted: Counter[str] = Counter()
        self._errors: list[tuple[str, list[_Error]]] = []
        self._next = 0

    def measure(self) -> NoiseMode:
        """Prepare the pass without noise."""
        self.amplitude, self._next = 0.0, 0
        self._errors.clear()
        self.counted.clear()
        return self

    def sample(self, amplitude: float = 1.0) -> NoiseMode:
        """Prepare a pass with noise of this many standard deviations."""
        self.amplitude, self._next = amplitude, 0
        return self

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = func._schema.name.split("::")[1]
        in_place = name.endswith("_") and not name.endswith("__")
        base = name.rstrip("_") if in_place else name
        if func.is_view or base in rules.EXACT or name in rules.EXACT:
            return func(*args, **kwargs)
        if base != "linspace" and not _computes_in_float64(args, kwargs):
            return func(*args, **kwargs)
        relative = self.error.elementwise(base.removeprefix("_foreach_"))
        kind = _kind(base, kwargs)
        if relative is None and kind is None and not in_place:
            formula = rules.decomposed(func, name)
            if formula is not None:
                with self:
                    result = formula(*args, **kwargs)
                if result is not NotImplemented:
                    return result
            composite = func.decompose(*args, **kwargs) if formula is None else NotImplemented
            if composite is not NotImplemented:
                return composite
        if relative is None and kind is None and in_place and not base.startswith("_foreach_"):
            # Its out-of-place form is known by a formula; the result goes where it belongs.
            with self:
                result = _functional(func)(*args, **kwargs)
            args[0].copy_(result)
            return args[0]
        if relative is None and kind in (None, "factorization"):
            if self.amplitude == 0.0:
                self.counted["factorization:" + name if kind else "unknown:" + name] += 1
            args = self._moved_inputs(args, norm_relative=kind is not None)
            relative = self.error.storage_u
        if self.amplitude == 0.0 and self.declared == FLOAT64 and not in_place:
            better = doubled_product(name, args, kwargs)
            if better is not None:
                self.counted["doubled"] += 1
                self._perturb(name, better, relative, kind, func, args, kwargs)
                return better
        # In-place sums need their operands as they were before the call.
        before = tuple(each.clone() if isinstance(each, torch.Tensor) else each for each in args) if in_place and kind else args
        result = func(*args, **kwargs)
        if in_place and base.startswith("_foreach_"):
            self._perturb(name, list(args[0]), relative, None, func, args, kwargs)
            return result
        self._perturb(name, result, relative, kind, func, before, kwargs)
        return result

    def _perturb(self, name: str, result: Any, relative: float | None, kind: str | None, func: Any, args: Any, kwargs: Any) -> None:
        position, self._next = self._next, self._next + 1
        values = list(result) if isinstance(result, (tuple, list)) else [result]
        if self.amplitude == 0.0:
            self._errors.append((name, self._errors_of(name, values, result, relative, kind, func, args, kwargs)))
            self.counted[kind or "elementwise"] += 1
            return
        known_name, errors = self._errors[position] if position < len(self._errors) else ("", [])
        if known_name != name or not _fits(errors, values):
            # The data took another branch than in the measuring pass.
            errors = self._errors_of(name, values, result, relative, kind, func, args, kwargs)
        for value, error in zip(values, errors):
            self._add(value, error)

    def _errors_of(
        self, name: str, values: list[Any], result: Any, relative: float | None, kind: str | None, func: Any, args: Any, kwargs: Any
    ) -> list[_Error]:
        base = name.rstrip("_")
        call = _functional(func) if name.endswith("_") else func
        found: Any
        if kind == "product" and relative is None:
            found = self.error.product(call, base, args, kwargs, result)
        elif kind == "sum":
            found = self.error.reduced(call, base, args, kwargs, result)
        elif kind == "scattered":
            found = self.error.scattered(call, base, args, kwargs, result)
        elif kind == "scan":
            found = self.error.scanned(call, args, kwargs, result)
        elif kind == "gelu":
            found = self.error.gelu(args[0])
        elif kind == "transform":
            found = self.error.transformed(args, result)
        elif kind == "range":
            # start + k step: every point carries the rounding of the step and of the endpoints.
            found = [2.0 * self.error.storage_u * each.abs().max().expand(each.shape) if each.numel() else None for each in values]
        else:
            found = [relative for _ in values]
        if isinstance(found, torch.Tensor):
            found = [found]
        spreads = [None for _ in values] if found is None else list(found)
        return [_Error(self._with_subnormals(value, spread), _all_finite(value)) for value, spread in zip(values, spreads)]

    def _with_subnormals(self, value: Any, spread: Any) -> Any:
        """Below the smallest normal number the spacing stops shrinking: an absolute error joins the relative one."""
        if spread is None or not isinstance(value, torch.Tensor) or value.is_complex() or not value.numel():
            return spread
        smallest = self.declared.min_normal
        if float(value.abs().amin()) >= smallest:
            return spread
        tiny = (value.abs() < smallest) & (value != 0)
        if not bool(tiny.any()):
            return spread
        step = self.declared.min_subnormal / math.sqrt(12.0)
        scale = spread if isinstance(spread, torch.Tensor) else spread * value.abs()
        return torch.where(tiny, (scale**2 + step**2).sqrt(), scale)

    def _add(self, value: Any, error: _Error) -> None:
        """Move one result in place by its deviation times random numbers; infinities and NaN stay what they are."""
        spread = error.spread
        if spread is None or not isinstance(value, torch.Tensor) or value.dtype not in _PERTURBED or not value.numel():
            return
        target = torch.view_as_real(value) if value.is_complex() else value
        if value.is_complex():
            spread = (spread if isinstance(spread, torch.Tensor) else spread * value.abs()).unsqueeze(-1)
        numbers = self.pool.like(target)
        with torch.no_grad():
            before = None if error.finite else target.clone()
            if isinstance(spread, torch.Tensor):
                target.addcmul_(numbers, spread.expand_as(target), value=self.amplitude)
            else:
                target.addcmul_(numbers, target, value=self.amplitude * spread)
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


def _kind(base: str, kwargs: Any) -> str | None:
    if base == "gelu" and kwargs.get("approximate", "none") == "none":
        return "gelu"
    if base in rules.PRODUCTS:
        return "product"
    if base in rules.SUMS:
        return "sum"
    if base in rules.SCATTERED_SUMS:
        return "scattered"
    if base in rules.SCANS:
        return "scan"
    if base in rules.TRANSFORMS:
        return "transform"
    if base == "linspace":
        return "range"
    return "factorization" if base.startswith(rules.BACKWARD_STABLE) else None


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


def _functional(func: Any) -> Any:
    """The op that returns a new tensor where `func` works in place."""
    namespace, name = func._schema.name.split("::")
    packet = getattr(getattr(torch.ops, namespace), name.rstrip("_"))
    return getattr(packet, func._overloadname)
