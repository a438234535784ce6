"""Faults in models of pictures: timm, torchvision, diffusers."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from ..planting import edited, replaced, rewritten, setting, swapped
from .fault import fault


def shifted(x: torch.Tensor) -> torch.Tensor:
    """A picture one pixel further: what padding on the other side makes of an even stride."""
    return F.pad(x, (1, 0, 1, 0))[..., :-1, :-1]


# Batch norm, group norm, layer norm.
fault("epsilon of a batch norm", "timm_resnet", "layer2.0.bn1", setting("layer2.0.bn1", eps=1e-3))
fault("batch norm in training mode", "timm_resnet", "layer3.0.bn2", lambda m: (m.layer3[0].bn2.train(), None)[1])
fault("epsilon of a batch norm", "timm_efficientnet", "blocks.2.0.bn1", setting("blocks.2.0.bn1", eps=1e-3))
fault("batch norm without its scale", "tv_vgg", "features.5", edited("features.5", lambda m: m.weight.fill_(1.0)))
fault("variance for standard deviation", "tv_vgg", "features.12", edited("features.12", lambda m: m.running_var.pow_(2)))
fault("bias of the convolution lost in folding", "tv_vgg", "features.7", edited("features.7", lambda m: m.bias.zero_()))
fault("epsilon of a batch norm", "tv_feature_pyramid", "inner_blocks.1.1", setting("inner_blocks.1.1", eps=1e-5))
fault("epsilon of a layer norm", "timm_vit", "blocks.1.norm1", setting("blocks.1.norm1", eps=1e-5))
fault("epsilon of a layer norm", "timm_convnext", "stages.0.blocks.0.norm", setting("stages.0.blocks.0.norm", eps=1e-5))
fault("groups of a group norm", "unet2d", "down_blocks.0.resnets.0.norm1", setting("down_blocks.0.resnets.0.norm1", num_groups=4))
fault(
    "epsilon of a group norm", "unet2d_condition", "down_blocks.1.attentions.0.norm", setting("down_blocks.1.attentions.0.norm", eps=1e-5)
)
fault("epsilon of a group norm", "autoencoder_kl", "decoder.conv_norm_out", setting("decoder.conv_norm_out", eps=1e-5))
# Convolutions and pools.
fault(
    "padding on the other side", "timm_resnet", "layer2.0.conv1", rewritten("layer2.0.conv1", lambda self, forward, x: forward(shifted(x)))
)
fault("padding by the border", "tv_segmentation", "backbone.0", setting("backbone.0", padding_mode="replicate"))
fault(
    "padding on the other side",
    "timm_mobilenetv3",
    "blocks.2.0.conv_dw",
    rewritten("blocks.2.0.conv_dw", lambda self, forward, x: forward(shifted(x))),
)
fault(
    "kernel flipped",
    "timm_efficientnet",
    "blocks.0.0.conv_dw",
    edited("blocks.0.0.conv_dw", lambda m: m.weight.copy_(m.weight.flip(-1, -2).clone())),
)
fault(
    "largest for the mean in a shortcut",
    "timm_resnetd",
    "layer2.0.downsample.0",
    replaced("layer2.0.downsample.0", lambda old: nn.MaxPool2d(2, 2)),
)
fault(
    "rows and columns of a kernel exchanged",
    "tv_resnet18",
    "layer1.0.conv1",
    edited("layer1.0.conv1", lambda m: m.weight.copy_(m.weight.transpose(2, 3).clone())),
)
fault(
    "channels not shuffled",
    "tv_shufflenet",
    "stage3.1",
    rewritten("stage3.1", lambda self, forward, x: torch.cat((x.chunk(2, 1)[0], self.branch2(x.chunk(2, 1)[1])), 1)),
)
fault(
    "average with the padding counted",
    "timm_poolformer",
    "stages.0.blocks.0.token_mixer.pool",
    setting("stages.0.blocks.0.token_mixer.pool", count_include_pad=True),
)
fault(
    "largest for the mean",
    "timm_densenet",
    "features.transition1.pool",
    replaced("features.transition1.pool", lambda old: nn.MaxPool2d(2, 2)),
)
fault(
    "global pool by the largest",
    "timm_resnet",
    "global_pool.pool",
    replaced("global_pool.pool", lambda old: nn.AdaptiveMaxPool2d(1)),
    also=("global_pool",),
)
fault(
    "asymmetric padding of the downsampling",
    "autoencoder_kl",
    "encoder.down_blocks.0.downsamplers.0.conv",
    rewritten("encoder.down_blocks.0.downsamplers.0.conv", lambda self, forward, x: forward(x.roll((1, 1), (2, 3)))),
)
fault("dilation", "tv_segmentation", "backbone.3", setting("backbone.3", dilation=(2, 2), padding=(2, 2)))
# Interpolation.
fault(
    "corners aligned",
    "tv_segmentation",
    "",
    rewritten(
        "",
        lambda self, forward, x: {
            "out": F.interpolate(self.classifier(self.backbone(x)["out"]), size=x.shape[-2:], mode="bilinear", align_corners=True)
        },
    ),
)
fault("bilinear for nearest", "tv_feature_pyramid", "", rewritten("", lambda self, forward, x: _bilinear(forward, x)))
fault(
    "bilinear for nearest",
    "unet2d",
    "up_blocks.0.upsamplers.0",
    rewritten("up_blocks.0.upsamplers.0", lambda self, forward, x, *a, **k: self.conv(F.interpolate(x, scale_factor=2.0, mode="bilinear"))),
)
# Activations and gates.
fault("GELU by tanh for erf", "timm_vit", "blocks.0.mlp.act", replaced("blocks.0.mlp.act", lambda old: nn.GELU(approximate="tanh")))
fault(
    "GELU by tanh for erf",
    "timm_convnext",
    "stages.1.blocks.0.mlp.act",
    replaced("stages.1.blocks.0.mlp.act", lambda old: nn.GELU(approximate="tanh")),
)
fault(
    "GELU by tanh for erf",
    "timm_mixer",
    "blocks.1.mlp_tokens.act",
    replaced("blocks.1.mlp_tokens.act", lambda old: nn.GELU(approximate="tanh")),
)
fault("hard swish for swish", "timm_efficientnet", "blocks.2.0.bn2.act", replaced("blocks.2.0.bn2.act", lambda old: nn.Hardswish()))
fault("sigmoid for hard sigmoid", "timm_mobilenetv3", "blocks.0.0.se.gate", replaced("blocks.0.0.se.gate", lambda old: nn.Sigmoid()))
fault("ReLU6 for ReLU", "tv_resnet18", "relu", replaced("relu", lambda old: nn.Hardtanh(0.0, 1.0)))
fault("slope below zero", "tv_vgg", "features.9", replaced("features.9", lambda old: nn.LeakyReLU(0.01)))
fault(
    "GELU by erf for tanh",
    "flux",
    "single_transformer_blocks.0.act_mlp",
    replaced("single_transformer_blocks.0.act_mlp", lambda old: nn.GELU()),
)
fault(
    "halves of a gated activation exchanged",
    "unet2d_condition",
    "down_blocks.1.attentions.0.transformer_blocks.0.ff.net.0.proj",
    edited(
        "down_blocks.1.attentions.0.transformer_blocks.0.ff.net.0.proj",
        lambda m: (m.weight.copy_(m.weight.roll(128, 0).clone()), m.bias.copy_(m.bias.roll(128, 0).clone())),
    ),
)
fault(
    "squeeze by the largest",
    "timm_regnet",
    "s1.b1.se",
    rewritten("s1.b1.se", lambda self, forward, x: x * torch.sigmoid(self.fc2(F.relu(self.fc1(x.amax((2, 3), keepdim=True)))))),
)
# Attention.
fault(
    "scale of attention",
    "timm_vit",
    "blocks.0.attn",
    rewritten("blocks.0.attn", lambda self, forward, x, *a, **k: _scaled(self, forward, x, a, k)),
)
fault(
    "queries and keys exchanged",
    "timm_vit",
    "blocks.1.attn.qkv",
    edited("blocks.1.attn.qkv", lambda m: (m.weight.copy_(m.weight[[*range(48, 96), *range(48), *range(96, 144)]].clone()),)),
)
fault(
    "windows shifted the other way", "tv_swin", "features.1.1.attn", setting("features.1.1.attn", shift_size=[1, 1]), also=("features.1.1",)
)
fault(
    "bias of positions",
    "tv_swin",
    "features.1.0.attn",
    edited("features.1.0.attn", lambda m: m.relative_position_bias_table.copy_(m.relative_position_bias_table.flip(0).clone())),
)
fault(
    "mask of shifted windows left out",
    "timm_swin",
    "layers.0.blocks.1.attn",
    rewritten("layers.0.blocks.1.attn", lambda self, forward, x, mask=None: forward(x, None)),
    also=("layers.0.blocks.1",),
)
fault("no bias of queries", "timm_eva", "blocks.0.attn", edited("blocks.0.attn", lambda m: m.q_bias.zero_()), also=("blocks.0.attn.qkv",))
fault("norm in the gated unit left out", "timm_eva", "blocks.1.mlp.norm", replaced("blocks.1.mlp.norm", lambda old: nn.Identity()))
fault("layer scale left out", "timm_deit3", "blocks.0.ls1", replaced("blocks.0.ls1", lambda old: nn.Identity()))
fault("mean of tokens for the class token", "timm_deit3", "", setting("", global_pool="avg"))
fault(
    "class token at the end",
    "tv_vit",
    "",
    rewritten("encoder.ln", lambda self, forward, x: forward(x.flip(1))),
    also=("encoder.ln", "encoder"),
)
fault(
    "queries, keys and values exchanged",
    "tv_vit",
    "encoder.layers.encoder_layer_0.self_attention",
    edited("encoder.layers.encoder_layer_0.self_attention", lambda m: m.in_proj_weight.copy_(m.in_proj_weight.roll(48, 0).clone())),
)
fault(
    "text for picture in cross-attention",
    "unet2d_condition",
    "mid_block.attentions.0.transformer_blocks.0.attn2.to_k",
    swapped("mid_block.attentions.0.transformer_blocks.0.attn2.to_k", "mid_block.attentions.0.transformer_blocks.0.attn2.to_v"),
    also=("mid_block.attentions.0.transformer_blocks.0.attn2.to_v",),
)
fault("heads of another width", "unet2d", "mid_block.attentions.0", setting("mid_block.attentions.0", heads=2))
# Time, modulation, residuals, statistics of pictures.
fault("sine and cosine of time exchanged", "unet2d", "time_proj", setting("time_proj", flip_sin_to_cos=False))
fault("frequencies of time one apart", "unet2d_condition", "time_proj", setting("time_proj", downscale_freq_shift=1))
fault(
    "shift and scale exchanged",
    "sd3",
    "transformer_blocks.0.norm1.linear",
    edited(
        "transformer_blocks.0.norm1.linear", lambda m: (m.weight.copy_(m.weight[[*range(32, 64), *range(32), *range(64, 192)]].clone()),)
    ),
)
fault("scale without one plus", "sd3", "norm_out", rewritten("norm_out", lambda self, forward, x, c: _modulated(self, x, c)))
fault("rotary base", "flux", "pos_embed", setting("pos_embed", theta=1000))
fault(
    "no norm of queries",
    "flux",
    "transformer_blocks.0.attn.norm_q",
    replaced("transformer_blocks.0.attn.norm_q", lambda old: nn.Identity()),
)
fault(
    "residual divided", "autoencoder_kl", "encoder.mid_block.resnets.0", setting("encoder.mid_block.resnets.0", output_scale_factor=2**0.5)
)
fault(
    "mean and variance of the latent exchanged",
    "autoencoder_kl",
    "quant_conv",
    edited("quant_conv", lambda m: (m.weight.copy_(m.weight.roll(4, 0).clone()), m.bias.copy_(m.bias.roll(4, 0).clone()))),
)
fault("residual left out", "tv_mobilenet_v2", "features.3", setting("features.3", use_res_connect=False))
fault(
    "eight-bit integers in one layer",
    "tv_squeezenet",
    "features.3.squeeze",
    edited("features.3.squeeze", lambda m: m.weight.copy_(torch.round(m.weight / (s := m.weight.abs().amax() / 127)) * s)),
)
fault("pixels scaled by 256", "timm_vit", "patch_embed.proj", edited("patch_embed.proj", lambda m: m.weight.mul_(255 / 256)))
fault("mean of the normalization", "tv_resnet18", "conv1", rewritten("conv1", lambda self, forward, x: forward(x + 0.001)))


def _bilinear(forward: Any, x: Any) -> Any:
    from unittest import mock

    real = F.interpolate
    with mock.patch.object(
        F, "interpolate", lambda value, size=None, mode="nearest": real(value, size=size, mode="bilinear", align_corners=False)
    ):
        return forward(x)


def _scaled(self: Any, forward: Any, x: torch.Tensor, args: Any, kwargs: Any) -> torch.Tensor:
    rows, tokens, width = x.shape
    q, k, v = self.qkv(x).reshape(rows, tokens, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
    return self.proj(F.scaled_dot_product_attention(q, k, v, scale=width**-0.5).transpose(1, 2).reshape(rows, tokens, width))


def _modulated(self: Any, x: torch.Tensor, conditioning: torch.Tensor) -> torch.Tensor:
    scale, shift = self.linear(self.silu(conditioning).to(x.dtype)).chunk(2, dim=1)
    return self.norm(x) * scale[:, None, :] + shift[:, None, :]
