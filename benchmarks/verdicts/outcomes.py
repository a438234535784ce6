"""Outcome: what each checker said to one pair; made once, stored as a line of JSON, counted by `run`."""

from __future__ import annotations

import time
from typing import Any

import torch

import halfulp
from halfulp.cases import Case

from .generated import HonestPair, honest_pair
from .models import MODELS, Model
from .mutants import MUTATIONS, Mutation
from .peers import PEERS, opinions_on
from .registry import Pair
from .rewrites import REWRITES, batch_in_halves, met_calls, one_thread, rewritten
from .sixteen_bits import honest_pair_in

Outcome = dict[str, Any]
CHECKERS = ("halfulp", *PEERS)


def ask(name: str, kind: str, actual: Any, expected: Any, inputs: Any, **details: Any) -> Outcome:
    """What halfulp and each peer say.

    Args:
        name: identity. kind: "rounding" or "mistake", the truth. actual, expected, inputs: the pair.
        details: `declared`, `reference`, `gradients` for the check; anything else is stored with the outcome.
    """
    options = {key: details.pop(key) for key in ("declared", "reference", "gradients") if key in details}
    start = time.perf_counter()
    result = halfulp.check(actual, expected, inputs, **options)
    seconds = time.perf_counter() - start
    said = {"halfulp": result.acceptable, **opinions_on(Case(actual, expected, inputs, **options))}
    return {
        "pair": name,
        "kind": kind,
        "verdict": result.verdict.name,
        "reason": result.reason,
        "seconds": seconds,
        "said": said,
        **details,
    }


def of_pair(pair: Pair, seed: int) -> Outcome:
    """The outcome of a labelled pair."""
    actual, expected, inputs = pair.make(seed)
    options = {"declared": pair.declared, "reference": pair.reference, "gradients": pair.gradients}
    return ask(pair.name, pair.kind, actual, expected, inputs, seed=seed, tags=list(pair.tags), wanted=pair.verdict, **options)


def of_honest(number: int, dtype: str = "") -> Outcome:
    """The outcome of a generated honest pair; of one in that 16-bit format, where it is given."""
    pair: HonestPair = honest_pair_in(dtype, number) if dtype else honest_pair(number)
    options = {"declared": pair.declared, "gradients": pair.gradients}
    return {**ask(pair.name, "rounding", pair.actual, pair.expected, pair.inputs, number=number, **options), "declared": pair.declared}


COMPILED = ("mlp_relu", "unet", "encoder_before")
"""Models that are also compared with themselves compiled: each takes a C++ compiler some seconds."""


def variants_of(model: Model) -> list[str]:
    """The honest variants that change something in a model."""
    found = ["one thread", *(() if model.training else ("batch in halves",)), *(("compiled",) if model.name in COMPILED else ())]
    for name, calls in REWRITES.items():
        module, inputs = model.make(0)  # anew, because counting runs it, and a run in training mode changes it
        if met_calls(module, inputs, calls):
            found.append(name)
    return found


def of_model_variant(model: Model, variant: str, seed: int = 0) -> Outcome:
    """The outcome of an honest variant of a whole model, forward and backward."""
    module, inputs = model.make(seed)
    others = {"one thread": one_thread, "batch in halves": batch_in_halves, "compiled": torch.compile}
    actual = others[variant](module) if variant in others else rewritten(module, REWRITES[variant])
    return ask(f"{model.name}, {variant}", "rounding", actual, module, inputs, gradients=True, model=model.name)


def of_mutant(model: Model, mutation: Mutation, magnitude: float, at: int, *, gradients: bool = False, seed: int = 0) -> Outcome:
    """The outcome of a mutated model."""
    module, inputs = model.make(seed)
    actual = rewritten(module, mutation.replacement(magnitude), at)
    name = f"{model.name}, {mutation.name} {magnitude:.1e}"
    details = {"model": model.name, "mutation": mutation.name, "magnitude": magnitude}
    return ask(name, "mistake", actual, module, inputs, gradients=gradients, **details)


def hosts_of(mutation: Mutation, count: int) -> list[tuple[Model, int]]:
    """Models in which a mutation changes the result, and which of the calls it changes: one in the middle."""
    found: list[tuple[Model, int]] = []
    for model in MODELS:
        module, inputs = model.make(0)
        calls = met_calls(module, inputs, mutation.calls)
        if calls and _is_visible(model, mutation, calls // 2):
            found.append((model, calls // 2))
    step = max(1, len(found) // count)
    return found[::step][:count]


def _is_visible(model: Model, mutation: Mutation, at: int) -> bool:
    """Whether the grossest mutant changes anything at all (a bias before a norm does not)."""
    module, inputs = model.make(0)
    result = halfulp.compare(rewritten(module, mutation.replacement(mutation.magnitudes[0]), at)(*inputs), module(*inputs))
    return not result.same_bits and max(each.rel_rms for each in result) > VISIBLE


VISIBLE = 1e-4
"""The grossest mutant has to change the result by more than any rounding in float32 would."""

MODEL_MUTANTS = tuple((mutation, mutation.magnitudes[2]) for mutation in MUTATIONS)
"""For the table of whole models: the third magnitude of each kind, well above what rounding could hide."""
