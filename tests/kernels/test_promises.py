"""What inputs have in common is seen, and no variant breaks it."""

import pytest
import torch

from halfulp.inputs import variants
from halfulp.kernels.problems.calls import Setting
from halfulp.kernels.promises.promises import Promises


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
    "is positive, and away from zero": lambda: torch.rand(16) * 0.8 + 0.6,
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


def test_pieces_keep_ending_where_what_they_divide_ends():
    """Offsets that point beyond what they divide crash `torch.nn.functional.embedding_bag`; a length that is in no piece is nobody's."""

    def draw(seed):
        sizes = torch.randint(1, 5, (6,), generator=torch.Generator().manual_seed(seed))
        ends = torch.nn.functional.pad(sizes.cumsum(0), (1, 0))
        return Setting((torch.randn(int(ends[-1]), 3), ends, sizes, torch.randn(6)))

    promises = Promises([draw(seed) for seed in range(3)])
    assert "Input 1 ends at the length of axis 0 of input 0 in every draw." in promises.words
    assert "Input 2 adds up to the length of axis 0 of input 0 in every draw." in promises.words
    rows, ends, sizes, other = draw(0).arguments
    assert promises.kept((2 * rows, ends, sizes, -other)) is not None
    for changed in ((rows[:-1], ends, sizes, other), (rows, ends[:1], sizes, other), (rows, ends, sizes.flip(0)[:-1], other)):
        assert promises.kept(changed) is None


def test_places_stay_within_what_they_are_places_in():
    """`ctc_loss` reads whatever lies behind the classes for a label that is none."""

    def draw(seed):
        generator = torch.Generator().manual_seed(seed)
        lengths = torch.tensor([7, 5])
        return Setting((torch.randn(7, 9), torch.randint(1, 9, (2, 4), generator=generator), lengths))

    draws = [draw(seed) for seed in range(3)]
    promises, (scores, labels, lengths) = Promises(draws), draws[0].arguments
    most = int(labels.max())
    assert (
        promises.kept((scores[:, : most + 1], labels, lengths)) is not None and promises.kept((scores[:, :most], labels, lengths)) is None
    )
    assert promises.kept((scores[:6], labels, lengths)) is None and promises.kept((scores[:6], labels, lengths - 1)) is not None
    assert promises.kept((scores, labels - 20, lengths)) is not None and not promises.words


@pytest.mark.parametrize(("least", "count", "is_away"), [(0.3, 8, True), (0.05, 8, False), (0.05, 400, True), (0.001, 400, False)])
def test_numbers_keep_away_from_zero_where_those_that_may_come_there_would(least, count, is_away):
    """Prices between 10 and 500 are positive, four hundred of them; numbers from 0 to 1 may as well be negative, as far as anybody knows."""
    numbers = torch.linspace(least, 1.0, count)[torch.randperm(count)]
    some = numbers.clone()
    some[count // 2] = torch.nan  # a price that is not known is no negative one
    for tensor in (numbers, some) if count > 8 else (numbers,):
        found = Promises([Setting((tensor,))] * 3).of.get(0, [])
        assert any("away from zero" in promise.name for promise in found) == is_away


def test_starts_of_pieces_stay_in_order_and_labels_may_not():
    starts = torch.tensor([0, 4, 9, 15])
    promises = Promises([Setting((torch.randn(20, 2), starts))] * 3)
    (changed,) = (arguments[1] for arguments in [promises.kept((torch.randn(20, 2), torch.tensor([9, 9, 0, 4])))])
    assert changed.tolist() == [0, 0, 4, 9]
    for labels in (torch.arange(20), torch.tensor([0, 0, 1, 1, 2, 2]), starts.flip(0)):
        assert not any("never falls" in promise.name for promise in Promises([Setting((labels,))] * 3).of.get(0, []))
