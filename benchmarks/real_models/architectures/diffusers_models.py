"""Models of diffusers in tiny configurations: U-Nets, an autoencoder, transformers."""

from __future__ import annotations

from typing import Any

import diffusers
import torch
from torch import nn

from .architecture import register


def _normal(seed: int, *shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed + 700))


def noisy(seed: int, batch: int = 2) -> dict[str, Any]:
    return {"sample": _normal(seed, batch, 3, 16, 16), "timestep": torch.tensor([10, 500])[torch.arange(batch) % 2]}


def noisy_with_text(seed: int, batch: int = 2) -> dict[str, Any]:
    steps = torch.tensor([10, 500])[torch.arange(batch) % 2]
    return {"sample": _normal(seed, batch, 4, 16, 16), "timestep": steps, "encoder_hidden_states": _normal(seed + 1, batch, 7, 32)}


def latent_with_text(seed: int, batch: int = 2) -> dict[str, Any]:
    steps = torch.tensor([10, 500])[torch.arange(batch) % 2]
    text = {"encoder_hidden_states": _normal(seed + 1, batch, 7, 32), "pooled_projections": _normal(seed + 2, batch, 24)}
    return {"hidden_states": _normal(seed, batch, 4, 8, 8), **text, "timestep": steps}


def packed_with_text(seed: int, batch: int = 2) -> dict[str, Any]:
    steps = torch.tensor([0.01, 0.5])[torch.arange(batch) % 2]
    text = {"encoder_hidden_states": _normal(seed + 1, batch, 7, 32), "pooled_projections": _normal(seed + 2, batch, 24)}
    rows, columns = torch.meshgrid(torch.arange(4.0), torch.arange(4.0), indexing="ij")
    places = torch.stack([torch.zeros(16), rows.flatten(), columns.flatten()], dim=-1)
    return {"hidden_states": _normal(seed, batch, 16, 8), **text, "timestep": steps, "img_ids": places, "txt_ids": torch.zeros(7, 3)}


def pictures(seed: int, batch: int = 2) -> dict[str, Any]:
    return {"sample": _normal(seed, batch, 3, 16, 16)}


@register("unet2d", "diffusers", noisy, "sample")
def unet2d(**changes: Any) -> nn.Module:
    blocks = {"down_block_types": ("DownBlock2D", "AttnDownBlock2D"), "up_block_types": ("AttnUpBlock2D", "UpBlock2D")}
    sizes = {"sample_size": 16, "block_out_channels": (16, 32), "layers_per_block": 1, "norm_num_groups": 8, "attention_head_dim": 8}
    return diffusers.UNet2DModel(**blocks, **sizes, **changes)


@register("unet2d_condition", "diffusers", noisy_with_text, "sample")
def unet2d_condition(**changes: Any) -> nn.Module:
    blocks = {"down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D"), "up_block_types": ("CrossAttnUpBlock2D", "UpBlock2D")}
    sizes = {
        "sample_size": 16,
        "block_out_channels": (16, 32),
        "layers_per_block": 1,
        "norm_num_groups": 8,
        "attention_head_dim": 4,
        "cross_attention_dim": 32,
    }
    return diffusers.UNet2DConditionModel(**blocks, **sizes, **changes)


@register("autoencoder_kl", "diffusers", pictures, "sample")
def autoencoder_kl(**changes: Any) -> nn.Module:
    blocks = {"down_block_types": ("DownEncoderBlock2D",) * 2, "up_block_types": ("UpDecoderBlock2D",) * 2}
    sizes = {"block_out_channels": (16, 32), "latent_channels": 4, "norm_num_groups": 8, "layers_per_block": 1}
    return diffusers.AutoencoderKL(**blocks, **sizes, **changes)


@register("sd3", "diffusers", latent_with_text, "sample")
def sd3(**changes: Any) -> nn.Module:
    sizes = {
        "sample_size": 8,
        "patch_size": 2,
        "in_channels": 4,
        "num_layers": 2,
        "attention_head_dim": 8,
        "num_attention_heads": 4,
        "out_channels": 4,
    }
    text = {"joint_attention_dim": 32, "caption_projection_dim": 32, "pooled_projection_dim": 24, "pos_embed_max_size": 12}
    return diffusers.SD3Transformer2DModel(**sizes, **text, **changes)


@register("flux", "diffusers", packed_with_text, "sample")
def flux(**changes: Any) -> nn.Module:
    sizes = {"patch_size": 1, "in_channels": 8, "num_layers": 1, "num_single_layers": 1, "attention_head_dim": 16, "num_attention_heads": 2}
    text = {"joint_attention_dim": 32, "pooled_projection_dim": 24, "axes_dims_rope": (4, 4, 8)}
    return diffusers.FluxTransformer2DModel(**sizes, **text, **changes)
