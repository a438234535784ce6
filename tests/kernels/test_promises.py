"""What inputs have in common is seen, and no variant breaks it."""

import pytest
import torch

from halfulp.inputs import variants
from halfulp.kernels.calls import Setting
from halfulp.kernels.promises import Promises


def drawn(make, count=3):
    found = []
    for seed in range(count):
        torch.manual_seed(seed)
        found.append(Setting((make(),)))
    return found


def definite():
    a = torch.randn(8, 8)
    return a @ a.T + 8 * torch.eye(8)


def symmetric():
    a = torch.randn(8, 8)
    return a + a.T


def one_hot():
    return torch.nn.functional.one_hot(torch.randint(0, 5, (6,)), 5).float()


PROMISED = {
    "is symmetric and positive definite": definite,
    "is symmetric": symmetric,
    "is lower triangular": lambda: torch.randn(8, 8).tril(),
    "is upper triangular": lambda: torch.randn(8, 8).triu(),
    "holds rows that sum to 1": lambda: torch.randn(4, 9).softmax(-1),
    "holds rows of norm 1": lambda: torch.nn.functional.normalize(torch.randn(4, 9), dim=-1),
    "is sorted": lambda: torch.randn(4, 9).sort(-1).values,
    "holds 0 and 1 alone": one_hot,
    "has -inf where it masks": lambda: torch.randn(6, 6).masked_fill(torch.ones(6, 6).triu(1).bool(), -torch.inf),
}


@pytest.mark.parametrize("name", PROMISED)
def test_a_promise_is_seen_and_kept(name):
    settings = drawn(PROMISED[name])
    promises = Promises(settings)
    (promise, *_) = promises.of[0]
    assert promise.name == name and f"Input 0 {name} in every draw." in promises.words
    kept = 0
    for variant in variants(settings[0].arguments, 0):
        found = promises.kept(variant.inputs) if variant.kind == "values" else None
        if found is not None:
            kept += 1
            assert all(each.holds(found[0]) for each in promises.of[0]), variant.label
    assert kept


def test_random_numbers_promise_nothing():
    assert not Promises(drawn(lambda: torch.randn(8, 8))).of
    (setting,) = drawn(lambda: torch.randn(8, 8), 1)
    changed = (torch.zeros(8, 8),)
    assert Promises([setting]).kept(changed) == changed
