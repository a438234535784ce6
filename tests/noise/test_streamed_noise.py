"""Noise of large outputs is the noise of small ones, in bounded memory; and the verdict does not depend on which is used."""

import gc
import weakref

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import halfulp
from halfulp.cases import Case
from halfulp.cases.inputs import copied
from halfulp.cases.trees import tree_map
from halfulp.noise import DATA, noise_of, residual_of_leaf, streamed_noise, widened
from halfulp.ops.deviation import FIRST_SAMPLES

W = torch.randn(40, 40, generator=torch.Generator().manual_seed(1))
X = torch.randn(64, 40, generator=torch.Generator().manual_seed(2))


def one_corner(x):
    y = x @ W
    y[-1, -1] += 1e-3
    return y


PAIRS = {
    "same": (lambda x: x @ W, lambda x: x @ W),
    "order": (lambda x: x[:, :20] @ W[:20] + x[:, 20:] @ W[20:], lambda x: x @ W),
    "coarse": (lambda x: (x.bfloat16() @ W.bfloat16()).float(), lambda x: x @ W),
    "epsilon": (lambda x: F.layer_norm(x, (40,), eps=1e-3), lambda x: F.layer_norm(x, (40,))),
    "one element of all": (one_corner, lambda x: x @ W),
    "unstable": (lambda x: torch.log(1 + x.abs() * 1e-4), lambda x: torch.log1p(x.abs() * 1e-4)),
    "a flip": (lambda x: torch.floor(x * 8 * (1 + 2**-23)), lambda x: torch.floor(x * 8)),
    "integers": (lambda x: (x * 100).long() + 1, lambda x: (x * 100).long()),
    "NumPy": (lambda x: torch.from_numpy(np.exp(x.numpy())), torch.exp),
    "several": (lambda x: (x @ W, x.sum(), x.argmax(1)), lambda x: (x @ W, x.sum(), x.argmax(1))),
    "random": (lambda x: x + torch.randn_like(x) * 1e-3, lambda x: x),
    "zeros": (lambda x: torch.relu(x) * 1.0, torch.relu),
    "a half": (lambda x: x.half() * 1.01, lambda x: x.half()),
}


@pytest.fixture
def everything_is_large(monkeypatch):
    monkeypatch.setattr(streamed_noise, "LARGE", 16)
    monkeypatch.setattr(streamed_noise, "KEPT", 1024)
    monkeypatch.setattr(streamed_noise, "FIRST_OF_LARGE", FIRST_SAMPLES)  # so that both look after as many
    monkeypatch.setattr(streamed_noise, "BLOCK", 100)  # so that there are several, the last one shorter


@pytest.mark.parametrize("name", PAIRS)
def test_verdicts_are_the_same_in_slices(name, everything_is_large, monkeypatch):
    actual, expected = PAIRS[name]
    sliced = halfulp.check(actual, expected, (X,))
    monkeypatch.setattr(streamed_noise, "LARGE", 1 << 30)
    whole = halfulp.check(actual, expected, (X,))
    assert sliced.verdict is whole.verdict, (sliced.reason, whole.reason)
    a, b = sliced.find("noise"), whole.find("noise")
    if b is not None:
        for key in ("rms_in_noise", "max_in_noise", "norm_in_noise", "rel_rms", "noise_rel_rms"):
            assert a.measured[key] == pytest.approx(b.measured[key], rel=1e-5), key
        assert (a.measured["worst_index"], a.measured["count"], a.measured["nonzero"]) == (
            b.measured["worst_index"],
            b.measured["count"],
            b.measured["nonzero"],
        )


@pytest.mark.parametrize("name", ["order", "epsilon", "unstable", "several", "a flip"])
def test_the_streamed_spread_is_the_spread(name, everything_is_large):
    case = Case(*PAIRS[name], (X,))
    streamed, whole = streamed_noise.streamed_noise(case, rounds=DATA), noise_of(case, rounds=DATA)
    honest = case.native("expected")
    for one, other in ((streamed, whole), (widened(streamed, honest), widened(whole, honest))):
        assert one.leaves.keys() == other.leaves.keys()
        for path, leaf in other.leaves.items():
            spread = np.concatenate([part for _, _, part in one.leaves[path].blocks()]).reshape(leaf.shape)
            np.testing.assert_allclose(spread, leaf.spread, rtol=1e-6)
            np.testing.assert_array_equal(one.leaves[path].whole().reference, leaf.reference)
            np.testing.assert_allclose(one.leaves[path].whole().changed, leaf.changed)
        for output in case.native("actual").outputs:
            if output.format is not None:
                found, wanted = residual_of_leaf(output, one.leaves[output.path]), residual_of_leaf(output, other.leaves[output.path])
                assert found.rms_in_noise == pytest.approx(wanted.rms_in_noise, rel=1e-6)
                assert found.worst_index == wanted.worst_index


@pytest.mark.parametrize("shape", [(2000,), (1, 2000), (40, 50), (3, 40, 20), (5, 4, 3, 40)])
def test_rows_are_taken_where_the_numbers_lie(shape, everything_is_large):
    x = torch.randn(shape)
    case = Case(torch.exp, torch.exp, (x,))
    streamed = streamed_noise.streamed_noise(case)
    rows = streamed_noise.rows_of(case.native("actual"), streamed)
    (found,) = rows.values()
    assert shape[found.axis] == max(shape) and found.length == max(shape)
    narrowed = case.narrowed(rows)
    picked = np.take(case.native("actual").outputs[0].stored, found.places, axis=found.axis)
    np.testing.assert_array_equal(narrowed.native("actual").outputs[0].stored, picked)
    some = streamed_noise.some_rows(streamed, rows)
    np.testing.assert_array_equal(some.leaves[""].reference, np.take(streamed.leaves[""].whole().reference, found.places, axis=found.axis))
    assert case.narrowed(rows).whole().native("actual").outputs[0].shape == shape


def test_the_worst_elements_are_among_the_rows(everything_is_large):
    x = torch.randn(5000)

    def wrong(x):
        y = torch.exp(x)
        y[4321] *= 1.001
        return y

    case = Case(wrong, torch.exp, (x,))
    rows = streamed_noise.rows_of(case.native("actual"), streamed_noise.streamed_noise(case))
    assert 4321 in rows[""].places


def test_runs_leave_no_cycles(everything_is_large):
    """What a run allocates is gone with it, not when Python next collects garbage."""
    gc.collect()
    gc.disable()
    try:
        tensor = torch.ones(1000)
        made = copied((tensor, {"a": [tensor * 2]}))
        watch = [weakref.ref(made[0]), weakref.ref(made[1]["a"][0])]
        tree_map(lambda value: value, made)
        del made
        assert [each() for each in watch] == [None, None]
    finally:
        gc.enable()
