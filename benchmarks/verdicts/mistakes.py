"""Pairs whose difference is a mistake against the declared precision, however small it looks."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from .algorithms import (
    bf,
    eager,
    fma,
    gout,
    grads,
    gru_cell,
    hf,
    ln_onepass,
    mlp,
    mlp_in,
    randn,
    rsqrt_newton,
    sdpa,
    to_tf32,
)
from .registry import mistake


@mistake("bias", "fused epilogue adds bias twice in last channel", tags=("one-channel",))
def m_linear_bias_twice_one_channel():
    def f(x, W, b):
        y = F.linear(x, W, b)
        y[:, -1] += b[-1]
        return y

    return f, (lambda x, W, b: F.linear(x, W, b)), (randn(32, 256), randn(64, 256), randn(64) * 0.01)


@mistake("parameter-ignored", "pytorch/executorch#11683 (XNNPACK add ignores alpha)")
def m_alpha_ignored():
    return (lambda x, y: x + y), (lambda x, y: torch.add(x, y, alpha=10)), (randn(10), randn(10))


@mistake("wrong-attention-scale", "scale 1/sqrt(d) rounded to bf16", tags=("subtle",))
def m_attention_scale_bf16_const():
    s = float(torch.tensor(1 / math.sqrt(48)).bfloat16())
    return (lambda q, k, v: sdpa(q, k, v, scale=s)), sdpa, (randn(2, 20, 48), randn(2, 20, 48), randn(2, 20, 48))


@mistake("causal-mask-alignment", "pytorch/pytorch#103082, #108108; ml-explore/mlx#2835")
def m_causal_alignment():
    tl = torch.ones(6, 10, dtype=torch.bool).tril()
    br = torch.ones(6, 10, dtype=torch.bool).tril(4)
    return (lambda q, k, v: sdpa(q, k, v, br)), (lambda q, k, v: sdpa(q, k, v, tl)), (randn(2, 6, 16), randn(2, 10, 16), randn(2, 10, 16))


@mistake("mask-ignored", "huggingface/transformers#29029-type; ml-explore/mlx-lm#1906; TransformerLens#1005")
def m_padding_mask_ignored():
    m = torch.ones(3, 1, 10, dtype=torch.bool)
    m[1, :, :4] = False
    return (lambda q, k, v: sdpa(q, k, v)), (lambda q, k, v: sdpa(q, k, v, m)), (randn(3, 10, 16), randn(3, 10, 16), randn(3, 10, 16))


@mistake("nan-handling", "pytorch/pytorch#156707 (MPS NaN, CPU 0)", tags=("special",))
def m_masked_row_nan():
    m = torch.tensor([[[False, False], [True, True]]])
    return (
        (lambda q, k, v: sdpa(q, k, v, m)),
        (lambda q, k, v: torch.nan_to_num(sdpa(q, k, v, m))),
        (randn(1, 2, 4), randn(1, 2, 4), randn(1, 2, 4)),
    )


@mistake(
    "fma",
    "dev-discuss.pytorch.org/t/1953; pytorch#121558, #122260 (compiled exp(x*s-max)=inf, eager 1)",
    tags=("magnitude-dependent", "special", "ambiguous"),
    note="only a rounding difference locally, but invariant max-x>=0 is broken; PyTorch devs call it unboundedly worse than eager",
)
def m_softmax_fma_remat_large():
    def f(x, s):
        m = (x * s).amax(-1, keepdim=True)
        e = torch.exp(fma(x, s.expand_as(x), (-m).expand_as(x)))
        return e / e.sum(-1, keepdim=True)

    return (
        f,
        (lambda x, s: torch.softmax(x * s, -1)),
        (torch.tensor([[1.1e9, 1.0e9, 3.0], [7.7e10, -1.0, 2.0], [1.0, 2.0, 3.0]]), torch.tensor(1.7)),
    )


@mistake("tanh-gelu", "x*sigmoid(1.702x) (pytorch#61439 thread)")
def m_gelu_quick():
    return (lambda x: x * torch.sigmoid(1.702 * x)), (lambda x: F.gelu(x)), (randn(2000),)


@mistake("eps", "same eps mistake, variance 1e-4", tags=())
def m_layernorm_eps_small_var():
    return (lambda x: F.layer_norm(x, (256,), eps=1e-12)), (lambda x: F.layer_norm(x, (256,), eps=1e-5)), (randn(32, 256) * 1e-2,)


@mistake("biased-variance", "torch.std default (n-1) used in LN", tags=())
def m_layernorm_unbiased_var():
    return (
        (lambda x: (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, keepdim=True) + 1e-5)),
        (lambda x: F.layer_norm(x, (768,))),
        (randn(8, 768),),
    )


@mistake("batchnorm-mode", "microsoft/onnxruntime#4589; SO 57423150")
def m_bn_train_mode_in_eval():
    return (
        (lambda x, m, v: F.batch_norm(x, None, None, training=True)),
        (lambda x, m, v: F.batch_norm(x, m, v)),
        (randn(8, 4, 6, 6) + 0.2, torch.full((4,), 0.2), torch.ones(4)),
    )


@mistake("dropout-not-eval", "pytorch/pytorch#109532; microsoft/onnxruntime#4589", tags=("model",))
def m_dropout_not_eval():
    k = (torch.rand(64, 200) > 0.1).float() / 0.9

    def f(x, w1, b1, w2, b2, w3, b3):
        return F.linear(torch.tanh(F.linear(F.relu(F.linear(x, w1, b1)) * k, w2, b2)), w3, b3)

    return f, mlp, mlp_in()


@mistake("variance-cancellation", "pytorch/pytorch#51102; tracel-ai/burn#5607; tt-metal#45968", tags=("magnitude-dependent",))
def m_layernorm_variance_cancellation():
    return ln_onepass, (lambda x, w, b: F.layer_norm(x, (64,), w, b)), (randn(8, 64) + 2000, torch.ones(64), torch.zeros(64))


@mistake("variance-clamp", "pytorch/pytorch#190491", tags=("magnitude-dependent",))
def m_mps_layernorm_var_clamp():
    def f(x):
        m = x.mean(-1, keepdim=True)
        v = (x * x).mean(-1, keepdim=True) - m * m
        v = torch.where(v < 1e-6, torch.zeros_like(v), v)
        return (x - m) * torch.rsqrt(v + 1e-12)

    return f, (lambda x: F.layer_norm(x, (4,), eps=1e-12)), (torch.tensor([[-9.9e-4, -9.9e-4, 9.9e-4, 9.9e-4], [1.0, 2.0, 3.0, 4.0]]),)


@mistake("bf16-accumulate", "LN mean/var computed in bf16", tags=("precision",))
def m_norm_stats_bf16():
    return (
        (lambda x: (x - bf(x.mean(-1, keepdim=True))) / torch.sqrt(bf(x.var(-1, unbiased=False, keepdim=True)) + 1e-5)),
        (lambda x: F.layer_norm(x, (512,))),
        (randn(8, 512) + 0.3,),
    )


@mistake("stride", "pytorch/pytorch#118115 (MPS in-place addcdiv ignores strides)", tags=("non-contiguous",))
def m_addcdiv_noncontiguous():
    def f(x, y, z):
        o = x.clone().as_strided((6,), (1,))
        o = o + y.as_strided((6,), (1,)) / z.contiguous().as_strided((6,), (1,))
        return o.as_strided((3, 2), (1, 3))

    return f, (lambda x, y, z: x + y / z), (torch.rand(2, 3).t(), torch.rand(2, 3).t(), torch.rand(3, 2) + 0.5)


@mistake("layout", "discuss.pytorch.org/t/184306; henrysky.github.io keras-torch", tags=("model",))
def m_flatten_nhwc():
    return (
        (lambda x, w: F.linear(x.permute(0, 2, 3, 1).flatten(1), w)),
        (lambda x, w: F.linear(x.flatten(1), w)),
        (randn(4, 3, 6, 6), randn(10, 108)),
    )


@mistake("padding", "TF SAME (asymmetric) vs torch padding=1, stride 2")
def m_conv_same_padding_tf():
    return (
        (lambda x, w: F.conv2d(F.pad(x, (0, 1, 0, 1)), w, stride=2)),
        (lambda x, w: F.conv2d(x, w, stride=2, padding=1)),
        (randn(1, 3, 16, 16), randn(8, 3, 3, 3)),
    )


@mistake("stride", "pytorch/pytorch#105941 (fp16 1x1 stride-2 conv returns 5 not 11)", note="second input channel read at wrong stride")
def m_conv_stride_channel_sum():
    def f(x, w):
        return x[:, :1, ::2, ::2] * w[0, 0] + x[:, :1, ::2, 1::2] * w[0, 1]

    return (
        f,
        (lambda x, w: F.conv2d(x, w, stride=2)),
        (torch.tensor([[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]]), torch.tensor([[[[1.0]], [[2.0]]]])),
    )


@mistake("index-overflow", "proxy of 2^31/2^32 wrap: ml-explore/mlx#3248, #3138; pytorch#197636", tags=("one-channel",))
def m_index_wrap_16bit():
    def f(x):
        y = (x * 2).flatten()
        n = y.numel()
        o = torch.zeros(n)
        i = torch.arange(n)
        o[:65536] = y[:65536]
        o[i[65536:] % 65536] = y[65536:]
        return o.view_as(x)

    return f, (lambda x: x * 2), (randn(260, 256),)


@mistake("integer-promotion", "pytorch/pytorch#122233 (MPS compares int64 as float32)", tags=("integer-output",))
def m_int64_via_float32():
    return (lambda i: i.float().long()), (lambda i: i.clone()), (torch.arange(2**24 - 4, 2**24 + 60),)


@mistake("rounding-mode", "floor_divide truncation for negatives", tags=("integer-output", "input-dependent"))
def m_floor_div_trunc():
    return (
        (lambda a, b: torch.div(a, b, rounding_mode="trunc")),
        (lambda a, b: torch.div(a, b, rounding_mode="floor")),
        (torch.arange(-8, 8), torch.full((16,), 3)),
    )


@mistake("softmax-no-max-subtract", "FluxML/NNlib#68; tensorflow#10142", tags=("magnitude-dependent", "special"))
def m_softmax_overflow():
    return (
        (lambda x: torch.exp(x) / torch.exp(x).sum(-1, keepdim=True)),
        (lambda x: torch.softmax(x, -1)),
        (torch.tensor([[-431.0, 279.0, 427.0], [1.0, 2.0, 3.0]]),),
    )


@mistake("softmax-no-max-subtract", "subtracts max of whole tensor: rows far below underflow", tags=("magnitude-dependent",))
def m_softmax_global_max():
    def f(x):
        e = torch.exp(x - x.max())
        return e / e.sum(-1, keepdim=True)

    x = randn(4, 50)
    x[2] -= 95
    return f, (lambda x: torch.softmax(x, -1)), (x,)


@mistake("log-softmax", "pytorch/pytorch#94043 (MPS -inf); apple/coremltools#2727", tags=("magnitude-dependent", "special"))
def m_log_of_softmax():
    return (
        (lambda x: torch.log(torch.softmax(x, -1))),
        (lambda x: torch.log_softmax(x, -1)),
        (torch.tensor([[-16.9, 74.6, -245.6, 57.9, -59.8, 26.3], [-13.8, 62.5, -206.0, 48.6, -51.3, 21.7]]),),
    )


@mistake(
    "log-softmax",
    "ml-explore/mlx#4169; pytorch#11752 (x - logsumexp(x), logits 1e4)",
    tags=("magnitude-dependent", "backward-stable"),
    note="backward stable w.r.t. the logits (so a pure backward-error test passes it) but 5000x less accurate than eager; maintainers fixed it as a bug",
)
def m_log_softmax_large_offset():
    return (
        (lambda x: x - torch.logsumexp(x, -1, keepdim=True)),
        (lambda x: torch.log_softmax(x, -1)),
        (torch.rand(8, 30).mul(4).round() / 4 + 16384,),
    )


@mistake("cancellation", "(e^2x-1)/(e^2x+1): bad near 0, NaN for large x", tags=("magnitude-dependent", "special"))
def m_tanh_via_exp():
    return (
        (lambda x: (torch.exp(2 * x) - 1) / (torch.exp(2 * x) + 1)),
        (lambda x: torch.tanh(x)),
        (torch.tensor([1e-4, 1e-6, 1e-7, 0.5, 3.0, 50.0]),),
    )


@mistake("overflow", "pytorch/pytorch#91597, #44350, #12115", declared="float16", tags=("magnitude-dependent", "special", "precision"))
def m_fp16_mean_overflow():
    def f(x):
        s = x[:, 0].clone()
        for i in range(1, x.shape[1]):
            s = s + x[:, i]
        return s / x.shape[1]

    return f, (lambda x: (x.double().mean(1)).to(x.dtype)), (torch.full((2, 200), 400.0).half(),)


@mistake("fp16-accumulate", "fp16 running sum of ones stagnates at 2048 (cactus#344)", declared="float16", tags=("precision",))
def m_fp16_accumulate_stagnation():
    def f(x):
        s = torch.zeros(x.shape[0], dtype=x.dtype)
        for i in range(x.shape[1]):
            s = s + x[:, i]
        return s

    return f, (lambda x: x.double().sum(1).to(x.dtype)), (torch.ones(2, 4096).half(),)


@mistake("tf32", "pytorch/pytorch#50568 (0.0249), #149281", tags=("precision",))
def m_tf32_silent_conv():
    return (lambda x, w, b: F.conv2d(to_tf32(x), to_tf32(w), b, padding=1)), eager, (randn(2, 32, 16, 16), randn(16, 32, 3, 3), randn(16))


@mistake("tf32", "pytorch/pytorch#58434 (3090 rotation matrices)", tags=("precision", "subtle"))
def m_tf32_rotation_matrix():
    return (lambda r, p: to_tf32(r) @ to_tf32(p)), (lambda r, p: r @ p), (torch.linalg.qr(randn(3, 3))[0], randn(3, 50))


@mistake(
    "float64-downcast",
    "question 1 (DirectML/MPS have no float64); jax x64 disabled jax#9973",
    declared="float64",
    tags=("precision", "subtle", "below-tolerance"),
)
def m_float64_downcast():
    return (
        (lambda a, b: (a.float() @ b.float()).double()),
        (lambda a, b: a @ b),
        (torch.rand(20, 50).double() + torch.rand(20, 50).double() * 1e-9, torch.rand(50, 20).double()),
    )


@mistake(
    "float64-downcast", "one op falls back to float32 inside a float64 model", declared="float64", tags=("precision", "subtle", "model")
)
def m_one_layer_float32_in_f64_model():
    def f(x, w1, b1, w2, b2, w3, b3):
        h = torch.relu(F.linear(x, w1, b1))
        h = torch.tanh(F.linear(h.float(), w2.float(), b2.float())).double()
        return F.linear(h, w3, b3)

    return f, mlp, tuple(t.double() for t in mlp_in())


@mistake("bf16", "pytorch/pytorch#159239 (RoPE angles in bf16, Qwen) ", tags=("precision",))
def m_rope_bf16_positions():
    def g(x, c):
        f = 10000.0 ** (-torch.arange(0, 16, 2, dtype=x.dtype) / 16)
        p = torch.arange(x.shape[-2], dtype=x.dtype)[:, None]
        a = c(c(p) * c(f))
        x1, x2 = x[..., :8], x[..., 8:]
        return torch.cat([x1 * a.cos() - x2 * a.sin(), x2 * a.cos() + x1 * a.sin()], -1)

    return (lambda x: g(x, bf)), (lambda x: g(x, lambda t: t)), (randn(1, 300, 16),)


@mistake("index-off-by-one", "exclusive instead of inclusive scan")
def m_cumsum_exclusive():
    return (lambda x: x.cumsum(0) - x), (lambda x: x.cumsum(0)), (torch.rand(100),)


@mistake("gru-variant", "mratsim/Arraymancer#228; discuss 6630; root#5367 (TF/ONNX GRU)", tags=("model",))
def m_gru_linear_before_reset():
    return (
        (lambda *a: gru_cell(*a, linear_before_reset=False)),
        gru_cell,
        (randn(6, 10), randn(6, 16), randn(48, 10) * 0.3, randn(48, 16) * 0.3, randn(48) * 0.3, randn(48) * 0.3),
    )


@mistake("tail-block", "size 66 not a multiple of 16: tail untouched (pytorch#196681 family)", tags=("input-dependent",))
def m_tail_block_unprocessed():
    def f(x):
        y = x.clone()
        n = x.shape[-1] // 16 * 16
        y[..., :n] = torch.exp(x[..., :n])
        return y

    return f, (lambda x: torch.exp(x)), (randn(4, 66),)


@mistake("tail-block", "masked tail of max-reduction filled with 0", tags=("input-dependent",))
def m_tail_max_identity_zero():
    return (lambda x: F.pad(x, (0, 80 - 70)).amax(-1)), (lambda x: x.amax(-1)), (-torch.rand(8, 70) - 0.1,)


@mistake("tail-block", "sum drops last element of n=100001: relative error 1e-5", tags=("subtle", "below-tolerance"))
def m_tail_sum_drops_last():
    return (lambda x: x[:, :-1].sum(-1)), (lambda x: x.sum(-1)), (torch.rand(4, 200_001) + 0.5,)


@mistake("nan-handling", "logsumexp of all -inf: NaN instead of -inf", tags=("special", "input-dependent"))
def m_logsumexp_all_neginf():
    x = randn(3, 5)
    x[1] = -float("inf")

    def f(x):
        m = x.amax(-1, keepdim=True)
        return (torch.exp(x - m).sum(-1)).log() + m[..., 0]

    return f, (lambda x: torch.logsumexp(x, -1)), (x,)


@mistake("denormal-flush", "pytorch/pytorch#126848 (compile flips FTZ: 8.8e-39 -> 0)", tags=("special", "below-tolerance", "ambiguous"))
def m_denormal_flush():
    def f(x):
        y = x * 2.0**-124
        return torch.where(y.abs() < 1.17549435e-38, torch.zeros_like(y), y)

    return f, (lambda x: x * 2.0**-124), (torch.tensor([0.1875, 0.03, 1.5, 0.0625]),)


@mistake("approximation", "MPS/GPU fast-math reciprocal (pytorch#84936): ~2^-17", tags=("subtle",))
def m_fast_rcp_one_step():
    return (lambda x, y: x * bf(hf(1 / y)) * (2 - y * bf(hf(1 / y)))), (lambda x, y: x / y), (randn(2000), torch.rand(2000) + 0.5)


@mistake("approximation", "fast inverse sqrt with 2 Newton steps: 4.7e-6", tags=("subtle", "below-tolerance"))
def m_rsqrt_newton2():
    return (lambda v: rsqrt_newton(v, 2)), (lambda v: torch.rsqrt(v)), (torch.rand(3000) * 10 + 0.1,)


@mistake("approximation", "degree-5 polynomial exp (soumith nn#804 approximate exp): ~2e-6", tags=("subtle", "below-tolerance"))
def m_exp_poly5():
    def f(x):
        k = torch.round(x * 1.4426950408889634)
        r = x - k * 0.6931471805599453
        p = torch.ones_like(r)
        for c in (5, 4, 3, 2, 1):
            p = 1 + r / c * p
        return p * torch.exp2(k)

    return f, (lambda x: torch.exp(x)), (-torch.rand(4000) * 8,)


@mistake("corruption", "one element off by 6e-6 relative (race / bit flip)", tags=("one-element", "subtle", "below-tolerance"))
def m_single_element_corrupt():
    def f(a, b):
        y = a @ b
        y[17, 23] *= 1 + 6e-6
        return y

    return f, (lambda a, b: a @ b), (torch.rand(64, 128), torch.rand(128, 64))


@mistake("corruption", "one gather index off", tags=("one-element",))
def m_single_element_wrong_index():
    i = torch.randint(0, 500, (1000,))
    j = i.clone()
    j[777] = (j[777] + 1) % 500
    e = 1 + 1e-3 * torch.randn(500, 4)
    return (lambda e: e[j]), (lambda e: e[i]), (e,)


@mistake("loss-normalisation", "huggingface/transformers#35203; unsloth gradient accumulation")
def m_grad_accum_mean_of_means():
    t = torch.randint(0, 50, (4, 30))
    n = [30, 22, 9, 27]
    for r, k in enumerate(n):
        t[r, k:] = -100
    return (
        (lambda x: sum(F.cross_entropy(x[r], t[r]) for r in range(4)) / 4),
        (lambda x: F.cross_entropy(x.flatten(0, 1), t.flatten())),
        (randn(4, 30, 50) * 2,),
    )


@mistake("backward-term", "bias gradient averaged over batch instead of summed", tags=("backward",))
def m_bias_grad_mean():
    return (
        (lambda x, w, b: (gout(F.linear(x, w, b)).mean(0),)),
        (lambda x, w, b: grads(F.linear, x, w, b, wrt=[2])),
        (randn(16, 8), randn(4, 8), randn(4)),
    )


@mistake("backward-ties", "tie gradient: all ties vs first (amax vs max)", tags=("backward", "input-dependent", "ambiguous"))
def m_maxpool_grad_ties():
    return (
        (lambda x: grads(lambda a: a.amax(-1), x)),
        (lambda x: grads(lambda a: a.max(-1).values, x)),
        (torch.randint(0, 3, (6, 8)).float(),),
    )


@mistake("layout", "ONNX DepthToSpace DCR vs CRD")
def m_pixel_shuffle_dcr():
    def f(x):
        n, c, h, w = x.shape
        return x.reshape(n, 2, 2, c // 4, h, w).permute(0, 3, 4, 1, 5, 2).reshape(n, c // 4, 2 * h, 2 * w)

    return f, (lambda x: F.pixel_shuffle(x, 2)), (randn(1, 8, 4, 4),)


@mistake("preprocessing", "/256 instead of /255", tags=())
def m_normalise_256():
    return (lambda x: (x / 256 - 0.485) / 0.229), (lambda x: (x / 255 - 0.485) / 0.229), (torch.randint(0, 256, (3, 8, 8)).float(),)


@mistake("stale-weight", "one layer not re-synchronised: weights differ by one SGD step", tags=("model", "subtle"))
def m_mlp_one_weight_stale():
    d = randn(150, 200) * 1e-5
    return (lambda x, w1, b1, w2, b2, w3, b3: mlp(x, w1, b1, w2 + d, b2, w3, b3)), mlp, mlp_in()


@mistake("eps", "small convnet with BN eps 1e-3 vs 1e-5", tags=("model",))
def m_convnet_bn_eps_model():
    def net(x, w1, w2, m, v, eps):
        return F.conv2d(torch.relu(F.batch_norm(F.conv2d(x, w1, padding=1), m, v, eps=eps)), w2).mean((2, 3))

    return (
        (lambda *a: net(*a, eps=1e-3)),
        (lambda *a: net(*a, eps=1e-5)),
        (randn(4, 3, 16, 16), randn(8, 3, 3, 3) * 0.3, randn(5, 8, 3, 3) * 0.2, randn(8) * 0.1, torch.rand(8) + 0.8),
    )


@mistake("index", "pytorch/pytorch#81384 (einsum/bias index order on MPS)")
def m_mps_bias_broadcast_order():
    return (
        (lambda x, w, b: torch.einsum("ij,bjk->bik", x, w) + b.transpose(0, 1).reshape(b.shape)),
        (lambda x, w, b: torch.einsum("ij,bjk->bik", x, w) + b),
        (randn(4, 5), randn(3, 5, 4), randn(3, 4, 4)),
    )


@mistake("state", "microsoft/DirectML#364 (BatchNorm running stats never updated in training)", tags=("state",))
def m_directml_bn_stats_not_updated():
    return (
        (lambda x, rm, rv: (rm.clone(), rv.clone())),
        (lambda x, rm, rv: (0.9 * rm + 0.1 * x.mean((0, 2, 3)), 0.9 * rv + 0.1 * x.var((0, 2, 3)))),
        (randn(8, 4, 6, 6) + 0.5, torch.zeros(4), torch.ones(4)),
    )
