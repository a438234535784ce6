"""Attention in other implementations: fused, plain, flexible."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import nn

from ..pair import Sides
from .variant import changed, honest


def other_attention(actual: str, expected: str, **more: Any) -> Callable[[Any], Sides]:
    def make(chosen: Any) -> Sides:
        return Sides(chosen.model(attention=actual), chosen.model(attention=expected), chosen.inputs(0, 2), **more)

    return make


BOTH = (
    "llama mistral qwen2 qwen3 gemma3 mixtral deepseek_v2 deepseek_v3 gpt2 gpt_neox phi falcon opt bert roberta electra distilbert albert modernbert bart whisper vit dinov2 clip siglip wav2vec2"
).split()
for architecture in BOTH:
    honest("sdpa and eager", architecture, other_attention("sdpa", "eager"))


def flexible(chosen: Any) -> Sides:
    """Flexible attention has no gradients on a processor, and says so where parameters ask for them."""
    sides = other_attention("flex_attention", "eager")(chosen)
    sides.actual.requires_grad_(False)
    return sides


for architecture in ("llama", "gemma3", "bert"):
    honest("flex and eager", architecture, flexible)
for architecture in ("llama", "gpt2", "bert", "whisper"):
    honest("gradients, sdpa and eager", architecture, other_attention("sdpa", "eager", gradients=True))


def with_fused(fused: bool) -> Callable[[nn.Module], None]:
    def change(model: nn.Module) -> None:
        for module in model.modules():
            if hasattr(module, "fused_attn"):
                module.fused_attn = fused

    return change


for architecture in ("timm_vit", "timm_swin", "timm_eva", "timm_deit3"):
    honest("plain attention", architecture, changed(with_fused(False)))


def plain_processors(model: Any) -> None:
    from diffusers.models.attention_processor import Attention, AttnProcessor

    for module in model.modules():
        if isinstance(module, Attention):
            module.set_processor(AttnProcessor())


for architecture in ("unet2d", "unet2d_condition"):
    honest("plain attention", architecture, changed(plain_processors))
honest("decoded in slices", "autoencoder_kl", changed(lambda model: (model.enable_slicing(), None)[1]))
