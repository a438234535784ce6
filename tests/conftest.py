"""Settings for all tests: hypothesis repeats the same examples, and PyTorch's state is the same before each test."""

import pytest
import torch
from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=200)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True)
def _same_random_state():
    torch.manual_seed(0)


@pytest.fixture(autouse=True)
def _nothing_left_changed():
    """No test, and no check inside one, may leave global state of PyTorch behind."""
    before = (torch.get_default_dtype(), torch.get_num_threads(), torch.backends.mkldnn.enabled, torch.backends.mha.get_fastpath_enabled())
    yield
    after = (torch.get_default_dtype(), torch.get_num_threads(), torch.backends.mkldnn.enabled, torch.backends.mha.get_fastpath_enabled())
    assert after == before
