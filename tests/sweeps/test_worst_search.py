"""halfulp.worst: what it finds, what it leaves alone, and what it says."""

import math

import pytest
import torch

import halfulp
from halfulp.errors import InputError, RunError
from halfulp.searches import Trial, search_inputs
from halfulp.searches.found import Found, OutOfBudget
from halfulp.searches.reduction import reduced

MANY = 1e9


def one_pass(x):
    return (x * x).mean(-1) - x.mean(-1) ** 2


def variance(x):
    return x.var(-1, correction=0)


def normal(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0))


FAULTS = {
    "one-pass variance": (one_pass, variance, (normal(4, 64),)),
    "softmax without its maximum": (lambda x: x.exp() / x.exp().sum(-1, keepdim=True), lambda x: x.softmax(-1), (normal(4, 32),)),
    "a tail that is dropped": (
        lambda x: torch.cat([x[..., : x.shape[-1] // 16 * 16].exp(), x[..., x.shape[-1] // 16 * 16 :]], -1), torch.exp, (normal(4, 64),)
    ),
    "a clamp": (lambda x: x.clamp(max=50.0).square(), torch.square, (normal(64),)),
    "eps inside a root": (lambda x: (x.square().sum(-1) + 1e-8).sqrt(), lambda x: x.square().sum(-1).sqrt(), (normal(8, 16),)),
    "a product that overflows": (lambda a, b: (a * a + b * b).sqrt(), torch.hypot, (normal(64), normal(64))),
    "a maximum against zero": (lambda x: x.clamp(min=0).amax(-1), lambda x: x.amax(-1), (normal(8, 32),)),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_faults_that_normal_numbers_hide(name):
    actual, expected, inputs = FAULTS[name]
    assert halfulp.check(actual, expected, inputs).acceptable
    found = halfulp.worst(actual, expected, inputs, seconds=MANY, evaluations=200, reduce=False)
    assert found.acceptable is False, found
    assert found.excess > 1 >= found.given_excess
    assert halfulp.check(actual, expected, found.inputs).acceptable is False


@pytest.mark.parametrize(
    ("actual", "expected", "inputs"),
    [
        (torch.matmul, lambda x, w: (x[:, :, None] * w[None]).sum(1), (normal(8, 32), normal(32, 8))),
        (lambda x: (x - x.mean(-1, keepdim=True)).square().mean(-1), variance, (normal(4, 64),)),
        (lambda x: x.logsumexp(-1), lambda x: x.amax(-1) + (x - x.amax(-1, keepdim=True)).exp().sum(-1).log(), (normal(4, 32),)),
        (lambda x: x.flip(-1).sum(-1), lambda x: x.sum(-1), (normal(4, 128),)),
    ],
)
def test_honest_ones_stay_acceptable(actual, expected, inputs):
    found = halfulp.worst(actual, expected, inputs, seconds=MANY, evaluations=150)
    assert found.acceptable, found


def test_the_same_evaluations_find_the_same():
    one, two = (halfulp.worst(one_pass, variance, (normal(4, 64),), seconds=MANY, evaluations=60, reduce=False) for _ in range(2))
    assert (one.label, one.excess, one.evaluations) == (two.label, two.excess, two.evaluations)
    assert torch.equal(one.inputs[0], two.inputs[0])


def test_inputs_travel_through_json(tmp_path):
    found = halfulp.worst(one_pass, variance, (normal(4, 64),), seconds=MANY, evaluations=40)
    file = tmp_path / "worst.json"
    file.write_text(found.to_json(), encoding="utf-8")
    again = halfulp.read_result(file)
    assert (again.label, again.excess, again.arguments) == (found.label, found.excess, found.arguments)
    assert torch.equal(again.inputs[0], found.inputs[0])
    assert found.reduced
    assert found.inputs[0].numel() < 4 * 64


def test_what_is_given_by_name_and_what_is_no_tensor():
    def scaled(x, k):
        return x.clamp(max=30.0) * k

    found = halfulp.worst(scaled, lambda x, k: x * k, {"x": normal(16), "k": 2.0}, seconds=MANY, evaluations=60)
    assert found.acceptable is False
    assert [argument.name for argument in found.arguments] == ["x", "k"]
    assert found.arguments[1].text == "2.0"


def test_an_interruption_keeps_what_was_found():
    told = []

    def progress(step):
        told.append(step)
        if len(told) == 12:
            raise KeyboardInterrupt

    found = halfulp.worst(one_pass, variance, (normal(4, 64),), seconds=MANY, progress=progress)
    assert not found.complete
    assert "interrupted" in str(found)
    assert found.evaluations > 3


def test_state_of_modules_is_as_it_was():
    layer = torch.nn.BatchNorm1d(8)
    before = {name: value.clone() for name, value in layer.state_dict().items()}
    halfulp.worst(layer, torch.nn.BatchNorm1d(8), (normal(16, 8),), seconds=MANY, evaluations=40)
    assert all(torch.equal(value, before[name]) for name, value in layer.state_dict().items())


def test_bad_arguments():
    with pytest.raises(InputError, match="seconds=0"):
        halfulp.worst(one_pass, variance, (normal(4, 64),), seconds=0)
    with pytest.raises(InputError, match="stored result"):
        halfulp.worst(torch.ones(4), variance, (normal(4, 64),))
    with pytest.raises(RunError, match="`actual`"):
        halfulp.worst(lambda x: x.nothing(), variance, (normal(4, 64),))


class TestTrial:
    """What a trial measures, and when it ends."""

    def case_on(self, inputs):
        from halfulp.cases import Case

        return Case(one_pass, variance, inputs)

    def test_a_budget_ends_it(self):
        trial = Trial(self.case_on, most=3)
        for _ in range(3):
            trial.measure((normal(2, 8),), "")
        with pytest.raises(OutOfBudget):
            trial.measure((normal(2, 8),), "")
        with pytest.raises(OutOfBudget):
            Trial(self.case_on, seconds=0).measure((normal(2, 8),), "")

    def test_what_is_acceptable_all_the_same_is_at_the_limit(self):
        trial = Trial(self.case_on, acceptable=lambda _: True)
        assert trial.measure((normal(2, 8) + 1e4,), "far") == 1.0
        assert trial.worst is not None
        assert trial.worst.excess == 1.0

    def test_inputs_that_a_side_refuses_count_for_nothing(self):
        trial = Trial(self.case_on)
        assert trial.measure((torch.randn(2, 8) > 0,), "booleans") == 0.0
        assert trial.refused == 1
        assert trial.worst is None

    def test_smaller_inputs_are_as_bad(self):
        trial = Trial(self.case_on, most=200)
        far = (normal(4, 64) + 1e4,)
        worst = Found(far, "far", trial.measure(far, "far"))
        found = reduced(Trial(self.case_on, most=400), worst)
        assert found.excess >= 0.5 * worst.excess
        assert found.inputs[0].numel() <= 4

    def test_without_time_there_is_nothing(self):
        assert search_inputs(Trial(self.case_on, seconds=0), (normal(2, 8),)) is None

    def test_infinity_ends_the_search(self):
        from halfulp.cases import Case

        trial = Trial(lambda inputs: Case(lambda x: x.exp() / x.exp().sum(-1, keepdim=True), lambda x: x.softmax(-1), inputs), most=500)
        found = search_inputs(trial, (normal(2, 8),))
        assert found is not None
        assert math.isinf(found.excess)
        assert trial.evaluations < 100
