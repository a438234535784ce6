"""Padding on the left, and decoding with a cache."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import torch

from ..pair import Sides
from ..planting import only, rewrite
from .variant import honest


def padded_left(whole: bool) -> Callable[[Any], Sides]:
    """A batch padded on the left, against each row without padding; `whole` compares what padding rows give as well, against another attention."""

    def make(chosen: Any) -> Sides:
        ids = chosen.inputs(0, 3)["input_ids"]
        mask = torch.ones_like(ids)
        mask[0, :5] = 0
        mask[1, :2] = 0
        inputs = {"input_ids": ids.masked_fill(mask == 0, 0), "attention_mask": mask}
        if whole:
            return Sides(only(chosen.model(attention="sdpa"), "logits"), only(chosen.model(attention="eager"), "logits"), inputs)
        takes_positions = "position_ids" in inspect.signature(type(chosen.model()).forward).parameters

        def batch(self: Any, forward: Any, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            positions = {"position_ids": (attention_mask.cumsum(-1) - 1).clamp(min=0)} if takes_positions else {}
            return forward(input_ids=input_ids, attention_mask=attention_mask, use_cache=False, **positions)["logits"][
                attention_mask.bool()
            ]

        def rows(self: Any, forward: Any, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            return torch.cat(
                [
                    forward(input_ids=row[keep.bool()][None], use_cache=False)["logits"][0]
                    for row, keep in zip(input_ids, attention_mask, strict=True)
                ]
            )

        return Sides(rewrite(chosen.model(), batch), rewrite(chosen.model(), rows), (inputs["input_ids"], inputs["attention_mask"]))

    return make


for architecture in "llama qwen3 gemma3 mistral gpt2 gpt_neox phi falcon opt bloom".split():
    honest("padded on the left, real tokens", architecture, padded_left(False))
for architecture in ("llama", "gpt2", "mistral"):
    honest(
        "padded on the left, rows of padding too",
        architecture,
        padded_left(True),
        kind="informal",
        note="what a query that may see no key gives is each attention's own affair",
    )


def by_steps(chosen: Any) -> Sides:
    """Ten tokens at once, then one by one with the cache, against all at once."""

    def steps(self: Any, forward: Any, input_ids: torch.Tensor) -> torch.Tensor:
        out = forward(input_ids=input_ids[:, :10], use_cache=True)
        logits = [out["logits"]]
        for step in range(10, input_ids.shape[1]):
            kept = {"state": out["state"]} if "state" in out else {"cache": out["cache"]}
            out = forward(input_ids=input_ids[:, step : step + 1], use_cache=True, **kept)
            logits.append(out["logits"])
        return torch.cat(logits, 1)

    def at_once(self: Any, forward: Any, input_ids: torch.Tensor) -> torch.Tensor:
        return forward(input_ids=input_ids, use_cache=False)["logits"]

    # RWKV's state of one step, of shape (batch, width), is broadcast against (batch, 1, width): only a batch of one comes out right.
    return Sides(rewrite(chosen.model(), steps), rewrite(chosen.model(), at_once), chosen.inputs(0, 1 if chosen.name == "rwkv" else 2))


for architecture in "llama mistral qwen3 gemma3 mixtral deepseek_v3 gpt2 gpt_neox bloom mamba mamba2 rwkv".split():
    honest("decoded with a cache", architecture, by_steps)
