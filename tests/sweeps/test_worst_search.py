"""halfulp.worst: what it finds, what it leaves alone, and what it says."""

import math

import pytest
import torch

import halfulp
from halfulp.cases import Case
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
    assert found.inputs == ()
    assert list(found.keywords) == ["x", "k"]
    assert halfulp.check(scaled, lambda x, k: x * k, found.keywords).acceptable is False
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


def interrupted_at(words):
    def progress(step):
        if words in step:
            raise KeyboardInterrupt

    return progress


@pytest.mark.parametrize("step", ["making the inputs smaller", "judging the worst"])
def test_an_interruption_after_the_search_keeps_what_was_found_too(step):
    found = halfulp.worst(one_pass, variance, (normal(4, 64),), seconds=MANY, evaluations=60, progress=interrupted_at(step))
    assert not found.complete
    assert found.excess > 1


def test_an_interruption_among_smaller_inputs_keeps_the_smallest(monkeypatch):
    from halfulp.sweeps import worst_search

    def stopped(trial, worst):
        raise worst_search.Interrupted(Found((normal(1, 2) + 1e4,), worst.label, worst.excess))

    monkeypatch.setattr(worst_search, "reduced", stopped)
    found = halfulp.worst(one_pass, variance, (normal(4, 64),), seconds=MANY, evaluations=60)
    assert not found.complete
    assert found.inputs[0].shape == (1, 2)


def test_an_interrupted_judgement_is_undecided_and_the_inputs_are_there(monkeypatch):
    from halfulp.sweeps import worst_search

    def stopped(_gatherer):
        raise KeyboardInterrupt

    monkeypatch.setattr(worst_search, "judged_with_modules", stopped)
    found = halfulp.worst(one_pass, variance, (normal(4, 64),), seconds=MANY, evaluations=60)
    assert not found.complete
    assert found.acceptable is None
    assert found.excess > 1


def test_an_interruption_while_inputs_are_asked_about_keeps_them(monkeypatch):
    from halfulp.sweeps import worst_search

    judge, asked = worst_search.judged, []

    def stopped_once(gatherer):
        asked.append(gatherer)
        if len(asked) == 1:
            raise KeyboardInterrupt
        return judge(gatherer)

    monkeypatch.setattr(worst_search, "judged", stopped_once)
    found = halfulp.worst(one_pass, variance, (normal(4, 64),), seconds=MANY, evaluations=60)
    assert not found.complete
    assert found.acceptable is False
    assert found.excess > 1


def test_what_was_confirmed_counts_where_what_is_worse_by_its_number_is_acceptable(monkeypatch):
    """Inputs at 5 limits were not asked about, because those at 3 were: that is no news, and they turn out to be acceptable."""
    from types import SimpleNamespace

    from halfulp.sweeps import worst_search

    worse, confirmed = Found((), "worse by its number", 5.0), Found((), "confirmed", 3.0)
    monkeypatch.setattr(worst_search, "judged_with_modules", lambda each: SimpleNamespace(acceptable=each is worse))
    kept, result, was_judged = worst_search._judged([None, worse, worse, confirmed], lambda each: each, lambda _: None)
    assert kept is confirmed
    assert result.acceptable is False
    assert was_judged
    kept, _, _ = worst_search._judged([None, worse, worse, None], lambda each: each, lambda _: None)
    assert kept is worse


def test_inputs_on_which_the_check_fails_are_not_waiting_for_it():
    from halfulp.cases import Case
    from halfulp.errors import RunError as Failed

    def acceptable(_case):
        raise Failed("a side fails in float64")

    trial = Trial(lambda inputs: Case(one_pass, variance, inputs), acceptable=acceptable)
    assert trial.measure((normal(2, 8) + 1e4,), "far") == 0.0
    assert trial.pending is None
    assert trial.refused == 1


def test_other_shapes_and_other_infinities_are_found():
    cut = halfulp.worst(lambda x: x.sum(-1).squeeze(), lambda x: x.sum(-1), (normal(8, 64),), seconds=MANY, evaluations=60)
    assert cut.acceptable is False
    assert "shape" in cut.result.reason or cut.result.because == ("structure",)
    sign = halfulp.worst(lambda x: torch.where(x > 80, -x.exp(), x.exp()), torch.exp, (normal(64),), seconds=MANY, evaluations=120)
    assert sign.acceptable is False


def test_layout_and_what_is_no_tensor_are_kept(tmp_path):
    """The fault shows on strides alone; the number is part of the call."""

    def scaled(x, k, mode):
        return (x if x.is_contiguous() else x.flip(0)) * k

    found = halfulp.worst(scaled, lambda x, k, mode: x * k, (normal(8, 6), float("inf"), {"a": (1, None)}), seconds=MANY, evaluations=40)
    again = halfulp.worst(scaled, lambda x, k, mode: x * k, (normal(8, 6), 2.0, {"a": (1, None)}), seconds=MANY, evaluations=40)
    assert found.inputs[1:] == (math.inf, {"a": (1, None)})
    assert again.acceptable is False
    assert not again.inputs[0].is_contiguous()
    assert halfulp.check(scaled, lambda x, k, mode: x * k, again.inputs).acceptable is False


def test_what_actual_alone_refuses_is_told():
    """It decides nothing: whoever writes it for sizes of 16 may say so."""

    def of_sixteen(x):
        assert x.shape[-1] % 16 == 0, "whole blocks alone"
        return x.exp()

    found = halfulp.worst(of_sixteen, torch.exp, (normal(4, 64),), seconds=MANY, evaluations=60)
    assert found.acceptable
    assert 0 < found.refused_alone <= found.refused
    assert "whole blocks alone" in found.refusal
    assert "by `actual` alone" in str(halfulp.report(found))


def test_an_argument_that_can_not_be_kept_is_named():
    found = halfulp.worst(lambda xs: xs[0] * 2, lambda xs: xs[0] + xs[0], ([normal(4)],), seconds=MANY, evaluations=10)
    with pytest.raises(InputError, match="only a description"):
        _ = found.inputs


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


def test_no_run_begins_that_would_end_after_the_time(monkeypatch):
    """A measurement is many runs. The clock stands still but for those runs that take a hundred seconds each."""
    clock, calls, takes = [0.0], [], [0.0]
    monkeypatch.setattr("halfulp.cases.deadline.now", lambda: clock[0])
    monkeypatch.setattr("halfulp.searches.found.now", lambda: clock[0])

    def slow(x):
        calls.append(x)
        clock[0] += takes[0]
        return x.sum()

    trial = Trial(lambda inputs: Case(slow, slow, inputs), seconds=150.0)
    trial.measure((normal(50),), "the first")
    usual, takes[0] = len(calls), 100.0
    with pytest.raises(OutOfBudget):
        trial.measure((normal(40),), "too slow")
    assert len(calls) - usual < usual and trial.worst.label == "the first"
