"""The rounding drawn anew: only where something moves, and by moving the weights where no input can."""

import numpy as np
import pytest
import torch
from torch import nn

import halfulp
from halfulp import Verdict


class Scores(nn.Module):
    """Logits of tokens; `opaque` computes the product in NumPy's float32, which no other precision reaches."""

    def __init__(self, *, opaque, bias=0.0):
        super().__init__()
        torch.manual_seed(0)
        self.table, self.weight = nn.Embedding(50, 1200), nn.Parameter(torch.randn(30, 1200))
        self.opaque, self.bias = opaque, bias

    def forward(self, tokens):
        rows = self.table(tokens)
        if not self.opaque:
            return rows @ self.weight.T
        flipped = (part.detach().numpy()[..., ::-1] for part in (rows, self.weight))
        left, right = (np.ascontiguousarray(part, np.float32) for part in flipped)
        return torch.from_numpy(np.cumsum(left[:, None, :] * right[None], -1, dtype=np.float32)[..., -1] + np.float32(self.bias))


TOKENS = torch.arange(40) % 50


def test_weights_move_where_no_input_can():
    """Tokens are whole numbers: with them alone the same rounding is drawn again, which is no sign of another function."""
    result = halfulp.check(Scores(opaque=True), Scores(opaque=False), (TOKENS,), full=True)
    assert result.verdict is Verdict.ROUNDING
    assert result.find("redraw").finding == "random"


def test_a_small_mistake_is_still_systematic_where_weights_move():
    result = halfulp.check(Scores(opaque=True, bias=1e-4), Scores(opaque=False), (TOKENS,))
    assert result.verdict is Verdict.MISTAKE


def test_where_nothing_moves_nothing_is_said():
    """A constant on both sides, off by a rounding."""
    third = torch.full((64,), 1.0 / 3.0)
    table = np.full(64, np.nextafter(np.float32(1.0 / 3.0), np.float32(1.0)))
    result = halfulp.check(lambda x: torch.from_numpy(table), lambda x: third * 1.0, (torch.randn(4),), full=True)
    assert result.find("redraw").finding == "unavailable"
    assert "no result changes" in result.find("redraw").measured["why"]


@pytest.mark.parametrize("gradients", [False, True])
def test_a_compiled_model_of_tokens_is_rounding(gradients):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(50, 24), nn.LayerNorm(24), nn.Linear(24, 48), nn.GELU(), nn.Linear(48, 30))

    def reordered(tokens):
        torch._dynamo.graph_break()
        rows = model[1](model[0](tokens))
        hidden = model[3](sum(rows[:, k : k + 8] @ model[2].weight[:, k : k + 8].T for k in (0, 8, 16)) + model[2].bias)
        return model[4](hidden)

    result = halfulp.check(torch.compile(reordered, backend="eager"), model, (TOKENS,), gradients=gradients)
    assert result.verdict is Verdict.ROUNDING, result.reason


@pytest.mark.parametrize("short_by", [0.0, 0.2])
def test_what_underflows_on_both_sides_leans_on_neither(short_by):
    """Next to a result that is zero on both sides, for want of smaller numbers in float16, only the other one is asked."""
    x = (torch.randn(16, 64, generator=torch.Generator().manual_seed(3)) * 1e-6).half()

    def expected(x):
        wide = x.double()
        return (wide * 0.01).half(), (wide * 0.3).sum(0).float(), (wide * 0.5).half()

    def actual(x):
        wide = x.numpy().astype(np.float32)
        sums = np.cumsum(wide[::-1] * np.float32(0.3), 0, dtype=np.float32)[-1]
        return (
            torch.from_numpy((wide * np.float32(0.01)).astype(np.float16)),
            torch.from_numpy(sums),
            torch.from_numpy((wide * np.float32(0.5 - short_by)).astype(np.float16)),
        )

    result = halfulp.check(actual, expected, (x,))
    assert result.acceptable is not bool(short_by), result
