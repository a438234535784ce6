"""Adam and its kin: AdamW, AMSGrad, Adamax, NAdam, RAdam.

Kingma and Ba, Adam, algorithms 1 and 2, section 2 for epsilon hat; Reddi, Kale and Kumar, On the convergence of Adam (AMSGrad), whose maximum
is over moments that are not corrected; Dozat, Incorporating Nesterov momentum into Adam; Liu and others, On the variance of the adaptive learning
rate (RAdam), where rectification begins above 4, above 5 in PyTorch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from .reading import Family, Reading, Update, chosen, decays

BETAS = ((0.9, 0.999), (0.9, 0.99), (0.9, 0.98), (0.9, 0.95), (0.5, 0.999), (0.0, 0.999), (0.8, 0.999), (0.95, 0.999), (0.95, 0.98))
"""Decay rates in use: PyTorch's and Adam's, those of transformers, of language models, of adversarial networks, of Lion and AdEMAMix."""


_SHARED = (
    chosen("Adam epsilon", "eps added under the square root", "epsilon inside"),
    chosen("Adam epsilon", "no eps", "no epsilon"),
    *decays(),
    chosen("Adam bias correction", "no bias correction", "first uncorrected", "second uncorrected"),
    chosen("Adam bias correction", "no bias correction of the first moment", "first uncorrected"),
    chosen("Adam bias correction", "no bias correction of the second moment", "second uncorrected"),
    chosen("Adam bias correction", "the second moment corrected outside of the square root", "corrected outside"),
    chosen("step off by one", "bias corrections of the next step (t + 1)", "one later"),
    chosen("step off by one", "bias corrections of the step before (t - 1)", "one earlier"),
    chosen("stale moment", "the first moment from before this step", "stale first"),
    chosen("stale moment", "the second moment from before this step", "stale second"),
    chosen("second moment", "the second moment of the gradient without weight decay", "second moment of the plain gradient"),
    chosen("second moment", "the squared deviation from the first moment (AdaBelief)", "squared deviation"),
    chosen("Adam betas", "beta1 and beta2 exchanged", "betas exchanged"),
    *(Reading("Adam betas", f"betas = {betas}", given={"betas": betas}) for betas in BETAS),
)
_ADAM = (
    chosen("Adam epsilon", "eps added before the bias correction (epsilon hat)", "epsilon hat"),
    *_SHARED,
    chosen("AMSGrad", "no maximum of second moments (amsgrad=False)", "no maximum"),
    chosen("AMSGrad", "the maximum of second moments (amsgrad=True)", "maximum"),
    chosen("AMSGrad", "the maximum over bias-corrected second moments", "maximum of corrected"),
)
_ADAMAX = (
    chosen("Adamax epsilon", "eps added to the norm, not to the gradient", "epsilon outside"),
    chosen("Adamax epsilon", "no eps", "no epsilon"),
    *decays("decay coupled"),
    chosen("Adam bias correction", "no bias correction", "first uncorrected"),
    chosen("Adam bias correction", "bias correction applied to the norm too", "second corrected"),
    chosen("step off by one", "bias corrections of the next step (t + 1)", "one later"),
    chosen("infinity norm", "the norm from before this step", "stale second"),
    chosen("infinity norm", "no decay of the norm", "no decay of the norm"),
    chosen("stale moment", "the first moment from before this step", "stale first"),
    *(Reading("Adam betas", f"betas = {betas}", given={"betas": betas}) for betas in BETAS),
)
_NADAM = (
    chosen("Adam epsilon", "eps added before the bias correction (epsilon hat)", "epsilon hat"),
    *_SHARED,
    chosen("momentum schedule", "this step's momentum in place of the next step's (mu at t, not t + 1)", "this momentum"),
    chosen("momentum schedule", "the momentum schedule one step later", "schedule later"),
    chosen("momentum schedule", "the momentum schedule one step earlier", "schedule earlier"),
    chosen("momentum schedule", "no momentum schedule (beta1 in each step)", "no schedule"),
    chosen("momentum schedule", "the schedule without its factor of one half", "whole schedule"),
    chosen("momentum schedule", "each step's own momentum instead of the running product of the momenta", "no product"),
)
_RADAM = (
    chosen("Adam epsilon", "eps added after the bias correction", "epsilon after"),
    *_SHARED,
    chosen("RAdam threshold", "rectification above rho = 4 (the paper's)", "threshold 4"),
    chosen("RAdam threshold", "rectification above rho = 6", "threshold 6"),
    chosen("RAdam rectification", "no rectification", "not rectified"),
    chosen("RAdam rectification", "no step before rectification begins", "waits"),
    chosen("RAdam rectification", "rectification without its square root", "no root"),
)


@dataclass(frozen=True, eq=False)
class Moments:
    """What a step of Adam is made of.

    Attributes:
        gradient: with weight decay, where it is added. mean, square: both moments as they are used. first, second: their decay rates.
        step: its number, from 1.
    """

    gradient: torch.Tensor
    mean: torch.Tensor
    square: torch.Tensor
    first: float
    second: float
    step: int


def _moments(update: Update) -> Moments:
    gradient, step = update.decayed(), update.count()
    first, second = update["betas"]
    if update.has("betas exchanged"):
        first, second = second, first
    mean, square = update.buffer("exp_avg"), update.buffer("exp_avg_sq")
    old_mean, old_square = mean.clone(), square.clone()
    mean.lerp_(gradient, 1 - first)
    squared = (
        update.plain
        if update.has("second moment of the plain gradient")
        else gradient - mean
        if update.has("squared deviation")
        else gradient
    )
    square.mul_(second).addcmul_(squared, squared, value=1 - second)
    used = (old_mean if update.has("stale first") else mean), (old_square if update.has("stale second") else square)
    return Moments(gradient, *used, first, second, step)


def _corrections(update: Update, moments: Moments) -> tuple[float, float]:
    """What the first moment and the root of the second are divided by."""
    step = max(1, moments.step + update.has("one later") - update.has("one earlier"))
    corrected = 1.0 if update.has("first uncorrected") else 1 - moments.first**step
    power = 1.0 if update.has("corrected outside") else 0.5
    root = 1.0 if update.has("second uncorrected") else (1 - moments.second**step) ** power
    return corrected, root


def _denominator(update: Update, square: torch.Tensor, root: float, *, hat: bool = False) -> torch.Tensor:
    epsilon = 0.0 if update.has("no epsilon") else update["eps"]
    if update.has("epsilon inside"):
        return (square / root**2 + epsilon).sqrt()
    if (hat or update.has("epsilon hat")) and not update.has("epsilon after"):
        return (square.sqrt() + epsilon) / root
    return square.sqrt() / root + epsilon


def _adam(update: Update) -> None:
    moments = _moments(update)
    square, (corrected, root) = moments.square, _corrections(update, moments)
    if (update["amsgrad"] or update.has("maximum")) and not update.has("no maximum"):
        largest = update.buffer("max_exp_avg_sq")
        if update.has("maximum of corrected"):
            largest.copy_(torch.maximum(largest, square / root**2))
            square = largest * root**2
        else:
            square = largest.copy_(torch.maximum(largest, square))
    update.move(moments.mean / corrected / _denominator(update, square, root), float(update["lr"]))


def _adamax(update: Update) -> None:
    gradient, step = update.decayed(decoupled=False), update.count()
    first, second = update["betas"]
    mean, norm = update.buffer("exp_avg"), update.buffer("exp_inf")
    old_mean, old_norm = mean.clone(), norm.clone()
    mean.lerp_(gradient, 1 - first)
    epsilon = 0.0 if update.has("no epsilon") else update["eps"]
    inside, outside = (0.0, epsilon) if update.has("epsilon outside") else (epsilon, 0.0)
    norm.copy_(torch.maximum(norm * (1.0 if update.has("no decay of the norm") else second), gradient.abs() + inside))
    used = (old_norm if update.has("stale second") else norm) + outside
    count = step + 1 if update.has("one later") else step
    if update.has("second corrected"):
        used = used / (1 - second**count)
    corrected = 1.0 if update.has("first uncorrected") else 1 - first**count
    update.move((old_mean if update.has("stale first") else mean) / corrected / used, float(update["lr"]))


def _nadam(update: Update) -> None:
    moments = _moments(update)
    first, step = moments.first, moments.step

    def momentum(count: int) -> float:
        count += 1 if update.has("schedule later") else -1 if update.has("schedule earlier") else 0
        half = 1.0 if update.has("whole schedule") else 0.5
        return first if update.has("no schedule") else first * (1.0 - half * 0.96 ** (count * update["momentum_decay"]))

    now, following = momentum(step), momentum(step if update.has("this momentum") else step + 1)
    # Kept in float32, as PyTorch does.
    update.state["mu_product"] = update.state.get("mu_product", torch.tensor(1.0)) * now
    product = now if update.has("no product") else float(update.state["mu_product"])
    _, root = _corrections(update, moments)
    of_gradient = (1 - now) / (1.0 if update.has("first uncorrected") else 1 - product)
    of_mean = following / (1.0 if update.has("first uncorrected") else 1 - product * following)
    direction = of_gradient * moments.gradient + of_mean * moments.mean
    update.move(direction / _denominator(update, moments.square, root), float(update["lr"]))


def _radam(update: Update) -> None:
    moments = _moments(update)
    mean, square, (corrected, root) = moments.mean, moments.square, _corrections(update, moments)
    longest = 2 / (1 - moments.second) - 1
    kept = moments.second**moments.step
    length = longest - 2 * moments.step * kept / (1 - kept)
    threshold = 4.0 if update.has("threshold 4") else 6.0 if update.has("threshold 6") else 5.0
    is_rectified = length > threshold
    rate = float(update["lr"])
    if is_rectified:
        share = (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
        share = 1.0 if update.has("not rectified") else share if update.has("no root") else math.sqrt(share)
        update.move(mean / corrected * share / _denominator(update, square, root, hat=True), rate)
    elif not update.has("waits"):
        update.move(mean / corrected, rate)


ADAM = Family((torch.optim.Adam, torch.optim.AdamW), _adam, _ADAM)
ADAMAX = Family((torch.optim.Adamax,), _adamax, _ADAMAX)
NADAM = Family((torch.optim.NAdam,), _nadam, _NADAM)
RADAM = Family((torch.optim.RAdam,), _radam, _RADAM)
