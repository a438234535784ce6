"""transformers: every architecture that can be built tiny, its attention modes, padding and cache, on random weights and tokens in float32.

What a model computes of a token may not depend on how attention is implemented, on what it is padded with and where, on the other rows of its
batch, or on whether the tokens before it come from a cache. Needed beside halfulp: `pip install transformers`.
"""

import functools
import inspect

import torch

name = "attention-modes"
actual_name, expected_name = "another way", "eager, all at once"

TINY = {
    **dict.fromkeys(("hidden_size", "d_model", "n_embd", "dim", "word_embed_proj_dim", "embedding_size"), 32),
    **dict.fromkeys(("num_hidden_layers", "n_layer", "num_layers", "n_layers", "decoder_layers", "encoder_layers"), 2),
    **dict.fromkeys(("num_attention_heads", "n_head", "num_heads", "n_heads", "decoder_attention_heads", "encoder_attention_heads"), 4),
    **dict.fromkeys(("num_key_value_heads", "num_kv_heads", "n_head_kv"), 2),
    **dict.fromkeys(("intermediate_size", "ffn_dim", "d_ff", "n_inner", "decoder_ffn_dim", "encoder_ffn_dim", "ffn_hidden_size"), 64),
    **dict.fromkeys(("moe_intermediate_size", "shared_expert_intermediate_size", "intermediate_size_mlp"), 32),
    **dict.fromkeys(("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"), 4),
    **dict.fromkeys(("num_experts_per_tok", "num_selected_experts", "moe_topk"), 2),
    "n_group": 1, "topk_group": 1, "q_lora_rank": 16, "kv_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8, "v_head_dim": 8,
    "head_dim": 8, "rotary_dim": 8, "vocab_size": 97, "max_position_embeddings": 128, "n_positions": 128, "sliding_window": 8, "pad_token_id": 0,
    "bos_token_id": 1, "eos_token_id": 2,
}  # fmt: skip
PLAIN = tuple(TINY.items())
LARGEST = 3_000_000
"""Parameters of a model that counts as tiny."""
LENGTH, PADDED = 11, 4
NO_MASK = ("rwkv",)
"""They take a mask and say that they ignore it."""


def subjects():
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

    return sorted(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES)


@functools.lru_cache(maxsize=4)
def made(kind, attention, sizes=PLAIN):
    """The model of an architecture.

    Whatever building it raises is passed on: the sweep then counts a case without a verdict, and says why.
    """
    from transformers import AutoConfig, AutoModelForCausalLM

    known = inspect.signature(type(AutoConfig.for_model(kind)).__init__).parameters
    plain = AutoConfig.for_model(kind)
    given = {key: value for key, value in sizes if key in known or hasattr(plain, key)}
    config = AutoConfig.for_model(kind, **given)
    if hasattr(config, "is_decoder"):  # else encoders look ahead, and have no cache
        config.is_decoder = True
    torch.manual_seed(0)
    with torch.device("meta"):
        size = sum(parameter.numel() for parameter in AutoModelForCausalLM.from_config(config).parameters())
    if size > LARGEST:
        raise ValueError(f"{kind} has {size:,} parameters in its smallest form, more than {LARGEST:,}")
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(config, attn_implementation=attention, dtype=torch.float32).eval()
    with torch.no_grad():
        for parameter in model.parameters():  # what starts at zero or one would hide what it does
            parameter.add_(0.05 * torch.randn_like(parameter))
        model(torch.ones(1, 3, dtype=torch.int64))
    return model


def failing(error):
    """A function that raises what building it raised: its case has no verdict, and says why."""

    def function(*_):
        raise error

    return function


def cases(subject, seed):
    yield from of_model(subject, made(subject, "eager"), seed)


def of_model(subject, plain, seed):
    draw = torch.Generator().manual_seed(seed)
    ids = torch.randint(3, 97, (2, LENGTH), generator=draw)

    def whole(ids, model=plain):
        return model(ids, use_cache=False, **positions(model, torch.ones_like(ids))).logits

    def padded(ids, left, model=plain, pad=0):
        """Each row beside a longer one that is padded in the other's place."""
        filler = torch.full((ids.shape[0], PADDED), pad)
        long = torch.cat([filler, ids] if left else [ids, filler], 1)
        mask = (
            torch.cat([torch.zeros_like(filler), torch.ones_like(ids)] if left else [torch.ones_like(ids), torch.zeros_like(filler)], 1)
        ).long()
        found = model(long, attention_mask=mask, use_cache=False, **positions(model, mask)).logits
        return found[:, PADDED:] if left else found[:, : ids.shape[1]]

    def positions(model, mask):
        # Given to all: models that count positions by themselves do so from the number of the padding token, or ignore what is masked.
        takes = "position_ids" in inspect.signature(model.forward).parameters
        return {"position_ids": (mask.cumsum(-1) - 1).clamp_min(0)} if takes else {}

    def cached(ids, model=plain, first=5):
        all_of = positions(model, torch.ones_like(ids))
        found = model(ids[:, :first], use_cache=True, **{name: value[:, :first] for name, value in all_of.items()})
        parts, cache = [found.logits], found.past_key_values
        for place in range(first, ids.shape[1]):
            here = {name: value[:, place : place + 1] for name, value in all_of.items()}
            found = model(ids[:, place : place + 1], past_key_values=cache, use_cache=True, **here)
            parts.append(found.logits)
            cache = found.past_key_values
        return torch.cat(parts, 1)

    def alone(ids, model=plain):
        return torch.cat([whole(row[None], model) for row in ids])

    ways = {"rows alone": alone, "padded on the right": functools.partial(padded, left=False)}
    ways |= {"padded on the left": functools.partial(padded, left=True), "from a cache": cached}
    ways["padded on the left with token 96"] = functools.partial(padded, left=True, pad=96)
    try:
        model = made(subject, "sdpa")
        ways |= {
            "sdpa": functools.partial(whole, model=model),
            "sdpa, padded on the left": functools.partial(padded, left=True, model=model),
            "sdpa, from a cache": functools.partial(cached, model=model),
        }
    except Exception as error:
        ways["sdpa"] = failing(error)
    for way, function in ways.items():
        if "padded" in way and (subject in NO_MASK or "attention_mask" not in inspect.signature(plain.forward).parameters):
            continue
        if "cache" in way and not has_cache(plain, ids):
            continue
        yield {"actual": function, "expected": whole, "inputs": (ids,), "setting": way}


def has_cache(model, ids):
    """Whether an architecture has a cache at all: state space models have other names for theirs."""
    with torch.no_grad():
        return getattr(model(ids, use_cache=True), "past_key_values", None) is not None
