"""The algorithms that the pairs compare: real orders of summation, fast products, cells, blocks and optimizers, each in the dtype of its inputs."""

from __future__ import annotations

import contextlib
import math

import numpy as np
import torch
import torch.nn.functional as F


def randn(*s):
    return torch.randn(*s)


def T(a):
    return torch.from_numpy(np.ascontiguousarray(a))


def fma(a, b, c):
    """float32 fused multiply-add emulated through float64 (product exact)."""
    return (a.double() * b.double() + c.double()).float()


def to_tf32(t):
    v = t.contiguous().view(torch.int32)
    return ((v + 0x0FFF + ((v >> 13) & 1)) & ~0x1FFF).view(torch.float32)


def bf(t):
    return t.to(torch.bfloat16).to(t.dtype)


def hf(t):
    return t.to(torch.float16).to(t.dtype)


def seq_sum(x, dim=-1):
    """Strictly left-to-right sum in x's dtype"""
    return T(np.add.accumulate(x.numpy(), axis=dim, dtype=x.numpy().dtype)).select(dim, x.shape[dim] - 1).clone()


def kahan_sum(x):
    x = x.numpy()
    s = np.zeros(x.shape[:-1], x.dtype)
    c = np.zeros_like(s)
    for i in range(x.shape[-1]):
        y = x[..., i] - c
        t = s + y
        c = (t - s) - y
        s = t
    return T(s)


@contextlib.contextmanager
def threads(n):
    o = torch.get_num_threads()
    torch.set_num_threads(n)
    try:
        yield
    finally:
        torch.set_num_threads(o)


def rsqrt_newton(v, steps):
    i = 0x5F3759DF - (v.contiguous().view(torch.int32) >> 1)
    y = i.view(torch.float32)
    for _ in range(steps):
        y = y * (1.5 - 0.5 * v * y * y)
    return y


def ln_ref(x, w=None, b=None, eps=1e-5):
    m = x.mean(-1, keepdim=True)
    v = ((x - m) ** 2).mean(-1, keepdim=True)
    y = (x - m) / torch.sqrt(v + eps)
    if w is not None:
        y = y * w
    if b is not None:
        y = y + b
    return y


def ln_onepass(x, w=None, b=None, eps=1e-5):
    m = x.mean(-1, keepdim=True)
    v = (x * x).mean(-1, keepdim=True) - m * m
    y = (x - m) * torch.rsqrt(v + eps)
    if w is not None:
        y = y * w + b
    return y


def ln_welford(x, w=None, b=None, eps=1e-5):
    m = torch.zeros_like(x[..., 0])
    s = torch.zeros_like(m)
    for i in range(x.shape[-1]):
        d = x[..., i] - m
        m = m + d / (i + 1)
        s = s + d * (x[..., i] - m)
    y = (x - m[..., None]) * torch.rsqrt(s / x.shape[-1] + eps)[..., None]
    return y if w is None else y * w + b


def sdpa(q, k, v, mask=None, scale=None):
    s = (q @ k.transpose(-1, -2)) * (scale if scale is not None else 1.0 / math.sqrt(q.shape[-1]))
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    return torch.softmax(s, -1) @ v


def flash(q, k, v, B=16):
    sc = 1.0 / math.sqrt(q.shape[-1])
    n = k.shape[-2]
    m = torch.full(q.shape[:-1], float("-inf"), dtype=q.dtype)
    l = torch.zeros_like(m)
    o = torch.zeros(*q.shape[:-1], v.shape[-1], dtype=q.dtype)
    for j in range(0, n, B):
        s = (q @ k[..., j : j + B, :].transpose(-1, -2)) * sc
        mn = torch.maximum(m, s.amax(-1))
        p = torch.exp(s - mn[..., None])
        a = torch.exp(m - mn)
        l = l * a + p.sum(-1)
        o = o * a[..., None] + p @ v[..., j : j + B, :]
        m = mn
    return o / l[..., None]


def im2col_conv(x, w, b, stride=1, padding=0):
    N, C, H, W = x.shape
    O, _, kh, kw = w.shape
    u = F.unfold(x, (kh, kw), padding=padding, stride=stride)
    y = w.reshape(O, -1) @ u
    Ho = (H + 2 * padding - kh) // stride + 1
    Wo = (W + 2 * padding - kw) // stride + 1
    y = y.reshape(N, O, Ho, Wo)
    return y if b is None else y + b[None, :, None, None]


def loop_conv(x, w, b, stride=1, padding=0):
    """The post's NumPy float32 loop (vectorised over outputs, same order of additions)"""
    d = np.pad(x.numpy(), ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    p = w.numpy()
    O, C, kh, kw = p.shape
    Ho = (d.shape[2] - kh) // stride + 1
    Wo = (d.shape[3] - kw) // stride + 1
    r = np.zeros((d.shape[0], O, Ho, Wo), d.dtype)
    for c in range(C):
        for i in range(kh):
            for j in range(kw):
                r += p[None, :, c, i, j, None, None] * d[:, c : c + 1, i : i + stride * Ho : stride, j : j + stride * Wo : stride]
    if b is not None:
        r += b.numpy()[None, :, None, None]
    return T(r)


def winograd_conv(x, w, b):
    """F(2x2,3x3), stride 1, padding 1, even H,W; everything in x.dtype"""
    dt = x.dtype
    G = torch.tensor([[1, 0, 0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0, 0, 1]], dtype=dt)
    Bt = torch.tensor([[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]], dtype=dt)
    At = torch.tensor([[1, 1, 1, 0], [0, 1, -1, -1]], dtype=dt)
    N, C, H, W = x.shape
    U = G @ w @ G.t()
    t = F.pad(x, (1, 1, 1, 1)).unfold(2, 4, 2).unfold(3, 4, 2)
    V = Bt @ t @ Bt.t()
    Mm = torch.einsum("ocij,nchwij->nohwij", U, V)
    Y = At @ Mm @ At.t()
    return Y.permute(0, 1, 2, 4, 3, 5).reshape(N, w.shape[0], H, W) + b[None, :, None, None]


def winograd43_conv(x, w, b):
    """F(4x4,3x3): larger, still legitimate, rounding error; H,W multiples of 4"""
    dt = x.dtype
    Bt = torch.tensor(
        [[4, 0, -5, 0, 1, 0], [0, -4, -4, 1, 1, 0], [0, 4, -4, -1, 1, 0], [0, -2, -1, 2, 1, 0], [0, 2, -1, -2, 1, 0], [0, 4, 0, -5, 0, 1]],
        dtype=dt,
    )
    G = torch.tensor(
        [[1 / 4, 0, 0], [-1 / 6, -1 / 6, -1 / 6], [-1 / 6, 1 / 6, -1 / 6], [1 / 24, 1 / 12, 1 / 6], [1 / 24, -1 / 12, 1 / 6], [0, 0, 1]],
        dtype=dt,
    )
    At = torch.tensor([[1, 1, 1, 1, 1, 0], [0, 1, -1, 2, -2, 0], [0, 1, 1, 4, 4, 0], [0, 1, -1, 8, -8, 1]], dtype=dt)
    N, C, H, W = x.shape
    U = G @ w @ G.t()
    V = Bt @ F.pad(x, (1, 1, 1, 1)).unfold(2, 6, 4).unfold(3, 6, 4) @ Bt.t()
    Y = At @ torch.einsum("ocij,nchwij->nohwij", U, V) @ At.t()
    return Y.permute(0, 1, 2, 4, 3, 5).reshape(N, w.shape[0], H, W) + b[None, :, None, None]


def fft_conv(x, w, b, padding=1):
    H, W = x.shape[-2:]
    kh, kw = w.shape[-2:]
    s = (H + 2 * padding + kh - 1, W + 2 * padding + kw - 1)
    X = torch.fft.rfft2(F.pad(x, (padding,) * 4), s=s)
    K = torch.fft.rfft2(w.flip(-1, -2), s=s)
    y = torch.fft.irfft2(torch.einsum("nchw,ochw->nohw", X, K), s=s)
    return y[..., kh - 1 : kh - 1 + H + 2 * padding - kh + 1, kw - 1 : kw - 1 + W + 2 * padding - kw + 1] + b[None, :, None, None]


def gru_cell(x, h, wih, whh, bih, bhh, linear_before_reset=True, zflip=False):
    H = h.shape[-1]
    gi = x @ wih.t() + bih
    r = torch.sigmoid(gi[..., :H] + h @ whh[:H].t() + bhh[:H])
    z = torch.sigmoid(gi[..., H : 2 * H] + h @ whh[H : 2 * H].t() + bhh[H : 2 * H])
    if linear_before_reset:
        n = torch.tanh(gi[..., 2 * H :] + r * (h @ whh[2 * H :].t() + bhh[2 * H :]))
    else:
        n = torch.tanh(gi[..., 2 * H :] + (r * h) @ whh[2 * H :].t() + bhh[2 * H :])
    return (z * n + (1 - z) * h) if zflip else ((1 - z) * n + z * h)


def grads(fn, *args, wrt=None):
    """Gradients of fn(*args).sum()-like scalar w.r.t. floating args (all, or indices wrt)"""
    a = [t.detach().clone().requires_grad_(t.is_floating_point()) for t in args]
    y = fn(*a)
    if y.dim():
        g = torch.linspace(-1, 1, y.numel(), dtype=y.dtype).reshape(y.shape)
        y = (y * g).sum()
    ix = range(len(a)) if wrt is None else wrt
    return torch.autograd.grad(y, [a[i] for i in ix])


def gout(y):
    return torch.linspace(-1, 1, y.numel(), dtype=y.dtype).reshape(y.shape)


def ld_linear(x, W, B):
    return T((x.numpy().astype(np.longdouble) @ W.numpy().T.astype(np.longdouble) + B.numpy()).astype(np.float64))


def convnet(x, w1, b1, w2, b2, w3, b3, w4, b4, conv):
    x = torch.relu(conv(x, w1, b1))
    x = torch.relu(conv(x, w2, b2))
    x = torch.relu(F.linear(x.flatten(1), w3, b3))
    return F.linear(x, w4, b4)


def convnet_inputs():
    return (
        randn(10, 3, 8, 8),
        randn(16, 3, 3, 3) * 0.2,
        randn(16) * 0.1,
        randn(32, 16, 3, 3) * 0.1,
        randn(32) * 0.1,
        randn(512, 2048) * 0.02,
        randn(512) * 0.02,
        randn(10, 512) * 0.04,
        randn(10) * 0.04,
    )


eager = lambda x, w, b: F.conv2d(x, w, b, padding=1)


def conv_in(o=24, c=16, h=32):
    return (randn(2, c, h, h), randn(o, c, 3, 3), randn(o))


def mlp(x, w1, b1, w2, b2, w3, b3):
    return F.linear(torch.tanh(F.linear(F.relu(F.linear(x, w1, b1)), w2, b2)), w3, b3)


def mlp_in():
    return (
        randn(64, 100),
        randn(200, 100) * 0.1,
        randn(200) * 0.1,
        randn(150, 200) * 0.08,
        randn(150) * 0.1,
        randn(10, 150) * 0.08,
        randn(10) * 0.1,
    )


def block(x, wq, wk, wv, wo, w1, w2, att=sdpa, H=4):
    n, t, d = x.shape
    sp = lambda z: z.reshape(n, t, H, d // H).transpose(1, 2)
    y = F.layer_norm(x, (d,))
    a = att(sp(y @ wq.T), sp(y @ wk.T), sp(y @ wv.T)).transpose(1, 2).reshape(n, t, d)
    x = x + a @ wo.T
    return x + F.gelu(F.layer_norm(x, (d,)) @ w1.T) @ w2.T


def block_in(d=64):
    return (randn(2, 33, d), *[randn(d, d) * 0.12 for _ in range(4)], randn(4 * d, d) * 0.1, randn(d, 4 * d) * 0.06)
