"""Whole models, small, with fixed weights: what the generated variants and mutants are made from.

Written so that the calls that matter (linear, conv, norm, softmax, activation) go through torch.nn.functional, where
`rewrites` and `mutants` replace them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn


@dataclass(frozen=True)
class Model:
    """A model of the benchmark.

    Attributes:
        name, family: what it is. build: returns (module in eval or train mode, inputs). training: whether it runs in training mode.
    """

    name: str
    family: str
    build: Callable[[], tuple[nn.Module, tuple[Any, ...]]]
    training: bool = False

    def make(self, seed: int) -> tuple[nn.Module, tuple[Any, ...]]:
        """The module and its inputs, the same for the same seed."""
        torch.manual_seed(4321 + seed)
        module, inputs = self.build()
        for part in module.modules():  # statistics and affine parameters as after some training
            if isinstance(part, nn.BatchNorm2d):
                part.running_mean.uniform_(-0.3, 0.3)
                part.running_var.uniform_(0.5, 1.5)
            if isinstance(part, (nn.BatchNorm2d, nn.LayerNorm, nn.GroupNorm)):
                nn.init.uniform_(part.weight, 0.7, 1.3)
                nn.init.uniform_(part.bias, -0.2, 0.2)
        return module.train(self.training), inputs


MODELS: list[Model] = []


def model(family: str, *, training: bool = False) -> Callable[..., Any]:
    """Register a function that builds a model and its inputs."""

    def register(build: Callable[[], tuple[nn.Module, tuple[Any, ...]]]) -> Any:
        MODELS.append(Model(build.__name__, family, build, training))
        return build

    return register


class Lambda(nn.Module):
    """A function of one argument as a module."""

    def __init__(self, function: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(x)


class Residual(nn.Module):
    """x + inner(x)."""

    def __init__(self, *inner: nn.Module) -> None:
        super().__init__()
        self.inner = nn.Sequential(*inner)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.inner(x)


class RMSNorm(nn.Module):
    """Root mean square normalization as in language models."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(size).uniform_(0.7, 1.3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * self.weight


class Attention(nn.Module):
    """Multi-head attention of products and softmax; keys and values from another sequence if one is given."""

    def __init__(self, size: int, heads: int, *, causal: bool = False, rotary: bool = False) -> None:
        super().__init__()
        self.heads, self.causal, self.rotary = heads, causal, rotary
        self.query, self.key, self.value, self.out = (nn.Linear(size, size) for _ in range(4))

    def _split(self, x: torch.Tensor) -> torch.Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def _rotate(self, x: torch.Tensor) -> torch.Tensor:
        half = x.shape[-1] // 2
        frequency = 10000.0 ** (-torch.arange(half, dtype=x.dtype) / half)
        angle = torch.arange(x.shape[-2], dtype=x.dtype)[:, None] * frequency
        left, right = x[..., :half], x[..., half:]
        return torch.cat([left * angle.cos() - right * angle.sin(), left * angle.sin() + right * angle.cos()], -1)

    def forward(self, x: torch.Tensor, other: torch.Tensor | None = None) -> torch.Tensor:
        source = x if other is None else other
        query, key, value = self._split(self.query(x)), self._split(self.key(source)), self._split(self.value(source))
        if self.rotary:
            query, key = self._rotate(query), self._rotate(key)
        scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(query.shape[-1])
        if self.causal:
            ahead = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
            scores = scores.masked_fill(ahead, -math.inf)
        mixed = torch.matmul(F.softmax(scores, -1), value)
        return self.out(mixed.transpose(1, 2).flatten(-2))


class Block(nn.Module):
    """A transformer block, normalized before or after."""

    def __init__(self, size: int, *, before: bool = True, causal: bool = False) -> None:
        super().__init__()
        self.attention = Attention(size, 4, causal=causal)
        self.first, self.second = nn.LayerNorm(size), nn.LayerNorm(size)
        self.mlp = nn.Sequential(nn.Linear(size, 4 * size), nn.GELU(), nn.Linear(4 * size, size))
        self.before = before

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.before:
            x = x + self.attention(self.first(x))
            return x + self.mlp(self.second(x))
        x = self.first(x + self.attention(x))
        return self.second(x + self.mlp(x))


@model("dense")
def mlp_relu():
    return nn.Sequential(nn.Linear(37, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)), (torch.randn(16, 37),)


@model("dense")
def mlp_deep_gelu():
    layers = [part for _ in range(10) for part in (nn.Linear(48, 48), nn.GELU())]
    return nn.Sequential(*layers, nn.Linear(48, 5)), (torch.randn(11, 48),)


@model("dense")
def siamese_cosine():
    class Siamese(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = nn.Sequential(nn.Linear(40, 32), nn.Tanh(), nn.Linear(32, 24))

        def forward(self, left, right):
            left, right = self.net(left), self.net(right)
            return (left * right).sum(-1) / (left.norm(dim=-1) * right.norm(dim=-1))

    return Siamese(), (torch.randn(9, 40), torch.randn(9, 40))


@model("convolutional")
def conv_small():
    net = nn.Sequential(
        nn.Conv2d(3, 12, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(12, 20, 3, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(20 * 8 * 8, 10),
    )
    return net, (torch.randn(4, 3, 16, 16),)


@model("convolutional")
def residual_batch_norm():
    def part(channels):
        return Residual(
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
        )

    net = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), part(16), nn.ReLU(), part(16), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
    return nn.Sequential(net, nn.Linear(16, 7)), (torch.randn(3, 3, 14, 14),)


@model("convolutional", training=True)
def residual_batch_norm_training():
    net = nn.Sequential(nn.Conv2d(3, 12, 3, padding=1), nn.BatchNorm2d(12), nn.SiLU(), nn.Conv2d(12, 8, 3, stride=2), nn.BatchNorm2d(8))
    return net, (torch.randn(6, 3, 11, 11),)


@model("convolutional")
def depthwise_separable():
    parts = []
    for _ in range(3):
        parts += [nn.Conv2d(18, 18, 3, padding=1, groups=18, bias=False), nn.BatchNorm2d(18), nn.ReLU6(), nn.Conv2d(18, 18, 1), nn.ReLU6()]
    return nn.Sequential(nn.Conv2d(3, 18, 3, stride=2, padding=1), *parts, nn.AdaptiveAvgPool2d(1), nn.Flatten()), (
        torch.randn(2, 3, 21, 21),
    )


@model("convolutional")
def temporal_dilated():
    parts = []
    for dilation in (1, 2, 4):
        parts += [Residual(nn.Conv1d(16, 16, 3, padding=dilation, dilation=dilation), nn.ReLU(), nn.Conv1d(16, 16, 1))]
    return nn.Sequential(nn.Conv1d(4, 16, 5, padding=2), *parts, nn.Conv1d(16, 3, 1)), (torch.randn(3, 4, 50),)


@model("convolutional")
def autoencoder():
    net = nn.Sequential(
        nn.Conv2d(1, 8, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Conv2d(8, 16, 3, stride=2, padding=1),
        nn.Tanh(),
        nn.ConvTranspose2d(16, 8, 4, stride=2, padding=1),
        nn.ReLU(),
        nn.ConvTranspose2d(8, 1, 4, stride=2, padding=1),
        nn.Sigmoid(),
    )
    return net, (torch.rand(3, 1, 16, 16),)


@model("U-Net")
def unet():
    class UNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.down, self.inner = nn.Conv2d(2, 10, 3, padding=1), nn.Conv2d(10, 20, 3, padding=1)
            self.norm, self.up = nn.GroupNorm(4, 20), nn.Conv2d(30, 10, 3, padding=1)
            self.out = nn.Conv2d(10, 2, 1)

        def forward(self, x):
            top = F.silu(self.down(x))
            low = F.silu(self.norm(self.inner(F.avg_pool2d(top, 2))))
            wide = F.interpolate(low, scale_factor=2, mode="bilinear", align_corners=False)
            return self.out(F.silu(self.up(torch.cat([top, wide], 1))))

    return UNet(), (torch.randn(2, 2, 16, 16),)


@model("attention")
def encoder_before():
    return nn.Sequential(Block(32), Block(32), nn.LayerNorm(32)), (torch.randn(2, 13, 32),)


@model("attention")
def encoder_after():
    return nn.Sequential(Block(32, before=False), Block(32, before=False)), (torch.randn(2, 17, 32),)


@model("attention")
def decoder_causal():
    net = nn.Sequential(nn.Embedding(50, 32), Block(32, causal=True), Block(32, causal=True), nn.LayerNorm(32), nn.Linear(32, 50))
    return net, (torch.randint(0, 50, (2, 19)),)


@model("attention")
def cross_attention():
    class Cross(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention, self.norm, self.out = Attention(24, 3), nn.LayerNorm(24), nn.Linear(24, 6)

        def forward(self, x, other):
            return self.out(self.norm(x + self.attention(x, other)))

    return Cross(), (torch.randn(2, 7, 24), torch.randn(2, 15, 24))


@model("attention")
def vision_transformer():
    net = nn.Sequential(nn.Conv2d(3, 32, 4, stride=4), nn.Flatten(2), Lambda(lambda x: x.transpose(1, 2)), Block(32), nn.LayerNorm(32))
    return nn.Sequential(net, Lambda(lambda x: x.mean(1)), nn.Linear(32, 10)), (torch.randn(2, 3, 16, 16),)


@model("attention")
def language_block():
    class Gated(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention = Attention(32, 4, causal=True, rotary=True)
            self.first, self.second = RMSNorm(32), RMSNorm(32)
            self.gate, self.up, self.down = nn.Linear(32, 88, bias=False), nn.Linear(32, 88, bias=False), nn.Linear(88, 32, bias=False)

        def forward(self, x):
            x = x + self.attention(self.first(x))
            inner = self.second(x)
            return x + self.down(F.silu(self.gate(inner)) * self.up(inner))

    return nn.Sequential(Gated(), Gated(), RMSNorm(32)), (torch.randn(2, 11, 32),)


class Recurrent(nn.Module):
    """A recurrent network with its cell written out."""

    def __init__(self, cell: str, size: int, hidden: int) -> None:
        super().__init__()
        gates = {"rnn": 1, "gru": 3, "lstm": 4}[cell]
        self.cell, self.hidden = cell, hidden
        self.from_input, self.from_state = nn.Linear(size, gates * hidden), nn.Linear(hidden, gates * hidden)
        self.out = nn.Linear(hidden, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = c = torch.zeros(x.shape[0], self.hidden, dtype=x.dtype)
        for step in range(x.shape[1]):
            mine, theirs = self.from_input(x[:, step]), self.from_state(h)
            if self.cell == "rnn":
                h = torch.tanh(mine + theirs)
            elif self.cell == "gru":
                reset, update, new = mine.chunk(3, -1)
                reset_h, update_h, new_h = theirs.chunk(3, -1)
                update = torch.sigmoid(update + update_h)
                h = update * h + (1.0 - update) * torch.tanh(new + torch.sigmoid(reset + reset_h) * new_h)
            else:
                enter, forget, cell, leave = (mine + theirs).chunk(4, -1)
                c = torch.sigmoid(forget) * c + torch.sigmoid(enter) * torch.tanh(cell)
                h = torch.sigmoid(leave) * torch.tanh(c)
        return self.out(h)


@model("recurrent")
def recurrent_tanh():
    return Recurrent("rnn", 9, 20), (torch.randn(5, 14, 9),)


@model("recurrent")
def recurrent_gru():
    return Recurrent("gru", 11, 18), (torch.randn(4, 12, 11),)


@model("recurrent")
def recurrent_lstm():
    return Recurrent("lstm", 8, 16), (torch.randn(4, 15, 8),)


@model("mixture")
def mixture_soft():
    class Mixture(nn.Module):
        def __init__(self):
            super().__init__()
            self.router = nn.Linear(24, 4)
            self.experts = nn.ModuleList([nn.Sequential(nn.Linear(24, 40), nn.GELU(), nn.Linear(40, 24)) for _ in range(4)])

        def forward(self, x):
            weight = F.softmax(self.router(x), -1)
            return x + sum(weight[..., place : place + 1] * expert(x) for place, expert in enumerate(self.experts))

    return nn.Sequential(Mixture(), nn.LayerNorm(24), Mixture()), (torch.randn(13, 24),)


@model("mixture")
def mixture_top2():
    class TopTwo(nn.Module):
        def __init__(self):
            super().__init__()
            self.router = nn.Linear(20, 6)
            self.experts = nn.ModuleList([nn.Linear(20, 20) for _ in range(6)])

        def forward(self, x):
            weight, chosen = torch.topk(F.softmax(self.router(x), -1), 2)
            every = torch.stack([expert(x) for expert in self.experts], -2)
            picked = torch.gather(every, -2, chosen[..., None].expand(*chosen.shape, every.shape[-1]))
            return (picked * (weight / weight.sum(-1, keepdim=True))[..., None]).sum(-2)

    return nn.Sequential(TopTwo(), nn.Tanh(), nn.Linear(20, 8)), (torch.randn(15, 20),)


@model("normalization")
def normalization_stack():
    parts = []
    for _ in range(3):
        parts += [nn.Linear(36, 36), nn.LayerNorm(36), nn.SiLU(), RMSNorm(36)]
    return nn.Sequential(*parts, nn.Linear(36, 12)), (torch.randn(10, 36),)


@model("normalization")
def group_norm_large_mean():
    net = nn.Sequential(nn.Conv2d(3, 12, 3, padding=1), nn.GroupNorm(3, 12), nn.SiLU(), nn.Conv2d(12, 6, 3), nn.GroupNorm(2, 6))
    return net, (torch.randn(2, 3, 12, 12) + 5.0,)
