"""Fused optimizer steps. Ops on lists of tensors (`_foreach_...`) are made of the elementwise formulas by `formula_of`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arithmetic import Array, Exact
from .table import formula


@formula("_fused_adam")
def fused_adam(
    fl: Exact, parameters: Any, grads: Any, means: Any, squares: Any, largest: Any, steps: Any, *, lr: Any, beta1: float, beta2: float,
    weight_decay: float, eps: float, amsgrad: bool, maximize: bool, decoupled: bool = False, **_: Any,
) -> tuple[Array, ...] | None:  # fmt: skip
    if amsgrad:
        return None
    changed: list[list[Array]] = [[], [], [], []]
    for p, g, m, v, step in zip(parameters, grads, means, squares, steps):
        g = -g if maximize else g
        if weight_decay and decoupled:
            p = fl(p - fl(lr * weight_decay * p))
        elif weight_decay:
            g = fl(g + fl(weight_decay * p))
        m = fl(m + fl((1.0 - beta1) * fl(g - m)))
        v = fl(fl(beta2 * v) + fl((1.0 - beta2) * fl(g * g)))
        correction1, correction2 = 1.0 - beta1 ** float(step), 1.0 - beta2 ** float(step)
        denominator = fl(fl(fl(np.sqrt(v)) / np.sqrt(correction2)) + eps)
        p = fl(p - fl((lr / correction1) * fl(m / denominator)))
        for into, value in zip(changed, (p, g, m, v)):
            into.append(value)
    return tuple(value for group in changed for value in group)


@formula("_fused_adamw")
def fused_adamw(fl: Exact, *arguments: Any, **keywords: Any) -> tuple[Array, ...] | None:
    return fused_adam(fl, *arguments, **keywords, decoupled=True)


@formula("_fused_sgd")
def fused_sgd(
    fl: Exact, parameters: Any, grads: Any, buffers: Any, *, weight_decay: float, momentum: float, lr: Any, dampening: float, nesterov:
    bool,
    maximize: bool, is_first_step: bool, **_: Any,
) -> tuple[Array, ...]:  # fmt: skip
    changed: list[list[Array]] = [[], [], []]
    for place, (p, g) in enumerate(zip(parameters, grads)):
        d = -g if maximize else g
        d = fl(d + fl(weight_decay * p)) if weight_decay else d
        if momentum:
            old = buffers[place]
            new = d if is_first_step else fl(fl(momentum * old) + fl((1.0 - dampening) * d))
            d = fl(d + fl(momentum * new)) if nesterov else new
            changed[2].append(new)
        changed[0].append(fl(p - fl(lr * d)))
        changed[1].append(g)
    return tuple(value for group in changed for value in group)
