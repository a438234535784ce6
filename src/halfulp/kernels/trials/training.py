"""Training mode: what the reference computes in it, and whether a solution's random numbers have the reference's distribution."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from ..problems.calls import Setting, call, copied, seeded
from ..problems.facts import alike, distributed_otherwise, same
from .trial import Trials

SAME, OTHER, RANDOM = "same", "other", "random"
DRAWS = 32
"""How many random results are drawn in training mode."""


def kind_of_training(target: Any, given: Setting) -> str:
    """What training mode computes: the `SAME` results (or nothing), `OTHER` ones, or `RANDOM` ones."""
    if not isinstance(target, torch.nn.Module):
        return SAME
    found: list[Any] = []
    try:
        for number, training in ((0, False), (0, True), (1, True)):
            with torch.no_grad(), seeded(number):
                found.append(call(target, given.state, copied(given.arguments), given.keywords, training=training))
    except Exception:  # batch statistics of one row, for one
        return SAME
    (plain, _), (first, buffers), (second, _) = found
    if not alike(first, second):
        return RANDOM
    return SAME if alike(plain, first) and all(same(given.state[name], tensor) for name, tensor in buffers.items()) else OTHER


def drawn_otherwise(trials: Trials, given: Setting) -> tuple[str, bool]:
    """What is wrong with a solution's random results in training mode ("" for nothing), and whether buffers change in it.

    The random numbers themselves may differ; their distribution must be the reference's.

    Raises:
        Failed: the solution gives no result.
    """
    training = replace(given, training=True)
    found = [trials.call(training, seed=number).results for number in range(DRAWS)]
    changes_buffers = bool(found[0][1])
    if alike(found[0][0], found[1][0]):
        return "In training mode, the reference's results are random; the solution's are the same for every seed.", changes_buffers
    target = trials.reference(given.init)
    wanted: list[Any] = []
    for number in range(DRAWS):
        with torch.no_grad(), seeded(number):
            wanted.append(call(target, given.state, copied(given.arguments), given.keywords, training=True)[0])
    if trials.names is not None and (apart := distributed_otherwise([results for results, _ in found], wanted)):
        return f"In training mode, its random results have another {apart}.", changes_buffers
    return "", changes_buffers
