"""Another layout in memory, and a batch one by one."""

from __future__ import annotations

import copy
from typing import Any

import torch

from ..pair import Sides
from ..planting import only, rewrite
from .variant import field_of, honest


def channels_last(chosen: Any) -> Sides:
    expected = chosen.model()
    actual = copy.deepcopy(expected).to(memory_format=torch.channels_last)

    def change(self: Any, forward: Any, *args: Any, **kwargs: Any) -> Any:
        last = {name: _last(value) for name, value in kwargs.items()}
        return forward(*map(_last, args), **last)

    return Sides(rewrite(actual, change), expected, chosen.inputs(0, 2))


def _last(value: Any) -> Any:
    return value.contiguous(memory_format=torch.channels_last) if isinstance(value, torch.Tensor) and value.dim() == 4 else value


for architecture in (
    "timm_resnet timm_resnetd timm_efficientnet timm_convnext timm_regnet timm_mobilenetv3 timm_densenet timm_poolformer tv_resnet18 tv_squeezenet tv_shufflenet tv_mobilenet_v2 tv_vgg tv_segmentation unet2d unet2d_condition autoencoder_kl"
).split():
    honest("channels last", architecture, channels_last)


def one_by_one(chosen: Any) -> Sides:
    expected = only(chosen.model(), chosen.output)

    def change(self: Any, forward: Any, *args: Any, **kwargs: Any) -> Any:
        size = len(next(iter(kwargs.values())))
        return torch.cat(
            [field_of(forward(**{name: value[row : row + 1] for name, value in kwargs.items()}), chosen.output) for row in range(size)]
        )

    return Sides(rewrite(chosen.model(), change), expected, chosen.inputs(0, 8))


for architecture in "llama gemma3 mixtral gpt2 mamba rwkv bert deberta_v2 t5 whisper vit timm_resnet timm_swin tv_vgg tv_vit unet2d sd3 autoencoder_kl".split():
    honest("eight and one by one", architecture, one_by_one)
