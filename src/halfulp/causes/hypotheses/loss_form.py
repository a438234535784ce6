"""What goes wrong in losses that are written by hand: a weight on the wrong term, the other direction, a root or a half left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
import torch.nn.functional as F

from ..calls import Call
from .hypothesis import FORMULA, Hypothesis, Variation, among, changed

Form = Callable[[Call], torch.Tensor]


def _reduced(call: Call, each: torch.Tensor) -> torch.Tensor:
    """The losses of single elements as the call reduces them."""
    reduction = call.value("reduction", "mean")
    return each.mean() if reduction == "mean" else each.sum() if reduction == "sum" else each


def _forms(call: Call) -> Iterator[Variation]:
    for detail, compute in _of_call(call):
        yield Variation(detail, compute)
    for key in FLAGS.get(call.name, ()):
        present = bool(call.value(key, False))
        yield changed(f"{key} = {not present} instead of {present}", **{key: not present})


FLAGS = {
    "triplet_margin_loss": ("swap",), "gaussian_nll_loss": ("full",), "poisson_nll_loss": ("log_input", "full"), "kl_div": ("log_target",),
    "ctc_loss": ("zero_infinity",),
}  # fmt: skip
"""Arguments that one side has and the other one forgets."""


def _of_call(call: Call) -> Iterator[tuple[str, Form]]:
    found = FORMS_OF.get(call.name)
    if found is not None:
        yield from found(call)


def _binary(call: Call) -> Iterator[tuple[str, Form]]:
    if call.value("pos_weight") is not None:
        yield "pos_weight on the negative term", lambda call: _weighted(call, positive=False, negative=True)
        yield "pos_weight on both terms", lambda call: _weighted(call, positive=True, negative=True)
    yield "the sigmoid taken twice", lambda call: call.function(torch.sigmoid(call.first), *call.arguments[1:], **call.keywords)


def _weighted(call: Call, *, positive: bool, negative: bool) -> torch.Tensor:
    logits, target, factor = call.first, call.value("target"), call.value("pos_weight")
    above, below = (factor if is_weighted else 1.0 for is_weighted in (positive, negative))
    each = above * target * F.softplus(-logits) + below * (1 - target) * F.softplus(logits)
    weight = call.value("weight")
    return _reduced(call, each if weight is None else each * weight)


def _classes(call: Call) -> Iterator[tuple[str, Form]]:
    if call.name == "cross_entropy":
        yield (
            "the softmax taken twice (probabilities passed as logits)",
            lambda call: call.function(torch.softmax(call.first, min(1, call.first.dim() - 1)), *call.arguments[1:], **call.keywords),
        )
    target = call.value("target")
    if isinstance(target, torch.Tensor) and not target.is_floating_point() and call.value("reduction", "mean") == "mean":
        yield "ignored targets counted as class 0 in the sum, but left out of the divisor", _with_ignored


def _with_ignored(call: Call) -> torch.Tensor:
    target = call.value("target")
    is_ignored = target == int(call.value("ignore_index", -100))
    each = call.again(target=torch.where(is_ignored, torch.zeros_like(target), target), reduction="none")
    return each.sum() / (~is_ignored).sum()


def _divergence(_: Call) -> Iterator[tuple[str, Form]]:
    yield "the other direction, KL(input || target)", _turned_round
    yield "the logarithm of the input", lambda call: call.function(call.first.log(), *call.arguments[1:], **call.keywords)


def _turned_round(call: Call) -> torch.Tensor:
    target = call.value("target")
    logs = target if call.value("log_target", False) else target.log()
    each = call.first.exp() * (call.first - logs)
    is_by_batch = call.value("reduction", "mean") == "batchmean"
    return each.sum() / call.first.shape[0] if is_by_batch else _reduced(call, each)


def _triplets(_: Call) -> Iterator[tuple[str, Form]]:
    yield "squared distances", _squared_triplets


def _squared_triplets(call: Call) -> torch.Tensor:
    anchor, positive, negative = (call.value(name) for name in ("anchor", "positive", "negative"))
    near, far = ((anchor - other + call.value("eps", 1e-6)).square().sum(-1) for other in (positive, negative))
    return _reduced(call, F.relu(near - far + call.value("margin", 1.0)))


def _alignment(call: Call) -> Iterator[tuple[str, Form]]:
    classes, present = call.first.shape[-1], int(call.value("blank", 0))
    for other, words in ((0, "the first"), (classes - 1, "the last")):
        if other != present:
            yield f"{words} class as the blank", lambda call, other=other: call.again(blank=other)
    if call.value("reduction", "mean") == "mean":
        yield "the mean without a division by target lengths", lambda call: call.again(reduction="none").mean()
        yield "the sum", lambda call: call.again(reduction="sum")


def _huber(call: Call) -> Iterator[tuple[str, Form]]:
    key = "beta" if call.name == "smooth_l1_loss" else "delta"
    limit = float(call.value(key, 1.0))
    scale = 1.0 / limit if key == "beta" else 1.0

    def whole(call: Call) -> torch.Tensor:
        error = (call.first - call.value("target")).abs()
        return _reduced(call, scale * torch.where(error <= limit, 0.5 * error * error, limit * (error - limit)))

    yield f"all of {key} subtracted in the linear part instead of half of it", whole
    if limit != 1.0:
        other = "huber_loss" if key == "beta" else "smooth_l1_loss"
        yield (
            f"{other} ({limit if key == 'beta' else 1 / limit:g} times as large)",
            lambda call: call.again() * (limit if key == "beta" else 1.0 / limit),
        )


def _gaussian(_: Call) -> Iterator[tuple[str, Form]]:
    for words, factor in (("the logarithm of the variance not halved", 2.0), ("no logarithm of the variance", 0.0)):
        yield words, lambda call, factor=factor: _gaussian_with(call, factor, call.value("var"))
    yield "the variance treated as a standard deviation", lambda call: _gaussian_with(call, 1.0, call.value("var").square())
    yield "the variance treated as its own logarithm", lambda call: _gaussian_with(call, 1.0, call.value("var").exp())


def _gaussian_with(call: Call, factor: float, variance: torch.Tensor) -> torch.Tensor:
    clamped = variance.clamp(min=call.value("eps", 1e-6))
    each = 0.5 * (factor * clamped.log() + (call.first - call.value("target")).square() / clamped)
    return _reduced(call, each)


def _squares(_: Call) -> Iterator[tuple[str, Form]]:
    yield "half of the square", lambda call: 0.5 * call.again()
    yield "the root of the mean", lambda call: call.again().sqrt()


def _cosines(call: Call) -> Iterator[tuple[str, Form]]:
    present = float(call.value("margin", 0.0))
    for other in (0.0, 0.5):
        if other != present:
            yield f"margin = {other:g} instead of {present:g}", lambda call, other=other: call.again(margin=other)
    yield "target 1 for all pairs", lambda call: call.again(target=torch.ones_like(call.value("target")))
    yield "the targets negated", lambda call: call.again(target=-call.value("target"))


FORMS_OF: dict[str, Callable[[Call], Iterator[tuple[str, Form]]]] = {
    "binary_cross_entropy_with_logits": _binary, "cross_entropy": _classes, "nll_loss": _classes, "kl_div": _divergence, "triplet_margin_loss": _triplets,
    "ctc_loss": _alignment, "huber_loss": _huber, "smooth_l1_loss": _huber, "gaussian_nll_loss": _gaussian, "mse_loss": _squares,
    "cosine_embedding_loss": _cosines, "margin_ranking_loss": _cosines,
}  # fmt: skip
FORM = Hypothesis(
    "loss formula", FORMULA,
    "a loss that is right for some targets or weights and wrong for others",
    ("a weight on the other term, the other direction, squares without a root, factors of one half left out, "
"flags inverted"),
    "compare the formulas term by term",
    (),
    among(" ".join([*FORMS_OF, "poisson_nll_loss"])), _forms,
)  # fmt: skip
ALL = (FORM,)
