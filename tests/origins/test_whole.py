"""What no op shows by itself: the outputs as a whole, judged as `check` judges them."""

import copy
import functools

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
    monkeypatch.setattr("halfulp.origins.whole.judged_with_modules", lambda _: pytest.fail("check was asked"))
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

    monkeypatch.setattr("halfulp.origins.whole.judged_with_modules", fail)
    origin = halfulp.locate(lambda x: x.flip(1).sum(1), lambda x: x.sum(1), (X,))
    assert origin.verdict is Verdict.ROUNDING
    assert any("could not be judged as a whole: it raised" in note for note in origin.notes)


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
    assert origin.verdict is Verdict.MISTAKE
    assert origin.source.endswith(" <lambda>") and origin.place is not None and origin.place.op == "python.return"
    assert not any("nondeterminism" in note for note in origin.notes)  # two statements of one name are no two runs of one program


@pytest.mark.parametrize("inputs", [(X[0].numpy(),), (torch.randn(100, 100).numpy(),)], ids=["few numbers", "many"])
def test_where_nothing_can_be_watched_the_whole_is_still_compared(inputs):
    origin = halfulp.locate(functools.partial(np.multiply, 2.0), functools.partial(np.multiply, 3.0), inputs)
    assert origin.verdict is Verdict.UNDECIDED and "MISTAKE" in origin.because


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
    inputs = (torch.randn(16, 32),)
    origin = halfulp.locate(actual, expected, inputs)
    if "s" in change and isinstance(expected[1], nn.LayerNorm):  # which takes a factor off again
        assert origin.verdict is halfulp.check(actual, expected, inputs).verdict
        assert "in 0 " in origin.because or origin.module == "0"
    else:
        assert (origin.verdict, origin.module) == (Verdict.MISTAKE, "0")


def test_steps_of_a_decoder_against_the_whole_sequence_are_rounding():
    """The last step has the bits of the whole; the others are products of other shapes, which some processors add in the same order."""
    torch.manual_seed(0)
    head, x = nn.Linear(32, 61), torch.randn(2, 20, 32)

    def steps(x):
        return torch.cat([head(x[:, : t + 1])[:, -1:] for t in range(20)], 1)

    origin = halfulp.locate(steps, head, (x,))
    assert origin.verdict is (Verdict.IDENTICAL if torch.equal(steps(x), head(x)) else Verdict.ROUNDING)


def test_a_variance_in_one_pass_is_unstable_and_no_format():
    """Its results are multiples of a spacing of x^2, so float16 holds them all; each op rounds as float32 does."""
    x = torch.randn(8, 300, generator=torch.Generator().manual_seed(0)) + 200
    origin = halfulp.locate(lambda x: (x * x).mean(-1) - x.mean(-1) ** 2, lambda x: x.var(-1, unbiased=False), (x,))
    assert origin.verdict is Verdict.UNSTABLE, origin.because


# An independent set of 292 pairs, written without sight of the code, found what follows.


def gradient_of(loss):
    """A function that differentiates by itself, as a training step does."""

    def function(x):
        weight = x.detach().clone().requires_grad_()
        loss(weight).backward()
        return weight.grad

    return function


def test_functions_that_differentiate_by_themselves_are_recorded():
    honest = halfulp.locate(gradient_of(lambda w: (w * w).sum() / 2), gradient_of(lambda w: (w.square() / 2).sum()), (X,))
    assert honest.acceptable is True
    wrong = halfulp.locate(gradient_of(lambda w: (w.tanh() * 1.01).sum()), gradient_of(lambda w: w.tanh().sum()), (X,))
    assert wrong.verdict is Verdict.MISTAKE


def test_a_second_recording_starts_from_the_inputs_that_were_given():
    """The first one fails after it has changed its input: what is compared is what the function makes of the given one."""

    def stepping(rate):
        def function(x):
            x.add_(1.0)
            weight = x.detach().clone().requires_grad_()
            (weight * weight).sum().backward()
            return x - rate * weight.grad

        return function

    def by_hand(x):
        x.add_(1.0)
        return x - 0.1 * (2 * x)

    given = X.clone()
    honest = halfulp.locate(stepping(0.1), by_hand, (given,))
    assert honest.acceptable is True
    assert torch.equal(given, X)


def test_a_step_of_an_optimizer_is_recorded():
    def step(rate):
        def function(x):
            layer = nn.Linear(24, 4)
            with torch.no_grad():
                layer.weight.fill_(0.1)
                layer.bias.zero_()
            optimizer = torch.optim.SGD(layer.parameters(), lr=rate, momentum=0.9)
            for _ in range(2):
                optimizer.zero_grad()
                layer(x).square().mean().backward()
                optimizer.step()
            return layer.weight.detach()

        return function

    assert halfulp.locate(step(0.1), step(0.1), (X,)).acceptable is True
    assert halfulp.locate(step(0.11), step(0.1), (X,)).acceptable is False


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (lambda x: ((x + 1) ** 3 - 1).cumsum(1), lambda x: (x * (x * (x + 3) + 3)).cumsum(1)),
        (lambda x: torch.exp(torch.log(x.abs() + 1) * 7.5), lambda x: (x.abs() + 1) ** 7.5),
    ],
    ids=["expanded cube", "power by logarithms"],
)
def test_in_float64_the_evaluation_of_a_formula_is_no_better_than_the_sides_are(actual, expected):
    x = X.double().abs() + 0.5
    for first, second in ((actual, expected), (expected, actual)):
        assert halfulp.check(first, second, (x,)).acceptable is True
        assert halfulp.locate(first, second, (x,)).acceptable is True


def test_a_formula_that_differs_in_float64_is_still_a_mistake():
    origin = halfulp.locate(lambda x: torch.atan2(x, x + 2) * (1 + 1e-13), lambda x: torch.atan2(x, x + 2), (X.double(),))
    assert origin.verdict is Verdict.MISTAKE


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_what_later_ops_take_off_again_is_no_mistake(dtype):
    x, weight, bias = X.reshape(4, 4, 6, 4).to(dtype), torch.linspace(-1, 1, 4 * 4 * 9).reshape(4, 4, 3, 3).to(dtype), X[0, :4].to(dtype)

    def normalized(bias):
        return lambda x: nn.functional.batch_norm(nn.functional.conv2d(x, weight, bias, padding=1), None, None, None, None, True)

    assert halfulp.check(normalized(None), normalized(bias), (x,)).acceptable is True
    origin = halfulp.locate(normalized(None), normalized(bias), (x,))
    assert (origin.acceptable, origin.module) == (True, None)
    assert "makes no difference in the end" in origin.because


@pytest.mark.parametrize("eps", [1e-6, 1e-12, 2e-5])
def test_another_epsilon_that_later_ops_take_off_in_part_is_still_named(eps):
    """A normalization after it leaves a tenth of the error in the outputs; what is left is there in float64 too."""
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)
    expected = nn.TransformerEncoder(layer, 6, enable_nested_tensor=False)
    actual = copy.deepcopy(expected)
    actual.layers[3].norm1.eps = eps
    torch.manual_seed(0)
    origin = halfulp.locate(actual, expected, (torch.randn(2, 16, 64),))
    assert (origin.verdict, origin.module) == (Verdict.MISTAKE, "layers.3.norm1")
    assert halfulp.check(actual, expected, (torch.randn(2, 16, 64),)).verdict is Verdict.MISTAKE


def test_float32_inside_a_bfloat16_function_is_entitled_to_bfloat16():
    """What `check` accepts, `locate` accepts: the float32 in the middle of `expected` is better than declared, not needed."""
    x = X.to(torch.bfloat16)

    def actual(x):
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True))

    def expected(x):
        wide = x.float()
        return (wide * torch.rsqrt((wide * wide).mean(-1, keepdim=True))).to(torch.bfloat16)

    assert halfulp.check(actual, expected, (x,)).acceptable is True
    assert halfulp.locate(actual, expected, (x,)).acceptable is True


def test_what_no_op_adds_is_found_among_statements():
    origin = halfulp.locate(lambda x: torch.from_numpy(np.convolve(x[0].numpy(), [1.0, 2.0, 4.0])), lambda x: torch.from_numpy(np.convolve(x[0].numpy(), [4.0, 2.0, 1.0])), (X,))  # fmt: skip
    assert origin.verdict is Verdict.MISTAKE and origin.source.endswith(" <lambda>")


def test_what_no_statement_adds_lies_between_named_places():
    big = torch.randn(100, 100)  # too many numbers for a statement of Python's numbers
    origin = halfulp.locate(lambda x: torch.from_numpy(np.roll(x.numpy(), 1)), lambda x: torch.from_numpy(np.roll(x.numpy(), -1)), (big,))
    assert origin.verdict is Verdict.UNDECIDED
    assert "lies between" in origin.because and "and the outputs" in origin.because


class OnePass(nn.Module):
    def forward(self, x):
        return (x * x).mean(-1, keepdim=True) - x.mean(-1, keepdim=True) ** 2 + 0 * x


class TwoPass(nn.Module):
    def forward(self, x):
        return x.var(-1, keepdim=True, unbiased=False) + 0 * x


class Damped(nn.Module):
    def forward(self, x):
        return x * 1e-4 + 1


@pytest.mark.parametrize("offset", [3, 30, 100])
def test_a_module_that_loses_digits_inside_is_no_less_so_for_locate(offset):
    """check looks at single modules where the whole is within rounding; locate does not acquit what check rejects."""
    torch.manual_seed(0)
    expected = nn.Sequential(nn.Linear(64, 64), TwoPass(), Damped())
    actual = nn.Sequential(nn.Linear(64, 64), OnePass(), Damped())
    actual.load_state_dict(expected.state_dict())
    with torch.no_grad():
        expected[0].bias += offset
        actual[0].bias += offset
    x = torch.randn(16, 64)
    checked, located = halfulp.check(actual, expected, (x,)), halfulp.locate(actual, expected, (x,))
    assert located.acceptable is not (not checked.acceptable), (checked.verdict, located.verdict)
