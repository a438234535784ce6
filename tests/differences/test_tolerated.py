"""Somebody's limits on two results: the rule of assert_close, counted."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import halfulp
from halfulp.differences.tolerated import Rule, tolerated


def kept(actual, expected, **limits):
    return tolerated(halfulp.compare(actual, expected), actual, expected, Rule(**limits))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-1e3, 1e3, width=32), min_size=1, max_size=9), st.floats(0, 0.1), st.floats(0, 0.1), st.integers(0, 2**32 - 1))
def test_it_counts_what_assert_close_counts(values, rtol, atol, seed):
    expected = np.float32(values)
    actual = expected * np.float32(1 + 0.05 * np.random.default_rng(seed).standard_normal(len(values)))
    found = kept(actual, expected, rtol_rel=rtol, atol_abs=atol)
    wanted = ~np.isclose(actual.astype(float), expected.astype(float), rtol=rtol, atol=atol)
    assert found.beyond == wanted.sum() and found.count == len(values)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_every_format(dtype):
    x = torch.tensor([1.0, 2.0, float("nan"), float("inf")], dtype=dtype)
    assert kept(x, x, rtol_rel=0.0).beyond == 0
    assert kept(x, x + torch.tensor([0.5, 0.0, 0.0, 0.0], dtype=dtype), rtol_rel=0.1).beyond == 1
    assert kept(x, torch.tensor([1.0, 2.0, 0.0, 0.0], dtype=dtype), rtol_rel=0.1).beyond == 2


def test_ulps_alone_and_the_worst_tensor():
    expected = {"a": torch.ones(3), "b": torch.ones(4)}
    actual = {"a": torch.ones(3), "b": torch.nextafter(torch.ones(4), torch.tensor(2.0))}
    assert kept(actual, expected, max_ulps=1).beyond == 0
    found = kept(actual, expected, max_ulps=0)
    assert found.beyond and "b" in found.worst


def test_exit_codes_with_limits_and_across_formats():
    import dataclasses

    wide = np.linspace(0.0, 1.0, 50) ** 2
    narrow = wide.astype(np.float32)
    compared = halfulp.compare(narrow, wide)
    assert compared.exit_code == 0 and not compared.structural  # the same numbers, as far as float32 goes
    assert halfulp.compare(narrow * np.float32(1.01), wide).exit_code == 3
    for rtol, code in ((0.02, 0), (0.001, 1)):
        actual = narrow * np.float32(1.01)
        rule = tolerated(halfulp.compare(actual, wide), actual, wide, Rule(rtol_rel=rtol))
        assert dataclasses.replace(halfulp.compare(actual, wide), tolerated=rule).exit_code == code
    assert halfulp.compare({"a": narrow}, {"a": narrow, "b": narrow}).exit_code == 1
    assert halfulp.compare(np.int32([1]), np.float32([1])).exit_code == 1
