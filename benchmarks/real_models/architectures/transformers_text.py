"""Decoders of text of transformers, in tiny configurations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import transformers as tr
from torch import nn

from .architecture import register

VOCABULARY, WIDTH, HEADS, LENGTH = 120, 64, 4, 16
SIZES: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": WIDTH,
    "intermediate_size": 112,
    "num_hidden_layers": 2,
    "num_attention_heads": HEADS,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}


def tokens(seed: int, batch: int = 2, length: int = LENGTH) -> dict[str, Any]:
    """Token numbers without the special ones."""
    generator = torch.Generator().manual_seed(seed + 100)
    return {"input_ids": torch.randint(5, VOCABULARY, (batch, length), generator=generator)}


def text(name: str, output: str = "logits") -> Callable[[Callable[..., nn.Module]], Callable[..., nn.Module]]:
    return register(name, "transformers", tokens, output)


def _decoder(config: Any, attention: str) -> nn.Module:
    return tr.AutoModelForCausalLM.from_config(config, attn_implementation=attention)


@text("llama")
def llama(attention: str = "sdpa", **changes: Any) -> nn.Module:
    return _decoder(tr.LlamaConfig(**{**SIZES, "num_key_value_heads": 2, "rms_norm_eps": 1e-5, **changes}), attention)


@text("mistral")
def mistral(attention: str = "sdpa", **changes: Any) -> nn.Module:
    return _decoder(tr.MistralConfig(**{**SIZES, "num_key_value_heads": 2, "sliding_window": 6, "head_dim": 16, **changes}), attention)


@text("qwen2")
def qwen2(attention: str = "sdpa", **changes: Any) -> nn.Module:
    return _decoder(tr.Qwen2Config(**{**SIZES, "num_key_value_heads": 2, "tie_word_embeddings": True, **changes}), attention)


@text("qwen3")
def qwen3(attention: str = "sdpa", **changes: Any) -> nn.Module:
    return _decoder(tr.Qwen3Config(**{**SIZES, "num_key_value_heads": 2, "head_dim": 24, **changes}), attention)


@text("gemma3")
def gemma3(attention: str = "sdpa", **changes: Any) -> nn.Module:
    sizes = {**SIZES, "num_key_value_heads": 2, "head_dim": 16, "query_pre_attn_scalar": 16, "sliding_window": 6, **changes}
    return _decoder(tr.Gemma3TextConfig(**sizes, layer_types=["sliding_attention", "full_attention"]), attention)


@text("gemma2")
def gemma2(attention: str = "eager", **changes: Any) -> nn.Module:
    sizes = {**SIZES, "num_key_value_heads": 2, "head_dim": 16, "query_pre_attn_scalar": 16, "sliding_window": 6, **changes}
    return _decoder(tr.Gemma2Config(**sizes), attention)


@text("mixtral")
def mixtral(attention: str = "sdpa", **changes: Any) -> nn.Module:
    sizes = {**SIZES, "num_key_value_heads": 2, "num_local_experts": 4, "num_experts_per_tok": 2, **changes}
    return _decoder(tr.MixtralConfig(**sizes), attention)


@text("qwen3_moe")
def qwen3_moe(attention: str = "sdpa", **changes: Any) -> nn.Module:
    sizes = {
        **SIZES,
        "num_key_value_heads": 2,
        "head_dim": 16,
        "num_experts": 6,
        "num_experts_per_tok": 2,
        "moe_intermediate_size": 48,
        "norm_topk_prob": True,
        **changes,
    }
    return _decoder(tr.Qwen3MoeConfig(**sizes), attention)


@text("deepseek_v3")
def deepseek_v3(attention: str = "sdpa", **changes: Any) -> nn.Module:
    latent = {"q_lora_rank": 24, "kv_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 16, "v_head_dim": 16}
    routed = {
        "n_routed_experts": 8,
        "n_shared_experts": 1,
        "n_group": 2,
        "topk_group": 1,
        "num_experts_per_tok": 2,
        "moe_intermediate_size": 48,
    }
    sizes = {**SIZES, **latent, **routed, "num_key_value_heads": HEADS, "first_k_dense_replace": 1, "routed_scaling_factor": 2.5, **changes}
    return _decoder(tr.DeepseekV3Config(**sizes), attention)


@text("deepseek_v2")
def deepseek_v2(attention: str = "sdpa", **changes: Any) -> nn.Module:
    latent = {"q_lora_rank": 24, "kv_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 16, "v_head_dim": 16}
    routed = {
        "n_routed_experts": 4,
        "n_shared_experts": 1,
        "num_experts_per_tok": 2,
        "moe_intermediate_size": 48,
        "topk_method": "greedy",
        "norm_topk_prob": True,
    }
    sizes = {**SIZES, **latent, **routed, "num_key_value_heads": HEADS, "first_k_dense_replace": 1, **changes}
    return _decoder(tr.DeepseekV2Config(**sizes), attention)


@text("gpt2")
def gpt2(attention: str = "sdpa", **changes: Any) -> nn.Module:
    sizes = {
        "vocab_size": VOCABULARY,
        "n_embd": WIDTH,
        "n_layer": 2,
        "n_head": HEADS,
        "n_positions": 64,
        "bos_token_id": 1,
        "eos_token_id": 2,
    }
    return _decoder(tr.GPT2Config(**{**sizes, **changes}), attention)


@text("gpt_neox")
def gpt_neox(attention: str = "sdpa", **changes: Any) -> nn.Module:
    return _decoder(tr.GPTNeoXConfig(**{**SIZES, "rotary_pct": 0.25, "use_parallel_residual": True, **changes}), attention)


@text("gptj")
def gptj(attention: str = "eager", **changes: Any) -> nn.Module:
    sizes = {
        "vocab_size": VOCABULARY,
        "n_embd": WIDTH,
        "n_layer": 2,
        "n_head": HEADS,
        "n_positions": 64,
        "rotary_dim": 8,
        "bos_token_id": 1,
        "eos_token_id": 2,
    }
    return _decoder(tr.GPTJConfig(**{**sizes, **changes}), attention)


@text("phi")
def phi(attention: str = "sdpa", **changes: Any) -> nn.Module:
    return _decoder(tr.PhiConfig(**{**SIZES, "partial_rotary_factor": 0.5, **changes}), attention)


@text("falcon")
def falcon(attention: str = "sdpa", **changes: Any) -> nn.Module:
    sizes = {
        "vocab_size": VOCABULARY,
        "hidden_size": WIDTH,
        "num_hidden_layers": 2,
        "num_attention_heads": HEADS,
        "new_decoder_architecture": True,
        "num_kv_heads": 2,
    }
    return _decoder(tr.FalconConfig(**{**sizes, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0, **changes}), attention)


@text("opt")
def opt(attention: str = "sdpa", **changes: Any) -> nn.Module:
    return _decoder(tr.OPTConfig(**{**SIZES, "ffn_dim": 112, "word_embed_proj_dim": WIDTH, "dropout": 0.1, **changes}), attention)


@text("bloom")
def bloom(attention: str = "eager", **changes: Any) -> nn.Module:
    sizes = {
        "vocab_size": VOCABULARY,
        "hidden_size": WIDTH,
        "n_layer": 2,
        "n_head": HEADS,
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 2,
    }
    return _decoder(tr.BloomConfig(**{**sizes, **changes}), attention)


@text("mamba")
def mamba(**changes: Any) -> nn.Module:
    sizes = {
        "vocab_size": VOCABULARY,
        "hidden_size": WIDTH,
        "state_size": 8,
        "num_hidden_layers": 2,
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 2,
    }
    return tr.MambaForCausalLM(tr.MambaConfig(**{**sizes, **changes}))


@text("mamba2")
def mamba2(**changes: Any) -> nn.Module:
    sizes = {
        "vocab_size": VOCABULARY,
        "hidden_size": WIDTH,
        "state_size": 16,
        "num_hidden_layers": 2,
        "num_heads": 8,
        "head_dim": 16,
        "n_groups": 2,
        "chunk_size": 8,
    }
    return tr.Mamba2ForCausalLM(tr.Mamba2Config(**{**sizes, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, **changes}))


@text("rwkv")
def rwkv(**changes: Any) -> nn.Module:
    sizes = {
        "vocab_size": VOCABULARY,
        "hidden_size": WIDTH,
        "attention_hidden_size": WIDTH,
        "intermediate_size": 112,
        "num_hidden_layers": 2,
        "context_length": 64,
    }
    return tr.RwkvForCausalLM(tr.RwkvConfig(**{**sizes, "bos_token_id": 1, "eos_token_id": 2, **changes}))
