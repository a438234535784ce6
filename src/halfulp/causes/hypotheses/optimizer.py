"""What goes wrong with optimizers: where epsilon is added, how weight decay and momentum enter, bias corrections left out."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from .hypothesis import FORMULA, Around

_RULES: list[AdamRule | str] = []
"""What is changed about optimizers now, outermost first: several changes of one optimizer add up."""


BETAS = ((0.9, 0.999), (0.9, 0.99), (0.9, 0.98), (0.9, 0.95), (0.5, 0.999), (0.0, 0.999), (0.8, 0.999), (0.95, 0.999))
"""Decay rates in use: PyTorch's and Adam's, those of transformers, of language models, of adversarial networks."""


@dataclass(frozen=True)
class AdamRule:
    """One reading of Adam (Kingma and Ba, Adam, algorithm 1; section 2 for the form with epsilon hat).

    Attributes:
        epsilon: "outside": sqrt(v hat) + eps, as PyTorch; "hat": eps added to sqrt(v) before the correction; "inside": sqrt(v hat + eps).
        decay: "coupled" (added to the gradient), "decoupled" (AdamW) or "own" (as the optimizer has it).
        corrections: whether both moments are corrected for their start at zero. betas: their decay rates, None for the optimizer's own.
    """

    epsilon: str = "outside"
    decay: str = "own"
    corrections: bool = True
    betas: tuple[float, float] | None = None


def _merged() -> AdamRule:
    """All changes of Adam in force."""
    plain, found = AdamRule(), AdamRule()
    for rule in _RULES:
        if isinstance(rule, AdamRule):
            found = AdamRule(
                rule.epsilon if rule.epsilon != plain.epsilon else found.epsilon,
                rule.decay if rule.decay != plain.decay else found.decay,
                found.corrections and rule.corrections,
                rule.betas or found.betas,
            )
    return found


def _stepped(optimizer: Any, closure: Any, update: Callable[[dict[str, Any], torch.Tensor, torch.Tensor], None]) -> Any:
    """One step of an optimizer: an update of every parameter that has a gradient."""
    loss = None
    if closure is not None:
        with torch.enable_grad():
            loss = closure()
    with torch.no_grad():
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    update(group, parameter, parameter.grad)
    return loss


def _adam_step(optimizer: Any, closure: Any = None) -> Any:
    return _stepped(optimizer, closure, functools.partial(_adam_update, _merged(), optimizer))


def _adam_update(rule: AdamRule, optimizer: Any, group: dict[str, Any], parameter: torch.Tensor, gradient: torch.Tensor) -> None:
    state = optimizer.state[parameter]
    if not state:
        state["step"] = torch.tensor(0.0)
        state["exp_avg"], state["exp_avg_sq"] = torch.zeros_like(parameter), torch.zeros_like(parameter)
    state["step"] += 1
    step, rate, (first, second) = float(state["step"]), group["lr"], rule.betas or group["betas"]
    gradient = -gradient if group.get("maximize") else gradient
    own = "decoupled" if isinstance(optimizer, torch.optim.AdamW) or group.get("decoupled_weight_decay") else "coupled"
    decay = own if rule.decay == "own" else rule.decay
    if group["weight_decay"] and decay == "decoupled":
        parameter.mul_(1 - rate * group["weight_decay"])
    elif group["weight_decay"]:
        gradient = gradient + group["weight_decay"] * parameter
    mean, square = state["exp_avg"], state["exp_avg_sq"]
    mean.lerp_(gradient, 1 - first)
    square.mul_(second).addcmul_(gradient, gradient, value=1 - second)
    corrected, root = 1 - first**step, (1 - second**step) ** 0.5
    if not rule.corrections:
        corrected = root = 1.0
    if rule.epsilon == "inside":
        denominator = (square / root**2 + group["eps"]).sqrt()
    elif rule.epsilon == "hat":
        denominator = (square.sqrt() + group["eps"]) / root
    else:
        denominator = square.sqrt() / root + group["eps"]
    parameter.addcdiv_(mean / corrected, denominator, value=-rate)


def _sgd_step(optimizer: Any, closure: Any = None) -> Any:
    changes = {adam_rule for adam_rule in _RULES if isinstance(adam_rule, str)}
    return _stepped(optimizer, closure, functools.partial(_sgd_update, changes, optimizer))


def _sgd_update(changes: set[str], optimizer: Any, group: dict[str, Any], parameter: torch.Tensor, gradient: torch.Tensor) -> None:
    if "decoupled decay" in changes:
        parameter.mul_(1 - group["lr"] * group["weight_decay"])
    else:
        gradient = gradient + group["weight_decay"] * parameter
    momentum, state = group["momentum"], optimizer.state[parameter]
    averaged = "averaged" in changes
    dampening = momentum if averaged or "dampened" in changes else 0.0 if "undampened" in changes else group["dampening"]
    nesterov = True if "nesterov" in changes else False if "plain" in changes else group["nesterov"]
    if momentum:
        buffer = state.get("momentum_buffer")
        if "rate inside" in changes:
            state["momentum_buffer"] = gradient * group["lr"] if buffer is None else buffer * momentum + gradient * group["lr"]
            parameter.sub_(state["momentum_buffer"])
            return
        if buffer is None:
            buffer = gradient * (1 - dampening) if averaged or "first step dampened" in changes else gradient.clone()
        else:
            buffer = buffer * momentum + gradient * (1 - dampening)
        state["momentum_buffer"] = buffer
        gradient = gradient + momentum * buffer if nesterov else buffer
    parameter.add_(gradient, alpha=-group["lr"])


@contextlib.contextmanager
def _stepping(kinds: tuple[type, ...], step: Callable[..., Any]) -> Generator[None]:
    """Optimizers of some classes step otherwise inside."""

    def bound(optimizer: Any, closure: Any = None) -> Any:
        return step(optimizer, closure)

    saved = [(kind, kind.__dict__.get("step")) for kind in kinds]
    for kind in kinds:
        bound.hooked = True  # type: ignore[attr-defined]
        kind.step = bound  # type: ignore[attr-defined]
    try:
        yield
    finally:
        for kind, original in reversed(saved):
            if original is None:
                del kind.step  # type: ignore[attr-defined]
            else:
                kind.step = original  # type: ignore[attr-defined]


def _around(function: Callable[..., Any], kinds: tuple[type, ...], step: Callable[..., Any], rule: AdamRule | str) -> Callable[..., Any]:
    def run(*arguments: Any, **keywords: Any) -> Any:
        _RULES.append(rule)
        try:
            with _stepping(kinds, step):
                return function(*arguments, **keywords)
        finally:
            _RULES.pop()

    return run


def optimizers(optimizer_kinds: set[type]) -> Iterator[Around]:
    """The variations for functions that step optimizers of these classes."""
    adams = tuple(kind for kind in (torch.optim.Adam, torch.optim.AdamW) if kind in optimizer_kinds)
    remedies = {
        "Adam epsilon": "PyTorch adds eps to sqrt(v hat); TensorFlow and Keras use epsilon hat: convert by sqrt(1 - beta2^t)",
        "weight decay": "torch.optim.AdamW decouples weight decay, torch.optim.Adam and SGD add it to the gradient",
        "Adam betas": "pass the same betas= to both",
        "Adam bias correction": "correct both moments by 1 - beta^t",
        "SGD momentum": "torch.optim.SGD takes momentum=, dampening= and nesterov=; its buffer is momentum * buffer + (1 - dampening) * gradient, the rate applied afterwards",
    }
    rules = {
        ("Adam epsilon", "eps added before the bias correction (epsilon hat)"): AdamRule(epsilon="hat"),
        ("Adam epsilon", "eps added under the square root"): AdamRule(epsilon="inside"),
        ("weight decay", "weight decay decoupled from the gradient (AdamW)"): AdamRule(decay="decoupled"),
        ("weight decay", "weight decay added to the gradient (L2)"): AdamRule(decay="coupled"),
        ("Adam bias correction", "no bias correction"): AdamRule(corrections=False),
        **{("Adam betas", f"betas = {betas}"): AdamRule(betas=betas) for betas in BETAS},
    }
    if adams:
        for (name, detail), rule in rules.items():
            yield Around(name, FORMULA, detail, functools.partial(_around, kinds=adams, step=_adam_step, rule=rule), remedy=remedies[name])
    if torch.optim.SGD in optimizer_kinds:
        changes = {
            "decoupled decay": ("weight decay", "weight decay decoupled from the gradient"),
            "dampened": ("SGD momentum", "dampening = momentum"),
            "first step dampened": ("SGD momentum", "the first step dampened too"),
            "averaged": ("SGD momentum", "an average, momentum * buffer + (1 - momentum) * gradient, from the first step on"),
            "undampened": ("SGD momentum", "no dampening"),
            "nesterov": ("SGD momentum", "Nesterov's momentum"),
            "plain": ("SGD momentum", "plain momentum"),
            "rate inside": ("SGD momentum", "the learning rate inside the momentum buffer"),
        }
        for change, (name, detail) in changes.items():
            yield Around(
                name,
                FORMULA,
                detail,
                functools.partial(_around, kinds=(torch.optim.SGD,), step=_sgd_step, rule=change),
                remedy=remedies[name],
            )
