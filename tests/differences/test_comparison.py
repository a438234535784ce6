"""The metrics against their definitions, computed the slow way."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import halfulp
from halfulp.differences import compare
from halfulp.differences.comparison import CHUNK, COPIED_CHUNK
from halfulp.errors import InputError
from halfulp.floats import FORMATS, ulp_distance

specials = [0.0, -0.0, math.inf, -math.inf, math.nan, 1e-45, -1e-40, 3e38, 1.0]
numbers = st.one_of(st.sampled_from(specials), st.floats(width=32))


def slow(actual, reference, form):
    """Every metric by its definition, in float64."""
    a, r = actual.astype(np.float64), reference.astype(np.float64)
    both = np.isfinite(a) & np.isfinite(r)
    r_, a_ = r[both], a[both]
    d = a_ - r_
    with np.errstate(divide="ignore", invalid="ignore"):
        rel = np.abs(d) / np.abs(r_)
    ulps = ulp_distance(a_, r_, form)
    count = max(1, both.sum())
    return {
        "count": a.size,
        "compared": both.sum(),
        "unequal": (a_ != r_).sum(),
        "max_abs": np.abs(d).max(initial=0),
        "mean_abs": np.abs(d).sum() / count,
        "bias": d.sum() / count,
        "max_rel": rel[r_ != 0].max(initial=0),
        "nonzero_against_zero": ((r_ == 0) & (a_ != 0)).sum(),
        "rms": np.sqrt((d**2).sum() / count),
        "max_ulps": int(ulps.max(initial=0)),
        "nan_actual_only": (np.isnan(a) & ~np.isnan(r)).sum(),
        "nan_reference_only": (~np.isnan(a) & np.isnan(r)).sum(),
        "nan_both": (np.isnan(a) & np.isnan(r)).sum(),
        "inf_actual_only": (np.isinf(a) & np.isfinite(r)).sum(),
        "inf_reference_only": (np.isfinite(a) & np.isinf(r)).sum(),
        "inf_both": (np.isinf(a) & (a == r)).sum(),
        "inf_sign": (np.isinf(a) & np.isinf(r) & (a != r)).sum(),
        "signed_zeros": ((a_ == 0) & (r_ == 0) & (np.signbit(a_) != np.signbit(r_))).sum(),
    }


def assert_metrics(difference, expected):
    for name, value in expected.items():
        # Sums of up to 2**17 terms in another order: gamma_n of float64 relative to the sum of magnitudes.
        assert getattr(difference, name) == pytest.approx(value, rel=1e-10, abs=1e-10 * (1 + abs(expected["mean_abs"]))), name


@pytest.mark.parametrize("kind", ["float32", "float64", "float16"])
@given(data=st.lists(st.tuples(numbers, numbers), max_size=40))
def test_all_metrics_by_their_definition(kind, data):
    with np.errstate(over="ignore"):
        actual = np.array([pair[0] for pair in data], dtype=kind)
        reference = np.array([pair[1] for pair in data], dtype=kind)
    difference = compare(actual, reference).differences[0]
    assert_metrics(difference, slow(actual, reference, FORMATS[kind]))


@pytest.mark.parametrize("size", [CHUNK - 1, CHUNK + 5, 2 * CHUNK + 4097])
def test_chunks_join(size):
    generator = np.random.default_rng(0)
    reference = generator.standard_normal(size, dtype=np.float32)
    actual = reference * np.float32(1 + 2**-20)
    actual[[0, size // 2, size - 1]] = [7.0, np.nan, 9.0]
    difference = compare(actual, reference, worst=2).differences[0]
    expected = slow(actual, reference, FORMATS["float32"])
    for name, value in expected.items():
        assert getattr(difference, name) == pytest.approx(value, rel=1e-7, abs=1e-9), name
    assert {each.index for each in difference.worst_abs} <= {(0,), (size - 1,)}


def test_result_does_not_depend_on_the_number_of_threads(monkeypatch):
    generator = np.random.default_rng(1)
    reference = generator.standard_normal(2 * CHUNK + 77, dtype=np.float32)
    actual = reference + np.float32(1e-3)
    many = compare(actual, reference)
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    assert compare(actual, reference) == many


@pytest.mark.parametrize("view", [lambda x: x.T, lambda x: x[::2, 1::3], lambda x: x[::-1], lambda x: np.broadcast_to(x[:1], x.shape)])
def test_views_of_any_strides(view):
    generator = np.random.default_rng(0)
    base = generator.standard_normal((700, 900))
    other = base * (1 + 1e-9)
    viewed = compare(view(other), view(base)).differences[0]
    packed = compare(view(other).copy(), view(base).copy()).differences[0]
    assert viewed.worst_abs == packed.worst_abs
    assert viewed.rms == pytest.approx(packed.rms, rel=1e-12)


def test_large_strided_pair_uses_threads_and_keeps_places():
    base = np.zeros((3, COPIED_CHUNK), dtype=np.float32)
    other = base.copy()
    other[2, 5] = 1.0
    found = compare(other.T, base.T).differences[0]
    assert found.unequal == 1
    assert found.worst_abs[0].index == (5, 2)


def test_worst_elements_by_each_measure():
    reference = np.array([100.0, 1e-6, 0.0, 5.0])
    actual = np.array([101.0, 2e-6, 1e-9, 5.0])
    difference = compare(actual, reference).differences[0]
    assert difference.worst_abs[0].index == (0,)
    assert difference.worst_rel[0].index == (2,)
    assert difference.worst_rel[0].rel_difference == math.inf
    assert difference.worst_rel[1].index == (1,)
    assert difference.worst_ulps[0].index == (2,)
    assert len(difference.worst_abs) == 3  # the equal element is none of the worst
    assert compare(actual, reference, worst=0).differences[0].worst_abs == ()


def test_histogram_and_median_of_known_distances():
    reference = np.ones(1000, dtype=np.float32)
    bits = reference.view(np.int32) + np.repeat([0, 1, 3, 200, 100_000], 200).astype(np.int32)
    difference = compare(bits.view(np.float32), reference).differences[0]
    assert difference.median_ulps == 3.0
    assert difference.ulp_histogram == ((0, 200), (1, 200), (4, 200), (256, 200), (131072, 200))
    assert difference.max_ulps == 100_000


def test_opposite_signs_are_far_apart_and_exactly_counted():
    difference = compare(np.float32([-1.0]), np.float32([1.0])).differences[0]
    assert difference.max_ulps == 2 * 0x3F800000
    double = compare(np.array([-1.7e308]), np.array([1.7e308])).differences[0]
    assert double.max_ulps == int(ulp_distance(-1.7e308, 1.7e308, FORMATS["float64"]))


def test_mixed_dtypes_count_ulps_of_the_coarser():
    difference = compare(torch.tensor([1.0 + 2.0**-7], dtype=torch.bfloat16), torch.tensor([1.0], dtype=torch.float64)).differences[0]
    assert (difference.ulp_format, difference.max_ulps) == ("bfloat16", 1)
    assert compare(np.int32([3]), np.float32([3.5])).differences[0].max_abs == 0.5


def test_integers_and_booleans():
    difference = compare(np.array([2**62, 5, -1]), np.array([2**62 + 1, 5, 1])).differences[0]
    assert (difference.unequal, difference.max_ulps, difference.ulp_format) == (2, 2, "integer")
    assert compare(np.array([2**64 - 1], dtype=np.uint64), np.array([0], dtype=np.uint64)).differences[0].max_ulps == 2**64 - 1
    assert compare(torch.tensor([True, False]), torch.tensor([True, True])).differences[0].unequal == 1
    assert compare(np.int8([1]), np.int16([1])).mismatches[0].kind == "dtype"


def test_bfloat16_and_float8_compare_by_their_bits():
    values = torch.linspace(-4, 4, 1001)
    for dtype in (torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2, torch.float16):
        stored = values.to(dtype)
        difference = compare(stored, stored).differences[0]
        assert difference.same_bits
        assert difference.sqnr_db == math.inf
        assert difference.cosine == pytest.approx(1.0)


def test_structure_shape_and_dtype_mismatches_say_where():
    compared = compare({"a": torch.zeros(2), "b": torch.zeros(3), "d": 1}, {"a": torch.zeros(2).double(), "b": torch.zeros(4), "c": 1})
    found = {(mismatch.path, mismatch.kind) for mismatch in compared.mismatches}
    assert found == {("['a']", "dtype"), ("['b']", "shape"), ("['c']", "missing"), ("['d']", "unexpected")}
    assert not compared.same_bits
    assert compared["['a']"].max_abs == 0
    with pytest.raises(KeyError):
        compared["['z']"]


def test_empty_scalar_and_totals():
    compared = compare([torch.empty(0, 3), torch.tensor(2.0)], [torch.empty(0, 3), torch.tensor(2.5)])
    assert compared.count == 1
    assert compared.unequal == 1
    assert compared.max_abs == 0.5
    assert compared.max_rel == 0.2
    assert compared.max_ulps == int(ulp_distance(2.0, 2.5, FORMATS["float32"]))
    assert [each.median_ulps for each in compared][0] == 0.0
    assert str(compared) == halfulp.report(compared)
    assert compare([], []).max_abs == 0.0


def test_cosine_of_opposite_orthogonal_and_zero():
    assert compare(np.array([1.0, 0]), np.array([-1.0, 0])).differences[0].cosine == -1.0
    assert compare(np.array([1.0, 0]), np.array([0, 1.0])).differences[0].cosine == 0.0
    assert math.isnan(compare(np.array([1.0]), np.array([0.0])).differences[0].cosine)
    assert compare(np.array([0.0]), np.array([0.0])).differences[0].cosine == 1.0
    assert compare(np.array([1.0]), np.array([0.0])).differences[0].sqnr_db == -math.inf


def test_memory_map_is_read_where_it_lies(tmp_path):
    stored = np.lib.format.open_memmap(tmp_path / "a.npy", mode="w+", dtype=np.float32, shape=(1000, 100))
    stored[:] = 1.0
    stored.flush()
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    assert compare(mapped, np.ones((1000, 100), dtype=np.float32)).same_bits


def test_negative_worst_is_refused():
    with pytest.raises(InputError, match="Got worst=-1. Needed: 0 or more"):
        compare(1.0, 1.0, worst=-1)
