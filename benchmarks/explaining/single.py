"""Pairs with one true cause, many of them after reports by users.

`expected` is what was ported from or compared with, `actual` the port; names inside do not tell the cause.
"""

from __future__ import annotations

import copy
import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from .building import (
    Attention,
    Block,
    Encoder,
    Pictures,
    angles_of,
    gru_by_hand,
    halves,
    in_numpy,
    lstm_by_hand,
    neighbours,
    settle,
    short,
    through,
    twins,
    weights_of,
)
from .registry import single

# Formula and convention: norms, activations, training


@single("layer epsilon", report=71, note="1e-12 in TensorFlow's config, nn.LayerNorm's default in the port; embeddings as initialised")
def electra_norm(seed):
    words, places = 0.02 * torch.randn(40, 48), 0.02 * torch.randn(24, 48)
    gain, shift = 1 + 0.1 * torch.randn(48), 0.1 * torch.randn(48)
    norm = nn.LayerNorm(48)
    with torch.no_grad():
        norm.weight.copy_(gain)
        norm.bias.copy_(shift)

    def expected(ids):
        h = words[ids] + places[: ids.shape[1]]
        return F.layer_norm(h, (48,), gain, shift, 1e-12)

    return (lambda ids: norm(F.embedding(ids, words) + places[: ids.shape[1]])), expected, (torch.randint(0, 40, (2, 24)),)


@single("layer epsilon", note="1e-5 instead of Llama's 1e-6, in NumPy")
def rms_numpy(seed):
    gain = 1 + 0.2 * torch.randn(64)

    def actual(x):
        a, g = np.asarray(x), gain.numpy().astype(np.asarray(x).dtype)
        return a / np.sqrt(np.mean(a * a, axis=-1, keepdims=True) + 1e-5) * g

    return actual, lambda x: F.rms_norm(x, (64,), gain.to(x.dtype), 1e-6), (0.05 * torch.randn(16, 64),)


@single("layer epsilon", note="BatchNorm with Keras' 1e-3 in a whole network")
def keras_norm(seed):
    actual, expected = twins(Pictures, {"eps": 1e-3})
    return actual, expected, (torch.randn(4, 3, 20, 20),)


@single("layer epsilon", note="one block of four")
def deep_norm(seed):
    actual, expected = twins(Encoder, {"deep": {"eps": 1e-3}}, depth=4)
    return actual, expected, (torch.randint(0, 50, (2, 12)),)


@single("layer epsilon", note="GroupNorm(eps=1e-6) of a diffusion model by hand, the module with its default")
def diffusion_norm(seed):
    norm, conv = settle(nn.GroupNorm(4, 16)), nn.Conv2d(16, 16, 3, padding=1)

    def expected(x):
        g = x.reshape(x.shape[0], 4, -1)
        g = (g - g.mean(-1, keepdim=True)) / (g.var(-1, unbiased=False, keepdim=True) + 1e-6).sqrt()
        h = g.reshape(x.shape) * norm.weight.view(1, -1, 1, 1) + norm.bias.view(1, -1, 1, 1)
        return x + conv(F.silu(h))

    return (lambda x: x + conv(F.silu(norm(x)))), expected, (0.02 * torch.randn(2, 16, 8, 8),)


@single("GELU form", report=135, note="approximate='tanh' dropped by the importer")
def tvm_gelu(seed):
    def actual(x):
        return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))

    return actual, lambda x: F.gelu(x, approximate="tanh"), (1.5 * torch.randn(8, 96),)


@single("GELU form", note="CLIP's x * sigmoid(1.702 x) in a feed-forward block")
def clip_block(seed):
    up, down = nn.Linear(24, 96), nn.Linear(96, 24)

    def actual(x):
        h = up(x)
        return x + down(h * torch.sigmoid(1.702 * h))

    return actual, lambda x: x + down(F.gelu(up(x))), (torch.randn(10, 24),)


@single("GELU form", note="one block of three")
def deep_activation(seed):
    actual, expected = twins(Encoder, {"deep": {"form": "tanh"}})
    return actual, expected, (torch.randint(0, 50, (2, 10)),)


@single("GELU form", note="tanh form in NumPy, feed-forward of a whole encoder against its block")
def numpy_feed_forward(seed):
    block = settle(Block(24, 3))
    return in_numpy(block), block, (torch.randn(2, 9, 24),)


class _Curve(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return F.gelu(x)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        u = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
        t = torch.tanh(u)
        return g * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * math.sqrt(2 / math.pi) * (1 + 0.134145 * x * x))


@single("GELU form", gradients=True, note="forward exact, backward the derivative of the tanh form")
def kernel_with_backward(seed):
    a, b = nn.Linear(12, 32), nn.Linear(32, 4)
    return (lambda x: b(_Curve.apply(a(x)))), nn.Sequential(a, nn.GELU(), b), (torch.randn(8, 12),)


@single("variance estimator", report=69, note="running variance takes the biased estimate")
def own_batch_norm(seed):
    gain, shift = 1 + 0.2 * torch.randn(6), torch.randn(6)

    def expected(x, mean, var):
        m, v = mean.clone(), var.clone()
        y = F.batch_norm(x, m, v, gain.to(x.dtype), shift.to(x.dtype), training=True, momentum=0.1)
        return y, m, v

    def actual(x, mean, var):
        m, v = x.mean((0, 2, 3)), x.var((0, 2, 3), unbiased=False)
        y = (x - m.view(-1, 1, 1)) / torch.sqrt(v.view(-1, 1, 1) + 1e-5)
        return y * gain.view(-1, 1, 1) + shift.view(-1, 1, 1), 0.9 * mean + 0.1 * m, 0.9 * var + 0.1 * v

    return actual, expected, (torch.randn(4, 6, 3, 3), torch.zeros(6), torch.ones(6))


@single("variance estimator", report=68, note="numpy.var without ddof=1 for the buffer")
def numpy_buffers(seed):
    layer = nn.BatchNorm1d(5, momentum=0.2)

    def expected(x):
        one = copy.deepcopy(layer).to(x.dtype).train()
        one(x)
        return one.running_var.clone()

    def actual(x):
        return 0.8 * np.ones(5, np.float32) + 0.2 * np.asarray(x).var(0, dtype=np.asarray(x).dtype)

    return actual, expected, (2 * torch.randn(12, 5),)


@single("variance estimator", note="x.std(-1), unbiased, as in the annotated transformer")
def annotated_norm(seed):
    norm, ahead, after = settle(nn.LayerNorm(32)), nn.Linear(20, 32), nn.Linear(32, 8)

    def actual(x):
        h = torch.relu(ahead(x))
        h = norm.weight * (h - h.mean(-1, keepdim=True)) / torch.sqrt(h.var(-1, keepdim=True) + norm.eps) + norm.bias
        return after(h)

    return actual, lambda x: after(norm(torch.relu(ahead(x)))), (torch.randn(7, 20),)


@single("variance estimator", note="features standardised by torch.std instead of numpy.std, then a small network")
def standardised(seed):
    net = nn.Sequential(nn.Linear(9, 16), nn.Tanh(), nn.Linear(16, 2))

    def expected(x):
        a = np.asarray(x)
        return net(torch.from_numpy((a - a.mean(0)) / a.std(0)))

    return (lambda x: net((x - x.mean(0)) / x.std(0))), expected, (3 + torch.randn(20, 9) * torch.arange(1, 10),)


@single("BatchNorm momentum", report=70, note="TensorFlow's 0.99 kept as it is: torch's is 1 - momentum")
def keras_momentum(seed):
    layer = settle(nn.BatchNorm2d(4, momentum=0.01))

    def run(m):
        def forward(x, later):
            one = copy.deepcopy(layer).to(x.dtype).train()
            one.momentum = m
            one(x)
            return one.eval()(later), one.running_mean.clone(), one.running_var.clone()

        return forward

    return run(0.99), run(0.01), (torch.randn(6, 4, 5, 5), torch.randn(2, 4, 5, 5))


@single("BatchNorm momentum", note="two training steps of a network, buffers and later output")
def two_steps(seed):
    model = settle(Pictures())

    def run(change):
        def forward(x, y):
            m = copy.deepcopy(model).to(x.dtype).train()
            if change:
                m.norm_two.momentum = 0.01
            m(x)
            m(y)
            return m.eval()(x)

        return forward

    return run(True), run(False), (torch.randn(4, 3, 12, 12), torch.randn(4, 3, 12, 12))


@single("training mode", report=9, note="exported without eval(): BatchNorm takes the statistics of the batch")
def not_settled(seed):
    expected = settle(Pictures())
    actual = copy.deepcopy(expected).train()
    return actual, expected, (1 + torch.randn(3, 3, 16, 16),)


@single("training mode", note="one layer, training=True by hand")
def statistics_of_batch(seed):
    layer, first = settle(nn.BatchNorm1d(12)), nn.Linear(10, 12)

    def actual(x):
        h = first(x)
        return torch.relu(F.batch_norm(h, None, None, layer.weight, layer.bias, training=True))

    return actual, nn.Sequential(first, layer, nn.ReLU()).eval(), (torch.randn(16, 10),)


@single("dropout", "training mode", report=129, note="TransformerEncoder exported in training mode")
def exported_encoder(seed):
    layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.1, batch_first=True)
    expected = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
    return copy.deepcopy(expected).train(), expected, (torch.randn(2, 7, 16),)


@single("dropout", "training mode", note="F.dropout without training=self.training")
def always_on(seed):
    a, b = nn.Linear(16, 64), nn.Linear(64, 4)
    expected = nn.Sequential(a, nn.ReLU(), nn.Dropout(0.2), b).eval()
    return (lambda x: b(F.dropout(F.relu(a(x)), 0.2))), expected, (torch.randn(8, 16),)


# Formula and convention: images, pooling, convolution


@single("align_corners", report=134, note="TensorFlow's default against align_corners=True")
def resized(seed):
    def actual(x):
        return F.interpolate(x, size=(15, 22), mode="bilinear", align_corners=False)

    return actual, lambda x: F.interpolate(x, size=(15, 22), mode="bilinear", align_corners=True), (torch.randn(2, 3, 8, 11),)


@single("align_corners", note="decoder of a segmentation network")
def segmentation(seed):
    down, mid, out = nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.Conv2d(8, 8, 3, padding=1), nn.Conv2d(11, 5, 1)

    def net(corners):
        def forward(x):
            h = F.relu(mid(F.relu(down(x))))
            h = F.interpolate(h, size=x.shape[2:], mode="bilinear", align_corners=corners)
            return out(torch.cat([x, h], 1))

        return forward

    return net(True), net(False), (torch.randn(1, 3, 18, 18),)


@single("align_corners", note="grid_sample of a spatial transformer")
def warped(seed):
    theta = torch.tensor([[[0.9, 0.2, 0.1], [-0.15, 1.1, 0.05]]])

    def expected(x):
        grid = F.affine_grid(theta.to(x.dtype).expand(len(x), 2, 3), list(x.shape), align_corners=False)
        return F.grid_sample(x, grid, align_corners=False)

    def actual(x):
        grid = F.affine_grid(theta.to(x.dtype).expand(len(x), 2, 3), list(x.shape), align_corners=False)
        return F.grid_sample(x, grid, align_corners=True)

    return actual, expected, (torch.randn(2, 3, 9, 9),)


@single("align_corners", "interpolation mode", report=133, note="asymmetric coordinates: source = target * scale")
def runtime_resize(seed):
    def axis(n, m):
        at = torch.arange(m) * (n / m)
        low = at.floor().long().clamp(max=n - 1)
        return low, (low + 1).clamp(max=n - 1), at - low

    def actual(x):
        top, bottom, v = axis(x.shape[2], 12)
        left, right, u = axis(x.shape[3], 20)
        u, v = u.to(x.dtype), v.to(x.dtype).view(-1, 1)
        rows = x[:, :, top] * (1 - v) + x[:, :, bottom] * v
        return rows[..., left] * (1 - u) + rows[..., right] * u

    return actual, lambda x: F.interpolate(x, size=(12, 20), mode="bilinear"), (torch.randn(2, 2, 6, 10),)


@single("antialias", note="thumbnails: PIL filters when it makes an image smaller, F.interpolate does not by itself")
def thumbnails(seed):
    head = nn.Linear(3 * 8 * 8, 6)

    def net(smooth):
        return lambda x: head(F.interpolate(x, size=(8, 8), mode="bicubic", antialias=smooth).flatten(1))

    return net(False), net(True), (torch.rand(2, 3, 30, 30),)


@single("interpolation mode", note="bicubic positions of a vision transformer, bilinear in the port")
def resized_positions(seed):
    table, patch, block = 0.5 * torch.randn(1, 24, 4, 4), nn.Conv2d(3, 24, 4, stride=4), settle(Block(24, 3))

    def net(mode):
        def forward(x):
            h = patch(x)
            h = h + F.interpolate(table.to(x.dtype), size=h.shape[2:], mode=mode)
            return block(h.flatten(2).transpose(1, 2))

        return forward

    return net("bilinear"), net("bicubic"), (torch.randn(1, 3, 24, 24),)


@single("interpolation mode", note="nearest instead of nearest-exact, a factor of 2.5")
def enlarged(seed):
    return nn.Upsample(size=(15, 15), mode="nearest"), nn.Upsample(size=(15, 15), mode="nearest-exact"), (torch.randn(1, 4, 6, 6),)


@single("padding mode", note="second convolution of a network pads by reflection")
def borders(seed):
    actual, expected = twins(Pictures, {"border": "zeros"}, border="reflect")
    return actual, expected, (torch.randn(2, 3, 12, 12),)


@single("padding mode", note="a circular convolution by hand, zeros in the module")
def ring(seed):
    module = nn.Conv1d(4, 6, 5, padding=2)

    def expected(x):
        return F.conv1d(torch.cat([x[..., -2:], x, x[..., :2]], -1), module.weight, module.bias)

    return module, expected, (torch.randn(3, 4, 20),)


@single("count_include_pad", report=132, note="ONNX' default leaves the padding out")
def onnx_pool(seed):
    return nn.AvgPool2d(3, 2, 1, count_include_pad=False), nn.AvgPool2d(3, 2, 1), (torch.randn(2, 4, 11, 11),)


@single("count_include_pad", note="a network's pooling layer")
def pool_in_network(seed):
    actual, expected = twins(Pictures, {"counted": False})
    return actual, expected, (torch.randn(2, 3, 10, 10),)


@single("ceil mode", "count_include_pad", report=131, note="windows over the end divided by the whole kernel")
def window_over_the_end(seed):
    def actual(x):
        padded = F.pad(x, (1, 2, 1, 2))
        return F.avg_pool2d(padded, 3, 2)

    return actual, lambda x: F.avg_pool2d(x, 3, 2, padding=1, ceil_mode=True), (torch.randn(2, 3, 8, 8),)


@single("ceil mode", note="Caffe's pooling in a network that ends in a global mean")
def caffe_pool(seed):
    conv, head = nn.Conv2d(3, 12, 3), nn.Linear(12, 5)

    def net(ceil):
        return nn.Sequential(conv, nn.ReLU(), nn.MaxPool2d(3, 2, ceil_mode=ceil), nn.AdaptiveAvgPool2d(1), nn.Flatten(), head)

    return net(False), net(True), (torch.randn(3, 3, 18, 18),)


@single("flipped kernel", note="numpy.convolve against conv1d")
def smoothed(seed):
    kernel = torch.rand(7)

    def actual(x):
        a = np.asarray(x)
        return np.stack([np.convolve(row, kernel.numpy().astype(a.dtype), mode="valid") for row in a])

    return actual, lambda x: F.conv1d(x[:, None], kernel.to(x.dtype).view(1, 1, -1))[:, 0], (torch.randn(5, 40),)


@single("flipped kernel", note="a true convolution, from Theano, in the second layer")
def theano_layers(seed):
    a, b, c = (nn.Conv2d(i, o, 3) for i, o in ((3, 8), (8, 8), (8, 4)))

    def actual(x):
        h = torch.relu(a(x))
        h = torch.relu(F.conv2d(h, b.weight.flip(2, 3), b.bias))
        return c(h)

    return actual, nn.Sequential(a, nn.ReLU(), b, nn.ReLU(), c), (torch.randn(1, 3, 12, 12),)


@single("transposed weight", note="a square Dense kernel taken over as it is")
def dense(seed):
    w, b = torch.randn(24, 24), torch.randn(24)
    return (lambda x: x @ w + b), lambda x: F.linear(x, w.to(x.dtype), b.to(x.dtype)), (torch.randn(6, 24),)


@single("transposed weight", note="the middle layer of three")
def dense_network(seed):
    expected = nn.Sequential(nn.Linear(12, 20), nn.Tanh(), nn.Linear(20, 20), nn.Tanh(), nn.Linear(20, 3))
    actual = copy.deepcopy(expected)
    with torch.no_grad():
        actual[2].weight.copy_(expected[2].weight.T)
    return actual, expected, (torch.randn(9, 12),)


@single("transposed weight", note="output projection of one attention layer, GPT-2's Conv1D")
def projected(seed):
    expected = settle(Encoder(depth=2))
    actual = copy.deepcopy(expected)
    out = actual.blocks[1].attention.out
    out.weight = nn.Parameter(out.weight.detach().T.contiguous())
    return actual, expected, (torch.randint(0, 50, (2, 8)),)


@single("missing bias", note="the second convolution was saved without")
def lost_in_saving(seed):
    expected = settle(Pictures())
    actual = copy.deepcopy(expected)
    actual.two.bias = None
    return actual, expected, (torch.randn(2, 3, 14, 14),)


@single("missing bias", note="projections of MultiheadAttention by hand")
def own_multihead(seed):
    expected = nn.MultiheadAttention(16, 4, batch_first=True)
    with torch.no_grad():
        expected.in_proj_bias.normal_(0, 0.3)
        expected.out_proj.bias.normal_(0, 0.3)
    w, o = expected.in_proj_weight.detach(), expected.out_proj

    def actual(x):
        q, k, v = ((x @ p.T).unflatten(-1, (4, 4)).transpose(1, 2) for p in w.chunk(3))
        y = torch.softmax(q @ k.mT / 2, -1) @ v
        return o(y.transpose(1, 2).flatten(2))

    return actual, lambda x: expected(x, x, x, need_weights=False)[0], (torch.randn(2, 6, 16),)


@single("doubled bias", note="epilogue adds what addmm has added")
def fused_epilogue(seed):
    w, b = torch.randn(32, 20), torch.randn(32)

    def actual(x):
        return F.relu(torch.addmm(b, x, w.T) + b)

    return actual, lambda x: F.relu(F.linear(x, w.to(x.dtype), b.to(x.dtype))), (torch.randn(11, 20),)


@single("doubled bias", note="LSTM: b_ih given for b_hh as well, where b_hh is zero")
def recurrent_bias(seed):
    expected = nn.LSTM(5, 8, batch_first=True)
    with torch.no_grad():
        expected.bias_hh_l0.zero_()
    actual = copy.deepcopy(expected)
    with torch.no_grad():
        actual.bias_hh_l0.copy_(actual.bias_ih_l0)
    return (lambda x: actual(x)[0]), lambda x: expected(x)[0], (torch.randn(3, 7, 5),)


# Formula and convention: recurrent layers, attention


@single("gate order", note="rows read as i, o, f, c as ONNX writes them")
def onnx_lstm(seed):
    expected = nn.LSTM(6, 10, batch_first=True)
    w_x, w_h, b_x, b_h = weights_of(expected)
    return (lambda x: lstm_by_hand(x, w_x, w_h, b_x + b_h, "iofg")), lambda x: expected(x)[0], (torch.randn(2, 9, 6),)


@single("gate order", note="a two-layer network with a readout, forget and input gates exchanged in layer two")
def two_layers(seed):
    first, second, out = nn.LSTM(4, 8, batch_first=True), nn.LSTM(8, 8, batch_first=True), nn.Linear(8, 2)
    other = copy.deepcopy(second)
    with torch.no_grad():
        for p in other.parameters():
            i, f, g, o = p.clone().chunk(4)
            p.copy_(torch.cat([f, i, g, o]))
    return (lambda x: out(other(first(x)[0])[0][:, -1])), lambda x: out(second(first(x)[0])[0][:, -1]), (torch.randn(3, 10, 4),)


@single("gate order", note="Keras' z, r, h for a GRU")
def keras_gru(seed):
    expected = nn.GRU(5, 7, batch_first=True)
    w = weights_of(expected)
    return (lambda x: gru_by_hand(x, *w, order="zrn")), lambda x: expected(x)[0], (torch.randn(2, 8, 5),)


@single("GRU form", report=169, note="linear_before_reset=0")
def reset_first(seed):
    expected = nn.GRU(6, 9, batch_first=True)
    w = weights_of(expected)
    return (lambda x: gru_by_hand(x, *w, after=False)), lambda x: expected(x)[0], (torch.randn(2, 8, 6),)


@single("GRU form", note="encoder and classifier, the cell of Cho et al. in NumPy against nn.GRU")
def cho_classifier(seed):
    table, cell, out = torch.randn(30, 6), nn.GRU(6, 8, batch_first=True), nn.Linear(8, 3)
    w_x, w_h, b_x, b_h = (p.numpy() for p in weights_of(cell))

    def actual(ids):
        x = table.numpy()[np.asarray(ids)]
        h = np.zeros((len(x), 8), np.float32)
        for t in range(x.shape[1]):
            gx, gh = x[:, t] @ w_x.T + b_x, h @ w_h[:16].T + b_h[:16]
            r, z = (1 / (1 + np.exp(-gx[:, k : k + 8] - gh[:, k : k + 8])) for k in (0, 8))
            n = np.tanh(gx[:, 16:] + (r * h) @ w_h[16:].T + b_h[16:])
            h = (1 - z) * n + z * h
        return h @ out.weight.detach().numpy().T + out.bias.detach().numpy()

    return actual, lambda ids: out(cell(table[ids])[1][-1]), (torch.randint(0, 30, (4, 9)),)


@single("RoPE layout", report=75, note="Meta's pairs against rotate_half")
def rotary(seed):
    angles = angles_of(10, 16)
    return (lambda q: neighbours(q, angles)), lambda q: halves(q, angles.to(q.dtype)), (torch.randn(2, 3, 10, 16),)


@single("RoPE layout", report=76, note="inside one transformer block")
def codec_block(seed):
    actual, expected = twins(Block, {"rotary": "neighbours"}, rotary="halves", causal=True)
    return actual, expected, (torch.randn(2, 12, 32),)


@single("RoPE layout", note="deep: one block of four, complex numbers elsewhere")
def language_model(seed):
    actual, expected = twins(Encoder, {"deep": {"rotary": "halves"}}, depth=3, rotary="neighbours", causal=True)
    return actual, expected, (torch.randint(0, 50, (1, 14)),)


@single("causal mask alignment", report=145, note="more keys than queries, the mask aligned to the other corner")
def with_cache(seed):
    def actual(q, k, v):
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        keep = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril(k.shape[-2] - q.shape[-2])
        return scores.masked_fill(~keep, -math.inf).softmax(-1) @ v

    expected = lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True)
    return actual, expected, tuple(torch.randn(2, 3, n, 8) for n in (4, 9, 9))


@single("causal mask alignment", "attention mask", note="decoding with a cache of keys: is_causal=True on the last three positions")
def continued(seed):
    layer = Attention(24, 3, causal=True)

    def actual(x):
        q, k, v = layer.qkv(x).view(*x.shape[:2], 3, 3, 8).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q[:, :, -3:], k, v, is_causal=True)
        return layer.out(y.transpose(1, 2).flatten(2))

    return actual, lambda x: layer(x)[:, -3:], (torch.randn(2, 10, 24),)


@single("attention mask", report=155, note="padding on the right takes part")
def padded_batch(seed):
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, dropout=0.0).eval()
    padding = torch.arange(9) >= torch.tensor([[9], [6], [4]])
    return (lambda x: layer(x)), lambda x: layer(x, src_key_padding_mask=padding), (torch.randn(3, 9, 16),)


@single("attention mask", report=146, note="1 and 0 added to the scores instead of 0 and -inf")
def added_mask(seed):
    keep = torch.ones(8, 8).tril()

    def actual(q, k, v):
        return torch.softmax(q @ k.mT / math.sqrt(8) + keep, -1) @ v

    return actual, lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), tuple(torch.randn(2, 2, 8, 8) for _ in range(3))


@single("attention mask", note="True means keep in one, leave out in the other")
def inverted(seed):
    keep = torch.rand(6, 7) > 0.4
    keep[:, 0], keep[:, 1] = True, False

    def expected(q, k, v):
        return (q @ k.mT / math.sqrt(12)).masked_fill(~keep, -math.inf).softmax(-1) @ v

    actual = lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=~keep)
    return actual, expected, (torch.randn(2, 6, 12), torch.randn(2, 7, 12), torch.randn(2, 7, 12))


@single("attention scale", note="by the width of the model instead of a head's")
def scaled(seed):
    actual, expected = twins(Attention, {"scale": 1 / math.sqrt(32)}, width=32, heads=4)
    return actual, expected, (torch.randn(2, 7, 32),)


@single("attention scale", note="T5 does not scale; one block of four does")
def deep_scale(seed):
    actual, expected = twins(Encoder, {"deep": {"scale": 1 / math.sqrt(8)}}, depth=4, scale=1.0)
    return actual, expected, (torch.randint(0, 50, (2, 9)),)


@single("softcap", note="Gemma 2's cap on the scores left out by a fused kernel")
def capped(seed):
    actual, expected = twins(Block, {"cap": None}, cap=2.0, causal=True)
    return actual, expected, (2 * torch.randn(1, 10, 32),)


@single("softmax axis", note="over queries")
def over_queries(seed):
    def actual(q, k, v):
        return torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), dim=-2) @ v

    return actual, F.scaled_dot_product_attention, tuple(torch.randn(2, 4, 6, 8) for _ in range(3))


@single("softmax axis", note="nn.Softmax() picks axis 1 of a batch of sequences of logits")
def implicit_axis(seed):
    net = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 5))
    return nn.Sequential(net, nn.Softmax(dim=1)), lambda x: F.softmax(net(x), dim=-1), (torch.randn(3, 5, 6),)


@single("normalization axis", note="unit vectors along the sequence")
def unit_vectors(seed):
    return (lambda x: F.normalize(x)), lambda x: x / x.norm(dim=-1, keepdim=True), (torch.randn(3, 8, 8),)


@single("normalization axis", note="ConvNeXt: channels first, normalised over the last axis, which has as many elements")
def next_block(seed):
    deep, norm = nn.Conv2d(16, 16, 7, padding=3, groups=16), settle(nn.LayerNorm(16))
    up, down = nn.Linear(16, 32), nn.Linear(32, 16)

    def expected(x):
        h = norm(deep(x).permute(0, 2, 3, 1))
        return x + down(F.gelu(up(h))).permute(0, 3, 1, 2)

    def actual(x):
        h = norm(deep(x)).permute(0, 2, 3, 1)
        return x + down(F.gelu(up(h))).permute(0, 3, 1, 2)

    return actual, expected, (torch.randn(1, 16, 16, 16),)


# Formula and convention: layouts of data, losses, optimizers, element-wise


@single("flatten order", report=6, note="Keras flattens height, width, channels")
def ported_classifier(seed):
    conv, head = nn.Conv2d(3, 6, 3, stride=2), nn.Linear(6 * 4 * 5, 7)

    def expected(x):
        return head(F.relu(conv(x)).permute(0, 2, 3, 1).flatten(1))

    return nn.Sequential(conv, nn.ReLU(), nn.Flatten(), head), expected, (torch.randn(3, 3, 9, 11),)


@single("flatten order", "transposed weight", report=7, note="the Dense kernel after a 4x4 map in the order of the other framework")
def value_network(seed):
    body = nn.Sequential(nn.Conv2d(4, 8, 3, padding=1), nn.ELU(), nn.MaxPool2d(2), nn.Flatten())
    dense, value = nn.Linear(128, 16), nn.Linear(16, 1)
    kernel = dense.weight.detach().view(16, 8, 4, 4).permute(0, 2, 3, 1).reshape(16, 128)

    def actual(x):
        return torch.tanh(value(F.elu(F.linear(body(x), kernel, dense.bias))))

    return actual, nn.Sequential(body, dense, nn.ELU(), value, nn.Tanh()), (torch.randn(2, 4, 8, 8),)


@single("flatten order", note="patches as channels, rows, columns instead of rows, columns, channels")
def patches(seed):
    embed = nn.Linear(48, 20)

    def cut(x, last):
        b, c, h, w = x.shape
        p = x.view(b, c, h // 4, 4, w // 4, 4)
        return p.permute(0, 2, 4, *last).reshape(b, -1, 48)

    return (lambda x: embed(cut(x, (1, 3, 5)))), lambda x: embed(cut(x, (3, 5, 1))), (torch.randn(2, 3, 12, 12),)


@single("channel order", note="OpenCV reads blue first")
def opencv_image(seed):
    net = settle(Pictures())
    return (lambda image: net(image.flip(1))), net, (torch.rand(2, 3, 16, 16),)


@single("channel order", note="means and deviations given in the order red, green, blue; the network's first layer reversed")
def caffe_weights(seed):
    first, rest = nn.Conv2d(3, 8, 3), nn.Conv2d(8, 4, 3)
    other = nn.Conv2d(3, 8, 3)
    with torch.no_grad():
        other.weight.copy_(first.weight[:, [2, 1, 0]])
        other.bias.copy_(first.bias)
    return nn.Sequential(other, nn.ReLU(), rest), nn.Sequential(first, nn.ReLU(), rest), (torch.rand(2, 3, 10, 10),)


@single("input scale", note="0..255 instead of 0..1")
def bytes_as_they_are(seed):
    net = nn.Sequential(nn.Conv2d(3, 6, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(24, 4))
    return net, lambda x: net(x / 255), (torch.randint(0, 256, (2, 3, 12, 12)).float(),)


@single("input scale", note="(x - 0.5) / 0.5 instead of ImageNet's means and deviations")
def other_means(seed):
    net = settle(Pictures())
    mean, std = torch.tensor([0.485, 0.456, 0.406]).view(3, 1, 1), torch.tensor([0.229, 0.224, 0.225]).view(3, 1, 1)
    return (lambda x: net((x - 0.5) / 0.5)), lambda x: net((x - mean) / std), (torch.rand(2, 3, 16, 16),)


def _steps(make, start, gradients):
    """An optimizer of torch on one tensor."""
    p = nn.Parameter(start.clone())
    optimizer = make([p])
    for g in gradients:
        p.grad = g.clone()
        optimizer.step()
    return p.detach()


def _adam(p, gradients, lr=1e-2, b1=0.9, b2=0.999, eps=1e-8, corrected=True, inside=False, late=False):
    m, v = torch.zeros_like(p), torch.zeros_like(p)
    for t, g in enumerate(gradients, 1):
        m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
        c1, c2 = (1 - b1**t, 1 - b2**t) if corrected else (1.0, 1.0)
        if inside:
            p = p - lr * (m / c1) / torch.sqrt(v / c2 + eps)
        elif late:
            p = p - lr * math.sqrt(c2) / c1 * m / (v.sqrt() + eps)
        else:
            p = p - lr * (m / c1) / ((v / c2).sqrt() + eps)
    return p


@single("Adam epsilon", report=151, note="epsilon added before the correction of bias, as TensorFlow does")
def other_framework_step(seed):
    inputs = (torch.randn(40), 1e-7 * torch.randn(40), 1e-7 * torch.randn(40))
    expected = lambda p, *g: _steps(lambda q: torch.optim.Adam(q, lr=1e-2), p, g)
    return (lambda p, *g: _adam(p, g, late=True)), expected, inputs


@single("Adam epsilon", report=152, note="epsilon inside the root")
def inside_the_root(seed):
    inputs = (torch.randn(6, 8), *(1e-3 * torch.randn(6, 8) for _ in range(3)))
    expected = lambda p, *g: _steps(lambda q: torch.optim.Adam(q, lr=1e-2), p, g)
    return (lambda p, *g: _adam(p, g, inside=True)), expected, inputs


@single("Adam epsilon", note="1e-7, Keras' default, in one step of a small network")
def keras_step(seed):
    start = nn.Sequential(nn.Linear(6, 10), nn.Tanh(), nn.Linear(10, 1))

    def train(eps):
        def step(x, y):
            net = copy.deepcopy(start).to(x.dtype)
            optimizer = torch.optim.Adam(net.parameters(), lr=1e-3, eps=eps)
            with torch.enable_grad():
                loss = 1e-4 * ((net(x) - y) ** 2).mean()
                grads = torch.autograd.grad(loss, list(net.parameters()))
            for p, g in zip(net.parameters(), grads):
                p.grad = g
            optimizer.step()
            return tuple(q.detach() - p.detach() for p, q in zip(start.parameters(), net.parameters()))

        return step

    return train(1e-6), train(1e-8), (torch.randn(16, 6), torch.randn(16, 1))


@single("Adam bias correction", note="BertAdam leaves it out")
def bert_step(seed):
    inputs = (torch.randn(30), *(torch.randn(30) for _ in range(3)))
    expected = lambda p, *g: _steps(lambda q: torch.optim.Adam(q, lr=1e-2), p, g)
    return (lambda p, *g: _adam(p, g, corrected=False)), expected, inputs


@single("weight decay", note="Adam(weight_decay) adds it to the gradient, AdamW shrinks the weights")
def decayed(seed):
    def run(kind):
        return lambda p, *g: _steps(lambda q: kind(q, lr=1e-2, weight_decay=0.1), p, g)

    return run(torch.optim.Adam), run(torch.optim.AdamW), (torch.randn(5, 6), *(torch.randn(5, 6) for _ in range(4)))


@single("weight decay", note="by hand: decay scaled by the learning rate and the gradient's moments")
def own_decay(seed):
    def actual(p, *gradients):
        m, v = torch.zeros_like(p), torch.zeros_like(p)
        for t, g in enumerate(gradients, 1):
            g = g + 0.05 * p
            m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
            p = p - 1e-3 * (m / (1 - 0.9**t)) / ((v / (1 - 0.999**t)).sqrt() + 1e-8)
        return p

    expected = lambda p, *g: _steps(lambda q: torch.optim.AdamW(q, lr=1e-3, weight_decay=0.05), p, g)
    return actual, expected, (torch.randn(20), torch.randn(20), torch.randn(20))


@single("SGD momentum", note="(1 - momentum) g, an exponential mean, instead of a sum")
def mean_of_gradients(seed):
    def actual(p, *gradients):
        velocity = torch.zeros_like(p)
        for g in gradients:
            velocity = 0.9 * velocity + 0.1 * g
            p = p - 0.1 * velocity
        return p

    expected = lambda p, *g: _steps(lambda q: torch.optim.SGD(q, lr=0.1, momentum=0.9), p, g)
    return actual, expected, (torch.randn(25), *(torch.randn(25) for _ in range(3)))


@single("SGD momentum", note="Nesterov's form left out")
def looking_ahead(seed):
    def run(ahead):
        return lambda p, *g: _steps(lambda q: torch.optim.SGD(q, lr=0.05, momentum=0.8, nesterov=ahead), p, g)

    return run(False), run(True), (torch.randn(4, 7), *(torch.randn(4, 7) for _ in range(3)))


@single("loss reduction", note="KLDivLoss's 'mean' divides by elements, not by rows")
def distilled(seed):
    teacher, student = nn.Linear(8, 12), nn.Linear(8, 12)

    def loss(how):
        return lambda x: F.kl_div(F.log_softmax(student(x), -1), F.softmax(teacher(x), -1), reduction=how)

    return loss("mean"), loss("batchmean"), (torch.randn(10, 8),)


@single("loss reduction", note="sum over the batch in a NumPy port of a classifier's loss")
def summed(seed):
    net, labels = nn.Linear(5, 4), torch.randint(0, 4, (12,))

    def actual(x):
        z = np.asarray(x) @ net.weight.detach().numpy().T + net.bias.detach().numpy()
        z = z - z.max(1, keepdims=True)
        return (np.log(np.exp(z).sum(1)) - z[np.arange(12), labels.numpy()]).sum()

    return actual, lambda x: F.cross_entropy(net(x), labels), (torch.randn(12, 5),)


class _Loss(torch.autograd.Function):
    @staticmethod
    def forward(ctx, z, labels):
        ctx.save_for_backward(z, labels)
        return F.cross_entropy(z, labels)

    @staticmethod
    def backward(ctx, g):
        z, labels = ctx.saved_tensors
        return g * (torch.softmax(z, -1) - F.one_hot(labels, z.shape[-1])), None


@single("loss reduction", gradients=True, note="the value is the mean, its gradient that of the sum")
def fused_loss(seed):
    labels = torch.randint(0, 6, (10,))
    return (lambda z: _Loss.apply(z, labels)), lambda z: F.cross_entropy(z, labels), (2 * torch.randn(10, 6),)


@single("label smoothing", note="mass spread over the other classes only")
def smoothed_labels(seed):
    labels = torch.randint(0, 10, (8,))

    def actual(logits):
        soft = torch.full_like(logits, 0.1 / 9).scatter_(1, labels[:, None], 0.9)
        return -(soft * torch.log_softmax(logits, -1)).sum(-1).mean()

    return actual, lambda z: F.cross_entropy(z, labels, label_smoothing=0.1), (torch.randn(8, 10),)


@single("negative slope", note="0.2 in the paper, torch's 0.01 in the second layer of a discriminator")
def discriminator(seed):
    layers = [nn.Conv2d(1, 8, 4, 2, 1), nn.Conv2d(8, 16, 4, 2, 1), nn.Flatten(), nn.Linear(16 * 16, 1)]

    def net(slope):
        return nn.Sequential(layers[0], nn.LeakyReLU(0.2), layers[1], nn.LeakyReLU(slope), *layers[2:])

    return net(0.01), net(0.2), (torch.randn(2, 1, 16, 16),)


@single("negative slope", note="darknet's 0.1")
def darknet(seed):
    return (lambda x: torch.where(x > 0, x, 0.1 * x)), nn.LeakyReLU(), (torch.randn(4, 50),)


@single("parameter ignored", report=165, note="alpha of add")
def lowered_add(seed):
    return (lambda x, y: x + y), lambda x, y: torch.add(x, y, alpha=2.5), (torch.randn(6, 9), torch.randn(6, 9))


@single("parameter ignored", note="dilation of one convolution of a network")
def not_spread(seed):
    class Layers(nn.Module):
        def __init__(self, spacing):
            super().__init__()
            self.a, self.b = nn.Conv1d(4, 8, 3, padding="same"), nn.Conv1d(8, 8, 3, padding="same", dilation=spacing)
            self.c = nn.Conv1d(8, 4, 1)

        def forward(self, x):
            return self.c(F.relu(self.b(F.relu(self.a(x)))))

    return *twins(Layers, {"spacing": 1}, spacing=4), (torch.randn(2, 4, 30),)


@single("parameter ignored", note="beta of addmm, in a low-rank update of a layer")
def low_rank(seed):
    w, a, b = torch.randn(12, 12), torch.randn(12, 3), torch.randn(3, 12)

    def actual(x):
        return x @ torch.addmm(w, a, b).T

    return actual, lambda x: x @ torch.addmm(w, a, b, beta=0.7).to(x.dtype).T, (torch.randn(5, 12),)


@single("rounding of halves", report=138, note="away from zero against to even")
def rounded(seed):
    x = torch.randint(-40, 40, (60,)) / 2
    return (lambda t: torch.sign(t) * torch.floor(t.abs() + 0.5)), torch.round, (x,)


@single("rounding of halves", note="quantised activations: scale 1/8 on a grid of sixteenths")
def quantised(seed):
    w = torch.randint(-8, 8, (10, 16)) / 16

    def actual(x):
        q = torch.floor((x @ w.T) * 8 + 0.5).clamp(-128, 127)
        return q / 8

    def expected(x):
        return torch.fake_quantize_per_tensor_affine(x @ w.T.to(x.dtype), 0.125, 0, -128, 127)

    return actual, expected, (torch.randint(-3, 4, (7, 16)).float(),)


@single("NaN handling", report=125, note="fmax semantics")
def greater_of_two(seed):
    x, y = torch.randn(5, 8), torch.randn(5, 8)
    x[1, 3] = y[4, 2] = math.nan
    return torch.fmax, torch.maximum, (x, y)


@single("NaN handling", report=137, note="clamp gives its lower bound for NaN")
def bounded(seed):
    x = torch.randn(40)
    x[[3, 17]] = math.nan

    def actual(t):
        return torch.where(t > 1, torch.ones_like(t), torch.where(t > -1, t, torch.full_like(t, -1)))

    return actual, lambda t: t.clamp(-1, 1), (x,)


@single("NaN handling", report=136, note="largest score of a head: NumPy's nanmax")
def best_score(seed):
    net = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 5))
    x = torch.randn(9, 6)
    x[4] = math.nan
    head = net[2].weight.detach()

    def actual(t):
        scores = net(t).detach().numpy()
        return np.fmax.reduce(np.concatenate([scores, np.zeros_like(scores)], 1), axis=1)

    return actual, lambda t: torch.cat([net(t), torch.zeros_like(net(t))], 1).amax(1), (x,)


@single("masked row", "NaN handling", report=108, note="a query that may see nothing: zeros against NaN")
def nothing_to_see(seed):
    keep = torch.rand(5, 6) > 0.3
    keep[:, 0], keep[2] = True, False

    def expected(q, k, v):
        scores = (q @ k.mT / math.sqrt(8)).masked_fill(~keep, -math.inf)
        return torch.softmax(scores, -1) @ v

    actual = lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=keep)
    return actual, expected, (torch.randn(2, 5, 8), torch.randn(2, 6, 8), torch.randn(2, 6, 8))


@single("gradient averaging", report=153, note="mean of the means of micro-batches with different numbers of tokens")
def accumulated(seed):
    net = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 5))
    labels = torch.randint(0, 5, (20,))
    labels[[1, 2, 3, 4, 12]] = -100

    def gradients(x, cuts):
        one = copy.deepcopy(net).to(x.dtype)
        with torch.enable_grad():
            parts = [F.cross_entropy(one(a), b) for a, b in zip(x.split(cuts), labels.split(cuts))]
            return torch.autograd.grad(sum(parts) / len(parts), list(one.parameters()))

    return (lambda x: gradients(x, 5)), lambda x: gradients(x, 20), (torch.randn(20, 6),)


# Memory and types


@single("overlapping memory", note="frames added in place on overlapping views")
def overlap_add(seed):
    window = torch.hann_window(8) + 0.1

    def expected(frames):
        out = frames.new_zeros(8 + 4 * (len(frames) - 1))
        for i, frame in enumerate(frames):
            out[4 * i : 4 * i + 8] += frame * window.to(frames.dtype)
        return out

    def actual(frames):
        out = frames.new_zeros(8 + 4 * (len(frames) - 1))
        out.unfold(0, 8, 4).copy_(frames * window)
        return out

    return actual, expected, (torch.randn(9, 8),)


@single("overlapping memory", note="a window multiplied in place onto frames that share samples; features of a small network")
def windowed_frames(seed):
    net, window = nn.Sequential(nn.Linear(10, 12), nn.ReLU(), nn.Linear(12, 3)), torch.hann_window(12)[1:11] + 0.2

    def actual(x):
        frames = x.clone().unfold(-1, 10, 5)
        frames *= window
        return net(frames)

    return actual, lambda x: net(x.unfold(-1, 10, 5) * window), (torch.randn(2, 45),)


@single("overlapping memory", report=79, note="an update by index where indices repeat, read and written in the same buffer")
def repeated_indices(seed):
    at = torch.tensor([0, 2, 2, 5, 7, 7, 7])

    def actual(x):
        y = x.clone()
        for i in at:
            y[i] += y[i]
        return y

    def expected(x):
        y = x.clone()
        y[at] += y[at]
        return y

    return actual, expected, (torch.randn(8, 4),)


@single("uninitialized memory", report=148, note="a tail that no block writes, in memory that the step before has left")
def blocks_of_eight(seed):
    def actual(x):
        work = x * 3 + 1
        del work
        out = torch.empty_like(x)
        for i in range(0, x.shape[1] - 7, 8):
            out[:, i : i + 8] = torch.sigmoid(x[:, i : i + 8])
        return out

    return actual, torch.sigmoid, (torch.randn(16, 61),)


@single("uninitialized memory", "NaN handling", report=147, note="beta = 0 multiplies what lies in the buffer, NaN here")
def scaled_buffer(seed):
    def actual(a, b):
        left = a.new_full((2, 5, 6), math.nan)
        del left
        out = torch.empty(2, 5, 6, dtype=a.dtype)
        return out * 0 + a @ b

    return actual, torch.bmm, (torch.randn(2, 5, 8), torch.randn(2, 8, 6))


@single("integer division", note="towards zero for offsets that are negative")
def buckets(seed):
    table = torch.randn(13, 4)

    def look(rounding):
        def forward(at):
            return table[torch.div(at, 4, rounding_mode=rounding) + 6]

        return forward

    return look("trunc"), look("floor"), (torch.randint(-20, 20, (3, 15)),)


@single("integer division", note="counts averaged with // in a NumPy preprocessing step, then a network")
def averaged_counts(seed):
    net = nn.Sequential(nn.Linear(6, 10), nn.ReLU(), nn.Linear(10, 2))

    def actual(counts):
        a = np.asarray(counts)
        return net(torch.from_numpy((a.sum(1) // a.shape[1]).astype(np.float32)))

    return actual, lambda c: net(c.float().mean(1)), (torch.randint(0, 30, (5, 7, 6)),)


@single("float64 constants", "float32 inside", note="float64 data, a constant table that torch made in float32")
def float32_table(seed):
    table = torch.linspace(0.1, 0.7, 12)
    return (lambda x: x * table), lambda x: np.asarray(x) * np.linspace(0.1, 0.7, 12), (torch.randn(5, 12, dtype=torch.float64),)


@single(
    "float64 constants",
    "default dtype",
    note="frequencies and angles in float64 because of NumPy, float32 in the original; positions in the thousands",
)
def time_embedding(seed):
    steps = np.exp(-math.log(10000) * np.arange(16) / 16)

    def actual(t):
        a = np.asarray(t)[:, None] * steps
        return torch.from_numpy(np.concatenate([np.sin(a), np.cos(a)], -1))

    def expected(t):
        a = t.float()[:, None] * torch.exp(-math.log(10000) * torch.arange(16, dtype=torch.float32) / 16)
        return torch.cat([a.sin(), a.cos()], -1)

    return actual, expected, (torch.randint(0, 4000, (6,)),)


@single("strides ignored", report=101, note="a kernel that takes a transposed weight's memory as it lies")
def transposed_view(seed):
    b = torch.randn(18)

    def actual(x, w):
        flat = w.as_strided(w.shape, (w.shape[1], 1), w.storage_offset())
        return F.linear(x, flat, b)

    return actual, lambda x, w: F.linear(x, w, b.to(x.dtype)), (torch.randn(4, 12), torch.randn(12, 18).T)


@single("strides ignored", report=100, note="addcdiv of a transposed tensor in a step of an optimizer")
def optimizer_step(seed):
    def actual(p, m, v):
        other = m.as_strided(p.shape, p.contiguous().stride(), 0)
        return p.contiguous() - 0.01 * other / (v.contiguous().sqrt() + 1e-8)

    expected = lambda p, m, v: torch.addcdiv(p, m, v.sqrt() + 1e-8, value=-0.01)
    return actual, expected, (torch.randn(6, 9), torch.randn(9, 6).T, torch.rand(6, 9) + 0.1)


@single("strides ignored", "memory format", report=113, note="channels-last images labelled as contiguous, in a network")
def mislabelled(seed):
    net = settle(Pictures())

    def actual(x):
        h = net.one(x).contiguous(memory_format=torch.channels_last)
        h = h.as_strided(h.shape, torch.empty(h.shape, device="meta").stride())
        h = net.pool(net.act(net.norm_one(h)))
        return net.head(net.act(net.norm_two(net.two(h))).mean((2, 3)))

    return actual, net, (torch.randn(2, 3, 12, 12),)


# Arithmetic


@single("TF32", report=49, note="matmul")
def tensor_cores(seed):
    return (lambda a, b: short(a) @ short(b)), torch.matmul, (torch.randn(32, 48), torch.randn(48, 40))


@single("TF32", report=12, note="a convolution layer")
def fast_convolution(seed):
    conv = nn.Conv2d(4, 8, 3, padding=1)
    return (lambda x: F.conv2d(short(x), short(conv.weight), conv.bias, padding=1)), conv, (torch.randn(2, 4, 12, 12),)


@single("TF32", report=18, note="integers above 2048 in conv1d")
def whole_numbers(seed):
    w = torch.randint(1, 4, (2, 1, 3)).float()
    return (lambda x: F.conv1d(short(x), short(w))), lambda x: F.conv1d(x, w.to(x.dtype)), (torch.randint(3000, 9000, (1, 1, 40)).float(),)


@single("TF32", report=51, note="einsum of attention")
def contracted(seed):
    def actual(q, k, v):
        s = torch.einsum("bhid,bhjd->bhij", short(q), short(k)) / math.sqrt(16)
        return torch.einsum("bhij,bhjd->bhid", short(s.softmax(-1)), short(v))

    def expected(q, k, v):
        s = torch.einsum("bhid,bhjd->bhij", q, k) / math.sqrt(16)
        return torch.einsum("bhij,bhjd->bhid", s.softmax(-1), v)

    return actual, expected, tuple(torch.randn(2, 2, 10, 16) for _ in range(3))


@single("TF32", report=53, note="chain of rotations")
def rotations(seed):
    def turn(angles, read):
        total = torch.eye(3, dtype=angles.dtype)
        for a in angles:
            c, s, o, l = a.cos(), a.sin(), torch.zeros_like(a), torch.ones_like(a)
            r = torch.stack([c, -s, o, s, c, o, o, o, l]).view(3, 3)
            total = read(total) @ read(r[[2, 0, 1]])
        return total

    return (lambda a: turn(a, short)), lambda a: turn(a, lambda t: t), (torch.randn(12),)


class _Short(nn.Linear):
    def forward(self, x):
        return F.linear(short(x), short(self.weight), self.bias)


@single("TF32", report=158, note="a whole network, every linear layer")
def accelerated(seed):
    expected = nn.Sequential(nn.Linear(20, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 4))
    actual = copy.deepcopy(expected)
    for layer in actual:
        if isinstance(layer, nn.Linear):
            layer.__class__ = _Short
    return actual, expected, (torch.randn(16, 20),)


@single("bfloat16 products", report=157, note="default precision of TPUs")
def tpu_product(seed):
    def actual(a, b):
        return through(a, torch.bfloat16) @ through(b, torch.bfloat16)

    return actual, torch.matmul, (torch.randn(16, 64), torch.randn(64, 24))


@single("bfloat16 products", report=162, note="products of a network on a CPU with AMX")
def inferred(seed):
    body = nn.ModuleList([nn.Linear(16, 48), nn.Linear(48, 48), nn.Linear(48, 3)])

    def actual(x):
        for i, layer in enumerate(body):
            x = F.linear(through(x, torch.bfloat16), through(layer.weight, torch.bfloat16), layer.bias)
            x = torch.relu(x) if i < 2 else x
        return x

    return actual, nn.Sequential(body[0], nn.ReLU(), body[1], nn.ReLU(), body[2]), (torch.randn(10, 16),)


@single("float16 products", note="scores of attention only")
def half_scores(seed):
    layer = Attention(32, 4, causal=True)

    def actual(x):
        q, k, v = layer.qkv(x).view(*x.shape[:2], 3, 4, 8).permute(2, 0, 3, 1, 4)
        s = through(q, torch.float16) @ through(k, torch.float16).mT * layer.scale
        s = s.masked_fill(torch.ones(s.shape[-2:], dtype=torch.bool).triu(1), -math.inf)
        return layer.out((s.softmax(-1) @ v).transpose(1, 2).flatten(2))

    return actual, layer, (2 * torch.randn(2, 8, 32),)


@single("float16 products", note="operands of a product rounded to half precision, wide accumulator")
def half_product(seed):
    def actual(a, b):
        return torch.einsum("ik,kj->ij", through(a, torch.float16), through(b, torch.float16))

    return actual, torch.mm, (torch.randn(24, 30), torch.randn(30, 24))


@single("bfloat16 storage", note="weights saved in bfloat16, computed in float32")
def saved(seed):
    expected = settle(Encoder(depth=2))
    actual = copy.deepcopy(expected).bfloat16().float()
    return actual, expected, (torch.randint(0, 50, (2, 9)),)


@single("bfloat16 storage", note="every activation kept in 16 bits")
def narrow_activations(seed):
    net = nn.Sequential(nn.Linear(12, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 6))

    def actual(x):
        for layer in net:
            x = through(layer(x), torch.bfloat16)
        return x

    return actual, net, (torch.randn(5, 12),)


@single("float16 storage", report=117, note="pow rounded to half precision")
def half_power(seed):
    return (lambda x: x.half().pow(2.2).to(x.dtype)), lambda x: x.pow(2.2), (torch.rand(6, 20) + 0.1,)


@single("float16 storage", report=122, note="a fused sum and norm works in half precision")
def fused_skip(seed):
    block = settle(Block(32, 4))

    def actual(x):
        h = x + block.attention(block.first(x))
        half = h.half()
        n = F.layer_norm(half.to(h.dtype), (32,), block.second.weight, block.second.bias).half().to(h.dtype)
        return half.to(h.dtype) + block.down(F.gelu(block.up(n)))

    return actual, block, (3 * torch.randn(2, 6, 32),)


def _added(values, dtype):
    """Left to right along the last axis, each partial sum rounded."""
    total = torch.zeros_like(values[..., 0])
    for i in range(values.shape[-1]):
        total = through(total + values[..., i], dtype)
    return total


@single("float16 accumulator", report=141, declared="float32", note="partial sums in half precision")
def half_sum(seed):
    return (lambda x: _added(x, torch.float16)), lambda x: x.sum(-1), (through(torch.rand(4, 300), torch.float16),)


@single("float16 accumulator", report=140, note="half data: NumPy's sum of float16 against torch's mean")
def half_mean(seed):
    def actual(x):
        return np.add.accumulate(np.asarray(x), axis=-1)[:, -1] / np.asarray(x).dtype.type(x.shape[-1])

    return actual, lambda x: x.mean(-1), ((5 + torch.rand(3, 1000)).half(),)


@single("float16 accumulator", report=55, note="rounding only: product of half matrices, each partial sum rounded")
def half_accumulation(seed):
    def actual(a, b):
        out = torch.zeros(a.shape[0], b.shape[1], dtype=a.dtype)
        for k in range(a.shape[1]):
            out = out + a[:, k, None] * b[k]
        return out

    return actual, torch.mm, (torch.rand(8, 200).half(), torch.rand(200, 8).half())


@single("bfloat16 accumulator", note="product with partial sums in bfloat16, operands exact")
def narrow_sums(seed):
    def actual(a, b):
        out = a.new_zeros(a.shape[0], b.shape[1])
        for k in range(a.shape[1]):
            out = through(out + a[:, k, None] * b[k], torch.bfloat16)
        return out

    return actual, torch.mm, (through(torch.randn(8, 60), torch.bfloat16), through(torch.randn(60, 10), torch.bfloat16))


@single("float32 inside", note="float64 data through a kernel for float32")
def kernel_for_float32(seed):
    net = nn.Sequential(nn.Linear(8, 16), nn.Softplus(), nn.Linear(16, 2)).double()
    single_net = copy.deepcopy(net).float()
    return (lambda x: single_net(x.float()).double()), net, (torch.randn(6, 8, dtype=torch.float64),)


@single("float32 inside", note="one step of a simulation in NumPy casts")
def simulated(seed):
    def step(x, v, cast):
        for _ in range(20):
            force = cast(-np.sin(x))
            v = v + 0.05 * force
            x = x + 0.05 * v
        return x, v

    actual = lambda x, v: step(np.asarray(x), np.asarray(v), lambda f: f.astype(np.float32).astype(np.float64))
    return (
        actual,
        lambda x, v: step(np.asarray(x), np.asarray(v), lambda f: f),
        (torch.randn(30).double().sin(), torch.randn(30).double().cos()),
    )


def _flushed(t):
    return torch.where(t.abs() < torch.finfo(t.dtype).tiny, torch.zeros_like(t), t)


@single("subnormals flushed", "flush subnormals", note="a device without subnormal numbers")
def tiny_products(seed):
    return (lambda a, b: _flushed(_flushed(a) * _flushed(b))), torch.mul, (1e-20 * torch.randn(8, 16), 1e-18 * torch.randn(8, 16))


@single("subnormals flushed", "flush subnormals", note="variance of tiny values times a large gain")
def tiny_variance(seed):
    def actual(x):
        d = x - x.mean(-1, keepdim=True)
        return _flushed(_flushed(d * d).mean(-1)) * 1e30

    return (
        actual,
        lambda x: (x - x.mean(-1, keepdim=True)).square().mean(-1) * 1e30,
        (1e-20 * torch.randn(6, 20) * torch.logspace(0, 2, 6)[:, None],),
    )


@single("cast order", report=72, declared="bfloat16", note="rounding only: weight multiplied in float32, then cast; Llama casts first")
def llama_norm(seed):
    gain = (1 + 0.3 * torch.randn(64)).bfloat16()

    def unit(x):
        h = x.float()
        return h * torch.rsqrt(h.square().mean(-1, keepdim=True) + 1e-6)

    return (
        (lambda x: (unit(x) * gain.float()).to(x.dtype)),
        lambda x: gain.to(x.dtype) * unit(x).to(x.dtype),
        (torch.randn(16, 64).bfloat16(),),
    )


@single("cast order", report=73, note="the same inside a gated feed-forward layer between float32 residuals")
def gated(seed):
    gain = (1 + 0.3 * torch.randn(32)).bfloat16()
    up, gate, down = (nn.Linear(i, o, bias=False).bfloat16() for i, o in ((32, 64), (32, 64), (64, 32)))

    def block(first):
        def forward(x):
            h = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6)
            h = gain * h.bfloat16() if first else (gain * h).bfloat16()
            return x + down(F.silu(gate(h)) * up(h)).to(x.dtype)

        return forward

    return block(False), block(True), (torch.randn(8, 32),)


@single("elided casts", report=87, note="float32 to bfloat16 and back taken for nothing")
def there_and_back(seed):
    def expected(x):
        return torch.exp((x * 1.7).to(torch.bfloat16).to(x.dtype))

    return (lambda x: torch.exp(x * 1.7)), expected, (torch.randn(6, 20),)


@single(
    "elided casts", report=77, declared="bfloat16", note="rounding only: rotary embedding fused in float32 instead of op by op in bfloat16"
)
def fused_rotary(seed):
    angles = angles_of(12, 16)
    cos, sin = (torch.cat([f(angles)] * 2, -1).bfloat16() for f in (torch.cos, torch.sin))

    def turned(x):
        a, b = x.chunk(2, -1)
        return torch.cat([-b, a], -1)

    def actual(q):
        f = q.float()
        return (f * cos.float() + turned(f) * sin.float()).to(q.dtype)

    return actual, lambda q: q * cos.to(q.dtype) + turned(q) * sin.to(q.dtype), (torch.randn(1, 2, 12, 16).bfloat16(),)


@single(
    "elided casts", report=85, declared="bfloat16", note="rounding only: largest value times a scale, rounded once instead of three times"
)
def amax_scale(seed):
    def expected(x):
        return (x * 0.37 + 1.1).abs().amax(-1) * 3.3

    return (lambda x: ((x.float() * 0.37 + 1.1).abs().amax(-1) * 3.3).to(x.dtype)), expected, ((40 * torch.randn(64, 30)).bfloat16(),)


@single("elided casts", report=86, declared="float16", note="rounding only: a chain in half precision kept in float32")
def half_chain(seed):
    def expected(x, y):
        return torch.tanh(x * y + x) * y - x / 3

    return (lambda x, y: expected(x.float(), y.float()).to(x.dtype)), expected, (torch.randn(8, 24).half(), torch.randn(8, 24).half())


@single("elided casts", report=84, note="who shares the maximum: rounded to bfloat16 before the comparison, or not")
def shared_maximum(seed):
    def expected(x):
        scores = (x * 1.01).bfloat16()
        return (scores == scores.amax(-1, keepdim=True)).sum(-1).float()

    def actual(x):
        scores = x * 1.01
        return (scores == scores.amax(-1, keepdim=True).bfloat16().float()).sum(-1).float()

    return actual, expected, (torch.rand(8, 200) + 3,)


@single("elided casts", report=89, note="rounding only: error term of a sum in bfloat16, computed wider")
def error_term(seed):
    def expected(a, b):
        s = a + b
        t = s - a
        return s, (a - (s - t)) + (b - t)

    def actual(a, b):
        s, e = expected(a.float(), b.float())
        return s.to(a.dtype), e.to(a.dtype)

    return actual, expected, (torch.randn(20).bfloat16(), (0.01 * torch.randn(20)).bfloat16())


@single("one-pass variance", report=61, note="mean far from zero")
def far_from_zero(seed):
    def actual(x):
        m = x.mean(-1, keepdim=True)
        v = (x * x).mean(-1, keepdim=True) - m * m
        return (x - m) / torch.sqrt(v.clamp(min=0) + 1e-5)

    return actual, lambda x: F.layer_norm(x, (64,)), (200 + torch.randn(8, 64),)


@single("one-pass variance", report=62, note="a whole block whose residual has an offset")
def fused_kernel(seed):
    block = settle(Block(32, 4))

    def norm(x, n):
        m = x.mean(-1, keepdim=True)
        v = (x * x).mean(-1, keepdim=True) - m * m
        return (x - m) * torch.rsqrt(v + n.eps) * n.weight + n.bias

    def actual(x):
        x = x + block.attention(norm(x, block.first))
        return x + block.down(F.gelu(block.up(norm(x, block.second))))

    return actual, block, (100 + torch.randn(2, 6, 32),)


@single("one-pass variance", report=63, note="BatchNorm in training, in NumPy")
def numpy_batch(seed):
    def actual(x):
        a = np.asarray(x)
        m = a.mean(0)
        v = (a * a).mean(0) - m * m
        return (a - m) / np.sqrt(np.maximum(v, 0) + a.dtype.type(1e-5))

    return actual, lambda x: F.batch_norm(x, None, None, training=True), (300 + 0.5 * torch.randn(32, 10),)


@single("missing maximum subtraction", note="exp overflows for logits of 100")
def plain_softmax(seed):
    def actual(x):
        e = torch.exp(x)
        return e / e.sum(-1, keepdim=True)

    return actual, lambda x: torch.softmax(x, -1), (60 * torch.randn(6, 12),)


@single("missing maximum subtraction", "log of softmax", report=143, note="loss of a classifier with large logits")
def large_logits(seed):
    net, labels = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 8)), torch.randint(0, 8, (10,))

    def actual(x):
        z = 300 * net(x)
        return torch.log(torch.exp(z).sum(-1)) - z.gather(1, labels[:, None])[:, 0]

    return actual, lambda x: F.cross_entropy(300 * net(x), labels, reduction="none"), (torch.randn(10, 6),)


@single("missing maximum subtraction", "log of softmax", report=144, note="x - (max + log sum): the normaliser is rounded away at 1e5")
def at_ten_thousand(seed):
    def actual(x):
        m = x.amax(-1, keepdim=True)
        return x - (m + torch.log(torch.exp(x - m).sum(-1, keepdim=True)))

    return actual, lambda x: torch.log_softmax(x, -1), (1e5 + torch.randn(6, 9),)


@single("expanded squares", report=58, note="close points far from the origin")
def nearby_points(seed):
    def actual(a, b):
        d = (a * a).sum(-1)[:, None] + (b * b).sum(-1) - 2 * a @ b.T
        return d.clamp(min=0).sqrt()

    base = 50 * torch.randn(1, 12)
    return actual, lambda a, b: (a[:, None] - b).square().sum(-1).sqrt(), (base + torch.randn(9, 12), base + torch.randn(7, 12))


@single("expanded squares", report=57, note="cdist's own mode")
def pairwise(seed):
    actual = lambda a: torch.cdist(a, a, compute_mode="use_mm_for_euclid_dist")
    return actual, lambda a: torch.cdist(a, a, compute_mode="donot_use_mm_for_euclid_dist"), (20 + torch.randn(30, 6),)


@single("expanded squares", report=59, note="radial features of a network")
def radial_network(seed):
    centres, out = 30 + torch.randn(10, 3), nn.Linear(10, 2)

    def actual(x):
        d = (x * x).sum(1, keepdim=True) - 2 * x @ centres.T + (centres * centres).sum(1)
        return out(torch.exp(-0.5 * d))

    return (
        actual,
        lambda x: out(torch.exp(-0.5 * torch.cdist(x, centres.to(x.dtype), compute_mode="donot_use_mm_for_euclid_dist") ** 2)),
        (30 + torch.randn(8, 3),),
    )


@single("log of softmax", report=107, note="-inf where log_softmax has -200")
def two_ops(seed):
    return (lambda x: torch.softmax(x, -1).log()), nn.LogSoftmax(-1), (60 * torch.randn(5, 10),)


@single("log of softmax", note="loss of a network through NLL, clipped by 1e-7 as Keras does")
def clipped_probabilities(seed):
    net, labels = nn.Sequential(nn.Linear(8, 20), nn.Tanh(), nn.Linear(20, 6)), torch.randint(0, 6, (12,))

    def actual(x):
        p = torch.softmax(150 * net(x), -1).clamp(1e-7, 1 - 1e-7)
        return F.nll_loss(torch.log(p), labels, reduction="none")

    return actual, lambda x: F.cross_entropy(150 * net(x), labels, reduction="none"), (torch.randn(12, 8),)


@single("FFT", note="rounding only: weak signal beside a strong one: the error of the transform is relative to the strongest")
def filtered(seed):
    kernel = torch.randn(9)

    def actual(x):
        n = x.shape[-1] + 16
        y = torch.fft.irfft(torch.fft.rfft(x, n) * torch.fft.rfft(kernel.flip(0), n), n)
        return y[..., 8 : x.shape[-1]]

    x = torch.randn(3, 100)
    x[:, :6] *= 1e5
    return actual, lambda t: F.conv1d(t[:, None], kernel.to(t.dtype).view(1, 1, -1))[:, 0], (x,)


def _winograd(points, r):
    """Matrices of F(m, r) from its points and infinity, in float64."""
    n = len(points) + 1
    m = n - r + 1
    g = np.array([[p**j for j in range(r)] for p in points] + [[0.0] * (r - 1) + [1.0]])
    a = np.array([[p**j for j in range(m)] for p in points] + [[0.0] * (m - 1) + [1.0]]).T
    left = np.array([a[i] * g[:, k] for i in range(m) for k in range(r)])
    right = np.array([np.eye(n)[i + k] for i in range(m) for k in range(r)])
    return tuple(torch.from_numpy(t) for t in (a, g, np.linalg.lstsq(left, right, rcond=None)[0]))


@single("Winograd", note="F(8, 3) with points up to 4: large matrices amplify rounding")
def tiled(seed):
    matrices = _winograd([0, 1, -1, 2, -2, 3, -3, 4, -4], 3)
    w = torch.randn(6, 4, 3)

    def actual(x):
        a, g, b = (t.to(x.dtype) for t in matrices)
        u = torch.einsum("nk,oik->noi", g, w.to(x.dtype))
        v = torch.einsum("nk,bitk->nbit", b, x.unfold(2, 10, 8))
        y = torch.einsum("mn,nbot->botm", a, torch.einsum("noi,nbit->nbot", u, v))
        return y.flatten(2)

    return actual, lambda x: F.conv1d(x, w.to(x.dtype)), (torch.randn(2, 4, 42),)


# Settings around the call


@single("autocast", "bfloat16 products", "bfloat16 storage", note="a network left under autocast")
def left_on(seed):
    net = nn.Sequential(nn.Linear(16, 40), nn.GELU(), nn.Linear(40, 8))

    def actual(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return net(x).float()

    return actual, net, (torch.randn(6, 16),)


@single("autocast", "bfloat16 products", "bfloat16 storage", note="attention and convolution under autocast")
def mixed(seed):
    conv, layer = nn.Conv1d(4, 16, 3, padding=1), Attention(16, 2)

    def expected(x):
        return layer(conv(x).transpose(1, 2))

    def actual(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = expected(x)
        return y.to(x.dtype)

    return actual, expected, (torch.randn(2, 4, 9),)


@single("flush subnormals", "subnormals flushed", report=93, note="the processor's flag, set by what was compiled before")
def flag_of_the_processor(seed):
    def expected(x):
        return (x * 1e-3).cumsum(-1)

    def actual(x):
        torch.set_flush_denormal(True)
        try:
            return expected(x)
        finally:
            torch.set_flush_denormal(False)

    return actual, expected, (1e-36 * torch.randn(8, 32),)


@single("default dtype", "bfloat16 storage", note="a model built under bfloat16: its frequencies are too")
def built_under(seed):
    def expected(t):
        steps = 10000.0 ** (-torch.arange(0, 16, 2).to(torch.get_default_dtype()) / 16)
        return torch.sin(t[:, None] * steps.float())

    def actual(t):
        torch.set_default_dtype(torch.bfloat16)
        try:
            return expected(t)
        finally:
            torch.set_default_dtype(torch.float32)

    return actual, expected, (torch.arange(20).float(),)


@single("oneDNN", note="rounding only: convolution without oneDNN")
def other_backend(seed):
    net = nn.Sequential(nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 16, 3))

    def actual(x):
        with torch.backends.mkldnn.flags(enabled=False):
            return net(x)

    return actual, net, (torch.randn(2, 8, 14, 14),)


@single("oneDNN", "Winograd", note="rounding only: the whole batch to NNPACK, whose convolution is a Winograd of large tiles")
def large_batch(seed):
    conv = nn.Conv2d(16, 16, 3, padding=1)

    def actual(x):
        with torch.backends.mkldnn.flags(enabled=False):
            return conv(x)

    return actual, conv, (torch.randn(16, 16, 24, 24),)


@single("memory format", report=44, note="rounding only: channels_last")
def other_layout(seed):
    a, norm, b = nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16, track_running_stats=False), nn.Linear(16, 4)

    def expected(x):
        return b(F.relu(norm(a(x))).mean((2, 3)))

    return (lambda x: expected(x.contiguous(memory_format=torch.channels_last))), expected, (torch.randn(4, 8, 16, 16),)


@single("batch size", report=26, note="rounding only: one row at a time")
def row_by_row(seed):
    net = nn.Sequential(nn.Linear(256, 300), nn.Tanh(), nn.Linear(300, 64))
    return (lambda x: torch.cat([net(row) for row in x.split(1)])), net, (torch.randn(16, 256),)


@single("SDPA kernel", report=82, note="rounding only: the kernel made of separate ops")
def other_kernel(seed):
    def actual(q, k, v):
        with sdpa_kernel(SDPBackend.MATH):
            return F.scaled_dot_product_attention(q, k, v)

    return actual, F.scaled_dot_product_attention, tuple(torch.randn(2, 4, 40, 16) for _ in range(3))


@single("threads", report=28, note="rounding only: sums of a long vector on two threads")
def two_threads(seed):
    def with_threads(n):
        def forward(x):
            before = torch.get_num_threads()
            torch.set_num_threads(n)
            try:
                return x.sum(), x.square().mean()
            finally:
                torch.set_num_threads(before)

        return forward

    return with_threads(2), with_threads(1), (torch.randn(100_003),)


# "encoder fast path" was not among the names that the author of the pairs was given; it is what the note says.
@single("grad mode", "training mode", "encoder fast path", note="rounding only: without gradients the layer takes its fused path")
def fused_path(seed):
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, dropout=0.0).eval()

    def actual(x):
        with torch.no_grad():
            return layer(x)

    def expected(x):
        with torch.enable_grad():
            return layer(x).detach()

    return actual, expected, (torch.randn(2, 10, 32),)
