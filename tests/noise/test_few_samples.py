"""Sampling ends early where a few samples tell, and only there."""

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

import halfulp
from halfulp.cases import LIFTED, Case
from halfulp.noise import noise_of
from halfulp.ops.deviation import FIRST_SAMPLES, SAMPLES
from halfulp.verdicts import Verdict

X = torch.randn(8, 64, generator=torch.Generator().manual_seed(0))
W = torch.randn(64, 16, generator=torch.Generator().manual_seed(1))


def halves(x):
    return x[:, :32] @ W[:32] + x[:, 32:] @ W[32:]


def product(x):
    return x @ W


def test_enough_is_asked_once_and_the_rest_is_the_same_as_without():
    asked = []

    def never(noise):
        asked.append(noise.count)
        return False

    plain, unstopped = noise_of(Case(halves, product, (X,))), noise_of(Case(halves, product, (X,)), enough=never)
    assert asked == [FIRST_SAMPLES] and unstopped.count == SAMPLES
    assert all((plain.leaves[path].spread == unstopped.leaves[path].spread).all() for path in plain.leaves)
    few = noise_of(Case(halves, product, (X,)), enough=lambda noise: True)
    assert few.count == FIRST_SAMPLES and few.degrees == SAMPLES


def test_honest_pairs_take_few_samples_and_everything_else_takes_all():
    honest = halfulp.check(halves, product, (X,))
    wrong = halfulp.check(lambda x: product(x) * 1.00001, product, (X,))
    unstable = halfulp.check(lambda x: torch.log(1 + x.abs() * 1e-4), lambda x: torch.log1p(x.abs() * 1e-4), (X,))
    assert honest.verdict is Verdict.ROUNDING and honest.find("noise").measured["samples"] == FIRST_SAMPLES
    for result in (wrong, unstable):
        assert result.acceptable is False and result.find("noise").measured["samples"] == SAMPLES
    assert halfulp.check(halves, product, (X,), full=True).find("noise").measured["samples"] == SAMPLES


def test_limits_are_those_of_all_samples():
    few, all_ = halfulp.check(halves, product, (X,)), halfulp.check(halves, product, (X,), full=True)
    for name in ("rms_limit", "max_limit"):
        assert few.find("noise").measured[name] == all_.find("noise").measured[name]


def test_weights_that_both_sides_have_are_converted_and_saved_once():
    torch.manual_seed(0)
    one, other = nn.Linear(64, 64), nn.Linear(64, 64)
    other.load_state_dict(one.state_dict())
    case = Case(one, other, (X,))
    noise_of(case)
    with case.precision_of(case.actual, case.finest):
        lifted = one.weight.data_ptr()
    with case.precision_of(case.expected, case.finest):
        assert other.weight.data_ptr() == lifted
    saved = [side.state.saved()["weight"] for side in (case.actual, case.expected)]
    assert saved[0] is saved[1]
    with torch.no_grad():
        one.weight += 1.0  # other numbers are converted by themselves
    case = Case(one, other, (X,))
    for side, module in ((case.expected, other), (case.actual, one)):
        with case.precision_of(side, case.finest):
            assert torch.equal(module.weight.detach().float(), side.state.saved()["weight"])


def test_the_measuring_pass_gives_the_gradients_of_fused_attention():
    """PyTorch's own decomposition hands its backward op the probabilities for their logarithms: the reference was ten times too large."""
    generator = torch.Generator().manual_seed(0)
    given = tuple(torch.randn(2, 4, 20, 12, generator=generator) for _ in range(3))

    def fused(q, k, v):
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)

    case = Case(fused, fused, given, gradients=True)
    noise, exact = noise_of(case), case.run("expected", LIFTED).by_path
    for path, known in noise.leaves.items():
        assert abs(known.reference - exact[path].float64()).max() < 1e-12
        assert 0 < known.spread.max() < 1e-4
