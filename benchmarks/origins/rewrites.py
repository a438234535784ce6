"""The same models written in other ways: formulas written out, parts renamed, other kernels. Honest as they are; faults are planted in them too."""

from __future__ import annotations

import contextlib
import math
import types
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

from .models import GPT, GPTBlock, SplitAttention

Forward = Callable[..., Any]


def replace_forward(model: nn.Module, path: str, forward: Forward) -> None:
    """Let one module compute something else under the path that it has."""
    part = model.get_submodule(path)
    part.forward = types.MethodType(forward, part)


def replace_all(model: nn.Module, kind: type[nn.Module], forward: Forward) -> nn.Module:
    """Let all modules of a kind compute something else."""
    for part in model.modules():
        if type(part) is kind:
            part.forward = types.MethodType(forward, part)
    return model


# Formulas written out


def linear_in_chunks(self, x):
    """Partial sums over 8 parts of the inner dimension, last part first."""
    parts = zip(x.tensor_split(8, -1), self.weight.tensor_split(8, 1))
    y = sum(part @ weight.t() for part, weight in reversed(list(parts)))
    return y if self.bias is None else y + self.bias


def linear_in_columns(self, x):
    """Two halves of the outputs, as tensor parallelism computes them."""
    half = self.out_features // 2
    biases = (None, None) if self.bias is None else (self.bias[:half], self.bias[half:])
    return torch.cat([F.linear(x, self.weight[:half], biases[0]), F.linear(x, self.weight[half:], biases[1])], -1)


def embedding_as_product(self, tokens):
    return F.one_hot(tokens, self.num_embeddings).to(self.weight.dtype) @ self.weight


def layer_norm(self, x):
    mean = x.mean(-1, keepdim=True)
    variance = (x - mean).square().mean(-1, keepdim=True)
    return (x - mean) * torch.rsqrt(variance + self.eps) * self.weight + self.bias


def group_norm(self, x, correction=0):
    parts = x.reshape(x.shape[0], self.num_groups, -1)
    variance, mean = torch.var_mean(parts, -1, correction=correction, keepdim=True)
    y = ((parts - mean) / torch.sqrt(variance + self.eps)).reshape(x.shape)
    return y * self.weight[:, None, None] + self.bias[:, None, None]


def instance_norm(self, x):
    mean = x.mean((2, 3), keepdim=True)
    variance = (x - mean).square().mean((2, 3), keepdim=True)
    return (x - mean) / (variance + self.eps).sqrt() * self.weight[:, None, None] + self.bias[:, None, None]


def batch_norm_training(self, x, correction=1):
    """As PyTorch does it in training: the variance that is kept is the unbiased one."""
    mean = x.mean((0, 2, 3))
    variance = x.var((0, 2, 3), correction=0)
    with torch.no_grad():
        count = x.numel() // x.shape[1]
        kept = variance * (count / (count - correction))
        self.running_mean.mul_(1 - self.momentum).add_(mean, alpha=self.momentum)
        self.running_var.mul_(1 - self.momentum).add_(kept, alpha=self.momentum)
        self.num_batches_tracked.add_(1)
    scale = self.weight / torch.sqrt(variance + self.eps)
    return (x - mean[:, None, None]) * scale[:, None, None] + self.bias[:, None, None]


def batch_norm_as_scale(self, x):
    """In evaluation: one factor and one summand for each channel."""
    scale = self.weight / torch.sqrt(self.running_var + self.eps)
    return x * scale[:, None, None] + (self.bias - self.running_mean * scale)[:, None, None]


def gelu_tanh(self, x):
    return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x * x * x)))


def silu(self, x):
    return x / (1.0 + torch.exp(-x))


def convolution_as_product(self, x):
    columns = F.unfold(x, self.kernel_size, self.dilation, self.padding, self.stride)
    y = self.weight.flatten(1) @ columns
    height = (x.shape[2] + 2 * self.padding[0] - self.kernel_size[0]) // self.stride[0] + 1
    y = y.reshape(x.shape[0], self.out_channels, height, -1)
    return y if self.bias is None else y + self.bias[:, None, None]


def convolution_by_taps(self, x):
    """One product for each place of the kernel, summed up (stride 1)."""
    (high, wide), padding = self.kernel_size, self.padding[0]
    padded = F.pad(x, (padding,) * 4)
    height, width = padded.shape[2] - high + 1, padded.shape[3] - wide + 1
    y = 0.0
    for i in range(high):
        for j in range(wide):
            y = y + torch.einsum("oc,nchw->nohw", self.weight[:, :, i, j], padded[:, :, i : i + height, j : j + width])
    return y if self.bias is None else y + self.bias[:, None, None]


def lstm_gates(x, h, c, weights, forget=1.0, tanh=torch.tanh):
    w_ih, w_hh, b_ih, b_hh = weights
    i, f, g, o = (x @ w_ih.t() + b_ih + h @ w_hh.t() + b_hh).chunk(4, -1)
    c = torch.sigmoid(f + (forget - 1.0)) * c + torch.sigmoid(i) * tanh(g)
    return torch.sigmoid(o) * tanh(c), c


def gru_gates(x, h, weights, reset_before=False):
    w_ih, w_hh, b_ih, b_hh = weights
    r_x, z_x, n_x = F.linear(x, w_ih, b_ih).chunk(3, -1)
    r_h, z_h, n_h = F.linear(h, w_hh, b_hh).chunk(3, -1)
    r, z = torch.sigmoid(r_x + r_h), torch.sigmoid(z_x + z_h)
    if reset_before:
        n_w, n_b = w_hh.chunk(3)[2], b_hh.chunk(3)[2]
        n = torch.tanh(n_x + F.linear(r * h, n_w, n_b))
    else:
        n = torch.tanh(n_x + r * n_h)
    return (1.0 - z) * n + z * h


def layer_weights(rnn: nn.RNNBase, layer: int) -> list[torch.Tensor]:
    return [getattr(rnn, f"{name}_l{layer}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]


def cell_weights(cell: nn.RNNCellBase) -> list[torch.Tensor]:
    return [cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh]


def lstm_written_out(self, x, forget=(1.0, 1.0)):
    last_h, last_c = [], []
    for layer in range(self.num_layers):
        h = c = x.new_zeros(x.shape[0], self.hidden_size)
        steps = []
        for step in x.unbind(1):
            h, c = lstm_gates(step, h, c, layer_weights(self, layer), forget[layer])
            steps.append(h)
        x = torch.stack(steps, 1)
        last_h.append(h)
        last_c.append(c)
    return x, (torch.stack(last_h), torch.stack(last_c))


def gru_written_out(self, x, reset_before=False):
    last = []
    for layer in range(self.num_layers):
        h = x.new_zeros(x.shape[0], self.hidden_size)
        steps = []
        for step in x.unbind(1):
            h = gru_gates(step, h, layer_weights(self, layer), reset_before and layer == 1)
            steps.append(h)
        x = torch.stack(steps, 1)
        last.append(h)
    return x, torch.stack(last)


def lstm_cell(self, x, state=None, tanh=torch.tanh):
    h, c = state if state is not None else (x.new_zeros(x.shape[0], self.hidden_size),) * 2
    return lstm_gates(x, h, c, cell_weights(self), tanh=tanh)


def gru_cell(self, x, state=None):
    h = state if state is not None else x.new_zeros(x.shape[0], self.hidden_size)
    return gru_gates(x, h, cell_weights(self))


def attention_written_out(self, x, scale=1.0, diagonal=0):
    """`Attention` with its scores, mask and softmax."""
    batch, time, width = x.shape
    q, k, v = (part.view(batch, time, self.heads, -1).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
    scores = (q * (scale / math.sqrt(q.shape[-1]))) @ k.transpose(-1, -2)
    scores = scores + torch.full((time, time), float("-inf")).triu(1 + diagonal)
    weights = torch.exp(scores - scores.amax(-1, keepdim=True))
    y = (weights / weights.sum(-1, keepdim=True)) @ v
    return self.out(y.transpose(1, 2).reshape(batch, time, width))


def mixture_dense(self, x):
    """`Mixture` with each expert on all tokens, weighted by zero where it was not chosen."""
    weights, chosen = torch.softmax(self.router(x), -1).topk(2)
    weights = weights / weights.sum(-1, keepdim=True)
    full = torch.zeros(x.shape[0], len(self.experts)).scatter(1, chosen, weights)
    return torch.einsum("te,ted->td", full, torch.stack([expert(x) for expert in self.experts], 1))


def gpt_checkpointed(self, tokens):
    """Each block is computed again in the backward pass."""
    x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1]))
    for block in self.h:
        x = checkpoint(block, x, use_reentrant=False)
    return self.lm_head(self.ln_f(x))


def sequence_checkpointed(self, x):
    for number in range(0, len(self), 20):
        x = checkpoint(nn.Sequential.forward, self[number : number + 20], x, use_reentrant=False)
    return x


# Other arrangements


def split_attention(model: GPT) -> GPT:
    """Three projections in place of one, in every block."""
    for block in model.h:
        block.attn = SplitAttention(block.attn)
    return model


class Layer(nn.Module):
    def __init__(self, block: GPTBlock) -> None:
        super().__init__()
        self.input_norm, self.self_attention = block.ln_1, block.attn
        self.post_norm, self.feed_forward = block.ln_2, block.mlp

    def forward(self, hidden):
        hidden = self.self_attention(self.input_norm(hidden)) + hidden
        return self.feed_forward(self.post_norm(hidden)) + hidden


class Decoder(nn.Module):
    """`GPT` with other names and one level more."""

    def __init__(self, model: GPT) -> None:
        super().__init__()
        self.embeddings = nn.ModuleDict({"tokens": model.wte, "positions": model.wpe})
        self.layers = nn.Sequential(*(Layer(block) for block in model.h))
        self.final_norm, self.unembed = model.ln_f, model.lm_head

    def forward(self, ids):
        positions = torch.arange(ids.shape[-1])
        hidden = self.embeddings["positions"](positions) + self.embeddings["tokens"](ids)
        return self.unembed(self.final_norm(self.layers(hidden)))


class Wrapped(nn.Module):
    """A model one level further in, as wrappers for distribution and training put it."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, *inputs):
        return self.module(*inputs)


class Renamed(nn.Module):
    """A sequence whose parts have names in place of numbers."""

    def __init__(self, parts: nn.Sequential) -> None:
        super().__init__()
        self.names = [f"stage_{chr(ord('a') + number)}" for number in range(len(parts))]
        for name, part in zip(self.names, parts):
            setattr(self, name, part)

    def forward(self, x):
        for name in self.names:
            x = getattr(self, name)(x)
        return x


# Other kernels and settings


def under(context: Callable[[], contextlib.AbstractContextManager[Any]], module: nn.Module) -> Forward:
    """The module, called with a setting."""

    def run(*inputs):
        with context():
            return module(*inputs)

    return run


@contextlib.contextmanager
def threads(count: int):
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextlib.contextmanager
def without_fast_path():
    before = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        yield
    finally:
        torch.backends.mha.set_fastpath_enabled(before)


def without_onednn() -> contextlib.AbstractContextManager[Any]:
    return torch.backends.mkldnn.flags(enabled=False)


def compiled(module: nn.Module) -> nn.Module:
    torch._dynamo.reset()
    return torch.compile(module)


def training_step(module: nn.Module, optimizer: torch.optim.Optimizer) -> Forward:
    """One step: forward, mean of squares of the output, backward, optimizer."""

    def step(*inputs):
        optimizer.zero_grad()
        loss = module(*inputs).square().mean()
        loss.backward()
        optimizer.step()
        return loss

    return step
