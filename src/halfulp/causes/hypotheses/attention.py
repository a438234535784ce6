"""What goes wrong with attention and rotary embeddings: masks, their alignment, scale, cap, axis, layout."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import torch

from ..calls import Call, is_scalar
from .hypothesis import FORMULA, Fit, Hypothesis, Site, Variation, among, changed

SDPA = "scaled_dot_product_attention"


def _scores(call: Call, *, scale: float | None = None, mask: Any = "own", cap: float = 0.0) -> torch.Tensor:
    """Attention step by step."""
    query, key, value = (call.value(name) for name in ("query", "key", "value"))
    factor = scale if scale is not None else call.keywords.get("scale") or 1.0 / math.sqrt(query.shape[-1])
    if call.keywords.get("enable_gqa", False):
        key, value = (item.repeat_interleave(query.shape[-3] // item.shape[-3], -3) for item in (key, value))
    scores = (query @ key.transpose(-1, -2)) * factor
    if cap:
        scores = _capped(scores, cap)
    own = call.value("attn_mask")
    if isinstance(mask, str):
        mask = own
        if call.value("is_causal", False):
            mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf) if mask.dtype == torch.bool else scores + mask
    return torch.softmax(scores, -1) @ value


def _masked_afterwards(call: Call) -> torch.Tensor:
    """The weights of hidden keys set to zero after the softmax: those that are left don't add up to one."""
    own = call.value("attn_mask")
    mask = _lower(call, 0) if own is None else own if own.dtype == torch.bool else own > -1e3
    key, value = (call.value(name) for name in ("key", "value"))
    shape = (*call.value("query").shape[:-1], key.shape[-2])
    return _weights(call).masked_fill(~mask.expand(shape), 0.0) @ value


def _weights(call: Call) -> torch.Tensor:
    """The weights of attention without a mask."""
    query, key = call.value("query"), call.value("key")
    return torch.softmax((query @ key.transpose(-1, -2)) * (call.keywords.get("scale") or 1.0 / math.sqrt(query.shape[-1])), -1)


def _alignments(call: Call) -> Iterator[Variation]:
    if call.name in ("tril", "triu"):
        x = call.first
        rows, columns = x.shape[-2:]
        present = int(call.value("diagonal", 0))
        for shift in dict.fromkeys((present + columns - rows, present - (columns - rows), present + 1, present - 1)):
            if shift != present:
                yield changed(f"diagonal = {shift} instead of {present}", diagonal=shift)
        return
    query, key = call.value("query"), call.value("key")
    rows, columns = query.shape[-2], key.shape[-2]
    if call.value("is_causal", False):
        for words, shift in (
            ("aligned to the lower right corner", columns - rows),
            ("that also hides the diagonal", -1),
            ("one column wider", 1),
        ):
            if shift:
                yield Variation(f"a causal mask {words}", lambda call, shift=shift: _scores(call, mask=_lower(call, shift)))
    mask = call.value("attn_mask")
    if isinstance(mask, torch.Tensor) and rows != columns:
        for words, shift in (("lower right", columns - rows), ("upper left", 0)):
            yield Variation(
                f"a causal mask aligned to the {words} corner",
                lambda call, shift=shift: _scores(call, mask=_lower(call, shift)),
            )


def _lower(call: Call, shift: int) -> torch.Tensor:
    query, key = call.value("query"), call.value("key")
    return torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool, device=query.device).tril(shift)


def _masks(call: Call) -> Iterator[Variation]:
    if call.name == SDPA:
        mask = call.value("attn_mask")
        if mask is not None or call.value("is_causal", False):
            yield Variation("no mask", lambda call: _scores(call, mask=None))
            yield Variation("the mask applied after the softmax (weights that don't add up to one)", _masked_afterwards)
            if mask is None:
                yield Variation("the mask added as numbers", lambda call: _scores(call, mask=_lower(call, 0).to(call.first.dtype)))
        else:
            yield Variation("a causal mask", lambda call: _scores(call, mask=_lower(call, 0)))
        if isinstance(mask, torch.Tensor) and mask.dtype == torch.bool:
            yield Variation("the mask inverted", lambda call: _scores(call, mask=~call.value("attn_mask")))
            yield Variation(
                "the mask added as numbers",
                lambda call: _scores(call, mask=call.value("attn_mask").to(call.first.dtype)),
            )
    elif call.name == "masked_fill":
        yield Variation("no mask", lambda call: call.first * 1)
        yield Variation("the mask inverted", lambda call: call.again(mask=~call.value("mask")))
        value = call.value("value")
        if is_scalar(value) and abs(float(value)) > 10:
            for other in (-math.inf, -1e4, -1e9):
                if other != value:
                    yield changed(f"masked scores of {other:g} instead of {float(value):g}", value=other)
    elif call.name == "where" and isinstance(call.value("condition"), torch.Tensor) and call.value("input") is not None:
        yield Variation(
            "the mask inverted",
            lambda call: torch.where(~call.value("condition"), call.value("input"), call.value("other")),
        )
    elif call.name == "add":
        other = call.value("other")
        if isinstance(other, torch.Tensor) and bool((other < -1e3).any()):
            yield Variation("no mask", lambda call: call.first * 1)


def _scales(call: Call) -> Iterator[Variation]:
    query = call.value("query")
    width = query.shape[-1]
    present = call.keywords.get("scale") or 1.0 / math.sqrt(width)
    heads = query.shape[-3] if query.dim() > 3 else 1
    usual = {"1": 1.0, f"1/sqrt({width})": width**-0.5, f"1/{width}": 1.0 / width, f"1/sqrt({width * heads})": (width * heads) ** -0.5}
    for words, value in usual.items():
        if not math.isclose(value, present):
            yield Variation(f"scale = {words} instead of {present:.6g}", lambda call, value=value: _scores(call, scale=value))


def _fitted_scale(call: Call) -> Iterable[Fit]:
    present = call.keywords.get("scale") or 1.0 / math.sqrt(call.value("query").shape[-1])
    vary = lambda value: Variation(f"scale = {value:.6g} instead of {present:.6g}", lambda call: _scores(call, scale=value))
    return [Fit("scale", present / 300, present * 300, present, vary=vary, logarithmic=True)]


def _capped(scores: torch.Tensor, cap: float) -> torch.Tensor:
    """Scores under a cap; those that are masked stay so."""
    return torch.where(torch.isneginf(scores) | (scores < -1e8), scores, cap * torch.tanh(scores / cap))


def _whose_cap(site: Site) -> str:
    is_tanh = site.flow.names[site.number] == "tanh"
    return "softcap" if not is_tanh or site.flow.leads_to(site.number, among("softmax"), 5) else "activation"


def _caps(call: Call) -> Iterator[Variation]:
    if call.name == "tanh":
        yield Variation("no cap", lambda call: call.first * 1)
        return
    for cap in (50.0, 30.0, 20.0, 15.0, 10.0):
        if call.name == SDPA:
            yield Variation(f"scores capped at {cap:g}", lambda call, cap=cap: _scores(call, cap=cap))
        else:
            yield Variation(f"scores capped at {cap:g}", lambda call, cap=cap: _over(call, _capped(call.first, cap)))


def _over(call: Call, scores: torch.Tensor) -> Any:
    return call.function(scores, *call.arguments[1:], **call.keywords)


def _fitted_cap(call: Call) -> Iterable[Fit]:
    if call.name == "tanh":
        return []

    def vary(cap: float) -> Variation:
        return Variation(
            f"scores capped at {cap:.4g}",
            lambda call: _scores(call, cap=cap) if call.name == SDPA else _over(call, _capped(call.first, cap)),
        )

    return [Fit("cap", 1.0, 1e4, 1e4, vary=vary, logarithmic=True)]


def _axes(call: Call) -> Iterator[Variation]:
    present = call.value("dim")
    if present is not None:
        for axis in range(call.first.dim()):
            if axis != int(present) % call.first.dim():
                yield changed(f"axis {axis} instead of {int(present) % call.first.dim()}", dim=axis)


def _unmasked_rows(call: Call) -> Iterator[Variation]:
    if call.name == SDPA:
        yield Variation("zeros in rows that are masked throughout", lambda call: torch.nan_to_num(_scores(call)))
        yield Variation("NaN in rows that are masked throughout", _scores)
    else:
        yield Variation("zeros in rows that are masked throughout", lambda call: torch.where(_hidden(call), 0.0, call.again()))
        yield Variation("NaN in rows that are masked throughout", lambda call: torch.where(_hidden(call), math.nan, call.again()))
        yield Variation("equal weights in rows that are masked throughout", _equal_weights)


def _hidden(call: Call) -> torch.Tensor:
    return (call.first < -1e8).all(int(call.value("dim", -1)), keepdim=True)


def _equal_weights(call: Call) -> torch.Tensor:
    return torch.where(_hidden(call), 1.0 / call.first.shape[int(call.value("dim", -1))], call.again())


# Rotary embeddings: the two layouts differ by a permutation of the features, which shows in how halves are taken and put together.


def _rotations(call: Call) -> Iterator[Variation]:
    """Each call of a rotary embedding in the other layout; those of one group are exchanged together."""
    to_pairs, to_halves = "features rotated in pairs (interleaved)", "features rotated by halves"
    x = call.first
    if call.name == "getitem" and isinstance(x, torch.Tensor) and x.dim():
        width, last = x.shape[-1], _last_slice(call.arguments[1])
        if last is not None and width % 2 == 0:
            bounds = last.indices(width)
            if bounds in ((0, width // 2, 1), (width // 2, width, 1)):
                start = 0 if bounds[0] == 0 else 1
                yield Variation(to_pairs, lambda call, start=start: call.first[..., start::2], "halves to pairs")
            elif bounds in ((0, width, 2), (1, width, 2)):
                half = slice(0, width // 2) if bounds[0] == 0 else slice(width // 2, width)
                yield Variation(to_halves, lambda call, half=half: call.first[..., half], "pairs to halves")
    elif call.name in ("chunk", "split") and isinstance(x, torch.Tensor):
        parts = call.again()
        if len(parts) == 2 and parts[0].shape == parts[1].shape and parts[0].shape[-1] * 2 == x.shape[-1]:
            yield Variation(to_pairs, lambda call: (call.first[..., 0::2], call.first[..., 1::2]), "halves to pairs")
    elif call.name == "cat" and isinstance(x, (tuple, list)) and len(x) == 2 and _is_last(call, x[0]) and x[0].shape == x[1].shape:
        yield Variation(to_pairs, lambda call: torch.stack(tuple(call.first), -1).flatten(-2), "halves to pairs")
    elif call.name == "stack" and isinstance(x, (tuple, list)) and len(x) == 2 and _axis(call) in (-1, x[0].dim()):
        yield Variation(to_halves, lambda call: torch.stack(tuple(call.first), -2), "pairs to halves")
    elif call.name == "repeat_interleave":
        yield Variation(to_halves, lambda call: torch.cat((call.first, call.first), -1), "pairs to halves")
    elif call.name == "view_as_complex":
        yield Variation(to_halves, lambda call: torch.view_as_complex(_to_halves(call.first).contiguous()), "pairs to halves")
    elif call.name == "view_as_real":
        yield Variation(to_halves, lambda call: torch.view_as_real(call.first).transpose(-1, -2), "pairs to halves")


def _to_halves(pairs: torch.Tensor) -> torch.Tensor:
    return pairs.flatten(-2).unflatten(-1, (2, -1)).transpose(-1, -2)


def _axis(call: Call) -> int:
    return int(call.keywords.get("dim", call.arguments[1] if len(call.arguments) > 1 else 0))


def _is_last(call: Call, part: Any) -> bool:
    return isinstance(part, torch.Tensor) and part.dim() > 0 and _axis(call) in (-1, part.dim() - 1)


def _last_slice(index: Any) -> slice | None:
    if isinstance(index, tuple):
        index = index[-1] if index and (index[0] is Ellipsis or len(index) > 1) else None
    return index if isinstance(index, slice) else None


CAUSAL = Hypothesis(
    "causal mask alignment", FORMULA,
    "right for square score matrices, wrong where queries and keys differ in number",
    "the mask aligned to either corner, and shifted by one",
    "build the mask yourself: torch.nn.attention.bias.causal_lower_right or causal_upper_left",
    ("pytorch/pytorch#103082", "pytorch/pytorch#108108", "ml-explore/mlx#2835"),
    among(f"{SDPA} tril triu"), _alignments,
)  # fmt: skip
MASK = Hypothesis(
    "attention mask", FORMULA,
    "errors in the rows that the mask touches",
    "the mask left out, inverted, added as numbers",
    "pass the same mask: boolean True means 'takes part' in F.scaled_dot_product_attention",
    ("huggingface/transformers#29029",),
    among(f"{SDPA} masked_fill where add"), _masks,
)  # fmt: skip
SCALE = Hypothesis(
    "attention scale", FORMULA,
    "flatter or sharper attention in every row",
    "common scales, then a fitted one",
    "F.scaled_dot_product_attention takes scale=, by default 1 / sqrt(width of a head)",
    (),
    among(SDPA), _scales, _fitted_scale,
)  # fmt: skip
SOFTCAP = Hypothesis(
    "softcap", FORMULA,
    "errors where scores are large",
    "scores capped as c tanh(score / c), with c fitted",
    "cap the scores on both sides, or on neither",
    (),
    among(f"{SDPA} softmax tanh"), _caps, _fitted_cap, naming=_whose_cap,
)  # fmt: skip
SOFTMAX_AXIS = Hypothesis(
    "softmax axis", FORMULA,
    "weights that add up to one along another axis",
    "the softmax along each of the other axes",
    "pass the same dim= to both",
    (),
    among("softmax log_softmax"), _axes,
)  # fmt: skip
MASKED_ROW = Hypothesis(
    "masked row", FORMULA,
    "NaN on one side and zeros on the other in fully masked rows",
    "zeros, NaN and equal weights in fully masked rows",
    ("decide what a fully masked row should give: use torch.nan_to_num, or a mask that leaves one position "
"visible"),
    ("pytorch/pytorch#156707",),
    among(f"{SDPA} softmax"), _unmasked_rows,
)  # fmt: skip
ROPE = Hypothesis(
    "RoPE layout", FORMULA,
    "right at position 0, wrong at all others",
    "features rotated in pairs and by halves",
    "use the same rotation, or permute the rows of the projection weights of queries and keys",
    ("huggingface/transformers#25199", "huggingface/candle#3948"),
    among("getitem chunk split cat stack repeat_interleave view_as_complex view_as_real"), _rotations, alone=False,
)  # fmt: skip
ALL = (CAUSAL, MASK, SCALE, SOFTCAP, SOFTMAX_AXIS, MASKED_ROW, ROPE)
