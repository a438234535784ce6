import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from halfulp.floats import gamma, probabilistic_gamma


@given(st.integers(1, 10**6))
def test_gamma_bounds_the_worst_product_of_n_roundings(n):
    u = Fraction(1, 2**24)
    worst = (1 + u) ** min(n, 200) - 1  # exact; larger n only by the closed form
    assert gamma(min(n, 200), 2.0**-24) >= float(worst)


def test_gamma_says_nothing_when_n_u_reaches_one():
    assert gamma(2**24, 2.0**-24) == math.inf
    assert gamma(0, 2.0**-24) == 0.0


@given(st.integers(400, 10**6))
def test_probabilistic_bound_grows_as_the_root(n):
    ratio = probabilistic_gamma(4 * n, 2.0**-53) / probabilistic_gamma(n, 2.0**-53)
    assert abs(ratio - 2.0) < 1e-6
    assert probabilistic_gamma(n, 2.0**-24) < gamma(n, 2.0**-24)
