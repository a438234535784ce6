"""Results that are the same vectors in another order or with another sign: said beside the verdict, which stays."""

import pytest
import torch

import halfulp
from halfulp import Verdict

NUMBERS = torch.randn(40, 8, generator=torch.Generator().manual_seed(0))
ORDER = [3, 0, 7, 1, 2, 6, 5, 4]
SIGNS = torch.tensor([1.0, -1.0, 1.0, 1.0, -1.0, 1.0, 1.0, 1.0])


def vectors(x):
    return torch.linalg.eigh(x.T @ x)[1]


CASES = [
    (lambda x: vectors(x) * SIGNS, vectors, "the columns of `actual` are those of `expected`, 2 of 8 with the opposite sign"),
    (lambda x: vectors(x).flip(1), vectors, "the columns of `actual` are those of `expected` in reverse order"),
    (lambda x: vectors(x)[:, ORDER], vectors, "the columns of `actual` are those of `expected` in another order"),
    (
        lambda x: vectors(x)[ORDER] * -SIGNS[:, None],
        vectors,
        "the rows of `actual` are those of `expected` in another order, 6 of 8 with the opposite sign",
    ),
    (lambda x: torch.linalg.eigvalsh(x.T @ x).flip(0), lambda x: torch.linalg.eigvalsh(x.T @ x), "the numbers of `actual` are those of `expected` in reverse order"),
    (lambda x: -x.exp(), lambda x: x.exp(), "all of `actual` has the opposite sign"),
    (lambda x: x.view(4, 5, 2, 8).exp().flip(2), lambda x: x.view(4, 5, 2, 8).exp(), "the slices of `actual` along axis 2 are those of `expected` in reverse order"),
    (
        lambda x: x.view(5, 8, 8).exp() * torch.where(torch.arange(5).view(5, 1, 1) > 2, SIGNS, 1.0),
        lambda x: x.view(5, 8, 8).exp(),
        "in each matrix, the columns of `actual` are those of `expected`, 4 of 40 with the opposite sign",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("actual", "expected", "words"), CASES, ids=[words for _, _, words in CASES])
def test_it_is_said_beside_a_mistake(actual, expected, words):
    result = halfulp.check(actual, expected, (NUMBERS,))
    assert result.verdict is Verdict.MISTAKE
    assert words in result.reason
    assert halfulp.CheckResult.from_json(result.to_json()).reason == result.reason


@pytest.mark.parametrize(
    "actual",
    [
        lambda x: x.exp() * 1.001,
        lambda x: x.exp().roll(1) + 0.01,
        lambda x: torch.ones_like(x),
        lambda x: torch.zeros_like(x),
        lambda x: torch.where(torch.arange(8) == 3, x, x.exp()),
    ],
)
def test_other_mistakes_are_not_said_to_be_one(actual):
    result = halfulp.check(actual, torch.exp, (NUMBERS,))
    assert result.verdict is Verdict.MISTAKE and result.find("rearrangement") is None


def test_a_shift_is_another_order():
    result = halfulp.check(lambda x: x.exp().roll(1, 0), torch.exp, (NUMBERS,))
    assert "the rows of `actual` are those of `expected` in another order" in result.reason
