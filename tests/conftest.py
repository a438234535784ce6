"""Settings for all tests: hypothesis repeats the same examples, and PyTorch's state is the same before each test."""

import math
import os
import sys

import pytest
import torch
from each_kind import browser, results  # noqa: F401
from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=200)
settings.load_profile("repeatable")


SLOW = (
    "test_compilation.py::test_the_bisection_of_pytorch_ends_at_the_lowering_that_is_wrong",
    "test_edits.py::test_a_second_mistake_is_found_beside_a_module",
    "test_five_questions.py::test_the_whole_demo_runs_what_takes_longer",
    "test_fresh.py::test_whether_the_choice_of_kernels_varies_is_told",
    "test_generated.py::test_no_false_alarm_on_honest_pairs_never_seen",
    "test_judging.py::test_many_solutions_are_told_in_rows_whatever_each_does",
    "test_measurement.py::test_what_a_datasheet_of_pytorch_says",
    "test_origins.py::test_a_planted_fault_is_named[gelu by tanh in layer 61 of 200]",
    "test_origins.py::test_a_planted_fault_is_named[gru written out, reset before the product]",
    "test_origins.py::test_an_honest_change_is_not_accused",
    "test_pairs.py::",
    "test_pages_in_chromium.py::test_hostile_names_stay_text",
    "test_revealer.py::test_products[shape2]",
    "test_revealer.py::test_products[shape3]",
    "test_revealer.py::test_products[shape4]",
    "test_roots.py::test_each_pair_of_a_root_is_right[m_histogram_in_bfloat16]",
    "test_roots.py::test_each_pair_of_a_root_is_right[m_layer_of_a_chain_in_float16]",
    "test_roots.py::test_each_pair_of_a_root_is_right[m_loss_added_in_float16]",
    "test_roots.py::test_nothing_is_wrong_is_not_said_where_expected_is_much_closer",
    "test_spreads.py::",
    "test_standin_devices.py::test_on_directml",
    "test_strangers.py::test_memory_is_bounded_by_what_is_stored[list]",
    "test_strangers.py::test_memory_is_bounded_by_what_is_stored[pooling]",
    "test_threads.py::test_sixteen_threads_of_twenty_checks",
    "test_trace_files.py::test_damaged_traces_are_refused_in_one_line_or_work",
)
"""Tests that take over ten seconds on two cores (pytest --durations); `make check` and CI run them, `make test` leaves them out."""


def pytest_collection_modifyitems(items):
    for item in items:
        if any(name in item.nodeid for name in SLOW):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True)
def _same_path(monkeypatch):
    """Commands put the folder of a case before all others, as Python does with that of a program; a `code.py` in it is the user's."""
    monkeypatch.setattr(sys, "path", list(sys.path))


@pytest.fixture(autouse=True)
def _same_random_state():
    torch.manual_seed(0)


@pytest.fixture(autouse=True)
def _tables_of_one_width(monkeypatch):
    """Processes of pytest-xdist know how wide the terminal is, by COLUMNS."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(autouse=True)
def _no_lines_of_progress(monkeypatch):
    """What a command says of work that takes long would come or not with the load of the machine; the tests of it turn it on."""
    monkeypatch.setattr("halfulp.cli.progress.PATIENCE_S", math.inf)


@pytest.fixture(autouse=True)
def _nothing_left_changed():
    """No test, and no check inside one, may leave global state of PyTorch behind."""
    before = (torch.get_default_dtype(), torch.get_num_threads(), torch.backends.mkldnn.enabled, torch.backends.mha.get_fastpath_enabled())
    yield
    after = (torch.get_default_dtype(), torch.get_num_threads(), torch.backends.mkldnn.enabled, torch.backends.mha.get_fastpath_enabled())
    torch.set_flush_denormal(False)  # what the compiler of PyTorch 2.4 loads turns it on for the whole process
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
