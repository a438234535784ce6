"""Whether a call wrote to its inputs: compared as bits, then as numbers, so that NaN and zeros of both signs are what they are."""

import pytest
import torch

from halfulp.kernels.problems.facts import same, written

DTYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.bool, torch.complex64, torch.complex128)


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_was_written_is_seen(dtype):
    before = torch.arange(12).to(dtype).reshape(3, 4)
    after = before.clone()
    assert same(before, after) and not written([before], [after])
    after[2, 1] = 0
    assert not same(before, after) and written([before, before], [before, after]) == [1]


def test_nan_stays_nan_whatever_its_bits_and_zero_has_no_sign():
    quiet = torch.tensor([float("nan"), 0.0, 1.0])
    other = torch.tensor([0x7FC00001, -(2**31), 0x3F800000], dtype=torch.int64).to(torch.int32).view(torch.float32)
    assert same(quiet, other)
    assert not same(quiet, torch.tensor([float("nan"), 0.0, 2.0]))
    for instead in (0.0, 1.0, float("inf")):
        assert not same(quiet, torch.tensor([instead, 0.0, 1.0])), instead
    assert not same(torch.tensor([float("inf")]), torch.tensor([torch.finfo(torch.float32).max]))


def test_in_any_layout_and_with_nothing_in_it():
    whole = torch.arange(24.0).reshape(4, 6)
    assert same(whole[:, ::2], whole[:, ::2].clone()) and same(whole.t(), whole.clone().t())
    assert same(torch.zeros(0), torch.zeros(0)) and not same(torch.zeros(2), torch.zeros(3))


@pytest.mark.parametrize("turned", [lambda z: z.conj(), lambda z: z.conj().imag, lambda z: z.mT.conj()])
def test_views_that_are_conjugate_or_negated(turned):
    numbers = torch.randn(3, 3, dtype=torch.complex64)
    view = turned(numbers)
    assert same(view, view.clone()) and same(view.clone(), view)
    before = view.clone()
    numbers += 1
    numbers *= 2j
    assert not same(before, view)


def test_eight_bits_and_other_dtypes():
    eight = torch.tensor([1.0, 2.0]).to(torch.float8_e4m3fn)
    assert same(eight, eight.clone()) and not same(eight, torch.tensor([1.0, 4.0]).to(torch.float8_e4m3fn))
    assert not same(torch.tensor([1, 2]), torch.tensor([1, 3], dtype=torch.int32))
