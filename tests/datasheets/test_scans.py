import math

import numpy as np
import pytest
import torch

from halfulp import compiled
from halfulp.datasheets.scans import CHUNK, Scan, all_numbers, sampled_numbers, scan
from halfulp.floats import BFLOAT16, FLOAT16, FLOAT32, round_to_format, ulp_error


@pytest.fixture(autouse=True, params=["compiled", "by NumPy"])
def _way(request, monkeypatch):
    monkeypatch.setattr(compiled, "pays", lambda _: request.param == "compiled")


def as_numpy(function):
    return lambda values: function(values).float().numpy()


@pytest.mark.parametrize("target", [FLOAT16, BFLOAT16])
def test_every_16_bit_number_is_scanned_once(target):
    patterns = torch.cat(list(all_numbers(target))).view(torch.int16).numpy()
    assert len(np.unique(patterns)) == len(patterns) == 1 << 16


def test_float32_numbers_come_in_the_order_of_their_bits():
    first = next(all_numbers(FLOAT32, 0x3F800000))
    assert first[0] == 1.0
    assert len(first) == CHUNK
    assert np.array_equal(first.numpy().view(np.uint32), np.arange(0x3F800000, 0x3F800000 + CHUNK, dtype=np.uint32))


@pytest.mark.parametrize("target", [FLOAT16, BFLOAT16, FLOAT32])
def test_errors_are_those_of_the_definition(target):
    """Against `ulp_error`, on results that are off by known amounts, overflow and subnormal numbers included."""
    random = np.random.default_rng(0)
    exact = np.concatenate((random.standard_normal(4000) * 10.0 ** random.integers(-45, 39, 4000), [0.0, 1e-46, 3e38, 65519.0, 1e300]))
    computed = round_to_format(exact * (1 + random.uniform(-1, 1, len(exact)) * 2.0**-6), target).astype(np.float32)
    scanned = Scan()
    scanned.include(np.arange(len(exact), dtype=np.float32), computed, exact, target)
    rounded = round_to_format(exact, target)
    finite = np.isfinite(computed) & np.isfinite(rounded)
    errors = ulp_error(computed[finite], exact[finite], target)
    assert scanned.compared == finite.sum()
    assert scanned.max_ulp_error == errors.max()
    assert scanned.worst_input == np.flatnonzero(finite)[errors.argmax()]
    assert scanned.wrong == (errors > 0.5).sum()
    assert scanned.special_mismatches == (np.isfinite(computed) != np.isfinite(rounded)).sum()


@pytest.mark.parametrize("target", [FLOAT16, BFLOAT16])
def test_correct_rounding_is_seen_as_such(target):
    def rounded(values):
        with np.errstate(invalid="ignore"):
            return round_to_format(np.sqrt(values.double().numpy()), target).astype(np.float32)

    scanned = Scan()
    for part in all_numbers(target):
        scan(scanned, part, rounded, torch.sqrt, target)
    assert scanned.wrong == 0
    assert scanned.max_ulp_error <= 0.5
    assert scanned.special_mismatches == 0


def test_a_wrong_function_is_seen():
    scanned = Scan()
    values = sampled_numbers(FLOAT32, 1 << 12, 0)
    scan(scanned, values, as_numpy(lambda x: torch.exp(x) * (1 + 2.0**-20)), torch.exp, FLOAT32)
    assert 7 < scanned.max_ulp_error < 18
    scan(scanned, torch.tensor([2.0]), as_numpy(lambda x: x * math.nan), torch.exp, FLOAT32)
    assert scanned.special_mismatches == 1


def test_samples_cover_all_exponents():
    numbers = sampled_numbers(FLOAT32, 1 << 14, 0).numpy()
    exponents = np.frexp(np.abs(numbers[np.isfinite(numbers)]))[1]
    assert len(np.unique(exponents)) > 250
