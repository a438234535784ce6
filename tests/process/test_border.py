"""What leaves the public border: Python's own words for a call that doesn't fit, halfulp's for everything else."""

import pytest
import torch

import halfulp


@pytest.mark.parametrize(
    "call", [lambda: halfulp.compare(3), lambda: halfulp.check(torch.exp), lambda: halfulp.audit(torch.exp, (), unknown=1)]
)
def test_a_call_that_does_not_fit_is_told_by_python(call):
    with pytest.raises(TypeError, match=r"missing 1 required|unexpected keyword|missing 2 required"):
        call()


def test_a_path_that_is_none_is_no_fault_of_halfulp():
    with pytest.raises(halfulp.InputError, match="Got <built-in method exp"):
        halfulp.record(torch.exp, (torch.ones(2),), torch.exp)
