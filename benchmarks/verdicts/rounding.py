"""Pairs whose difference is rounding, however alarming it looks."""

from __future__ import annotations

import math

import numpy as np
import torch
import torch.nn.functional as F

from .algorithms import (
    T,
    block,
    block_in,
    conv_in,
    convnet,
    convnet_inputs,
    eager,
    fft_conv,
    flash,
    fma,
    gout,
    grads,
    im2col_conv,
    ld_linear,
    ln_onepass,
    ln_ref,
    ln_welford,
    loop_conv,
    mlp,
    mlp_in,
    randn,
    sdpa,
    seq_sum,
    threads,
    to_tf32,
    winograd_conv,
)
from .registry import COMPILE_POST, CONV_POST, LINEAR_POST, rounding


@rounding("fused-bias", LINEAR_POST)
def r_question3_linear_vs_matmul():
    return (lambda x, W, B: x @ W.T + B), (lambda x, W, B: F.linear(x, W, B)), (randn(32, 2048), randn(512, 2048), randn(512))


@rounding("numpy-blas", LINEAR_POST)
def r_question3_linear_vs_numpy():
    return (
        (lambda x, W, B: T(x.numpy() @ W.numpy().T + B.numpy())),
        (lambda x, W, B: F.linear(x, W, B)),
        (randn(32, 2048), randn(512, 2048), randn(512)),
    )


@rounding("fused-bias", LINEAR_POST, declared="float64", ref=ld_linear)
def r_question3_linear_float64():
    return (
        (lambda x, W, B: x @ W.T + B),
        (lambda x, W, B: F.linear(x, W, B)),
        (randn(8, 1024).double(), randn(32, 1024).double(), randn(32).double()),
    )


@rounding("reduction-order", CONV_POST)
def r_question4_conv_vs_numpy_loop():
    return (
        (lambda d, p, b: loop_conv(d, p, b, 1, 2)),
        (lambda d, p, b: F.conv2d(d, p, b, 1, 2)),
        (randn(1, 16, 28, 28), randn(8, 16, 5, 5), randn(8)),
    )


@rounding(
    "reduction-order",
    CONV_POST,
    tags=("exact",),
    note="integer-valued variant of the post: every partial sum < 2^24, so ANY order is exact; bit-equality expected, a difference here would be a mistake",
)
def r_question4_conv_int255():
    z = lambda *s: (randn(*s) * 255).round()
    return (lambda d, p, b: loop_conv(d, p, b, 1, 2)), (lambda d, p, b: F.conv2d(d, p, b, 1, 2)), (z(1, 16, 28, 28), z(8, 16, 5, 5), z(8))


@rounding("im2col", COMPILE_POST, tags=("model",))
def r_question5_convnet_im2col():
    return (lambda *a: convnet(*a, conv=lambda x, w, b: im2col_conv(x, w, b, 1, 1))), (lambda *a: convnet(*a, conv=eager)), convnet_inputs()


@rounding("channels-last", COMPILE_POST, tags=("model",))
def r_question5_convnet_channels_last():
    cl = lambda t: t.contiguous(memory_format=torch.channels_last)
    return (
        (lambda *a: convnet(*a, conv=lambda x, w, b: F.conv2d(cl(x), cl(w), b, padding=1))),
        (lambda *a: convnet(*a, conv=eager)),
        convnet_inputs(),
    )


@rounding("winograd", COMPILE_POST, tags=("model",))
def r_question5_convnet_winograd():
    return (lambda *a: convnet(*a, conv=winograd_conv)), (lambda *a: convnet(*a, conv=eager)), convnet_inputs()


@rounding("threads", "pytorch/pytorch#88718")
def r_linear_threads_1_vs_2():
    def one(x, W, b):
        with threads(1):
            return F.linear(x, W, b)

    def two(x, W, b):
        with threads(2):
            return F.linear(x, W, b)

    return one, two, (randn(56), randn(444, 56), randn(444))


@rounding(
    "onednn",
    "toggle of pytorch/pytorch#18218, #163347; shapes of #70589",
    tags=("hard",),
    note="with oneDNN off and batch>=16 torch falls to NNPACK Winograd F(6x6,3x3): ~18x larger RMS error, legitimate algorithm",
)
def r_conv_onednn_off():
    def off(x, w):
        with torch.backends.mkldnn.flags(enabled=False):
            return F.conv2d(x, w, padding=1)

    return off, (lambda x, w: F.conv2d(x, w, padding=1)), (randn(64, 3, 32, 32), randn(16, 3, 3, 3))


@rounding("fused-bias", "GEMM epilogue with beta=1 (addmm)")
def r_linear_bias_first():
    def f(x, W, b):
        acc = np.broadcast_to(b.numpy(), (x.shape[0], W.shape[0])).copy()
        X = x.numpy()
        Wn = W.numpy()
        for k in range(X.shape[1]):
            acc += X[:, k : k + 1] * Wn[None, :, k]
        return T(acc)

    return f, (lambda x, W, b: F.linear(x, W, b)), (randn(16, 512), randn(64, 512), randn(64) * 100)


@rounding("split-k", "cuBLAS/CUTLASS split-K; pytorch/pytorch#149281")
def r_matmul_split_k():
    def f(a, b):
        return sum(a[:, i::8] @ b[i::8] for i in range(8))

    return f, (lambda a, b: a @ b), (randn(64, 4096), randn(4096, 48))


@rounding("reduction-order", "naive CPU loop / cumsum-based sum", note="legitimate n*u error, n=200000")
def r_sum_sequential():
    return seq_sum, (lambda x: x.sum(-1)), (torch.rand(4, 200_000),)


@rounding("cancellation", "pytorch/pytorch#56698")
def r_conv_linearity():
    return (
        (lambda a, b, w: F.conv2d(a, w, padding=2) - F.conv2d(b, w, padding=2)),
        (lambda a, b, w: F.conv2d(a - b, w, padding=2)),
        (randn(1, 5, 64, 64), randn(1, 5, 64, 64), randn(3, 5, 5, 5)),
    )


@rounding("winograd", "cuDNN/oneDNN Winograd F(2,3)")
def r_conv_winograd_f2():
    return winograd_conv, eager, conv_in()


@rounding("fft", "cuDNN FFT conv", tags=("hard",), note="error scales with max, not with each output")
def r_conv_fft():
    return fft_conv, eager, conv_in()


@rounding("im2col", "oneDNN/GEMM conv vs direct; pytorch/pytorch#170016")
def r_conv_im2col():
    return (lambda x, w, b: im2col_conv(x, w, b, 1, 1)), eager, conv_in()


@rounding("channels-last", "pytorch/pytorch#121651")
def r_conv_channels_last():
    return (lambda x, w, b: F.conv2d(x.contiguous(memory_format=torch.channels_last), w, b, padding=1)), eager, conv_in()


@rounding("layout", "pytorch/pytorch#23042", note="abs error 0.02 looks alarming, is ~1 ulp of 2.5e5 sums")
def r_conv1d_multichannel():
    f = lambda i, w: F.conv1d(i.unsqueeze(0), w.repeat(i.size(0), 1, 1), stride=2, groups=i.size(0)).squeeze(0)
    g = lambda i, w: T(np.stack([np.correlate(r, w.numpy(), "valid")[::2] for r in i.numpy()]))
    return g, f, (torch.rand(2, 8024) * 1e2, torch.rand(25) * 1e2)


@rounding("reduction-order", "deconvolution as col2im")
def r_conv_transpose_vs_scatter():
    def f(x, w):
        N, C, H, W = x.shape
        O = w.shape[1]
        cols = w.reshape(C, -1).t() @ x.reshape(N, C, -1)
        return F.fold(cols, (2 * (H - 1) + 3, 2 * (W - 1) + 3), 3, stride=2)

    return f, (lambda x, w: F.conv_transpose2d(x, w, stride=2)), (randn(2, 12, 9, 9), randn(12, 8, 3, 3))


@rounding("online-softmax", "FlashAttention online softmax")
def r_softmax_online():
    def f(x):
        m = torch.full(x.shape[:-1], float("-inf"))
        l = torch.zeros_like(m)
        for j in range(0, x.shape[-1], 32):
            c = x[..., j : j + 32]
            mn = torch.maximum(m, c.amax(-1))
            l = l * torch.exp(m - mn) + torch.exp(c - mn[..., None]).sum(-1)
            m = mn
        return torch.exp(x - m[..., None]) / l[..., None]

    return f, (lambda x: torch.softmax(x, -1)), (randn(64, 1000) * 4,)


@rounding("algorithm", "discuss / FluxML NNlib#68 (benign range)")
def r_logsumexp_naive_moderate():
    return (lambda x: torch.log(torch.exp(x).sum(-1))), (lambda x: torch.logsumexp(x, -1)), (randn(64, 200) * 3,)


@rounding("flash-attention", "Dao-AILab/flash-attention#581 (non causal)")
def r_attention_flash():
    return flash, sdpa, (randn(2, 4, 70, 32), randn(2, 4, 70, 32), randn(2, 4, 70, 32))


@rounding("flash-attention", "torch SDPA CPU flash kernel vs math")
def r_attention_torch_sdpa():
    return (
        (lambda q, k, v: F.scaled_dot_product_attention(q, k, v)),
        sdpa,
        (randn(2, 4, 130, 64), randn(2, 4, 130, 64), randn(2, 4, 130, 64)),
    )


@rounding("welford", "pytorch/pytorch#55044")
def r_layernorm_welford():
    return ln_welford, (lambda x, w, b: F.layer_norm(x, (768,), w, b)), (randn(16, 768) * 3 + 1, randn(768), randn(768))


@rounding("variance-onepass", "MPS/ORT one-pass variance on centred data")
def r_layernorm_onepass_centered():
    return ln_onepass, (lambda x, w, b: F.layer_norm(x, (768,), w, b)), (randn(16, 768), randn(768), randn(768))


@rounding("fma", "pytorch/pytorch#73161", tags=("hard",), note="exact answer 0; x*rstd - mean*rstd with FMA gives -1e-4 because rstd = 1e4")
def r_layernorm_single_element():
    def f(x):
        m = x.mean(-1, keepdim=True)
        r = 1.0 / torch.sqrt(((x - m) ** 2).mean(-1, keepdim=True) + 1e-8)
        return fma(x, r.expand_as(x), (-(m * r)).expand_as(x))

    return f, (lambda x: F.layer_norm(x, (1,), None, None, 1e-8) * 0 + ln_ref(x, eps=1e-8)), (torch.tensor([[-0.8], [0.3], [1.7]]),)


@rounding("numpy", "pytorch/pytorch#2509 (ddof matched)")
def r_var_numpy_ddof():
    return (lambda x: T(np.var(x.numpy(), axis=-1, ddof=1))), (lambda x: x.var(-1)), (randn(64, 5000) + 5,)


@rounding("numpy", "float32 mean of data offset 1e4")
def r_mean_offset_numpy():
    return (lambda x: T(np.mean(x.numpy(), axis=-1))), (lambda x: x.mean(-1)), (randn(32, 30000) + 1e4,)


@rounding("libm", "jax-ml/jax#20120")
def r_transcendental_numpy():
    return (
        (lambda x: (T(np.sin(x.numpy())), T(np.exp(x.numpy())), T(np.log(np.abs(x.numpy()))), T(np.tanh(x.numpy())))),
        (lambda x: (x.sin(), x.exp(), x.abs().log(), x.tanh())),
        (randn(20000) * 3,),
    )


@rounding("algorithm", "AlexanderLutsenko/nobuco#9; erf form", tags=("ambiguous",), note="1+erf cancels for x<-3: abs error ~u*|x|")
def r_gelu_erf_formula():
    return (lambda x: x * 0.5 * (1 + torch.erf(x * 0.7071067811865476))), (lambda x: F.gelu(x)), (randn(8000) * 2,)


@rounding("reciprocal", "pytorch/pytorch#186618 (49.5/50 <0.99 on CUDA)")
def r_div_vs_reciprocal():
    return (
        (lambda x: x * torch.tensor(1 / 50, dtype=torch.float32)),
        (lambda x: x / 50),
        (torch.cat([torch.tensor([49.5]), torch.rand(4000) * 100]),),
    )


@rounding("libm", "x**3 vs x*x*x; x**.5 vs sqrt")
def r_pow_vs_mul():
    return (lambda x: (x * x * x, x.pow(0.5))), (lambda x: (x.double().pow(3).to(x.dtype), x.sqrt())), (torch.rand(4000) * 50,)


@rounding("association", "(AB)C vs A(BC)")
def r_matmul_chain_assoc():
    return (lambda a, b, c: a @ (b @ c)), (lambda a, b, c: (a @ b) @ c), (randn(40, 300), randn(300, 200), randn(200, 30))


@rounding("algorithm", "cosine similarity: normalise then dot")
def r_cosine_normalise_first():
    return (
        (lambda a, b: (a * b).sum(-1) / (a.pow(2).sum(-1) * b.pow(2).sum(-1)).sqrt()),
        (lambda a, b: F.cosine_similarity(a, b, dim=-1)),
        (randn(500, 256), randn(500, 256)),
    )


@rounding("algorithm", "CE = lse - x[t]")
def r_cross_entropy_lse():
    t = torch.randint(0, 1000, (64,))
    return (lambda x: (torch.logsumexp(x, -1) - x[torch.arange(64), t]).mean()), (lambda x: F.cross_entropy(x, t)), (randn(64, 1000) * 3,)


@rounding("reciprocal", "sum*(1/9) vs sum/9")
def r_avgpool_mul_vs_div():
    return (
        (lambda x: F.conv2d(x.reshape(-1, 1, 16, 16), torch.full((1, 1, 3, 3), 1 / 9), stride=3).reshape(2, 8, 5, 5)),
        (lambda x: F.avg_pool2d(x, 3)),
        (randn(2, 8, 16, 16),),
    )


@rounding("algorithm", "3-multiplication complex product")
def r_complex_mul_gauss():
    def f(a, b):
        ar, ai, br, bi = a[..., 0], a[..., 1], b[..., 0], b[..., 1]
        k1 = br * (ar + ai)
        k2 = ar * (bi - br)
        k3 = ai * (br + bi)
        return torch.stack([k1 - k3, k1 + k2], -1)

    return f, (lambda a, b: torch.view_as_real(torch.view_as_complex(a) * torch.view_as_complex(b))), (randn(3000, 2), randn(3000, 2))


@rounding("scatter-nondeterminism", "pytorch/pytorch#12217, #56521 (atomicAdd order)")
def r_index_add_order():
    idx = torch.randint(0, 50, (20000,))
    p = torch.randperm(20000)
    return (
        (lambda s: torch.zeros(50, 8).index_add_(0, idx[p], s[p])),
        (lambda s: torch.zeros(50, 8, dtype=s.dtype).index_add_(0, idx, s)),
        (randn(20000, 8),),
    )


@rounding("optimizer-order", "foreach/fused Adam vs single-tensor", tags=("model",))
def r_adam_fused_order():
    def ref(p, *gs):
        m = torch.zeros_like(p)
        v = torch.zeros_like(p)
        for t, g in enumerate(gs, 1):
            m = 0.9 * m + 0.1 * g
            v = 0.999 * v + 0.001 * g * g
            p = p - 1e-3 * (m / (1 - 0.9**t)) / (torch.sqrt(v / (1 - 0.999**t)) + 1e-8)
        return p

    def tor(p, *gs):
        q = torch.nn.Parameter(p.clone())
        o = torch.optim.Adam([q], lr=1e-3, foreach=True)
        for g in gs:
            q.grad = g.clone()
            o.step()
        return q.detach()

    return tor, ref, (randn(2000), *[randn(2000) for _ in range(8)])


@rounding("fused-bias", "small MLP, x@W.T+b vs addmm", tags=("model",))
def r_mlp_forward_matmul_order():
    def f(x, w1, b1, w2, b2, w3, b3):
        return b3 + (torch.tanh(b2 + (torch.relu(b1 + torch.einsum("ni,oi->no", x, w1)) @ w2.T.contiguous())) @ w3.T)

    return f, mlp, mlp_in()


@rounding("backward-order", "hand-written backward vs autograd", tags=("model", "backward"))
def r_mlp_backward_manual():
    def man(x, w1, b1, w2, b2, w3, b3):
        a1 = x @ w1.T + b1
        h1 = a1.clamp(min=0)
        h2 = torch.tanh(h1 @ w2.T + b2)
        y = h2 @ w3.T + b3
        g = gout(y)
        gw3, gb3 = g.T @ h2, g.sum(0)
        g2 = (g @ w3) * (1 - h2 * h2)
        gw2, gb2 = g2.T @ h1, g2.sum(0)
        g1 = (g2 @ w2) * (a1 > 0)
        return g1 @ w1, g1.T @ x, g1.sum(0), gw2, gb2, gw3, gb3

    return man, (lambda *a: grads(mlp, *a)), mlp_in()


@rounding("flash-attention", "transformer block, flash vs math", tags=("model",))
def r_attention_block_flash():
    return (lambda *a: block(*a, att=flash)), block, block_in()


@rounding("discontinuity", "HF/vLLM greedy decode token flips; vllm#32480", tags=("hard", "discontinuous", "integer-output"))
def r_argmax_near_tie():
    def mk():
        x = randn(400, 512)
        w = randn(512, 2)
        w = torch.cat([w[:, :1], w[:, :1] + 1e-9 * w[:, 1:]], 1)
        return x, w

    x, w = mk()
    return (
        (lambda x, w: (x[:, ::2] @ w[::2] + x[:, 1::2] @ w[1::2]).argmax(1)),
        (lambda x, w: (x @ w).argmax(1)),
        (x, torch.cat([w[:, :1], w[torch.arange(512), 0:1].nextafter(torch.tensor(9.0))], 1)),
    )


@rounding("tf32", "pytorch/pytorch#53635, #66212 with allow_tf32=True", declared="tf32", tags=("precision",))
def r_tf32_declared_matmul():
    return (lambda a, b: to_tf32(a) @ to_tf32(b)), (lambda a, b: a @ b), (randn(50, 1000), randn(1000, 50))


@rounding("bf16", "bf16 GEMM with fp32 accumulate, other order", declared="bfloat16", tags=("precision",))
def r_bf16_linear_f32acc():
    return (lambda a, b: (a.float() @ b.float()).bfloat16()), (lambda a, b: a @ b), (randn(32, 512).bfloat16(), randn(512, 32).bfloat16())


@rounding("signed-zero", "-0.0 vs 0.0", tags=("special",))
def r_signed_zero():
    return (lambda x: x * 0.0), (lambda x: torch.zeros_like(x)), (randn(100),)


@rounding("nan-handling", "specials agree, rest 1 ulp", tags=("special",))
def r_nan_inf_same_places():
    x = randn(1000)
    x[3] = float("nan")
    x[7] = float("inf")
    x[11] = -float("inf")
    x[13] = 0.0
    return (lambda x: x / 3 * 3.3), (lambda x: x * (3.3 / 3)), (x,)


@rounding("empty", "empty reduction", tags=("special",))
def r_empty_sum():
    return (lambda x: T(np.sum(x.numpy(), axis=1))), (lambda x: x.sum(1)), (torch.empty(4, 0),)


@rounding("shape", "size-1 dims, einsum vs matmul", tags=("special",))
def r_size1_dims():
    return (lambda a, b: torch.einsum("bik,bkj->bij", a, b)), (lambda a, b: a @ b), (randn(1, 1, 257), randn(1, 257, 1))


@rounding("layout", "pytorch/pytorch#104439 (closed as accuracy, MKL path)", tags=())
def r_noncontiguous_addmm():
    return (
        (lambda a, b, c: torch.addmm(c, a.t().contiguous(), b)),
        (lambda a, b, c: torch.addmm(c, a.t(), b)),
        (randn(512, 60), randn(512, 70), randn(60, 70)),
    )


@rounding(
    "denormal",
    "products in the denormal range",
    tags=("special",),
    note="(ab)c vs a(bc) with a*b in the denormal range: relative error of tens of percent, all gradual underflow",
)
def r_denormal_association():
    return (
        (lambda a, b, c: a * (b * c)),
        (lambda a, b, c: (a * b) * c),
        (torch.rand(500) * 2e-22 + 1e-23, torch.rand(500) * 2e-22 + 1e-23, torch.rand(500) * 1e2 + 1),
    )


@rounding("magnitude", "values near 1e30, atol useless", tags=("special",))
def r_large_magnitude_1e30():
    return (lambda a, b: a[:, ::2] @ b[::2] + a[:, 1::2] @ b[1::2]), (lambda a, b: a @ b), (randn(20, 400) * 1e15, randn(400, 20) * 1e15)


@rounding(
    "shift-invariance",
    "tinygrad/tinygrad#2425 (mask 1 instead of 0; softmax is shift invariant)",
    tags=("ambiguous", "undetectable"),
    note="code defect without mathematical effect",
)
def r_causal_mask_plus_one():
    m = torch.ones(24, 24, dtype=torch.bool).tril()

    def f(q, k, v):
        s = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) + torch.where(m, 1.0, float("-inf"))
        return torch.softmax(s, -1) @ v

    return f, (lambda q, k, v: sdpa(q, k, v, m)), (randn(2, 24, 16), randn(2, 24, 16), randn(2, 24, 16))


@rounding(
    "fma", "dev-discuss.pytorch.org/t/1953; pytorch#121558, #122260", note="exp(fma(x,s,-m)) with m the rounded maximum, moderate logits"
)
def r_softmax_fma_remat_moderate():
    def f(x, s):
        m = (x * s).amax(-1, keepdim=True)
        e = torch.exp(fma(x, s.expand_as(x), (-m).expand_as(x)))
        return e / e.sum(-1, keepdim=True)

    return f, (lambda x, s: torch.softmax(x * s, -1)), (randn(32, 200), torch.tensor(5.3))
