"""matrix: every op of the table on every backend, each judged against PyTorch, and every two compared."""

from __future__ import annotations

import itertools
import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils._pytree import tree_flatten

from ..backends import availability, backend, names
from ..backends.adapter import Adapter
from ..backends.habits import Habits
from ..backends.interface import Backend
from ..backends.measured_habits import habits_of
from ..backends.ops import OPS, OpModule, Size, op_named
from ..backends.workers.remote import Remote
from ..cases.inputs import TORCH_DTYPES
from ..cases.raw_bytes import raw_bytes
from ..documents.journal import Journal
from ..errors import HalfulpError, InputError, Unsupported, WorkerError
from ..floats import format_named
from ..verdicts import Verdict, check
from ..words.stage import Stage
from .result import Cell, Matrix

SIZES = ("small", "medium", "odd")
PEER = "torch"
"""What the others are judged against: its ops are the definitions, and can be sampled in noise."""


def _silent(_words: str) -> None:
    return


def matrix(
    backends: Sequence[str] | None = None,
    ops: Sequence[str] | None = None,
    *,
    dtypes: Sequence[str] = ("float32",),
    sizes: Sequence[str] = SIZES,
    seed: int = 0,
    resume: str | Path | None = None,
    progress: Callable[[str], None] = _silent,
) -> Matrix:
    """Which backends agree on which ops, and what kind of difference there is where they don't?

    Args:
        backends: names, with options after a colon ("openvino:precision=f32"). Default: all that can be used here, and of those with a
            setting of precision or a delegate both ways.
        ops: names of the table (`halfulp.backends.ops.OPS`); all by default. dtypes: formats of the inputs.
        sizes: of "small", "medium", "odd". seed: of the inputs.
        resume: a file in which finished cases are kept, so that an interrupted sweep goes on there.
        progress: told what is being done, and the time left.

    Returns:
        The matrix. After Ctrl-C it holds what was finished, and `complete` is False.

    Raises:
        InputError: an unknown backend, op, dtype or size, or a file to resume from that belongs to another sweep.

    Numerics:
        Each backend is judged against PyTorch by `check`. Between two others the verdict is the worse of theirs, unless they have the same
        bits; their difference is measured directly.
    """
    start = time.monotonic()
    sweep = _Sweep(backends, ops, dtypes, sizes, seed=seed, progress=progress)
    journal = Journal(resume, sweep.settings, of="cases")
    complete = True
    try:
        for key, finished in sweep.run(set(journal.parts)):
            journal.add(key, finished)
    except KeyboardInterrupt:
        complete = False
    finally:
        sweep.close()
    return sweep.result(journal.parts, time.monotonic() - start, complete)


def configurations() -> list[str]:
    """The backends that a sweep takes by default."""
    found: list[str] = []
    for name in names():
        if not availability(name):
            continue
        loaded = backend(name)
        if not loaded.availability():
            continue
        found.append(name)
        if isinstance(loaded, Adapter):
            for option in loaded.options:
                if option.cause in ("inference precision", "delegate"):
                    found += [f"{name}:{option.name}={value}" for value in option.values[1:]]
    return found


@dataclass(frozen=True)
class _Target:
    """One op on one size in one dtype."""

    op: str
    size: str
    dtype: str

    @property
    def key(self) -> str:
        return f"{self.op} {self.size} {self.dtype}"

    @property
    def sized(self) -> Size:
        return OPS[self.op].sizes[SIZES.index(self.size)]

    def drawn(self, seed: int) -> tuple[OpModule, tuple[torch.Tensor, ...]]:
        return OPS[self.op].drawn(self.sized, seed, TORCH_DTYPES[self.dtype])


@dataclass(frozen=True, eq=False)
class _Judged:
    """One backend on one target."""

    name: str
    outputs: tuple[torch.Tensor, ...] = ()
    verdict: str = ""
    format: str = ""
    remark: str = ""
    fault: str = ""


class _Sweep:
    """The backends that take part, and what was found."""

    def __init__(
        self,
        wanted: Sequence[str] | None,
        ops: Sequence[str] | None,
        dtypes: Sequence[str],
        sizes: Sequence[str],
        seed: int,
        progress: Callable[[str], None],
    ) -> None:
        for dtype in dtypes:
            if format_named(dtype).name not in TORCH_DTYPES:
                raise InputError(
                    f"Got the dtype {dtype!r}. Needed: one of {', '.join(TORCH_DTYPES)}. Inputs are stored in it. Name one of them."
                )
        for size in sizes:
            if size not in SIZES:
                raise InputError(f"Got the size {size!r}. Needed: one of {', '.join(SIZES)}. Each op has these three. Name one of them.")
        chosen = [op_named(name).name for name in ops] if ops is not None else list(OPS)
        self.names = list(dict.fromkeys(wanted)) if wanted is not None else configurations()
        self.targets = [_Target(op, size, dtype) for dtype in dtypes for op in chosen for size in sizes]
        self.seed, self._progress = seed, progress
        self.backends: dict[str, tuple[Backend, dict[str, str]]] = {name: configured(name) for name in self.names}
        self._faults: dict[str, list[str]] = {}
        self._pool = ThreadPoolExecutor(max_workers=2, thread_name_prefix="halfulp-matrix")
        self.settings = {"backends": self.names, "ops": chosen, "dtypes": list(dtypes), "sizes": list(sizes), "seed": seed}

    def run(self, finished: set[str]) -> Iterator[tuple[str, dict[str, Any]]]:
        """Each target's cells, remarks and families."""
        left = [target for target in self.targets if target.key not in finished]
        start = time.monotonic()
        ahead: dict[str, dict[str, Future[Any]]] = {}
        for place, target in enumerate(left):
            for coming in left[place : place + 3]:  # the next ones are built while this one is judged
                if coming.key not in ahead:
                    ahead[coming.key] = {name: self._pool.submit(self._first_run, name, coming) for name in self._elsewhere()}
            spent = (time.monotonic() - start) / max(1, place) * (len(left) - place)
            words = f"{target.key}, {place} of {len(left)} cases" + (f", {spent:.0f} s left" if place else "")
            self._progress(Stage(words, place, len(left)))
            yield target.key, self._judge(target, ahead.pop(target.key))

    def _elsewhere(self) -> list[str]:
        """Backends in processes of their own: they are asked in advance, while this process judges."""
        return [name for name, (backend, _) in self.backends.items() if isinstance(backend, Remote)]

    def _first_run(self, name: str, target: _Target) -> Any:
        loaded, options = self.backends[name]
        module, activations = target.drawn(self.seed)
        implementation = loaded.implement(module, **options)
        implementation(*activations)
        return implementation

    def _judge(self, target: _Target, ahead: Mapping[str, Future[Any]]) -> dict[str, Any]:
        module, activations = target.drawn(self.seed)
        judged = [self._one(name, target, module, activations, ahead.get(name)) for name in self.names]
        exact = _exact(module, activations)
        others = [entry for entry in judged if entry.name != PEER]
        peer = next((entry for entry in judged if entry.name == PEER and not entry.fault), None) or _peer(module, activations)
        cells = [asdict(_cell(target, *pair, exact)) for pair in itertools.combinations([peer, *others], 2)]
        return {
            "cells": cells,
            "families": _families(judged),
            "remarks": {entry.name: entry.remark for entry in judged if entry.remark},
            "faults": {name: self._faults.pop(name) for name in list(self._faults)},
        }

    def _one(
        self, name: str, target: _Target, module: OpModule, activations: tuple[torch.Tensor, ...], ready: Future[Any] | None
    ) -> _Judged:
        loaded, options = self.backends[name]
        try:
            implementation: Any = ready.result() if ready is not None else loaded.implement(module, **options)
            outputs = tuple(_leaves(implementation(*activations)))
            result = check(implementation, module, activations, declared=target.dtype, seed=self.seed)
            remarks = implementation.remarks(*activations) if hasattr(implementation, "remarks") else ()
        except Unsupported as reason:
            return _Judged(name, fault=_first(reason))
        except WorkerError as reason:
            self._faults.setdefault(name, []).append(f"{target.key}: {reason}")
            return _Judged(name, fault=str(reason))
        except Exception as reason:  # a plugin may raise anything: the others are judged all the same
            cause = reason.__cause__ if isinstance(reason, HalfulpError) else reason
            if cause is None or isinstance(cause, Unsupported):
                return _Judged(name, fault=_first(cause or reason))
            words = str(cause) if isinstance(cause, WorkerError) else f"{type(cause).__name__}: {_first(cause)}"
            self._faults.setdefault(name, []).append(f"{target.key}: {words}")
            return _Judged(name, fault=words)
        found = result.find("precision")
        named = str(found.measured.get("format") or "") if found is not None and result.verdict is Verdict.REDUCED_PRECISION else ""
        return _Judged(name, outputs, result.verdict.name, named, remark="; ".join(remarks))

    def result(self, parts: Mapping[str, Mapping[str, Any]], seconds: float, complete: bool) -> Matrix:
        """All of it."""
        habits: dict[str, Habits] = {}
        fingerprints: dict[str, Mapping[str, str]] = {}
        for name, (loaded, options) in self.backends.items():
            self._progress(f"measuring {name}")
            try:
                habits[name] = habits_of(loaded, options)
                fingerprints[name] = dict(loaded.fingerprint())
            except (Exception, KeyboardInterrupt) as error:  # all is done but this: nothing is lost for it
                habits[name] = Habits({}, {}, failed={"all": _first(error)})
        remarks: dict[str, dict[str, str]] = {}
        for key, part in parts.items():
            for name, words in part["remarks"].items():
                remarks.setdefault(name, {})[key] = words
        cells = tuple(Cell(**item) for part in parts.values() for item in part["cells"])
        families = {key: tuple(tuple(group) for group in part["families"]) for key, part in parts.items()}
        faults: dict[str, tuple[str, ...]] = {}
        for part in parts.values():
            for name, words in part["faults"].items():
                faults[name] = (*faults.get(name, ()), *words)
        return Matrix(
            cells,
            families,
            habits,
            remarks,
            faults=faults,
            fingerprints=fingerprints,
            settings=self.settings,
            seconds=seconds,
            complete=complete,
        )

    def close(self) -> None:
        """Nothing more is asked in advance."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def configured(name: str) -> tuple[Backend, dict[str, str]]:
    """A backend and its options, from words such as "openvino:precision=f32".

    Raises:
        InputError: they can't be read, or the backend can't be used here.
    """
    base, _, words = name.partition(":")
    options: dict[str, str] = {}
    for word in filter(None, words.split(",")):
        key, mark, value = word.partition("=")
        if not mark:
            raise InputError(
                f"Got the backend {name!r}. Needed: NAME or NAME:option=value,option=value. Options follow the colon. Write it in this form."
            )
        options[key] = value
    loaded = backend(base)
    state = loaded.availability()
    if not state:
        raise InputError(
            f"Got the backend {base!r}, which can't be used here: {state.reason}. Needed: one that can be used. Nothing was run. "
            f"{'Install it with ' + state.install if state.install else '`halfulp backends` lists them'}."
        )
    if base == "torch.compile" and isinstance(loaded, Adapter):  # compiles beside this process, which judges meanwhile
        loaded = Remote(loaded, Path(sys.executable))
    if isinstance(loaded, Adapter):
        loaded.checked(options)
    return loaded, options


def _leaves(result: Any) -> list[torch.Tensor]:
    return [item for item in tree_flatten(result)[0] if isinstance(item, torch.Tensor)]


def _first(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:300]


def _exact(module: OpModule, activations: tuple[torch.Tensor, ...]) -> list[torch.Tensor]:
    def lifted(tensor: torch.Tensor) -> torch.Tensor:
        return tensor.detach().double() if tensor.is_floating_point() else tensor

    wide = OpModule(module.op, {name: lifted(weight) for name, weight in zip(module.op.weights, module.weights)}, module.attributes)
    with torch.no_grad():
        return _leaves(wide(*map(lifted, activations)))


def _peer(module: OpModule, activations: tuple[torch.Tensor, ...]) -> _Judged:
    with torch.no_grad():
        return _Judged(PEER, tuple(_leaves(module(*activations))), "IDENTICAL")


def _cell(target: _Target, expected: _Judged, actual: _Judged, exact: list[torch.Tensor]) -> Cell:
    common = (actual.name, expected.name, target.op, target.size, str(target.sized), target.dtype)
    fault = "; ".join(f"{judged.name}: {judged.fault}" for judged in (actual, expected) if judged.fault)
    if fault:
        return Cell(*common, "", fault=fault)
    same = len(actual.outputs) == len(expected.outputs) and all(
        _same_bits(actual_part, expected_part) for actual_part, expected_part in zip(actual.outputs, expected.outputs)
    )
    direct = expected.name == PEER
    worse = max((actual, expected), key=lambda judged: Verdict[judged.verdict].severity)
    verdict = "IDENTICAL" if same and not direct else worse.verdict
    u = format_named(target.dtype).unit_roundoff
    return Cell(
        *common, verdict, "" if direct or same else PEER, worse.format if verdict == "REDUCED_PRECISION" else "", same,
        _in_u(actual.outputs, expected.outputs, exact, u), _in_u(actual.outputs, exact, exact, u), _in_u(expected.outputs, exact, exact, u),
    )  # fmt: skip


def _same_bits(left: torch.Tensor, right: torch.Tensor) -> bool:
    if left.shape != right.shape or left.dtype != right.dtype:
        return False
    return raw_bytes(left) == raw_bytes(right)


def _in_u(left: Sequence[torch.Tensor], right: Sequence[torch.Tensor], exact: Sequence[torch.Tensor], u: float) -> float:
    """The largest difference in units of u times the rms of the exact result."""
    worst = 0.0
    for left_part, right_part, true in zip(left, right, exact):
        if left_part.shape != right_part.shape or not true.numel():
            return math.inf
        with np.errstate(invalid="ignore"):
            apart = np.abs(left_part.double().numpy() - right_part.double().numpy())
        size = float(true.double().pow(2).mean().sqrt()) or 1.0
        worst = max(worst, float(apart.max()) / (u * size)) if not np.isnan(apart).any() else math.inf
    return worst


def _families(judged: Sequence[_Judged]) -> list[list[str]]:
    groups: dict[bytes, list[str]] = {}
    for entry in judged:
        if not entry.fault:
            bits = b"".join(bytes(str(part.dtype), "ascii") + raw_bytes(part) for part in entry.outputs)
            groups.setdefault(bits, []).append(entry.name)
    return sorted(groups.values(), key=lambda group: -len(group))
