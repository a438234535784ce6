"""What one run as written shows of coarser numbers: every dtype, numbers that were rounded by hand, and nothing where nothing is."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

import halfulp
from halfulp.cases import Case
from halfulp.floats import FORMATS, is_representable
from halfulp.verdicts import Verdict
from halfulp.verdicts.evidence.coarse_numbers import COARSER, _bits, _on_one_grid, _some, _tells, coarse_numbers

X = torch.randn(16, 32, generator=torch.Generator().manual_seed(0))
W = torch.randn(32, 24, generator=torch.Generator().manual_seed(1))


def product(x):
    return x @ W


def truncated(value):
    return (value.contiguous().view(torch.int32) & -0x2000).view(torch.float32)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(COARSER), st.integers(0, 2**32 - 1))
def test_the_bits_that_numbers_need_are_those_of_their_format(name, seed):
    """Law: numbers of a format need no more bits than it has, and random ones of float32 (or 64) need all."""
    numbers = torch.randn(64, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    if name == "tf32":
        rounded = truncated(numbers.float())
    else:
        rounded = numbers.to(getattr(torch, name)).float()
    assert _bits(rounded.numpy()) <= FORMATS[name].precision_bits
    assert is_representable(rounded.numpy(), FORMATS[name]).all()
    assert _bits(numbers.float().numpy()) == 24 and _bits(numbers.numpy()) == 53


@pytest.mark.parametrize(
    ("actual", "format", "roles"),
    [
        (lambda x: (x.bfloat16() @ W.bfloat16()).float(), "bfloat16", ("first", "second", "results")),
        (lambda x: (x.half() @ W.half()).float(), "float16", ("first", "second", "results")),
        (lambda x: truncated(x) @ truncated(W), "tf32", ("first", "second")),
        (lambda x: x @ W.bfloat16().float(), "bfloat16", ("second",)),
        (lambda x: (x @ W).half().float(), "float16", ("others",)),
    ],
)
def test_the_format_and_where_it_is(actual, format, roles):
    seen = coarse_numbers(Case(actual, product, (X,)))
    assert not seen.opaque and format in seen.formats
    found = seen.formats[format]
    assert all(found.share(role) > 0 for role in roles)
    assert all(found.share(role) == 0 for role in {"first", "second", "results"} - {*roles})


@pytest.mark.parametrize("expected", [product, lambda x: F.gelu(F.layer_norm(x, (32,))), lambda x: x.softmax(-1).cumsum(-1)])
def test_nothing_is_seen_in_float32(expected):
    seen = coarse_numbers(Case(lambda x: expected(x) * 1.01, expected, (X,)))
    assert (seen.opaque, seen.formats) == ("", {})


def test_tables_made_of_no_data_tell_nothing():
    def with_steps(x):
        return x * (torch.arange(1.0, 33.0) / 32.0 * 0.75)

    seen = coarse_numbers(Case(lambda x: with_steps(x) * 1.01, lambda x: x * 1.0, (X,)))
    assert (seen.opaque, seen.formats) == ("", {})


def test_numbers_of_bfloat16_are_not_called_tf32():
    seen = coarse_numbers(Case(lambda x: (x.contiguous().view(torch.int32) & -0x10000).view(torch.float32) @ W, product, (X,)))
    assert {*seen.formats} == {"bfloat16"}


@pytest.mark.parametrize("bits", [13, 16])
def test_numbers_rounded_by_hand_between_layers_are_named(bits):
    torch.manual_seed(0)
    layers = [nn.Linear(32, 32) for _ in range(5)]

    def plain(x):
        for layer in layers:
            x = torch.tanh(layer(x))
        return x

    def stored(x):
        for layer in layers:
            x = (torch.tanh(layer(x)).contiguous().view(torch.int32) & -(1 << bits)).view(torch.float32)
        return x

    result = halfulp.check(stored, plain, (X,))
    assert result.verdict is Verdict.REDUCED_PRECISION
    assert any(name in result.reason for name in (("bfloat16",) if bits == 16 else ("tf32", "float16")))


def test_numpy_that_rounds_an_operand_is_named():
    x, w = X.numpy(), W.numpy()
    half = halfulp.check(lambda x: x @ w.astype(np.float16).astype(np.float32), lambda x: x @ w, (x,))
    first = halfulp.check(lambda x: x.astype(np.float16).astype(np.float32) @ w, lambda x: x @ w, (x,))
    second = halfulp.check(lambda x, w: x @ w.astype(np.float16).astype(np.float32), lambda x, w: x @ w, (x, w))
    for result, where in ((half, "weights"), (first, "first input"), (second, "second input")):
        assert result.verdict is Verdict.REDUCED_PRECISION and "float16" in result.reason and where in result.reason


def test_masks_steps_and_powers_of_two_tell_nothing():
    def with_masks(x):
        mask = torch.ones(16, 16).tril()
        return (x @ x.T * mask * 0.5 + torch.arange(16.0))[:, :8]

    seen = coarse_numbers(Case(with_masks, lambda x: with_masks(x) * 1.01, (X,)))
    assert (seen.opaque, seen.formats) == ("", {})


def test_weights_of_a_checkpoint_in_16_bits_tell_nothing_where_both_have_them():
    weight = W.bfloat16().float()
    both = coarse_numbers(Case(lambda x: x @ weight * 1.01, lambda x: x @ weight, (X,)))
    alone = coarse_numbers(Case(lambda x: x @ weight, product, (X,)))
    assert (both.opaque, both.formats) == ("", {})
    assert "bfloat16" in alone.formats


@pytest.mark.parametrize(
    ("actual", "why"),
    [
        (lambda x: torch.from_numpy((x.numpy() @ W.numpy()).astype(np.float16).astype(np.float32)), "any PyTorch ops"),
        (lambda x: torch.from_numpy(np.tanh(x.numpy() * 1.5)) @ W, "that no PyTorch op made"),
    ],
)
def test_what_cannot_be_looked_into_is_said(actual, why):
    assert why in coarse_numbers(Case(actual, product, (X,))).opaque


def test_products_that_may_take_less_are_no_evidence_of_float32():
    before = torch.get_float32_matmul_precision()
    try:
        torch.set_float32_matmul_precision("medium")
        assert "set_float32_matmul_precision" in coarse_numbers(Case(lambda x: product(x) * 1.01, product, (X,))).opaque
    finally:
        torch.set_float32_matmul_precision(before)


def test_gradients_are_looked_at_too():
    class Rounds(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1.0

        @staticmethod
        def backward(ctx, gradient):
            return gradient.bfloat16().float()

    x = X.clone().requires_grad_()
    seen = coarse_numbers(Case(lambda x: Rounds.apply(x).sin(), torch.sin, (x,), gradients=True))
    plain = coarse_numbers(Case(lambda x: x.sin() * 1.01, torch.sin, (x,), gradients=True))
    assert "bfloat16" in seen.formats and (plain.opaque, plain.formats) == ("", {})


def test_some_numbers_of_a_permuted_tensor_are_its_own():
    value = torch.arange(4096.0).reshape(8, 16, 32).permute(2, 0, 1)
    assert set(_some(value)) <= set(value.reshape(-1).tolist()) and len(_some(value)) >= 64
    cut = torch.arange(4096.0).reshape(64, 64)[::2, ::3]
    assert set(_some(cut)) <= set(cut.reshape(-1).tolist())


def test_what_tells_a_format():
    assert not _tells(np.array([1.0, 2.0, 4.0])) and not _tells(np.array([0.5, 0.25, 0.0])) and not _tells(np.zeros(0))
    assert _tells(np.array([0.1])) and not _tells(np.array([0.1, 0.2, 0.4, 0.8, 1.6]))
    assert _tells(np.array([0.1, 0.3, 0.5, 0.7, 0.9]))


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(32, 32) for _ in range(6)])

    def forward(self, x):
        for layer in self.layers:
            x = F.gelu(layer(x))
        return x


@pytest.mark.parametrize("format", ["bfloat16", "float16"])
def test_a_whole_model_is_named_with_few_runs(format, monkeypatch):
    """It took 800 to 1,900 forwards; the numbers themselves name the format, and one guess confirms it."""
    torch.manual_seed(0)
    model = Mlp().eval()

    class Coarse(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Mlp().eval()
            self.inner.load_state_dict(model.state_dict())
            self.inner.to(getattr(torch, format))

        def forward(self, x):
            return self.inner(x.to(getattr(torch, format))).float()

    runs = 0
    evaluate = Case.evaluate

    def counted(self, *given):
        nonlocal runs
        runs += 1
        return evaluate(self, *given)

    monkeypatch.setattr(Case, "evaluate", counted)
    result = halfulp.check(Coarse(), model, (X,))
    assert result.verdict is Verdict.REDUCED_PRECISION and format in result.reason
    assert runs <= 60


class OnePassVariance(nn.Module):
    def forward(self, x):
        return x - x.mean() + (x * x).mean(-1, keepdim=True) - x.mean(-1, keepdim=True) ** 2


class TwoPassVariance(nn.Module):
    def forward(self, x):
        return x - x.mean() + x.var(-1, keepdim=True, unbiased=False)


@pytest.mark.parametrize("seed", range(3))
def test_a_cancelled_operand_of_a_product_is_in_no_format(seed):
    """What is left of large numbers has few bits, and is no cast: an algorithm that loses digits computes in float32 throughout."""
    torch.manual_seed(seed)
    expected = nn.Sequential(nn.Linear(64, 64), TwoPassVariance(), nn.Linear(64, 64))
    actual = nn.Sequential(nn.Linear(64, 64), OnePassVariance(), nn.Linear(64, 64))
    actual.load_state_dict(expected.state_dict())
    with torch.no_grad():
        expected[0].bias += 300
        actual[0].bias += 300
    x = torch.randn(16, 64)
    assert not coarse_numbers(Case(actual, expected, (x,))).formats
    assert halfulp.check(actual, expected, (x,)).verdict is Verdict.UNSTABLE


@pytest.mark.parametrize("seed", range(20))
def test_differences_of_large_numbers_lie_on_one_grid_and_rounded_numbers_do_not(seed):
    numbers = torch.randn(64, generator=torch.Generator().manual_seed(seed))
    assert _on_one_grid(((numbers + 3000.0) - 3000.0).numpy())
    for name in ("bfloat16", "float16", "float8_e4m3fn"):
        assert not _on_one_grid(numbers.to(getattr(torch, name)).float().numpy())
    assert not _on_one_grid(truncated(numbers).numpy())
