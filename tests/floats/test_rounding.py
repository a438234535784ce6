from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from halfulp.floats import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, FORMATS, TF32, is_representable, round_to_format

TORCH = {name: getattr(torch, name) for name in FORMATS if hasattr(torch, name)}
any_float = st.floats(width=64, allow_nan=False, allow_infinity=False)


def all_numbers(name):
    """Every number of a 16-bit or 8-bit format, as float64."""
    bits = torch.arange(2 ** FORMATS[name].storage_bits)
    stored = bits.to(torch.int16) if FORMATS[name].storage_bits == 16 else bits.to(torch.uint8)
    return stored.view(TORCH[name]).to(torch.float64).numpy()


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_every_number_of_a_format_rounds_to_itself(name):
    numbers = all_numbers(name)
    rounded = round_to_format(numbers, FORMATS[name])
    usable = ~np.isnan(numbers)
    assert np.array_equal(rounded[usable], numbers[usable])
    assert np.array_equal(np.signbit(rounded[usable]), np.signbit(numbers[usable]))
    assert np.isnan(rounded[~usable]).all()
    assert is_representable(numbers, FORMATS[name]).all()


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_midpoints_and_their_neighbours_round_as_torch_rounds(name):
    numbers = np.unique(all_numbers(name)[np.isfinite(all_numbers(name))])
    middle = numbers[:-1] + np.diff(numbers) / 2
    float32 = np.concatenate([middle, np.nextafter(middle, -np.inf), np.nextafter(middle, np.inf)]).astype(np.float32)
    ours = round_to_format(float32.astype(np.float64), FORMATS[name])
    theirs = torch.from_numpy(float32).to(TORCH[name]).double().numpy()
    assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("name", ["float16", "float32"])
@given(values=st.lists(any_float, min_size=1, max_size=20))
def test_agrees_with_numpy_conversion(name, values):
    held = np.array(values)
    with np.errstate(over="ignore", under="ignore"):
        assert np.array_equal(round_to_format(held, FORMATS[name]), held.astype(name).astype(np.float64))


@given(any_float, st.sampled_from([FLOAT32, TF32, FLOAT16, BFLOAT16]))
def test_is_the_nearest_number_with_ties_to_even(value, target):
    exponent = max(np.frexp(value)[1] - 1 if value else target.exponent_min, target.exponent_min)
    step = Fraction(2) ** int(exponent - target.precision_bits + 1)
    nearest = round(Fraction(value) / step) * step  # Python rounds fractions half to even
    rounded = float(round_to_format(value, target))
    if abs(nearest) > Fraction(target.max_finite):
        assert rounded == np.copysign(np.inf, value)
    else:
        assert Fraction(rounded) == nearest


def test_overflow_specials_and_float64():
    assert round_to_format(1e5, FLOAT16) == np.inf
    assert round_to_format(-1e39, BFLOAT16) == -np.inf
    assert round_to_format(1e5, FORMATS["float8_e4m3fn"]) == 448.0
    assert np.isnan(round_to_format(np.nan, FLOAT16))
    assert round_to_format(np.inf, FLOAT32) == np.inf
    values = np.array([1.1, -2.2])
    kept = round_to_format(values, FLOAT64)
    assert np.array_equal(kept, values)
    assert kept is not values
