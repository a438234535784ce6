"""How close a result has to be to be taken for right at once."""

import numpy as np
import pytest

from halfulp.floats import BFLOAT16, FLOAT16, FLOAT32, FLOAT64
from halfulp.kernels.looks import unit


@pytest.mark.parametrize("form", [FLOAT32, BFLOAT16, FLOAT64])
def test_subnormal_numbers_may_be_taken_for_zero_where_devices_do_so(form):
    smallest = 2.0**form.exponent_min
    assert unit(np.array([smallest / 8, 0.0]), form).tolist() == [smallest] * 2
    assert unit(np.array([1.0, -3.0]), form).tolist() == [form.unit_roundoff, 3 * form.unit_roundoff]


def test_small_numbers_of_float16_are_numbers():
    """Probabilities of a softmax over 100,000 classes are subnormal there: zeros are wrong."""
    assert unit(np.array([1e-5]), FLOAT16)[0] == pytest.approx(1e-5 * FLOAT16.unit_roundoff)
