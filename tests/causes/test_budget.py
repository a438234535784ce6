"""The budget of `explain`, by a clock that functions under test move: no time is waited for or measured."""

import pytest
import torch
from torch import nn

import halfulp
from halfulp import Verdict
from halfulp.cases import Case, Deadline, OutOfTime, deadline
from halfulp.causes.laboratory import Laboratory
from halfulp.causes.processes import Job, pool, run_jobs
from halfulp.noise import noise_of
from halfulp.verdicts.checker import judged
from halfulp.verdicts.gatherer import Gatherer


class Clock:
    """A clock that stands still, but for what moves it."""

    def __init__(self):
        self.time = 1000.0

    def monotonic(self):
        return self.time


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(deadline, "time", made)
    return made


def slow(clock, seconds, function):
    """The function, taking so long by the clock."""

    def run(*arguments):
        clock.time += seconds
        return function(*arguments)

    return run


def net(layer_eps):
    torch.manual_seed(3)
    model = nn.Sequential(nn.Linear(16, 32), nn.LayerNorm(32, eps=layer_eps), nn.GELU(), nn.Linear(32, 16), nn.LayerNorm(16)).eval()
    return model


def pairs(kind):
    if kind == "mistake":
        return net(1e-2), net(1e-5), (torch.randn(4, 16),)
    if kind == "two mistakes":
        left, right = net(1e-2), net(1e-5)
        return lambda x: left(x) * 1.5, right, (torch.randn(4, 16),)
    weight, bias = torch.randn(40, 300), torch.randn(40)
    return lambda x: x @ weight.T + bias, lambda x: nn.functional.linear(x, weight, bias), (torch.randn(8, 300),)


@pytest.mark.parametrize("kind", ["mistake", "two mistakes", "rounding"])
@pytest.mark.parametrize("seconds", [0.01, 0.1, 0.5])
@pytest.mark.parametrize("budget", [10.0, 30.0])
def test_the_whole_ends_in_time(clock, kind, seconds, budget):
    actual, expected, inputs = pairs(kind)
    begin = clock.time
    found = halfulp.explain(slow(clock, seconds, actual), slow(clock, seconds, expected), inputs, budget_s=budget, processes=False)
    assert clock.time - begin <= budget + 2 * seconds
    assert found.seconds == pytest.approx(clock.time - begin)
    if not found.complete:
        assert found.notes and "time" in str(found)


def test_a_verdict_that_is_not_reached_is_undecided_and_says_so(clock):
    actual, expected, inputs = pairs("mistake")
    found = halfulp.explain(slow(clock, 2.0, actual), slow(clock, 2.0, expected), inputs, budget_s=10, processes=False)
    assert found.verdict is Verdict.UNDECIDED and found.exit_code == 3 and not found.complete and not found.causes
    assert "No verdict was reached in 10 s" in str(found)
    assert halfulp.judge(found.result.evidence) is Verdict.UNDECIDED


def test_what_was_left_out_is_named(clock):
    actual, expected, inputs = pairs("two mistakes")
    found = halfulp.explain(slow(clock, 0.1, actual), slow(clock, 0.1, expected), inputs, budget_s=12, processes=False)
    assert found.verdict is Verdict.MISTAKE and not found.complete
    assert any(note.startswith("Left out because the time budget ran out: ") for note in found.notes)


def test_with_time_enough_nothing_is_left_out(clock):
    actual, expected, inputs = pairs("mistake")
    found = halfulp.explain(slow(clock, 0.1, actual), slow(clock, 0.1, expected), inputs, budget_s=600, processes=False)
    assert found.complete and found[0].name == "layer epsilon" and not found.notes


def test_a_run_that_would_end_too_late_is_not_begun(clock):
    limit = Deadline(clock.time + 10)
    with limit.run("actual"):
        clock.time += 5  # the first, which may compile, says nothing of the next
    with limit.run("actual"):
        clock.time += 3
    with pytest.raises(OutOfTime), limit.run("actual"):
        raise AssertionError("it was begun")
    assert limit.left() == 2
    clock.time += 4
    assert limit.left() == 0
    with limit.run("expected"):  # without its first run there is no answer at all
        pass
    with pytest.raises(OutOfTime), limit.run("expected"):
        raise AssertionError("it was begun")


def test_a_side_that_compiles_longer_than_the_budget_is_undecided(clock):
    compiled = []

    def actual(x):
        clock.time += 0.0 if compiled else 15.0
        compiled.append(True)
        return x * 3

    found = halfulp.explain(actual, lambda x: x * 2, (torch.ones(3),), budget_s=10, processes=False)
    assert found.verdict is Verdict.UNDECIDED and not found.complete and "No verdict was reached in 10 s" in str(found)


def test_no_handler_of_failures_takes_the_end_of_the_time_for_one():
    assert not issubclass(OutOfTime, Exception)


def test_a_stage_that_takes_too_long_is_left_out_and_others_go_on(clock):
    case = Case(torch.exp, torch.exp, (torch.ones(3),))
    laboratory = Laboratory(case, noise_of(case), judged(Gatherer(case, lambda _: None)), clock.time + 10, lambda _: None)
    assert not laboratory.hurries("the first", takes=9)
    assert laboratory.hurries("the second", takes=11)
    assert not laboratory.hurries("the third", takes=1)
    assert laboratory.out_of_time and list(laboratory.left_out) == ["the second"]
    clock.time += 11
    assert laboratory.hurries("the fourth") and list(laboratory.left_out) == ["the second", "the fourth"]


def test_processes_are_ended_when_the_time_is_over():
    def sleeps(x):
        import time

        time.sleep(600)

    own = {
        "actual": sleeps,
        "expected": torch.exp,
        "inputs": (torch.ones(3),),
        "keywords": {},
        "gradients": False,
        "seed": 0,
        "declared": "float32",
    }
    replies = run_jobs(own, [Job("one"), Job("two"), Job("three")], at_once=1, deadline=deadline.now() + 1.0)
    assert [reply.error for reply in replies] == [pool.OVER] * 3
