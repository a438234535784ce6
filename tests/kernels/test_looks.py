"""An error that needs no judgement: far beyond the reference's own, in what is no small difference of large numbers."""

import math
import types

import pytest
import torch

from halfulp.cases import Case
from halfulp.kernels.trials.looks import MANY_WHOLE, errs_where_nothing_does, gross_error, is_as_good, is_out_of_range
from halfulp.kernels.trials.trial import Outcome

X = torch.randn(1000, generator=torch.Generator().manual_seed(1))


def error(actual, expected, *given):
    return gross_error(Case(actual, expected, given or (X,)))


def changed(function, place, by):
    def actual(x):
        found = function(x).clone()
        found[place] = by(found[place])
        return found

    return actual


@pytest.mark.parametrize("place", [0, 17, 999])
@pytest.mark.parametrize(
    ("by", "words"),
    [
        (lambda y: y * torch.nan, "NaN or infinity at 1 places"),
        (lambda y: y + 3.0, "1 of its 1,000 results are off by more than 1% of their size"),
        (lambda y: y * (1 + 1e-6), ""),
    ],
)
def test_a_single_result_is_enough(place, by, words):
    assert words in (found := error(changed(torch.exp, place, by), torch.exp)) and bool(found) is bool(words)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_another_order_of_adding_is_no_such_error(dtype):
    x = torch.randn(64, 512, generator=torch.Generator().manual_seed(2)).to(dtype)
    assert not error(lambda x: x.flip(-1).cumsum(-1).flip(-1), lambda x: x.sum(-1, keepdim=True) - x.cumsum(-1) + x, x)


def test_where_the_reference_is_off_itself_nothing_is_said():
    def far(x):
        return (x + 1e6) - 1e6

    assert not error(lambda x: x, far)


@pytest.mark.parametrize(("count", "is_told"), [(5, False), (int(1000 * MANY_WHOLE) + 1, True)])
def test_whole_numbers_are_told_where_many_are_others(count, is_told):
    def ranks(x):
        return x.argsort()

    assert bool(error(lambda x: torch.cat([ranks(x)[:count] + 1, ranks(x)[count:]]), ranks)) is is_told


@pytest.mark.parametrize(
    ("actual", "expected", "is_out"),
    [
        (lambda x: x * float("nan"), lambda x: x, True),
        (lambda x: x / 0, torch.sin, True),
        (lambda x: x + 1, lambda x: x, False),
        (lambda x: x * float("nan"), lambda x: x / 0, False),  # nor is the reference a number there
        (lambda x: (x * 8).int() + 1, lambda x: (x * 8).int(), False),
    ],
)
def test_nan_where_the_reference_gives_numbers_is_told_from_a_wrong_number(actual, expected, is_out):
    assert is_out_of_range(Case(actual, expected, (X,))) is is_out
    assert Outcome("wrong", out_of_range=is_out).is_special is is_out


@pytest.mark.parametrize(
    ("rms", "relative", "norm", "is_excused"),
    [(math.inf, 0.5, 0.9, True), (34.2, None, 0.7, True), (34.2, None, 2.0, False), (34.2, 0.5, 0.7, False)],
)
def test_a_gradient_that_is_zero_is_judged_by_the_noise_of_the_whole(rms, relative, norm, is_excused):
    evidence = types.SimpleNamespace(measured={"rel_rms": relative}, number={"rms_in_noise": rms, "norm_in_noise": norm}.__getitem__)
    assert errs_where_nothing_does(types.SimpleNamespace(find=lambda _: evidence)) is is_excused


def alternately(x):
    """The sum of each row, which cancels, in another order."""
    return x[..., ::2].sum(-1) + x[..., 1::2].sum(-1)


def cancelling(shape, length=400):
    x = torch.randn(*shape, length // 2, generator=torch.Generator().manual_seed(5))
    return torch.cat([x, -x + 1e-3 * torch.randn(*shape, length // 2, generator=torch.Generator().manual_seed(6))], -1)


@pytest.mark.parametrize(("shape", "times"), [((8, 8), 1.0), ((64,), 1e-3), ((40, 30), 1.0), ((40, 30), 1e-3), ((3, 5, 70), 1e-3)])
def test_sums_that_cancel_are_as_good_in_another_order(shape, times):
    """Single errors of the reference are small by chance: an eighth of what is usual in one of twelve."""
    x = cancelling(shape)
    x[0] *= times
    assert is_as_good(Case(alternately, lambda x: x.sum(-1), (x,)))


@pytest.mark.parametrize("shape", [(16,), (64,), (40, 30)])
def test_a_single_sum_that_lacks_a_term_is_not(shape):
    def lacking(x):
        found = alternately(x).clone()
        found.view(-1)[-1] -= 1e-3 * x.reshape(-1)[-1].abs()
        return found

    assert not is_as_good(Case(lacking, lambda x: x.sum(-1), (cancelling(shape),)))


def test_rows_a_thousand_times_smaller_are_measured_by_their_own_rounding():
    x = cancelling((40, 30))
    x[:20] *= 1e-3

    def coarse(x):
        found = alternately(x).clone()
        found[:20] += 3e-6 * torch.randn(20, 30, generator=torch.Generator().manual_seed(7))
        return found

    reference = Case(coarse, lambda x: x.sum(-1), (x,))
    assert not is_as_good(reference)


@pytest.mark.parametrize("shape", [(6, 8), (64, 8), (64, 40)])
def test_large_numbers_in_some_rows_hide_no_digits_that_the_others_lose(shape):
    """Half of the rows are a thousand times larger, and the differences of running sums lose as many digits everywhere."""
    x = torch.randn(*shape, 20, generator=torch.Generator().manual_seed(8))
    x[::2] *= 1000.0

    def differences(x):
        ends = x.transpose(1, 2).reshape(-1, x.shape[1]).cumsum(0)[x.shape[2] - 1 :: x.shape[2]]
        return torch.cat([ends[:1], ends[1:] - ends[:-1]])

    assert not is_as_good(Case(differences, lambda x: x.sum(-1), (x,)))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (lambda x: torch.nn.functional.gelu(x, approximate="tanh"), torch.nn.functional.gelu),
        (lambda x: 1.7 * x + 3e-3, lambda x: 1.7 * x),
        (lambda x: torch.where(x.abs() < 5e-3, 0.0, 1.7 * x), lambda x: 1.7 * x),
        (lambda x: torch.relu(x - 0.5) + 2e-3 * (x < -2.0), lambda x: torch.relu(x - 0.5)),
    ],
    ids=["the other GELU", "a small term added", "small values lost", "zeros that leak"],
)
def test_small_results_of_16_bits_are_measured_by_their_own_rounding(dtype, wrong, right):
    """Each result is rounded once: large ones by far more than small ones."""
    x = torch.randn(64, 256, generator=torch.Generator().manual_seed(9)).to(dtype)

    def reference(x):
        return right(x.float()).to(x.dtype)

    assert is_as_good(Case(lambda x: right(x.float() * 1.0).to(x.dtype), reference, (x,)))
    assert not is_as_good(Case(lambda x: wrong(x.float()).to(x.dtype), reference, (x,)))


def test_places_that_are_not_finite_do_not_widen_the_measure():
    x = cancelling((64,))
    x[16:, 0] = -math.inf

    def far(x):
        found = alternately(x).clone()
        found[:8] += 20 * (x.sum(-1) - x.double().sum(-1)).float()[:8].abs().max()
        return found

    assert is_as_good(Case(alternately, lambda x: x.sum(-1), (x,)))
    assert not is_as_good(Case(far, lambda x: x.sum(-1), (x,)))
