"""Closeups: what pictures are drawn from. They are true to the outputs, stay small, and change no verdict."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from halfulp import check
from halfulp.verdicts.closeups import ELEMENTS, ENTRIES, TILES

G = torch.Generator().manual_seed(0)
X, W = torch.randn(40, 64, generator=G), torch.randn(64, 70, generator=G)


def product(x, w):
    return x @ w


def halves(x, w):
    return x[:, :32] @ w[:32] + x[:, 32:] @ w[32:]


def test_elements_are_those_of_the_outputs():
    (found,) = check(halves, product, (X, W), closeups=True).closeups
    mine, theirs = halves(X, W).numpy().ravel(), product(X, W).numpy().ravel()
    places = list(found.places)
    assert len(places) == len(set(places)) == min(ELEMENTS, mine.size) and found.count == mine.size
    assert np.array_equal(np.float32(found.actual), mine[places]) and np.array_equal(np.float32(found.expected), theirs[places])
    exact = (X.double() @ W.double()).numpy().ravel()[places]
    assert np.allclose(found.reference, exact, rtol=1e-8)
    ratio = np.abs(np.array(found.actual) - exact) / np.array(found.noise)
    assert ratio[0] == pytest.approx(ratio.max(), rel=1e-5)  # the worst one first
    assert np.all(np.diff(ratio[: found.worst]) <= 1e-4 * ratio[0])


def test_closeups_change_no_verdict_and_are_not_kept_unasked():
    plain, close = check(halves, product, (X, W)), check(halves, product, (X, W), closeups=True)
    assert plain.closeups == () and (plain.verdict, plain.evidence) == (close.verdict, close.evidence)


def test_a_planted_channel_stands_out_of_its_profile():
    def wrong(x, w):
        y = product(x, w)
        y[:, 13] += 2e-5
        return y

    (found,) = check(wrong, product, (X, W), closeups=True).closeups
    (columns,) = [profile for profile in found.profiles if profile.axis == 1]
    amounts = np.abs(columns.means) / np.array(columns.band)
    assert columns.indices[int(np.argmax(amounts))] == 13 and amounts[13] > 1.0
    heat = np.array(found.heat.values).reshape(found.heat.rows, found.heat.columns)
    assert int(np.argmax(heat.mean(0))) == 13 // found.heat.column_step


def test_large_and_many_outputs_stay_small():
    x = torch.randn(300, 500, generator=G)
    (found,) = check(lambda x: torch.exp(x) * 1.0, lambda x: torch.exp(x.double()).float(), (x,), closeups=True).closeups
    assert len(found.places) == ELEMENTS and found.heat.rows <= TILES and found.heat.columns <= TILES
    assert all(len(profile.indices) <= ENTRIES for profile in found.profiles)
    net = torch.nn.Sequential(*[torch.nn.Linear(6, 6) for _ in range(30)])
    other = lambda x: net(x) + 0.0
    many = check(net, other, (torch.randn(3, 6, generator=G),), gradients=True, closeups=True).closeups
    assert len(many) <= 40 and sum(len(each.places) for each in many) <= 2 * ELEMENTS


@pytest.mark.parametrize(
    ("actual", "expected", "x"),
    [
        (lambda x: x > 0, lambda x: x > 0.1, torch.randn(5, generator=G)),
        (lambda x: x[:2], lambda x: x, torch.randn(5, generator=G)),
        (lambda x: x / 0, lambda x: x, torch.randn(5, generator=G)),
        (torch.fft.fft, lambda x: torch.fft.fft(x.double()).to(torch.complex64), torch.randn(16, generator=G)),
        (lambda x: x.sum(), lambda x: x.double().sum().float(), torch.randn(50, generator=G)),
        (lambda x: (x * 3).bfloat16(), lambda x: x.bfloat16() * 3, torch.randn(9, generator=G)),
        (lambda x: x[:0], lambda x: x[:0] * 1, torch.randn(5, generator=G)),
        (F.relu, F.relu, torch.randn(4, 4, generator=G)),
    ],
)
def test_odd_outputs(actual, expected, x):
    result = check(actual, expected, (x,), closeups=True)
    for closeup in result.closeups:
        assert len(closeup.places) == len(closeup.actual) == len(closeup.expected)
        assert len(closeup.noise) in (0, len(closeup.places))
    assert type(result).from_json(result.to_json()).to_json() == result.to_json()
