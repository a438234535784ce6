"""What no op shows by itself: the outputs as a whole, judged as `check` judges them."""

import pytest
import torch
from torch import nn

import halfulp
from halfulp import Verdict

U = 2.0**-24
X = torch.randn(16, 24, generator=torch.Generator().manual_seed(0))


def test_a_small_systematic_error_is_not_called_rounding():
    """Within the limit of one op, and a function of the inputs: check rejects it, so locate does not accept it."""
    actual, expected = (lambda x: x.var(1) * (1 + 4 * U)), (lambda x: x.var(1))
    assert halfulp.check(actual, expected, (X,)).verdict is Verdict.MISTAKE
    origin = halfulp.locate(actual, expected, (X,))
    assert (origin.verdict, origin.module) == (Verdict.UNDECIDED, None)
    assert "between aten.var.correction" in origin.because
    assert "check says" in origin.because


def test_an_honest_pair_stays_rounding_and_identical_bits_cost_no_check(monkeypatch):
    assert halfulp.locate(lambda x: x.flip(1).sum(1), lambda x: x.sum(1), (X,)).verdict is Verdict.ROUNDING
    monkeypatch.setattr("halfulp.origins.whole.judged", lambda _: pytest.fail("check was asked"))
    assert halfulp.locate(torch.exp, torch.exp, (X,)).verdict is Verdict.IDENTICAL


def test_an_op_that_was_named_stays_named():
    origin = halfulp.locate(lambda x: x.exp() * (1 + 1e-3), lambda x: x.exp(), (X,))
    assert origin.verdict is Verdict.MISTAKE
    assert origin.module == ""


def test_another_dtype_is_noted_and_does_not_change_what_numbers_say():
    layer = nn.Linear(24, 8)

    def narrow(x):
        with torch.autocast("cpu", torch.bfloat16):
            return layer(x)

    origin = halfulp.locate(narrow, layer, (X,), declared="bfloat16")
    assert origin.verdict is Verdict.ROUNDING
    assert any("dtype differs" in note for note in origin.notes)


def test_a_whole_that_cannot_be_judged_is_said(monkeypatch):
    def fail(_):
        raise halfulp.RunError("it raised on its second run")

    monkeypatch.setattr("halfulp.origins.whole.judged", fail)
    origin = halfulp.locate(lambda x: x.flip(1).sum(1), lambda x: x.sum(1), (X,))
    assert origin.verdict is Verdict.ROUNDING
    assert any("could not be judged: it raised" in note for note in origin.notes)
