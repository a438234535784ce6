"""The kernel on small blocks, and NumPy on the same; also run with numba's compiler off, where coverage sees its lines."""

import numpy as np
import pytest

from halfulp import compiled
from halfulp.differences import compare, kernels


@pytest.fixture(autouse=True, params=["compiled", "by NumPy"])
def _way(request, monkeypatch):
    monkeypatch.setattr(compiled, "pays", lambda _: request.param == "compiled")


def test_specials_in_one_block_do_not_hide_the_others(monkeypatch):
    actual = np.array([1.0, np.nan, np.inf, -np.inf, np.inf, 2.0, np.nan, 0.0, 4.0], dtype=np.float32)
    reference = np.array([1.0, np.nan, np.inf, np.inf, 3.0, np.inf, 5.0, -0.0, 4.5], dtype=np.float32)
    found = compare(actual, reference).differences[0]
    assert (found.nan_both, found.inf_both, found.inf_sign, found.inf_actual_only, found.inf_reference_only, found.nan_actual_only) == (
        1,
        1,
        1,
        1,
        1,
        1,
    )
    assert (found.compared, found.unequal, found.signed_zeros) == (3, 1, 1)
    assert found.worst_abs[0].index == (8,)
    assert not found.same_bits
    assert found.special_mismatches == 4
    assert found.ulp_histogram[0] == (0, 2)


def test_blocks_join_at_their_seams():
    size = 2 * kernels.BLOCK + 3
    reference = np.ones(size, dtype=np.float32)
    actual = reference.copy()
    places = [0, kernels.BLOCK - 1, kernels.BLOCK, size - 1]
    actual[places] = [1.5, 1.25, 1.125, 3.0]
    found = compare(actual, reference, worst=4).differences[0]
    assert [each.index[0] for each in found.worst_abs] == [size - 1, 0, kernels.BLOCK - 1, kernels.BLOCK]
    assert found.max_abs == 2.0
    assert found.mean_abs == pytest.approx(2.875 / size, rel=1e-12)


def test_differences_against_zero_are_counted_and_rank_first():
    found = compare(np.array([1e-30, 2.0, 0.0]), np.array([0.0, 1.0, 0.0])).differences[0]
    assert found.nonzero_against_zero == 1
    assert found.max_rel == 1.0
    assert found.worst_rel[0].index == (0,)


def test_integers_take_their_own_order():
    found = compare(np.array([-3, 4]), np.array([3, 4])).differences[0]
    assert (found.max_ulps, found.unequal) == (6, 1)


def test_ties_keep_the_first_place():
    found = compare(np.full(10, 2.0), np.ones(10), worst=3).differences[0]
    assert [each.index[0] for each in found.worst_abs] == [0, 1, 2]
    assert compare(np.full(10, 2.0), np.ones(10), worst=0).differences[0].max_rel == 1.0
