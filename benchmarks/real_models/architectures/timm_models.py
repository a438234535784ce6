"""Models of timm, thin and shallow."""

from __future__ import annotations

from typing import Any

import timm
import torch
from torch import nn

from .architecture import register


def pictures(size: int) -> Any:
    def images(seed: int, batch: int = 2) -> dict[str, Any]:
        return {"x": torch.randn(batch, 3, size, size, generator=torch.Generator().manual_seed(seed + 500))}

    return images


VIT: dict[str, Any] = {"img_size": 32, "patch_size": 8, "embed_dim": 48, "depth": 2, "num_heads": 4, "num_classes": 9}


@register("timm_resnet", "timm", pictures(48))
def resnet(**changes: Any) -> nn.Module:
    from timm.models.resnet import BasicBlock, ResNet

    return ResNet(BasicBlock, [1, 1, 1, 1], num_classes=9, channels=(16, 24, 32, 48), stem_width=16, **changes)


@register("timm_resnetd", "timm", pictures(48))
def resnetd(**changes: Any) -> nn.Module:
    from timm.models.resnet import Bottleneck, ResNet

    return ResNet(
        Bottleneck, [1, 1, 1, 1], num_classes=9, channels=(8, 12, 16, 24), stem_width=8, stem_type="deep", avg_down=True, **changes
    )


@register("timm_efficientnet", "timm", pictures(32))
def efficientnet(**changes: Any) -> nn.Module:
    from timm.models.efficientnet import _gen_efficientnet

    return _gen_efficientnet("efficientnet_b0", channel_multiplier=0.25, depth_multiplier=0.3, num_classes=9, **changes)


@register("timm_convnext", "timm", pictures(32))
def convnext(**changes: Any) -> nn.Module:
    from timm.models.convnext import ConvNeXt

    return ConvNeXt(depths=(1, 1, 1, 1), dims=(16, 24, 32, 48), num_classes=9, ls_init_value=0.5, **changes)


@register("timm_swin", "timm", pictures(32))
def swin(**changes: Any) -> nn.Module:
    from timm.models.swin_transformer import SwinTransformer

    return SwinTransformer(
        img_size=32, patch_size=2, embed_dim=16, depths=(2, 2), num_heads=(2, 4), window_size=4, num_classes=9, **changes
    )


@register("timm_vit", "timm", pictures(32))
def vit(**changes: Any) -> nn.Module:
    from timm.models.vision_transformer import VisionTransformer

    return VisionTransformer(**{**VIT, **changes})


@register("timm_mixer", "timm", pictures(32))
def mixer(**changes: Any) -> nn.Module:
    from timm.models.mlp_mixer import MlpMixer

    return MlpMixer(num_classes=9, img_size=32, patch_size=8, num_blocks=2, embed_dim=48, **changes)


@register("timm_regnet", "timm", pictures(48))
def regnet(**changes: Any) -> nn.Module:
    from timm.models.regnet import RegNet, RegNetCfg

    return RegNet(RegNetCfg(depth=6, w0=16, wa=16.0, wm=1.7, group_size=8, se_ratio=0.25), num_classes=9, **changes)


@register("timm_mobilenetv3", "timm", pictures(32))
def mobilenetv3(**changes: Any) -> nn.Module:
    return timm.create_model("mobilenetv3_small_050", num_classes=9, **changes)


@register("timm_deit3", "timm", pictures(32))
def deit3(**changes: Any) -> nn.Module:
    from timm.models.vision_transformer import VisionTransformer

    return VisionTransformer(**{**VIT, "no_embed_class": True, "init_values": 0.5, **changes})


@register("timm_eva", "timm", pictures(32))
def eva(**changes: Any) -> nn.Module:
    from timm.models.eva import Eva

    return Eva(**{**VIT, "use_rot_pos_emb": True, "swiglu_mlp": True, "scale_mlp": True, "mlp_ratio": 2.0, **changes})


@register("timm_densenet", "timm", pictures(32))
def densenet(**changes: Any) -> nn.Module:
    from timm.models.densenet import DenseNet

    return DenseNet(growth_rate=8, block_config=(2, 2, 2), num_classes=9, **changes)


@register("timm_poolformer", "timm", pictures(32))
def poolformer(**changes: Any) -> nn.Module:
    from timm.layers import GroupNorm1
    from timm.models.metaformer import MetaFormer, Pooling

    return MetaFormer(depths=(1, 1, 1, 1), dims=(16, 24, 32, 48), token_mixers=Pooling, norm_layers=GroupNorm1, num_classes=9, **changes)
