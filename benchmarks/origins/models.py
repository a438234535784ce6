"""Models as people write them, of modules with names: what faults are planted in. Weights are random with a fixed seed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

Made = tuple[nn.Module, tuple[Any, ...]]
MODELS: dict[str, Callable[[], Made]] = {}


def model(build: Callable[[], Made]) -> Callable[[], Made]:
    MODELS[build.__name__] = build
    return build


def make(name: str, seed: int = 0) -> Made:
    """A model in the mode that it is used in, and its inputs: the same for the same seed."""
    torch.manual_seed(1000 + seed)
    module, inputs = MODELS[name]()
    for part in module.modules():  # as after some training
        if isinstance(part, (nn.BatchNorm1d, nn.BatchNorm2d)) and part.track_running_stats:
            part.running_mean.uniform_(-0.3, 0.3)
            part.running_var.uniform_(0.5, 1.5)
        if isinstance(part, (nn.BatchNorm2d, nn.LayerNorm, nn.GroupNorm)) and part.weight is not None:
            nn.init.uniform_(part.weight, 0.7, 1.3)
            nn.init.uniform_(part.bias, -0.2, 0.2)
    return module, inputs


class ConvBlock(nn.Module):
    def __init__(self, before: int, after: int, stride: int = 1) -> None:
        super().__init__()
        self.conv = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.norm = nn.BatchNorm2d(after)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        return self.act(self.norm(self.conv(x)))


@model
def cnn():
    body = nn.Sequential(
        ConvBlock(3, 16), ConvBlock(16, 32, 2), ConvBlock(32, 32), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10)
    )
    return body.train(), (torch.randn(8, 3, 24, 24),)


@model
def cnn_eval():
    body = nn.Sequential(ConvBlock(3, 16), nn.MaxPool2d(2), ConvBlock(16, 32), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(32 * 36, 10))
    return body.eval(), (torch.randn(4, 3, 24, 24),)


class Bottleneck(nn.Module):
    """The block of ResNet-50: 1x1, 3x3, 1x1, and the way around it."""

    def __init__(self, before: int, width: int, stride: int = 1) -> None:
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(before, width, 1, bias=False), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width)
        self.conv3, self.bn3 = nn.Conv2d(width, 4 * width, 1, bias=False), nn.BatchNorm2d(4 * width)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or before != 4 * width:
            self.downsample = nn.Sequential(nn.Conv2d(before, 4 * width, 1, stride, bias=False), nn.BatchNorm2d(4 * width))

    def forward(self, x):
        around = x if self.downsample is None else self.downsample(x)
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.relu(self.bn2(self.conv2(y)))
        return self.relu(self.bn3(self.conv3(y)) + around)


class ResNet50(nn.Module):
    """The architecture of He et al. (2016), table 1, column 50-layer, as torchvision arranges it."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64)
        self.relu, self.maxpool = nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)
        before = 64
        for number, (width, count, stride) in enumerate(((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)), 1):
            blocks = []
            for place in range(count):
                blocks.append(Bottleneck(before, width, stride if place == 0 else 1))
                before = 4 * width
            setattr(self, f"layer{number}", nn.Sequential(*blocks))
        self.avgpool, self.fc = nn.AdaptiveAvgPool2d(1), nn.Linear(before, 1000)

    def forward(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(torch.flatten(self.avgpool(x), 1))


@model
def resnet50():
    return ResNet50().eval(), (torch.randn(2, 3, 96, 96),)


class UNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down1, self.down2, self.bottom = ConvBlock(1, 8), ConvBlock(8, 16), ConvBlock(16, 16)
        self.up2 = nn.ConvTranspose2d(16, 16, 2, 2)
        self.merge2, self.merge1 = ConvBlock(32, 8), ConvBlock(16, 8)
        self.head = nn.Conv2d(8, 2, 1)

    def forward(self, x):
        one = self.down1(x)
        two = self.down2(F.max_pool2d(one, 2))
        three = self.bottom(F.max_pool2d(two, 2))
        two = self.merge2(torch.cat([two, self.up2(three)], 1))
        one = self.merge1(torch.cat([one, F.interpolate(two, scale_factor=2, mode="bilinear", align_corners=False)], 1))
        return self.head(one)


@model
def unet():
    return UNet().eval(), (torch.randn(2, 1, 32, 32),)


class Tagger(nn.Module):
    """Embedding, a library's recurrent layer, a head."""

    def __init__(self, kind: type[nn.Module]) -> None:
        super().__init__()
        self.embed = nn.Embedding(50, 24)
        self.rnn = kind(24, 32, 2, batch_first=True)
        self.norm, self.head = nn.LayerNorm(32), nn.Linear(32, 7)

    def forward(self, tokens):
        return self.head(self.norm(self.rnn(self.embed(tokens))[0]))


@model
def lstm():
    return Tagger(nn.LSTM), (torch.randint(50, (4, 12)),)


@model
def gru():
    return Tagger(nn.GRU), (torch.randint(50, (4, 12)),)


class CellLoop(nn.Module):
    """One cell, called once per time step."""

    def __init__(self, kind: type[nn.Module]) -> None:
        super().__init__()
        self.cell, self.head = kind(12, 20), nn.Linear(20, 3)

    def forward(self, x):
        state = None
        for step in x.unbind(1):
            state = self.cell(step, state)
        return self.head(state[0] if isinstance(state, tuple) else state)


@model
def lstm_cells():
    return CellLoop(nn.LSTMCell), (torch.randn(5, 9, 12),)


@model
def gru_cells():
    return CellLoop(nn.GRUCell), (torch.randn(5, 9, 12),)


@model
def encoder():
    layer = nn.TransformerEncoderLayer(48, 4, 96, dropout=0.0, activation="gelu", batch_first=True)
    return nn.TransformerEncoder(layer, 4, enable_nested_tensor=False).train(), (torch.randn(3, 16, 48),)


@model
def encoder_norm_first():
    layer = nn.TransformerEncoderLayer(48, 4, 96, dropout=0.0, norm_first=True, batch_first=True)
    return nn.TransformerEncoder(layer, 3, nn.LayerNorm(48), enable_nested_tensor=False).eval(), (torch.randn(3, 16, 48),)


@model
def decoder():
    layer = nn.TransformerDecoderLayer(48, 4, 96, dropout=0.0, batch_first=True)
    return nn.TransformerDecoder(layer, 3).train(), (torch.randn(3, 10, 48), torch.randn(3, 14, 48))


class Attention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        batch, time, width = x.shape
        q, k, v = (part.view(batch, time, self.heads, -1).transpose(1, 2) for part in self.qkv(x).split(width, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(batch, time, width))


class SplitAttention(nn.Module):
    """The same with three projections, written out: how the other half of the world writes it."""

    def __init__(self, other: Attention) -> None:
        super().__init__()
        width = other.out.in_features
        self.heads, self.o_proj = other.heads, other.out
        weights, biases = other.qkv.weight.detach().split(width), other.qkv.bias.detach().split(width)
        for name, weight, bias in zip(("q_proj", "k_proj", "v_proj"), weights, biases):
            part = nn.Linear(width, width)
            part.weight, part.bias = nn.Parameter(weight.clone()), nn.Parameter(bias.clone())
            setattr(self, name, part)

    def forward(self, x):
        batch, time, width = x.shape
        q, k, v = (part(x).view(batch, time, self.heads, -1).transpose(1, 2) for part in (self.q_proj, self.k_proj, self.v_proj))
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        scores = scores.masked_fill(~torch.ones(time, time, dtype=torch.bool).tril(), float("-inf"))
        y = torch.softmax(scores, -1) @ v
        return self.o_proj(y.transpose(1, 2).reshape(batch, time, width))


class GPTBlock(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.ln_1, self.attn, self.ln_2 = nn.LayerNorm(width), Attention(width, heads), nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    """GPT-2 (Radford et al. 2019): learned positions, norm first, output weights tied to the embedding."""

    def __init__(self, vocabulary: int, context: int, width: int, layers: int, heads: int) -> None:
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
        self.h = nn.ModuleList(GPTBlock(width, heads) for _ in range(layers))
        self.ln_f, self.lm_head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)
        self.lm_head.weight = self.wte.weight
        for name, parameter in self.named_parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02 / (math.sqrt(2 * layers) if name.endswith(("out.weight", "mlp.2.weight")) else 1.0))

    def forward(self, tokens):
        x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1]))
        for block in self.h:
            x = block(x)
        return self.lm_head(self.ln_f(x))


@model
def gpt_small():
    return GPT(200, 32, 48, 4, 4), (torch.randint(200, (2, 20)),)


@model
def gpt2():
    """The size of GPT-2 small: 124 million parameters."""
    return GPT(50257, 1024, 768, 12, 12), (torch.randint(50257, (1, 64)),)


class Mixture(nn.Module):
    """A router sends each token to two of four experts."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.router = nn.Linear(width, 4)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(width, 2 * width), nn.SiLU(), nn.Linear(2 * width, width)) for _ in range(4))

    def forward(self, x):
        weights, chosen = torch.softmax(self.router(x), -1).topk(2)
        weights = weights / weights.sum(-1, keepdim=True)
        y = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            rows, places = torch.where(chosen == number)
            y.index_add_(0, rows, weights[rows, places, None] * expert(x[rows]))
        return y


@model
def mixture():
    return nn.Sequential(nn.Linear(16, 24), Mixture(24), nn.LayerNorm(24), Mixture(24), nn.Linear(24, 5)), (torch.randn(40, 16),)


@model
def norms():
    body = [
        nn.Conv2d(3, 16, 3, padding=1),
        nn.GroupNorm(4, 16),
        nn.SiLU(),
        nn.Conv2d(16, 16, 3, padding=1),
        nn.InstanceNorm2d(16, affine=True),
    ]
    return nn.Sequential(*body, nn.BatchNorm2d(16), nn.Tanh(), nn.Flatten(), nn.LayerNorm(16 * 64), nn.Linear(16 * 64, 6)).train(), (
        torch.randn(6, 3, 8, 8),
    )


class Residual(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm, self.fc = nn.LayerNorm(width), nn.Linear(width, width)

    def forward(self, x):
        return x + 0.1 * F.gelu(self.fc(self.norm(x)))


@model
def deep():
    """Two hundred layers."""
    return nn.Sequential(*(Residual(32) for _ in range(200))), (torch.randn(8, 32),)


@model
def two_layers():
    return nn.Sequential(nn.Linear(300, 64), nn.ReLU(), nn.Linear(64, 10)), (torch.randn(16, 300),)
