"""Encoder-decoders, vision, audio and two towers of transformers, in tiny configurations."""

from __future__ import annotations

from typing import Any

import torch
import transformers as tr
from torch import nn

from .architecture import register
from .transformers_text import HEADS, SIZES, VOCABULARY, WIDTH, tokens

VISION: dict[str, Any] = {
    "hidden_size": WIDTH,
    "intermediate_size": 112,
    "num_hidden_layers": 2,
    "num_attention_heads": HEADS,
    "image_size": 32,
    "patch_size": 8,
}


def images(seed: int, batch: int = 2) -> dict[str, Any]:
    return {"pixel_values": torch.randn(batch, 3, 32, 32, generator=torch.Generator().manual_seed(seed + 200))}


def both_texts(seed: int, batch: int = 2) -> dict[str, Any]:
    return {**tokens(seed, batch, 12), "decoder_input_ids": tokens(seed + 1, batch, 8)["input_ids"]}


def sounds(seed: int, batch: int = 2) -> dict[str, Any]:
    generator = torch.Generator().manual_seed(seed + 300)
    return {"input_features": torch.randn(batch, 16, 40, generator=generator), "decoder_input_ids": tokens(seed + 1, batch, 8)["input_ids"]}


def waves(seed: int, batch: int = 2) -> dict[str, Any]:
    return {"input_values": torch.randn(batch, 1200, generator=torch.Generator().manual_seed(seed + 400))}


def text_and_image(seed: int, batch: int = 2) -> dict[str, Any]:
    given = tokens(seed, batch, 10)
    given["input_ids"][:, -1] = 2  # the end of the text, where CLIP pools
    return {**given, **images(seed, batch)}


@register("t5", "transformers", both_texts, "logits")
def t5(**changes: Any) -> nn.Module:
    sizes = {
        "vocab_size": VOCABULARY,
        "d_model": WIDTH,
        "d_kv": 16,
        "d_ff": 112,
        "num_layers": 2,
        "num_heads": HEADS,
        "relative_attention_num_buckets": 8,
    }
    extra = {
        "relative_attention_max_distance": 16,
        "feed_forward_proj": "gated-gelu",
        "tie_word_embeddings": False,
        "pad_token_id": 0,
        "decoder_start_token_id": 0,
    }
    return tr.T5ForConditionalGeneration(tr.T5Config(**{**sizes, **extra, **changes}))


@register("bart", "transformers", both_texts, "logits")
def bart(attention: str = "sdpa", **changes: Any) -> nn.Module:
    layers = {"encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": HEADS, "decoder_attention_heads": HEADS}
    sizes = {"vocab_size": VOCABULARY, "d_model": WIDTH, "encoder_ffn_dim": 112, "decoder_ffn_dim": 112, "max_position_embeddings": 64}
    special = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2, "forced_eos_token_id": 2}
    return tr.BartForConditionalGeneration._from_config(
        tr.BartConfig(**{**layers, **sizes, **special, **changes}), attn_implementation=attention
    )


@register("whisper", "transformers", sounds, "logits")
def whisper(attention: str = "sdpa", **changes: Any) -> nn.Module:
    layers = {"encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": HEADS, "decoder_attention_heads": HEADS}
    sizes = {"vocab_size": VOCABULARY, "d_model": WIDTH, "encoder_ffn_dim": 112, "decoder_ffn_dim": 112, "num_mel_bins": 16}
    special = {
        "max_source_positions": 20,
        "max_target_positions": 32,
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 2,
        "decoder_start_token_id": 1,
    }
    return tr.WhisperForConditionalGeneration._from_config(
        tr.WhisperConfig(**{**layers, **sizes, **special, **changes}), attn_implementation=attention
    )


@register("vit", "transformers", images, "logits")
def vit(attention: str = "sdpa", **changes: Any) -> nn.Module:
    return tr.AutoModelForImageClassification.from_config(
        tr.ViTConfig(**{**VISION, "num_labels": 7, **changes}), attn_implementation=attention
    )


@register("dinov2", "transformers", images, "last_hidden_state")
def dinov2(attention: str = "sdpa", **changes: Any) -> nn.Module:
    return tr.AutoModel.from_config(
        tr.Dinov2Config(**{**VISION, "mlp_ratio": 2, "layerscale_value": 0.5, **changes}), attn_implementation=attention
    )


@register("swinv2", "transformers", images, "last_hidden_state")
def swinv2(**changes: Any) -> nn.Module:
    sizes = {"image_size": 32, "patch_size": 2, "embed_dim": 16, "depths": [2, 2], "num_heads": [2, 4], "window_size": 4}
    return tr.AutoModel.from_config(tr.Swinv2Config(**{**sizes, **changes}))


@register("clip", "transformers", text_and_image, "logits_per_image")
def clip(attention: str = "sdpa", **changes: Any) -> nn.Module:
    config = tr.CLIPConfig(
        text_config={**SIZES, "projection_dim": 32, **changes}, vision_config={**VISION, "projection_dim": 32}, projection_dim=32
    )
    return tr.AutoModel.from_config(config, attn_implementation=attention)


@register("siglip", "transformers", text_and_image, "logits_per_image")
def siglip(attention: str = "sdpa", **changes: Any) -> nn.Module:
    config = tr.SiglipConfig(text_config={**SIZES, "projection_size": WIDTH, **changes}, vision_config=VISION)
    return tr.AutoModel.from_config(config, attn_implementation=attention)


@register("wav2vec2", "transformers", waves, "logits")
def wav2vec2(attention: str = "sdpa", **changes: Any) -> nn.Module:
    convolutions = {
        "conv_dim": [32, 32, 32],
        "conv_kernel": [10, 3, 3],
        "conv_stride": [5, 4, 4],
        "num_conv_pos_embeddings": 8,
        "num_conv_pos_embedding_groups": 4,
    }
    config = tr.Wav2Vec2Config(**{**SIZES, **convolutions, "feat_extract_norm": "layer", "do_stable_layer_norm": True, **changes})
    return tr.AutoModelForCTC.from_config(config, attn_implementation=attention)
