"""Inputs of a module from what it says about itself: an example that it carries, or the sizes of its first layer."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import nn

from .drawn_inputs import Drawing, Inputs

BATCH, LENGTH, SIDE = 4, 8, 32
"""Rows, positions and pixels where nothing says how many: small, and none of them 1, which hides a wrong axis."""


def drawing_of_model(model: Callable[..., Any]) -> Drawing | None:
    """Inputs that a module says it takes; None where it says nothing, or is none."""
    if not isinstance(model, nn.Module):
        return None
    example = _example(model)
    if example is not None:
        return Drawing(example.names, lambda *_: example)
    required = [
        part
        for part in inspect.signature(model.forward).parameters.values()
        if part.default is part.empty and part.kind in (part.POSITIONAL_ONLY, part.POSITIONAL_OR_KEYWORD, part.KEYWORD_ONLY)
    ]
    first = next((part for part in model.modules() if _maker(part) is not None), None)
    if len(required) != 1 or first is None:
        return None
    make = _maker(first)
    assert make is not None
    dtype = next((tensor.dtype for tensor in model.parameters() if tensor.is_floating_point()), torch.float32)

    def draw(seed: int, _: int) -> Inputs:
        generator = torch.Generator().manual_seed(seed)
        return Inputs((make(generator, dtype),), (required[0].name,))

    return Drawing((required[0].name,), draw)


def _example(model: nn.Module) -> Inputs | None:
    """The example that Lightning ("example_input_array") and Transformers ("dummy_inputs") let a model carry."""
    found = getattr(model, "example_input_array", None)
    if found is None:
        found = getattr(model, "dummy_inputs", None)
    if isinstance(found, torch.Tensor):
        return Inputs((found,))
    if isinstance(found, Mapping) and all(isinstance(name, str) for name in found):
        return Inputs(tuple(found.values()), tuple(found))
    return Inputs(tuple(found)) if isinstance(found, (tuple, list)) and found else None


Maker = Callable[[torch.Generator, torch.dtype], torch.Tensor]


def _maker(layer: nn.Module) -> Maker | None:
    """What makes inputs of a layer; None of one that says no size."""
    if isinstance(layer, (nn.Embedding, nn.EmbeddingBag)):
        return lambda generator, _: torch.randint(layer.num_embeddings, (BATCH, LENGTH), generator=generator)
    shape = _shape(layer)
    return None if shape is None else lambda generator, dtype: torch.randn(*shape, generator=generator, dtype=torch.float32).to(dtype)


def _shape(layer: nn.Module) -> tuple[int, ...] | None:
    for kind, axes in (
        (nn.Conv1d, 1),
        (nn.Conv2d, 2),
        (nn.Conv3d, 3),
        (nn.ConvTranspose1d, 1),
        (nn.ConvTranspose2d, 2),
        (nn.ConvTranspose3d, 3),
    ):
        if isinstance(layer, kind):
            return (BATCH, layer.in_channels, *(SIDE if axes < 3 else LENGTH,) * axes)
    if isinstance(layer, nn.Linear):
        return (BATCH, layer.in_features)
    if isinstance(layer, nn.RNNBase):
        return (BATCH, LENGTH, layer.input_size)
    if isinstance(layer, nn.LayerNorm):
        return (BATCH, LENGTH, *layer.normalized_shape)
    if isinstance(layer, nn.BatchNorm1d):
        return (BATCH, layer.num_features)
    if isinstance(layer, nn.BatchNorm2d):
        return (BATCH, layer.num_features, LENGTH, LENGTH)
    if isinstance(layer, nn.MultiheadAttention):
        return None
    return None
