"""Evaluate an order on numbers: the bits that an implementation gives which adds in that order.

A stack machine runs the instructions of the tree over many output positions at a time: compiled (`kernels`) or, for small sums, in NumPy
(`by_numpy`). float32 and float64 accumulators run in hardware; other formats are computed in float64 and rounded after each operation.
"""

from __future__ import annotations

# pyright: basic
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import compiled
from ..floats import FORMATS, fma32, fma64, round_to_format
from . import by_numpy
from .contraction import Contraction, strided_positions
from .order import Order
from .tree import ADD_ROUNDED, ADD_TERM, PUSH_TERM, Program, Tree


def _run(*common: Any, has_scalar: bool, fused: bool, depth: int, out: np.ndarray, rounding: tuple[int, int, bool] | None = None) -> None:
    """The tree at every position, by whom the size of the work asks for.

    Args:
        common: what both machines take first. rounding: bits, least exponent and whether to cut, where float64 is rounded after each
            operation.
    """
    is_fused = fused and has_scalar and rounding is None
    way = "rounded" if rounding is not None else "fused" if is_fused else "plain"
    # The machine in NumPy fuses in float32 alone.
    machine: Any = by_numpy
    if (is_fused and out.dtype != np.float32) or compiled.pays(by_numpy.seconds(len(common[0]), out.size, way)):
        from . import kernels

        machine = kernels
    with np.errstate(all="ignore"):  # an overflow is a result like any other
        if rounding is None:
            machine.run(*common, has_scalar, fused, depth, out)
        else:
            machine.run_rounded(*common, has_scalar, fused, depth, out, *rounding)


def replay(order: Order, contraction: Contraction, inputs: list[np.ndarray], positions: np.ndarray | None = None) -> np.ndarray:
    """The results that adding in this order gives.

    Args:
        order: the order; its arithmetic says how each operation rounds.
        contraction: which elements meet.
        inputs: all inputs of the function as arrays that hold numbers of the input format (float32 arrays hold bfloat16 exactly).
        positions: flat indices of the outputs wanted; all of them when left out.

    Returns:
        float64 array (float64 contains every format) of numbers of the output format: the shape of the output, or that of `positions`.

    Numerics:
        Exact in the sense of bits: each operation is rounded once, as `order` says. Values added together, in one operation, are taken to
            be added exactly and rounded once.
    """
    accumulator = FORMATS[order.accumulator]
    in_hardware = accumulator.name in ("float32", "float64") and order.rounding == "nearest" and order.tree.widest == 2
    kind = np.float32 if in_hardware and accumulator.name == "float32" else np.float64
    tree = order.tree.without_extras() if order.adds_extras_last else order.tree
    program = tree.program()
    operations, arguments = _with_roundings(order, program)
    grid = _grid(contraction, inputs, kind, positions)
    out = np.zeros((len(grid.row_base), len(grid.column_base)), kind)
    common = (
        operations, arguments, grid.vector, grid.row_base, grid.column_base, grid.vector_offset, grid.scalar,
        grid.scalar_base,
        grid.scalar_offset, grid.extras,
    )  # fmt: skip
    rounding = None if in_hardware else (accumulator.precision_bits, accumulator.exponent_min, order.rounding != "nearest")
    _run(*common, has_scalar=len(contraction.factors) > 1, fused=bool(order.fma), depth=program.stack, out=out, rounding=rounding)
    result = _finish(order, out, grid.extras)
    return grid.in_place(result) if positions is None else result.reshape(-1)


def _with_roundings(order: Order, program: Program) -> tuple[np.ndarray, np.ndarray]:
    """The instructions and their terms, with those products that are rounded although others are fused."""
    operations, arguments = program.operations, program.arguments
    if not order.unfused:
        return operations, arguments
    turned = order.fused_onto_rounded()
    if turned:
        other = np.array([turned.get(int(argument), int(argument)) for argument in arguments])
        back = {first: rounded for rounded, first in turned.items()}
        other = np.where(other == arguments, [back.get(int(argument), int(argument)) for argument in arguments], other)
        of_terms = np.isin(operations, (PUSH_TERM, ADD_TERM))
        arguments = np.where(of_terms, other, arguments)
    return np.where((operations == ADD_TERM) & np.isin(arguments, order.unfused), np.int8(ADD_ROUNDED), operations), arguments


def replay_samples(order: Order, contraction: Contraction, samples: list[list[np.ndarray]], positions: np.ndarray) -> np.ndarray:
    """The results for several inputs at once: (samples, positions). Sums of few outputs are laid side by side and added together.

    Args:
        order, contraction: as for `replay`. samples: the inputs of each. positions: flat indices of the outputs wanted.
    """
    factor, accumulator = contraction.factors[0], FORMATS[order.accumulator]
    in_hardware = accumulator.name in ("float32", "float64") and order.rounding == "nearest" and order.tree.widest == 2
    if len(contraction.factors) > 1 or contraction.extras or not in_hardware or len(samples) == 1:
        return np.stack([replay(order, contraction, inputs, positions) for inputs in samples])
    kind = np.float32 if accumulator.name == "float32" else np.float64
    rows = np.stack([factor.prepared(inputs[factor.argument]) for inputs in samples]).astype(kind)
    base = factor.bases(contraction.view, positions)
    columns = (np.arange(len(samples), dtype=np.int64)[:, None] * rows.shape[1] + base[None, :]).ravel()
    program, none = order.tree.program(), np.zeros(1, np.int64)
    out = np.zeros((1, len(columns)), kind)
    _run(
        program.operations, program.arguments, rows.ravel(), none, columns, factor.offsets(contraction.sizes), np.zeros(1, kind), none,
        np.zeros(contraction.terms, np.int64), np.zeros((0, 1, len(columns)), kind),
        has_scalar=False, fused=False, depth=program.stack, out=out,
    )  # fmt: skip
    return _finish(order, out, np.zeros((0, 1, len(columns)), kind)).reshape(len(samples), len(positions))


def evaluate(tree: Tree, leaves: np.ndarray) -> np.ndarray:
    """The sums of rows of leaves in a tree's order.

    Args:
        tree: the order. leaves: (m, terms + extras), terms first; sums are made in its format.

    Returns:
        (m,) array of the same format.
    """
    count, width = leaves.shape
    rows, offsets = np.arange(count, dtype=np.int64) * width, np.arange(tree.terms, dtype=np.int64)
    extras = np.ascontiguousarray(leaves[:, tree.terms :].T)[:, None, :]
    program = tree.program()
    out = np.zeros((1, count), leaves.dtype)
    none = np.zeros(1, np.int64)
    common = (
        program.operations, program.arguments, leaves.ravel(), none, rows, offsets, np.zeros(1, leaves.dtype), none,
        np.zeros(tree.terms, np.int64), extras,
    )  # fmt: skip
    double = FORMATS["float64"]
    rounding = (double.precision_bits, double.exponent_min, False) if tree.widest > 2 else None
    _run(*common, has_scalar=False, fused=False, depth=program.stack, out=out, rounding=rounding)
    return out[0]


@dataclass(frozen=True)
class _Grid:
    """Output positions as rows and columns: along columns one factor stays the same (the scalar), the other is the vector."""

    vector: np.ndarray
    row_base: np.ndarray
    column_base: np.ndarray
    vector_offset: np.ndarray
    scalar: np.ndarray
    scalar_base: np.ndarray
    scalar_offset: np.ndarray
    extras: np.ndarray
    row_axes: tuple[int, ...]
    column_axes: tuple[int, ...]
    view: tuple[int, ...]
    output_shape: tuple[int, ...]

    def in_place(self, result: np.ndarray) -> np.ndarray:
        """(rows, columns) put back into the shape of the output."""
        axes = (*self.row_axes, *self.column_axes)
        moved = result.reshape(tuple(self.view[axis] for axis in axes))
        return np.transpose(moved, np.argsort(axes)).reshape(self.output_shape) if axes else moved.reshape(self.output_shape)


def _grid(contraction: Contraction, inputs: list[np.ndarray], kind: type, positions: np.ndarray | None) -> _Grid:
    view = contraction.view
    axes = range(len(view))
    strided = [factor.table is None for factor in contraction.factors]
    scalar_place, column_axes = None, tuple(axes)
    if len(contraction.factors) > 1 and positions is None and all(strided):
        # The factor that stays the same along more outputs is the scalar.
        still = [tuple(axis for axis in axes if factor.output_strides[axis] == 0 or view[axis] == 1) for factor in contraction.factors]
        sizes = [np.prod([view[axis] for axis in entry], dtype=np.int64) for entry in still]
        scalar_place = int(np.argmax(sizes))
        column_axes = still[scalar_place]
    if len(contraction.factors) > 1 and scalar_place is None:
        return _listed(contraction, inputs, kind, positions)
    row_axes = tuple(axis for axis in axes if axis not in column_axes)
    vector_place = 0 if scalar_place is None else 1 - scalar_place
    vector = contraction.factors[vector_place]
    scalar = contraction.factors[scalar_place] if scalar_place is not None else None
    if positions is not None or vector.table is not None:
        return _listed(contraction, inputs, kind, positions)

    def bases(strides: tuple[int, ...], chosen: tuple[int, ...]) -> np.ndarray:
        return strided_positions([view[axis] for axis in chosen], [strides[axis] for axis in chosen])

    rows = bases(vector.output_strides, row_axes)
    columns = bases(vector.output_strides, column_axes) + vector.start
    extras = np.zeros((len(contraction.extras), len(rows), len(columns)), kind)
    for place, extra in enumerate(contraction.extras):
        where = extra.start + bases(extra.strides, row_axes)[:, None] + bases(extra.strides, column_axes)[None, :]
        extras[place] = inputs[extra.argument].ravel()[where].astype(kind)
    return _Grid(
        vector.prepared(inputs[vector.argument]).astype(kind),
        rows,
        columns,
        vector.offsets(contraction.sizes),
        scalar.prepared(inputs[scalar.argument]).astype(kind) if scalar else np.zeros(1, kind),
        bases(scalar.output_strides, row_axes) + scalar.start if scalar else np.zeros(len(rows), np.int64),
        scalar.offsets(contraction.sizes) if scalar else np.zeros(contraction.terms, np.int64),
        extras, row_axes, column_axes, view, contraction.output_shape,
    )  # fmt: skip


def _listed(contraction: Contraction, inputs: list[np.ndarray], kind: type, positions: np.ndarray | None) -> _Grid:
    """Every wanted position as a row of one column with its products taken apart: the first factor is laid out, the second looked up."""
    wanted = np.arange(contraction.positions) if positions is None else np.asarray(positions, np.int64)
    factors = [
        (factor.prepared(inputs[factor.argument]).astype(kind), factor.bases(contraction.view, wanted), factor.offsets(contraction.sizes))
        for factor in contraction.factors
    ]
    if len(factors) == 1:
        factors.append((np.zeros(1, kind), np.zeros(len(wanted), np.int64), np.zeros(contraction.terms, np.int64)))
    extras = np.zeros((len(contraction.extras), len(wanted), 1), kind)
    for place, extra in enumerate(contraction.extras):
        extras[place, :, 0] = inputs[extra.argument].ravel()[extra.bases(contraction.view, wanted)].astype(kind)
    (vector, row_base, vector_offset), (scalar, scalar_base, scalar_offset) = factors
    axes = tuple(range(len(contraction.view)))
    return _Grid(
        vector, row_base, np.zeros(1, np.int64), vector_offset, scalar, scalar_base, scalar_offset, extras, axes, (), contraction.view,
        contraction.output_shape,
    )  # fmt: skip


def _finish(order: Order, sums: np.ndarray, extras: np.ndarray) -> np.ndarray:
    """What happens to the sum: scaled, rounded to the output's format, and late extras added."""
    if order.scale is not None:
        action, by = order.scale
        number = sums.dtype.type(by)
        sums = sums / number if action == "divide" else sums * number
    output = FORMATS[order.output]
    if order.extra_factors:
        sums = _with_scaled(order, sums, extras)
    result = sums if order.output == order.accumulator else round_to_format(sums, output)
    if order.rounds_before_extras:
        for row in extras:
            result = round_to_format(result + row, output)
    return result.astype(np.float64)


def _with_scaled(order: Order, sums: np.ndarray, extras: np.ndarray) -> np.ndarray:
    """The sums with each extra leaf times its factor added in the accumulator's format."""
    fma = fma32 if sums.dtype == np.float32 else fma64
    for row, factor in zip(extras, order.extra_factors):
        number = sums.dtype.type(factor)
        sums = fma(row, number, sums) if order.fused_extras else sums + row * number
    return sums
