"""NumPy and the compiled loop measure the same; the size of the tensors alone decides which is asked."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfulp import compiled
from halfulp.differences import by_numpy, compare, comparison, kernels

SPECIALS = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1.5, 3e38, -3e38, 6e-39])
DTYPES = [np.float32, np.float64, np.float16, np.int64, np.int32, np.uint64, np.uint8, np.bool_]
SUMS = ("mean_abs", "bias", "rms", "rel_rms", "sqnr_db", "cosine")


def drawn(random, size, dtype, zeros):
    picks = random.integers(0, 4 * len(SPECIALS), size)
    numbers = np.where(picks < len(SPECIALS), SPECIALS[picks % len(SPECIALS)], random.standard_normal(size))
    numbers = np.where(random.random(size) < zeros, 0.0, numbers)
    if not np.issubdtype(dtype, np.floating):
        numbers = np.abs(np.nan_to_num(3 * numbers, nan=4.0, posinf=9.0, neginf=2.0)).clip(0, 200)
    with np.errstate(over="ignore"):
        return numbers.astype(dtype)


@given(
    st.integers(0, 1 << 30), st.sampled_from((0, 1, 7, 300, 3 * kernels.BLOCK)), st.sampled_from(DTYPES), st.sampled_from(DTYPES),
    st.integers(0, 5), st.sampled_from((0.0, 0.5)),
)  # fmt: skip
@settings(deadline=None, max_examples=150)
def test_both_ways_find_the_same(seed, size, dtype, other_dtype, worst, zeros):
    random = np.random.default_rng(seed)
    reference = drawn(random, size, dtype, zeros)
    actual = np.where(random.random(size) < 0.5, reference, drawn(random, size, dtype, zeros))
    with np.errstate(over="ignore", invalid="ignore"):
        actual = actual.astype(other_dtype if seed % 2 else dtype)
    with pytest.MonkeyPatch.context() as patch, np.errstate(all="ignore"):
        patch.setattr(compiled, "pays", lambda _: False)
        (by_arrays,) = compare(actual, reference, worst=worst)
        patch.setattr(compiled, "pays", lambda _: True)
        (by_loop,) = compare(actual, reference, worst=worst)
    for field in dataclasses.fields(by_arrays):
        found, wanted = getattr(by_arrays, field.name), getattr(by_loop, field.name)
        if field.name in SUMS:
            assert found == pytest.approx(wanted, rel=1e-9, abs=1e-9 * abs(by_loop.mean_abs), nan_ok=True), field.name
        else:
            assert repr(found) == repr(wanted), field.name


@pytest.mark.parametrize("compiles", [False, True])
def test_differences_against_zero_in_later_blocks_are_counted(compiles, monkeypatch):
    """Once the worst elements are all against zero, those of later blocks, and the largest relative difference, are seen still."""
    monkeypatch.setattr(compiled, "pays", lambda _: compiles)
    reference = np.zeros(3 * kernels.BLOCK)
    actual = np.full_like(reference, 1e-3)
    actual[0] = 1.0
    reference[-1], actual[-1] = 1.0, 1.0 + 2.0**-20
    (found,) = compare(actual, reference, worst=2)
    assert found.nonzero_against_zero == len(reference) - 1
    assert found.max_rel == 2.0**-20
    assert found.max_abs == 1.0 and math.isinf(found.worst_rel[0].rel_difference)


def test_the_size_decides(monkeypatch):
    asked = []
    for name in ("_gather", "_gather_by_numpy"):
        own = getattr(comparison, name)
        monkeypatch.setattr(comparison, name, lambda *given, own=own, name=name: (asked.append(name), own(*given))[1])
    least = int(compiled.LOADING_S / compiled.USES / by_numpy.SECONDS_AN_ELEMENT)
    for size in (1000, least - 1, least + 2):
        asked.clear()
        compare(np.zeros(size, np.float32), np.zeros(size, np.float32))
        assert set(asked) == {"_gather" if size > least else "_gather_by_numpy"}
