"""A sample by the tape is the sample by the function's own code, bit for bit; what the tape can't know of, it refuses."""

from typing import NamedTuple

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from benchmarks.verdicts import PAIRS
from torch import nn

import halfulp
from halfulp.cases import Case
from halfulp.noise import passes
from halfulp.noise.tape import ByIdentity, Tape


def samples(function, inputs, *, by_tape, keywords=None, declared=None, gradients=False, count=2):
    """The passes of a function, and the tape that they used."""
    case = Case(function, function, inputs, keywords=keywords, declared=declared, gradients=gradients)
    case.native("actual"), case.native("expected")
    model = passes.Model(case.declared, count, True, False, product_loss=1.0, amplitude=1.0, profiles=False, rounds=passes.DATA)
    found, tape = [], Tape()
    for mode, outputs in passes.passes_of(case, "expected", model, lambda *_: None):
        tape = mode.tape
        if not by_tape:
            tape.drop("not wanted")
        found.append(outputs)
    return found, tape


class Both(NamedTuple):
    """What sampling by the code and by the tape gave."""

    equal: bool  # bit for bit
    moved: bool  # whether the sample differs from the measuring pass at all
    why: str  # the tape was not played; "" where it was


def both_ways(function, inputs, **options):
    own, _ = samples(function, inputs, by_tape=False, **options)
    played, tape = samples(function, inputs, by_tape=True, **options)
    pairs = [(one, other) for first, second in zip(own, played, strict=True) for one, other in zip(first, second, strict=True)]
    equal = all(one.path == other.path and one.dtype == other.dtype and one.has_bytes_of(other) for one, other in pairs)
    return Both(equal, any(not a.has_bytes_of(b) for a, b in zip(played[0], played[1])), tape.why)


PLAYED = Both(True, True, "")


def test_labelled_pairs_are_sampled_alike_both_ways():
    found = {}
    for pair in PAIRS[::3]:
        _, expected, inputs = pair.make(0)
        try:
            found[pair.name] = both_ways(expected, inputs, declared=pair.declared, gradients=pair.gradients)
        except passes.Unseen:
            continue
    assert [name for name, both in found.items() if not both.equal] == []
    played = sum(not both.why for both in found.values())
    assert played > 0.6 * len(found) > 50, {name: both.why for name, both in found.items() if both.why}


class Positions(nn.Module):
    """As language models are built: whole numbers are added before and between what is computed."""

    def __init__(self):
        super().__init__()
        self.tokens, self.places, self.mix = nn.Embedding(20, 16), nn.Embedding(20, 16), nn.Linear(16, 16)

    def forward(self, tokens):
        places = torch.arange(tokens.shape[1]) + 0
        x = self.tokens(tokens) + self.places(places)
        mask = torch.full((tokens.shape[1], tokens.shape[1]), torch.finfo(x.dtype).min).triu(1)
        for _ in range(2):
            scores = x @ self.mix(x).transpose(1, 2) + mask
            x = x + F.layer_norm(scores.softmax(-1) @ x, (16,))
        return {"x": x, "more": (x.sum(), 3)}


def test_positions_do_not_lead_a_sample_astray():
    torch.manual_seed(0)
    model, tokens = Positions().eval(), torch.randint(0, 20, (2, 10))
    assert both_ways(model, (tokens,)) == PLAYED


@pytest.mark.parametrize(
    "function",
    [
        lambda x: torch.where(x > 0, x, -x).clamp(0.1, 2.0).log().sum(-1),
        lambda x: x.clone().add_(1.0).mul_(x).relu_(),
        lambda x: x.index_add(0, torch.tensor([0, 1, 0]), x[:3]),
        lambda x: torch.cat([part.exp() for part in x.split(2)]).cumsum(0),
        lambda x: x * (torch.rand(8) < 0.5).to(x),
        lambda x: F.group_norm(x.reshape(1, 4, 8), 2).var(-1),
        lambda x: torch.linalg.solve(x[:4, :4] + 5 * torch.eye(4), x[:4]),
        lambda x: torch.fft.rfft(x).abs(),
        lambda x: [x @ x.T, {"b": x.tanh()}],
    ],
)
def test_ops_of_every_kind(function):
    x = torch.randn(4, 8, generator=torch.Generator().manual_seed(0))
    assert both_ways(function, (x,)) == PLAYED


def test_gradients_are_sampled_by_the_code_itself():
    torch.manual_seed(0)
    model, x = nn.Sequential(nn.Linear(8, 8), nn.GELU(), nn.Linear(8, 1)), torch.randn(4, 8)
    both = both_ways(model, (x,), gradients=True)
    assert both.equal and both.moved and both.why


CONSTANT = torch.linspace(0, 1, 8)


class Hidden:
    """Where nobody looks for tensors."""

    value = torch.linspace(0, 1, 8)


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (lambda x: x * float(x.detach().numpy().sum()), "without going through an op"),
        (lambda x: x * sum(x.tolist()[0]), "without going through an op"),
        (lambda x: x + Hidden.value, "came from elsewhere"),
        (lambda x: x.clone().t_() * 2.0, "changes the shape"),
        (lambda x: x * torch.tensor([1.0, 2.0] * 4).add_(1.0), "constant in place"),
    ],
)
def test_what_the_tape_cannot_know_of_is_refused(function, why):
    x = torch.randn(8, 8, generator=torch.Generator().manual_seed(0))
    both = both_ways(function, (x,))
    assert both.equal and both.moved and why in both.why


def test_a_branch_that_follows_numbers_is_looked_at_again():
    """Half of the samples go the other way; a tape that went on would give the first way always."""

    def function(x):
        return x * 2.0 if (x * 1.1).sum() > 0 else x * 3.0

    x = torch.tensor([1.0, -1.0]) * (1 + 2**-20)
    own, _ = samples(function, (x,), by_tape=False, count=8)
    played, tape = samples(function, (x,), by_tape=True, count=8)
    assert not tape.why
    ways = [round(float(outputs[0].stored[0])) for outputs in own]
    assert set(ways) == {2, 3}
    assert [round(float(outputs[0].stored[0])) for outputs in played] == ways


def test_an_item_that_is_the_same_again_is_no_hindrance():
    assert both_ways(lambda x, n: x[: int(n)].exp(), (torch.randn(4, 3), torch.tensor(2))) == PLAYED


def test_sizes_that_follow_numbers():
    function = lambda x: x[x > 0].exp().sum()
    assert both_ways(function, (torch.randn(40, generator=torch.Generator().manual_seed(1)),)) == PLAYED


def test_a_captured_tensor_belongs_to_the_state():
    assert both_ways(lambda x: x * CONSTANT, (torch.randn(3, 8),)) == PLAYED


def test_inputs_that_are_written_are_sampled_by_the_code():
    def function(x):
        x.mul_(2.0)
        return x.exp()

    both = both_ways(function, (torch.randn(3),))
    assert both.equal and both.moved and "writes into" in both.why
    assert halfulp.check(function, function, (torch.randn(3),)).acceptable


def test_what_is_known_by_identity_ends_with_the_tensor():
    known = ByIdentity()
    tensor = torch.zeros(2)
    known[tensor] = 1
    assert known.get(tensor) == 1
    place = id(tensor)
    del tensor
    others = [torch.zeros(2) for _ in range(50)]
    assert all(known.get(other) is None for other in others), place


def test_weights_that_are_moved_move_in_what_is_played():
    """In 16 bits weights of `expected` are data: each sample rounds them anew, on the tape as well."""
    torch.manual_seed(0)
    model, x = nn.Linear(16, 4).eval(), torch.randn(3, 16)
    assert both_ways(model, (x,), declared="bfloat16") == PLAYED
    played, _ = samples(model, (torch.zeros(3, 16),), by_tape=True, declared="bfloat16")
    assert not np.array_equal(played[0][0].stored, played[1][0].stored)  # the bias alone is left


def test_an_op_that_fails_on_other_numbers_is_left_to_the_code():
    def function(x):
        return torch.linalg.cholesky(x) if float((x - x.T).abs().sum()) == 0.0 else x.exp()

    x = torch.eye(3) * 2.0
    both = both_ways(function, (x,))
    assert both.equal and both.why == ""
