"""Faults in encoders, encoder-decoders and two towers of transformers: padding, cross-attention, relative positions, pooling, convolutions."""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import nn
from transformers.activations import ACT2FN

from ..architectures import ARCHITECTURES
from ..planting import attention_by, edited, replaced, rewritten, setting, swapped
from .fault import fault
from .positions import no_mask, one_ahead


def activation(form: str) -> Any:
    return lambda old: copy.deepcopy(ACT2FN[form])


def padded(name: str, lengths: tuple[int, int] = (9, 16)) -> Any:
    """The inputs of an architecture with a first row that is padded on the right."""

    def inputs() -> dict[str, Any]:
        given = ARCHITECTURES[name].inputs(0, 2)
        mask = torch.ones_like(given["input_ids"])
        mask[0, lengths[0] :] = 0
        given["input_ids"] = given["input_ids"].masked_fill(mask == 0, 0)
        return {**given, "attention_mask": mask}

    return inputs


fault(
    "padding attended to",
    "bert",
    "bert.encoder.layer.0.attention.self",
    attention_by("bert.encoder.layer.0.attention.self", no_mask, "no_mask"),
    inputs=padded("bert"),
)
fault("epsilon of a norm", "bert", "bert.encoder.layer.0.output.LayerNorm", setting("bert.encoder.layer.0.output.LayerNorm", eps=1e-5))
fault("epsilon of the embeddings' norm", "electra", "embeddings.LayerNorm", setting("embeddings.LayerNorm", eps=1e-5))
fault(
    "GELU by tanh for erf",
    "bert",
    "bert.encoder.layer.1.intermediate.intermediate_act_fn",
    replaced("bert.encoder.layer.1.intermediate.intermediate_act_fn", activation("gelu_new")),
)
fault(
    "segment one for all",
    "bert",
    "bert.embeddings.token_type_embeddings",
    rewritten("bert.embeddings.token_type_embeddings", lambda self, forward, ids: forward(torch.ones_like(ids))),
)
fault(
    "bias of the head",
    "bert",
    "cls.predictions.decoder",
    edited("cls.predictions.decoder", lambda m: m.bias.zero_()),
    also=("cls.predictions",),
)
fault("dropout left on", "bert", "bert.encoder.layer.0.output.dropout", lambda m: (m.bert.encoder.layer[0].output.dropout.train(), None)[1])
fault(
    "queries and values exchanged",
    "electra",
    "encoder.layer.0.attention.self.query",
    swapped("encoder.layer.0.attention.self.query", "encoder.layer.0.attention.self.value"),
    also=("encoder.layer.0.attention.self.value",),
)
fault(
    "positions from zero",
    "roberta",
    "roberta.embeddings.position_embeddings",
    rewritten("roberta.embeddings.position_embeddings", lambda self, forward, ids: forward((ids - 2).clamp(min=0))),
)
fault("last token for the first", "roberta", "classifier", rewritten("classifier", lambda self, forward, x: forward(x.flip(1))))
fault(
    "no tanh in the head", "roberta", "classifier", rewritten("classifier", lambda self, forward, x: self.out_proj(self.dense(x[:, 0, :])))
)
fault("no scale of queries", "distilbert", "transformer.layer.0.attention", setting("transformer.layer.0.attention", scaling=1.0))
fault(
    "norm left out",
    "distilbert",
    "transformer.layer.1.sa_layer_norm",
    replaced("transformer.layer.1.sa_layer_norm", lambda old: nn.Identity()),
)
fault(
    "tanh GELU for erf",
    "distilbert",
    "transformer.layer.0.ffn.activation",
    replaced("transformer.layer.0.ffn.activation", activation("gelu_pytorch_tanh")),
)
fault(
    "bias of the mapping",
    "albert",
    "encoder.embedding_hidden_mapping_in",
    edited("encoder.embedding_hidden_mapping_in", lambda m: m.bias.zero_()),
)
fault("no norm of relative embeddings", "deberta_v2", "encoder.LayerNorm", replaced("encoder.LayerNorm", lambda old: nn.Identity()))
fault(
    "relative positions reversed",
    "deberta_v2",
    "encoder",
    rewritten(
        "encoder.layer.0.attention.self", lambda self, forward, *a, **k: forward(*a, **{**k, "relative_pos": _reversed(k["relative_pos"])})
    ),
    also=("encoder.layer.0.attention.self",),
)
fault("epsilon of a norm", "deberta_v2", "encoder.layer.1.output.LayerNorm", setting("encoder.layer.1.output.LayerNorm", eps=1e-5))
fault("window of a local layer", "modernbert", "model.layers.1.attn", attention_by("model.layers.1.attn", no_mask, "no_mask"))
fault(
    "gate and input exchanged",
    "modernbert",
    "model.layers.0.mlp.Wi",
    edited("model.layers.0.mlp.Wi", lambda m: m.weight.copy_(m.weight.roll(112, 0).clone())),
)
# Encoder-decoders.
fault("scores scaled", "t5", "encoder.block.0.layer.0.SelfAttention", setting("encoder.block.0.layer.0.SelfAttention", scaling=0.25))
fault(
    "largest distance of buckets",
    "t5",
    "encoder.block.0.layer.0.SelfAttention",
    setting("encoder.block.0.layer.0.SelfAttention", relative_attention_max_distance=128),
)
fault(
    "buckets of both directions in a decoder",
    "t5",
    "decoder.block.0.layer.0.SelfAttention",
    rewritten("decoder.block.0.layer.0.SelfAttention", lambda self, forward, *a, **k: _as_encoder(self, forward, a, k)),
)
fault(
    "GELU by erf for tanh",
    "t5",
    "decoder.block.0.layer.2.DenseReluDense.act",
    replaced("decoder.block.0.layer.2.DenseReluDense.act", activation("gelu")),
)
fault(
    "gate for value",
    "t5",
    "encoder.block.1.layer.1.DenseReluDense.wi_0",
    swapped("encoder.block.1.layer.1.DenseReluDense.wi_0", "encoder.block.1.layer.1.DenseReluDense.wi_1"),
    also=("encoder.block.1.layer.1.DenseReluDense.wi_1",),
)
fault("head scaled as if tied", "t5", "lm_head", rewritten("lm_head", lambda self, forward, x: forward(x * 64**-0.5)))
fault(
    "cross-attention sees padding",
    "bart",
    "model.decoder.layers.0.encoder_attn",
    attention_by("model.decoder.layers.0.encoder_attn", no_mask, "no_mask"),
    inputs=padded("bart", (7, 12)),
)
fault(
    "decoder sees one ahead",
    "bart",
    "model.decoder.layers.1.self_attn",
    attention_by("model.decoder.layers.1.self_attn", one_ahead, "one_ahead"),
)
fault("embeddings scaled", "bart", "model.decoder.embed_tokens", setting("model.decoder.embed_tokens", embed_scale=8.0))
fault("positions from one", "bart", "model.encoder.embed_positions", setting("model.encoder.embed_positions", offset=1))
fault("missing bias of the logits", "bart", "", edited("", lambda m: m.final_logits_bias.fill_(1e-3)))
fault(
    "padding of a convolution",
    "whisper",
    "model.encoder.conv2",
    rewritten("model.encoder.conv2", lambda self, forward, x: forward(nn.functional.pad(x, (1, 0))[..., :-1])),
)
fault(
    "bias of values left out",
    "whisper",
    "model.decoder.layers.0.encoder_attn.v_proj",
    edited("model.decoder.layers.0.encoder_attn.v_proj", lambda m: m.bias.zero_()),
)
fault(
    "positions of the encoder one off",
    "whisper",
    "model.encoder.embed_positions",
    edited("model.encoder.embed_positions", lambda m: m.weight.copy_(m.weight.roll(1, 0).clone())),
    also=("model.encoder",),
)
fault(
    "GELU by tanh for erf",
    "whisper",
    "model.decoder.layers.1.activation_fn",
    replaced("model.decoder.layers.1.activation_fn", activation("gelu_new")),
)
# Vision, two towers and audio of transformers.
fault(
    "positions transposed",
    "vit",
    "vit.embeddings",
    edited(
        "vit.embeddings",
        lambda m: m.position_embeddings[0, 1:].copy_(m.position_embeddings[0, 1:].view(4, 4, 64).transpose(0, 1).reshape(16, 64).clone()),
    ),
)
fault("epsilon of a norm", "vit", "vit.layers.1.layernorm_before", setting("vit.layers.1.layernorm_before", eps=1e-5))
fault(
    "channels of the image in the other order",
    "vit",
    "vit.embeddings.patch_embeddings.projection",
    edited("vit.embeddings.patch_embeddings.projection", lambda m: m.weight.copy_(m.weight.flip(1).clone())),
)
fault("layer scale left out", "dinov2", "encoder.layer.0.layer_scale2", replaced("encoder.layer.0.layer_scale2", lambda old: nn.Identity()))
fault("epsilon of a norm", "dinov2", "encoder.layer.0.norm1", setting("encoder.layer.0.norm1", eps=1e-5))
fault(
    "scale of attention",
    "swinv2",
    "encoder.layers.0.blocks.0.attention.self",
    edited("encoder.layers.0.blocks.0.attention.self", lambda m: m.logit_scale.mul_(1.01)),
)
fault(
    "bias of positions without sixteen times sigmoid",
    "swinv2",
    "encoder.layers.1.blocks.0.attention.self.continuous_position_bias_mlp.2",
    edited("encoder.layers.1.blocks.0.attention.self.continuous_position_bias_mlp.2", lambda m: m.weight.mul_(0.9)),
    also=("encoder.layers.1.blocks.0.attention.self",),
)
fault(
    "GELU for quick GELU",
    "clip",
    "vision_model.encoder.layers.0.mlp.activation_fn",
    replaced("vision_model.encoder.layers.0.mlp.activation_fn", activation("gelu")),
)
fault(
    "no causal mask in the text tower",
    "clip",
    "text_model.encoder.layers.0.self_attn",
    attention_by("text_model.encoder.layers.0.self_attn", no_mask, "no_mask"),
)
fault("temperature", "clip", "", edited("", lambda m: m.logit_scale.add_(1e-3)))
fault(
    "norm before the layers left out", "clip", "vision_model.pre_layrnorm", replaced("vision_model.pre_layrnorm", lambda old: nn.Identity())
)
fault(
    "GELU by erf for tanh",
    "siglip",
    "vision_model.encoder.layers.0.mlp.activation_fn",
    replaced("vision_model.encoder.layers.0.mlp.activation_fn", activation("gelu")),
)
fault("bias of the logits", "siglip", "", edited("", lambda m: m.logit_bias.zero_()))
fault(
    "padding of the positional convolution",
    "wav2vec2",
    "wav2vec2.encoder.pos_conv_embed.padding",
    replaced("wav2vec2.encoder.pos_conv_embed.padding", lambda old: _DropFirst()),
)
fault(
    "stride with another offset",
    "wav2vec2",
    "wav2vec2.feature_extractor.conv_layers.1.conv",
    rewritten("wav2vec2.feature_extractor.conv_layers.1.conv", lambda self, forward, x: forward(x.roll(1, -1))),
)


class _DropFirst(nn.Module):
    """The first step of an even convolution cut off, where the library cuts the last."""

    def forward(self, hidden_states: torch.Tensor) -> torch.Tensor:
        return hidden_states[:, :, 1:]


def _reversed(relative: torch.Tensor | None) -> torch.Tensor | None:
    return None if relative is None else -relative


def _as_encoder(self: Any, forward: Any, args: Any, kwargs: Any) -> Any:
    kept, self.is_decoder = self.is_decoder, False
    try:
        return forward(*args, **kwargs)
    finally:
        self.is_decoder = kept
