"""Values that are near a prediction are found as by looking at each, with each read once."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import halfulp
from halfulp.origins.nearness import PROBES, Nearness
from halfulp.traces.samples import sampled_places


@pytest.fixture(scope="module")
def trace():
    generator = torch.Generator().manual_seed(0)

    def program(x, z):
        for k in range(12):
            x = x * (1 + 2.0**-k) + k * 1e-3
        return x, z * 2, (z + 1j).abs(), x[:3].clone(), torch.zeros(4, 30), x.argmax()

    return halfulp.record(
        program, (torch.randn(4, 30, generator=generator), torch.complex(torch.randn(8), torch.randn(8))), level="tensors"
    )


def near_by_looking_at_each(trace, prediction):
    places = sampled_places(prediction.size, min(PROBES, prediction.size))
    wanted = prediction.reshape(-1)[places]
    size = np.sqrt(np.mean(np.abs(wanted) ** 2))
    found = []
    for value in trace.values:
        if not value.hash or not value.dtype.startswith(("float", "complex")) or value.elements != prediction.size or not size:
            continue
        if not 0.5 * size < value.statistics["rms"] * 1.5 or value.statistics["rms"] > 3.0 * size:
            continue
        distance = np.sqrt(np.mean(np.abs(trace.numbers(value.number).reshape(-1)[places] - wanted) ** 2)) / size
        found.append((distance, value.number))
    return sorted(found)


@settings(max_examples=60, deadline=None)
@given(number=st.integers(0, 10**6), factor=st.sampled_from([0.0, 0.3, 0.9, 1.0, 1.5, 4.0, np.inf, np.nan]))
def test_the_same_values_in_the_same_order(trace, number, factor):
    usable = [value for value in trace.values if value.is_complete and value.dtype.startswith(("float", "complex"))]
    value = usable[number % len(usable)]
    with np.errstate(all="ignore"):
        prediction = trace.numbers(value.number) * factor
    by_each = [] if not np.isfinite(factor) else near_by_looking_at_each(trace, prediction)
    found = Nearness(trace).near(prediction, value.dtype)
    assert [number for _, number in found] == [number for _, number in by_each]
    assert [distance for distance, _ in found] == pytest.approx([distance for distance, _ in by_each])


def test_each_value_is_read_once(trace, monkeypatch):
    read = []
    stored = type(trace).stored
    monkeypatch.setattr(type(trace), "stored", lambda self, number: (read.append(number), stored(self, number))[1])
    nearness, value = Nearness(trace), next(value for value in trace.values if value.shape == (4, 30))
    prediction = trace.numbers(value.number)
    read.clear()
    for _ in range(3):
        assert nearness.near(prediction, "float32")
    assert len(read) == len(set(read)) > 3
