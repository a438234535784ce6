from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from halfulp.floats import BFLOAT16, FLOAT32, correctly_rounded_dot, doubled_dot, doubled_matmul, gamma, round_to_format

values = st.lists(st.floats(min_value=-1e6, max_value=1e6).filter(lambda x: x == 0 or abs(x) > 1e-6), min_size=1, max_size=30)


def exact_dot(left, right):
    return sum((Fraction(float(a)) * Fraction(float(b)) for a, b in zip(left, right)), Fraction(0))


@given(values, st.randoms(use_true_random=False))
def test_correctly_rounded_to_float64(left, random):
    right = [random.uniform(-1, 1) for _ in left]
    assert correctly_rounded_dot(left, right) == float(exact_dot(left, right))


@pytest.mark.parametrize("target", [FLOAT32, BFLOAT16])
def test_rounds_once_to_a_coarser_format(target):
    # 1 + half an ulp + a little: rounding to float64 first would drop the little and tie to even.
    half = target.unit_roundoff
    assert correctly_rounded_dot([1.0, half, 2.0**-80], [1.0, 1.0, 1.0], target) == 1.0 + 2 * half
    assert correctly_rounded_dot([1.0, half], [1.0, 1.0], target) == 1.0
    assert correctly_rounded_dot([], [], target) == 0.0


class Subnormal:
    """In the place of random numbers: the smallest ones."""

    def uniform(self, low, high):
        return 5e-324


@given(values, st.randoms(use_true_random=False))
@example([1.5], Subnormal())
def test_doubled_dot_keeps_its_bound(left, random):
    right = [random.uniform(-1, 1) for _ in left]
    exact = exact_dot(left, right)
    size = float(sum(abs(a * b) for a, b in zip(left, right)))
    error = abs(Fraction(float(doubled_dot(left, right))) - exact)
    underflow = 5 * len(left) * Fraction(2.0**-1074)  # products of the smallest numbers have no exact error (Ogita, Rump and Oishi 2005)
    assert error <= Fraction(2.0**-53) * abs(exact) + Fraction(gamma(len(left), 2.0**-53) ** 2 * size) + underflow


def test_doubled_matmul_agrees_with_exact_dots_where_float64_cancels():
    generator = np.random.default_rng(0)
    left, right = generator.standard_normal((3, 4, 40)), generator.standard_normal((40, 5))
    left[..., 20:] = -left[..., :20] * (1 + 1e-9)
    right[20:] = right[:20]
    product = doubled_matmul(left, right)
    assert product.shape == (3, 4, 5)
    for place in np.ndindex(3, 4, 5):
        exact = exact_dot(left[place[0], place[1]], right[:, place[2]])
        assert abs(Fraction(float(product[place])) - exact) <= abs(exact) * Fraction(2.0**-52)


def test_empty_axis_gives_zero():
    assert doubled_dot(np.zeros((2, 0)), np.zeros((2, 0))).tolist() == [0.0, 0.0]
    assert float(round_to_format(doubled_dot([0.1], [1.0]), FLOAT32)) == float(np.float32(0.1))
