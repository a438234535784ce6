"""Adding whole numbers is exact, and tables that are made of no data are the same in every implementation: no noise there."""

import copy

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import halfulp
from halfulp.cases import Case
from halfulp.noise import noise_of
from halfulp.verdicts import Verdict

X = torch.randn(2, 6, 8, generator=torch.Generator().manual_seed(0))


class Positions(nn.Module):
    """Positions counted by a running sum of a mask of ones, as OPT counts them, then looked up."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.table, self.out = nn.Embedding(16, 8), nn.Linear(8, 8)

    def forward(self, x):
        mask = torch.ones(x.shape[:2])
        places = (torch.cumsum(mask, 1) * mask - 1.0).long() + 2
        return self.out(x + self.table(places))


class Buckets(nn.Module):
    """Distances in logarithmic buckets, as DeBERTa and T5 take them: the borders of buckets are ties of rounding."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.table, self.out = nn.Embedding(64, 8), nn.Linear(8, 8)

    def forward(self, x):
        far = torch.arange(1, 1 + x.shape[1]) * 4.0
        bucket = torch.ceil(torch.log(far / 4.0) / torch.log(torch.tensor(2.0)) * 4.0).to(torch.long)
        return self.out(x + self.table(bucket))


@pytest.mark.parametrize("made", [Positions, Buckets])
def test_no_position_moves_in_a_sample(made):
    """It moved by a whole row, so that the noise was a large part of the result and hid every mistake."""
    expected = made()
    noise = noise_of(Case(copy.deepcopy(expected), expected, (X,)))
    (known,) = noise.leaves.values()
    assert known.spread.max() < 1e-5
    actual = copy.deepcopy(expected)
    with torch.no_grad():
        actual.out.bias[0] += 1e-4
    assert halfulp.check(actual, expected, (X,)).verdict is Verdict.MISTAKE


def test_whole_numbers_that_the_format_does_not_hold_are_rounded():
    large = torch.full((4, 64), 2.0**23 + 1)
    known = next(iter(noise_of(Case(lambda x: x.sum(1), lambda x: x.sum(1), (large,))).leaves.values()))
    exact = next(iter(noise_of(Case(lambda x: x.sum(1), lambda x: x.sum(1), (torch.ones(4, 64),))).leaves.values()))
    assert (known.spread > 2 * exact.spread * known.reference / exact.reference).all()


def test_decisions_on_data_still_flip():
    x = torch.arange(1.0, 65.0) * 0.1
    result = halfulp.check(lambda x: torch.floor(x * 10.0 * (1 + 2**-23)), lambda x: torch.floor(x * 10.0), (x,))
    assert result.verdict in (Verdict.FLIP, Verdict.IDENTICAL)


def test_a_running_sum_with_an_integer_result_is_sampled():
    """Its squares can't be added in that dtype."""

    def counted(x):
        ends = torch.cumsum((x[0, 0] > 0).float(), 0, dtype=torch.int32)
        return F.gelu(x) * ends.sum()

    assert noise_of(Case(counted, counted, (X,))).method == "ops of expected"


def test_tokens_alone_are_no_reason_for_no_noise():
    """Where no op can be seen and no input moves, the weights are moved by a rounding."""
    weight = torch.randn(32, 8, generator=torch.Generator().manual_seed(1))

    class Opaque(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(weight.clone())

        def forward(self, tokens):
            return torch.from_numpy(self.weight.detach().numpy()[tokens.numpy()].sum(1))

    tokens = torch.randint(0, 32, (4, 16), generator=torch.Generator().manual_seed(2))
    known = next(iter(noise_of(Case(Opaque(), Opaque(), (tokens,))).leaves.values()))
    stored = 0.43 * 2.0**-24 * abs(known.reference)
    assert (known.spread > 1.05 * stored).mean() > 0.9
