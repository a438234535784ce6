"""What an architecture of a public library is to this benchmark, and how its weights are drawn.

The libraries' own initialization leaves biases at zero, norms at one and projections so small that layers hardly change what passes through them: a missing
bias would then be no fault at all. `drawn` gives every layer weights of the size that trained ones have, from a fixed seed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

# Parameters whose values mean something (decay rates, time constants, positions of bins): they stay as their library draws them.
KEPT = ("A_log", "time_decay", "time_first", "time_mix", "dt_bias", "masked_spec_embed", "relative_position", "inv_freq", "logit_scale")


@dataclass(frozen=True)
class Architecture:
    """A model of a public library in a tiny configuration.

    Attributes:
        name: how results call it. library: transformers, timm, torchvision or diffusers.
        build: makes the model in evaluation mode with PyTorch's present random state; its keywords are settings (attention).
        inputs: keyword arguments of a forward, from a seed and a batch size.
        output: the field of the output that the pairs compare where they compare one; "" for a model that returns a tensor.
    """

    name: str
    library: str
    build: Callable[..., nn.Module]
    inputs: Callable[[int, int], dict[str, Any]]
    output: str = ""

    def model(self, **settings: Any) -> nn.Module:
        """The model with its own fixed weights: two calls give equal ones, whatever the settings."""
        torch.manual_seed(0)
        model = drawn(self.build(**settings).eval())
        norms = [module for module in model.modules() if isinstance(module, nn.modules.batchnorm._BatchNorm)]
        if norms:
            self._measure(model, norms)
        return model

    @torch.no_grad()
    def _measure(self, model: nn.Module, norms: list[nn.modules.batchnorm._BatchNorm]) -> None:
        """Statistics of batch norms as training leaves them: without them signals die out or grow from layer to layer."""
        momenta = [norm.momentum for norm in norms]
        for norm in norms:
            norm.momentum = 1.0
            norm.train()
        for _ in range(2):  # once more, so that each layer sees what the ones before it give in the end
            model(**self.inputs(50, 8))
        for norm, momentum in zip(norms, momenta, strict=True):
            norm.momentum = momentum
            norm.num_batches_tracked.fill_(2)
            norm.eval()


ARCHITECTURES: dict[str, Architecture] = {}


def register(
    name: str, library: str, inputs: Callable[[int, int], dict[str, Any]], output: str = ""
) -> Callable[[Callable[..., nn.Module]], Callable[..., nn.Module]]:
    """A decorator for functions that build a model."""

    def add(build: Callable[..., nn.Module]) -> Callable[..., nn.Module]:
        ARCHITECTURES[name] = Architecture(name, library, build, inputs, output)
        return build

    return add


@torch.no_grad()
def drawn(model: nn.Module) -> nn.Module:
    """The model with weights of the size that trained ones have, and with statistics, biases and scales that are not trivial."""
    generator = torch.Generator().manual_seed(1)

    def normal(tensor: torch.Tensor, mean: float, std: float) -> None:
        tensor.copy_(mean + std * torch.randn(tensor.shape, generator=generator))

    for module in model.modules():
        for name, parameter in module.named_parameters(recurse=False):
            if any(kept in name for kept in KEPT) or not parameter.is_floating_point():
                continue
            if isinstance(module, nn.Embedding):
                normal(parameter, 0.0, 0.5)
            elif parameter.dim() >= 2 and name.startswith(("weight", "in_proj", "gate_up_proj", "down_proj", "qkv")):
                fan_in = parameter.shape[0] if type(module).__name__ == "Conv1D" else parameter[0].numel()
                if parameter.dim() == 3 and name in ("gate_up_proj", "down_proj"):
                    fan_in = parameter.shape[-1]
                normal(parameter, 0.0, fan_in**-0.5)
            elif parameter.dim() >= 2:
                parameter.add_(0.1 * torch.randn(parameter.shape, generator=generator))
            else:
                parameter.add_(0.1 * torch.randn(parameter.shape, generator=generator))
    return model
