"""Models computed in less than the precision that they declare: float32 inputs and outputs, something coarser between.

The outputs are those fields that the pairs compare, in float32; the word that the verdict must have is that of the format.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from .architectures import ARCHITECTURES
from .effect import in_dtype
from .pair import Pair, Sides, add
from .planting import Plant, edited, only, rewrite, rewritten, rounded

WORDS = {torch.bfloat16: "bfloat16", torch.float16: "float16"}


def reduced(
    name: str,
    architecture: str,
    format: str,
    plant: Callable[[nn.Module, str], None],
    *,
    truth: str | None = None,
    also: tuple[str, ...] = (),
    note: str = "",
    **settings: Any,
) -> None:
    def make() -> Sides:
        chosen = ARCHITECTURES[architecture]
        expected = chosen.model(**settings)
        actual = copy.deepcopy(expected)
        plant(actual, chosen.output)
        return Sides(actual, only(expected, chosen.output), chosen.inputs(0, 2))

    add(Pair(f"{architecture}/{name}", "reduced", architecture, make, truth=truth, also=also, format=format, note=note))


def whole(dtype: torch.dtype) -> Callable[[nn.Module, str], None]:
    """The whole model in a coarser dtype, its result widened again. The cast is made in each forward, as copies of a model in float64 must not keep it."""

    def plant(model: nn.Module, output: str) -> None:
        model.to(dtype)

        def change(self: nn.Module, forward: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
            out = forward(*in_dtype(args, dtype), **in_dtype(kwargs, dtype))
            return (out[output] if output else out).float()

        rewrite(model, change)

    return plant


def autocast(dtype: torch.dtype) -> Callable[[nn.Module, str], None]:
    def plant(model: nn.Module, output: str) -> None:
        def change(self: nn.Module, forward: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
            with torch.autocast("cpu", dtype):
                out = forward(*args, **kwargs)
            return (out[output] if output else out).float()

        rewrite(model, change)

    return plant


def stored(dtype: torch.dtype) -> Callable[[nn.Module, str], None]:
    """A checkpoint in a coarser dtype, loaded into a model in float32."""

    @torch.no_grad()
    def plant(model: nn.Module, output: str) -> None:
        for parameter in model.parameters():
            parameter.copy_(parameter.to(dtype).to(parameter.dtype))
        only(model, output)

    return plant


def tensor_cores(bits: int, float32_only: bool = False) -> Callable[[nn.Module, str], None]:
    """Both operands of each linear layer and convolution rounded to so many bits, as tensor cores do in TF32 (11).

    A tensor core rounds float32 alone (`float32_only`); an imitation that rounds whatever it is given rounds in a run in float64 as well.
    """

    def plant(model: nn.Module, output: str) -> None:
        def change(self: Any, forward: Any, x: torch.Tensor) -> torch.Tensor:
            return forward(x) if float32_only and x.dtype != torch.float32 else _with_weight(self, forward, x, bits)

        for module in model.modules():
            if isinstance(module, nn.Linear | nn.modules.conv._ConvNd) or type(module).__name__ == "Conv1D":
                rewrite(module, change)
        only(model, output)

    return plant


def _with_weight(self: Any, forward: Any, x: torch.Tensor, bits: int) -> torch.Tensor:
    weight = self.weight
    coarse = {"weight": rounded(weight, bits)}
    if self.bias is not None:
        coarse["bias"] = self.bias
    base = type(self).__mro__[1]
    return torch.func.functional_call(_shell(self, base), coarse, (rounded(x, bits),))


def _shell(module: Any, base: type) -> nn.Module:
    """The module as its library's class, sharing all attributes."""
    shell = base.__new__(base)
    shell.__dict__ = dict(module.__dict__)
    return shell


def one(path: str, plant: Plant) -> Callable[[nn.Module, str], None]:
    """Something in one module; the rest in float32."""

    def both(model: nn.Module, output: str) -> None:
        plant(model)
        only(model, output)

    return both


def in_half(dtype: torch.dtype) -> Callable[..., Any]:
    """A forward of one linear layer with operands cast to a coarser dtype and the result widened."""

    def change(self: Any, forward: Any, x: torch.Tensor, *args: Any) -> torch.Tensor:
        bias = None if self.bias is None else self.bias.to(dtype)
        return nn.functional.linear(x.to(dtype), self.weight.to(dtype), bias).to(x.dtype)

    return change


def norm_in(dtype: torch.dtype) -> Callable[..., Any]:
    def change(self: Any, forward: Any, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.layer_norm(x.to(dtype), self.normalized_shape, self.weight.to(dtype), self.bias.to(dtype), self.eps).to(
            x.dtype
        )

    return change


def result_in(dtype: torch.dtype) -> Callable[..., Any]:
    """The results of one module stored in a coarser dtype and read again: what a buffer, a cache or a message between machines does."""

    def change(self: Any, forward: Any, *args: Any, **kwargs: Any) -> Any:
        out = forward(*args, **kwargs)
        return tuple(part.to(dtype).to(part.dtype) for part in out) if isinstance(out, tuple) else out.to(dtype).to(out.dtype)

    return change


BF16, FP16 = torch.bfloat16, torch.float16
for architecture in ("llama", "gemma3", "bert", "t5", "mamba", "timm_vit", "timm_resnet", "unet2d"):
    reduced("the whole in bfloat16", architecture, "bfloat16", whole(BF16))
for architecture in ("gpt2", "qwen3", "vit", "timm_convnext"):
    reduced("the whole in float16", architecture, "float16", whole(FP16))
for architecture in ("gpt2", "roberta", "whisper", "tv_resnet18", "timm_swin", "unet2d_condition"):
    reduced("autocast to bfloat16", architecture, "bfloat16", autocast(BF16))
for architecture in ("opt", "timm_mixer"):
    reduced("autocast to float16", architecture, "float16", autocast(FP16))
for architecture in ("llama", "distilbert", "deepseek_v2", "tv_vgg", "dinov2"):
    reduced("weights stored in float16", architecture, "float16", stored(FP16))
for architecture in ("phi", "clip", "timm_regnet", "sd3"):
    reduced("weights stored in bfloat16", architecture, "bfloat16", stored(BF16))
for architecture in ("llama", "gpt2", "electra", "tv_resnet18", "timm_efficientnet", "autoencoder_kl"):
    reduced("operands in TF32", architecture, "tf32", tensor_cores(11))
    reduced("operands in TF32, float32 alone", architecture, "tf32", tensor_cores(11, float32_only=True))
for architecture, path in (
    ("qwen2", "model.layers.1.mlp.up_proj"),
    ("bart", "model.encoder.layers.0.fc1"),
    ("timm_deit3", "blocks.0.mlp.fc2"),
    ("flux", "x_embedder"),
):
    reduced("one layer in float16", architecture, "float16", one(path, rewritten(path, in_half(FP16))), truth=path)
    reduced("one layer in bfloat16", architecture, "bfloat16", one(path, rewritten(path, in_half(BF16))), truth=path)
for architecture, path in (("phi", "model.layers.0.self_attn.k_proj"), ("opt", "model.decoder.layers.1.self_attn.v_proj")):
    reduced("keys or values stored in float16", architecture, "float16", one(path, rewritten(path, result_in(FP16))), truth=path)
for architecture, path in (("gpt_neox", "gpt_neox.layers.0.input_layernorm"), ("vit", "vit.layers.1.layernorm_after")):
    reduced("norm in bfloat16", architecture, "bfloat16", one(path, rewritten(path, norm_in(BF16))), truth=path)
for architecture in ("llama", "qwen3"):
    reduced(
        "rotary tables in bfloat16",
        architecture,
        "bfloat16",
        one("model.rotary_emb", rewritten("model.rotary_emb", result_in(BF16))),
        truth="model.rotary_emb",
    )
reduced(
    "rotary frequencies in bfloat16",
    "mistral",
    "bfloat16",
    one("model.rotary_emb", edited("model.rotary_emb", lambda m: m.inv_freq.copy_(m.inv_freq.bfloat16().float()))),
    truth="model.rotary_emb",
)
for architecture, path in (("llama", "model.layers.0.mlp.down_proj"), ("timm_vit", "blocks.1.mlp.fc1")):
    reduced(
        "weights of one layer in eight-bit floats",
        architecture,
        "float8",
        one(path, edited(path, lambda m: m.weight.copy_(m.weight.to(torch.float8_e4m3fn).to(m.weight.dtype)))),
        truth=path,
    )
