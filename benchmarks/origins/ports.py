"""Pairs of the same model in PyTorch, NumPy and JAX, with known faults.

Three small PyTorch models, each with a hand-written port in NumPy and one in
JAX, and a list of faults of the kind porters make.  Every fault exists in the
NumPy port, in the JAX port and as a variant of the PyTorch model itself (same
module names), so that the latter can be exported and compared with the right
model.

    model, inputs = MODELS["encoder"].make_torch(seed)            # right
    model, inputs = MODELS["encoder"].make_torch(seed, fault=id)  # faulty
    params = params_of(right_model)          # dict[str, np.ndarray], float32
    fn = MODELS["encoder"].numpy_port(params, None)      # fn(*inputs) -> array
    fn = MODELS["encoder"].numpy_port(params, fault_id)  # the port with a fault
    fn = MODELS["encoder"].numpy_port(params, name)      # name in .honest
    fn = MODELS["encoder"].jax_port(params, ...)         # the same

The ports always take the parameters of the *right* torch model.  Names in
`Model.honest` are rewrites which compute the same function in another way;
they are passed in place of a fault (make_torch takes them too, and gives the
right model).  JAX is imported only when a jax_port is made.

Running the file checks itself:  python cross_models.py [--export]
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass(frozen=True)
class Fault:
    id: str
    module: str  # dotted path of the torch module in which it begins
    op: str  # what is wrong, in words
    functional: bool = False  # in functional code of that (non-leaf) module


@dataclass
class Model:
    make_torch: Callable  # (seed, fault=None) -> (model, inputs)
    numpy_port: Callable  # (params, fault=None) -> function of the inputs
    jax_port: Callable  # (params, fault=None) -> function of the inputs
    faults: list[Fault] = field(default_factory=list)
    honest: list[str] = field(default_factory=list)


def params_of(model: nn.Module) -> dict[str, np.ndarray]:
    """The parameters and buffers of a torch model as NumPy arrays."""
    return {k: v.detach().cpu().numpy().copy() for k, v in model.state_dict().items()}


def _known(fault, faults, honest):
    if fault is not None and fault not in honest and all(f.id != fault for f in faults):
        raise ValueError(f"unknown fault: {fault!r}")


def _as_numpy(x):
    return x if isinstance(x, np.ndarray) else np.asarray(x)


def _move_weights(model: nn.Module, seed: int) -> None:
    """Moves every parameter and buffer away from its initial value."""
    g = torch.Generator().manual_seed(1000 + seed)

    def noise(t):
        return torch.randn(t.shape, generator=g)

    with torch.no_grad():
        for name, p in model.named_parameters():
            if p.dim() >= 2:
                std = float(p.std())
                gain = 1.2
                if ".mlp.fc" in name:
                    gain = 1.5 if "fc1" in name else 4.0
                elif name.startswith("head."):
                    gain = 2.0
                p.mul_(gain).add_(0.6 * std * noise(p))
            elif name.endswith("weight"):  # scale of a norm
                p.add_(0.3 * noise(p))
            else:
                p.add_(0.2 * noise(p))
        for name, b in model.named_buffers():
            if name.endswith("running_mean"):
                b.add_(0.3 * noise(b))
            elif name.endswith("running_var"):
                b.copy_(0.02 + 1.3 * torch.rand(b.shape, generator=g) ** 2)


# ===========================================================================
# 1. encoder: transformer with causal attention
# ===========================================================================

ENCODER_FAULTS = [
    Fault("pos_off_by_one", "embed.pos", "position table read from row 1 instead of row 0"),
    Fault("head_split_order", "blocks.0.attention", "q, k, v reshaped to (head_dim, heads) instead of (heads, head_dim)", True),
    Fault("norm2_eps", "blocks.0.norm2", "layer norm epsilon 1e-3 instead of 1e-6"),
    Fault("fc2_no_bias", "blocks.0.mlp.fc2", "bias of the linear layer missing"),
    Fault("no_scale", "blocks.1.attention", "attention scores not scaled by 1/sqrt(head_dim)", True),
    Fault("gelu_tanh", "blocks.1.mlp.act", "tanh approximation of gelu instead of erf"),
    Fault("residual_after_norm", "blocks.1", "residual of the attention taken after norm1 (norm1(x) + attn) instead of x + attn", True),
    Fault("no_causal_mask", "blocks.2.attention", "causal mask missing", True),
    Fault("proj_transposed", "blocks.2.attention.proj", "weight of the projection transposed"),
    Fault("norm_other_weights", "norm", "scale and bias of blocks.2.norm2 used in the final norm"),
]
ENCODER_HONEST = ["honest_split_heads"]

VOCAB, WIDTH, HEADS, POSITIONS, CLASSES = 37, 24, 3, 16, 11


class PositionTable(nn.Module):
    def __init__(self, positions, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(positions, width) * 0.5)
        self.first = 0

    def forward(self, tokens):
        return self.weight[self.first : self.first + tokens.shape[1]]


class Embed(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(VOCAB, WIDTH)
        self.pos = PositionTable(POSITIONS, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-6)

    def forward(self, tokens):
        return self.norm(self.tok(tokens) + self.pos(tokens))


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.proj = nn.Linear(WIDTH, WIDTH)
        self.scale = 1 / math.sqrt(WIDTH // HEADS)
        self.causal = True
        self.head_dim_first = False

    def heads(self, x):
        b, t, d = x.shape
        if self.head_dim_first:
            return x.view(b, t, d // HEADS, HEADS).permute(0, 3, 1, 2)
        return x.view(b, t, HEADS, d // HEADS).transpose(1, 2)

    def forward(self, x):
        q, k, v = (self.heads(y) for y in self.qkv(x).chunk(3, dim=-1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal, scale=self.scale)
        return self.proj(y.transpose(1, 2).flatten(2))


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(WIDTH, 3 * WIDTH)
        self.act = nn.GELU()
        self.fc2 = nn.Linear(3 * WIDTH, WIDTH)

    def forward(self, x):
        return self.fc2(self.act(self.fc1(x)))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH, eps=1e-6)
        self.attention = Attention()
        self.norm2 = nn.LayerNorm(WIDTH, eps=1e-6)
        self.mlp = Mlp()
        self.residual_after_norm = False

    def forward(self, x):
        y = self.norm1(x)
        x = (y if self.residual_after_norm else x) + self.attention(y)
        return x + self.mlp(self.norm2(x))


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(WIDTH, WIDTH)
        self.out = nn.Linear(WIDTH, CLASSES)

    def forward(self, x):
        return self.out(torch.tanh(self.dense(x)))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = Embed()
        self.blocks = nn.ModuleList(Block() for _ in range(3))
        self.norm = nn.LayerNorm(WIDTH, eps=1e-6)
        self.head = Head()

    def forward(self, tokens):
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


@torch.no_grad()
def make_encoder(seed: int, fault: str | None = None):
    _known(fault, ENCODER_FAULTS, ENCODER_HONEST)
    torch.manual_seed(seed)
    m = Encoder()
    _move_weights(m, seed)
    b = m.blocks
    if fault == "pos_off_by_one":
        m.embed.pos.first = 1
    elif fault == "head_split_order":
        b[0].attention.head_dim_first = True
    elif fault == "norm2_eps":
        b[0].norm2.eps = 1e-3
    elif fault == "fc2_no_bias":
        b[0].mlp.fc2.bias.zero_()
    elif fault == "no_scale":
        b[1].attention.scale = 1.0
    elif fault == "gelu_tanh":
        b[1].mlp.act.approximate = "tanh"
    elif fault == "residual_after_norm":
        b[1].residual_after_norm = True
    elif fault == "no_causal_mask":
        b[2].attention.causal = False
    elif fault == "proj_transposed":
        w = b[2].attention.proj.weight
        w.copy_(w.t().clone())
    elif fault == "norm_other_weights":
        m.norm.load_state_dict(b[2].norm2.state_dict())
    g = torch.Generator().manual_seed(2000 + seed)
    tokens = torch.randint(0, VOCAB, (2, 12), generator=g)
    return m.eval(), (tokens,)


def encoder_numpy(params: dict[str, np.ndarray], fault: str | None = None):
    _known(fault, ENCODER_FAULTS, ENCODER_HONEST)
    p = params
    n_heads = HEADS

    def erf(x):  # Abramowitz and Stegun 7.1.26, |error| < 1.5e-7
        s, a = np.sign(x), np.abs(x)
        t = 1.0 / (1.0 + 0.3275911 * a)
        poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
        return s * (1.0 - poly * np.exp(-a * a))

    def gelu(x):
        return 0.5 * x * (1.0 + erf(x / np.float32(math.sqrt(2.0))))

    def gelu_new(x):
        return 0.5 * x * (1.0 + np.tanh(np.float32(math.sqrt(2.0 / math.pi)) * (x + 0.044715 * x**3)))

    def softmax(x):
        e = np.exp(x - x.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    def layer_norm(x, scale, bias, eps=1e-6):
        mean = x.mean(axis=-1, keepdims=True)
        var = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
        return (x - mean) / np.sqrt(var + np.float32(eps)) * scale + bias

    def layer_norm_moments(x, scale, bias, eps=1e-6):  # honest rewrite
        mean = np.mean(x, axis=-1, keepdims=True)
        var = np.mean(x * x, axis=-1, keepdims=True) - mean * mean
        inv = scale / np.sqrt(var + np.float32(eps))
        return x * inv + (bias - mean * inv)

    norm_fn = layer_norm_moments if fault == "honest_split_heads" else layer_norm

    def norm(x, name, eps=1e-6):
        return norm_fn(x, p[name + ".weight"], p[name + ".bias"], eps)

    def linear(x, name):
        return np.matmul(x, p[name + ".weight"].T) + p[name + ".bias"]

    def embed(tokens):
        t = tokens.shape[1]
        if fault == "pos_off_by_one":
            positions = np.arange(1, t + 1)
        else:
            positions = np.arange(t)
        x = p["embed.tok.weight"][tokens] + p["embed.pos.weight"][positions][None]
        return norm(x, "embed.norm")

    def attention(x, i):
        b, t, d = x.shape
        name = f"blocks.{i}.attention"
        qkv = linear(x, name + ".qkv")
        q, k, v = qkv[..., :d], qkv[..., d : 2 * d], qkv[..., 2 * d :]
        if fault == "head_split_order" and i == 0:
            q, k, v = (a.reshape(b, t, d // n_heads, n_heads).transpose(0, 3, 1, 2) for a in (q, k, v))
        else:
            q, k, v = (a.reshape(b, t, n_heads, d // n_heads).transpose(0, 2, 1, 3) for a in (q, k, v))
        scores = np.matmul(q, k.swapaxes(-1, -2))
        if not (fault == "no_scale" and i == 1):
            scores = scores / np.float32(math.sqrt(d // n_heads))
        if not (fault == "no_causal_mask" and i == 2):
            mask = np.triu(np.ones((t, t), dtype=bool), 1)
            scores = np.where(mask, np.float32(-1e9), scores)
        y = np.matmul(softmax(scores), v)
        y = y.transpose(0, 2, 1, 3).reshape(b, t, d)
        w = p[name + ".proj.weight"]
        if fault == "proj_transposed" and i == 2:
            return np.matmul(y, w) + p[name + ".proj.bias"]
        return np.matmul(y, w.T) + p[name + ".proj.bias"]

    def attention_by_head(x, i):  # honest rewrite: split weights, one head at a time
        name = f"blocks.{i}.attention"
        b, t, d = x.shape
        hd = d // n_heads
        wq, wk, wv = np.split(p[name + ".qkv.weight"], 3, axis=0)
        bq, bk, bv = np.split(p[name + ".qkv.bias"], 3)
        root = np.float32(hd**-0.5)
        keep = np.tril(np.ones((t, t), dtype=np.float32))
        w, out = p[name + ".proj.weight"], p[name + ".proj.bias"]
        for h in reversed(range(n_heads)):
            s = slice(h * hd, (h + 1) * hd)
            q = np.einsum("btd,ed->bte", x, wq[s] * root) + bq[s] * root
            k = np.einsum("btd,ed->bte", x, wk[s]) + bk[s]
            v = np.einsum("btd,ed->bte", x, wv[s]) + bv[s]
            e = np.exp(np.einsum("bqe,bke->bqk", q, k)) * keep
            y = np.einsum("bqk,bke->bqe", e, v) / e.sum(-1, keepdims=True)
            out = out + np.einsum("bqe,de->bqd", y, w[:, s])
        return out

    attend = attention_by_head if fault == "honest_split_heads" else attention

    def mlp(x, i):
        name = f"blocks.{i}.mlp"
        h = linear(x, name + ".fc1")
        h = gelu_new(h) if fault == "gelu_tanh" and i == 1 else gelu(h)
        if fault == "fc2_no_bias" and i == 0:
            return np.matmul(h, p[name + ".fc2.weight"].T)
        return linear(h, name + ".fc2")

    def block(x, i):
        y = norm(x, f"blocks.{i}.norm1")
        if fault == "residual_after_norm" and i == 1:
            x = y
        x = x + attend(y, i)
        eps = 1e-3 if fault == "norm2_eps" and i == 0 else 1e-6
        return x + mlp(norm(x, f"blocks.{i}.norm2", eps), i)

    def head(x):
        return linear(np.tanh(linear(x, "head.dense")), "head.out")

    def forward(tokens):
        x = embed(_as_numpy(tokens))
        for i in range(3):
            x = block(x, i)
        x = norm(x, "blocks.2.norm2" if fault == "norm_other_weights" else "norm")
        return head(x)

    return forward


def encoder_jax(params: dict[str, np.ndarray], fault: str | None = None):
    _known(fault, ENCODER_FAULTS, ENCODER_HONEST)
    import jax
    import jax.numpy as jnp

    def dense_params(name):  # (in, out) kernels, as in Flax
        return {"kernel": jnp.asarray(params[name + ".weight"].T), "bias": jnp.asarray(params[name + ".bias"])}

    def norm_params(name):
        return {"scale": jnp.asarray(params[name + ".weight"]), "bias": jnp.asarray(params[name + ".bias"])}

    tree = {
        "tok": jnp.asarray(params["embed.tok.weight"]),
        "pos": jnp.asarray(params["embed.pos.weight"]),
        "ln_embed": norm_params("embed.norm"),
        "layers": [
            {
                "ln1": norm_params(f"blocks.{i}.norm1"),
                "qkv": dense_params(f"blocks.{i}.attention.qkv"),
                "out": dense_params(f"blocks.{i}.attention.proj"),
                "ln2": norm_params(f"blocks.{i}.norm2"),
                "up": dense_params(f"blocks.{i}.mlp.fc1"),
                "down": dense_params(f"blocks.{i}.mlp.fc2"),
            }
            for i in range(3)
        ],
        "ln_final": norm_params("norm"),
        "head_dense": dense_params("head.dense"),
        "head_out": dense_params("head.out"),
    }
    if fault == "proj_transposed":
        tree["layers"][2]["out"]["kernel"] = jnp.asarray(params["blocks.2.attention.proj.weight"])
    if fault == "fc2_no_bias":
        del tree["layers"][0]["down"]["bias"]
    if fault == "norm_other_weights":
        tree["ln_final"] = tree["layers"][2]["ln2"]

    def dense(q, x):
        y = jnp.dot(x, q["kernel"])
        return y + q["bias"] if "bias" in q else y

    def layer_norm(q, x, eps=1e-6):
        if fault == "honest_split_heads":
            mean = x.mean(-1, keepdims=True)
            var = (x * x).mean(-1, keepdims=True) - mean**2
            inv = q["scale"] / jnp.sqrt(var + eps)
            return x * inv + (q["bias"] - mean * inv)
        mean = jnp.mean(x, axis=-1, keepdims=True)
        var = jnp.var(x, axis=-1, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(var + eps) * q["scale"] + q["bias"]

    def self_attention(q, x, scale, causal, head_dim_first):
        b, t, d = x.shape
        hd = d // HEADS
        query, key, value = jnp.split(dense(q["qkv"], x), 3, axis=-1)
        if head_dim_first:
            query, key, value = (jnp.swapaxes(a.reshape(b, t, hd, HEADS), -1, -2) for a in (query, key, value))
        else:
            query, key, value = (a.reshape(b, t, HEADS, hd) for a in (query, key, value))
        logits = jnp.einsum("bqhd,bkhd->bhqk", query, key) * scale
        if causal:
            logits = jnp.where(jnp.tril(jnp.ones((t, t), bool)), logits, -jnp.inf)
        probs = jax.nn.softmax(logits, axis=-1)
        out = jnp.einsum("bhqk,bkhd->bqhd", probs, value).reshape(b, t, d)
        return dense(q["out"], out)

    def attention_vmapped(q, x):  # honest rewrite: per head, by vmap, scale in the query
        d = x.shape[-1]
        hd = d // HEADS
        wq, wk, wv = (w.reshape(d, HEADS, hd).transpose(1, 0, 2) for w in jnp.split(q["qkv"]["kernel"], 3, axis=1))
        bq, bk, bv = (v.reshape(HEADS, hd) for v in jnp.split(q["qkv"]["bias"], 3))
        wo = q["out"]["kernel"].reshape(HEADS, hd, d)

        def one(x, wq, wk, wv, bq, bk, bv, wo):
            query = (x @ wq + bq) * hd**-0.5
            e = jnp.exp(query @ (x @ wk + bk).swapaxes(-1, -2))
            e = e * jnp.tril(jnp.ones(e.shape[-2:], e.dtype))
            return (e @ (x @ wv + bv) / e.sum(-1, keepdims=True)) @ wo

        parts = jax.vmap(one, in_axes=(None, 0, 0, 0, 0, 0, 0, 0))(x, wq, wk, wv, bq, bk, bv, wo)
        return parts.sum(0) + q["out"]["bias"]

    def layer(i, q, x):
        y = layer_norm(q["ln1"], x)
        if fault == "honest_split_heads":
            a = attention_vmapped(q, y)
        else:
            a = self_attention(
                q,
                y,
                scale=1.0 if fault == "no_scale" and i == 1 else (WIDTH // HEADS) ** -0.5,
                causal=not (fault == "no_causal_mask" and i == 2),
                head_dim_first=fault == "head_split_order" and i == 0,
            )
        x = (y if fault == "residual_after_norm" and i == 1 else x) + a
        y = layer_norm(q["ln2"], x, 1e-3 if fault == "norm2_eps" and i == 0 else 1e-6)
        h = jax.nn.gelu(dense(q["up"], y), approximate=fault == "gelu_tanh" and i == 1)
        return x + dense(q["down"], h)

    def forward(tokens):
        if isinstance(tokens, torch.Tensor):
            tokens = tokens.numpy()
        tokens = jnp.asarray(tokens)
        first = 1 if fault == "pos_off_by_one" else 0
        pos = jax.lax.dynamic_slice_in_dim(tree["pos"], first, tokens.shape[1], axis=0)
        x = layer_norm(tree["ln_embed"], jnp.take(tree["tok"], tokens, axis=0) + pos)
        for i, q in enumerate(tree["layers"]):
            x = layer(i, q, x)
        x = layer_norm(tree["ln_final"], x)
        return dense(tree["head_out"], jnp.tanh(dense(tree["head_dense"], x)))

    return forward


# ===========================================================================
# 2. convnet: residual blocks, batch norm, squeeze-excite
# ===========================================================================

CONVNET_FAULTS = [
    Fault("stem_bgr", "stem.conv", "input channels of the first kernel in reverse order (BGR)"),
    Fault("kernel_flipped", "stages.0.conv1", "true convolution: kernel flipped in height and width"),
    Fault("bn_eps", "stages.0.bn2", "batch norm epsilon 1e-5 instead of 1e-3"),
    Fault("same_padding", "stages.1.conv1", "stride-2 conv padded (0, 1) as TensorFlow SAME instead of (1, 1)"),
    Fault("sqrt_var_then_eps", "stages.1.bn1", "divides by sqrt(var) + eps instead of sqrt(var + eps)"),
    Fault("se_silu", "stages.1.se", "gate is silu instead of sigmoid", True),
    Fault("bn_other_stats", "stages.2.bn1", "running mean and variance of stages.2.bn2 used"),
    Fault("relu_before_add", "stages.2", "relu(y) + x instead of relu(y + x) at the residual", True),
    Fault("pool_counts_pad", "pool", "average pool counts the padding"),
    Fault("head_no_bias", "head.fc1", "bias of the linear layer missing"),
]
CONVNET_HONEST = ["honest_fold_bn"]

BN_EPS = 1e-3


class Stem(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(8, eps=BN_EPS)
        self.pool = nn.MaxPool2d(3, stride=2, padding=1)

    def forward(self, x):
        return self.pool(F.relu(self.bn(self.conv(x))))


class SqueezeExcite(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.fc1 = nn.Linear(c, c // 2)
        self.fc2 = nn.Linear(c // 2, c)
        self.silu = False

    def forward(self, x):
        s = self.fc2(F.relu(self.fc1(x.mean(dim=(2, 3)))))
        s = F.silu(s) if self.silu else torch.sigmoid(s)
        return x * s[:, :, None, None]


class Shortcut(nn.Module):
    def __init__(self, cin, cout, stride):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, 1, stride=stride, bias=False)
        self.bn = nn.BatchNorm2d(cout, eps=BN_EPS)

    def forward(self, x):
        return self.bn(self.conv(x))


class Residual(nn.Module):
    def __init__(self, cin, cout, stride=1, se=False):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, cout, 3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(cout, eps=BN_EPS)
        self.conv2 = nn.Conv2d(cout, cout, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(cout, eps=BN_EPS)
        self.se = SqueezeExcite(cout) if se else None
        self.shortcut = Shortcut(cin, cout, stride) if stride != 1 else None
        self.relu_before_add = False

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        if self.se is not None:
            y = self.se(y)
        if self.shortcut is not None:
            x = self.shortcut(x)
        return F.relu(y) + x if self.relu_before_add else F.relu(y + x)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(16, 16)
        self.fc2 = nn.Linear(16, 7)

    def forward(self, x):
        return self.fc2(F.relu(self.fc1(x.mean(dim=(2, 3)))))


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = Stem()
        self.stages = nn.Sequential(Residual(8, 8), Residual(8, 16, stride=2, se=True), Residual(16, 16))
        self.pool = nn.AvgPool2d(3, stride=2, padding=1, count_include_pad=False)
        self.head = Classifier()

    def forward(self, image):
        return self.head(self.pool(self.stages(self.stem(image))))


class SamePadConv2d(nn.Conv2d):  # the faulty stages.1.conv1
    def forward(self, x):
        return F.conv2d(F.pad(x, (0, 1, 0, 1)), self.weight, self.bias, self.stride)


class EpsOutsideBatchNorm2d(nn.BatchNorm2d):  # the faulty stages.1.bn1
    def forward(self, x):
        scale = (self.weight / (torch.sqrt(self.running_var) + self.eps))[:, None, None]
        return (x - self.running_mean[:, None, None]) * scale + self.bias[:, None, None]


@torch.no_grad()
def make_convnet(seed: int, fault: str | None = None):
    _known(fault, CONVNET_FAULTS, CONVNET_HONEST)
    torch.manual_seed(seed)
    m = ConvNet()
    _move_weights(m, seed)
    s = m.stages
    if fault == "stem_bgr":
        m.stem.conv.weight.copy_(m.stem.conv.weight.flip(1))
    elif fault == "kernel_flipped":
        s[0].conv1.weight.copy_(s[0].conv1.weight.flip(2, 3))
    elif fault == "bn_eps":
        s[0].bn2.eps = 1e-5
    elif fault == "same_padding":
        s[1].conv1.__class__ = SamePadConv2d
    elif fault == "sqrt_var_then_eps":
        s[1].bn1.__class__ = EpsOutsideBatchNorm2d
    elif fault == "se_silu":
        s[1].se.silu = True
    elif fault == "bn_other_stats":
        s[2].bn1.running_mean.copy_(s[2].bn2.running_mean)
        s[2].bn1.running_var.copy_(s[2].bn2.running_var)
    elif fault == "relu_before_add":
        s[2].relu_before_add = True
    elif fault == "pool_counts_pad":
        m.pool.count_include_pad = True
    elif fault == "head_no_bias":
        m.head.fc1.bias.zero_()
    g = torch.Generator().manual_seed(2000 + seed)
    ramp = torch.linspace(-1, 1, 24)
    image = torch.randn((2, 3, 24, 24), generator=g)
    image = image + ramp[:, None] * 0.7 + torch.tensor([0.8, 0.0, -0.5])[:, None, None]
    return m.eval(), (image,)


def convnet_numpy(params: dict[str, np.ndarray], fault: str | None = None):
    _known(fault, CONVNET_FAULTS, CONVNET_HONEST)
    p = params

    def relu(x):
        return np.maximum(x, 0)

    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    def conv2d(x, w, stride=1, pad=(1, 1)):  # im2col
        kh, kw = w.shape[2:]
        x = np.pad(x, ((0, 0), (0, 0), pad, pad))
        win = np.lib.stride_tricks.sliding_window_view(x, (kh, kw), axis=(2, 3))
        win = win[:, :, ::stride, ::stride]
        n, c, oh, ow = win.shape[:4]
        cols = win.transpose(0, 2, 3, 1, 4, 5).reshape(n * oh * ow, c * kh * kw)
        y = cols @ w.reshape(w.shape[0], -1).T
        return y.reshape(n, oh, ow, -1).transpose(0, 3, 1, 2)

    def conv2d_taps(x, w, stride, pad, bias):  # honest rewrite: one kernel tap at a time
        kh, kw = w.shape[2:]
        x = np.pad(x, ((0, 0), (0, 0), pad, pad))
        oh = (x.shape[2] - kh) // stride + 1
        ow = (x.shape[3] - kw) // stride + 1
        y = bias[:, None, None]
        for i in range(kh):
            for j in range(kw):
                part = x[:, :, i : i + stride * oh : stride, j : j + stride * ow : stride]
                y = y + np.einsum("nchw,oc->nohw", part, w[:, :, i, j])
        return y

    def batch_norm(x, gamma, beta, mean, var, eps=BN_EPS):
        def c(a):
            return a.reshape(1, -1, 1, 1)

        return (x - c(mean)) / np.sqrt(c(var) + np.float32(eps)) * c(gamma) + c(beta)

    def bn(x, name, stats=None, eps=BN_EPS):
        stats = stats or name
        return batch_norm(x, p[name + ".weight"], p[name + ".bias"], p[stats + ".running_mean"], p[stats + ".running_var"], eps)

    def conv_bn(x, conv, norm, stride=1, pad=(1, 1)):
        w = p[conv + ".weight"]
        if fault == "honest_fold_bn":
            k = p[norm + ".weight"] / np.sqrt(p[norm + ".running_var"] + np.float32(BN_EPS))
            return conv2d_taps(x, w * k[:, None, None, None], stride, pad, p[norm + ".bias"] - p[norm + ".running_mean"] * k)
        if fault == "stem_bgr" and conv == "stem.conv":
            w = w[:, ::-1]
        if fault == "kernel_flipped" and conv == "stages.0.conv1":
            w = w[:, :, ::-1, ::-1]
        if fault == "same_padding" and conv == "stages.1.conv1":
            pad = (0, 1)
        x = conv2d(x, w, stride, pad)
        if fault == "bn_eps" and norm == "stages.0.bn2":
            return bn(x, norm, eps=1e-5)
        if fault == "bn_other_stats" and norm == "stages.2.bn1":
            return bn(x, norm, stats="stages.2.bn2")
        if fault == "sqrt_var_then_eps" and norm == "stages.1.bn1":
            std = np.sqrt(p[norm + ".running_var"]) + np.float32(BN_EPS)
            x = (x - p[norm + ".running_mean"][:, None, None]) / std[:, None, None]
            return x * p[norm + ".weight"][:, None, None] + p[norm + ".bias"][:, None, None]
        return bn(x, norm)

    def max_pool(x):
        x = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=-np.inf)
        win = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(2, 3))
        return win[:, :, ::2, ::2].max(axis=(-1, -2))

    def avg_pool(x):
        def total(a):
            a = np.pad(a, ((0, 0), (0, 0), (1, 1), (1, 1)))
            win = np.lib.stride_tricks.sliding_window_view(a, (3, 3), axis=(2, 3))
            return win[:, :, ::2, ::2].sum(axis=(-1, -2))

        if fault == "pool_counts_pad":
            return total(x) / 9
        return total(x) / total(np.ones_like(x[:1, :1]))

    def linear(x, name):
        return x @ p[name + ".weight"].T + p[name + ".bias"]

    def squeeze_excite(x, name):
        s = relu(linear(x.mean(axis=(2, 3)), name + ".fc1"))
        s = linear(s, name + ".fc2")
        gate = s * sigmoid(s) if fault == "se_silu" else sigmoid(s)
        return x * gate[:, :, None, None]

    def residual(x, name, stride=1, se=False):
        y = relu(conv_bn(x, name + ".conv1", name + ".bn1", stride))
        y = conv_bn(y, name + ".conv2", name + ".bn2")
        if se:
            y = squeeze_excite(y, name + ".se")
        if stride != 1:
            x = conv_bn(x, name + ".shortcut.conv", name + ".shortcut.bn", stride, (0, 0))
        if fault == "relu_before_add" and name == "stages.2":
            return relu(y) + x
        return relu(y + x)

    def head(x):
        x = x.mean(axis=(2, 3))
        if fault == "head_no_bias":
            x = relu(x @ p["head.fc1.weight"].T)
        else:
            x = relu(linear(x, "head.fc1"))
        return linear(x, "head.fc2")

    def forward(image):
        x = _as_numpy(image)
        x = max_pool(relu(conv_bn(x, "stem.conv", "stem.bn")))
        x = residual(x, "stages.0")
        x = residual(x, "stages.1", stride=2, se=True)
        x = residual(x, "stages.2")
        return head(avg_pool(x))

    return forward


def convnet_jax(params: dict[str, np.ndarray], fault: str | None = None):
    """NHWC inside, HWIO kernels, the whole forward jitted."""
    _known(fault, CONVNET_FAULTS, CONVNET_HONEST)
    import jax
    import jax.numpy as jnp
    from jax import lax

    p = {k: jnp.asarray(v.transpose(2, 3, 1, 0) if v.ndim == 4 else v) for k, v in params.items() if not k.endswith("num_batches_tracked")}
    if fault == "stem_bgr":
        p["stem.conv.weight"] = p["stem.conv.weight"][:, :, ::-1, :]
    if fault == "kernel_flipped":
        p["stages.0.conv1.weight"] = p["stages.0.conv1.weight"][::-1, ::-1]
    if fault == "bn_other_stats":
        p["stages.2.bn1.running_mean"] = p["stages.2.bn2.running_mean"]
        p["stages.2.bn1.running_var"] = p["stages.2.bn2.running_var"]
    if fault == "head_no_bias":
        p["head.fc1.bias"] = jnp.zeros_like(p["head.fc1.bias"])

    def conv(x, w, stride=1, padding=((1, 1), (1, 1))):
        return lax.conv_general_dilated(x, w, window_strides=(stride, stride), padding=padding, dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def batch_norm(x, name, eps=BN_EPS):
        mean, var = p[name + ".running_mean"], p[name + ".running_var"]
        if fault == "sqrt_var_then_eps" and name == "stages.1.bn1":
            inv = 1.0 / (jnp.sqrt(var) + eps)
        else:
            inv = lax.rsqrt(var + eps)
        return (x - mean) * (inv * p[name + ".weight"]) + p[name + ".bias"]

    def conv_bn(x, conv_name, bn_name, stride=1, padding=((1, 1), (1, 1))):
        w = p[conv_name + ".weight"]
        if fault == "honest_fold_bn":
            k = p[bn_name + ".weight"] / jnp.sqrt(p[bn_name + ".running_var"] + BN_EPS)
            return conv(x, w * k, stride, padding) + (p[bn_name + ".bias"] - p[bn_name + ".running_mean"] * k)
        if fault == "same_padding" and conv_name == "stages.1.conv1":
            padding = "SAME"
        eps = 1e-5 if fault == "bn_eps" and bn_name == "stages.0.bn2" else BN_EPS
        return batch_norm(conv(x, w, stride, padding), bn_name, eps)

    def dense(x, name):
        return jnp.dot(x, p[name + ".weight"].T) + p[name + ".bias"]

    def se(x, name):
        s = jnp.mean(x, axis=(1, 2))
        s = dense(jax.nn.relu(dense(s, name + ".fc1")), name + ".fc2")
        act = jax.nn.silu if fault == "se_silu" else jax.nn.sigmoid
        return x * act(s)[:, None, None, :]

    def residual(x, name, stride=1):
        y = jax.nn.relu(conv_bn(x, name + ".conv1", name + ".bn1", stride))
        y = conv_bn(y, name + ".conv2", name + ".bn2")
        if name + ".se.fc1.weight" in p:
            y = se(y, name + ".se")
        if name + ".shortcut.conv.weight" in p:
            x = conv_bn(x, name + ".shortcut.conv", name + ".shortcut.bn", stride, "VALID")
        if fault == "relu_before_add" and name == "stages.2":
            return jax.nn.relu(y) + x
        return jax.nn.relu(y + x)

    pads = ((0, 0), (1, 1), (1, 1), (0, 0))

    def max_pool(x):
        return lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), pads)

    def avg_pool(x):
        total = lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), pads)
        if fault == "pool_counts_pad":
            return total / 9.0
        count = lax.reduce_window(jnp.ones_like(x), 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), pads)
        return total / count

    @jax.jit
    def apply(image):
        x = jnp.transpose(image, (0, 2, 3, 1))
        x = max_pool(jax.nn.relu(conv_bn(x, "stem.conv", "stem.bn")))
        x = residual(x, "stages.0")
        x = residual(x, "stages.1", stride=2)
        x = residual(x, "stages.2")
        x = jnp.mean(avg_pool(x), axis=(1, 2))
        return dense(jax.nn.relu(dense(x, "head.fc1")), "head.fc2")

    def forward(image):
        if isinstance(image, torch.Tensor):
            image = image.numpy()
        return apply(jnp.asarray(image))

    return forward


# ===========================================================================
# 3. audio: conv1d, group norm, gated blocks, a GRU by hand, U-Net-like skip
# ===========================================================================

AUDIO_FAULTS = [
    Fault("front_padding", "front.conv", "padded (1, 2) as SAME instead of (2, 2)"),
    Fault("unbiased_var", "down.norm", "group norm with the unbiased variance (n - 1)"),
    Fault("symmetric_pad", "enc.0.conv", "causal conv padded on both sides instead of on the left"),
    Fault("gate_halves", "enc.1", "tanh and sigmoid halves of the gate swapped", True),
    Fault("gru_gates", "rnn", "reset and update gates swapped", True),
    Fault(
        "gru_bias_outside", "rnn", "bias of the new gate's hidden part added after the reset gate, r*(Wh) + b instead of r*(Wh + b)", True
    ),
    Fault("deconv_flipped", "up.deconv", "kernel of the transposed convolution flipped"),
    Fault("concat_order", "dec", "concatenates (skip, x) instead of (x, skip)", True),
    Fault("proj_other_weights", "dec.proj", "weights of enc.1.skip used"),
    Fault("leaky_slope", "head.act", "leaky relu slope 0.2 instead of 0.1"),
]
AUDIO_HONEST = ["honest_reordered"]

C = 16
GROUPS = 4


class CausalConv1d(nn.Conv1d):
    """Pads on the left only, so that a step sees no later step."""

    symmetric = False

    def forward(self, x):
        n = (self.kernel_size[0] - 1) * self.dilation[0]
        x = F.pad(x, (n // 2, n - n // 2) if self.symmetric else (n, 0))
        return F.conv1d(x, self.weight, self.bias, dilation=self.dilation)


class SamePadConv1d(nn.Conv1d):  # the faulty front.conv
    def forward(self, x):
        return F.conv1d(F.pad(x, (1, 2)), self.weight, self.bias, self.stride)


class UnbiasedGroupNorm(nn.GroupNorm):  # the faulty down.norm
    def forward(self, x):
        n, c, t = x.shape
        y = x.reshape(n, self.num_groups, -1)
        mean = y.mean(-1, keepdim=True)
        n_values = y.shape[-1]
        var = ((y - mean) ** 2).sum(-1, keepdim=True) / (n_values - 1)
        y = ((y - mean) / torch.sqrt(var + self.eps)).reshape(n, c, t)
        return y * self.weight[:, None] + self.bias[:, None]


class ConvNormAct(nn.Module):
    def __init__(self, cin, cout, k, stride, padding):
        super().__init__()
        self.conv = nn.Conv1d(cin, cout, k, stride=stride, padding=padding)
        self.norm = nn.GroupNorm(GROUPS, cout)

    def forward(self, x):
        return F.silu(self.norm(self.conv(x)))


class GatedBlock(nn.Module):
    def __init__(self, dilation):
        super().__init__()
        self.norm = nn.GroupNorm(GROUPS, C)
        self.conv = CausalConv1d(C, 2 * C, 3, dilation=dilation)
        self.skip = nn.Conv1d(C, C, 1)
        self.swapped = False

    def forward(self, x):
        a, b = self.conv(self.norm(x)).chunk(2, dim=1)
        if self.swapped:
            a, b = b, a
        return x + self.skip(torch.tanh(a) * torch.sigmoid(b))


class Gru(nn.Module):
    def __init__(self):
        super().__init__()
        self.ih = nn.Linear(C, 3 * C)
        self.hh = nn.Linear(C, 3 * C)
        self.gates_swapped = False
        self.bias_outside = False

    def forward(self, x):  # (batch, time, C)
        gi = self.ih(x)
        h = torch.zeros_like(x[:, 0])
        steps = []
        for t in range(x.shape[1]):
            ir, iz, i_n = gi[:, t].chunk(3, dim=-1)
            hr, hz, hn = self.hh(h).chunk(3, dim=-1)
            r = torch.sigmoid(ir + hr)
            z = torch.sigmoid(iz + hz)
            if self.gates_swapped:
                r, z = z, r
            if self.bias_outside:
                b = self.hh.bias[2 * C :]
                new = torch.tanh(i_n + r * (hn - b) + b)
            else:
                new = torch.tanh(i_n + r * hn)
            h = (1 - z) * new + z * h
            steps.append(h)
        return torch.stack(steps, dim=1)


class Up(nn.Module):
    def __init__(self):
        super().__init__()
        self.deconv = nn.ConvTranspose1d(C, C, 4, stride=2, padding=1)
        self.norm = nn.GroupNorm(GROUPS, C)

    def forward(self, x):
        return F.silu(self.norm(self.deconv(x)))


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Conv1d(2 * C, 2 * C, 3, padding=1)
        self.norm = nn.GroupNorm(GROUPS, C)
        self.proj = nn.Conv1d(C, C, 1)
        self.skip_first = False

    def forward(self, x, skip):
        both = torch.cat([skip, x] if self.skip_first else [x, skip], dim=1)
        y = F.glu(self.mix(both), dim=1)
        return x + self.proj(self.norm(y))


class AudioHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv1d(C, 8, 3, padding=1)
        self.act = nn.LeakyReLU(0.1)
        self.conv2 = nn.Conv1d(8, 2, 1)

    def forward(self, x):
        return self.conv2(self.act(self.conv1(x)))


class Audio(nn.Module):
    def __init__(self):
        super().__init__()
        self.front = ConvNormAct(1, C, 5, 2, 2)
        self.down = ConvNormAct(C, C, 4, 2, 1)
        self.enc = nn.Sequential(GatedBlock(1), GatedBlock(2))
        self.rnn = Gru()
        self.rnn_norm = nn.LayerNorm(C)
        self.up = Up()
        self.dec = Decoder()
        self.head = AudioHead()

    def forward(self, wave):
        skip = self.front(wave)
        x = self.enc(self.down(skip))
        y = self.rnn_norm(self.rnn(x.transpose(1, 2)))
        x = x + y.transpose(1, 2)
        return self.head(self.dec(self.up(x), skip))


@torch.no_grad()
def make_audio(seed: int, fault: str | None = None):
    _known(fault, AUDIO_FAULTS, AUDIO_HONEST)
    torch.manual_seed(seed)
    m = Audio()
    _move_weights(m, seed)
    if fault == "front_padding":
        m.front.conv.__class__ = SamePadConv1d
    elif fault == "unbiased_var":
        m.down.norm.__class__ = UnbiasedGroupNorm
    elif fault == "symmetric_pad":
        m.enc[0].conv.symmetric = True
    elif fault == "gate_halves":
        m.enc[1].swapped = True
    elif fault == "gru_gates":
        m.rnn.gates_swapped = True
    elif fault == "gru_bias_outside":
        m.rnn.bias_outside = True
    elif fault == "deconv_flipped":
        m.up.deconv.weight.copy_(m.up.deconv.weight.flip(-1))
    elif fault == "concat_order":
        m.dec.skip_first = True
    elif fault == "proj_other_weights":
        m.dec.proj.load_state_dict(m.enc[1].skip.state_dict())
    elif fault == "leaky_slope":
        m.head.act.negative_slope = 0.2
    g = torch.Generator().manual_seed(2000 + seed)
    wave = torch.randn((2, 1, 48), generator=g)
    wave = wave + torch.sin(torch.arange(48) / 3.0)
    return m.eval(), (wave,)


def audio_numpy(params: dict[str, np.ndarray], fault: str | None = None):
    _known(fault, AUDIO_FAULTS, AUDIO_HONEST)
    p = params
    reordered = fault == "honest_reordered"

    def sigmoid(x):
        return 1.0 / (1.0 + np.exp(-x))

    def silu(x):
        return x * sigmoid(x)

    def conv1d(x, name, stride=1, pad=(0, 0), dilation=1):
        w, b = p[name + ".weight"], p[name + ".bias"]
        k = w.shape[-1]
        x = np.pad(x, ((0, 0), (0, 0), pad))
        n = (x.shape[-1] - (k - 1) * dilation - 1) // stride + 1
        if reordered:  # all the taps in one product
            index = np.arange(n)[:, None] * stride + np.arange(k)[None] * dilation
            return np.einsum("bitk,oik->bot", x[:, :, index], w) + b[:, None]
        y = np.zeros((x.shape[0], w.shape[0], n), dtype=np.float32)
        for j in range(k):
            s = j * dilation
            y += np.matmul(w[:, :, j], x[:, :, s : s + (n - 1) * stride + 1 : stride])
        return y + b[:, None]

    def conv_transpose1d(x, name, stride=2, pad=1):
        w, b = p[name + ".weight"], p[name + ".bias"]  # (in, out, k)
        if fault == "deconv_flipped":
            w = w[:, :, ::-1]
        n, k = x.shape[-1], w.shape[-1]
        full = np.zeros((x.shape[0], w.shape[1], (n - 1) * stride + k), dtype=np.float32)
        for j in range(k):
            full[:, :, j : j + (n - 1) * stride + 1 : stride] += np.einsum("bit,io->bot", x, w[:, :, j])
        return full[:, :, pad:-pad] + b[:, None]

    def group_norm(x, name, ddof=0):
        n, c, t = x.shape
        g = x.reshape(n, GROUPS, c // GROUPS * t)
        mean = g.mean(axis=-1, keepdims=True)
        if reordered:
            var = (g * g).mean(axis=-1, keepdims=True) - mean * mean
        else:
            var = g.var(axis=-1, keepdims=True, ddof=ddof)
        g = (g - mean) / np.sqrt(var + np.float32(1e-5))
        return g.reshape(n, c, t) * p[name + ".weight"][:, None] + p[name + ".bias"][:, None]

    def layer_norm(x, name):
        x = x - x.mean(axis=-1, keepdims=True)
        std = np.sqrt((x * x).mean(axis=-1, keepdims=True) + np.float32(1e-5))
        return x / std * p[name + ".weight"] + p[name + ".bias"]

    def gated_block(x, i):
        name = f"enc.{i}"
        d = i + 1
        pad = (2 * d, 0)
        if fault == "symmetric_pad" and i == 0:
            pad = (d, d)
        y = conv1d(group_norm(x, name + ".norm"), name + ".conv", pad=pad, dilation=d)
        filt, gate = y[:, :C], y[:, C:]
        if fault == "gate_halves" and i == 1:
            filt, gate = gate, filt
        return x + conv1d(np.tanh(filt) * sigmoid(gate), name + ".skip")

    def gru_cell(x, h):
        gi = x @ p["rnn.ih.weight"].T + p["rnn.ih.bias"]
        if fault == "gru_bias_outside":
            gh = h @ p["rnn.hh.weight"].T
            b_r, b_z, b_n = np.split(p["rnn.hh.bias"], 3)
            r = sigmoid(gi[:, :C] + gh[:, :C] + b_r)
            z = sigmoid(gi[:, C : 2 * C] + gh[:, C : 2 * C] + b_z)
            new = np.tanh(gi[:, 2 * C :] + r * gh[:, 2 * C :] + b_n)
        else:
            gh = h @ p["rnn.hh.weight"].T + p["rnn.hh.bias"]
            r = sigmoid(gi[:, :C] + gh[:, :C])
            z = sigmoid(gi[:, C : 2 * C] + gh[:, C : 2 * C])
            if fault == "gru_gates":
                r, z = z, r
            new = np.tanh(gi[:, 2 * C :] + r * gh[:, 2 * C :])
        return (1 - z) * new + z * h

    def gru(x):
        h = np.zeros((x.shape[0], C), dtype=np.float32)
        out = []
        for t in range(x.shape[1]):
            h = gru_cell(x[:, t], h)
            out.append(h)
        return np.stack(out, axis=1)

    def gru_by_gate(x):  # honest rewrite: biases merged, one product per gate
        wr, wz, wn = np.split(p["rnn.ih.weight"], 3)
        ur, uz, un = np.split(p["rnn.hh.weight"], 3)
        br, bz, bn = np.split(p["rnn.ih.bias"], 3)
        cr, cz, cn = np.split(p["rnn.hh.bias"], 3)
        xr, xz, xn = x @ wr.T + (br + cr), x @ wz.T + (bz + cz), x @ wn.T + bn
        out = np.zeros((*x.shape[:2], C), dtype=np.float32)
        h = out[:, 0]
        for t in range(x.shape[1]):
            r = sigmoid(xr[:, t] + h @ ur.T)
            z = sigmoid(xz[:, t] + h @ uz.T)
            new = np.tanh(xn[:, t] + r * (h @ un.T + cn))
            h = new + z * (h - new)
            out[:, t] = h
        return out

    def decode(x, skip):
        both = np.concatenate([skip, x] if fault == "concat_order" else [x, skip], axis=1)
        y = conv1d(both, "dec.mix", pad=(1, 1))
        y = y[:, :C] * sigmoid(y[:, C:])
        y = group_norm(y, "dec.norm")
        return x + conv1d(y, "enc.1.skip" if fault == "proj_other_weights" else "dec.proj")

    def head(x):
        slope = np.float32(0.2 if fault == "leaky_slope" else 0.1)
        y = conv1d(x, "head.conv1", pad=(1, 1))
        y = np.where(y > 0, y, slope * y)
        return conv1d(y, "head.conv2")

    def forward(wave):
        x = _as_numpy(wave)
        pad = (1, 2) if fault == "front_padding" else (2, 2)
        skip = silu(group_norm(conv1d(x, "front.conv", stride=2, pad=pad), "front.norm"))
        x = conv1d(skip, "down.conv", stride=2, pad=(1, 1))
        x = silu(group_norm(x, "down.norm", ddof=1 if fault == "unbiased_var" else 0))
        for i in range(2):
            x = gated_block(x, i)
        y = (gru_by_gate if reordered else gru)(x.transpose(0, 2, 1))
        x = x + layer_norm(y, "rnn_norm").transpose(0, 2, 1)
        x = silu(group_norm(conv_transpose1d(x, "up.deconv"), "up.norm"))
        return head(decode(x, skip))

    return forward


def audio_jax(params: dict[str, np.ndarray], fault: str | None = None):
    """NCT inside, the recurrence by lax.scan, group norm in a jitted helper."""
    _known(fault, AUDIO_FAULTS, AUDIO_HONEST)
    from functools import partial

    import jax
    import jax.numpy as jnp
    from jax import lax

    p = {k: jnp.asarray(v) for k, v in params.items()}
    reordered = fault == "honest_reordered"
    if fault == "proj_other_weights":
        p["dec.proj.weight"], p["dec.proj.bias"] = p["enc.1.skip.weight"], p["enc.1.skip.bias"]

    def conv(x, name, stride=1, pad=(0, 0), dilation=1):
        y = lax.conv_general_dilated(
            x, p[name + ".weight"], (stride,), (pad,), rhs_dilation=(dilation,), dimension_numbers=("NCH", "OIH", "NCH")
        )
        return y + p[name + ".bias"][None, :, None]

    def deconv(x, name):
        w = jnp.swapaxes(p[name + ".weight"], 0, 1)
        if fault != "deconv_flipped":
            w = jnp.flip(w, -1)
        pad = w.shape[-1] - 1 - 1
        if reordered:  # zeros put between the steps by hand
            n, c, t = x.shape
            x = jnp.stack([x, jnp.zeros_like(x)], -1).reshape(n, c, 2 * t)[..., :-1]
            y = lax.conv_general_dilated(x, w, (1,), ((pad, pad),), dimension_numbers=("NCH", "OIH", "NCH"))
        else:
            y = lax.conv_general_dilated(x, w, (1,), ((pad, pad),), lhs_dilation=(2,), dimension_numbers=("NCH", "OIH", "NCH"))
        return y + p[name + ".bias"][None, :, None]

    @partial(jax.jit, static_argnames="ddof")
    def normalise(x, scale, bias, ddof=0):
        n, c, t = x.shape
        g = x.reshape(n, GROUPS, c // GROUPS, t)
        mean = g.mean(axis=(2, 3), keepdims=True)
        if reordered:
            var = (g**2).mean(axis=(2, 3), keepdims=True) - mean**2
        else:
            var = g.var(axis=(2, 3), keepdims=True, ddof=ddof)
        g = (g - mean) * lax.rsqrt(var + 1e-5)
        return g.reshape(n, c, t) * scale[:, None] + bias[:, None]

    def group_norm(x, name, ddof=0):
        return normalise(x, p[name + ".weight"], p[name + ".bias"], ddof=ddof)

    def layer_norm(x, name):
        x = jax.nn.standardize(x, axis=-1, epsilon=1e-5)
        return x * p[name + ".weight"] + p[name + ".bias"]

    def gated(x, name, dilation, pad, swap=False):
        y = conv(group_norm(x, name + ".norm"), name + ".conv", pad=pad, dilation=dilation)
        a, b = jnp.split(y, 2, axis=1)
        y = jnp.tanh(b) * jax.nn.sigmoid(a) if swap else jnp.tanh(a) * jax.nn.sigmoid(b)
        return x + conv(y, name + ".skip")

    def gru(x):
        wh, bh = p["rnn.hh.weight"], p["rnn.hh.bias"]
        gi = jnp.einsum("btc,gc->tbg", x, p["rnn.ih.weight"]) + p["rnn.ih.bias"]

        def step(h, g):
            ir, iz, i_n = jnp.split(g, 3, axis=-1)
            hr, hz, hn = jnp.split(h @ wh.T, 3, axis=-1)
            br, bz, bn = jnp.split(bh, 3)
            r = jax.nn.sigmoid(ir + hr + br)
            z = jax.nn.sigmoid(iz + hz + bz)
            if fault == "gru_gates":
                r, z = z, r
            if fault == "gru_bias_outside":
                new = jnp.tanh(i_n + r * hn + bn)
            else:
                new = jnp.tanh(i_n + r * (hn + bn))
            h = (1 - z) * new + z * h
            return h, h

        h0 = jnp.zeros((x.shape[0], C), x.dtype)
        if reordered:  # an unrolled loop, one step after another
            h, out = h0, []
            for t in range(x.shape[1]):
                h, _ = step(h, gi[t])
                out.append(h)
            return jnp.stack(out, axis=1)
        _, out = lax.scan(step, h0, gi)
        return jnp.swapaxes(out, 0, 1)

    def decoder(x, skip):
        both = jnp.concatenate((skip, x) if fault == "concat_order" else (x, skip), axis=1)
        y = jax.nn.glu(conv(both, "dec.mix", pad=(1, 1)), axis=1)
        return x + conv(group_norm(y, "dec.norm"), "dec.proj")

    def forward(wave):
        if isinstance(wave, torch.Tensor):
            wave = wave.numpy()
        x = jnp.asarray(wave)
        pad = "SAME" if fault == "front_padding" else (2, 2)
        if pad == "SAME":
            pad = lax.padtype_to_pads((x.shape[-1],), (5,), (2,), "SAME")[0]
        skip = jax.nn.silu(group_norm(conv(x, "front.conv", 2, pad), "front.norm"))
        x = conv(skip, "down.conv", 2, (1, 1))
        x = jax.nn.silu(group_norm(x, "down.norm", ddof=1 if fault == "unbiased_var" else 0))
        x = gated(x, "enc.0", 1, (1, 1) if fault == "symmetric_pad" else (2, 0))
        x = gated(x, "enc.1", 2, (4, 0), swap=fault == "gate_halves")
        y = layer_norm(gru(jnp.swapaxes(x, 1, 2)), "rnn_norm")
        x = x + jnp.swapaxes(y, 1, 2)
        x = jax.nn.silu(group_norm(deconv(x, "up.deconv"), "up.norm"))
        x = decoder(x, skip)
        x = conv(x, "head.conv1", pad=(1, 1))
        x = jax.nn.leaky_relu(x, 0.2 if fault == "leaky_slope" else 0.1)
        return conv(x, "head.conv2")

    return forward


MODELS: dict[str, Model] = {
    "encoder": Model(make_encoder, encoder_numpy, encoder_jax, ENCODER_FAULTS, ENCODER_HONEST),
    "convnet": Model(make_convnet, convnet_numpy, convnet_jax, CONVNET_FAULTS, CONVNET_HONEST),
    "audio": Model(make_audio, audio_numpy, audio_jax, AUDIO_FAULTS, AUDIO_HONEST),
}


# ===========================================================================
# self-check
# ===========================================================================


def relative(a, b) -> float:
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape:
        raise AssertionError(f"shapes differ: {a.shape} and {b.shape}")
    return float(np.abs(a.astype(np.float64) - b).max() / np.abs(b).max())


def first_difference(right, wrong, inputs, limit=1e-5) -> list[str]:
    """Modules of the faulty torch model with equal inputs and other outputs.

    Fed with the right model's inputs, a module's output differs only if the
    fault is inside of it; of these, the deepest is where the fault lies.
    """
    calls = {}

    def keep(name):
        def hook(module, args, output):
            calls.setdefault(name, (args, output))

        return hook

    handles = [m.register_forward_hook(keep(n)) for n, m in right.named_modules() if n]
    with torch.no_grad():
        right(*inputs)
        for h in handles:
            h.remove()
        wrong_modules = dict(wrong.named_modules())
        return [n for n, (args, out) in calls.items() if relative(wrong_modules[n](*args), out) > limit]


def check(seeds=(0, 1, 2, 3), export=False) -> None:
    torch.set_num_threads(1)
    bad = []
    for name, entry in MODELS.items():
        for seed in seeds:
            right, inputs = entry.make_torch(seed)
            names = [n for n, _ in right.named_modules()]
            leaves = [n for n, m in right.named_modules() if n and not list(m.children())]
            params = params_of(right)
            with torch.no_grad():
                want = right(*inputs).numpy()
            print(
                f"{name} seed {seed}: {len(names) - 1} modules, {len(leaves)} leaves, "
                f"output {want.shape}, max |out| {np.abs(want).max():.3g}"
            )
            as_numpy = tuple(x.numpy() for x in inputs)
            for way in [None, *entry.honest]:
                got = {"numpy": entry.numpy_port(params, way)(*as_numpy), "jax": entry.jax_port(params, way)(*as_numpy)}
                for form, value in got.items():
                    r = relative(value, want)
                    flag = "" if r <= 1e-4 else "  <-- BAD"
                    if np.asarray(value).dtype != np.float32:
                        flag = f"  <-- BAD {np.asarray(value).dtype}"
                    print(f"    honest {way or '-':20} {form:6} {r:.1e}{flag}")
                    if flag:
                        bad.append((name, seed, way, form))
            for f in entry.faults:
                wrong, again = entry.make_torch(seed, fault=f.id)
                assert all(torch.equal(a, b) for a, b in zip(inputs, again))
                assert [n for n, _ in wrong.named_modules()] == names
                assert f.module in names, f.module
                assert f.functional == (f.module not in leaves)
                with torch.no_grad():
                    out = {"torch": wrong(*inputs).numpy()}
                out["numpy"] = entry.numpy_port(params, f.id)(*inputs)
                out["jax"] = entry.jax_port(params, f.id)(*inputs)
                size = {k: relative(v, want) for k, v in out.items()}
                same = max(relative(out[k], out["torch"]) for k in ("numpy", "jax"))
                where = first_difference(right, wrong, inputs)
                flag = "" if min(size.values()) >= 1e-4 else "  <-- BAD: too small"
                if same > 1e-4:
                    flag += "  <-- BAD: the three forms are not the same fault"
                if not where or max(where, key=lambda n: n.count(".")) != f.module:
                    flag += f"  <-- BAD: begins in {where}"
                print(
                    f"    {f.id:20} {f.module:24} "
                    + " ".join(f"{k} {v:.1e}" for k, v in size.items())
                    + f"  forms agree to {same:.0e}{flag}"
                )
                if flag:
                    bad.append((name, seed, f.id))
        if export:
            check_export(name, entry, bad)
    if bad:
        raise SystemExit(f"{len(bad)} checks failed: {bad}")
    print("all hold")


def check_export(name, entry, bad) -> None:
    """Every torch variant runs in ONNX Runtime and OpenVINO with the same output."""
    import io
    import warnings

    import onnxruntime
    import openvino

    warnings.simplefilter("ignore")
    core = openvino.Core()
    for fault in [None, *(f.id for f in entry.faults)]:
        model, inputs = entry.make_torch(0, fault=fault)
        with torch.no_grad():
            want = model(*inputs).numpy()
        buffer = io.BytesIO()
        torch.onnx.export(model, inputs, buffer, dynamo=False, opset_version=17)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(buffer.getvalue(), options, providers=["CPUExecutionProvider"])
        feed = {i.name: x.numpy() for i, x in zip(session.get_inputs(), inputs)}
        sizes = {"onnxruntime": relative(session.run(None, feed)[0], want)}
        ov = core.compile_model(
            openvino.convert_model(model, example_input=inputs), "CPU", {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
        )
        sizes["openvino"] = relative(ov([x.numpy() for x in inputs])[0], want)
        flag = "" if max(sizes.values()) <= 1e-4 else "  <-- BAD"
        print(f"    export {fault or '-':20} " + " ".join(f"{k} {v:.0e}" for k, v in sizes.items()) + flag)
        if flag:
            bad.append((name, "export", fault))


if __name__ == "__main__":
    import sys

    check(export="--export" in sys.argv)
