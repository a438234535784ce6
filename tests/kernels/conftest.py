"""Settings for the tests of kernels: a second of repeated calls in each judgement would be minutes of them all."""

import pytest

from halfulp.kernels.questions import sequences

LONG = sequences.REPEATED_S


@pytest.fixture(autouse=True)
def repeated_s(request, monkeypatch):
    """Calls are repeated for a moment; as long as users repeat them where the test is marked `repeated`."""
    monkeypatch.setattr(sequences, "REPEATED_S", LONG if request.node.get_closest_marker("repeated") else LONG / 20)
