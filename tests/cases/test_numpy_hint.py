"""Code of NumPy that gets tensors of PyTorch is told how to get arrays."""

import numpy as np
import pytest
import torch

import halfulp


def swapped(x):
    return np.asarray(x.transpose(0, 2, 1, 3))


def test_code_of_numpy_that_gets_tensors_is_told_how_to_get_arrays():
    with pytest.raises(halfulp.RunError, match=r'`actual` received PyTorch tensors.*halfulp\.backend\("numpy"\)\.implement\(actual\)'):
        halfulp.check(swapped, lambda x: x.transpose(1, 2), (torch.randn(2, 3, 4, 5),))
    actual = halfulp.backend("numpy").implement(swapped)
    assert halfulp.check(actual, lambda x: x.transpose(1, 2), (torch.randn(2, 3, 4, 5),)).verdict is halfulp.Verdict.IDENTICAL


def test_other_errors_are_not():
    def broken(x):
        raise ValueError("no")

    with pytest.raises(halfulp.RunError) as raised:
        halfulp.check(broken, lambda x: x, (torch.randn(2),))
    assert "implement(" not in str(raised.value)
