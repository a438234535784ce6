"""Contraction: which elements of the inputs meet in which element of the output, whatever the order in which they are added.

    output[p] = sum over k of left[i(p, k)] * right[j(p, k)]  +  extras[p]

i and j are affine in the coordinates of p and k once the inputs are padded with zeros and spread out by zeros (as a transposed convolution
does). So sums, products, convolutions and cumulative sums are all described by a few strides. Where no affine form fits, a table says it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .tree import Indices

Shape = tuple[int, ...]


def row_major_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """The distance in elements between neighbors along each axis of a contiguous array."""
    strides = [1]
    for size in reversed(tuple(shape)[1:]):
        strides.append(strides[-1] * size)
    return tuple(reversed(strides))[: len(shape)]


def strided_positions(shape: Sequence[int], strides: Sequence[int], wanted: Indices | None = None) -> Indices:
    """Sum of stride times coordinate, for all coordinates of the shape or for the wanted flat indices."""
    if wanted is not None:
        coordinates = np.unravel_index(wanted, tuple(shape)) if tuple(shape) else ()
        return sum((array.astype(np.int64) * stride for array, stride in zip(coordinates, strides)), np.zeros(len(wanted), np.int64))
    places = np.zeros(1, np.int64)
    for size, stride in zip(shape, strides):
        places = (places[:, None] + np.arange(size, dtype=np.int64)[None, :] * stride).ravel()
    return places


@dataclass(frozen=True)
class Factor:
    """One factor of the products: where in which input it is.

    Attributes:
        argument: which input. shape: its shape.
        spread: per axis, the distance that neighbors get (zeros between them). padding: per axis, zeros before and after, put on
            afterwards.
        start, term_strides, output_strides: the element of the padded array is start + sum of stride times coordinate.
        table: instead of all that, for each output position and term the element of the input, -1 where the term is missing.
    """

    argument: int
    shape: Shape
    spread: Shape = ()
    padding: tuple[tuple[int, int], ...] = ()
    start: int = 0
    term_strides: Shape = ()
    output_strides: Shape = ()
    table: Indices | None = field(default=None, compare=False)

    def prepared(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The input, spread and padded with zeros, in one dimension."""
        if self.table is not None:
            return np.concatenate((array.ravel(), np.zeros(1, array.dtype)))[self.table].ravel()
        if any(number != 1 for number in self.spread):
            wide = np.zeros([(size - 1) * step + 1 for size, step in zip(array.shape, self.spread)], array.dtype)
            wide[tuple(slice(None, None, step) for step in self.spread)] = array
            array = wide
        if any(pair != (0, 0) for pair in self.padding):
            array = np.pad(array, self.padding)
        return np.ascontiguousarray(array).ravel()

    def bases(self, view: Shape, positions: Indices | None = None) -> Indices:
        """Where each output position (all, or these) starts in the prepared input."""
        if self.table is not None:
            return (np.arange(len(self.table), dtype=np.int64) if positions is None else positions) * self.table.shape[1]
        return self.start + strided_positions(view, self.output_strides, positions)

    def offsets(self, sizes: Shape) -> Indices:
        """Where each term is from there."""
        if self.table is not None:
            return np.arange(self.table.shape[1], dtype=np.int64)
        return strided_positions(sizes, self.term_strides)

    def elements(self) -> Indices:
        """For each place of the prepared input the element of the input that lies there, -1 for a zero put in."""
        numbered = np.arange(1, int(np.prod(self.shape, dtype=np.int64)) + 1, dtype=np.int64).reshape(self.shape)
        return self.prepared(numbered) - 1


@dataclass(frozen=True)
class ExtraLeaf:
    """What is added once to each output: a bias, an initial accumulator.

    Attributes:
        name: what it is called. argument, shape: which input, and its shape.
        start, strides: the element is start + sum of stride times coordinate of the output.
    """

    name: str
    argument: int
    shape: Shape
    strides: Shape
    start: int = 0

    def bases(self, view: Shape, positions: Indices | None = None) -> Indices:
        """The element of each output position (all, or these)."""
        return self.start + strided_positions(view, self.strides, positions)


@dataclass(frozen=True)
class Contraction:
    """Which products and extra leaves make each output.

    Attributes:
        kind: "einsum", "convolution", "transposed convolution", "cumulative sum" or "table".
        axes: (name, size) of the axes over which is summed; terms are numbered along them, the last axis fastest.
        output_shape: the shape of the output. view: the same with groups split off, on which the strides are.
        factors: one for a sum, two for a product. extras: see `ExtraLeaf`.
        details: what the emitted program needs beside: labels, strides, padding.
    """

    kind: str
    axes: tuple[tuple[str, int], ...]
    output_shape: Shape
    view: Shape
    factors: tuple[Factor, ...]
    extras: tuple[ExtraLeaf, ...] = ()
    details: dict[str, Any] = field(default_factory=dict[str, Any], compare=False)

    @property
    def terms(self) -> int:
        """How many products or summands meet in one output."""
        return int(np.prod(self.sizes, dtype=np.int64))

    @property
    def sizes(self) -> Shape:
        """The sizes of the axes over which is summed."""
        return tuple(size for _, size in self.axes)

    @property
    def positions(self) -> int:
        """How many outputs there are."""
        return int(np.prod(self.output_shape, dtype=np.int64))

    @property
    def outer(self) -> int:
        """The first axis of the output with more than one place (0 if there is none)."""
        return next((axis for axis, size in enumerate(self.view) if size > 1), 0)

    def slab(self, low: int, high: int) -> Contraction:
        """The outputs from low to high (without it) along the `outer` axis: consecutive positions. Not for tables."""
        axis = self.outer
        view = tuple(high - low if place == axis else size for place, size in enumerate(self.view))
        factors = tuple(replace(factor, start=factor.start + low * factor.output_strides[axis]) for factor in self.factors)
        extras = tuple(replace(extra, start=extra.start + low * extra.strides[axis]) for extra in self.extras)
        return replace(self, view=view, output_shape=view, factors=factors, extras=extras)

    def present(self, positions: Indices) -> npt.NDArray[np.bool_]:
        """For each of these output positions and each term whether it is there: (positions, terms). Padding makes terms missing."""
        found = np.ones((len(positions), self.terms), np.bool_)
        for factor in self.factors:
            there = factor.elements() >= 0
            found &= there[factor.bases(self.view, positions)[:, None] + factor.offsets(self.sizes)[None, :]]
        return found


def einsum(shapes: Sequence[Shape], labels: Sequence[str], output: str, output_shape: Shape, arguments: Sequence[int]) -> Contraction:
    """A sum of one factor or a product of two, in einsum's letters.

    Args:
        shapes: of the factors. labels: a letter for each of their axes. output: the letters of the output, of axes larger than one.
        output_shape: its shape, which may have axes of size 1 beside. arguments: the number of each factor among the inputs.
    """
    size = {letter: extent for shape, letters in zip(shapes, labels) for extent, letter in zip(shape, letters)}
    summed = list(dict.fromkeys(letter for letters in labels for letter in letters if letter not in output))
    view = tuple(size[letter] for letter in output)
    factors: list[Factor] = []
    for shape, letters, argument in zip(shapes, labels, arguments):
        stride = dict(zip(letters, row_major_strides(shape)))
        factors.append(
            Factor(
                argument,
                tuple(shape),
                (1,) * len(shape),
                ((0, 0),) * len(shape),
                0,
                tuple(stride.get(letter, 0) for letter in summed),
                tuple(stride.get(letter, 0) for letter in output),
            )
        )
    axes = tuple((letter, size[letter]) for letter in summed)
    return Contraction(
        "einsum", axes, tuple(output_shape), view, factors=tuple(factors), extras=(), details={"labels": tuple(labels), "output": output}
    )


def cumulative_sum(shape: Shape, axis: int, argument: int) -> Contraction:
    """The sum of everything up to each position along an axis; earlier terms are zeros put in front."""
    size = shape[axis]
    padding = tuple((size - 1, 0) if place == axis else (0, 0) for place in range(len(shape)))
    strides = row_major_strides([extent + before for extent, (before, _) in zip(shape, padding)])
    factor = Factor(argument, shape, (1,) * len(shape), padding, 0, (strides[axis],), strides)
    return Contraction("cumulative sum", (("k", size),), shape, shape, factors=(factor,), extras=(), details={"axis": axis})


def convolution(
    x: Shape,
    weight: Shape,
    output: Shape,
    *,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
    groups: int,
    transposed: bool,
    arguments: tuple[int, int],
) -> Contraction:
    """A convolution of (batch, channels, *space) with (channels out, channels in of a group, *kernel), or its transpose.

    Args:
        x, weight, output: shapes; the transposed form takes weights of (channels in, channels out of a group, *kernel).
        stride, padding, dilation: one for each axis of space; padding before the first element.
        groups: how many. transposed: whether it is the transpose. arguments: the numbers of x and weight among the inputs.
    """
    batched = len(x) == len(weight)
    full = x if batched else (1, *x)
    space, kernel, places = full[2:], weight[2:], output[-len(weight) + 2 :]
    channels = full[1] // groups
    out_channels = weight[1] if transposed else weight[0] // groups
    before: list[int] = []
    after: list[int] = []
    for size, taps, count, step, pad, gap in zip(space, kernel, places, stride, padding, dilation):
        reach = gap * (taps - 1)
        if transposed:
            first, last, extent = pad - reach, pad + count - 1, (size - 1) * step + 1
        else:
            first, last, extent = -pad, (count - 1) * step + reach - pad, size
        before.append(max(0, -first))
        after.append(max(0, last - extent + 1))
    spread = (*(1,) * (len(x) - len(space)), *(stride if transposed else (1,) * len(space)))
    pads = (*((0, 0),) * (len(x) - len(space)), *zip(before, after))
    extents = [(size - 1) * step + 1 + sum(pair) for size, step, pair in zip(x, spread, pads)]
    steps = row_major_strides(extents)
    batch_step, channel_step, space_steps = (steps[0] if batched else 0), steps[-len(space) - 1], steps[-len(space) :]
    sign = -1 if transposed else 1
    move = (1,) * len(space) if transposed else stride
    origin = sum((lead + (pad if transposed else -pad)) * step for lead, pad, step in zip(before, padding, space_steps))
    of_x = Factor(
        arguments[0],
        tuple(x),
        spread,
        pads,
        origin,
        (channel_step, *(sign * gap * step for gap, step in zip(dilation, space_steps))),
        (batch_step, channels * channel_step, 0, *(number * step for number, step in zip(move, space_steps))),
    )
    w_steps = row_major_strides(weight)
    if transposed:
        term_steps, group_step, out_step = (w_steps[0], *w_steps[2:]), channels * w_steps[0], w_steps[1]
    else:
        term_steps, group_step, out_step = w_steps[1:], out_channels * w_steps[0], w_steps[0]
    of_weight = Factor(
        arguments[1],
        tuple(weight),
        (1,) * len(weight),
        ((0, 0),) * len(weight),
        0,
        term_steps,
        (0, group_step, out_step, *(0,) * len(space)),
    )
    names = ("c", *("kx", "ky", "kz")[: len(kernel)][::-1])
    view = (full[0], groups, out_channels, *places)
    details = {
        "stride": stride, "padding": padding, "dilation": dilation, "groups": groups, "before": before, "after": after, "batched": batched,
    }  # fmt: skip
    kind = "transposed convolution" if transposed else "convolution"
    axes = tuple(zip(names, (channels, *kernel)))
    return Contraction(kind, axes, tuple(output), view, factors=(of_x, of_weight), extras=(), details=details)


def table(shapes: Sequence[Shape], tables: Sequence[Indices], output_shape: Shape, arguments: Sequence[int]) -> Contraction:
    """Any contraction, as one table of elements for each factor: (output positions, terms), -1 where a term is missing."""
    factors = tuple(Factor(argument, tuple(shape), table=indices) for argument, shape, indices in zip(arguments, shapes, tables))
    return Contraction("table", (("k", tables[0].shape[1]),), tuple(output_shape), tuple(output_shape), factors=factors)
