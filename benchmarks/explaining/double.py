"""Pairs with two independent causes each; `make(seed, first=False)` and `make(seed, second=False)` leave one of them out.

A cause that is left out is right in both sides, so that each can be seen to be visible alone.
"""

from __future__ import annotations

import copy
import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from .building import (
    Attention,
    Block,
    Encoder,
    Pictures,
    angles_of,
    gru_by_hand,
    halves,
    lstm_by_hand,
    neighbours,
    settle,
    short,
    through,
    twins,
    weights_of,
)
from .registry import double


@double("layer epsilon", "GELU form", note="every block of an encoder")
def encoder_port(seed, first=True, second=True):
    other = {"eps": 1e-3 if first else 1e-6, "form": "tanh" if second else "none"}
    actual, expected = twins(Encoder, other, eps=1e-6, form="none")
    return actual, expected, (torch.randint(0, 50, (2, 10)),)


@double("RoPE layout", "attention scale", report=75)
def attention_port(seed, first=True, second=True):
    other = {"rotary": "neighbours" if first else "halves", "scale": 1 / math.sqrt(32) if second else 1 / math.sqrt(8)}
    actual, expected = twins(Attention, other, width=32, heads=4, rotary="halves", causal=True)
    return actual, expected, (torch.randn(2, 9, 32),)


@double("padding mode", "negative slope", note="a classifier of images")
def classifier_port(seed, first=True, second=True):
    actual, expected = twins(
        Pictures, {"border": "zeros" if first else "replicate", "slope": 0.01 if second else 0.2}, border="replicate", slope=0.2
    )
    return actual, expected, (torch.randn(3, 3, 12, 12),)


@double("channel order", "input scale", note="preprocessing of OpenCV images")
def preprocessing(seed, first=True, second=True):
    net = settle(Pictures())
    mean, std = torch.tensor([0.485, 0.456, 0.406]).view(3, 1, 1), torch.tensor([0.229, 0.224, 0.225]).view(3, 1, 1)

    def actual(image):
        x = image.flip(1) if first else image
        x = x / 255
        return net((x - 0.5) / 0.5 if second else (x - mean) / std)

    return actual, lambda image: net((image / 255 - mean) / std), (torch.randint(0, 256, (2, 3, 14, 14)).float(),)


@double("align_corners", "layer epsilon", report=134, note="decoder with BatchNorm; the second is a thousandth of the first")
def decoder(seed, first=True, second=True):
    enter, norm, out = nn.Conv2d(3, 8, 3, stride=2, padding=1), settle(nn.BatchNorm2d(8)), nn.Conv2d(8, 4, 1)
    other = copy.deepcopy(norm)
    other.eps = 1e-3 if second else norm.eps

    def net(n, corners):
        return lambda x: out(F.interpolate(F.relu(n(enter(x))), scale_factor=2, mode="bilinear", align_corners=corners))

    return net(other, first), net(norm, False), (torch.randn(2, 3, 12, 12),)


@double("gate order", "missing bias", note="LSTM from ONNX and its readout")
def recurrent_port(seed, first=True, second=True):
    layer, out = nn.LSTM(5, 8, batch_first=True), nn.Linear(8, 3)
    w_x, w_h, b_x, b_h = weights_of(layer)

    def actual(x):
        h = lstm_by_hand(x, w_x, w_h, b_x + b_h, "iofg" if first else "ifgo")[:, -1]
        return F.linear(h, out.weight, None if second else out.bias)

    return actual, lambda x: out(layer(x)[0][:, -1]), (torch.randn(4, 8, 5),)


@double("GRU form", "TF32", report=169, note="the cell before the reset gate; a readout on tensor cores, far smaller")
def gated_port(seed, first=True, second=True):
    layer, out = nn.GRU(4, 8, batch_first=True), nn.Linear(8, 6)
    w = weights_of(layer)

    def actual(x):
        h = gru_by_hand(x, *w, after=not first)
        return F.linear(short(h), short(out.weight), out.bias) if second else out(h)

    return actual, lambda x: out(layer(x)[0]), (torch.randn(3, 7, 4),)


@double("Adam bias correction", "weight decay", note="an optimizer by hand")
def own_optimizer(seed, first=True, second=True):
    def actual(p, *gradients):
        m, v = torch.zeros_like(p), torch.zeros_like(p)
        for t, g in enumerate(gradients, 1):
            if second:
                g = g + 0.1 * p
            else:
                p = p - 1e-2 * 0.1 * p
            m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
            c1, c2 = (1.0, 1.0) if first else (1 - 0.9**t, 1 - 0.99**t)
            p = p - 1e-2 * (m / c1) / ((v / c2).sqrt() + 1e-8)
        return p

    def expected(p, *gradients):
        q = nn.Parameter(p.clone())
        optimizer = torch.optim.AdamW([q], lr=1e-2, betas=(0.9, 0.99), weight_decay=0.1)
        for g in gradients:
            q.grad = g.clone()
            optimizer.step()
        return q.detach()

    return actual, expected, (torch.randn(30), *(torch.randn(30) for _ in range(3)))


@double("label smoothing", "SGD momentum", note="two training steps of a linear classifier; gives the change of its weights")
def training_steps(seed, first=True, second=True):
    w0, labels = 0.3 * torch.randn(5, 8), torch.randint(0, 5, (12,))

    def train(smoothing, nesterov):
        def run(x):
            w = nn.Parameter(w0.to(x.dtype).clone())
            optimizer = torch.optim.SGD([w], lr=0.5, momentum=0.9, nesterov=nesterov)
            for _ in range(2):
                with torch.enable_grad():
                    loss = F.cross_entropy(x @ w.T, labels, label_smoothing=smoothing)
                    (w.grad,) = torch.autograd.grad(loss, w)
                optimizer.step()
            return w.detach() - w0

        return run

    return train(0.0 if first else 0.1, not second), train(0.1, True), (torch.randn(12, 8),)


@double("elided casts", "layer epsilon", note="a norm fused with what precedes it; original casts to bfloat16 in between")
def fused_norm(seed, first=True, second=True):
    w, gain = torch.randn(24, 24) / 50, 1 + 0.2 * torch.randn(24)

    def net(cast, eps):
        def forward(x):
            h = x @ w.to(x.dtype).T
            h = through(h, torch.bfloat16) if cast else h
            return F.rms_norm(h, (24,), gain.to(x.dtype), eps)

        return forward

    return net(not first, 1e-3 if second else 1e-6), net(True, 1e-6), (torch.randn(10, 24),)


@double("bfloat16 storage", "GELU form", note="first layer's weights from a bfloat16 file, quick GELU in its activation")
def converted(seed, first=True, second=True):
    a, b, c = nn.Linear(16, 48), nn.Linear(48, 48), nn.Linear(48, 4)
    stored = copy.deepcopy(a).bfloat16().float() if first else a

    def actual(x):
        h = stored(x)
        h = h * torch.sigmoid(1.702 * h) if second else F.gelu(h)
        return c(torch.tanh(b(h)))

    return actual, nn.Sequential(a, nn.GELU(), b, nn.Tanh(), c), (torch.randn(9, 16),)


@double("loss reduction", "label smoothing", note="token losses: sum over the batch; smoothing over the other classes only")
def token_loss(seed, first=True, second=True):
    head, labels = nn.Linear(10, 7), torch.randint(0, 7, (14,))

    def actual(x):
        logp = torch.log_softmax(head(x), -1)
        low = 0.2 / 6 if second else 0.2 / 7
        soft = torch.full_like(logp, low).scatter_(1, labels[:, None], 0.8 if second else 0.8 + low)
        loss = -(soft * logp).sum(-1)
        return loss.sum() if first else loss.mean()

    return actual, lambda x: F.cross_entropy(head(x), labels, label_smoothing=0.2), (torch.randn(14, 10),)


@double("count_include_pad", "TF32", report=132, note="pooling of another runtime, convolution on tensor cores")
def runtime(seed, first=True, second=True):
    conv, head = nn.Conv2d(3, 8, 3), nn.Conv2d(8, 4, 1)

    def actual(x):
        h = F.conv2d(short(x), short(conv.weight), conv.bias) if second else conv(x)
        return head(F.avg_pool2d(torch.relu(h), 3, 2, padding=1, count_include_pad=not first))

    return actual, nn.Sequential(conv, nn.ReLU(), nn.AvgPool2d(3, 2, 1), head), (torch.randn(2, 3, 11, 11),)


@double(("transposed weight",), "doubled bias", note="NumPy port of a network: square layer as stored, the last bias added twice")
def numpy_network(seed, first=True, second=True):
    net = nn.Sequential(nn.Linear(14, 14), nn.Tanh(), nn.Linear(14, 5))
    w, b, u, c = (p.detach().numpy() for p in net.parameters())

    def actual(x):
        h = np.tanh(np.asarray(x) @ (w if first else w.T) + b)
        y = h @ u.T + c
        return y + c if second else y

    return actual, net, (torch.randn(8, 14),)


@double("expanded squares", "normalization axis", report=58, note="distances of embeddings that were to be centred per feature")
def embedding_distances(seed, first=True, second=True):
    def actual(a, b):
        a, b = (F.normalize(t, dim=0 if second else 1) * 40 + 300 for t in (a, b))
        if first:
            return ((a * a).sum(1)[:, None] + (b * b).sum(1) - 2 * a @ b.T).clamp(min=0).sqrt()
        return (a[:, None] - b).square().sum(-1).sqrt()

    def expected(a, b):
        a, b = (F.normalize(t, dim=1) * 40 + 300 for t in (a, b))
        return (a[:, None] - b).square().sum(-1).sqrt()

    return actual, expected, (torch.randn(10, 8), torch.randn(12, 8))


@double("causal mask alignment", "softcap", report=145, note="a cache of keys in a fused kernel without a cap")
def cached_attention(seed, first=True, second=True):
    def actual(q, k, v):
        s = q @ k.mT / math.sqrt(q.shape[-1])
        s = s if second else 5 * torch.tanh(s / 5)
        keep = torch.ones(s.shape[-2:], dtype=torch.bool).tril(0 if first else s.shape[-1] - s.shape[-2])
        return torch.softmax(s.masked_fill(~keep, -math.inf), -1) @ v

    def expected(q, k, v):
        s = 5 * torch.tanh(q @ k.mT / math.sqrt(q.shape[-1]) / 5)
        i, j = torch.arange(s.shape[-2])[:, None], torch.arange(s.shape[-1])
        return torch.softmax(s.masked_fill(j > i + s.shape[-1] - s.shape[-2], -math.inf), -1) @ v

    return actual, expected, (2 * torch.randn(2, 2, 5, 8), torch.randn(2, 2, 9, 8), torch.randn(2, 2, 9, 8))


@double("BatchNorm momentum", "variance estimator", report=70, note="buffers after one step")
def tracked(seed, first=True, second=True):
    start = 0.5 + torch.rand(6)

    def actual(x):
        k = 0.01 if first else 0.1
        return (1 - k) * start + k * x.var((0, 2), unbiased=not second)

    def expected(x):
        v = start.to(x.dtype).clone()
        F.batch_norm(x, torch.zeros(6, dtype=x.dtype), v, training=True, momentum=0.1)
        return v

    return actual, expected, (2 * torch.randn(3, 6, 4),)


@double(
    "one-pass variance",
    "GELU form",
    report=62,
    note="a fused block on a residual with an offset; tanh form in its activation, similar in size",
)
def fused_block(seed, first=True, second=True):
    block = settle(Block(32, 4))

    def norm(x, n):
        if not first:
            return n(x)
        m = x.mean(-1, keepdim=True)
        return (x - m) * torch.rsqrt((x * x).mean(-1, keepdim=True) - m * m + n.eps) * n.weight + n.bias

    def actual(x):
        x = x + block.attention(norm(x, block.first))
        return norm(x, block.second), block.down(F.gelu(block.up(norm(x, block.second)), approximate="tanh" if second else "none"))

    def expected(x):
        x = x + block.attention(block.first(x))
        h = block.second(x)
        return h, block.down(F.gelu(block.up(h)))

    return actual, expected, (100 + torch.randn(2, 6, 32),)


@double(("training mode",), "antialias", note="a classifier left in training mode behind another way to make thumbnails")
def thumbnails_classified(seed, first=True, second=True):
    net = settle(Pictures())
    other = copy.deepcopy(net)
    for module in other.modules():
        if isinstance(module, nn.BatchNorm2d) and first:
            module.train()

    def expected(x):
        return net(F.interpolate(x, size=(12, 12), mode="bilinear", antialias=True))

    actual = lambda x: other(F.interpolate(x, size=(12, 12), mode="bilinear", antialias=not second))
    return actual, expected, (torch.randn(3, 3, 30, 30),)


@double("strides ignored", "parameter ignored", report=101, note="a lowered layer: the transposed weight's memory as it lies, beta dropped")
def lowered_layer(seed, first=True, second=True):
    bias = torch.randn(10)

    def actual(x, w):
        m = w.as_strided(w.shape, (w.shape[1], 1), 0) if first else w
        return torch.relu(x @ m + (bias if second else 0.5 * bias))

    return actual, lambda x, w: torch.relu(torch.addmm(bias.to(x.dtype), x, w, beta=0.5)), (torch.randn(6, 14), torch.randn(10, 14).T)


@double("flatten order", "missing bias", report=7, note="Keras' network: flattened channels first, and the head's bias left behind")
def keras_network(seed, first=True, second=True):
    conv, head = nn.Conv2d(3, 5, 3), nn.Linear(5 * 6 * 6, 8)

    def expected(x):
        return torch.softmax(head(F.relu(conv(x)).permute(0, 2, 3, 1).flatten(1)), -1)

    def actual(x):
        h = F.relu(conv(x))
        h = h.flatten(1) if first else h.permute(0, 2, 3, 1).flatten(1)
        return torch.softmax(F.linear(h, head.weight, None if second else head.bias), -1)

    return actual, expected, (torch.randn(3, 3, 8, 8),)


@double("rounding of halves", "NaN handling", report=138, note="a quantiser of another device")
def quantiser(seed, first=True, second=True):
    x = torch.randint(-30, 30, (6, 12)) / 2
    x[2, 5] = x[4, 0] = math.nan

    def actual(t):
        r = torch.sign(t) * torch.floor(t.abs() + 0.5) if first else torch.round(t)
        r = torch.fmax(r, torch.tensor(-8.0)) if second else r
        return r.clamp(-8, 7)

    return actual, lambda t: torch.round(t).clamp(-8, 7), (x,)


@double("RoPE layout", "float16 products", note="one block of a language model; scores in half precision, hundreds of times smaller")
def half_kernel(seed, first=True, second=True):
    layer, angles = Attention(32, 2, rotary="halves", causal=True), angles_of(11, 16)

    def actual(x):
        q, k, v = layer.qkv(x).view(*x.shape[:2], 3, 2, 16).permute(2, 0, 3, 1, 4)
        turn = neighbours if first else halves
        q, k = turn(q, angles), turn(k, angles)
        if second:
            q, k = through(q, torch.float16), through(k, torch.float16)
        s = (q @ k.mT / 4).masked_fill(torch.ones(11, 11, dtype=torch.bool).triu(1), -math.inf)
        return layer.out((s.softmax(-1) @ v).transpose(1, 2).flatten(2))

    return actual, layer, (torch.randn(2, 11, 32),)
