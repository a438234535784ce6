"""Tensors compared where they lie: the same numbers as the loop on the processor. Run with the processor as the device, and on CUDA."""

import dataclasses
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from halfulp.differences import compare, kernels, leaves, on_device, totals

HAS_CUDA = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
DEVICES = ["cpu", pytest.param("cuda", marks=[pytest.mark.gpu, HAS_CUDA])]
DTYPES = [
    torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.float8_e4m3fn, torch.float8_e5m2, torch.int64, torch.int32, torch.int8,
    torch.uint8, torch.bool,
]  # fmt: skip
SPECIALS = torch.tensor([0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 1e-45, -1e-45, 1.5, 3e38, -3e38, 6e-39], dtype=torch.float64)


@pytest.fixture(autouse=True)
def _everywhere(monkeypatch):
    monkeypatch.setattr(leaves, "ON_DEVICE", ("cuda", "cpu"))


def drawn(dtype, shape, seed):
    generator = torch.Generator().manual_seed(seed)
    if not dtype.is_floating_point:
        high = {torch.bool: 2, torch.int8: 100, torch.uint8: 200}.get(dtype, 1 << 60)
        return torch.randint(0, high, shape, generator=generator).to(dtype)
    numbers = torch.randn(shape, generator=generator, dtype=torch.float64)
    picks = torch.randint(0, 4 * len(SPECIALS), shape, generator=generator)
    return torch.where(picks < len(SPECIALS), SPECIALS[picks % len(SPECIALS)], numbers).to(dtype)


def both(actual, reference, device, monkeypatch, **options):
    """The difference found on the device, and by the loop on the processor."""
    there = compare(actual.to(device), reference.to(device), **options)
    monkeypatch.setattr(leaves, "ON_DEVICE", ())
    return there, compare(actual, reference, **options)


def assert_same(there, here):
    assert len(there.differences) == len(here.differences) and there.mismatches == here.mismatches
    for mine, other in zip(there, here):
        for field in dataclasses.fields(mine):
            found, expected = getattr(mine, field.name), getattr(other, field.name)
            if field.name in ("mean_abs", "bias", "rms", "rel_rms", "sqnr_db", "cosine"):  # sums in another order
                assert found == pytest.approx(expected, rel=1e-9, abs=1e-9 * other.mean_abs, nan_ok=True), field.name
            elif field.name.startswith("worst"):
                assert repr(found) == repr(expected), field.name
            else:
                assert found == expected or (found != found and expected != expected), field.name


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (1,), (0,), (7, 5), (3, 1000)])
def test_the_numbers_are_those_of_the_processor(dtype, shape, device, monkeypatch):
    actual, reference = drawn(dtype, shape, 1), drawn(dtype, shape, 2)
    if shape == (3, 1000):
        actual = torch.where(torch.rand(shape, generator=torch.Generator().manual_seed(3)) < 0.5, reference.float(), actual.float()).to(
            dtype
        )
    assert_same(*both(actual, reference, device, monkeypatch))


@pytest.mark.parametrize("device", DEVICES)
def test_chunks_views_complex_numbers_and_containers(device, monkeypatch):
    monkeypatch.setattr(on_device, "CHUNK", 64)
    wide = drawn(torch.float32, (40, 30), 4)
    nested = lambda x: {"t": x.T, "gaps": x[::3, ::2], "complex": torch.complex(x, x.flip(0)), "conj": torch.complex(x, x).conj()}
    moved = {name: (value * (1 + 1e-6)) for name, value in nested(wide).items()}
    at = lambda tree: {name: value.to(device) for name, value in tree.items()}
    there = compare(at(moved), at(nested(wide)), worst=9)
    monkeypatch.setattr(leaves, "ON_DEVICE", ())
    assert_same(there, compare(moved, nested(wide), worst=9))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.floats(width=32), st.floats(width=32)), min_size=1, max_size=50), st.integers(0, 6))
def test_any_numbers(pairs, worst):
    actual, reference = (torch.tensor(each, dtype=torch.float32) for each in zip(*pairs))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leaves, "ON_DEVICE", ("cpu",))
        assert_same(*both(actual, reference, "cpu", patch, worst=worst))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.floats(), st.floats()), min_size=1, max_size=50))
def test_any_numbers_in_float64(pairs):
    actual, reference = (torch.tensor(each, dtype=torch.float64) for each in zip(*pairs))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leaves, "ON_DEVICE", ("cpu",))
        assert_same(*both(actual, reference, "cpu", patch))


@pytest.mark.parametrize("device", DEVICES)
def test_tensors_stay_where_they_are(device, monkeypatch):
    monkeypatch.setattr(leaves.DeviceLeaf, "stored", property(lambda leaf: pytest.fail("fetched")))
    x = torch.randn(1000, generator=torch.Generator().manual_seed(5)).to(device)
    assert compare(x + 1e-6, x).unequal > 0
    assert compare(x[:-1], x).mismatches[0].kind == "shape"


@pytest.mark.parametrize("device", DEVICES)
def test_what_is_kept_is_on_the_processor(device):
    tensor = torch.arange(4.0).to(device)
    leaf = leaves.leaves_of(tensor)[0]
    kept = leaf.owned("there")
    tensor.zero_()
    assert (kept.path, kept.stored.tolist(), kept.device) == ("there", [0.0, 1.0, 2.0, 3.0], str(tensor.device))


def test_unsigned_integers_and_other_dtypes_take_the_way_of_the_processor():
    wide = torch.tensor([1, 2**63 + 5], dtype=torch.uint64)
    assert compare(wide, wide).same_bits
    found = compare(torch.ones(3), torch.ones(3, dtype=torch.float64))
    assert [mismatch.kind for mismatch in found.mismatches] == ["dtype"] and found.max_abs == 0.0


def test_the_bins_of_the_histogram_are_those_of_the_loop():
    distances = torch.tensor([0.0, 1.0, 2.0, 255.0, 256.0, 257.0, 2.0**20 + 3, 2.0**63, 2.0**64])
    steps = np.zeros((4, totals.HISTOGRAM_BINS), np.int64)
    kernels._block_histogram(distances.numpy().view(np.int32), len(distances), steps)
    assert on_device._histogram(distances.double()).numpy().tolist() == steps.sum(0).tolist()
