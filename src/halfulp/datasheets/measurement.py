"""datasheet: measure what a library does on this machine."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ..documents.journal import Journal
from ..errors import InputError, Unsupported
from ..floats import BFLOAT16, FLOAT16, FLOAT32, Format
from ..traces import fingerprint
from ..words.stage import Stage
from .functions import BACKEND_NAMES, NUMPY_BINARY_NAMES, NUMPY_NAMES, STEPS, TORCH_BINARY, TORCH_UNARY, reference
from .libraries import Library, library
from .properties import properties
from .scans import Scan, all_numbers, sampled_numbers, scan
from .sheet import Accuracy, Datasheet

SAMPLES = 1 << 16
"""float32 inputs of a sampled scan, twice over: spread over all exponents, and in [-8, 8]."""

TAIL, TAILS = 7, 512
"""Runs of 7 inputs, fewer than the 8 and 16 that registers of AVX and AVX-512 hold, against one long array; so many runs."""


def _silent(_step: str) -> None:
    return


def datasheet(
    backend: str = "torch",
    device: str = "cpu",
    *,
    full: bool = False,
    functions: tuple[str, ...] | None = None,
    resume: str | Path | None = None,
    seed: int = 0,
    progress: Callable[[str], None] = _silent,
) -> Datasheet:
    """How exact is this library here? Measured: precisions, orders, rounding, special values, ulp errors of all functions.

    Args:
        backend: "torch", "numpy" and "jax" have all functions; other backends (`halfulp backends`) those of the op table.
        device: of torch: "cpu", "cuda", "mps" ...
        full: scan all 2**32 float32 inputs of each function of one argument (half a minute each); otherwise samples of them.
            The 16-bit formats are always scanned completely.
        functions: names of the functions to scan; all when left out. Properties are measured in any case.
        resume: a file in which finished scans are kept, so that an interrupted run goes on there.
        seed: of the samples.
        progress: called with what is being done and the time left.

    Returns:
        The datasheet; `report` prints it.

    Raises:
        InputError: an unknown library, device or function, or a file to resume from that belongs to another run.

    Numerics:
        Errors are in ulps of the exact value, for which float64 stands: exact to about 2**-28 ulps of float32, except near
        zeros of functions whose float64 version is itself inexact there. float64 functions are not scanned.
    """
    chosen = library(backend, device)
    names = _chosen(chosen, functions)
    found = properties(chosen, progress)
    where = dict(fingerprint().sections)
    if chosen.backend is not None:
        where[chosen.name] = dict(chosen.backend.fingerprint())
        where["packages"] = {**where["packages"], chosen.name: chosen.backend.availability().version}
    journal = Journal(
        resume,
        {
            "backend": backend,
            "device": device,
            "full": full,
            "seed": seed,
            "packages": where["packages"],
            "machine": where["machine"],
            "the backend": where.get(chosen.name, {}) if chosen.backend is not None else {},
        },
        of="scans",
    )
    accuracies: list[Accuracy] = []
    start = time.monotonic()
    jobs = _jobs(chosen, names)
    for number, (name, kind, target) in enumerate(jobs):
        left = (time.monotonic() - start) / max(1, number) * (len(jobs) - number)
        progress(
            Stage(f"{name} in {target.name}, {number} of {len(jobs)} scans{f', {left:.0f} s left' if number else ''}", number, len(jobs))
        )
        key = f"{name} {target.name}"
        if key not in journal.parts:
            journal.add(key, asdict(_accuracy(chosen, name, kind, target, full=full, seed=seed, step=progress)))
        accuracies.append(Accuracy(**journal.parts[key]))
    return Datasheet(backend, device, where, found, accuracies=tuple(accuracies))


def _tables(chosen: Library) -> tuple[dict[str, Callable[..., Any]], dict[str, Callable[..., Any]]]:
    if chosen.backend is not None:
        return {name: chosen.ops[their_name] for name, their_name in BACKEND_NAMES.items() if chosen.has(their_name)}, {}
    if chosen.name == "torch":
        return dict(TORCH_UNARY), dict(TORCH_BINARY)
    module = import_module("jax.numpy" if chosen.name == "jax" else "numpy")
    return (
        {name: getattr(module, their_name) for name, their_name in NUMPY_NAMES.items()},
        {name: getattr(module, their_name) for name, their_name in NUMPY_BINARY_NAMES.items()},
    )


def _chosen(chosen: Library, functions: tuple[str, ...] | None) -> tuple[str, ...]:
    unary, binary = _tables(chosen)
    known = (*unary, *binary)
    unknown = [name for name in functions or () if name not in known]
    if unknown:
        raise InputError(
            f"Got the function {unknown[0]!r}. Needed: one of {', '.join(known)}. Only these have a reference. Leave it out for all."
        )
    return known if functions is None else tuple(functions)


def _jobs(chosen: Library, names: tuple[str, ...]) -> list[tuple[str, str, Format]]:
    """(name, kind, format): unary functions in all formats, their derivatives (torch) and binary functions in float32."""
    unary, binary = _tables(chosen)
    formats = [float_format for float_format in (FLOAT32, FLOAT16, BFLOAT16) if float_format.name in chosen.dtypes]
    jobs = [(name, "unary", target) for name in names if name in unary for target in formats]
    if chosen.name == "torch":
        jobs += [(f"{name}'", "derivative", FLOAT32) for name in names if name in unary and name not in STEPS]
    return jobs + [(name, "binary", FLOAT32) for name in names if name in binary]


def _accuracy(chosen: Library, name: str, kind: str, target: Format, *, full: bool, seed: int, step: Callable[[str], None]) -> Accuracy:
    unary, binary = _tables(chosen)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            if kind == "binary":
                return _binary(chosen, name, binary[name], target, seed)
            if kind == "derivative":
                return _derivative(chosen, name, unary[name[:-1]], target, seed)
            return _unary(chosen, name, unary[name], target, full=full, seed=seed, step=step)
        except (Unsupported, RuntimeError, TypeError):  # the library has the function, but not in this format
            return Accuracy(
                name,
                target.name,
                0,
                False,
                max_ulp_error=float("nan"),
                worst_input=float("nan"),
                not_correctly_rounded=float("nan"),
                special_mismatches=0,
            )


def _unary(
    chosen: Library, name: str, function: Callable[..., Any], target: Format, *, full: bool, seed: int, step: Callable[[str], None]
) -> Accuracy:
    scanned = Scan()
    exhaustive = full or target is not FLOAT32
    parts = all_numbers(target) if exhaustive else iter([sampled_numbers(target, SAMPLES, seed)])
    start = time.monotonic()
    total = 1 << target.storage_bits

    def run(values: torch.Tensor) -> np.ndarray[Any, Any]:
        return _run(chosen, function, (values,), target)

    for part in parts:
        scan(scanned, part, run, lambda wide: reference(name, (wide,)), target)
        if full and target is FLOAT32:
            done = scanned.inputs / total
            step(f"{name}: {done:.0%} of all float32 numbers, {(time.monotonic() - start) * (1 / done - 1):.0f} s left")
    return _finished(name, target, scanned, exhaustive, _tail(run, target, seed) if target is FLOAT32 else None)


def _run(chosen: Library, function: Callable[..., Any], values: tuple[torch.Tensor, ...], target: Format) -> np.ndarray[Any, Any]:
    if chosen.name == "torch" or chosen.backend is not None:
        with torch.no_grad():
            return chosen.back(function(*(value.to(chosen.device) for value in values)))
    arrays = [chosen.native(value.float().numpy(), target.name) for value in values]
    return chosen.back(function(*arrays)).astype(np.float32)


def _tail(run: Callable[[torch.Tensor], np.ndarray[Any, Any]], target: Format, seed: int) -> float:
    """The share of inputs whose result in a short array differs from that in a long one."""
    inputs = sampled_numbers(target, TAIL * TAILS // 2, seed + 1)[: TAIL * TAILS]
    long = run(inputs)
    short = np.concatenate([run(inputs[place : place + TAIL]) for place in range(0, len(inputs), TAIL)])
    return float((~np.isclose(long, short, rtol=0.0, atol=0.0, equal_nan=True)).mean())


def _derivative(chosen: Library, name: str, function: Callable[..., Any], target: Format, seed: int) -> Accuracy:
    def gradient(values: torch.Tensor, applied: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
        leaf = values.detach().clone().requires_grad_()
        (found,) = torch.autograd.grad(applied(leaf).sum(), leaf)
        return found

    inputs = sampled_numbers(target, SAMPLES, seed)
    scanned = Scan()
    scan(
        scanned,
        inputs,
        lambda values: chosen.back(gradient(values.to(chosen.device), function)),
        lambda wide: gradient(wide, lambda leaf: reference(name[:-1], (leaf,))),
        target,
    )
    return _finished(name, target, scanned, False, None)


def _binary(chosen: Library, name: str, function: Callable[..., Any], target: Format, seed: int) -> Accuracy:
    generator = torch.Generator().manual_seed(seed)
    first = sampled_numbers(target, SAMPLES, seed)
    second = first[torch.randperm(len(first), generator=generator)]
    scanned = Scan()
    computed = _run(chosen, function, (first, second), target)
    exact = reference(name, (first.double(), second.double()))
    scanned.include(first.float().numpy(), np.ascontiguousarray(computed, dtype=np.float32), exact.contiguous().numpy(), target)
    return _finished(name, target, scanned, False, None)


def _finished(name: str, target: Format, scanned: Scan, exhaustive: bool, tail: float | None) -> Accuracy:
    nothing = not scanned.compared
    return Accuracy(
        name,
        target.name,
        scanned.inputs,
        exhaustive,
        max_ulp_error=float("nan") if nothing else scanned.max_ulp_error,
        worst_input=scanned.worst_input,
        not_correctly_rounded=float("nan") if nothing else scanned.wrong / scanned.compared,
        special_mismatches=scanned.special_mismatches,
        tail_differs=tail,
        worst_value=None if nothing else scanned.worst_value,
    )
