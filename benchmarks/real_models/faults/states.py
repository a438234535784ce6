"""Faults in models with a state: Mamba, Mamba 2, RWKV; and state that training leaves behind."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from ..planting import edited, replaced, rewritten, setting
from .fault import fault

MIXER = "backbone.layers.0.mixer"
fault(
    "kernel of the convolution reversed",
    "mamba",
    f"{MIXER}.conv1d",
    edited(f"{MIXER}.conv1d", lambda m: m.weight.copy_(m.weight.flip(-1).clone())),
    also=(MIXER,),
)
fault(
    "convolution not causal",
    "mamba",
    f"{MIXER}.conv1d",
    edited(f"{MIXER}.conv1d", lambda m: m.weight.copy_(torch.cat([m.weight[..., 1:], m.weight[..., :1] * 0], -1))),
    also=(MIXER,),
)
fault("no bias of the time step", "mamba", f"{MIXER}.dt_proj", edited(f"{MIXER}.dt_proj", lambda m: m.bias.zero_()), also=(MIXER,))
fault("no skip connection", "mamba", "backbone.layers.1.mixer", edited("backbone.layers.1.mixer", lambda m: m.D.zero_()))
fault(
    "decay rates shifted by one",
    "mamba",
    "backbone.layers.1.mixer",
    edited("backbone.layers.1.mixer", lambda m: m.A_log.copy_(torch.log(torch.exp(m.A_log) - 0.5))),
)
fault("epsilon of a norm", "mamba", "backbone.layers.1.norm", setting("backbone.layers.1.norm", variance_epsilon=1e-6))
fault(
    "input and output of the state exchanged",
    "mamba",
    f"{MIXER}.x_proj",
    edited(f"{MIXER}.x_proj", lambda m: m.weight[4:].copy_(m.weight[4:].roll(8, 0).clone())),
)
fault(
    "norm before the gate",
    "mamba2",
    f"{MIXER}.norm",
    rewritten(f"{MIXER}.norm", lambda self, forward, hidden, gate=None: forward(hidden) * nn.functional.silu(gate)),
)
fault("norm over all groups", "mamba2", f"{MIXER}.norm", setting(f"{MIXER}.norm", group_size=128))
fault("bias of the time step", "mamba2", "backbone.layers.1.mixer", edited("backbone.layers.1.mixer", lambda m: m.dt_bias.mul_(0.99)))
fault(
    "residual in half of a layer",
    "mamba2",
    "backbone.layers.1",
    rewritten("backbone.layers.1", lambda self, forward, hidden_states, *a, **k: forward(hidden_states, *a, **k) + 1e-3 * hidden_states),
)
fault(
    "no shift of time",
    "rwkv",
    "rwkv.blocks.0.attention.time_shift",
    replaced("rwkv.blocks.0.attention.time_shift", lambda old: nn.Identity()),
)
fault("bonus of the present token", "rwkv", "rwkv.blocks.1.attention", edited("rwkv.blocks.1.attention", lambda m: m.time_first.zero_()))
fault(
    "decay without exponential",
    "rwkv",
    "rwkv.blocks.0.attention",
    edited("rwkv.blocks.0.attention", lambda m: m.time_decay.copy_(torch.log(m.time_decay.abs() + 0.1))),
)
fault(
    "keys not squared",
    "rwkv",
    "rwkv.blocks.0.feed_forward",
    rewritten("rwkv.blocks.0.feed_forward.key", lambda self, forward, x: torch.sqrt(torch.relu(forward(x)) + 1e-12)),
    also=("rwkv.blocks.0.feed_forward.key",),
)
fault(
    "mixes of key and value exchanged",
    "rwkv",
    "rwkv.blocks.1.attention",
    edited("rwkv.blocks.1.attention", lambda m: (m.time_mix_key.copy_((kept := m.time_mix_value.clone()) * 0.8 + 0.1 * kept),)),
)


def _training(model: Any) -> None:
    model.train()


fault(
    "momentum of statistics",
    "timm_resnet",
    "layer1.0.bn1",
    setting("layer1.0.bn1", momentum=0.01),
    both=_training,
    note="only the buffers differ",
)
fault(
    "momentum of statistics",
    "tv_resnet18",
    "layer2.0.bn1",
    setting("layer2.0.bn1", momentum=0.9),
    both=_training,
    note="only the buffers differ",
)
