"""Run a function while every op's result is moved by random rounding errors.

`NoiseMode` intercepts each op below autograd, so gradients get the noise of the backward ops too. The first pass, without
noise, gives the reference and remembers each op's deviation; later passes only add random multiples of it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map

from ..floats import Format
from . import rules

POOL_SIZE = 1 << 21
"""Gaussian numbers drawn once and used from random places: drawing fresh ones costs more than the ops they perturb."""

_PERTURBED = (torch.float64, torch.complex128)


class GaussianPool:
    """Standard normal numbers, served as slices that start at random places. Seeded, so a run can be repeated."""

    def __init__(self, seed: int) -> None:
        self.generator = torch.Generator().manual_seed(seed)
        self._by_device: dict[torch.device, torch.Tensor] = {}
        self._offsets = torch.Generator().manual_seed(seed + 1)

    def like(self, tensor: torch.Tensor) -> torch.Tensor:
        """Standard normal numbers of a real float64 tensor's shape, on its device."""
        size = tensor.numel()
        if size > POOL_SIZE // 2:
            return torch.randn(tensor.shape, generator=self.generator, dtype=torch.float64).to(tensor.device)
        pool = self._by_device.get(tensor.device)
        if pool is None:
            pool = torch.randn(POOL_SIZE, generator=self.generator, dtype=torch.float64).to(tensor.device)
            self._by_device[tensor.device] = pool
        start = int(torch.randint(POOL_SIZE - size + 1, (1,), generator=self._offsets))
        return pool[start : start + size].view(tensor.shape)


class NoiseMode(TorchDispatchMode):
    """Adds to each op's result the rounding error that its rule describes.

    Args:
        declared: the precision whose rounding is modelled.
        pool: the source of randomness.
        accumulate, coarse_sums: see `rules.OpError`.

    Attributes:
        amplitude: 0.0 for the pass that measures, 1.0 for samples of rounding.
        counted: how often each kind of op was met in the measuring pass; "unknown:NAME" for ops without a rule.
        discontinuous: names of ops met at which a rounding error can become a jump.
    """

    def __init__(self, declared: Format, pool: GaussianPool, *, accumulate: bool = True, coarse_sums: bool = False) -> None:
        super().__init__()
        self.error = rules.OpError(declared, accumulate=accumulate, coarse_sums=coarse_sums)
        self.declared = declared
        self.pool = pool
        self.amplitude = 0.0
        self.counted: Counter[str] = Counter()
        self._deviations: list[tuple[str, Any]] = []
        self._next = 0

    def measure(self) -> NoiseMode:
        """Prepare the pass without noise."""
        self.amplitude, self._next = 0.0, 0
        self._deviations.clear()
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
        kind = _kind(base)
        if relative is None and kind is None and not in_place:
            formula = rules.decomposed(func, name)
            if formula is not None:
                with self:
                    result = formula(*args, **kwargs)
                if result is not NotImplemented:
                    return result
        if relative is None and kind in (None, "factorization"):
            if self.amplitude == 0.0:
                self.counted["factorization:" + name if kind else "unknown:" + name] += 1
            args = self._moved_inputs(args, norm_relative=kind is not None)
            relative = self.error.storage_u
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
        if self.amplitude == 0.0:
            deviation = self._deviation(name, result, relative, kind, func, args, kwargs)
            self._deviations.append((name, deviation))
            self.counted[kind or "elementwise"] += 1
            return
        known = self._deviations[position] if position < len(self._deviations) else ("", None)
        deviation = known[1]
        if known[0] != name or not _fits(deviation, result):
            # The data took another branch than in the measuring pass.
            deviation = self._deviation(name, result, relative, kind, func, args, kwargs)
        for value, spread in zip(_flat(result), _flat_deviation(deviation, result)):
            self._add(value, spread)

    def _deviation(self, name: str, result: Any, relative: float | None, kind: str | None, func: Any, args: Any, kwargs: Any) -> Any:
        base = name.rstrip("_")
        call = _functional(func) if name.endswith("_") else func
        if kind == "product" and relative is None:
            found = self.error.product(call, base, args, kwargs, result)
        elif kind == "sum":
            found = self.error.reduced(call, base, args, kwargs, result)
        elif kind == "scattered":
            found = self.error.scattered(call, base, args, kwargs, result)
        elif kind == "scan":
            found = self.error.scanned(call, args, kwargs, result)
        elif kind == "transform":
            found = self.error.transformed(args, result)
        elif kind == "range":
            # start + k step: every point carries the rounding of the step and of the endpoints.
            found = [2.0 * self.error.storage_u * each.abs().max().expand(each.shape) if each.numel() else None for each in _flat(result)]
        else:
            found = [relative for _ in _flat(result)]
        if isinstance(found, torch.Tensor):
            found = [found]
        return [self._with_subnormals(value, spread) for value, spread in zip(_flat(result), found or [None] * len(_flat(result)))]

    def _with_subnormals(self, value: Any, spread: Any) -> Any:
        """Below the smallest normal number the spacing stops shrinking: an absolute error joins the relative one."""
        if spread is None or not isinstance(value, torch.Tensor) or value.is_complex() or not value.numel():
            return spread
        smallest = self.declared.min_normal
        tiny = (value.abs() < smallest) & (value != 0)
        if not bool(tiny.any()):
            return spread
        step = self.declared.min_subnormal / math.sqrt(12.0)
        scale = spread if isinstance(spread, torch.Tensor) else spread * value.abs()
        return torch.where(tiny, (scale**2 + step**2).sqrt(), scale)

    def _add(self, value: Any, spread: Any) -> None:
        if spread is None or not isinstance(value, torch.Tensor) or value.dtype not in _PERTURBED or not value.numel():
            return
        target = torch.view_as_real(value) if value.is_complex() else value
        if value.is_complex():
            spread = (spread if isinstance(spread, torch.Tensor) else spread * value.abs()).unsqueeze(-1)
        random = self.pool.like(target)
        with torch.no_grad():
            if isinstance(spread, torch.Tensor):
                moved = torch.addcmul(target, random, spread.expand_as(target), value=self.amplitude)
            else:
                moved = torch.addcmul(target, random, target, value=self.amplitude * spread)
            if not bool(torch.isfinite(moved.sum())):  # infinity plus a multiple of infinity may be NaN: leave it as it was
                moved = torch.where(torch.isfinite(moved), moved, target)
            target.copy_(moved)

    def _moved_inputs(self, args: Any, *, norm_relative: bool) -> Any:
        """Inputs of an op without a rule, moved by one rounding (relative to the norm for a backward stable factorization)."""
        if self.amplitude == 0.0:
            return args
        u = max(self.error.storage_u, self.error.sum_u)

        def move(value: Any) -> Any:
            if not isinstance(value, torch.Tensor) or value.dtype != torch.float64 or not value.numel():
                return value
            random = self.pool.like(value)
            if norm_relative:
                scale = u * math.sqrt(value.shape[-1] if value.dim() else 1.0) * value.square().mean().sqrt()
                return value + self.amplitude * scale * random
            return torch.addcmul(value, random, value, value=self.amplitude * u)

        return tree_map(move, args)


def _kind(base: str) -> str | None:
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
    flat, _ = tree_flatten((args, kwargs))
    return any(isinstance(each, torch.Tensor) and each.dtype in _PERTURBED for each in flat)


def _flat(result: Any) -> list[Any]:
    return list(result) if isinstance(result, (tuple, list)) else [result]


def _flat_deviation(deviation: Any, result: Any) -> list[Any]:
    return deviation if isinstance(deviation, list) else [deviation for _ in _flat(result)]


def _fits(deviation: Any, result: Any) -> bool:
    if not isinstance(deviation, list) or len(deviation) != len(_flat(result)):
        return False
    pairs: Iterator[tuple[Any, Any]] = zip(deviation, _flat(result))
    return all(not isinstance(spread, torch.Tensor) or spread.shape == value.shape for spread, value in pairs)


def _functional(func: Any) -> Any:
    """The op that returns a new tensor where `func` works in place."""
    namespace, name = func._schema.name.split("::")
    packet = getattr(getattr(torch.ops, namespace), name.rstrip("_"))
    return getattr(packet, func._overloadname)
