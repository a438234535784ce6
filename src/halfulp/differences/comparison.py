"""compare: walk two results, pair their tensors, and measure each pair in one pass over memory.

Large tensors are cut into chunks that threads take in turn; the chunks' sums are added in order, so the numbers do not
depend on the number of threads. Nothing the size of the tensors is allocated, so memory maps larger than memory work.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import compiled
from ..errors import InputError
from ..floats import Format, widen
from ..floats.ulps import ordinals
from ..process.border import answered
from ..process.versions import versions
from . import by_numpy
from . import totals as k
from .difference import Comparison, Difference, Mismatch, WorstElement, decibels
from .leaves import DeviceLeaf, Leaf, decode, leaves_of
from .totals import HISTOGRAM_STEPS, Totals

CHUNK = 1 << 22
"""Elements per chunk that is read where it lies: a few milliseconds of work, so that starting it costs nothing."""
COPIED_CHUNK = 1 << 18
"""Elements per chunk that must be copied or converted first: its copies stay in the second-level cache."""


@answered
def compare(actual: object, reference: object, *, worst: int = 5) -> Comparison:
    """How far `actual` is from `reference`, in numbers and without an opinion.

    Args:
        actual: tensor, array, number, or nested lists, tuples, dataclasses and mappings of them; any strides, any device.
        reference: the same structure; dtypes may differ.
        worst: how many of the worst elements to keep by each measure.

    Returns:
        A `Comparison` with a `Difference` for each pair of tensors of one shape, and a `Mismatch` for each disagreement
        of structure, shape or dtype. Empty tensors compare as equal.

    Raises:
        InputError: something in the results is not numerical, or `worst` is negative.

    Numerics:
        Differences are formed in float64, exactly for formats up to float32; sums carry float64's rounding.
        Integers beyond 2**53 are compared exactly and their magnitudes rounded to float64.

    Example:
        >>> import numpy as np
        >>> compared = compare(np.float32([1.0, 2.0]), np.float32([1.0, 2.0000002]))
        >>> compared.unequal, compared.max_ulps
        (1, 1)
    """
    if worst < 0:
        raise InputError(f"Got worst={worst}. Needed: 0 or more. It is a count of elements. Pass worst=5.")
    return replace(compare_leaves(leaves_of(actual), leaves_of(reference), worst=worst), versions=versions())


def compare_leaves(actual: Iterable[Leaf], reference: Iterable[Leaf], *, worst: int = 5) -> Comparison:
    """The comparison of two results that are taken apart already. Where tensors lie (CPU, GPU) is no difference."""
    actual_leaves, expected_leaves = {leaf.path: leaf for leaf in actual}, {leaf.path: leaf for leaf in reference}
    differences: list[Difference] = []
    mismatches: list[Mismatch] = []
    for path, expected in expected_leaves.items():
        leaf = actual_leaves.get(path)
        if leaf is None:
            mismatches.append(Mismatch(path, "missing", "nothing", _describe(expected)))
            continue
        if leaf.shape != expected.shape or len(leaf.stored_shape) != len(expected.stored_shape):
            mismatches.append(Mismatch(path, "shape", _describe(leaf), _describe(expected)))
            continue
        if leaf.dtype != expected.dtype:
            mismatches.append(Mismatch(path, "dtype", leaf.dtype, expected.dtype))
        differences.append(measure(leaf, expected, worst=worst))
    mismatches += [
        Mismatch(path, "unexpected", _describe(leaf), "nothing") for path, leaf in actual_leaves.items() if path not in expected_leaves
    ]
    return Comparison(tuple(differences), tuple(mismatches))


def _describe(leaf: Leaf) -> str:
    return f"{leaf.dtype}{list(leaf.shape)}"


@dataclass(frozen=True, eq=False)
class _Chunk:
    """What the kernel takes: numbers, integers in their order, and how those integers are to be read."""

    numbers: npt.NDArray[Any]
    bits: npt.NDArray[Any]
    sign_magnitude: bool


def _same_format_chunk(stored: npt.NDArray[Any], leaf: Leaf) -> _Chunk:
    """A chunk whose partner has the same dtype."""
    if leaf.format is None:
        integers = stored.astype(np.int64)
        if stored.dtype == np.uint64:
            integers = (stored ^ np.uint64(1 << 63)).view(np.int64)
        return _Chunk(widen(stored), integers, False)
    width = leaf.format.storage_bits
    if width >= 32:
        return _Chunk(stored, stored.view(np.int32 if width == 32 else np.int64), True)
    raw = stored.view(np.uint16 if width == 16 else np.uint8).astype(np.uint32)
    sign = np.uint32(1 << (width - 1))
    bits = ((raw & sign) << np.uint32(32 - width)) | (raw & (sign - np.uint32(1)))
    numbers = decode(stored, leaf.format) if leaf.holds_bits else widen(stored, np.float32)
    return _Chunk(numbers, bits.view(np.int32), True)


def _common_format_chunk(stored: npt.NDArray[Any], leaf: Leaf, common: Format | None) -> _Chunk:
    """A chunk whose partner has another dtype: float64 numbers, ordered by the coarser format."""
    numbers = decode(stored, leaf.format) if leaf.holds_bits and leaf.format is not None else stored
    numbers = widen(numbers)
    if common is None:
        return _Chunk(numbers, stored.astype(np.int64), False)
    return _Chunk(numbers, ordinals(numbers, common), False)


def _coarser(first: Format | None, second: Format | None) -> Format | None:
    known = [float_format for float_format in (first, second) if float_format is not None]
    return min(known, key=lambda float_format: float_format.precision_bits) if known else None


def _gather(actual: _Chunk, reference: _Chunk, offset: int, worst: int) -> Totals:
    """The totals of one chunk, by the compiled loop."""
    from . import kernels

    totals = Totals(worst)
    integer = actual.bits.dtype
    as_float = np.empty(kernels.BLOCK, dtype=np.float32)
    totals.max_ulps = int(
        kernels.gather(
            actual.numbers, reference.numbers, actual.bits, reference.bits,
            actual.sign_magnitude, integer.type(np.iinfo(integer).min), offset,
            totals.sums, totals.counts, totals.histogram, totals.scores, totals.places,
            np.empty(kernels.BLOCK, dtype=f"u{integer.itemsize}"), as_float, as_float.view(np.int32),
            np.empty((2, kernels.BLOCK), dtype=actual.numbers.dtype), np.empty((2, kernels.BLOCK), dtype=integer),
        )
    )  # fmt: skip
    return totals


def _gather_by_numpy(actual: _Chunk, reference: _Chunk, offset: int, worst: int) -> Totals:
    return by_numpy.gather(
        actual.numbers, reference.numbers, actual.bits, reference.bits, sign_magnitude=actual.sign_magnitude, offset=offset, worst=worst
    )


def _pieces(actual: npt.NDArray[Any], reference: npt.NDArray[Any], size: int) -> Iterator[tuple[int, npt.NDArray[Any], npt.NDArray[Any]]]:
    """Cut two arrays of one shape into flat contiguous chunks in C order: views where memory allows, copies where not."""
    if actual.flags.c_contiguous and reference.flags.c_contiguous:
        flat = actual.reshape(-1), reference.reshape(-1)
        for start in range(0, actual.size, size):
            yield start, flat[0][start : start + size], flat[1][start : start + size]
        return
    start = 0
    walker = np.nditer(
        [actual, reference],
        flags=["external_loop", "buffered", "zerosize_ok"],
        order="C",
        buffersize=COPIED_CHUNK,
    )
    with walker:
        for left, right in walker:
            # The walker's buffers are reused: a thread must own what it is given.
            yield start, np.ascontiguousarray(left).copy(), np.ascontiguousarray(right).copy()
            start += left.size


def measure(actual: Leaf, reference: Leaf, *, worst: int) -> Difference:
    """The Difference of two leaves of one shape."""
    same = actual.dtype == reference.dtype
    common = actual.format if same else _coarser(actual.format, reference.format)

    is_compiled = compiled.pays(math.prod(reference.stored_shape) * by_numpy.SECONDS_AN_ELEMENT)
    gather_chunk = _gather if is_compiled else _gather_by_numpy

    def gather(piece: tuple[int, npt.NDArray[Any], npt.NDArray[Any]]) -> Totals:
        start, left, right = piece
        if same:
            return gather_chunk(_same_format_chunk(left, actual), _same_format_chunk(right, reference), start, worst)
        chunks = _common_format_chunk(left, actual, common), _common_format_chunk(right, reference, common)
        return gather_chunk(*chunks, start, worst)

    totals = Totals(worst)
    if same and isinstance(actual, DeviceLeaf) and isinstance(reference, DeviceLeaf) and actual.is_comparable_with(reference):
        for part in _on_device(actual, reference, worst):
            totals.add(part)
        return _difference(totals, actual, reference, common, worst)
    in_place = same and actual.format is not None and actual.format.storage_bits >= 32
    size = by_numpy.CHUNK if not is_compiled else CHUNK if in_place else COPIED_CHUNK
    pieces = _pieces(actual.stored, reference.stored, size)
    if actual.stored.size <= size or not is_compiled:
        for piece in pieces:
            totals.add(gather(piece))
    else:
        workers = min(os.cpu_count() or 1, -(-actual.stored.size // size))
        with ThreadPoolExecutor(workers) as pool:
            for part in _in_order(pool, gather, pieces, ahead=2 * workers):
                totals.add(part)
    return _difference(totals, actual, reference, common, worst)


def _on_device(actual: DeviceLeaf, reference: DeviceLeaf, worst: int) -> Iterator[Totals]:
    """The totals of two tensors on one device, chunk by chunk."""
    from . import on_device

    left, right = actual.tensor.reshape(-1), reference.tensor.reshape(-1)
    for start in range(0, len(left), on_device.CHUNK):
        stop = start + on_device.CHUNK
        totals = Totals(worst)
        gathered = on_device.gather(left[start:stop], right[start:stop], start, worst)
        totals.sums, totals.counts, totals.histogram, totals.scores, totals.places, totals.max_ulps = gathered
        yield totals


def _in_order(pool: ThreadPoolExecutor, work: Any, pieces: Iterator[Any], *, ahead: int) -> Iterator[Totals]:
    """Results of `work` in the order of the pieces, with at most `ahead` pieces alive at a time."""
    waiting: list[Any] = []
    for piece in pieces:
        waiting.append(pool.submit(work, piece))
        if len(waiting) >= ahead:
            yield waiting.pop(0).result()
    for future in waiting:
        yield future.result()


def _difference(totals: Totals, actual: Leaf, reference: Leaf, common: Format | None, worst: int) -> Difference:
    sums, counts = totals.sums, [int(count) for count in totals.counts]
    compared = counts[k.COMPARED]
    mean = 1.0 / compared if compared else 0.0
    rms = math.sqrt(sums[k.SUM_SQUARED] * mean)
    reference_rms = math.sqrt(sums[k.SUM_REFERENCE] * mean)
    rel_rms = rms / reference_rms if reference_rms else (0.0 if rms == 0 else math.inf)
    elements = [_worst_elements(totals, row, actual, reference, common) if worst else () for row in range(3)]
    return Difference(
        path=reference.path,
        shape=reference.shape,
        actual_dtype=actual.dtype,
        reference_dtype=reference.dtype,
        ulp_format=common.name if common else "integer",
        count=math.prod(reference.stored_shape),
        compared=compared,
        unequal=counts[k.UNEQUAL],
        max_abs=float(sums[k.MAX_ABS]),
        mean_abs=float(sums[k.SUM_ABS] * mean),
        bias=float(sums[k.SUM_SIGNED] * mean),
        max_rel=float(sums[k.MAX_REL]),
        nonzero_against_zero=counts[k.AGAINST_ZERO],
        rms=rms,
        rel_rms=rel_rms,
        sqnr_db=decibels(rel_rms),
        cosine=float(_cosine(sums[k.SUM_REFERENCE], sums[k.SUM_ACTUAL], sums[k.SUM_SQUARED])),
        max_ulps=totals.max_ulps,
        median_ulps=_median(totals.histogram.sum(axis=0), compared),
        ulp_histogram=_octaves(totals.histogram.sum(axis=0)),
        nan_actual_only=counts[k.NAN_ACTUAL],
        nan_reference_only=counts[k.NAN_REFERENCE],
        nan_both=counts[k.NAN_BOTH],
        inf_actual_only=counts[k.INF_ACTUAL],
        inf_reference_only=counts[k.INF_REFERENCE],
        inf_both=counts[k.INF_BOTH],
        inf_sign=counts[k.INF_SIGN],
        signed_zeros=counts[k.SIGNED_ZEROS],
        worst_abs=elements[0],
        worst_rel=elements[1],
        worst_ulps=elements[2],
    )


def _cosine(reference_squares: float, actual_squares: float, difference_squares: float) -> float:
    """Cosine similarity from three sums of squares: 1 - (|d|^2 - (|a| - |r|)^2) / (2 |a| |r|), without cancellation near 1."""
    if not math.isfinite(reference_squares + actual_squares + difference_squares):
        return math.nan
    norms = math.sqrt(reference_squares) * math.sqrt(actual_squares)
    if not norms:
        return 1.0 if reference_squares == actual_squares else math.nan
    gap = (math.sqrt(actual_squares) - math.sqrt(reference_squares)) ** 2
    return max(-1.0, 1.0 - max(0.0, difference_squares - gap) / (2.0 * norms))


def _bin_start(place: int) -> float:
    """The smallest distance that falls into a bin of the histogram (the inverse of the kernel's shift)."""
    if place == 0:
        return 0.0
    octave, step = divmod(place - 1, HISTOGRAM_STEPS)
    return math.ldexp(1.0 + step / HISTOGRAM_STEPS, octave)


def _median(histogram: npt.NDArray[np.int64], compared: int) -> float:
    if not compared:
        return 0.0
    reached = np.cumsum(histogram)
    lower = _bin_start(int(np.searchsorted(reached, (compared + 1) // 2)))
    upper = _bin_start(int(np.searchsorted(reached, compared // 2 + 1)))
    return 0.5 * (lower + upper)


def _octaves(histogram: npt.NDArray[np.int64]) -> tuple[tuple[int, int], ...]:
    """The histogram in bins 0, 1, 2, 3..4, 5..8, ...: pairs of upper bound and count."""
    bounds: dict[int, int] = {}
    for place in np.flatnonzero(histogram).tolist():
        start = _bin_start(place)
        upper = 0 if start == 0 else 1 << max(0, math.ceil(math.log2(start)))
        bounds[upper] = bounds.get(upper, 0) + int(histogram[place])
    return tuple(sorted(bounds.items()))


def _worst_elements(totals: Totals, row: int, actual: Leaf, reference: Leaf, common: Format | None) -> tuple[WorstElement, ...]:
    found: list[WorstElement] = []
    for score, place in zip(totals.scores[row].tolist(), totals.places[row].tolist()):
        if score <= 0:
            continue
        index = tuple(int(item) for item in np.unravel_index(place, actual.stored_shape))
        pair = [leaf.at(index) for leaf in (actual, reference)]
        values = [
            float((decode(raw, leaf.format) if leaf.holds_bits and leaf.format else raw)[0]) for raw, leaf in zip(pair, (actual, reference))
        ]
        apart = abs(values[0] - values[1])
        if common is None:
            steps = abs(int(pair[0][0]) - int(pair[1][0]))
        else:
            first, second = (int(ordinals(value, common)) for value in values)
            steps = abs(first - second)
        relative = apart / abs(values[1]) if values[1] else math.inf
        found.append(WorstElement(index, values[0], values[1], apart, rel_difference=relative, ulps=steps))
    return tuple(found)
