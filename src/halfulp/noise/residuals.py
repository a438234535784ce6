"""The error of an output against its noise."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..differences import Leaf
from ..differences.excess import FloatArray, Residual, Tally
from .noise import LeafNoise


def residual_of(values: FloatArray, noise: LeafNoise, *, reference: FloatArray | None = None) -> Residual:
    """The error of `values` against the noise's reference (or another) in units of its spread.

    Args:
        values: float64 array of the output's shape.
        noise: reference and spread.
        reference: what to measure against instead of `noise.reference`.
    """
    flat, other = values.reshape(-1), None if reference is None else reference.reshape(-1)
    return _in_blocks(noise.path, values.shape, (
        (flat[place], exact if other is None else other[place], spread) for place, exact, spread in noise.blocks()
    ))  # fmt: skip


def residual_of_leaf(leaf: Leaf, noise: Any) -> Residual:
    """The error of an output as it is stored, in units of the noise; in blocks where the noise comes in blocks."""
    blocks = ((leaf.float64_at(place), exact, spread) for place, exact, spread in noise.blocks())
    return _in_blocks(noise.path, leaf.stored.shape, blocks)


def _in_blocks(path: str, shape: tuple[int, ...], blocks: Iterable[tuple[FloatArray, FloatArray, FloatArray]]) -> Residual:
    tally = Tally()
    for values, exact, spread in blocks:
        tally.add(values, exact, spread)
    return tally.residual(path, shape)
