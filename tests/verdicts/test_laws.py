"""Laws of the verdict, on functions and inputs that hypothesis makes up."""

import dataclasses

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import halfulp
from halfulp import Verdict
from halfulp.verdicts.evidence.evidence import Evidence

FORMATS = (torch.float64, torch.float32, torch.bfloat16, torch.float16)
STEPS = {
    "exp": lambda x: torch.exp(-x * x),
    "sum": lambda x: x.sum(-1, keepdim=True) + x,
    "chain": lambda x: x.cumsum(-1),
    "softmax": lambda x: torch.softmax(x, -1),
    "normed": lambda x: x / (x.pow(2).mean(-1, keepdim=True) + 1e-3).sqrt(),
    "product": lambda x: x @ x.transpose(-1, -2) @ x / 8,
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
}
HOMOGENEOUS = {
    "linear": (lambda x: x @ x.new_ones(x.shape[-1], 5), lambda x: x.flip(-1) @ x.new_ones(x.shape[-1], 5)),
    "mean": (lambda x: x.mean(-1), lambda x: sum(x.unbind(-1)) / x.shape[-1]),
    "wrong mean": (lambda x: x.mean(-1), lambda x: x.sum(-1) / (x.shape[-1] - 1)),
    "norm": (lambda x: x.norm(dim=-1), lambda x: (x * x).sum(-1).sqrt()),
    "wrong norm": (lambda x: x.norm(dim=-1), lambda x: (x * x).sum(-1).sqrt() * 1.05),
}

chains = st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=4)
shapes = st.tuples(st.integers(2, 6), st.integers(4, 24))


def made(names):
    def function(x):
        for name in names:
            x = STEPS[name](x)
        return x

    return function


def drawn(shape, dtype, seed):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


@settings(max_examples=25)
@given(chains, shapes, st.sampled_from(FORMATS), st.integers(0, 1000))
def test_a_function_against_itself_is_identical(names, shape, dtype, seed):
    result = halfulp.check(made(names), made(names), (drawn(shape, dtype, seed),))
    assert result.verdict is Verdict.IDENTICAL
    assert result.acceptable


@settings(max_examples=12)
@given(
    st.sampled_from(sorted(HOMOGENEOUS)),
    st.sampled_from([-40, -7, 5, 30]),
    st.sampled_from([torch.float64, torch.float32, torch.bfloat16]),
    st.integers(0, 1000),
)
def test_powers_of_two_change_no_verdict(name, exponent, dtype, seed):
    actual, expected = HOMOGENEOUS[name]
    x = drawn((6, 40), dtype, seed)
    whole, scaled = (halfulp.check(actual, expected, (x * factor,)) for factor in (1.0, 2.0**exponent))
    assert scaled.verdict is whole.verdict
    assert whole.acceptable is not name.startswith("wrong")


@settings(max_examples=12)
@given(chains, shapes, st.sampled_from(FORMATS[:2]), st.integers(0, 1000))
def test_swapped_sides_stay_rounding(names, shape, dtype, seed):
    """One side adds in another order first."""
    x = drawn((shape[0], shape[1] * 8), dtype, seed)

    def one(x):
        return made(names)(x.reshape(x.shape[0], -1, 8).sum(-1))

    def other(x):
        return made(names)(sum(x.reshape(x.shape[0], -1, 8).unbind(-1)))

    results = [halfulp.check(*sides, (x,)) for sides in ((one, other), (other, one))]
    assert [result.acceptable for result in results] == [True, True]
    assert len({result.verdict for result in results}) == 1


CONFIRMING = {
    "integers": "exact", "powers": "scales alike", "permutations": "follows", "repetition": "same",
}  # fmt: skip


@pytest.mark.parametrize("kind", sorted(CONFIRMING))
@settings(max_examples=10)
@given(seed=st.integers(0, 1000))
def test_evidence_that_only_confirms_worsens_no_verdict(kind, seed):
    x = drawn((5, 64), torch.float32, seed)
    result = halfulp.check(lambda x: sum(x.unbind(-1)), lambda x: x.sum(-1), (x,))
    more = Evidence(kind, CONFIRMING[kind], (Verdict.ROUNDING, Verdict.IDENTICAL), {})
    others = tuple(each for each in result.evidence if each.kind != kind)
    assert halfulp.judge(list(others)).acceptable is True
    assert halfulp.judge([*others, more]).acceptable is True
    assert dataclasses.replace(result, evidence=(*others, more)).acceptable is True
