"""Pairs of models that compute the same in other ways: where `locate` has to find nothing."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.utils.fusion import fuse_conv_bn_eval

from . import models, rewrites
from .models import make
from .rewrites import compiled, replace_all, training_step, under, without_onednn

Pair = tuple[Callable[..., Any], Callable[..., Any], tuple[Any, ...]]


@dataclass(frozen=True)
class Honest:
    """One pair.

    Attributes:
        name: of the pair. model: in `models.py`. build: makes actual, expected and the inputs.
        gradients: whether the backward pass is walked too. declared: the precision that actual is entitled to. slow: not for the tests.
    """

    name: str
    model: str
    build: Callable[[], Pair]
    gradients: bool = False
    declared: str | None = None
    slow: bool = False


HONEST: list[Honest] = []
Change = Callable[[Any], Any]


def unchanged(model: Any) -> Any:
    return model


def honest(
    name: str, model: str, change: Change, change_expected: Change = unchanged, *, gradients: bool = False, declared: str | None = None,
    slow: bool = False,
) -> None:  # fmt: skip
    """Enter a pair: what is done to a copy, and to the model itself."""

    def build() -> Pair:
        expected, inputs = make(model)
        actual = copy.deepcopy(expected)
        return change(actual), change_expected(expected), inputs

    HONEST.append(Honest(name, model, build, gradients, declared, slow))


def all_of(kind: type[nn.Module], forward: rewrites.Forward) -> Change:
    return lambda model: replace_all(model, kind, forward)


def part(path: str, forward: rewrites.Forward) -> Change:
    def change(model: nn.Module) -> nn.Module:
        rewrites.replace_forward(model, path, forward)
        return model

    return change


def channels_last(model: nn.Module) -> nn.Module:
    return model.to(memory_format=torch.channels_last)


def kernel(backend: SDPBackend) -> Change:
    return lambda model: under(lambda: sdpa_kernel(backend), model)


def in_bfloat16(model: nn.Module) -> rewrites.Forward:
    model = model.bfloat16()

    def run(x):
        return model(x.bfloat16()).float()

    return run


def folded(model: nn.Module) -> nn.Module:
    """Each batch norm goes into the convolution before it."""
    for block in model.modules():
        if isinstance(block, models.ConvBlock):
            block.conv, block.norm = fuse_conv_bn_eval(block.conv, block.norm), nn.Identity()
    return model


def trained_with(optimizer: Callable[..., torch.optim.Optimizer], **options: Any) -> Change:
    return lambda model: training_step(model, optimizer(model.parameters(), **options))


# Identical twins
honest("a copy, with gradients", "lstm_cells", unchanged, gradients=True)
honest("a copy of the decoder, with gradients", "decoder", unchanged, gradients=True)

# Compiled
honest("compiled CNN", "cnn_eval", compiled, slow=True)
honest("compiled CNN in training", "cnn", compiled, gradients=True, slow=True)
honest("compiled encoder", "encoder", compiled, slow=True)
honest("compiled GPT", "gpt_small", compiled, gradients=True, slow=True)
honest("compiled mixture", "mixture", compiled, slow=True)

# Kernels and layouts
honest("oneDNN off, CNN", "cnn", lambda model: under(without_onednn, model), gradients=True)
honest("oneDNN off, U-Net", "unet", lambda model: under(without_onednn, model))
honest("oneDNN off, resnet50", "resnet50", lambda model: under(without_onednn, model), slow=True)
honest("oneDNN off, LSTM", "lstm", lambda model: under(without_onednn, model), gradients=True)
honest("channels-last, CNN", "cnn", channels_last, gradients=True)
honest("channels-last, U-Net", "unet", channels_last)
honest("channels-last, resnet50", "resnet50", channels_last, slow=True)
honest("two threads, CNN", "cnn", lambda model: under(lambda: rewrites.threads(2), model), gradients=True)
honest("two threads, GPT", "gpt_small", lambda model: under(lambda: rewrites.threads(2), model))
honest("attention by formula against fused", "gpt_small", kernel(SDPBackend.MATH), kernel(SDPBackend.FLASH_ATTENTION), gradients=True)
honest("fused attention against formula", "gpt_small", kernel(SDPBackend.FLASH_ATTENTION), kernel(SDPBackend.MATH), gradients=True)
honest("fast path of the encoder off", "encoder_norm_first", lambda model: under(rewrites.without_fast_path, model))

# Written another way
honest("split projections, GPT", "gpt_small", rewrites.split_attention)
honest("split projections, GPT, with gradients", "gpt_small", rewrites.split_attention, gradients=True)
honest("joined projections against split", "gpt_small", unchanged, rewrites.split_attention, gradients=True)
honest("split projections, gpt2", "gpt2", rewrites.split_attention, slow=True)
honest("attention written out", "gpt_small", all_of(models.Attention, rewrites.attention_written_out), gradients=True)
honest("layer norms written out", "gpt_small", all_of(nn.LayerNorm, rewrites.layer_norm), gradients=True)
honest("layer norms written out, 200 layers", "deep", all_of(nn.LayerNorm, rewrites.layer_norm))
honest("batch norms written out, training", "cnn", all_of(nn.BatchNorm2d, rewrites.batch_norm_training), gradients=True)
honest("batch norms as scales", "unet", all_of(nn.BatchNorm2d, rewrites.batch_norm_as_scale))
honest("batch norms folded into convolutions", "cnn_eval", folded)
honest(
    "group and instance norms written out", "norms", lambda model: part("4", rewrites.instance_norm)(part("1", rewrites.group_norm)(model))
)
honest("gelu written out", "gpt_small", all_of(nn.GELU, rewrites.gelu_tanh), gradients=True)
honest("silu written out", "mixture", all_of(nn.SiLU, rewrites.silu), gradients=True)
honest("convolutions as products", "cnn", all_of(nn.Conv2d, rewrites.convolution_as_product), gradients=True)
honest("convolutions by taps", "unet", all_of(nn.Conv2d, rewrites.convolution_by_taps))
honest("LSTM written out", "lstm", all_of(nn.LSTM, rewrites.lstm_written_out), gradients=True)
honest("GRU written out", "gru", all_of(nn.GRU, rewrites.gru_written_out), gradients=True)
honest("LSTM cell written out", "lstm_cells", all_of(nn.LSTMCell, rewrites.lstm_cell), gradients=True)
honest("GRU cell written out", "gru_cells", all_of(nn.GRUCell, rewrites.gru_cell), gradients=True)
honest("embedding as a product", "gru", all_of(nn.Embedding, rewrites.embedding_as_product))
honest("mixture with all experts on all tokens", "mixture", all_of(models.Mixture, rewrites.mixture_dense))
honest("linear in two halves", "gpt_small", all_of(nn.Linear, rewrites.linear_in_columns), gradients=True)

# Sums in another order
honest("sums in eight parts", "two_layers", all_of(nn.Linear, rewrites.linear_in_chunks), gradients=True)
honest("sums in eight parts, 200 layers", "deep", all_of(nn.Linear, rewrites.linear_in_chunks))
honest("sums in eight parts, GPT", "gpt_small", all_of(nn.Linear, rewrites.linear_in_chunks))

# Named another way
honest("renamed GPT", "gpt_small", rewrites.Decoder, gradients=True)
honest("renamed gpt2", "gpt2", rewrites.Decoder, slow=True)
honest("renamed CNN in channels-last", "cnn", lambda model: rewrites.Renamed(channels_last(model)), gradients=True)
honest("wrapped decoder", "decoder", rewrites.Wrapped)

# Computed again, trained another way, at a lower precision
honest("checkpointed GPT", "gpt_small", part("", rewrites.gpt_checkpointed), gradients=True)
honest("checkpointed 200 layers", "deep", part("", rewrites.sequence_checkpointed), gradients=True)
ADAMW, SGD = torch.optim.AdamW, torch.optim.SGD
honest("AdamW foreach", "gpt_small", trained_with(ADAMW, foreach=True), trained_with(ADAMW, foreach=False))
honest("AdamW fused", "two_layers", trained_with(ADAMW, fused=True), trained_with(ADAMW, foreach=False))
honest("AdamW fused, CNN", "cnn", trained_with(ADAMW, fused=True), trained_with(ADAMW, foreach=True))
SGD_OPTIONS = {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 1e-3}
honest("SGD fused", "cnn", trained_with(SGD, fused=True, **SGD_OPTIONS), trained_with(SGD, foreach=False, **SGD_OPTIONS))
honest("bfloat16 as declared", "two_layers", in_bfloat16, declared="bfloat16")
honest("autocast as declared", "gpt_small", lambda model: under(lambda: torch.autocast("cpu", torch.bfloat16), model), declared="bfloat16")
