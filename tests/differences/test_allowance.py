import mpmath
import numpy as np
import pytest

from halfulp.differences.allowance import MODEL_SLACK, max_limit, rms_limit, student_quantile


@pytest.mark.parametrize(("probability", "degrees", "table"), [(0.05, 2, 4.303), (0.001, 12, 4.318), (0.01, 30, 2.750), (1e-3, 4, 8.610)])
def test_quantiles_of_the_printed_tables(probability, degrees, table):
    assert student_quantile(probability, degrees) == pytest.approx(table, abs=6e-4)


@pytest.mark.parametrize(("probability", "degrees"), [(1e-9, 8), (1e-18, 4), (1e-20, 14), (1e-30, 64)])
def test_quantiles_far_out_have_the_probability_that_was_asked_for(probability, degrees):
    """P(|T| > t) is the incomplete beta function I_x(d / 2, 1 / 2) at x = d / (d + t^2) (Abramowitz and Stegun, 26.7.1), by mpmath."""
    t = mpmath.mpf(student_quantile(probability, degrees))
    tail = mpmath.betainc(mpmath.mpf(degrees) / 2, mpmath.mpf(1) / 2, 0, degrees / (degrees + t * t), regularized=True)
    assert float(tail) == pytest.approx(probability, rel=1e-9)


def test_limits_grow_with_elements_and_shrink_with_samples():
    assert max_limit(12, 10**6) > max_limit(12, 10) > rms_limit(12)
    assert max_limit(24, 10**6) < max_limit(12, 10**6)
    assert rms_limit(12) == MODEL_SLACK * rms_limit(12, slack=1.0)


def test_limits_are_these_numbers():
    """Student's t for 8 degrees, two-sided 1e-3, is 5.041 (printed tables); half as much again is allowed; tests share the chance."""
    assert MODEL_SLACK == 1.5
    assert rms_limit(8) == pytest.approx(1.5 * 5.0413, rel=1e-4)
    assert rms_limit(8, tests=50) == rms_limit(8, slack=1.0, tests=50) * 1.5 == 1.5 * student_quantile(1e-3 / 50, 8)
    assert rms_limit(9) == 1.5 * student_quantile(1e-3, 9) < rms_limit(8)
    assert max_limit(8, 20, tests=50) == rms_limit(8, tests=1000)
    assert max_limit(8, 20) == rms_limit(8, tests=20) == 1.5 * max_limit(8, 20, slack=1.0)
    assert max_limit(8, 0) == max_limit(8, 1) == rms_limit(8)


def test_honest_gaussian_errors_stay_below():
    """2,000 tensors whose errors follow the model: one in a thousand statistics may exceed a limit without slack."""
    generator = np.random.default_rng(0)
    alarms = 0
    for _ in range(2000):
        spread = np.sqrt(np.mean(generator.standard_normal((12, 50)) ** 2, axis=0))
        alarms += np.abs(generator.standard_normal(50) / spread).max() > max_limit(12, 50, slack=1.0)
    assert alarms <= 8  # expected 2; more than 8 has probability 2e-4
