from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from halfulp.floats import fma32, fma64, round_to_odd, two_prod, two_sum

moderate = st.floats(min_value=-(2.0**100), max_value=2.0**100, allow_subnormal=False).filter(lambda x: x == 0 or abs(x) > 2.0**-100)
singles = st.floats(width=32, allow_nan=False, allow_infinity=False)


def nearest_float32(exact):
    """The float32 nearest to a fraction, ties to even, by comparing candidates exactly."""
    guess = np.float32(float(exact)) if abs(exact) < Fraction(2) ** 127 else np.float32(np.sign(float(exact)) * 3.4028234663852886e38)
    candidates = [np.nextafter(guess, np.float32(-np.inf)), guess, np.nextafter(guess, np.float32(np.inf))]
    candidates = [candidate for candidate in candidates if np.isfinite(candidate)]
    best = min(abs(Fraction(float(candidate)) - exact) for candidate in candidates)
    tied = [candidate for candidate in candidates if abs(Fraction(float(candidate)) - exact) == best]
    return min(tied, key=lambda each: int(each.view(np.int32)) & 1)


@given(moderate, moderate)
def test_two_sum_is_exact(a, b):
    total, error = two_sum(np.array(a), np.array(b))
    assert Fraction(float(total)) + Fraction(float(error)) == Fraction(a) + Fraction(b)


@given(moderate, moderate)
def test_two_prod_is_exact(a, b):
    product, error = two_prod(np.array(a), np.array(b))
    assert Fraction(float(product)) + Fraction(float(error)) == Fraction(a) * Fraction(b)


def test_two_prod_of_huge_operands_does_not_overflow_inside():
    product, error = two_prod(np.array([2.0**1000 * 1.1]), np.array([1.3]))
    assert Fraction(float(product[0])) + Fraction(float(error[0])) == Fraction(2.0**1000 * 1.1) * Fraction(1.3)
    assert two_prod(np.array([np.inf]), np.array([1.0]))[1] == 0.0


@given(singles, singles, singles)
def test_fma_rounds_once(a, b, c):
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    fused = fma32(a, b, c)
    if not np.isfinite(fused):
        assert abs(exact) >= Fraction(2) ** 128 - Fraction(2) ** 103
    else:
        assert float(fused) == float(nearest_float32(exact))


@given(moderate, moderate, moderate)
def test_fma_of_float64_rounds_once(a, b, c):
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    assert Fraction(float(fma64(a, b, c))) == Fraction(float(exact))  # Python rounds a fraction correctly


def test_fma_of_float64_keeps_what_is_not_finite():
    assert float(fma64(1e300, 1e300, 1.0)) == np.inf
    assert float(fma64(2.0, 3.0, -np.inf)) == -np.inf
    assert np.isnan(fma64(np.inf, 0.0, 1.0))


def test_fma_rounds_right_where_rounding_to_float64_first_does_not():
    # The product is a float32 midpoint; the addend is too small for float64 to see, and decides the direction.
    a, b, c = np.float32(1 + 2**-12), np.float32(1 + 2**-12), np.float32(2**-60)
    twice = np.float32(np.float64(a) * np.float64(b) + np.float64(c))
    assert float(twice) == 1 + 2**-11
    assert float(fma32(a, b, c)) == 1 + 2**-11 + 2**-23


@given(moderate, st.floats(min_value=-1, max_value=1))
def test_rounding_to_odd_leaves_exact_values_and_makes_the_rest_odd(value, remainder):
    odd = round_to_odd(np.array(value), np.array(remainder))
    if remainder == 0:
        assert odd == value
    else:
        assert int(np.array(odd).view(np.int64)) & 1 == 1
