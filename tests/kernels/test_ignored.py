"""What changes no result may be anything: it is found by the reference alone."""

import math

import torch

from halfulp.kernels.problems.calls import Setting
from halfulp.kernels.promises.promises import Promises
from halfulp.kernels.questions.ignored import ignored_questions
from halfulp.kernels.questions.values import LARGE


def asked(target, *arguments, behind=()):
    given = Setting(arguments)
    return list(ignored_questions(given, Promises([given]), target, lambda setting: target(*setting.arguments), behind))


def test_what_lies_behind_the_end_of_a_sequence_is_larger():
    def attend(q, k, lengths):
        masked = (q @ k.mT).masked_fill(torch.arange(6) >= lengths[:, None, None], -math.inf)
        return torch.softmax(masked, -1)

    torch.manual_seed(0)
    q, k = torch.randn(2, 3, 4), torch.randn(2, 6, 4)
    (question,) = asked(attend, q, k, torch.tensor([6, 2]))
    own, changed = question.setting.arguments[:2]
    assert torch.equal(own, q) and torch.equal(changed[0], k[0]) and torch.equal(changed[1, :2], k[1, :2])
    assert bool((changed[1, 2:].abs() == LARGE * k.abs().max()).all()) and question.blunt


def test_where_everything_counts_or_the_larger_one_nothing_is_asked():
    assert not asked(torch.sin, torch.randn(5))
    assert not asked(lambda x: x.amax(-1), torch.rand(3, 8))  # what is made larger counts in its turn
    assert not asked(lambda x: x.round(), torch.randn(5))


def test_a_reference_without_gradients_is_asked_nothing():
    def refuses(x):
        raise RuntimeError("no")

    assert not asked(refuses, torch.randn(3))


def test_a_reference_that_switches_gradients_off_is_asked_all_the_same():
    (question,) = asked(torch.no_grad()(lambda x: x[:2] * 2), torch.randn(5))
    assert bool((question.setting.arguments[0][2:].abs() >= LARGE / 2).all())
    assert torch.is_grad_enabled()


def test_what_may_lie_where_nothing_counts_is_asked_if_the_reference_leaves_it_out():
    def chosen(x, mask):
        return torch.where(mask, x, 0.0).sum(-1)

    mask = torch.tensor([True, False, True])
    larger, nothing = asked(chosen, torch.randn(3), mask, behind=(math.nan,))
    assert nothing.label == "numbers that change no result are nan" and larger.ignored and nothing.ignored
    assert torch.equal(nothing.setting.arguments[0].isnan(), ~mask)
    assert len(asked(lambda x, mask: (x * mask).sum(-1), torch.randn(3), mask, behind=(math.nan,))) == 1  # the reference itself gives NaN
