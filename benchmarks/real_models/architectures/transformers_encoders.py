"""Encoders of text of transformers, in tiny configurations."""

from __future__ import annotations

from typing import Any

import transformers as tr
from torch import nn

from .transformers_text import HEADS, SIZES, VOCABULARY, WIDTH, text


@text("bert")
def bert(attention: str = "sdpa", **changes: Any) -> nn.Module:
    return tr.AutoModelForMaskedLM.from_config(tr.BertConfig(**{**SIZES, **changes}), attn_implementation=attention)


@text("roberta")
def roberta(attention: str = "sdpa", **changes: Any) -> nn.Module:
    config = tr.RobertaConfig(**{**SIZES, "type_vocab_size": 1, "num_labels": 5, **changes})
    return tr.AutoModelForSequenceClassification.from_config(config, attn_implementation=attention)


@text("electra", "last_hidden_state")
def electra(attention: str = "sdpa", **changes: Any) -> nn.Module:
    return tr.AutoModel.from_config(tr.ElectraConfig(**{**SIZES, "embedding_size": 32, **changes}), attn_implementation=attention)


@text("distilbert", "last_hidden_state")
def distilbert(attention: str = "sdpa", **changes: Any) -> nn.Module:
    sizes = {
        "vocab_size": VOCABULARY,
        "dim": WIDTH,
        "hidden_dim": 112,
        "n_layers": 2,
        "n_heads": HEADS,
        "max_position_embeddings": 64,
        "pad_token_id": 0,
    }
    return tr.AutoModel.from_config(tr.DistilBertConfig(**{**sizes, **changes}), attn_implementation=attention)


@text("albert", "last_hidden_state")
def albert(attention: str = "sdpa", **changes: Any) -> nn.Module:
    return tr.AutoModel.from_config(tr.AlbertConfig(**{**SIZES, "embedding_size": 32, **changes}), attn_implementation=attention)


@text("deberta_v2", "last_hidden_state")
def deberta_v2(**changes: Any) -> nn.Module:
    positions = {
        "relative_attention": True,
        "pos_att_type": ["p2c", "c2p"],
        "position_buckets": 8,
        "share_att_key": True,
        "norm_rel_ebd": "layer_norm",
    }
    return tr.AutoModel.from_config(tr.DebertaV2Config(**{**SIZES, **positions, "position_biased_input": False, **changes}))


@text("modernbert")
def modernbert(attention: str = "sdpa", **changes: Any) -> nn.Module:
    sizes = {
        **SIZES,
        "num_hidden_layers": 3,
        "global_attn_every_n_layers": 3,
        "local_attention": 8,
        "cls_token_id": 1,
        "sep_token_id": 2,
        **changes,
    }
    return tr.AutoModelForMaskedLM.from_config(tr.ModernBertConfig(**sizes), attn_implementation=attention)
