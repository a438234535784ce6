"""Faults in where decoders of text attend to: rotary and other positions, masks, windows, scales, groups of heads."""

from __future__ import annotations

from typing import Any

import torch

from ..planting import attention_by, causal, edited, rewritten, setting, with_globals
from .fault import fault

LLAMA = "transformers.models.llama.modeling_llama"


def interleaved(former: Any, q: torch.Tensor, k: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, unsqueeze_dim: int = 1) -> Any:
    """Rotation of neighbors, as GPT-J has it, with weights that were made for rotation of halves."""
    cos, sin = cos.unsqueeze(unsqueeze_dim), sin.unsqueeze(unsqueeze_dim)
    half = cos.shape[-1] // 2
    cos, sin = cos[..., :half].repeat_interleave(2, -1), sin[..., :half].repeat_interleave(2, -1)

    def turned(x: torch.Tensor) -> torch.Tensor:
        return torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).flatten(-2)

    return q * cos + turned(q) * sin, k * cos + turned(k) * sin


def keys_one_later(former: Any, q: torch.Tensor, k: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, **rest: Any) -> Any:
    """Keys rotated by the position before theirs, as with a cache whose length is counted after the update."""
    later = former(q, k, torch.cat([cos[:, :1], cos[:, :-1]], 1), torch.cat([sin[:, :1], sin[:, :-1]], 1), **rest)
    return former(q, k, cos, sin, **rest)[0], later[1]


def minus_sine(former: Any, q: torch.Tensor, k: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, **rest: Any) -> Any:
    return former(q, k, cos, -sin, **rest)


def tiled(attend: Any, module: Any, query: Any, key: Any, value: Any, mask: Any, **options: Any) -> Any:
    """Keys repeated as 0 1 0 1, where the queries are grouped as 0 0 1 1."""
    groups = module.num_key_value_groups
    heads = query.shape[1]
    order = torch.arange(heads).view(groups, heads // groups).T.flatten()
    out, weights = attend(module, query[:, order], key, value, mask, **options)
    return out[:, :, torch.argsort(order)], weights


def one_ahead(attend: Any, module: Any, query: Any, key: Any, value: Any, mask: Any, **options: Any) -> Any:
    return attend(module, query, key, value, causal(query, key, 1), **options)


def window_of(width: int) -> Any:
    def attend_within(attend: Any, module: Any, query: Any, key: Any, value: Any, mask: Any, **options: Any) -> Any:
        rows, columns = torch.arange(query.shape[2])[:, None], torch.arange(key.shape[2])[None, :]
        return attend(module, query, key, value, causal(query, key) & (columns > rows - width)[None, None], **options)

    return attend_within


def no_window(attend: Any, module: Any, query: Any, key: Any, value: Any, mask: Any, **options: Any) -> Any:
    return attend(module, query, key, value, causal(query, key), **options)


def no_mask(attend: Any, module: Any, query: Any, key: Any, value: Any, mask: Any, **options: Any) -> Any:
    return attend(module, query, key, value, None, **{**options, "is_causal": False})


def values_normalized_late(attend: Any, module: Any, query: Any, key: Any, value: Any, mask: Any, **options: Any) -> Any:
    """The sum of the softmax over all keys, masked ones too: what is left out of a masked softmax that multiplies the mask in."""
    scale = options.get("scaling") or query.shape[-1] ** -0.5
    groups = query.shape[1] // key.shape[1]
    weights = torch.softmax(query @ key.repeat_interleave(groups, 1).transpose(2, 3) * scale, -1) * causal(query, key)
    return (weights @ value.repeat_interleave(groups, 1)).transpose(1, 2).contiguous(), None


# Rotary and other positions.
fault(
    "rotary base",
    "llama",
    "model.rotary_emb",
    edited("model.rotary_emb", lambda m: m.inv_freq.copy_(1.0 / 500000.0 ** (torch.arange(0, 16, 2) / 16))),
)
fault(
    "rotation of neighbors",
    "llama",
    "model.layers.0.self_attn",
    with_globals("model.layers.0.self_attn", LLAMA, apply_rotary_pos_emb=interleaved),
)
fault(
    "keys one position late",
    "llama",
    "model.layers.1.self_attn",
    with_globals("model.layers.1.self_attn", LLAMA, apply_rotary_pos_emb=keys_one_later),
)
fault(
    "rotation the other way",
    "mistral",
    "model.layers.1.self_attn",
    with_globals("model.layers.1.self_attn", "transformers.models.mistral.modeling_mistral", apply_rotary_pos_emb=minus_sine),
)
fault(
    "positions one off",
    "llama",
    "model.rotary_emb",
    rewritten("model.rotary_emb", lambda self, forward, x, position_ids: forward(x, position_ids + 1)),
    note="attention doesn't see it: only the rotated keys in the returned cache do",
)
fault("positions from one", "opt", "model.decoder.embed_positions", setting("model.decoder.embed_positions", offset=1))
fault(
    "positions cut at eight", "gpt2", "transformer.wpe", rewritten("transformer.wpe", lambda self, forward, ids: forward(ids.clamp(max=7)))
)
fault(
    "one position beyond the table",
    "gpt2",
    "transformer.wpe",
    rewritten("transformer.wpe", lambda self, forward, ids: forward(torch.where(ids == 15, 14, ids))),
)
fault("scale of embeddings", "gemma3", "model.embed_tokens", edited("model.embed_tokens", lambda m: m.embed_scale.fill_(1.0)))
fault(
    "rotary frequencies over the full head",
    "gpt_neox",
    "gpt_neox.rotary_emb",
    edited("gpt_neox.rotary_emb", lambda m: m.inv_freq.copy_(1.0 / 10000.0 ** (torch.arange(0, 4, 2) / 16))),
)
fault(
    "local base for global layers",
    "gemma3",
    "model.rotary_emb",
    edited("model.rotary_emb", lambda m: m.full_attention_inv_freq.copy_(m.sliding_attention_inv_freq)),
)
fault("linear scaling of rotary positions", "qwen2", "model.rotary_emb", edited("model.rotary_emb", lambda m: m.inv_freq.div_(4)))
fault(
    "slopes of ALiBi",
    "bloom",
    "transformer.h.0.self_attention",
    rewritten("transformer.h.0.self_attention", lambda self, forward, *a, **k: forward(*a, **{**k, "alibi": k["alibi"] * 0.5})),
)
# Attention.
fault("softmax without scale", "llama", "model.layers.0.self_attn", setting("model.layers.0.self_attn", scaling=1.0))
fault("scale by the width of the model", "gpt2", "transformer.h.1.attn", setting("transformer.h.1.attn", scaling=64**-0.5))
fault("scale of another head size", "qwen3", "model.layers.1.self_attn", setting("model.layers.1.self_attn", scaling=16**-0.5))
fault("heads grouped the other way", "llama", "model.layers.1.self_attn", attention_by("model.layers.1.self_attn", tiled, "tiled_heads"))
fault("heads grouped the other way", "qwen3", "model.layers.0.self_attn", attention_by("model.layers.0.self_attn", tiled, "tiled_heads"))
fault("mask one ahead", "llama", "model.layers.1.self_attn", attention_by("model.layers.1.self_attn", one_ahead, "one_ahead"))
fault("no causal mask", "phi", "model.layers.0.self_attn", attention_by("model.layers.0.self_attn", no_mask, "no_mask"))
fault("window one too wide", "mistral", "model.layers.0.self_attn", attention_by("model.layers.0.self_attn", window_of(7), "wide_window"))
fault("full attention for a window", "gemma3", "model.layers.0.self_attn", attention_by("model.layers.0.self_attn", no_window, "no_window"))
fault(
    "mask multiplied after the softmax",
    "qwen2",
    "model.layers.1.self_attn",
    attention_by("model.layers.1.self_attn", values_normalized_late, "late_mask"),
)
fault("no soft cap of scores", "gemma2", "model.layers.0.self_attn", setting("model.layers.0.self_attn", attn_logit_softcapping=None))
