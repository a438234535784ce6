"""The hash of NumPy and that of PyTorch are one; no change of one element escapes it; sampled places are a prefix of each other."""

import numpy as np
import pytest
import torch
from hypothesis import assume, example, given
from hypothesis import strategies as st

from halfulp.recording import summary
from halfulp.traces.hashes import CHUNK, hash_of, hash_of_parts, weights
from halfulp.traces.samples import sampled_places
from halfulp.traces.shards import ITEM_BYTES

DTYPES = sorted(ITEM_BYTES)
SIZES = sorted({
    0, 1, 2, 3, 7, CHUNK // 4 - 1, CHUNK // 4, CHUNK // 4 + 1, CHUNK // 2 - 1, CHUNK // 2, CHUNK // 2 + 1,
    CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 2 * CHUNK + 3,
})  # fmt: skip
BITS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64, 16: np.complex128}


def random_bytes(dtype, size, seed=0):
    count = size * ITEM_BYTES[dtype]
    raw = np.random.default_rng(seed).integers(0, 2 if dtype == "bool" else 256, count, dtype=np.uint8)
    return raw


def as_torch(raw, dtype):
    if not raw.size:
        return torch.empty(0, dtype=getattr(torch, dtype))
    return torch.from_numpy(raw.copy()).view(getattr(torch, dtype))


def as_numpy(raw, dtype):
    return raw.view(BITS[ITEM_BYTES[dtype]])


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_and_torch_give_the_same_hash(dtype):
    seen = set()
    for size in SIZES:
        raw = random_bytes(dtype, size, seed=size)
        found = hash_of(as_numpy(raw, dtype))
        assert found == summary.hash_of(as_torch(raw, dtype)), size
        assert len(found) == 16 and int(found, 16) >= 0
        seen |= {found} if size >= 7 else set()
    assert len(seen) == sum(size >= 7 for size in SIZES)


@pytest.mark.parametrize("dtype", DTYPES)
def test_parts_of_chunk_elements_give_the_hash_of_the_whole(dtype):
    for size in (0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 3):
        values = as_numpy(random_bytes(dtype, size, seed=size), dtype)
        parts = [values[start : start + CHUNK] for start in range(0, size, CHUNK)]
        assert hash_of_parts(parts) == hash_of_parts(iter(parts)) == hash_of(values)
        assert hash_of(values.reshape(1, -1)) == hash_of(values)


def test_logical_order_counts_not_that_of_memory():
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert hash_of(x.T) == hash_of(np.ascontiguousarray(x.T)) != hash_of(x)
    t = torch.from_numpy(x)
    assert summary.hash_of(t.t().contiguous()) == hash_of(x.T)


def test_the_sign_of_any_element_counts():
    """Exhaustive over places of two chunks' ends and beginnings, and over all places of a small tensor."""
    small = np.random.default_rng(1).standard_normal(999).astype(np.float32)
    for dtype in (np.float16, np.float32, np.float64):
        x = small.astype(dtype)
        before = hash_of(x)
        for place in range(x.size):
            x[place] = -x[place]
            assert hash_of(x) != before, place
            x[place] = -x[place]
    large = np.random.default_rng(2).standard_normal(CHUNK + 5).astype(np.float32)
    before = hash_of(large)
    for place in (0, 1, CHUNK - 1, CHUNK, CHUNK + 4):
        large[place] = -large[place]
        assert hash_of(large) != before
        large[place] = -large[place]
    assert hash_of(np.float32([0.0])) != hash_of(np.float32([-0.0]))


def test_the_signs_of_all_elements_together_count():
    for size in (1, 2, 3, 64, 1000, CHUNK, CHUNK + 2):
        for x in (np.ones(size, np.float32), np.random.default_rng(size).standard_normal(size).astype(np.float32)):
            assert hash_of(x) != hash_of(-x), size


@given(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=40), st.data())
def test_a_flipped_bit_counts(words, data):
    x = np.array(words, dtype=np.uint32)
    y = x.copy()
    y[data.draw(st.integers(0, len(words) - 1))] ^= np.uint32(1 << data.draw(st.integers(0, 31)))
    assert hash_of(x) != hash_of(y)


@given(st.lists(st.floats(width=32, allow_nan=False), min_size=2, max_size=40), st.data())
def test_exchanged_elements_count(values, data):
    x = np.array(values, dtype=np.float32)
    i, j = data.draw(st.integers(0, x.size - 1)), data.draw(st.integers(0, x.size - 1))
    y = x.copy()
    y[[i, j]] = y[[j, i]]
    assume(x.tobytes() != y.tobytes())
    assert hash_of(x) != hash_of(y)


def test_exchanged_elements_count_also_across_chunks():
    x = np.random.default_rng(3).standard_normal(2 * CHUNK).astype(np.float32)
    before = hash_of(x)
    for i, j in ((0, CHUNK), (5, CHUNK + 5), (CHUNK - 1, CHUNK), (0, 1), (1, 2)):
        x[[i, j]] = x[[j, i]]
        assert hash_of(x) != before
        x[[i, j]] = x[[j, i]]


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16])
def test_all_values_of_one_element_have_different_hashes(dtype, place):
    """Exhaustive: of 8 and 16 bits, every value an element can have, bfloat16 and float16 among them."""
    bits = 8 * np.dtype(dtype).itemsize
    found = {}
    for word in range(2**bits):
        x = np.zeros(2, dtype=f"u{bits // 8}")
        x[place] = word
        found.setdefault(hash_of(x.view(dtype)), []).append(word)
    together = [each for each in found.values() if len(each) > 1]
    assert not together, f"{len(together)} hashes belong to several values, for example {together[0]}"


@example(0, -1, 0)
@example(7, ~7, 5)
@given(st.integers(-(2**31), 2**31 - 1), st.integers(-(2**31), 2**31 - 1), st.integers(0, 5))
def test_any_other_value_of_one_element_counts(before, after, place):
    assume(before != after)
    x = np.zeros(6, np.int32)
    x[place] = before
    y = x.copy()
    y[place] = after
    assert hash_of(x) != hash_of(y)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_zero_and_minus_one_differ(dtype):
    """An index of -1 where 0 belongs is a common fault (padding, ignore_index)."""
    assert hash_of(np.array([0, 5], dtype)) != hash_of(np.array([-1, 5], dtype))


def test_weights_are_odd_and_different():
    table = weights().view(np.uint64)
    assert table.size == CHUNK and (table & np.uint64(1)).all()
    # A random table of odd 64-bit numbers has CHUNK^2 / 2 / 2^63 = 1e-9 pairs alike on average.
    assert np.unique(table).size == table.size


def test_sampled_places_are_distinct_in_range_and_prefixes_of_each_other():
    """Exhaustive for all sizes to 200 and all counts below."""
    for elements in range(201):
        longest = sampled_places(elements, elements - 1) if elements else sampled_places(0, 0)
        for count in range(elements + 3):
            places = sampled_places(elements, count)
            assert places.dtype == np.int64
            assert places.size == min(count, elements)
            assert np.unique(places).size == places.size
            assert ((places >= 0) & (places < elements)).all()
            if count < elements:
                np.testing.assert_array_equal(places, longest[:count])
            else:
                np.testing.assert_array_equal(places, np.arange(elements))


@given(st.integers(1, 2**48), st.integers(1, 2**10))
def test_sampled_places_of_large_tensors(elements, count):
    places = sampled_places(elements, min(count, elements))
    assert np.unique(places).size == places.size == min(count, elements)
    assert places.min() >= 0 and places.max() < elements
