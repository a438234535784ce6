"""Pairs of models with one fault at a known place: what `locate` has to name. Most faults are small: 1e-3 to 1e-6 of the value that they are in."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from . import rewrites
from .models import make
from .rewrites import Forward, compiled, replace_forward, training_step

Pair = tuple[Callable[..., Any], Callable[..., Any], tuple[Any, ...]]


@dataclass(frozen=True)
class Fault:
    """One pair.

    Attributes:
        name: of the pair. model: in `models.py`. module: path of the faulty module in `expected`.
        phase: "forward", "backward", "buffer" or "step". kind: what sort of fault.
        build: makes actual, expected and the inputs.
        gradients: whether the backward pass is walked too. slow: not for the tests.
    """

    name: str
    model: str
    module: str
    phase: str
    kind: str
    build: Callable[[], Pair]
    gradients: bool = False
    slow: bool = False


FAULTS: list[Fault] = []


def fault(
    name: str, model: str, module: str, kind: str, *, phase: str = "forward", gradients: bool = False, slow: bool = False,
    around: Callable[[nn.Module], Callable[..., Any]] = lambda module: module,
) -> Callable[[Callable[[nn.Module], Any]], Callable[[nn.Module], Any]]:  # fmt: skip
    """Enter a function that plants the fault in a copy; it may return another module in place of it. `around` is done to that (compiling)."""

    def enter(plant: Callable[[nn.Module], Any]) -> Callable[[nn.Module], Any]:
        def build() -> Pair:
            expected, inputs = make(model)
            actual = copy.deepcopy(expected)
            with torch.no_grad():
                changed = plant(actual)
            return around(changed if changed is not None else actual), expected, inputs

        FAULTS.append(Fault(name, model, module, phase, kind, build, gradients, slow))
        return plant

    return enter


def rounded(values: torch.Tensor, bits: int) -> torch.Tensor:
    """Rounded to so many bits after the leading one, to nearest even: 10 for TF32."""
    drop = 23 - bits
    integers = values.detach().view(torch.int32)
    half = (1 << (drop - 1)) - 1 + ((integers >> drop) & 1)
    return ((integers + half) >> drop << drop).view(torch.float32)


class Scaled(torch.autograd.Function):
    """Nothing forward, a factor backward."""

    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x.view_as(x)

    @staticmethod
    def backward(ctx, gradient):
        return gradient * ctx.factor, None


class LinearWithCoarseGradient(torch.autograd.Function):
    """The weight's gradient from bfloat16 operands."""

    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        return F.linear(x, weight, bias)

    @staticmethod
    def backward(ctx, gradient):
        x, weight = ctx.saved_tensors
        flat, rows = gradient.flatten(0, -2), x.flatten(0, -2)
        return gradient @ weight, (flat.bfloat16().t() @ rows.bfloat16()).float(), flat.sum(0)


class LayerNormWithoutAMean(torch.autograd.Function):
    """The gradient without the term that comes from the mean."""

    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        y, mean, rstd = torch.native_layer_norm(x, weight.shape, weight, bias, eps)
        ctx.save_for_backward((x - mean) * rstd, rstd, weight)
        return y

    @staticmethod
    def backward(ctx, gradient):
        normal, rstd, weight = ctx.saved_tensors
        g = gradient * weight
        return rstd * (g - normal * (g * normal).mean(-1, keepdim=True)), (gradient * normal).sum(0), gradient.sum(0), None


class ReluOfWrongSign(torch.autograd.Function):
    """A gradient that leaks through where the ReLU is off."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0.0)

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return torch.where(x > 0, gradient, 1e-3 * gradient)


def coarse_convolution(bits: int) -> Forward:
    def forward(self, x):
        return F.conv2d(rounded(x, bits), rounded(self.weight, bits), self.bias, self.stride, self.padding)

    return forward


def coarse_linear(bits: int) -> Forward:
    def forward(self, x):
        return F.linear(rounded(x, bits), rounded(self.weight, bits), self.bias)

    return forward


# Convolutional networks


@fault("batch norm with eps 1e-4", "cnn", "1.norm", "formula", gradients=True)
def _(model):
    model[1].norm.eps = 1e-4


@fault("batch norm with momentum 0.11", "cnn", "2.norm", "buffer", phase="buffer")
def _(model):
    model[2].norm.momentum = 0.11


@fault("biased running variance", "cnn", "0.norm", "buffer", phase="buffer")
def _(model):
    replace_forward(model, "0.norm", functools.partial(rewrites.batch_norm_training, correction=0))


@fault("relu leaks a gradient", "cnn", "1.act", "backward", phase="backward", gradients=True)
def _(model):
    replace_forward(model, "1.act", lambda self, x: ReluOfWrongSign.apply(x))


@fault("one channel of a filter 1e-4 larger", "cnn_eval", "2.conv", "one channel")
def _(model):
    model[2].conv.weight[7] *= 1.0001


@fault("one channel wrong in channels-last", "cnn_eval", "0.norm", "one channel")
def _(model):
    def forward(self, x):
        y = nn.BatchNorm2d.forward(self, x)
        return y * (1.0 + 1e-4 * (torch.arange(16) == 3).float())[:, None, None]

    replace_forward(model, "0.norm", forward)
    return model.to(memory_format=torch.channels_last)


@fault("one weight of a thousand", "cnn_eval", "5", "one element")
def _(model):
    model[5].weight[4, 500] += 1e-3


@fault("running mean stored in half", "cnn_eval", "2.norm", "dtype", phase="buffer")
def _(model):
    model[2].norm.running_mean.copy_(model[2].norm.running_mean.half())


@fault("convolution on bfloat16 operands", "cnn_eval", "2.conv", "precision")
def _(model):
    replace_forward(model, "2.conv", coarse_convolution(7))


@fault("pooling that divides by a rounded factor", "cnn_eval", "3", "formula")
def _(model):
    replace_forward(model, "3", lambda self, x: F.avg_pool2d(x, 2, divisor_override=1) * 0.24999)


@fault("compiled, batch norm with eps 2e-5", "cnn_eval", "2.norm", "formula", slow=True, around=compiled)
def _(model):
    model[2].norm.eps = 2e-5


@fault("resnet50, batch norm with eps 2e-5", "resnet50", "layer3.4.bn2", "formula", slow=True)
def _(model):
    model.layer3[4].bn2.eps = 2e-5


@fault("resnet50, convolution in TF32", "resnet50", "layer2.1.conv2", "precision", slow=True)
def _(model):
    replace_forward(model, "layer2.1.conv2", coarse_convolution(10))


@fault("resnet50, one channel of a shortcut", "resnet50", "layer4.0.downsample.0", "one channel", slow=True)
def _(model):
    model.layer4[0].downsample[0].weight[1000] *= 1.001


@fault("interpolation with aligned corners", "unet", "", "formula")
def _(model):
    def forward(self, x):
        one = self.down1(x)
        two = self.down2(F.max_pool2d(one, 2))
        three = self.bottom(F.max_pool2d(two, 2))
        two = self.merge2(torch.cat([two, self.up2(three)], 1))
        return self.head(self.merge1(torch.cat([one, F.interpolate(two, scale_factor=2, mode="bilinear", align_corners=True)], 1)))

    replace_forward(model, "", forward)


@fault("one bias of a transposed convolution", "unet", "up2", "one channel")
def _(model):
    model.up2.bias[3] += 1e-4


@fault("batch norm folded with eps forgotten", "unet", "merge2.norm", "formula")
def _(model):
    def forward(self, x):
        scale = self.weight / torch.sqrt(self.running_var)
        return x * scale[:, None, None] + (self.bias - self.running_mean * scale)[:, None, None]

    replace_forward(model, "merge2.norm", forward)


# Recurrent networks


@fault("one weight of the recurrence", "lstm", "rnn", "one element", gradients=True)
def _(model):
    model.rnn.weight_hh_l1[17, 5] += 1e-3


@fault("lstm written out, forget gate 1e-4 off", "lstm", "rnn", "formula")
def _(model):
    replace_forward(model, "rnn", functools.partial(rewrites.lstm_written_out, forget=(1.0, 1.0001)))


@fault("layer norm stored in half", "lstm", "norm", "dtype")
def _(model):
    replace_forward(model, "norm", lambda self, x: nn.LayerNorm.forward(self, x).half().float())


@fault("gru written out, reset before the product", "gru", "rnn", "formula")
def _(model):
    replace_forward(model, "rnn", functools.partial(rewrites.gru_written_out, reset_before=True))


def tanh_by_a_fraction(x):
    """Lambert's continued fraction: 1e-5 off near 2."""
    x = x.clamp(-4.97, 4.97)
    square = x * x
    above = x * (135135.0 + square * (17325.0 + square * (378.0 + square)))
    return above / (135135.0 + square * (62370.0 + square * (3150.0 + square * 28.0)))


@fault("lstm cell with an approximated tanh", "lstm_cells", "cell", "formula")
def _(model):
    replace_forward(model, "cell", functools.partial(rewrites.lstm_cell, tanh=lambda x: tanh_by_a_fraction(x) * (1.0 + 1e-5)))


@fault("gradient of the state 1e-3 too small", "gru_cells", "cell", "backward", phase="backward", gradients=True)
def _(model):
    def forward(self, x, state=None):
        return nn.GRUCell.forward(self, x, None if state is None else Scaled.apply(state, 0.999))

    replace_forward(model, "cell", forward)


# Transformers


@fault("layer norm with eps 1e-4", "encoder", "layers.2.norm1", "formula")
def _(model):
    model.layers[2].norm1.eps = 1e-4


@fault("gelu by tanh", "encoder", "layers.1", "formula", gradients=True)
def _(model):
    model.layers[1].activation = lambda x: F.gelu(x, approximate="tanh")


@fault("compiled, gelu by tanh", "encoder", "layers.2", "formula", slow=True, around=compiled)
def _(model):
    model.layers[2].activation = lambda x: F.gelu(x, approximate="tanh")


@fault("fused layer, second norm with eps 1e-4", "encoder_norm_first", "layers.1", "formula")
def _(model):
    # A layer whose two norms differ is not taken by the fused kernel.
    model.layers[1].norm2.eps = 1e-4


@fault("fused layer, feed-forward in TF32", "encoder_norm_first", "layers.2", "precision")
def _(model):
    replace_forward(model, "layers.2.linear1", coarse_linear(10))
    replace_forward(
        model, "layers.2", lambda self, x, **_: (y := x + self._sa_block(self.norm1(x), None, None)) + self._ff_block(self.norm2(y))
    )


@fault("one row of a key projection 1e-3 larger", "decoder", "layers.1.multihead_attn", "one channel")
def _(model):
    model.layers[1].multihead_attn.in_proj_weight[60] *= 1.001


@fault("weight gradient in bfloat16", "decoder", "layers.0.linear1", "backward", phase="backward", gradients=True)
def _(model):
    replace_forward(model, "layers.0.linear1", lambda self, x: LinearWithCoarseGradient.apply(x, self.weight, self.bias))


@fault("gelu by erf", "gpt_small", "h.2.mlp.1", "formula", gradients=True)
def _(model):
    model.h[2].mlp[1].approximate = "none"


@fault("linear in half", "gpt_small", "h.3.attn.out", "dtype")
def _(model):
    replace_forward(model, "h.3.attn.out", lambda self, x: F.linear(x.half(), self.weight.half(), self.bias.half()).float())


@fault("attention written out, scale 5% off", "gpt_small", "h.2.attn", "formula")
def _(model):
    replace_forward(model, "h.2.attn", functools.partial(rewrites.attention_written_out, scale=1.05))


@fault("causal mask off by one", "gpt_small", "h.1.attn", "formula")
def _(model):
    replace_forward(model, "h.1.attn", functools.partial(rewrites.attention_written_out, diagonal=1))


@fault("split projections, one row of the values", "gpt_small", "h.1.attn.qkv", "one channel")
def _(model):
    rewrites.split_attention(model)
    model.h[1].attn.v_proj.weight[9] *= 1.001


@fault("renamed, layer norm with eps 2e-5", "gpt_small", "h.2.ln_2", "formula")
def _(model):
    model.h[2].ln_2.eps = 2e-5
    return rewrites.Decoder(model)


@fault("renamed, linear in TF32", "gpt_small", "h.1.mlp.2", "precision")
def _(model):
    replace_forward(model, "h.1.mlp.2", coarse_linear(10))
    return rewrites.Decoder(model)


@fault("gpt2, layer norm with eps 1e-6", "gpt2", "h.7.ln_2", "formula", slow=True)
def _(model):
    model.h[7].ln_2.eps = 1e-6


@fault("gpt2, one element of a position", "gpt2", "wpe", "one element", slow=True)
def _(model):
    model.wpe.weight[40, 300] += 1e-3


@fault("gpt2, linear in TF32", "gpt2", "h.4.mlp.0", "precision", slow=True)
def _(model):
    replace_forward(model, "h.4.mlp.0", coarse_linear(10))


# Mixtures, normalization stacks, depth


@fault("one row of one expert 1e-3 larger", "mixture", "1.experts.2.0", "one channel", gradients=True)
def _(model):
    model[1].experts[2][0].weight[30] *= 1.001


@fault("router in bfloat16", "mixture", "3", "dtype")
def _(model):
    def forward(self, x):
        weights, chosen = torch.softmax(self.router(x), -1).topk(2)
        weights = weights.bfloat16().float()
        weights = weights / weights.sum(-1, keepdim=True)
        y = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            rows, places = torch.where(chosen == number)
            y.index_add_(0, rows, weights[rows, places, None] * expert(x[rows]))
        return y

    replace_forward(model, "3", forward)


@fault("weights of the experts not normalized", "mixture", "1", "formula")
def _(model):
    def forward(self, x):
        weights, chosen = torch.softmax(self.router(x), -1).topk(2)
        full = torch.zeros(x.shape[0], 4).scatter(1, chosen, weights)
        return torch.einsum("te,ted->td", full, torch.stack([expert(x) for expert in self.experts], 1))

    replace_forward(model, "1", forward)


@fault("group norm with unbiased variance", "norms", "1", "formula")
def _(model):
    replace_forward(model, "1", functools.partial(rewrites.group_norm, correction=1))


@fault("instance norm with eps 2e-5", "norms", "4", "formula", gradients=True)
def _(model):
    model[4].eps = 2e-5


@fault("layer norm's gradient without a mean", "norms", "8", "backward", phase="backward", gradients=True)
def _(model):
    replace_forward(model, "8", lambda self, x: LayerNormWithoutAMean.apply(x, self.weight, self.bias, self.eps))


@fault("one weight in layer 137 of 200", "deep", "137.fc", "one element")
def _(model):
    model[137].fc.weight[3, 30] += 1e-4


@fault("gelu by tanh in layer 61 of 200", "deep", "61", "formula")
def _(model):
    replace_forward(model, "61", lambda self, x: x + 0.1 * F.gelu(self.fc(self.norm(x)), approximate="tanh"))


@fault("sums kept in half", "two_layers", "0", "precision")
def _(model):
    def forward(self, x):
        total = torch.zeros(x.shape[0], self.out_features, dtype=torch.float16)
        for part, weight in zip(x.tensor_split(8, -1), self.weight.tensor_split(8, 1)):
            total = total + (part @ weight.t()).half()
        return total.float() + self.bias

    replace_forward(model, "0", forward)


# Steps of optimizers


def stepping(
    name: str, model: str, module: str, actual_with: Callable[[nn.Module], torch.optim.Optimizer],
    expected_with: Callable[[nn.Module], torch.optim.Optimizer],
) -> None:  # fmt: skip
    """Enter a pair of training steps that differ in the optimizer alone."""

    def build() -> Pair:
        expected, inputs = make(model)
        actual = copy.deepcopy(expected)
        return training_step(actual, actual_with(actual)), training_step(expected, expected_with(expected)), inputs

    FAULTS.append(Fault(name, model, module, "step", "optimizer", build))


def groups(model: nn.Module, without_decay: tuple[str, ...]) -> list[dict[str, Any]]:
    """Two groups of parameters, as people make them."""
    chosen = [each for name, each in model.named_parameters() if name.startswith(without_decay)]
    others = [each for name, each in model.named_parameters() if not name.startswith(without_decay)]
    return [{"params": others, "weight_decay": 0.1}, {"params": chosen, "weight_decay": 0.0}]


stepping(
    "weight decay on the last norm",
    "gpt_small",
    "ln_f",
    lambda model: torch.optim.AdamW(groups(model, ("never",))[:1], lr=1e-3, foreach=False),
    lambda model: torch.optim.AdamW(groups(model, ("ln_f",)), lr=1e-3, foreach=False),
)
stepping(
    "Adam with decay in the gradient in place of AdamW",
    "two_layers",
    "0",
    lambda model: torch.optim.Adam(model.parameters(), weight_decay=0.01, foreach=False),
    lambda model: torch.optim.AdamW(model.parameters(), weight_decay=0.01, foreach=False),
)
stepping(
    "fused Adam with eps 1e-6",
    "two_layers",
    "0",
    lambda model: torch.optim.Adam(model.parameters(), eps=1e-6, fused=True),
    lambda model: torch.optim.Adam(model.parameters(), foreach=False),
)
stepping(
    "foreach SGD, learning rate of one group 1e-3 larger",
    "cnn",
    "5",
    lambda model: torch.optim.SGD(
        [{"params": model[:5].parameters()}, {"params": model[5].parameters(), "lr": 0.1001}], lr=0.1, momentum=0.9, foreach=True
    ),
    lambda model: torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, foreach=False),
)
