"""The stack machine that replays an order, in NumPy: for sums so small that loading the compiled one takes longer. The same bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..floats import fma32
from ..floats.transforms import two_sum
from .tree import ADD, ADD_EXTRA, ADD_ROUNDED, ADD_TERM, PUSH_EXTRA, PUSH_TERM

Array = npt.NDArray[Any]

SECONDS_AN_INSTRUCTION = {"plain": 1.5e-6, "fused": 20e-6, "rounded": 50e-6}
"""What one instruction takes on few positions, and"""
SECONDS_A_RESULT = {"plain": 1.5e-9, "fused": 20e-9, "rounded": 75e-9}
"""what it takes for each position beyond; `python -m benchmarks.start_up` prints them (`numpy_replay`)."""

POSITIONS = 1 << 13
"""At a time: the stack stays in the cache."""


def seconds(instructions: int, positions: int, way: str) -> float:
    """How long a replay takes. `way` is "plain", "fused" (products are added by FMA) or "rounded" (after each operation)."""
    return instructions * (SECONDS_AN_INSTRUCTION[way] * -(-positions // POSITIONS) + SECONDS_A_RESULT[way] * positions)


def run(
    operations: Array, arguments: Array, vector: Array, row_base: Array, column_base: Array, vector_offset: Array, scalar: Array,
    scalar_base: Array, scalar_offset: Array, extras: Array, has_scalar: bool, fused: bool, depth: int, out: Array,
) -> None:  # fmt: skip
    """The tree at every (row, column), in the arithmetic of `vector`'s type; float32 where products are fused."""

    def added(total: Array, factor: Array, term: Array, is_fused: bool) -> Array:
        return fma32(factor, term, total) if is_fused else total + factor * term

    def plain(total: Array, value: Array) -> Array:
        return total + value

    factors = _factors(scalar, scalar_base, scalar_offset) if has_scalar else None
    for rows, columns in _tiles(out.shape):
        place = row_base[rows, None] + column_base[None, columns]
        stack: list[Array] = []
        for operation, argument in zip(operations.tolist(), arguments.tolist()):
            if operation in (PUSH_TERM, ADD_TERM, ADD_ROUNDED):
                term = vector[place + vector_offset[argument]]
                if operation == PUSH_TERM:
                    stack.append(term if factors is None else factors(argument, rows) * term)
                elif factors is None:
                    stack[-1] = stack[-1] + term
                else:
                    stack[-1] = added(stack[-1], factors(argument, rows), term, fused and operation == ADD_TERM)
            else:
                _of_values(stack, operation, extras[argument, rows, columns] if operation in (PUSH_EXTRA, ADD_EXTRA) else argument, plain)
        out[rows, columns] = stack[0]


def run_rounded(
    operations: Array, arguments: Array, vector: Array, row_base: Array, column_base: Array, vector_offset: Array, scalar: Array,
    scalar_base: Array, scalar_offset: Array, extras: Array, has_scalar: bool, fused: bool, depth: int, out: Array,
    bits: int, least: int, cut: bool,
) -> None:  # fmt: skip
    """The tree at every (row, column), in float64 with each result rounded to `bits` bits (cut: toward zero)."""

    def added(total: Array, value: Array) -> Array:
        sums, error = two_sum(total, value)
        return rounded(sums, error, bits, least, toward_zero=cut)

    factors = _factors(scalar, scalar_base, scalar_offset) if has_scalar else None
    for rows, columns in _tiles(out.shape):
        place = row_base[rows, None] + column_base[None, columns]
        stack: list[Array] = []
        for operation, argument in zip(operations.tolist(), arguments.tolist()):
            if operation in (PUSH_TERM, ADD_TERM, ADD_ROUNDED):
                term = vector[place + vector_offset[argument]]
                term = term if factors is None else term * factors(argument, rows)
                if operation == PUSH_TERM or not (fused and operation == ADD_TERM):
                    term = rounded(term, np.zeros_like(term), bits, least, toward_zero=cut)
                if operation == PUSH_TERM:
                    stack.append(term)
                else:
                    stack[-1] = added(stack[-1], term)
            elif operation in (PUSH_EXTRA, ADD_EXTRA, ADD):
                _of_values(stack, operation, argument if operation == ADD else extras[argument, rows, columns], added)
            else:
                total, lost = _together(stack[-argument:])
                whole = total + lost
                stack[-argument:] = [rounded(whole, lost - (whole - total), bits, least, toward_zero=cut)]
        out[rows, columns] = stack[0]


def rounded(values: Array, error: Array, precision_bits: int, exponent_min: int, *, toward_zero: bool) -> Array:
    """Values + error (error below half an ulp of values) rounded to a format of few bits."""
    with np.errstate(all="ignore"):
        magnitude = np.abs(values)
        towards = np.where(values > 0, error, -error)
        mantissa, exponent = np.frexp(magnitude)
        quantum = np.ldexp(1.0, np.maximum(exponent - 1, exponent_min) - precision_bits + 1)
        scaled = magnitude / quantum
        whole = np.floor(scaled)
        part = scaled - whole
        if toward_zero:
            # Just below a number of the format; below a power of two they lie half as far apart.
            step = np.where((mantissa == 0.5) & (exponent - 1 > exponent_min), 0.5, 1.0)
            whole = np.where((part == 0.0) & (towards < 0), whole - step, whole)
        else:
            up = (part > 0.5) | ((part == 0.5) & ((towards > 0) | ((towards == 0) & (whole % 2.0 == 1.0))))
            whole = np.where(up, whole + 1.0, whole)
        result = np.copysign(whole * quantum, values)
    return np.where(np.isfinite(values) & (values != 0.0), result, values)


def _together(members: list[Array]) -> tuple[Array, Array]:
    """The sum of several values, and what float64 loses of it."""
    total, lost = np.zeros_like(members[0]), np.zeros_like(members[0])
    for value in members:
        total, error = two_sum(total, value)
        lost = lost + error
    return total, lost


def _of_values(stack: list[Array], operation: int, value: Any, added: Callable[[Array, Array], Array]) -> None:
    """An instruction without a product: a value pushed or added, or the two on top added."""
    if operation == PUSH_EXTRA:
        stack.append(value)
    elif operation == ADD_EXTRA:
        stack[-1] = added(stack[-1], value)
    else:
        last = stack.pop()
        stack[-1] = added(stack[-1], last)


def _factors(scalar: Array, base: Array, offset: Array) -> Callable[[int, slice], Array]:
    return lambda argument, rows: scalar[base[rows] + offset[argument]][:, None]


def _tiles(shape: tuple[int, ...]) -> list[tuple[slice, slice]]:
    """Rows and columns cut so that at most `POSITIONS` results are made at a time."""
    rows, columns = shape
    wide = min(max(columns, 1), POSITIONS)
    high = max(1, POSITIONS // wide)
    return [
        (slice(top, min(top + high, rows)), slice(left, min(left + wide, columns)))
        for top in range(0, rows, high)
        for left in range(0, columns, wide)
    ]
