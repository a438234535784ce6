"""What several pairs share: number formats of devices, small models whose constants can be set, steps written by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def short(t: torch.Tensor) -> torch.Tensor:
    """Operands as tensor cores read float32: 10 bits of mantissa, to nearest even; other types stay."""
    if t.dtype != torch.float32:
        return t
    bits = t.contiguous().view(torch.int32)
    return ((bits + 0x0FFF + ((bits >> 13) & 1)) & ~0x1FFF).view(torch.float32)


def through(t: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """To a narrower format and back."""
    return t.to(dtype).to(t.dtype)


def settle(model: nn.Module, spread: float = 0.3) -> nn.Module:
    """A model as after training: gains, biases and running statistics away from their initial values; in evaluation mode."""
    with torch.no_grad():
        for module in model.modules():
            if isinstance(module, nn.LayerNorm | nn.GroupNorm | nn.BatchNorm2d | nn.BatchNorm1d) and module.weight is not None:
                module.weight.add_(spread * torch.randn_like(module.weight))
                module.bias.add_(spread * torch.randn_like(module.bias))
            if isinstance(module, nn.BatchNorm2d | nn.BatchNorm1d) and module.running_mean is not None:
                module.running_mean.add_(spread * torch.randn_like(module.running_mean))
                module.running_var.mul_(0.5 + torch.rand_like(module.running_var))
    return model.eval()


def twins(kind: Callable[..., nn.Module], other: dict[str, Any], **constants: Any) -> tuple[nn.Module, nn.Module]:
    """Two models with the same weights: the first with `other` constants in place of the second's."""
    expected = settle(kind(**constants))
    actual = kind(**(constants | other))
    actual.load_state_dict(expected.state_dict())
    return actual.eval(), expected


def halves(x: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
    """Rotary embedding that pairs element i with i + d/2."""
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()], dim=-1)


def neighbours(x: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
    """Rotary embedding that pairs element 2i with 2i + 1."""
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()], dim=-1).flatten(-2)


def angles_of(length: int, width: int, base: float = 10000.0) -> torch.Tensor:
    steps = base ** (-torch.arange(0, width, 2, dtype=torch.float32) / width)
    return torch.outer(torch.arange(length, dtype=torch.float32), steps)


class Attention(nn.Module):
    """Self-attention by hand, with the constants that ports get wrong."""

    def __init__(
        self, width: int, heads: int, scale: float | None = None, causal: bool = False, cap: float | None = None, rotary: str = ""
    ):
        super().__init__()
        self.heads, self.causal, self.cap, self.rotary = heads, causal, cap, rotary
        self.scale = scale if scale is not None else 1 / math.sqrt(width // heads)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        if self.rotary:
            turn = halves if self.rotary == "halves" else neighbours
            angles = angles_of(length, width // self.heads).to(x.dtype)
            q, k = turn(q, angles), turn(k, angles)
        scores = q @ k.transpose(-2, -1) * self.scale
        if self.cap:
            scores = self.cap * torch.tanh(scores / self.cap)
        if self.causal:
            scores = scores.masked_fill(torch.ones(length, length, dtype=torch.bool).triu(1), float("-inf"))
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    """A transformer block, norm first."""

    def __init__(self, width: int = 32, heads: int = 4, eps: float = 1e-5, form: str = "none", **attention: Any):
        super().__init__()
        self.first, self.second = nn.LayerNorm(width, eps=eps), nn.LayerNorm(width, eps=eps)
        self.attention = Attention(width, heads, **attention)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.form = form

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.first(x))
        h = self.up(self.second(x))
        h = h * torch.sigmoid(1.702 * h) if self.form == "quick" else F.gelu(h, approximate=self.form)
        return x + self.down(h)


class Encoder(nn.Module):
    """Token and position embeddings, blocks, a head; `deep` holds constants of the block before the last one only."""

    def __init__(
        self, words: int = 50, width: int = 32, depth: int = 3, deep: dict[str, Any] | None = None, eps: float = 1e-5, **block: Any
    ):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(64, width)
        self.blocks = nn.ModuleList(Block(width, **({"eps": eps} | block | (deep or {} if i == depth - 2 else {}))) for i in range(depth))
        self.norm, self.head = nn.LayerNorm(width, eps=eps), nn.Linear(width, words)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.words(tokens) + self.places(torch.arange(tokens.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


class Pictures(nn.Module):
    """A small classifier of images."""

    def __init__(self, eps: float = 1e-5, slope: float = 0.1, border: str = "zeros", spacing: int = 1, counted: bool = True):
        super().__init__()
        self.one = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.norm_one = nn.BatchNorm2d(8, eps=eps)
        self.two = nn.Conv2d(8, 16, 3, padding=spacing, dilation=spacing, padding_mode=border)
        self.norm_two = nn.BatchNorm2d(16, eps=eps)
        self.pool = nn.AvgPool2d(3, stride=2, padding=1, count_include_pad=counted)
        self.act = nn.LeakyReLU(slope)
        self.head = nn.Linear(16, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.pool(self.act(self.norm_one(self.one(x))))
        x = self.act(self.norm_two(self.two(x)))
        return self.head(x.mean((2, 3)))


def lstm_by_hand(x: torch.Tensor, w_x: torch.Tensor, w_h: torch.Tensor, b: torch.Tensor, order: str = "ifgo") -> torch.Tensor:
    """One layer over (batch, time, features); `order` says which rows of the weights belong to which gate."""
    width = w_h.shape[1]
    h = c = x.new_zeros(x.shape[0], width)
    outputs = []
    for t in range(x.shape[1]):
        parts = dict(zip(order, (x[:, t] @ w_x.T + h @ w_h.T + b).chunk(4, dim=-1)))
        c = torch.sigmoid(parts["f"]) * c + torch.sigmoid(parts["i"]) * torch.tanh(parts["g"])
        h = torch.sigmoid(parts["o"]) * torch.tanh(c)
        outputs.append(h)
    return torch.stack(outputs, 1)


def gru_by_hand(
    x: torch.Tensor, w_x: torch.Tensor, w_h: torch.Tensor, b_x: torch.Tensor, b_h: torch.Tensor, order: str = "rzn", after: bool = True
) -> torch.Tensor:
    """One layer over (batch, time, features); `after`: the reset gate applies to the product, not to the state."""
    width = w_h.shape[1]
    h = x.new_zeros(x.shape[0], width)
    outputs = []
    wx, wh = dict(zip(order, w_x.chunk(3))), dict(zip(order, w_h.chunk(3)))
    bx, bh = dict(zip(order, b_x.chunk(3))), dict(zip(order, b_h.chunk(3)))
    for t in range(x.shape[1]):
        r, z = (torch.sigmoid(x[:, t] @ wx[g].T + bx[g] + h @ wh[g].T + bh[g]) for g in "rz")
        inner = r * (h @ wh["n"].T + bh["n"]) if after else (r * h) @ wh["n"].T + bh["n"]
        n = torch.tanh(x[:, t] @ wx["n"].T + bx["n"] + inner)
        h = (1 - z) * n + z * h
        outputs.append(h)
    return torch.stack(outputs, 1)


def weights_of(layer: nn.Module) -> list[torch.Tensor]:
    """Weights and biases of a one-layer recurrent module, in its own order, without gradients."""
    return [p.detach().clone() for p in layer.parameters()]


def in_numpy(block: nn.Module) -> Callable[[torch.Tensor], np.ndarray]:
    """The block of width 24 with 3 heads as NumPy code, GELU in its tanh form."""
    p = {name: value.detach().numpy() for name, value in block.named_parameters()}

    def norm(a, w, b):
        d = a - a.mean(-1, keepdims=True)
        return d / np.sqrt((d * d).mean(-1, keepdims=True) + np.float32(1e-5)) * w + b

    def actual(x):
        a = np.asarray(x)
        n, length, width = a.shape
        qkv = norm(a, p["first.weight"], p["first.bias"]) @ p["attention.qkv.weight"].T + p["attention.qkv.bias"]
        q, k, v = qkv.reshape(n, length, 3, 3, 8).transpose(2, 0, 3, 1, 4)
        s = q @ k.swapaxes(-1, -2) / np.float32(math.sqrt(8))
        e = np.exp(s - s.max(-1, keepdims=True))
        o = (e / e.sum(-1, keepdims=True)) @ v
        a = a + o.transpose(0, 2, 1, 3).reshape(n, length, width) @ p["attention.out.weight"].T + p["attention.out.bias"]
        h = norm(a, p["second.weight"], p["second.bias"]) @ p["up.weight"].T + p["up.bias"]
        h = 0.5 * h * (1 + np.tanh(math.sqrt(2 / math.pi) * (h + 0.044715 * h**3)))
        return a + h @ p["down.weight"].T + p["down.bias"]

    return actual
