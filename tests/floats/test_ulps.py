import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from halfulp.floats import FLOAT16, FLOAT32, FLOAT64, FORMATS, ulp_distance, ulp_error, ulp_spacing
from halfulp.floats.ulps import NO_DISTANCE, ordinals

TORCH = {name: getattr(torch, name) for name in FORMATS if hasattr(torch, name)}


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_neighbours_are_one_apart_in_the_whole_format(name):
    form = FORMATS[name]
    bits = torch.arange(2**form.storage_bits)
    stored = bits.to(torch.int16) if form.storage_bits == 16 else bits.to(torch.uint8)
    numbers = stored.view(TORCH[name]).to(torch.float64).numpy()
    numbers = np.unique(numbers[~np.isnan(numbers)])
    assert (ulp_distance(numbers[1:], numbers[:-1], form) == 1).all()
    assert np.array_equal(np.diff(ordinals(numbers, form)), np.ones(len(numbers) - 1))


@pytest.mark.parametrize("form", [FLOAT32, FLOAT64])
@given(value=st.floats(allow_nan=False, allow_infinity=False, width=32), steps=st.integers(1, 50))
def test_steps_are_counted(form, value, steps):
    kind = np.dtype(form.name).type
    moved = kind(value)
    with np.errstate(over="ignore"):
        for _ in range(steps):
            moved = np.nextafter(moved, kind(np.inf))
    expected = min(steps, int(ulp_distance(np.inf, value, form)))
    assert int(ulp_distance(float(moved), value, form)) == expected


@given(st.floats(width=32), st.floats(width=32))
def test_distance_is_symmetric(one, other):
    assert ulp_distance(one, other, FLOAT32) == ulp_distance(other, one, FLOAT32)


def test_zeros_nan_and_extremes():
    assert ulp_distance(0.0, -0.0, FLOAT16) == 0
    assert ulp_distance(np.nan, np.nan, FLOAT16) == 0
    assert ulp_distance(np.nan, 1.0, FLOAT16) == NO_DISTANCE
    assert ulp_distance(2.0**-24, -(2.0**-24), FLOAT16) == 2
    assert int(ulp_distance(-np.inf, np.inf, FLOAT64)) == 2 * 0x7FF0000000000000
    assert ulp_distance(np.inf, FLOAT32.max_finite, FLOAT32) == 1


@given(st.floats(min_value=2.0**-100, max_value=2.0**100))
def test_correct_rounding_errs_by_at_most_half_an_ulp(value):
    assert float(ulp_error(np.float32(value), value, FLOAT32)) <= 0.5


def test_spacing_and_extended_exact_value():
    assert ulp_spacing([1.0, 1.5, 2.0, 0.0], FLOAT32).tolist() == [2.0**-23, 2.0**-23, 2.0**-22, 2.0**-149]
    assert np.isnan(ulp_spacing(np.inf, FLOAT32))
    assert float(ulp_error(1.0, 1.0, FLOAT64, exact_low=2.0**-54)) == 0.25
