"""Models of torchvision, thin and shallow where their makers take sizes."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
import torchvision.models as tv
from torch import nn

from .architecture import register
from .timm_models import pictures


@register("tv_resnet18", "torchvision", pictures(32))
def resnet18(**changes: Any) -> nn.Module:
    return tv.ResNet(tv.resnet.BasicBlock, [1, 1, 1, 1], num_classes=9, **changes)


@register("tv_squeezenet", "torchvision", pictures(48))
def squeezenet(**changes: Any) -> nn.Module:
    return tv.squeezenet1_1(num_classes=9, **changes)


@register("tv_shufflenet", "torchvision", pictures(48))
def shufflenet(**changes: Any) -> nn.Module:
    return tv.ShuffleNetV2([1, 2, 1], [8, 16, 32, 48, 64], num_classes=9, **changes)


@register("tv_mobilenet_v2", "torchvision", pictures(48))
def mobilenet_v2(**changes: Any) -> nn.Module:
    settings = [[1, 16, 1, 1], [6, 24, 2, 2], [6, 32, 1, 2]]
    return tv.MobileNetV2(num_classes=9, width_mult=0.5, inverted_residual_setting=settings, **changes)


@register("tv_vgg", "torchvision", pictures(32))
def vgg(**changes: Any) -> nn.Module:
    layers = tv.vgg.make_layers([16, "M", 24, 24, "M", 32, "M"], batch_norm=True)
    model = tv.VGG(layers, num_classes=9, **changes)
    model.avgpool = nn.AdaptiveAvgPool2d((2, 2))
    model.classifier = nn.Sequential(nn.Linear(128, 64), nn.ReLU(), nn.Dropout(), nn.Linear(64, 9))
    return model


@register("tv_swin", "torchvision", pictures(32))
def swin(**changes: Any) -> nn.Module:
    return tv.SwinTransformer(
        patch_size=[2, 2],
        embed_dim=16,
        depths=[2, 2],
        num_heads=[2, 4],
        window_size=[4, 4],
        stochastic_depth_prob=0.0,
        num_classes=9,
        **changes,
    )


@register("tv_vit", "torchvision", pictures(32))
def vit(**changes: Any) -> nn.Module:
    return tv.VisionTransformer(image_size=32, patch_size=8, num_layers=2, num_heads=4, hidden_dim=48, mlp_dim=96, num_classes=9, **changes)


@register("tv_segmentation", "torchvision", pictures(40), "out")
def segmentation(**changes: Any) -> nn.Module:
    """A fully convolutional network: its output is interpolated to the size of the image."""
    from torchvision.models.segmentation.fcn import FCN, FCNHead

    trunk = nn.Sequential(
        nn.Conv2d(3, 16, 3, 2, 1), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.BatchNorm2d(32), nn.ReLU()
    )
    backbone = tv._utils.IntermediateLayerGetter(trunk, {"5": "out"})
    return FCN(backbone, FCNHead(32, 5))


@register("tv_feature_pyramid", "torchvision", lambda seed, batch: {"x": _levels(seed, batch)}, "fine")
def feature_pyramid(**changes: Any) -> nn.Module:
    from torchvision.ops import FeaturePyramidNetwork

    return FeaturePyramidNetwork([8, 16, 24], 16, norm_layer=partial(nn.BatchNorm2d, eps=1e-3))


def _levels(seed: int, batch: int) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed + 600)
    sizes = {"fine": (8, 16), "middle": (16, 8), "coarse": (24, 4)}
    return {name: torch.randn(batch, channels, size, size, generator=generator) for name, (channels, size) in sizes.items()}
