"""Faults planted at a known place, and honest changes: what `locate` names. One in three is here; `benchmarks.origins.run` has all."""

import pytest
from benchmarks.origins.faults import FAULTS
from benchmarks.origins.honest import HONEST
from benchmarks.origins.run import located
from releases import RELEASE


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("fault", [pytest.param(each, id=each.name) for each in [fault for fault in FAULTS if not fault.slow][::3]])
def test_a_planted_fault_is_named(fault):
    if fault.name == "fused layer, second norm with eps 1e-4" and RELEASE < (2, 5):
        pytest.skip("PyTorch 2.4 records a fused layer as one op, and its parts have no counterpart: locate names the range")
    origin = located(fault)
    assert (origin.module, origin.phase) == (fault.module, fault.phase), origin
    assert origin.acceptable is False


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("pair", [pytest.param(each, id=each.name) for each in [pair for pair in HONEST if not pair.slow][::3]])
def test_an_honest_change_is_not_accused(pair):
    origin = located(pair)
    assert origin.module is None, origin
    assert origin.acceptable is True


def test_there_are_enough_pairs_of_all_kinds():
    assert len(FAULTS) >= 30
    assert len(HONEST) >= 30
    assert len({each.name for each in (*FAULTS, *HONEST)}) == len(FAULTS) + len(HONEST)
    assert {each.phase for each in FAULTS} == {"forward", "backward", "buffer", "step"}
    assert {"resnet50", "gpt2"} <= {each.model for each in FAULTS}
