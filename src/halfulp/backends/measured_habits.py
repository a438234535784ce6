"""habits_of: what a backend does with numbers, measured by running it on a few numbers that tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from ..errors import HalfulpError, Unsupported
from .habits import Habits, Reading, Switch
from .interface import Backend
from .ops import OPS, OpModule, Size

Array = npt.NDArray[Any]

WIDTH = 64
"""Terms of each sum that probes ask about: more than any kernel's block of channels, so that all of its paths are the usual ones."""

PRODUCTS = ("linear", "matmul", "conv2d")


def habits_of(backend: Backend, options: Mapping[str, str] | None = None, *, switches: bool = True) -> Habits:
    """What a backend does with float32 numbers, measured.

    Args:
        backend: which. options: of the backend. switches: whether its settings of precision are turned as well.
    """
    options = dict(options or {})
    products: dict[str, Reading] = {}
    subnormals: dict[str, str] = {}
    failed: dict[str, str] = {}
    remarks: list[str] = []
    for op in PRODUCTS:
        try:
            probe = _Probe(backend, op, options)
            products[op], subnormals[op] = probe.reading(), probe.subnormals()
            remarks += [f"{op}: {remark}" for remark in probe.remarks]
        except Unsupported:
            continue
        except HalfulpError as error:
            failed[op] = (str(error).splitlines() or [""])[0][:200]
    for op in ("relu", "sum"):
        try:
            subnormals[op] = _subnormals_of(backend, op, options)
        except Unsupported:
            continue
        except HalfulpError as error:
            failed[op] = (str(error).splitlines() or [""])[0][:200]
    turned = tuple(_switches(backend, options, products.get("linear"))) if switches else ()
    return Habits(products, subnormals, turned, tuple(dict.fromkeys(remarks)), failed=failed)


class _Probe:
    """One product op: sums of WIDTH terms, given as rows of the first factor and a column of the second."""

    def __init__(self, backend: Backend, op: str, options: Mapping[str, str]) -> None:
        self._backend, self._op, self._options = backend, op, options
        self.remarks: tuple[str, ...] = ()

    def reading(self) -> Reading:
        """How many bits are read and kept."""
        ones = np.ones(WIDTH)
        inputs = bits_read(lambda rows: self.sums(rows, ones), 24)
        weights = bits_read(self._by_weights, 24)
        fused = self._is_fused() if min(inputs, weights) >= FACTOR_BITS else None
        return Reading(inputs, weights, bits_kept(lambda rows: self.sums(rows, ones), 24), fused)

    def subnormals(self) -> str:
        """Whether a subnormal input reaches a result."""
        rows = np.zeros((1, WIDTH))
        rows[0, 0] = SUBNORMAL
        return "kept" if self.sums(rows, np.full(WIDTH, 1.0))[0] != 0 else "flushed"

    def sums(self, rows: Array, column: Array) -> Array:
        """The sum over each row times the column."""
        count = len(rows)
        x, w = rows.astype(np.float32), column.astype(np.float32)
        if self._op == "conv2d":
            images, kernel = np.zeros((count, WIDTH, 4, 4), np.float32), np.zeros((WIDTH, WIDTH, 3, 3), np.float32)
            images[:, :, 2, 2], kernel[:, :, 1, 1] = x, w
            return self._run(images, kernel)[:, 0, 2, 2].astype(np.float64)
        wide = np.repeat(w[None], WIDTH, axis=0)
        if self._op == "matmul":
            return self._run(x, np.ascontiguousarray(wide.T))[:, 0].astype(np.float64)
        return self._run(x, wide)[:, 0].astype(np.float64)

    def _by_weights(self, rows: Array) -> Array:
        """The same with the factors exchanged: what is in the weights is read, one column for each row."""
        x = np.ones((4, WIDTH), np.float32)
        columns = rows.astype(np.float32)
        if self._op == "conv2d":
            images, kernel = np.zeros((1, WIDTH, 4, 4), np.float32), np.zeros((len(rows), WIDTH, 3, 3), np.float32)
            images[:, :, 2, 2], kernel[:, :, 1, 1] = 1.0, columns
            return self._run(images, kernel)[0, :, 2, 2].astype(np.float64)
        if self._op == "matmul":
            return self._run(x, np.ascontiguousarray(columns.T))[0].astype(np.float64)
        return self._run(x, columns)[0].astype(np.float64)

    def _is_fused(self) -> bool | None:
        """A a - a a: what is left where one of the products was rounded and the other was not."""
        a = 1.0 + 2.0 ** (1 - FACTOR_BITS)
        rows = np.zeros((WIDTH - 1, WIDTH))
        rows[:, 0] = -a
        rows[np.arange(WIDTH - 1), np.arange(1, WIDTH)] = a
        found = self.sums(rows, np.full(WIDTH, a))
        return bool((np.abs(found) == 2.0**-24).any()) if bool(np.isin(np.abs(found), (0.0, 2.0**-24)).all()) else None

    def _run(self, x: Array, weight: Array) -> Array:
        op = OPS[self._op]
        if self._op == "matmul":
            module = OpModule(op, {}, {})
            implementation: Any = self._backend.implement(module, **self._options)
            given: tuple[torch.Tensor, ...] = (torch.from_numpy(x), torch.from_numpy(weight))
        else:
            attributes = {"padding": 1} if self._op == "conv2d" else {}
            weights = {"weight": torch.from_numpy(weight), "bias": torch.zeros(len(weight))}
            implementation, given = self._backend.implement(OpModule(op, weights, attributes), **self._options), (torch.from_numpy(x),)
        result = implementation(*given).numpy()
        if hasattr(implementation, "remarks"):
            self.remarks = implementation.remarks(*given)
        return result


FACTOR_BITS = 13
"""Bits of the factors that ask for a fused multiply-add: the shortest whose product, of 2 * 13 bits, float32's 24 can't hold."""

SUBNORMAL = 2.0**-130
"""A subnormal number of float32 with eight bits: bfloat16 has it too, and float16 makes it zero, which is said by its range."""


def bits_read(sums: Callable[[Array], Array], declared: int) -> int:
    """With how many bits numbers are read.

    Args:
        sums: the sum of each row, as the op under test adds it. declared: the bits of the declared format.

    Returns:
        The largest e for which 1 + 2^-e is told from 1 and from 1 + 2^-(e-1), plus one: at most `declared`. Not whether it comes back as it
        is: a transform (Winograd) rounds even a sum of one term.
    """
    exponents = np.arange(1, declared)
    rows = np.zeros((len(exponents) + 2, WIDTH))
    rows[0, 0], rows[1, 0], rows[2:, 0] = 1.0, 2.0, 1.0 + 2.0 ** -exponents.astype(float)
    found = sums(rows)
    kept = (found[2:] != found[0]) & (found[2:] != found[1:-1])
    return declared if kept.all() else int(exponents[np.argmin(kept)])


def bits_kept(sums: Callable[[Array], Array], declared: int) -> int:
    """How many bits sums keep: 1 + 2^-e - 1 is told from 0 and from 1 + 2^-(e-1) - 1 as long as they hold it.

    Up to eight more than declared are looked at.
    """
    exponents = np.arange(1, declared + 8)
    rows = np.zeros((len(exponents) + 2, WIDTH))
    rows[:, 0], rows[1:, 1], rows[:, 2] = 1.0, 2.0 ** -np.arange(len(exponents) + 1.0), -1.0
    found = sums(rows)
    lost = (found[2:] == found[0]) | (found[2:] == found[1:-1])
    return int(exponents[np.argmax(lost)]) if lost.any() else int(exponents[-1]) + 1


def _subnormals_of(backend: Backend, name: str, options: Mapping[str, str]) -> str:
    x = torch.zeros(4, WIDTH)
    x[:, 0] = SUBNORMAL
    result = backend.implement(OpModule(OPS[name], {}, {}), **options)(x)
    return "kept" if bool((result != 0).any()) else "flushed"


def _switches(backend: Backend, options: Mapping[str, str], before: Reading | None) -> list[Switch]:
    """Knobs that speak of precision, turned on a product."""
    found: list[Switch] = []
    if before is None:
        return found
    op = OPS["linear"]
    module, activations = op.drawn(Size({"x": (32, 512), "weight": (WIDTH, 512), "bias": (WIDTH,)}))
    plain: Any = backend.implement(module, **options)
    bits = plain(*activations)
    for knob in plain.knobs() if hasattr(plain, "knobs") else backend.knobs():  # those that change something with these options
        if "precision" not in knob.name or knob.unavailable() or knob.needs_fresh_process or not knob.touches & {"products", "everything"}:
            continue
        try:
            other = knob.applied(plain)(*activations)
            after = _Probe(_Turned(backend, knob.applied), "linear", options).reading()
        except HalfulpError:
            continue
        found.append(Switch(knob.detail, not torch.equal(bits, other), before.format, after.format))
    return found


class _Turned:
    """A backend with a knob turned, as far as a probe asks it."""

    def __init__(self, backend: Backend, turned: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        self._backend, self._turned = backend, turned
        self.name = backend.name
        self.availability, self.fingerprint, self.knobs = backend.availability, backend.fingerprint, backend.knobs

    def implement(self, target: Any, **options: str) -> Callable[..., Any]:
        """What the backend makes of it, turned."""
        return self._turned(self._backend.implement(target, **options))
