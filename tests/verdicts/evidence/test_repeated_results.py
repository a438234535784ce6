"""How many results are not one result repeated: counted by hashes, as NumPy counts them by sorting pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfulp.verdicts.evidence.gain import _different


def counted(reference, error):
    return max(1, np.unique(np.stack([reference, error]), axis=1).shape[1])


@given(
    st.lists(st.tuples(st.sampled_from([0.0, -0.0, 1.0, 1.5, -1.0, 2.0**-30]), st.sampled_from([2.0**-24, -(2.0**-24), 1.0])), min_size=1)
)
def test_of_a_few_values(pairs):
    reference, error = np.array(pairs).T
    assert _different(reference, error) == counted(reference, error)


@pytest.mark.parametrize("step", [2.0**-3, 2.0**-10, 0.0])
def test_of_many_round_numbers(step):
    """Numbers of few bits differ in a few high bits alone, which a linear hash lets fall together."""
    draw = np.random.default_rng(0)
    reference, error = draw.standard_normal(50_000), np.float32(draw.standard_normal(50_000) * 1e-7).astype(float)
    if step:
        reference, error = np.round(reference / step) * step, np.round(error * 2.0**26) * 2.0**-26
    assert _different(reference, error) == counted(reference, error)


def test_of_none():
    assert _different(np.zeros(0), np.zeros(0)) == 1
