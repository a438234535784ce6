"""Each form of a loss is what its words say, changes what some targets give, and is no other form in other words."""

import math

import pytest
import torch
import torch.nn.functional as F

from halfulp.causes.calls import watched, with_replaced
from halfulp.causes.hypotheses import named

(FORM,) = named("loss formula")


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


X, Y, Z = draw(6, 5), draw(6, 5, seed=1), draw(6, 5, seed=2)
FLAGS = (Y > 0).double()
LABELS = torch.tensor([0, 2, -100, 4, 1, -100])
SPELLINGS = torch.tensor([[1, 1, 2], [3, 2, 1]])
LOGS = draw(9, 2, 5, seed=3).log_softmax(-1)
LENGTHS = torch.full((2,), 9), torch.full((2,), 3)
SIGNS = torch.tensor([1.0, -1, 1, 1, -1, -1], dtype=torch.float64)
LOSSES = {
    "binary_cross_entropy_with_logits": lambda **k: F.binary_cross_entropy_with_logits(
        X, FLAGS, pos_weight=torch.full((5,), 3.0).double(), **k
    ),
    "cross_entropy": lambda **k: F.cross_entropy(X, LABELS, **k),
    "nll_loss": lambda **k: F.nll_loss(X.log_softmax(1), LABELS, **k),
    "kl_div": lambda **k: F.kl_div(X.softmax(1).log(), Y.softmax(1), **{"reduction": "batchmean", **k}),
    "triplet_margin_loss": lambda **k: F.triplet_margin_loss(X, Y, Z, margin=2.0, **k),
    "ctc_loss": lambda **k: F.ctc_loss(LOGS, SPELLINGS, *LENGTHS, **k),
    "huber_loss": lambda **k: F.huber_loss(X, Y, delta=0.4, **k),
    "smooth_l1_loss": lambda **k: F.smooth_l1_loss(X, Y, beta=0.4, **k),
    "gaussian_nll_loss": lambda **k: F.gaussian_nll_loss(X, Y, Z.exp(), **k),
    "poisson_nll_loss": lambda **k: F.poisson_nll_loss(X.exp(), 3 * FLAGS, **k),
    "mse_loss": lambda **k: F.mse_loss(X, Y, **k),
    "cosine_embedding_loss": lambda **k: F.cosine_embedding_loss(X, Y, SIGNS, margin=0.2, **k),
    "margin_ranking_loss": lambda **k: F.margin_ranking_loss(X[:, 0], Y[:, 0], SIGNS, margin=0.2, **k),
}
"""No target is 1 in 4 of cross entropy's classes, so that each way to count ignored ones shows."""
IDLE = {"kl_div": {"the logarithm of the input"}, "ctc_loss": {"zero_infinity = True instead of False"}}
"""What changes nothing here, or gives NaN: the logarithm of a logarithm; no alignment is impossible."""


def forms(name, **keywords):
    """What each form of a loss gives, by its words."""
    run = lambda: LOSSES[name](**keywords)
    calls = []
    watched(run, calls.append)()
    call = next(call for call in calls if call.name == name)
    return {variation.detail: with_replaced(run, {call.number: variation.compute})() for variation in FORM.vary(call)}, run()


@pytest.mark.parametrize("name", LOSSES)
def test_every_form_changes_the_loss_and_no_two_are_the_same(name):
    found, plain = forms(name)
    idle = IDLE.get(name, set())
    assert set(LOSSES) == FORM.calls
    changed = {detail for detail, value in found.items() if value.isfinite().all() and not torch.isclose(value, plain, rtol=1e-6).all()}
    assert set(found) - changed == idle
    values = [value.item() for detail, value in found.items() if detail not in idle]
    assert len({f"{value:.9g}" for value in values}) == len(values), found


@pytest.mark.parametrize("name", [name for name in LOSSES if name not in ("ctc_loss", "cross_entropy", "nll_loss")])
@pytest.mark.parametrize("reduction", ["sum", "none"])
def test_every_form_reduces_as_the_call_does(name, reduction):
    found, plain = forms(name, reduction=reduction)
    shapes = {detail: value.shape for detail, value in found.items() if not detail.endswith("the mean")}
    assert set(shapes.values()) == {plain.shape}


BY_HAND = {
    ("binary_cross_entropy_with_logits", "pos_weight on the negative term"): lambda: (
        -(FLAGS * F.logsigmoid(X) + 3 * (1 - FLAGS) * F.logsigmoid(-X)).mean()
    ),
    ("kl_div", "the other direction, KL(input || target)"): lambda: (X.softmax(1) * (X.log_softmax(1) - Y.log_softmax(1))).sum() / 6,
    ("triplet_margin_loss", "squared distances"): lambda: (
        (((X - Y + 1e-6) ** 2).sum(1) - ((X - Z + 1e-6) ** 2).sum(1) + 2.0).clamp(min=0).mean()
    ),
    ("huber_loss", "all of delta subtracted in the linear part instead of half of it"): lambda: torch.where(
        (X - Y).abs() <= 0.4, 0.5 * (X - Y) ** 2, 0.4 * ((X - Y).abs() - 0.4)
    ).mean(),
    ("huber_loss", "smooth_l1_loss (2.5 times as large)"): lambda: F.smooth_l1_loss(X, Y, beta=0.4),
    ("smooth_l1_loss", "huber_loss (0.4 times as large)"): lambda: F.huber_loss(X, Y, delta=0.4),
    ("gaussian_nll_loss", "the logarithm of the variance not halved"): lambda: (Z + 0.5 * (X - Y) ** 2 / Z.exp()).mean(),
    ("gaussian_nll_loss", "full = True instead of False"): lambda: (
        0.5 * (Z + (X - Y) ** 2 / Z.exp()) + 0.5 * math.log(2 * math.pi)
    ).mean(),
    ("ctc_loss", "the last class as the blank"): lambda: F.ctc_loss(LOGS, SPELLINGS, *LENGTHS, blank=4),
    ("mse_loss", "the root of the mean"): lambda: ((X - Y) ** 2).mean().sqrt(),
}


@pytest.mark.parametrize(("name", "detail"), BY_HAND, ids=str)
def test_a_form_is_that_of_its_formula(name, detail):
    assert torch.isclose(forms(name)[0][detail], BY_HAND[name, detail](), rtol=1e-12)


def test_ignored_targets_that_are_counted_as_class_0_raise_the_sum_alone():
    found, _ = forms("cross_entropy")
    own = torch.where(LABELS == -100, 0, LABELS)
    wanted = F.cross_entropy(X, own, reduction="sum") / (LABELS != -100).sum()
    assert torch.isclose(found["ignored targets counted as class 0 in the sum, but left out of the divisor"], wanted)
