import numpy as np
import pytest

from halfulp.differences.in_u import error_in_u
from halfulp.errors import InputError


def test_componentwise_backward_error_of_a_product():
    generator = np.random.default_rng(0)
    left, right = generator.standard_normal((20, 300), dtype=np.float32), generator.standard_normal((300, 10), dtype=np.float32)
    exact = left.astype(np.float64) @ right.astype(np.float64)
    scale = np.abs(left.astype(np.float64)) @ np.abs(right.astype(np.float64))
    found = error_in_u(left @ right, exact, scale=scale)[0]
    assert found.scale == "given"
    assert found.max_in_u <= 300  # gamma_n / u: proved for any order
    assert 0 < found.rms_in_u <= found.max_in_u
    assert found.unit_roundoff == 2.0**-24


def test_default_scale_declared_format_and_zero_errors():
    found = error_in_u(np.float32([3.0, 4.0]), np.array([3.0, 4.0]), declared="bfloat16")[0]
    assert (found.max_in_u, found.declared, found.scale) == (0.0, "bfloat16", "rms of the reference")
    assert error_in_u(np.float32([]), np.array([]))[0].count == 0


def test_shapes_must_agree():
    with pytest.raises(InputError, match=r"Got shape \(2,\) in the result, \(3,\) in the reference"):
        error_in_u(np.zeros(2), np.zeros(3))
