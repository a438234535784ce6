"""What goes wrong with losses: reduction, smoothing, averages of averages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from ..calls import Call
from .hypothesis import FORMULA, Fit, Hypothesis, Variation, among, changed

LOSSES = (
    "cross_entropy nll_loss mse_loss l1_loss smooth_l1_loss huber_loss kl_div binary_cross_entropy binary_cross_entropy_with_logits "
    "cosine_embedding_loss margin_ranking_loss hinge_embedding_loss triplet_margin_loss gaussian_nll_loss poisson_nll_loss"
)


def _reductions(call: Call) -> Iterator[Variation]:
    if call.name in ("mean", "sum"):
        yield from _other_mean(call)
        return
    present = call.value("reduction", "mean")
    for other in ("mean", "sum", "batchmean"):
        if other != present and (other != "batchmean" or call.name == "kl_div"):
            yield changed(f"reduction = {other!r} instead of {present!r}", reduction=other)
    if present != "none":
        yield Variation("the sum divided by the batch size", lambda call: call.again(reduction="sum") / call.first.shape[0])
        yield Variation("the mean over all elements", lambda call: call.again(reduction="none").mean())
        yield Variation("the sum divided by the size of the input", lambda call: call.again(reduction="sum") / call.first.numel())


def _other_mean(call: Call) -> Iterator[Variation]:
    x = call.first
    if not isinstance(x, torch.Tensor) or not x.is_floating_point():
        return
    other = "sum" if call.name == "mean" else "mean"
    remedy = "reduce the same way in both"
    yield Variation(
        f"the {other} instead of the {call.name}", lambda call: getattr(torch, other)(*call.arguments, **call.keywords), remedy=remedy
    )
    if call.name == "mean" and call.value("dim") is None and x.dim() > 1:
        yield Variation("the sum divided by the batch size", lambda call: call.first.sum() / call.first.shape[0], remedy=remedy)


def _smoothings(call: Call) -> Iterator[Variation]:
    present = float(call.value("label_smoothing", 0.0))
    for other in (0.0, 0.1, 0.05, 0.2):
        if other != present:
            yield changed(f"label_smoothing = {other:g} instead of {present:g}", label_smoothing=other)
    classes = call.first.shape[1] if call.first.dim() > 1 else call.first.shape[0]
    if present and classes > 1:
        moved = present * (classes / (classes - 1))
        yield changed(f"smoothing over the other classes only (label_smoothing = {moved:.6g})", label_smoothing=moved)


def _fitted_smoothing(call: Call) -> Iterator[Fit]:
    present = float(call.value("label_smoothing", 0.0))
    yield Fit(
        "label_smoothing",
        0.0,
        0.9,
        present,
        vary=lambda value: changed(f"label_smoothing = {value:.4g} instead of {present:g}", label_smoothing=value),
    )


def _averages(call: Call) -> Iterator[Variation]:
    size = call.first.shape[0] if call.first.dim() else 1
    if call.value("reduction", "mean") != "mean":
        return
    for parts in (2, 3, 4, 8):
        if size >= parts:
            yield Variation(f"the mean of the means of {parts} parts of the batch", lambda call, parts=parts: _mean_of_means(call, parts))


def _mean_of_means(call: Call, parts: int) -> Any:
    names = call.parameters
    first, second = call.arguments[0], call.value(names[1])
    weight = call.value("weight")
    kept = {key: value for key, value in call.keywords.items() if key not in (names[0], names[1])}
    found = [call.function(*pair, **kept) for pair in zip(first.chunk(parts), second.chunk(parts))]
    assert weight is None or isinstance(weight, torch.Tensor)
    return torch.stack(found).mean()


def _ignored(call: Call) -> Iterator[Variation]:
    for key in ("weight", "pos_weight"):
        if call.value(key) is not None:
            yield changed(f"no {key}", **{key: None})
    if call.name in ("smooth_l1_loss", "huber_loss"):
        key = "beta" if call.name == "smooth_l1_loss" else "delta"
        present = float(call.value(key, 1.0))
        for other in (1.0, 1.0 / 9.0, 0.1, 0.5):
            if other != present:
                yield changed(f"{key} = {other:g} instead of {present:g}", **{key: other})
    if call.name in ("cross_entropy", "nll_loss") and call.value("reduction", "mean") == "mean":
        index = int(call.value("ignore_index", -100))
        for other in (-100, 0, -1):
            if other != index:
                yield changed(f"ignore_index = {other} instead of {index}", ignore_index=other)
        yield Variation(
            "ignored targets counted in the mean",
            lambda call: call.again(reduction="sum") / call.value(call.parameters[1]).numel(),
        )


REDUCTION = Hypothesis(
    "loss reduction", FORMULA,
    "the loss and all gradients off by the same factor",
    "sum, mean and mean per sample exchanged",
    "pass the same reduction= to both",
    ("microsoft/DirectML#739",),
    among(f"{LOSSES} mean sum"), _reductions,
)  # fmt: skip
SMOOTHING = Hypothesis(
    "label smoothing", FORMULA,
    "a loss that stays above zero even for confident, correct predictions",
    "common values, over all classes or only the others, then a fitted one",
    "pass the same label_smoothing= to both",
    (),
    among("cross_entropy"), _smoothings, _fitted_smoothing,
)  # fmt: skip
AVERAGING = Hypothesis(
    "gradient averaging", FORMULA,
    "the loss right for parts of equal size, wrong with padding or a shorter last part",
    "the mean of the means of 2, 3, 4 and 8 parts",
    "add up the sums and divide once by the number of targets in all parts",
    ("huggingface/transformers#35203",),
    among("cross_entropy nll_loss mse_loss l1_loss binary_cross_entropy_with_logits"), _averages,
)  # fmt: skip
LOSS_PARAMETER = Hypothesis(
    "parameter ignored", FORMULA,
    "right with the default value of a parameter, wrong with others",
    "weights left out, thresholds and ignored classes at other values",
    "honor the parameter",
    (),
    among(LOSSES), _ignored,
)  # fmt: skip
ALL = (REDUCTION, SMOOTHING, AVERAGING, LOSS_PARAMETER)
