"""Faults in mixtures of experts and in attention with latent keys: routing, weights of experts, ranks."""

from __future__ import annotations

from typing import Any

import torch

from ..planting import edited, replaced, rewritten, setting, swapped
from .fault import fault


def not_normalized(self: Any, forward: Any, hidden_states: torch.Tensor) -> Any:
    """Mixtral's router without the division by the sum of the chosen weights."""
    logits = torch.nn.functional.linear(hidden_states.reshape(-1, self.hidden_dim), self.weight)
    scores, chosen = torch.topk(torch.softmax(logits.float(), -1), self.top_k, -1)
    return logits, scores, chosen


def softmax_after(self: Any, forward: Any, hidden_states: torch.Tensor) -> Any:
    """The weights in the order of the experts, where they stand in the order of size."""
    logits, scores, chosen = forward(hidden_states)
    return logits, scores, chosen.sort(-1).values


def experts_exchanged(module: Any) -> None:
    for weight in (module.gate_up_proj, module.down_proj):
        weight.copy_(weight[[1, 0, *range(2, len(weight))]].clone())


def halves_exchanged(module: Any) -> None:
    half = module.gate_up_proj.shape[1] // 2
    module.gate_up_proj.copy_(module.gate_up_proj.roll(half, 1).clone())


fault("weights of experts not normalized", "mixtral", "model.layers.0.mlp.gate", rewritten("model.layers.0.mlp.gate", not_normalized))
fault("weights of experts in another order", "mixtral", "model.layers.1.mlp.gate", rewritten("model.layers.1.mlp.gate", softmax_after))
fault("two experts exchanged", "mixtral", "model.layers.0.mlp.experts", edited("model.layers.0.mlp.experts", experts_exchanged))
fault(
    "gate and up exchanged in the experts", "mixtral", "model.layers.1.mlp.experts", edited("model.layers.1.mlp.experts", halves_exchanged)
)
fault(
    "one expert's weight",
    "mixtral",
    "model.layers.1.mlp.experts",
    edited("model.layers.1.mlp.experts", lambda m: m.down_proj[2].mul_(1.001)),
)
fault("weights of experts not normalized", "qwen3_moe", "model.layers.0.mlp.gate", setting("model.layers.0.mlp.gate", norm_topk_prob=False))
fault(
    "one expert fewer",
    "qwen3_moe",
    "model.layers.1.mlp.gate",
    setting("model.layers.1.mlp.gate", top_k=1),
    also=("model.layers.1.mlp", "model.layers.1.mlp.experts"),
)
fault("scale of routed experts", "deepseek_v3", "model.layers.1.mlp.gate", setting("model.layers.1.mlp.gate", routed_scaling_factor=1.0))
fault("no groups of experts", "deepseek_v3", "model.layers.1.mlp.gate", setting("model.layers.1.mlp.gate", topk_group=2))
fault(
    "correction bias in the weights",
    "deepseek_v3",
    "model.layers.1.mlp.gate",
    rewritten("model.layers.1.mlp.gate", lambda self, forward, x: _biased(forward(x), self)),
    both=edited("model.layers.1.mlp.gate", lambda m: m.e_score_correction_bias.copy_(torch.linspace(-0.2, 0.2, 8))),
)
fault(
    "shared expert left out",
    "deepseek_v3",
    "model.layers.1.mlp.shared_experts",
    rewritten("model.layers.1.mlp.shared_experts", lambda self, forward, x: torch.zeros_like(x)),
)
fault(
    "no norm of latent keys",
    "deepseek_v3",
    "model.layers.0.self_attn.kv_a_layernorm",
    replaced("model.layers.0.self_attn.kv_a_layernorm", lambda old: torch.nn.Identity()),
)
fault(
    "epsilon of latent queries",
    "deepseek_v3",
    "model.layers.1.self_attn.q_a_layernorm",
    setting("model.layers.1.self_attn.q_a_layernorm", variance_epsilon=1e-5),
)
fault(
    "keys and values of heads in another order",
    "deepseek_v2",
    "model.layers.0.self_attn.kv_b_proj",
    edited(
        "model.layers.0.self_attn.kv_b_proj", lambda m: m.weight.copy_(m.weight.view(4, 2, 16, 16).transpose(0, 1).reshape(128, 16).clone())
    ),
)
fault("scale without the rotary part", "deepseek_v2", "model.layers.1.self_attn", setting("model.layers.1.self_attn", scaling=16**-0.5))
fault(
    "latent projections exchanged",
    "deepseek_v2",
    "model.layers.0.mlp.gate_proj",
    swapped("model.layers.0.mlp.gate_proj", "model.layers.0.mlp.up_proj"),
    also=("model.layers.0.mlp.up_proj",),
)


def _biased(routed: Any, gate: Any) -> Any:
    logits, weights, chosen = routed
    return logits, weights + gate.e_score_correction_bias[chosen].to(weights.dtype), chosen
