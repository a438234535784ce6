"""Modules rewritten so that they mean the same: norms by hand, folded scales, merged adapters, experts in other loops, other kernels."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from ..pair import Sides
from ..planting import at, rewrite
from .variant import changed, honest


def rms_norms(model: nn.Module) -> None:
    for module in model.modules():
        if type(module).__name__.endswith("RMSNorm") and hasattr(module, "variance_epsilon"):
            rewrite(
                module,
                lambda self, forward, x: x / torch.sqrt((x * x).sum(-1, keepdim=True) / x.shape[-1] + self.variance_epsilon) * self.weight,
            )


def layer_norms(model: nn.Module) -> None:
    def change(self: Any, forward: Any, x: torch.Tensor) -> torch.Tensor:
        centered = x - x.mean(-1, keepdim=True)
        return centered / torch.sqrt((centered * centered).mean(-1, keepdim=True) + self.eps) * self.weight + self.bias

    for module in model.modules():
        if type(module) is nn.LayerNorm and module.bias is not None:
            rewrite(module, change)


def folded(model: nn.Module) -> None:
    """Batch norms folded into the convolutions before them, for inference."""
    from torch.nn.utils.fusion import fuse_conv_bn_eval

    for parent in list(model.modules()):
        children = list(parent.named_children())
        for (first, conv), (second, norm) in itertools.pairwise(children):
            if type(conv) is nn.Conv2d and type(norm) is nn.BatchNorm2d and conv.out_channels == norm.num_features:
                setattr(parent, first, fuse_conv_bn_eval(conv, norm))
                setattr(parent, second, nn.Identity())


def in_halves(model: nn.Module) -> None:
    """Linear layers as two products, as two machines compute them that share the columns of a weight."""

    def change(self: Any, forward: Any, x: torch.Tensor) -> torch.Tensor:
        half = self.in_features // 2
        return F.linear(x[..., :half], self.weight[:, :half]) + F.linear(x[..., half:], self.weight[:, half:], self.bias)

    for module in model.modules():
        if type(module) is nn.Linear:
            rewrite(module, change)


def adapters(merged: bool) -> Callable[[nn.Module], None]:
    """Low-rank adapters on queries and values, merged into the weights or computed beside them."""

    @torch.no_grad()
    def change(model: nn.Module) -> None:
        generator = torch.Generator().manual_seed(4)
        for name, module in model.named_modules():
            if name.endswith(("q_proj", "v_proj", "query", "value")):
                down = torch.randn(4, module.in_features, generator=generator) / module.in_features**0.5
                up = torch.randn(module.out_features, 4, generator=generator) / 2
                if merged:
                    module.weight.add_(up @ down)
                else:
                    module.register_buffer("down", down)
                    module.register_buffer("up", up)
                    rewrite(module, lambda self, forward, x: forward(x) + F.linear(F.linear(x, self.down), self.up))

    return change


def adapted(chosen: Any) -> Sides:
    expected = chosen.model()
    actual = copy.deepcopy(expected)
    adapters(True)(actual)
    adapters(False)(expected)
    return Sides(actual, expected, chosen.inputs(0, 2))


def scale_in_queries(model: nn.Module) -> None:
    """The scale of attention multiplied into the weights of the queries, once."""
    with torch.no_grad():
        for module in model.modules():
            if hasattr(module, "q_proj") and isinstance(getattr(module, "scaling", None), float):
                module.q_proj.weight.mul_(module.scaling)
                if module.q_proj.bias is not None:
                    module.q_proj.bias.mul_(module.scaling)
                module.scaling = 1.0


def silus(model: nn.Module) -> None:
    for module in model.modules():
        if type(module).__name__ in ("SiLUActivation", "SiLU"):
            rewrite(module, lambda self, forward, x: x / (1 + torch.exp(-x)))


def gelus(model: nn.Module) -> None:
    for module in model.modules():
        if (
            type(module).__name__ in ("GELUActivation", "GELU")
            and getattr(module, "approximate", "none") == "none"
            and not list(module.children())
        ):
            rewrite(module, lambda self, forward, x: 0.5 * x * torch.erfc(-x * 0.7071067811865476))


def norm_scale_folded(model: nn.Module) -> None:
    """The scale of RMS norms multiplied into the projections that read them."""
    with torch.no_grad():
        for layer in model.model.layers:
            for norm, readers in (
                (layer.input_layernorm, (layer.self_attn.q_proj, layer.self_attn.k_proj, layer.self_attn.v_proj)),
                (layer.post_attention_layernorm, (layer.mlp.gate_proj, layer.mlp.up_proj)),
            ):
                for reader in readers:
                    reader.weight.mul_(norm.weight)
                norm.weight.fill_(1.0)


def experts_by(implementation: str) -> Callable[[nn.Module], None]:
    def change(model: Any) -> None:
        model.set_experts_implementation(implementation)

    return change


def weight_norm_removed(model: nn.Module) -> None:
    old: Any = at(model, "wav2vec2.encoder.pos_conv_embed.conv")
    new = nn.Conv1d(old.in_channels, old.out_channels, old.kernel_size, padding=old.padding, groups=old.groups)
    new.load_state_dict({"weight": old.weight.detach(), "bias": old.bias.detach()})
    at(model, "wav2vec2.encoder.pos_conv_embed").conv = new


def chunks_of_four(model: nn.Module) -> None:
    for module in model.modules():
        if hasattr(module, "chunk_size"):
            module.chunk_size = 4


def two_threads(model: nn.Module) -> None:
    def change(self: Any, forward: Any, *args: Any, **kwargs: Any) -> Any:
        torch.set_num_threads(2)
        try:
            return forward(*args, **kwargs)
        finally:
            torch.set_num_threads(1)

    rewrite(model, change)


def without_onednn(model: nn.Module) -> None:
    def change(self: Any, forward: Any, *args: Any, **kwargs: Any) -> Any:
        with torch.backends.mkldnn.flags(enabled=False):
            return forward(*args, **kwargs)

    rewrite(model, change)


REWRITES: dict[str, tuple[Callable[[nn.Module], None], str]] = {
    "RMS norms by hand": (rms_norms, "llama qwen3 mixtral mamba deepseek_v3"),
    "layer norms by hand": (layer_norms, "gpt2 bert vit timm_swin rwkv whisper"),
    "batch norms folded": (folded, "timm_resnet timm_resnetd tv_resnet18 tv_vgg tv_shufflenet tv_mobilenet_v2 tv_segmentation"),
    "linear layers in halves": (in_halves, "phi t5 electra timm_mixer sd3"),
    "scale in the queries": (scale_in_queries, "llama qwen2 opt bart clip"),
    "SiLU by hand": (silus, "llama mamba timm_efficientnet unet2d"),
    "GELU by erfc": (gelus, "bert vit timm_vit modernbert gpt_neox"),
    "scales of norms folded": (norm_scale_folded, "llama mistral qwen2"),
    "experts one by one": (experts_by("eager"), "mixtral qwen3_moe deepseek_v2 deepseek_v3"),
    "experts in a batch": (experts_by("batched_mm"), "mixtral deepseek_v3"),
    "weight norm removed": (weight_norm_removed, "wav2vec2"),
    "chunks of four": (chunks_of_four, "mamba2"),
    "two threads": (two_threads, "llama timm_convnext unet2d_condition"),
    "without oneDNN": (without_onednn, "timm_resnet tv_vgg unet2d autoencoder_kl bert"),
}
for rewrite_name, (rewriting, names) in REWRITES.items():
    for architecture in names.split():
        honest(rewrite_name, architecture, changed(rewriting))
for architecture in ("llama", "bert", "phi"):
    honest("adapters merged", architecture, adapted)
