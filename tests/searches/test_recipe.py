"""Recipes: what their dials do to given inputs, and what they never do."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from halfulp.searches.recipe import DIALS, MOST_TENSORS, dials_of, drawn, neutral, recipe_of

DIAL = st.floats(0, 1)


def sample():
    generator = torch.Generator().manual_seed(0)
    return (torch.randn(4, 6, generator=generator), torch.rand(4, 6, generator=generator), torch.tensor([0.0, 1.0, 1.0]), torch.arange(5))


def test_in_the_middle_nothing_changes():
    inputs = sample()
    again = drawn(inputs, recipe_of(neutral(dials_of(inputs)), 0))
    assert all(torch.equal(a, b) and a is not b for a, b in zip(inputs, again))


def test_flags_and_integers_have_no_dials_and_zeros_have():
    assert dials_of(sample()) == 2
    assert dials_of((torch.zeros(3), torch.ones(2, dtype=torch.int64))) == 1
    assert dials_of(tuple(torch.randn(3) for _ in range(9))) == MOST_TENSORS


@settings(max_examples=60, deadline=None)
@given(
    st.lists(DIAL, min_size=2 * len(DIALS), max_size=2 * len(DIALS)),
    st.sampled_from([torch.float32, torch.float16, torch.bfloat16, torch.float64]),
)
def test_numbers_stay_finite_and_keep_their_promises(row, dtype):
    inputs = tuple(value.to(dtype) if value.is_floating_point() else value for value in sample())
    made = drawn(inputs, recipe_of(row, 1))
    for before, after in zip(inputs, made):
        assert (before.shape, before.dtype) == (after.shape, after.dtype)
        assert not after.is_floating_point() or bool(torch.isfinite(after).all())
    assert bool((made[1] >= 0).all())
    assert torch.equal(made[2], inputs[2])
    assert torch.equal(made[3], inputs[3])


@settings(max_examples=20, deadline=None)
@given(st.lists(DIAL, min_size=2 * len(DIALS), max_size=2 * len(DIALS)))
def test_the_same_recipe_gives_the_same_bits(row):
    one, two = (drawn(sample(), recipe_of(row, 5)) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(one, two))


def turned(**dials):
    row = [dials.get(name, 0.5) for name in DIALS] * 2
    return drawn(sample(), recipe_of(row, 0))[0].double(), str(recipe_of(row, 0))


def test_each_dial_does_what_it_says():
    base = sample()[0].double()
    assert torch.allclose(turned(scale=0.75)[0], base * 2.0**10)
    assert float(turned(offset=0.75)[0].mean()) > 50 * float(base.square().mean().sqrt())
    assert float(turned(zeros=1.0)[0].eq(0).double().mean()) > 0.9
    wide = turned(spread=1.0)[0].abs()
    assert float(wide.max() / wide.min()) > 2.0**15
    near = turned(cancel=1.0)[0]
    assert float((near[:, 0::2] + near[:, 1::2]).abs().max()) < 1e-5
    assert len(turned(grid=1.0)[0].unique()) < 12
    row = [0.5] * len(DIALS) + [0.5] * (len(DIALS) - 1) + [1.0]
    twin = drawn((sample()[0], -sample()[0]), recipe_of(row, 0))
    scaled = twin[0] / twin[0].abs().max() / (twin[1] / twin[1].abs().max())
    assert float((scaled - 1).abs().max()) < 1e-4


@pytest.mark.parametrize(
    ("dial", "words"), [("scale", "times 2^10"), ("offset", "mean"), ("zeros", "% zeros"), ("grid", "grid"), ("cancel", "neighbors")]
)
def test_recipes_say_what_they_do(dial, words):
    assert words in turned(**{dial: 0.75})[1]
    assert turned()[1] == "the given distribution"
