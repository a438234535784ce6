"""Cheats: things that no kernel may do, detected by its process and by what its results depend on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from ...cases.trees import tensors_of
from ...ops import Kind
from ..problems.calls import Setting, call, copied, is_real, seeded
from ..problems.facts import Ops, aliased, alike, differ, written
from .sandbox import Called, Failed

Ask = Callable[..., Called]
"""Calls the solution on a setting."""

CALLS_REFERENCE = "it calls the very function that it is asked to implement"
READS_PROBLEM = "it reads the problem's file"
SEARCHES = "it searches memory for the reference, and runs what it finds"
NETWORK = "it tries to reach the network"
PATCHES = "it replaces functions that draw inputs, or compare or time results"
WRITES = "it writes to its inputs"
ALIASES = "it returns memory of its inputs"
UNWRITTEN = "it returns memory that nobody wrote"
LATE = "it keeps writing its result after it has returned"
OVERWRITES = "a later call overwrites the result of an earlier one"
LAZY = "it returns something that computes only when it is read"
CONSTANT = "its results don't depend on its inputs"
CACHED = "it returns results of an earlier call"

KEEPS = "it keeps memory of its inputs in a buffer, so that later writes to them change what it remembers"

SEEN_IN_CALLS = ("attempts", "patched", "overwritten", "written", "kept")
"""The facts that are checked in every call; the others are checked in the first calls only."""
SEEN_AT_GIVEN_SIZES = ("aliased",)
"""The facts that are checked in calls on other values only at the given sizes: where there is nothing to do, a solution may return its
input."""
SETTLED_S = 0.05
"""How long to wait for what is still being written."""


def seen_by_process(facts: Mapping[str, Any], reference: Mapping[str, Any]) -> str:
    """The cheat that the facts of a call show; "" for none.

    Args:
        facts: of the solution. reference: the same of the reference: what it does, a solution may do too.
    """
    if "to read the problem's file" in facts.get("attempts", ()):
        return READS_PROBLEM
    if "to run the reference" in facts.get("attempts", ()):
        return SEARCHES
    if "to reach the network" in facts.get("attempts", ()):
        return NETWORK
    if facts.get("patched"):
        return f"{PATCHES} ({', '.join(map(str, facts['patched'][:4]))})"
    if facts.get("late"):
        return LATE
    if facts.get("types"):
        return f"{LAZY} ({', '.join(map(str, facts['types']))})"
    if facts.get("overwritten"):
        return OVERWRITES
    if set(facts.get("written", ())) - set(reference.get("written", ())):
        return WRITES
    if facts.get("kept") and not reference.get("kept"):
        return KEEPS
    if facts.get("aliased") and not reference.get("aliased"):
        return ALIASES
    return ""


def reference_facts(target: Any, setting: Setting) -> dict[str, Any]:
    """What the reference does in a call, in the form in which the process of a solution reports it."""
    arguments = copied(setting.arguments)
    given = [*tensors_of((setting.state, arguments))]
    before = [tensor.clone() for tensor in given]
    with seeded(0), torch.no_grad(), Ops() as ops:
        results, buffers = call(target, setting.state, arguments, setting.keywords, training=setting.training)
    return {
        "ops": ops.names,
        "sizes": ops.sizes,
        "exact": sorted(ops.exact),
        "whole": list(ops.whole),
        "functions": ops.functions,
        "is_arithmetic": ops.kinds <= {Kind.ROUNDED} or (ops.is_plain and Kind.ROUNDED in ops.kinds),
        "is_whole": bool(ops.kinds & {Kind.COMPOSITE, Kind.SCAN, Kind.TRANSFORM, Kind.FACTORIZATION}) and Kind.PRODUCT not in ops.kinds,
        "written": written(before, given),
        "aliased": aliased(results, given),
        "kept": aliased(buffers, [*tensors_of(arguments)]),
    }


def calls_reference(facts: Mapping[str, Any], reference: Mapping[str, Any]) -> bool:
    """Whether the same computing ops ran in the same order, or the same functions: then it is the reference under another name.

    Where the problem is plain elementwise arithmetic (a sum of two vectors; a quotient that is clamped and rounded), every solution does
    so.
    """
    if reference.get("is_arithmetic"):
        return False
    if any(bool(reference.get(name)) and list(facts.get(name, ())) == reference[name] for name in ("ops", "functions")):
        return True
    return bool(reference.get("is_whole")) and _in_pieces(facts, reference)


def _in_pieces(facts: Mapping[str, Any], reference: Mapping[str, Any]) -> bool:
    """Whether it runs the reference's ops again and again on pieces that together have as many numbers: a norm of rows, row by row.

    Products are exempt: tiling one in PyTorch means multiplying tiles.
    """
    own, other = (
        [(name, size) for name, size in zip(found.get("ops", ()), found.get("sizes", ())) if name not in found.get("exact", ())]
        for found in (facts, reference)
    )
    names = [name for name, _ in other]
    pieces = len(own) // max(len(other), 1)
    return pieces > 1 and [name for name, _ in own] == names * pieces and sum(size for _, size in own) >= sum(size for _, size in other)


def falls_back(facts: Mapping[str, Any], reference: Mapping[str, Any]) -> bool:
    """Whether one of its ops does all that the reference does, on as many numbers; if every bit agrees, the reference's op was called."""
    own, other = (list(zip(found.get("ops", ()), found.get("sizes", ()))) for found in (facts, reference))
    return bool(reference.get("whole")) and any(own[at : at + len(other)] == other for at in range(len(own) - len(other) + 1))


def reads_unwritten(ask: Ask, setting: Setting) -> bool:
    """Whether NaN in memory that nobody wrote reaches the results."""
    try:
        plain, poisoned = (list(tensors_of(ask(setting, poisoned=poison).results)) for poison in (False, True))
    except Failed:
        return False
    return any(
        bool((poison.isnan() & ~tensor.isnan()).any())
        for tensor, poison in zip(plain, poisoned)
        if is_real(tensor) and tensor.shape == poison.shape
    )


def depends(ask: Ask, settings: tuple[Setting, Setting], expected: Callable[[Setting], Any]) -> str:
    """Whether the results change with the setting as the reference's do: CONSTANT, CACHED or "" (they do).

    Args:
        ask: calls the solution. settings: two with arguments of the same shapes. expected: the results of the reference.

    Raises:
        Failed: the solution gives no result.
    """
    results = [list(tensors_of(ask(setting).results)) for setting in settings]
    wanted = [list(tensors_of(expected(setting))) for setting in settings]
    if not results[0] or not alike(*results) or not differ(*wanted):
        return ""
    near = all(
        torch.allclose(a.double(), e.double(), rtol=1e-2, atol=1e-2 * float(e.double().abs().max()))
        for a, e in zip(results[0], wanted[0])
        if a.shape == e.shape and e.numel()
    )
    return CACHED if near else CONSTANT
