"""Formats that are named: what reproduces the error, and could hardly do so by chance."""

import numpy as np
import pytest
import torch

from halfulp import Verdict, check
from halfulp.floats import FLOAT16
from halfulp.verdicts.evidence.coarse import coarsened


def test_a_single_number_names_no_format():
    """One of some sixty guesses comes close to one number by chance: a median against a quantile was called float8 storage."""
    torch.manual_seed(0)
    logits, target = torch.randn(8, 5), torch.randint(0, 5, (8,))
    for smoothing in (0.05, 0.1, 0.2, 0.3):
        result = check(
            lambda logits, smoothing=smoothing: torch.nn.functional.cross_entropy(logits, target, label_smoothing=smoothing),
            lambda logits: torch.nn.functional.cross_entropy(logits, target),
            (logits,),
        )
        assert result.verdict is Verdict.MISTAKE


def truncated(x):
    """Every float32 number to the float16 number next to it on the side of zero."""
    near = x.astype(np.float16)
    beyond = np.abs(near.astype(np.float64)) > np.abs(x)
    return np.where(beyond, np.nextafter(near, np.float16(0)), near)


def test_truncation_to_float16_is_the_number_next_to_it_on_the_side_of_zero():
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    finite = every[np.isfinite(every)].astype(np.float64)
    steps = np.spacing(np.abs(finite)[np.abs(finite) < 65504].astype(np.float16)).astype(np.float64)
    inside = finite[np.abs(finite) < 65504]
    numbers = np.concatenate(
        [finite, inside + np.copysign(0.5 * steps, inside), inside + np.copysign(0.999 * steps, inside), [7e4, -1e9, 1e-30]]
    )
    found = coarsened(torch.from_numpy(numbers), FLOAT16, truncated=True).numpy()
    with np.errstate(over="ignore"):
        assert np.array_equal(found, truncated(numbers).astype(np.float64))
    specials = coarsened(torch.tensor([torch.inf, -torch.inf, torch.nan], dtype=torch.float64), FLOAT16, truncated=True)
    assert specials.tolist()[:2] == [torch.inf, -torch.inf] and bool(specials[2].isnan())


@pytest.mark.parametrize(("cut", "words"), [(truncated, "by truncation"), (lambda w: w.astype(np.float16), "weights")])
def test_weights_in_float16_are_named(cut, words):
    """As ncnn stores those of linear layers by default, cut off."""
    generator = torch.Generator().manual_seed(1)
    x, w = torch.randn(32, 256, generator=generator), torch.randn(256, 64, generator=generator)
    coarse = torch.from_numpy(cut(w.numpy()).astype(np.float32))
    result = check(lambda x, w: x @ coarse, lambda x, w: x @ w, (x, w))
    assert result.verdict is Verdict.REDUCED_PRECISION
    assert "float16" in result.reason and "tf32" not in result.reason and words in result.reason, result.reason
