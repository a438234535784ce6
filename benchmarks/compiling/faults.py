"""14 injected faults in torch.compile (torch 2.13, CPU, Inductor's C++ backend).

Every fault makes the compiled program wrong by much more than rounding, in one stage
of compiling and at one op.  `python compile_faults.py [id ...]` checks the set.

where: "compile_faults.py" when the wrong thing is a Python function of this file that
is *registered* with the compiler (a polyfill/handler, a decomposition, a custom pass or
pattern, a lowering); "" when a method of the compiler itself is patched.
also: other names under which the same wrong op may reasonably be reported.
"""

import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")

import contextlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn as nn
import torch.nn.functional as F

aten = torch.ops.aten
HERE = "compile_faults.py"


@dataclass
class Fault:
    id: str
    stage: str
    op: str
    where: str
    inject: Callable[[], Any]
    make: Callable[[int], tuple]
    note: str
    also: tuple = ()


# --------------------------------------------------------------------------- helpers


@contextlib.contextmanager
def _no_caches():
    """Never read or write a cached compilation while a fault is in force."""
    import torch._inductor.config as config

    with config.patch(force_disable_caches=True):
        yield


@contextlib.contextmanager
def _dict_patch(d, new):
    missing = object()
    old = {k: d.get(k, missing) for k in new}
    d.update(new)
    try:
        yield
    finally:
        for k, v in old.items():
            if v is missing:
                d.pop(k, None)
            else:
                d[k] = v


@contextlib.contextmanager
def _attr_patch(obj, name, new):
    missing = object()
    old = obj.__dict__.get(name, missing)
    setattr(obj, name, new)
    try:
        yield
    finally:
        if old is missing:
            delattr(obj, name)
        else:
            setattr(obj, name, old)


@contextlib.contextmanager
def _decomposition(op, fn):
    from torch._inductor import decomposition as D

    with _no_caches(), _dict_patch(D.decompositions, {op: fn}):
        D.fast_random_decomps.cache_clear()
        try:
            yield
        finally:
            D.fast_random_decomps.cache_clear()
    D.fast_random_decomps.cache_clear()


@contextlib.contextmanager
def _lowering(packet, fn, **kw):
    from torch._inductor import lowering as L

    # every overload by name: register_lowering leaves out those that have a lowering
    ops = [packet, *(getattr(packet, name) for name in packet.overloads())]
    table = {}
    L.register_lowering(ops, lowering_dict=table, **kw)(fn)
    with _no_caches(), _dict_patch(L.lowerings, table):
        yield


@contextlib.contextmanager
def _config(**kw):
    import torch._inductor.config as config

    with _no_caches(), config.patch(kw):
        yield


@contextlib.contextmanager
def _overrides(**methods):
    """Patch methods of the C++ op handlers, (scalar, vectorised) each."""
    from torch._inductor.codegen.cpp import CppOverrides, CppVecOverrides

    with contextlib.ExitStack() as stack:
        stack.enter_context(_no_caches())
        for name, (scalar, vec) in methods.items():
            if scalar is not None:
                stack.enter_context(_attr_patch(CppOverrides, name, staticmethod(scalar)))
            if vec is not None:
                stack.enter_context(_attr_patch(CppVecOverrides, name, staticmethod(vec)))
        yield


def _seeded(build):
    """make(seed) from build() -> (model, inputs), leaving the global RNG alone."""

    def make(seed):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model, inputs = build()
        if isinstance(model, nn.Module):
            model = model.eval().requires_grad_(False)
        return model, inputs

    return make


# --------------------------------------------------------------------------- capture


def _wrong_gelu(input, approximate="none"):
    # the tanh form, whatever `approximate` asks for
    inner = 0.7978845608028654 * (input + 0.044715 * input * input * input)
    return 0.5 * input * (1.0 + inner.tanh())


@contextlib.contextmanager
def inject_capture_gelu():
    from torch._dynamo.variables.base import VariableTracker
    from torch._dynamo.variables.torch import TorchInGraphFunctionVariable

    def handle_gelu(self, tx, *args, **kwargs):
        fn = VariableTracker.build(tx, _wrong_gelu)
        return tx.inline_user_function_return(fn, list(args), kwargs)

    handlers = TorchInGraphFunctionVariable._get_handlers()
    with _no_caches(), _dict_patch(handlers, {F.gelu: handle_gelu}):
        yield


class PreNormMLP(nn.Module):
    def __init__(self, d=48, h=96):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.up = nn.Linear(d, h)
        self.down = nn.Linear(h, d)
        self.out = nn.Linear(d, 10)
        self.gain = nn.Parameter(torch.rand(d) + 0.5)

    def forward(self, x):
        y = self.norm(x)
        y = self.down(F.gelu(self.up(y)))
        x = x + y * self.gain
        x = torch.tanh(x)
        return F.softmax(self.out(x), dim=-1), x


@_seeded
def make_capture_gelu():
    m = PreNormMLP()
    m.up.weight.data.mul_(4.0)
    return m, (torch.randn(4, 12, 48),)


def _drop_sdpa_scale(graph):
    for node in graph.nodes:
        if node.target is F.scaled_dot_product_attention and "scale" in node.kwargs:
            node.kwargs = {k: v for k, v in node.kwargs.items() if k != "scale"}


@contextlib.contextmanager
def inject_capture_sdpa():
    from torch._dynamo.output_graph import OutputGraph

    clean = OutputGraph.cleanup_graph

    def cleanup_graph(self):
        clean(self)
        _drop_sdpa_scale(self.graph)

    with _no_caches(), _attr_patch(OutputGraph, "cleanup_graph", cleanup_graph):
        yield


class Attention(nn.Module):
    def __init__(self, d=64, heads=4):
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(d)
        self.qkv = nn.Linear(d, 3 * d)
        self.proj = nn.Linear(d, d)
        self.ff = nn.Sequential(nn.Linear(d, d), nn.SiLU(), nn.Linear(d, d))

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(self.norm(x)).chunk(3, dim=-1)
        q, k, v = (z.view(b, t, self.heads, -1).transpose(1, 2) for z in (q, k, v))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.4)
        a = a.transpose(1, 2).reshape(b, t, d)
        x = x + self.proj(a)
        return x + self.ff(x) * 0.5


@_seeded
def make_capture_sdpa():
    m = Attention()
    m.qkv.weight.data.mul_(2.0)
    return m, (torch.randn(2, 20, 64),)


# --------------------------------------------------------------------- decomposition


def _wrong_native_layer_norm(input, normalized_shape, weight, bias, eps):
    dims = list(range(input.ndim - len(normalized_shape), input.ndim))
    var, mean = torch.var_mean(input, dim=dims, correction=1, keepdim=True)  # n - 1
    rstd = torch.rsqrt(var + eps)
    out = (input - mean) * rstd
    if weight is not None:
        out = out * weight
    if bias is not None:
        out = out + bias
    return out, mean, rstd


def inject_decomp_layer_norm():
    return _decomposition(aten.native_layer_norm.default, _wrong_native_layer_norm)


class EncoderHead(nn.Module):
    def __init__(self, vocab=50, d=40):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.pos = nn.Parameter(torch.randn(1, 16, d) * 0.3)
        self.mix = nn.Linear(d, d)
        self.norm = nn.LayerNorm(d)
        self.cls = nn.Linear(d, 6)

    def forward(self, ids):
        x = self.emb(ids) + self.pos
        x = x + F.relu(self.mix(x))
        x = self.norm(x)
        pooled = x.amax(dim=1)
        score = torch.sigmoid(self.cls(pooled))
        return x, score, F.log_softmax(self.cls(x), dim=-1)


@_seeded
def make_decomp_layer_norm():
    m = EncoderHead()
    m.norm.weight.data.uniform_(0.5, 1.5)
    m.norm.bias.data.normal_(0, 0.2)
    return m, (torch.randint(0, 50, (3, 16)),)


def _wrong_nll_loss_forward(self, target, weight, reduction, ignore_index):
    safe = torch.where(target != ignore_index, target, 0).unsqueeze(1)
    keep = target != ignore_index
    picked = torch.gather(self, 1, safe).squeeze(1)
    if weight is not None:
        w = weight[safe.squeeze(1)]
        picked = picked * w
        total = torch.where(keep, w, 0.0).sum()
    else:
        total = keep.sum().to(self.dtype)
    loss = torch.where(keep, -picked, 0.0)
    if reduction == 0:
        return loss, self.new_full((), 0.0)
    if reduction == 1:
        return loss.sum() / target.shape[0], total  # counts the ignored targets too
    return loss.sum(), total


def inject_decomp_nll():
    return _decomposition(aten.nll_loss_forward.default, _wrong_nll_loss_forward)


class Classifier(nn.Module):
    def __init__(self, d=32, classes=12):
        super().__init__()
        self.fc1 = nn.Linear(d, 64)
        self.fc2 = nn.Linear(64, 64)
        self.norm = nn.LayerNorm(64)
        self.head = nn.Linear(64, classes)

    def forward(self, x, target):
        h = F.relu(self.fc1(x))
        h = h + torch.tanh(self.fc2(h))
        logits = self.head(self.norm(h))
        ce = F.cross_entropy(logits, target, ignore_index=-100)
        penalty = logits.square().mean()
        return ce + 1e-3 * penalty, logits


@_seeded
def make_decomp_nll():
    target = torch.randint(0, 12, (64,))
    target[::13] = -100
    return Classifier(), (torch.randn(64, 32), target)


def _wrong_elu(self, alpha=1, scale=1, input_scale=1):
    neg = alpha * torch.expm1(self * input_scale)  # `scale` forgotten on this side
    return torch.where(self > 0, self * scale, neg)


def inject_decomp_elu():
    return _decomposition(aten.elu.default, _wrong_elu)


class SelfNormalizing(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(4, 12, 3, padding=1)
        self.conv2 = nn.Conv1d(12, 12, 3, padding=1)
        self.fc = nn.Linear(12, 8)

    def forward(self, x):
        y = F.softplus(self.conv(x))
        y = y - y.mean(dim=-1, keepdim=True)
        y = F.selu(self.conv2(y))
        y = y * torch.sigmoid(y.amax(dim=1, keepdim=True))
        z = self.fc(y.transpose(1, 2))
        return z / (z.abs() + 1.0), y


@_seeded
def make_decomp_elu():
    return SelfNormalizing(), (torch.randn(3, 4, 33) * 2,)


# ------------------------------------------------------------------------ graph pass


def _div_to_mul(graph):
    """X / c -> x * (1 / c), but with 1 / c kept to three decimals."""
    for node in list(graph.nodes):
        if node.op == "call_function" and node.target is aten.div.Tensor:
            c = node.args[1]
            if isinstance(c, (int, float)) and not node.kwargs:
                node.target = aten.mul.Tensor
                node.args = (node.args[0], round(1.0 / c, 3))


def inject_pass_div():
    return _config(post_grad_custom_pre_pass=_div_to_mul)


class Retrieval(nn.Module):
    def __init__(self, d=24):
        super().__init__()
        self.q = nn.Linear(d, d)
        self.k = nn.Linear(d, d)
        self.temperature = math.sqrt(d) * 0.7

    def forward(self, a, b):
        q = torch.tanh(self.q(a))
        k = F.relu(self.k(b))
        sim = q @ k.t()
        sim = (sim + sim.amax(dim=1, keepdim=True)) / self.temperature
        return torch.logsumexp(sim, dim=-1), torch.sigmoid(sim) * q.abs().sum(1, keepdim=True)


@_seeded
def make_pass_div():
    return Retrieval(), (torch.randn(20, 24), torch.randn(28, 24))


def _fold_batch_norm(graph):
    """Batch norm in inference -> scale and shift, with an eps of 1e-3 for every one."""
    for node in list(graph.nodes):
        if node.op != "call_function" or node.target not in (F.batch_norm, torch.batch_norm):
            continue
        names = ("input", "weight", "bias", "running_mean", "running_var", "training")
        if node.target is F.batch_norm:
            names = ("input", "running_mean", "running_var", "weight", "bias", "training")
        a = dict(zip(names, node.args)) | dict(node.kwargs)
        if a.get("training"):
            continue
        shape = [1, -1] + [1] * (node.meta["example_value"].ndim - 2)
        with graph.inserting_before(node):
            f = graph.call_function
            scale = f(torch.mul, (f(torch.rsqrt, (f(torch.add, (a["running_var"], 1e-3)),)), a["weight"]))
            shift = f(torch.sub, (a["bias"], f(torch.mul, (a["running_mean"], scale))))
            y = f(torch.mul, (a["input"], f(torch.reshape, (scale, shape))))
            y = f(torch.add, (y, f(torch.reshape, (shift, shape))))
        node.replace_all_uses_with(y)
        graph.erase_node(node)


def inject_pass_bn():
    return _config(pre_grad_custom_pass=_fold_batch_norm)


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(3, 8, 3, padding=1)
        self.c2 = nn.Conv2d(8, 8, 3, padding=1)
        self.bn = nn.BatchNorm2d(8)
        self.fc = nn.Linear(8, 5)

    def forward(self, x):
        x = F.relu(self.c1(x))
        y = self.bn(self.c2(x))
        x = F.leaky_relu(x + y, 0.1)
        x = F.max_pool2d(x, 2)
        return torch.tanh(self.fc(x.mean(dim=(2, 3)))), x


@_seeded
def make_pass_bn():
    m = ConvNet()
    m.bn.running_mean.normal_(0, 0.1)
    m.bn.running_var.uniform_(0.04, 0.2)
    m.bn.weight.data.uniform_(0.5, 1.5)
    m.bn.bias.data.normal_(0, 0.2)
    return m, (torch.randn(2, 3, 10, 10),)


def _clamp_is_noop(self, max=None, *args, **kwargs):
    # "no activation is ever that large"
    return isinstance(max, (int, float)) and max >= 2


def inject_pass_clamp():
    from torch._inductor.fx_passes import post_grad

    @contextlib.contextmanager
    def cm():
        entry = {aten.clamp_max.default: (_clamp_is_noop, 0)}
        with _no_caches(), _dict_patch(post_grad.noop_registry, entry):
            yield

    return cm()


def make_pass_clamp(seed):
    def bounded_mixture(x, w, b, mask):
        h = torch.addmm(b, x, w)
        h = (h - h.mean(dim=0)) / (h.std(dim=0) + 0.1)
        h = torch.clamp(h, -2.5, 2.5)
        h = h * torch.sigmoid(h)
        h = torch.where(mask, h, torch.zeros_like(h))
        s = F.softmax(h, dim=-1)
        return (s * h).sum(dim=-1), torch.cumsum(h, dim=1)

    g = torch.Generator().manual_seed(seed)
    x = torch.randn(40, 30, generator=g)
    w = torch.randn(30, 26, generator=g) / 5
    b = torch.randn(26, generator=g)
    mask = torch.rand(40, 26, generator=g) > 0.1
    return bounded_mixture, (x, w, b, mask)


# -------------------------------------------------------------------------- lowering


def _wrong_mean(x, axis=None, keepdim=False, *, dtype=None):
    from torch._inductor import lowering as L

    if dtype is not None:
        x = L.to_dtype(x, dtype)
    size = x.get_size()
    axes = L._validate_reduction_axis(x, axis)
    n = 1
    for i in axes:
        n *= int(size[i])
    return L.div(L.sum_(x, list(axes), keepdim), float(max(n - 1, 1)))  # n - 1


def inject_lower_mean():
    return _lowering(aten.mean, _wrong_mean)


class RMSNormGLU(nn.Module):
    def __init__(self, d=48):
        super().__init__()
        self.g = nn.Parameter(torch.rand(d) + 0.5)
        self.a = nn.Linear(d, 64)
        self.b = nn.Linear(d, 64)
        self.c = nn.Linear(64, d)

    def forward(self, x):
        ms = x.pow(2).mean(dim=-1, keepdim=True)
        y = x * torch.rsqrt(ms + 1e-6) * self.g
        y = self.c(F.silu(self.a(y)) * self.b(y))
        x = x + y
        return F.softmax(x, dim=-1).amax(dim=-1), x


@_seeded
def make_lower_mean():
    m = RMSNormGLU()
    m.c.weight.data.mul_(3)
    return m, (torch.randn(4, 9, 48),)


def _wrong_avg_pool2d(x, kernel_size, stride=(), padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    from torch._inductor import lowering as L

    if padding == 0 or padding == [0, 0]:
        count_include_pad = True
    else:
        count_include_pad = not count_include_pad  # the flag read the wrong way round
    return L._avg_poolnd(x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, dim=2)


def inject_lower_avg_pool():
    return _lowering(aten.avg_pool2d, _wrong_avg_pool2d, type_promotion_kind=None)


class PoolNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(2, 6, 3, padding=1)
        self.c2 = nn.Conv2d(6, 6, 1)
        self.norm = nn.GroupNorm(2, 6)
        self.fc = nn.Linear(6, 4)

    def forward(self, x):
        x = F.relu(self.c1(x))
        p = F.avg_pool2d(x, 3, stride=2, padding=1)
        y = self.c2(p)
        y = F.hardswish(self.norm(y)) + torch.exp(-p)
        pooled = y.sum(dim=(2, 3)) / 25.0
        return F.log_softmax(self.fc(pooled), dim=-1), pooled


@_seeded
def make_lower_avg_pool():
    return PoolNet(), (torch.randn(3, 2, 10, 10),)


def _wrong_glu(x, dim=-1):
    from torch._inductor import lowering as L

    size = x.get_size()
    dim = L._validate_dim(x, dim, 0)
    n = int(size[dim]) // 2
    a = L.slice_(x, dim, 0, n)
    b = L.slice_(x, dim, n, 2 * n)
    # the "hard" sigmoid in place of the sigmoid
    gate = L.add(L.mul(b, 1.0 / 6.0), 0.5)
    gate = L.lowerings[aten.minimum](L.lowerings[aten.maximum](gate, 0.0), 1.0)
    return L.mul(a, gate)


def inject_lower_glu():
    return _lowering(aten.glu, _wrong_glu)


class GatedConv(nn.Module):
    def __init__(self, c=10):
        super().__init__()
        self.inp = nn.Conv1d(c, 2 * c, 5, padding=2)
        self.dw = nn.Conv1d(c, c, 3, padding=1, groups=c)
        self.norm = nn.LayerNorm(c)
        self.out = nn.Linear(c, c)

    def forward(self, x):
        r = x
        y = F.glu(self.inp(x), dim=1)
        y = self.dw(y).transpose(1, 2)
        y = F.gelu(self.norm(y))
        y = self.out(y).transpose(1, 2)
        return r + y, (r * y).sum(dim=1)


@_seeded
def make_lower_glu():
    return GatedConv(), (torch.randn(2, 10, 37),)


# ------------------------------------------------------------------- code generation


def _scalar_tanh(x):
    t = f"decltype({x})"
    return f"{x} * ({t}(27) + {x} * {x}) / ({t}(27) + {t}(9) * {x} * {x})"


def inject_codegen_tanh():
    # tanh as its Pade approximant, without a clamp
    return _overrides(tanh=(_scalar_tanh, _scalar_tanh))


class Cell(nn.Module):
    def __init__(self, d=20, h=30):
        super().__init__()
        self.x2h = nn.Linear(d, 4 * h)
        self.h2h = nn.Linear(h, 4 * h)
        self.out = nn.Linear(h, 5)

    def forward(self, x, h, c):
        i, f, g, o = (self.x2h(x) + self.h2h(h)).chunk(4, dim=-1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * F.softsign(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        return h, c, F.log_softmax(self.out(h), dim=-1)


@_seeded
def make_codegen_tanh():
    return Cell(), (torch.randn(7, 20), torch.randn(7, 30), torch.randn(7, 30) * 1.5)


@contextlib.contextmanager
def inject_codegen_tail():
    # a vectorised sum forgets the elements after the last whole vector
    from torch._inductor.codegen.cpp import CppVecKernel

    right = CppVecKernel.reduction_combine_vec

    def reduction_combine_vec(self, reduction_type, var, *args, **kwargs):
        if reduction_type == "sum" and self.tail_size:
            return f"{var}"
        return right(self, reduction_type, var, *args, **kwargs)

    patch = _attr_patch(CppVecKernel, "reduction_combine_vec", reduction_combine_vec)
    with _no_caches(), patch:
        yield


class Pooler(nn.Module):
    def __init__(self, d=28, n=51):
        super().__init__()
        self.fc = nn.Linear(d, n)
        self.bias = nn.Parameter(torch.rand(n))
        self.out = nn.Linear(n, 6)

    def forward(self, x):
        y = F.relu(self.fc(x)) + self.bias
        y = y * torch.sigmoid(y)
        z = y.sum(dim=-1, keepdim=True)
        z = torch.log1p(z) * 0.5
        w = torch.tanh(y) - z
        return self.out(w), w.abs().sqrt()


@_seeded
def make_codegen_tail():
    return Pooler(), (torch.randn(18, 28),)


@contextlib.contextmanager
def inject_codegen_constant():
    # float constants are written out with three digits
    from torch._inductor.codegen.cpp import CppOverrides

    right = CppOverrides.__dict__["constant"].__func__

    def constant(val, dtype):
        if isinstance(val, float) and math.isfinite(val):
            val = float(f"{val:.3g}")
        return right(val, dtype)

    with _overrides(constant=(constant, None)):
        yield


class QuickGelu(nn.Module):
    def __init__(self, d=36):
        super().__init__()
        self.a = nn.Linear(d, 72)
        self.b = nn.Linear(72, d)
        self.c = nn.Linear(d, d)
        self.scale = nn.Parameter(torch.rand(d) + 0.5)

    def forward(self, x):
        y = F.relu(self.a(x))
        y = self.b(y) * self.scale
        y = y * 1.7047
        y = y + torch.tanh(self.c(x))
        y = y - y.amax(dim=-1, keepdim=True)
        return torch.exp(y), y.abs().sum(dim=1)


@_seeded
def make_codegen_constant():
    return QuickGelu(), (torch.randn(5, 11, 36),)


# ------------------------------------------------------------------------------- set

FAULTS: list[Fault] = [
    Fault(
        "capture_gelu",
        "capture",
        "gelu",
        HERE,
        inject_capture_gelu,
        make_capture_gelu,
        "Dynamo's handler for torch._C._nn.gelu inlines a polyfill with the tanh form",
    ),
    Fault(
        "capture_sdpa_scale",
        "capture",
        "scaled_dot_product_attention",
        "",
        inject_capture_sdpa,
        make_capture_sdpa,
        "OutputGraph.cleanup_graph also drops scale= of scaled_dot_product_attention",
        ("_scaled_dot_product_flash_attention_for_cpu",),
    ),
    Fault(
        "decomp_layer_norm",
        "decomposition",
        "native_layer_norm",
        HERE,
        inject_decomp_layer_norm,
        make_decomp_layer_norm,
        "native_layer_norm decomposed with the unbiased variance",
        ("layer_norm",),
    ),
    Fault(
        "decomp_nll_loss",
        "decomposition",
        "nll_loss_forward",
        HERE,
        inject_decomp_nll,
        make_decomp_nll,
        "nll_loss_forward's mean divides by all targets, the ignored ones too",
        ("nll_loss", "nll_loss_nd", "cross_entropy", "cross_entropy_loss"),
    ),
    Fault(
        "decomp_elu",
        "decomposition",
        "elu",
        HERE,
        inject_decomp_elu,
        make_decomp_elu,
        "elu's decomposition forgets `scale` for negative inputs (model: selu)",
        ("selu",),
    ),
    Fault(
        "pass_div_to_mul",
        "graph pass",
        "div",
        HERE,
        inject_pass_div,
        make_pass_div,
        "post_grad_custom_pre_pass: x / c -> x * (1/c to three decimals)",
        ("mul", "truediv"),
    ),
    Fault(
        "pass_fold_batch_norm",
        "graph pass",
        "batch_norm",
        HERE,
        inject_pass_bn,
        make_pass_bn,
        "pre_grad_custom_pass: batch norm folded into scale and shift with eps 1e-3",
        ("_native_batch_norm_legit_no_training", "native_batch_norm"),
    ),
    Fault(
        "pass_clamp_noop",
        "graph pass",
        "clamp_max",
        HERE,
        inject_pass_clamp,
        make_pass_clamp,
        "remove_noop_ops takes clamp_max(x, c >= 2) for a no-op",
        ("clamp",),
    ),
    Fault("lower_mean", "lowering", "mean", HERE, inject_lower_mean, make_lower_mean, "mean lowered with the divisor n - 1"),
    Fault(
        "lower_avg_pool2d",
        "lowering",
        "avg_pool2d",
        HERE,
        inject_lower_avg_pool,
        make_lower_avg_pool,
        "avg_pool2d lowered with count_include_pad inverted",
    ),
    Fault("lower_glu", "lowering", "glu", HERE, inject_lower_glu, make_lower_glu, "glu lowered with the hard sigmoid"),
    Fault(
        "codegen_tanh",
        "code generation",
        "tanh",
        "",
        inject_codegen_tanh,
        make_codegen_tanh,
        "CppOverrides.tanh and CppVecOverrides.tanh are a Pade approximant",
    ),
    Fault(
        "codegen_reduction_tail",
        "code generation",
        "sum",
        "",
        inject_codegen_tail,
        make_codegen_tail,
        "CppVecKernel.reduction_combine_vec: a vectorised sum drops its tail (51 = 3 * 16 + 3)",
    ),
    Fault(
        "codegen_constant",
        "code generation",
        "mul",
        "",
        inject_codegen_constant,
        make_codegen_constant,
        "CppOverrides.constant writes floats with three digits (here: y * 1.7047)",
    ),
]


# ----------------------------------------------------------------------------- check


def _outputs(x):
    return list(x) if isinstance(x, (tuple, list)) else [x]


def rel_error(a, b):
    worst = 0.0
    for u, v in zip(_outputs(a), _outputs(b), strict=True):
        u, v = u.double(), v.double()
        worst = max(worst, float((u - v).abs().max() / v.abs().max()))
    return worst


def _compiled(fault, seed, backend):
    import torch._inductor.config as config

    torch._dynamo.reset()
    model, inputs = fault.make(seed)
    with torch.no_grad(), config.patch(force_disable_caches=True, fx_graph_cache=False):
        out = torch.compile(model, backend=backend, fullgraph=True)(*inputs)
    torch._dynamo.reset()
    return out


def check(fault, seed=0):
    model, inputs = fault.make(seed)
    with torch.no_grad():
        want = model(*inputs)
    backends = ("eager", "aot_eager", "aot_eager_decomp_partition", "inductor")
    err = {}
    with fault.inject():
        for b in backends:
            err[b] = rel_error(_compiled(fault, seed, b), want)
    clean = rel_error(_compiled(fault, seed, "inductor"), want)

    tol = 1e-5
    first = next((b for b in backends if err[b] > tol), "none")
    expect = {"capture": "eager", "decomposition": "aot_eager_decomp_partition"}
    ok = first == expect.get(fault.stage, "inductor")
    ok = ok and tol < err["inductor"] < 0.5 and clean < tol
    ok = ok and all(e == e for e in err.values())
    print(
        f"{'ok  ' if ok else 'FAIL'} {fault.id:24} {fault.stage:16} {fault.op:30} "
        + " ".join(f"{b}={err[b]:.1e}" for b in backends)
        + f" clean={clean:.1e}",
        flush=True,
    )
    return ok


def main(argv):
    seeds = [int(a) for a in argv if a.isdigit()] or [0]
    ids = [a for a in argv if not a.isdigit()]
    torch.set_num_threads(1)
    good = total = 0
    for f in FAULTS:
        if not ids or f.id in ids:
            for s in seeds:
                total += 1
                try:
                    good += check(f, s)
                except Exception as e:
                    print(f"FAIL {f.id}: {type(e).__name__}: {str(e)[:600]}", flush=True)
    print(f"{good} of {total} good")
    return 0 if good == total else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
