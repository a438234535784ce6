"""Gradients with and without what the forward pass keeps."""

from __future__ import annotations

import copy
from typing import Any

from torch import nn

from ..pair import Sides
from ..planting import only
from .variant import honest


def checkpointed(chosen: Any) -> Sides:
    expected = chosen.model()
    for module in expected.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
        for name in ("attention_dropout", "dropout"):
            if isinstance(getattr(module, name, None), float):
                setattr(module, name, 0.0)
    expected.train()
    actual = copy.deepcopy(expected)
    if hasattr(actual, "gradient_checkpointing_enable"):
        actual.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    elif hasattr(actual, "enable_gradient_checkpointing"):
        actual.enable_gradient_checkpointing()
    else:
        actual.set_grad_checkpointing(True)
    return Sides(only(actual, chosen.output), only(expected, chosen.output), chosen.inputs(0, 2), gradients=True)


for architecture in ("llama", "gpt2", "bert", "t5", "vit", "timm_vit", "timm_convnext", "unet2d"):
    honest("gradient checkpointing", architecture, checkpointed)
