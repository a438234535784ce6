"""bfloat16 and float16 where they are declared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..effect import in_dtype
from ..pair import Sides
from ..planting import only, rewrite
from .variant import field_of, honest


def in_sixteen(dtype: torch.dtype, against: str) -> Callable[[Any], Sides]:
    """Both sides in the dtype, or the actual one against float32 with the dtype declared."""

    def make(chosen: Any) -> Sides:
        inputs = chosen.inputs(0, 2)
        if against == "float32":

            def change(self: Any, forward: Any, *args: Any, **kwargs: Any) -> Any:
                return field_of(forward(*in_dtype(args, dtype), **in_dtype(kwargs, dtype)), chosen.output).float()

            actual = rewrite(chosen.model().to(dtype), change)
            return Sides(actual, only(chosen.model(), chosen.output), inputs, declared=str(dtype).removeprefix("torch."))
        actual, expected = chosen.model(attention="sdpa").to(dtype), chosen.model(attention="eager").to(dtype)
        return Sides(
            only(actual, chosen.output), only(expected, chosen.output), in_dtype(inputs, dtype), declared=str(dtype).removeprefix("torch.")
        )

    return make


for architecture in "llama qwen3 gemma3 gpt2 bert whisper vit clip".split():
    honest("sdpa and eager in bfloat16", architecture, in_sixteen(torch.bfloat16, "eager"))
for architecture in "llama gpt2 roberta vit".split():
    honest("sdpa and eager in float16", architecture, in_sixteen(torch.float16, "eager"))
for architecture in "llama gpt_neox mamba t5 electra timm_vit timm_convnext timm_resnet unet2d flux".split():
    honest("bfloat16 where it is declared", architecture, in_sixteen(torch.bfloat16, "float32"))
for architecture in "opt distilbert timm_swin".split():
    honest("float16 where it is declared", architecture, in_sixteen(torch.float16, "float32"))
