"""Powers of two, permutations, impulses and patterns: what a function has to keep to, whatever its rounding."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from halfulp.cases import Case
from halfulp.noise import noise_of
from halfulp.verdicts.evidence.integers import impulses
from halfulp.verdicts.evidence.patterns import patterns
from halfulp.verdicts.evidence.permutations import permutations
from halfulp.verdicts.evidence.powers import powers

A, B = torch.randn(12, 40), torch.randn(40, 20)


def opaque(function):
    """Out of reach of a float64 run."""

    def f(*inputs):
        return torch.from_numpy(np.ascontiguousarray(function(*(tensor.numpy().astype(np.float32) for tensor in inputs))))

    return f


def found(evidence, actual, expected, *inputs):
    case = Case(actual, expected, inputs)
    return evidence(case, noise_of(case))


def test_products_scale_and_constants_do_not():
    right = found(powers, lambda a, b: (b.T @ a.T).T, torch.matmul, A, B)
    assert (right.finding, right.measured["degree"]) == ("scales alike", 2)
    wrong = found(powers, lambda a, b: a @ b + 1e-3, torch.matmul, A, B)
    assert wrong.finding == "differ"
    assert found(powers, torch.exp, torch.exp, A).finding == "unavailable"
    assert found(powers, torch.relu, torch.relu, A).measured["degree"] == 1


def test_sums_follow_permutations_and_tails_do_not():
    assert found(permutations, lambda a, b: a.flip(1) @ b.flip(0), torch.matmul, A, B).finding == "follows"
    hidden = torch.cat([A[:, :-1], torch.zeros(12, 1)], 1)  # what is wrong about the last column does not show
    tail = found(permutations, lambda a, b: a[:, :-1] @ b[:-1] + 1.01 * a[:, -1:] * b[-1], torch.matmul, hidden, B)
    assert tail.finding == "differ"
    assert tail.measured["length"] == 40
    assert found(permutations, lambda x: x.cumsum(-1), lambda x: x.cumsum(-1), torch.randn(5)).finding == "unavailable"


def test_impulses_are_exact_where_long_sums_are_not():
    x, w = torch.randn(6, 3000).bfloat16(), torch.randn(9, 3000).bfloat16()
    case = Case(lambda x, w: (x.float() @ w.float().T).bfloat16(), F.linear, (x, w))
    assert impulses(case).finding == "exact"
    rolled = Case(lambda x, w: F.linear(x, w.roll(1, 1)), F.linear, (x, w))
    assert impulses(rolled).finding == "differ"


@pytest.mark.parametrize(("shift", "finding"), [(0.0, "random"), (4.0, "patterned")])
def test_a_bias_below_the_noise_shows_in_the_mean_of_its_channel(shift, finding):
    """One channel is off by four spreads: no element stands out, the mean over 2,000 rows does."""
    x, w = torch.randn(2000, 64), torch.randn(10, 64)
    case = Case(F.linear, F.linear, (x, w))
    spread = float(noise_of(case).leaves[""].spread[:, 3].mean())

    def actual(x, w):
        y = x @ w.T
        y[:, 3] += np.float32(shift * spread)
        return y

    case = Case(opaque(actual), F.linear, (x, w))
    evidence = patterns(case, noise_of(case))
    assert evidence.finding == finding
    if finding == "patterned":
        assert (evidence.measured["axis"], evidence.measured["index"]) == (1, 3)


def test_noise_around_zeros_follows_whatever_is_permuted():
    """A result that is zero all over follows any permutation, and its noise only that of the inputs."""
    x = torch.randn(4, 16, generator=torch.Generator().manual_seed(5)) * torch.tensor([1.0, 1e3, 1e-3, 30.0])[:, None]

    def nothing(x):
        return x * 3.0 - x * 3.0

    def nearly_nothing(x):
        return (x * np.float32(1.1)) * np.float32(3.0) - x * np.float32(3.3)

    assert found(permutations, opaque(nearly_nothing), nothing, x).finding == "follows"
