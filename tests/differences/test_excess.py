import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfulp.differences.allowance import rms_limit
from halfulp.differences.excess import Excess, RootMeanSquare, Tally, root_mean_square
from halfulp.floats import FLOAT32


def drawn(size, seed=0):
    random = np.random.default_rng(seed)
    return random.standard_normal(size), random.standard_normal(size), np.abs(random.standard_normal(size)) + 0.1


@given(cuts=st.lists(st.integers(0, 500), max_size=6), scale=st.integers(-900, 900))
def test_parts_give_what_the_whole_gives(cuts, scale):
    """Of numbers of any size: neither overflow nor underflow of squares is seen."""
    actual, exact, spread = (np.ldexp(each, scale) for each in drawn(500))
    whole, parts = Tally(), Tally()
    whole.add(actual, exact, spread)
    for start, end in zip([0, *sorted(cuts)], [*sorted(cuts), 500]):
        parts.add(actual[start:end], exact[start:end], spread[start:end])
    one, many = whole.residual(shape=(20, 25)), parts.residual(shape=(20, 25))
    assert (one.count, one.nonzero, one.worst_index, one.max_in_noise) == (many.count, many.nonzero, many.worst_index, many.max_in_noise)
    for name in ("rms_in_noise", "norm_in_noise", "rms", "reference_rms"):
        assert getattr(many, name) == pytest.approx(getattr(one, name), rel=1e-12), name
    small = Tally()
    small.add(*drawn(500))
    assert one.rms_in_noise == pytest.approx(small.residual().rms_in_noise, rel=1e-12)


def test_numbers_that_are_not_finite_are_left_out_or_watched():
    actual, exact, spread = drawn(10)
    actual[3], exact[4], actual[5], exact[5] = math.nan, math.inf, math.inf, math.inf
    left_out = Tally()
    left_out.add(actual, exact, spread)
    assert left_out.residual().count == 7 and not left_out.residual().nonfinite
    watched = Tally(FLOAT32)
    watched.add(actual, exact, spread)
    found = watched.residual()
    assert found.nonfinite and found.worst_index == (3,) and found.rms_in_noise == math.inf
    overflown = Tally(FLOAT32)
    overflown.add(np.array([np.inf]), np.array([3.5e38]), np.array([1e31]))  # beyond the range infinity is right
    assert not overflown.residual().nonfinite


def test_an_error_where_rounding_can_make_none_is_beyond_every_limit():
    tally = Tally()
    tally.add(np.array([1.0, 2.0]), np.array([1.0, 2.5]), np.zeros(2))
    assert tally.residual().excess(8).of_limit == math.inf
    assert Tally().residual().excess(8).within


def test_complex_numbers_and_integers_are_measured():
    tally = Tally()
    tally.add(np.array([3 + 4j]), np.array([0j]), np.array([1.0]))
    assert tally.residual().rms_in_noise == 5.0
    tally = Tally()
    tally.add(np.array([2**63 - 1]), np.array([-(2**63)]), np.array([1.0]))
    assert tally.residual().rms == 2.0**64


@pytest.mark.parametrize("tests", [1, 7, 1000])
def test_one_at_the_limit(tests):
    tally = Tally()
    limit = rms_limit(8, tests=tests)
    tally.add(np.full(50, limit), np.zeros(50), np.ones(50))
    assert tally.residual().excess(8, tests=tests).of_limit == pytest.approx(1.0)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_root_mean_squares_neither_overflow_nor_vanish(values):
    found = root_mean_square(np.array(values))
    largest = max(map(abs, values))
    assert largest / math.sqrt(len(values)) * (1 - 1e-12) <= found <= largest * (1 + 1e-12)


def test_a_root_mean_square_of_nothing_is_zero_and_of_nan_is_nan():
    assert RootMeanSquare().value == 0.0
    assert math.isnan(root_mean_square(np.array([1.0, math.nan])))


def test_an_excess_in_words():
    assert (
        str(Excess(math.inf, math.inf))
        == "infinitely many times (rms) what rounding causes, and infinitely many times the limit of a correct implementation at its worst"
    )
    assert (
        Excess(36953.2, 4888.04).words(" in float32")
        == "36,953 times (rms) what rounding in float32 causes, and 4,888 times the limit of a correct implementation at its worst"
    )
