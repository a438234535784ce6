"""What no op shows by itself: the outputs as a whole, judged as `check` judges them."""

import numpy as np
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


@pytest.mark.parametrize(
    ("actual", "expected", "inputs"),
    [
        (lambda x: x, lambda x: 2 * x, (np.float32([1, 2, 3]),)),
        (lambda x: x + 1, lambda x: 2 * x, (3.0,)),
        (lambda x: x.numpy(), lambda x: 2 * x.numpy(), (X,)),
        (lambda x: x.sum().item() * 2, lambda x: x.sum().item(), (X,)),
        (lambda x: (x * 2).detach().numpy(), lambda x: (x * 1).detach().numpy(), (X,)),
    ],
    ids=["arrays", "numbers", "tensors made arrays", "items", "an extra op"],
)
def test_results_that_recording_does_not_see_are_compared_too(actual, expected, inputs):
    origin = halfulp.locate(actual, expected, inputs)
    assert origin.verdict is Verdict.UNDECIDED
    assert "MISTAKE" in origin.because


def test_results_that_recording_does_not_see_and_that_differ_by_rounding_are_not_identical():
    origin = halfulp.locate(lambda x: x[::-1].cumsum()[-1:], lambda x: x.sum(keepdims=True), (X[0].numpy(),))
    assert origin.verdict is Verdict.ROUNDING


def test_an_op_that_was_excused_is_named_where_the_whole_is_wrong():
    """One element of thousands, 3.6 limits off: within what a respectable algorithm may lose, but the whole is another function."""
    generator = torch.Generator().manual_seed(74)
    x, w = torch.randn(64, 32, generator=generator), torch.randn(32, 64, generator=generator)

    def actual(x, w):
        y = (x @ w).clone()
        y[31, 40] *= 1 + 5e-5
        return y

    origin = halfulp.locate(actual, lambda x, w: x @ w, (x, w))
    assert origin.acceptable is not True
    assert "no op by itself" not in origin.because or "3." not in origin.because


class Residual(nn.Module):
    """Two layers; `k` of the input is added at the end, or the result is scaled by `s`."""

    def __init__(self, k=0.0, s=1.0):
        super().__init__()
        self.first, self.second, self.k, self.s = nn.Linear(32, 32), nn.Linear(32, 32), k, s

    def forward(self, x):
        y = self.second(self.first(x).relu())
        y = y + self.k * x if self.k else y
        return y * self.s if self.s != 1.0 else y


@pytest.mark.parametrize("after", [nn.Tanh, lambda: nn.LayerNorm(32), lambda: nn.Linear(32, 32)], ids=["Tanh", "LayerNorm", "Linear"])
@pytest.mark.parametrize("change", [{"k": 1e-3}, {"k": 0.1}, {"k": 1.0}, {"s": 1.0001}, {"s": 2.0}], ids=str)
def test_an_op_added_at_the_end_of_a_module_is_that_modules(change, after):
    torch.manual_seed(5)
    expected = nn.Sequential(Residual(), after(), nn.Linear(32, 4))
    actual = nn.Sequential(Residual(**change), after(), nn.Linear(32, 4))
    actual.load_state_dict(expected.state_dict())
    origin = halfulp.locate(actual, expected, (torch.randn(16, 32),))
    assert (origin.verdict, origin.module) == (Verdict.MISTAKE, "0")


def test_steps_of_a_decoder_against_the_whole_sequence_are_rounding():
    """The last step has the bits of the whole; the others are products of other shapes."""
    torch.manual_seed(0)
    head, x = nn.Linear(32, 61), torch.randn(2, 20, 32)
    origin = halfulp.locate(lambda x: torch.cat([head(x[:, : t + 1])[:, -1:] for t in range(20)], 1), head, (x,))
    assert origin.verdict is Verdict.ROUNDING


def test_a_variance_in_one_pass_is_unstable_and_no_format():
    """Its results are multiples of a spacing of x^2, so float16 holds them all; each op rounds as float32 does."""
    x = torch.randn(8, 300, generator=torch.Generator().manual_seed(0)) + 200
    origin = halfulp.locate(lambda x: (x * x).mean(-1) - x.mean(-1) ** 2, lambda x: x.var(-1, unbiased=False), (x,))
    assert origin.verdict is Verdict.UNSTABLE, origin.because
