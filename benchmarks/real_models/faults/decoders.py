"""Faults in decoders of text: norms, weights, biases, activations, residuals, embeddings."""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import nn
from transformers.activations import ACT2FN

from ..architectures.transformers_text import tokens
from ..planting import edited, replaced, rewritten, setting, swapped
from .fault import fault


def gelu(form: str) -> Any:
    return lambda old: copy.deepcopy(ACT2FN[form])


def eps(path: str, value: float, name: str = "eps") -> Any:
    return setting(path, **{name: value})


# Norms.
fault(
    "epsilon of a norm",
    "llama",
    "model.layers.1.post_attention_layernorm",
    eps("model.layers.1.post_attention_layernorm", 1e-6, "variance_epsilon"),
)
fault("epsilon of the last norm", "qwen3", "model.norm", eps("model.norm", 1e-5, "variance_epsilon"))
fault("epsilon of a norm", "gpt2", "transformer.h.0.ln_2", eps("transformer.h.0.ln_2", 1e-6))
fault("epsilon of a norm", "gpt_neox", "gpt_neox.layers.1.input_layernorm", eps("gpt_neox.layers.1.input_layernorm", 1e-6))
fault(
    "weight of the norm without one plus",
    "gemma3",
    "model.layers.0.input_layernorm",
    edited("model.layers.0.input_layernorm", lambda m: m.weight.sub_(1.0)),
)
fault(
    "mean subtracted in an RMS norm",
    "llama",
    "model.layers.0.input_layernorm",
    rewritten("model.layers.0.input_layernorm", lambda self, forward, x: forward(x - x.mean(-1, keepdim=True))),
)
fault(
    "norm of queries over all heads",
    "qwen3",
    "model.layers.0.self_attn.q_norm",
    rewritten(
        "model.layers.0.self_attn.q_norm",
        lambda self, forward, x: self.weight * (x * torch.rsqrt(x.pow(2).mean((-2, -1), keepdim=True) + self.variance_epsilon)),
    ),
)
fault("no norm of keys", "qwen3", "model.layers.1.self_attn.k_norm", replaced("model.layers.1.self_attn.k_norm", lambda old: nn.Identity()))
fault(
    "unbiased variance",
    "opt",
    "model.decoder.layers.1.final_layer_norm",
    rewritten(
        "model.decoder.layers.1.final_layer_norm",
        lambda self, forward, x: (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, keepdim=True) + self.eps) * self.weight + self.bias,
    ),
)
fault("norm without its bias", "phi", "model.final_layernorm", edited("model.final_layernorm", lambda m: m.bias.zero_()))
fault(
    "norms of a layer swapped",
    "falcon",
    "transformer.h.0.ln_attn",
    swapped("transformer.h.0.ln_attn", "transformer.h.0.ln_mlp"),
    also=("transformer.h.0.ln_mlp",),
)
# Weights and biases.
fault(
    "square weight transposed",
    "llama",
    "model.layers.0.self_attn.o_proj",
    edited("model.layers.0.self_attn.o_proj", lambda m: m.weight.copy_(m.weight.T.clone())),
)
fault(
    "square weight transposed",
    "gpt2",
    "transformer.h.1.attn.c_proj",
    edited("transformer.h.1.attn.c_proj", lambda m: m.weight.copy_(m.weight.T.clone())),
)
fault(
    "missing bias of queries",
    "qwen2",
    "model.layers.0.self_attn.q_proj",
    edited("model.layers.0.self_attn.q_proj", lambda m: m.bias.zero_()),
)
fault(
    "missing bias of keys",
    "qwen2",
    "model.layers.1.self_attn.k_proj",
    edited("model.layers.1.self_attn.k_proj", lambda m: m.bias.zero_()),
    note="softmax doesn't see it where keys aren't rotated; here they are",
)
fault(
    "missing bias of one projection", "gpt2", "transformer.h.0.mlp.c_proj", edited("transformer.h.0.mlp.c_proj", lambda m: m.bias.zero_())
)
fault("one bias element", "opt", "model.decoder.layers.1.fc1", edited("model.decoder.layers.1.fc1", lambda m: m.bias[3].add_(1e-3)))
fault(
    "queries and keys exchanged",
    "opt",
    "model.decoder.layers.0.self_attn.q_proj",
    swapped("model.decoder.layers.0.self_attn.q_proj", "model.decoder.layers.0.self_attn.k_proj"),
    also=("model.decoder.layers.0.self_attn.k_proj",),
)
fault(
    "gate and up exchanged",
    "llama",
    "model.layers.1.mlp.gate_proj",
    swapped("model.layers.1.mlp.gate_proj", "model.layers.1.mlp.up_proj"),
    also=("model.layers.1.mlp.up_proj",),
)
fault("weights of two layers exchanged", "mistral", "model.layers.0", swapped("model.layers.0", "model.layers.1"))
fault(
    "fused projection split by heads",
    "gpt_neox",
    "gpt_neox.layers.0.attention.query_key_value",
    edited(
        "gpt_neox.layers.0.attention.query_key_value",
        lambda m: m.weight.copy_(m.weight.view(4, 3, 16, 64).transpose(0, 1).reshape(192, 64).clone()),
    ),
)
fault("tied head untied", "qwen2", "lm_head", replaced("lm_head", lambda old: _other_head(old)))
fault(
    "eight-bit integers in one layer",
    "llama",
    "model.layers.0.mlp.down_proj",
    edited("model.layers.0.mlp.down_proj", lambda m: _int8(m.weight)),
)
fault(
    "eight-bit integers in one layer",
    "falcon",
    "transformer.h.1.mlp.dense_h_to_4h",
    edited("transformer.h.1.mlp.dense_h_to_4h", lambda m: _int8(m.weight)),
)
fault(
    "one row of the embedding from its neighbor",
    "phi",
    "model.embed_tokens",
    edited("model.embed_tokens", lambda m: m.weight[int(tokens(0)["input_ids"][0, 3])].copy_(m.weight[7])),
)
# Activations.
fault("GELU by tanh for erf", "gpt_neox", "gpt_neox.layers.1.mlp.act", replaced("gpt_neox.layers.1.mlp.act", gelu("gelu_pytorch_tanh")))
fault("GELU by erf for tanh", "gpt2", "transformer.h.0.mlp.act", replaced("transformer.h.0.mlp.act", gelu("gelu")))
fault("GELU by erf for tanh", "gemma3", "model.layers.1.mlp.act_fn", replaced("model.layers.1.mlp.act_fn", gelu("gelu")))
fault("quick GELU", "falcon", "transformer.h.0.mlp.act", replaced("transformer.h.0.mlp.act", gelu("quick_gelu")))
fault("ReLU for SiLU", "llama", "model.layers.0.mlp.act_fn", replaced("model.layers.0.mlp.act_fn", gelu("relu")))
fault("sigmoid for SiLU", "qwen3", "model.layers.0.mlp.act_fn", replaced("model.layers.0.mlp.act_fn", lambda old: nn.Sigmoid()))
# Residuals, order, layers.
fault(
    "residual scaled",
    "llama",
    "model.layers.0",
    rewritten("model.layers.0", lambda self, forward, hidden_states, *a, **k: forward(hidden_states, *a, **k) - 0.01 * hidden_states),
)
fault(
    "a layer left out",
    "opt",
    "model.decoder.layers.1",
    rewritten("model.decoder.layers.1", lambda self, forward, hidden_states, *a, **k: hidden_states),
    use_cache=False,
)
fault(
    "attention after the feed forward's input", "gpt_neox", "gpt_neox.layers.0", setting("gpt_neox.layers.0", use_parallel_residual=False)
)
fault(
    "norm after the feed forward too",
    "gpt2",
    "transformer.h.0.mlp",
    rewritten("transformer.h.0.mlp", lambda self, forward, x: nn.functional.layer_norm(forward(x), (64,))),
)
fault("logits scaled before their cap", "gemma2", "lm_head", rewritten("lm_head", lambda self, forward, x: forward(x) * 1.25))
fault(
    "no norm after attention",
    "gemma3",
    "model.layers.1.post_attention_layernorm",
    replaced("model.layers.1.post_attention_layernorm", lambda old: nn.Identity()),
)
fault("logits scaled", "gptj", "lm_head", rewritten("lm_head", lambda self, forward, x: forward(x) * (1 + 1e-4)))
fault("dropout left on", "gpt2", "transformer.drop", lambda m: (m.transformer.drop.train(), None)[1])


def _other_head(old: Any) -> nn.Linear:
    head = nn.Linear(old.in_features, old.out_features, bias=False)
    with torch.no_grad():
        head.weight.copy_(old.weight + 0.02 * torch.randn(old.weight.shape, generator=torch.Generator().manual_seed(9)))
    return head


def _int8(weight: torch.Tensor) -> None:
    step = weight.abs().amax(-1, keepdim=True) / 127
    weight.copy_(torch.round(weight / step) * step)
