"""Settings for all tests: hypothesis repeats the same examples, and PyTorch's state is the same before each test."""

import os

import pytest
import torch
from each_kind import browser, results  # noqa: F401
from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=200)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True)
def _same_random_state():
    torch.manual_seed(0)


@pytest.fixture(autouse=True)
def _tables_of_one_width(monkeypatch):
    """Processes of pytest-xdist know how wide the terminal is, by COLUMNS."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(autouse=True)
def _nothing_left_changed():
    """No test, and no check inside one, may leave global state of PyTorch behind."""
    before = (torch.get_default_dtype(), torch.get_num_threads(), torch.backends.mkldnn.enabled, torch.backends.mha.get_fastpath_enabled())
    yield
    after = (torch.get_default_dtype(), torch.get_num_threads(), torch.backends.mkldnn.enabled, torch.backends.mha.get_fastpath_enabled())
    assert after == before


@pytest.fixture
def needs():
    """A backend that a test needs: skipped with the reason where it is missing, failed where HALFULP_TEST_BACKENDS names it."""
    from halfulp.backends import availability, backend

    def found(name):
        state = availability(name)
        loaded = backend(name)
        if state:
            state = loaded.availability()
        if not state:
            required = os.environ.get("HALFULP_TEST_BACKENDS", "").split(",")
            reason = f"backend {name}: {state.reason}"
            if name in required:
                pytest.fail(f"HALFULP_TEST_BACKENDS asks for it; {reason}")
            pytest.skip(reason)
        return loaded

    return found
