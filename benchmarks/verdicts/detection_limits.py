"""The smallest fault that is seen, by op, precision and kind of fault, in units of u: what a check can and can't tell.

Called by `halfulp bench verdicts --limits`. Each op is compared with itself, one thing changed, on inputs drawn anew each time. A fault is
seen where it is rejected in 95 of 100 draws. Magnitudes are tried from below; the peers are asked about the same draws.
"""

from __future__ import annotations

import json
import math
import os
import signal
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from rich.console import Console
from rich.progress import Progress, TimeRemainingColumn
from rich.table import Table

import halfulp
from halfulp.floats import FORMATS
from halfulp.sweeps.benchmark import DetectionLimit

from .algorithms import sdpa
from .figures import report_figures
from .models import MODELS
from .peers import flash_rule, opinions

Call = Callable[..., Any]
PRECISIONS = ("float64", "float32", "bfloat16", "float16")
DRAWS, SEEN = 100, 95
MAGNITUDES = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, *(2.0**power for power in range(6, 25)))
"""In u. What is not seen at the last has no limit that is worth a name."""
PEERS = ("assert_close", "dynamo same", "msprobe ratios", "flash-attention's rule")
CHECKERS = ("halfulp", *PEERS)


@dataclass(frozen=True)
class Op:
    """An op to plant faults in.

    Attributes:
        function: takes the tensors. shapes: of them. positive: whether the first has positive numbers only.
        term: whether it adds along the last axis of the first input, so that a term can be dropped.
        with_epsilon: the op with another epsilon, for norms of numbers of variance one.
    """

    function: Call
    shapes: tuple[tuple[int, ...], ...]
    positive: bool = False
    term: bool = False
    with_epsilon: Callable[..., Any] | None = None


def _unary(function: Call, *, positive: bool = False) -> Op:
    return Op(function, ((32, 40),), positive=positive)


def _norm(function: Callable[..., Any], *shapes: tuple[int, ...]) -> Op:
    return Op(lambda *given: function(*given, epsilon=1e-5), shapes, with_epsilon=function)


def _batch_norm(x: Any, *, epsilon: float) -> Any:
    return F.batch_norm(x, None, None, training=True, eps=epsilon)


OPS: dict[str, Op] = {
    "linear": Op(F.linear, ((32, 64), (40, 64)), term=True),
    "matmul": Op(torch.matmul, ((32, 64), (64, 40)), term=True),
    "bmm": Op(torch.bmm, ((4, 16, 48), (4, 48, 20)), term=True),
    "einsum": Op(lambda a, b: torch.einsum("ij,kj->ik", a, b), ((32, 64), (40, 64)), term=True),
    "conv1d": Op(F.conv1d, ((4, 6, 40), (8, 6, 3))),
    "conv2d": Op(F.conv2d, ((2, 4, 16, 16), (6, 4, 3, 3))),
    "conv_transpose2d": Op(F.conv_transpose2d, ((2, 4, 10, 10), (4, 6, 3, 3))),
    "attention": Op(sdpa, ((2, 32, 16), (2, 32, 16), (2, 32, 16))),
    "sum": Op(lambda x: x.sum(-1), ((1024, 24),), term=True),
    "mean": Op(lambda x: x.mean(-1), ((1024, 24),), term=True),
    "var": Op(lambda x: x.var(-1), ((1024, 24),)),
    "std": Op(lambda x: x.std(-1), ((1024, 24),)),
    "vector_norm": Op(lambda x: torch.linalg.vector_norm(x, dim=-1), ((1024, 24),)),
    "prod": Op(lambda x: x.prod(-1), ((1024, 6),)),
    "cumsum": Op(lambda x: x.cumsum(-1), ((32, 40),)),
    "logsumexp": Op(lambda x: torch.logsumexp(x, -1), ((1024, 24),)),
    "softmax": _unary(lambda x: F.softmax(x, -1)),
    "log_softmax": _unary(lambda x: F.log_softmax(x, -1)),
    "layer_norm": _norm(lambda x, *, epsilon: F.layer_norm(x, (40,), eps=epsilon), (32, 40)),
    "rms_norm": _norm(lambda x, *, epsilon: F.rms_norm(x, (40,), eps=epsilon), (32, 40)),
    "batch_norm": _norm(_batch_norm, (16, 8, 12)),
    "group_norm": _norm(lambda x, *, epsilon: F.group_norm(x, 2, eps=epsilon), (8, 4, 36)),
    "instance_norm": _norm(lambda x, *, epsilon: F.instance_norm(x, eps=epsilon), (8, 4, 36)),
    "gelu": _unary(F.gelu), "silu": _unary(F.silu), "sigmoid": _unary(torch.sigmoid), "tanh": _unary(torch.tanh),
    "softplus": _unary(F.softplus), "elu": _unary(F.elu), "mish": _unary(F.mish), "erf": _unary(torch.erf), "sin": _unary(torch.sin),
    "cos": _unary(torch.cos), "atan": _unary(torch.atan), "exp": _unary(torch.exp), "expm1": _unary(torch.expm1),
    "log": _unary(torch.log, positive=True), "log1p": _unary(torch.log1p, positive=True), "sqrt": _unary(torch.sqrt, positive=True),
    "rsqrt": _unary(torch.rsqrt, positive=True), "reciprocal": _unary(torch.reciprocal, positive=True),
    "pow": _unary(lambda x: x**1.5, positive=True),
    "add": Op(torch.add, ((32, 40), (32, 40))), "mul": Op(torch.mul, ((32, 40), (32, 40))),
    "div": Op(lambda a, b: a / (b.abs() + 0.5), ((32, 40), (32, 40))),
    "hypot": Op(torch.hypot, ((32, 40), (32, 40))),
    "cosine_similarity": Op(lambda a, b: F.cosine_similarity(a, b, dim=-1), ((1024, 24), (1024, 24))),
    "normalize": _unary(lambda x: F.normalize(x, dim=-1)),
    "cdist": Op(lambda a, b: (a[:, None] - b).square().sum(-1).sqrt(), ((32, 8), (40, 8))),
    "avg_pool2d": Op(lambda x: F.avg_pool2d(x, 2), ((2, 4, 24, 24),)),
    "interpolate": Op(lambda x: F.interpolate(x, scale_factor=2.0, mode="bilinear"), ((2, 2, 12, 12),)),
    "cross_entropy": Op(lambda x: F.cross_entropy(x, torch.arange(1024) % 10, reduction="none"), ((1024, 10),)),
    "mse_loss": Op(lambda a, b: F.mse_loss(a, b, reduction="none"), ((32, 40), (32, 40))),
    "bce_with_logits": Op(lambda x: F.binary_cross_entropy_with_logits(x, torch.ones_like(x), reduction="none"), ((32, 40),)),
    "lstm_cell": Op(lambda x, h, c, w, v: torch.lstm_cell(x, (h, c), w, v)[0], ((64, 8), (64, 16), (64, 16), (64, 8), (64, 16))),
    "gru_cell": Op(torch.gru_cell, ((64, 8), (64, 16), (48, 8), (48, 16))),
}  # fmt: skip
WHOLE = ("mlp_relu", "unet", "encoder_before")
"""Whole models of `models.py`, in float32."""


def _times(y: Any, factor: float) -> Any:
    return y * factor


def _offset(y: Any, share: float) -> Any:
    return y + share * float(y.detach().double().square().mean().sqrt())


def _one(y: Any, factor: float) -> Any:
    result = y.clone()
    place = int(y.detach().abs().argmax())
    result.view(-1)[place] = result.view(-1)[place] * factor
    return result


def _row(y: Any, factor: float) -> Any:
    result = y.clone()
    result[0] = result[0] * factor
    return result


FAULTS: dict[str, Callable[[Any, float], Any]] = {
    "factor": lambda y, size: _times(y, 1.0 + size),
    "offset": _offset,
    "wrong element": lambda y, size: _one(y, 1.0 + size),
    "wrong row": lambda y, size: _row(y, 1.0 + size),
}
"""What is done to a result, with a size relative to it."""
KINDS = (*FAULTS, "epsilon", "dropped term")


@dataclass(frozen=True)
class Cell:
    """A kind of fault in an op in a precision."""

    op: str
    precision: str
    kind: str

    @property
    def key(self) -> str:
        """Its identity."""
        return f"{self.op}/{self.precision}/{self.kind}"


def cells() -> Iterator[Cell]:
    """Everything that has a limit."""
    for precision in PRECISIONS:
        for name, op in OPS.items():
            for kind in KINDS:
                if (kind != "epsilon" or op.with_epsilon) and (kind != "dropped term" or op.term):
                    yield Cell(name, precision, kind)
    for name in WHOLE:
        for kind in FAULTS:
            yield Cell(name, "float32", kind)


def planted(cell: Cell, magnitude: float, draw: int) -> tuple[Call, Call, tuple[torch.Tensor, ...]]:
    """The op with a fault, the op, and inputs.

    Args:
        magnitude: of the fault's effect on the result, in u. draw: which inputs.
    """
    size = magnitude * FORMATS[cell.precision].unit_roundoff
    if cell.op in WHOLE:
        module, inputs = next(model for model in MODELS if model.name == cell.op).make(draw)
        return (lambda *given: FAULTS[cell.kind](module(*given), size)), module, inputs
    op = OPS[cell.op]
    torch.manual_seed(draw)
    given = [torch.randn(shape, dtype=torch.float64) for shape in op.shapes]
    if op.positive:
        given[0] = given[0].abs() + 0.25
    dtype = getattr(torch, cell.precision)
    if cell.kind == "dropped term":
        terms = given[0].shape[-1]
        given[0][..., -1] = size * math.sqrt(terms) * torch.sign(given[0][..., -1])  # its part of the result is that share, rms

        def dropped(x: Any, *others: Any) -> Any:
            kept = x.clone()
            kept[..., -1] = 0.0
            return op.function(kept, *others)

        return dropped, op.function, tuple(tensor.to(dtype) for tensor in given)
    inputs = tuple(tensor.to(dtype) for tensor in given)
    if cell.kind == "epsilon":
        assert op.with_epsilon is not None
        changed = op.with_epsilon
        return (lambda *values: changed(*values, epsilon=1e-5 + 2.0 * size)), op.function, inputs  # of a variance of one: half of it
    return (lambda *values: FAULTS[cell.kind](op.function(*values), size)), op.function, inputs


def rejecting(cell: Cell, magnitude: float, draw: int, checkers: Iterable[str]) -> set[str]:
    """The checkers that see the fault."""
    actual, expected, inputs = planted(cell, magnitude, draw)
    found: set[str] = set()
    peers = [checker for checker in checkers if checker != "halfulp"]
    if "halfulp" in checkers and halfulp.check(actual, expected, inputs, declared=cell.precision, seed=draw).acceptable is False:
        found.add("halfulp")
    if not peers:
        return found
    with torch.no_grad():
        sides = [[function(*inputs)] for function in (actual, expected)]
        exact = [expected(*(value.double() for value in inputs))] if cell.op not in WHOLE else None
    for peer in peers:
        accepts = flash_rule(sides[0], sides[1], exact) if peer == PEERS[-1] else opinions(sides[0], sides[1], exact, only=peer)[peer]
        if not accepts:
            found.add(peer)
    return found


def limits_of(cell: Cell, checkers: Iterable[str], draws: int = DRAWS) -> dict[str, float | None]:
    """The smallest magnitude that each checker sees in 95 of 100 draws, in u; None where not even the largest is."""
    most = draws - math.ceil(draws * SEEN / DRAWS)
    limits: dict[str, float | None] = dict.fromkeys(checkers)
    open_ones = set(limits)
    for magnitude in MAGNITUDES:
        missed = dict.fromkeys(open_ones, 0)
        for draw in range(draws):
            asked = [checker for checker, count in missed.items() if count <= most]
            if not asked:
                break
            seen = rejecting(cell, magnitude, draw, asked)
            for checker in asked:
                missed[checker] += checker not in seen
        for checker, count in missed.items():
            if count <= most:
                limits[checker] = magnitude
                open_ones.discard(checker)
        if not open_ones:
            break
    return limits


def run_limits(*, json_file: Path | None = None, resume: Path | None = None, draws: int = DRAWS, only: str = "") -> int:
    """Measure every limit, print the tables and figures.

    Args:
        json_file: where all go. resume: where they are kept as they come. draws: how many inputs; 100 for figures to publish.
        only: cells whose key contains this.

    Returns:
        0; 130 when interrupted.
    """
    kept: dict[str, dict[str, float | None]] = {}
    if resume is not None and resume.is_file():
        kept = {entry["key"]: entry["limits"] for entry in map(json.loads, resume.read_text().splitlines())}
    asked = [cell for cell in cells() if only in cell.key]
    found: dict[str, dict[str, float | None]] = {}
    console = Console(stderr=True)
    columns = (*Progress.get_default_columns()[:-1], TimeRemainingColumn())
    try:
        with warnings.catch_warnings(), Progress(*columns, console=console, transient=True) as progress:
            warnings.simplefilter("ignore")
            missing = [cell for cell in asked if cell.key not in kept]
            found.update((cell.key, kept[cell.key]) for cell in asked if cell.key in kept)
            for cell, limits in progress.track(_measured(missing, draws), total=len(missing), description="limits"):
                found[cell.key] = limits
                if resume is not None:
                    with resume.open("a") as file:
                        file.write(json.dumps({"key": cell.key, "limits": limits}) + "\n")
    except KeyboardInterrupt:
        console.print(f"interrupted after {len(found)} of {len(asked)} limits" + (f"; they are kept in {resume}" if resume else ""))
        return 130
    measured = [DetectionLimit(cell.op, cell.precision, cell.kind, found[cell.key]) for cell in asked]
    report_figures(_report(asked, found), json_file, limits=measured)
    return 0


def _measured(asked: list[Cell], draws: int) -> Iterator[tuple[Cell, dict[str, float | None]]]:
    """Cells with their limits as they come: a process for each processor."""
    with ProcessPoolExecutor(os.cpu_count() or 1, get_context("spawn"), _start) as pool:
        try:
            running = {pool.submit(limits_of, cell, CHECKERS if cell.op not in WHOLE else CHECKERS[:2], draws): cell for cell in asked}
            for done in as_completed(running):
                yield running[done], done.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _start() -> None:
    """In each process: one thread, no warnings, and Ctrl-C is for the first process."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _report(asked: list[Cell], found: dict[str, dict[str, float | None]]) -> dict[str, tuple[float, str]]:
    """A table for each precision, and the median and worst limit of each kind."""
    figures: dict[str, tuple[float, str]] = {}
    for precision in PRECISIONS:
        there = [cell for cell in asked if cell.precision == precision]
        if not there:
            continue
        table = Table("op", *KINDS, title=f"smallest fault seen in 95 % of draws, {precision}, in u")
        for name in dict.fromkeys(cell.op for cell in there):
            limits = {cell.kind: found[cell.key]["halfulp"] for cell in there if cell.op == name}
            table.add_row(name, *(_shown(limits[kind]) if kind in limits else "" for kind in KINDS))
        Console(width=150).print(table)
        for kind in KINDS:
            for checker in CHECKERS:
                values = [found[cell.key][checker] for cell in there if cell.kind == kind and checker in found[cell.key]]
                numbers = [math.inf if value is None else value for value in values]
                if numbers:
                    name = f"limit_{kind}_{precision}_{checker}".replace(" ", "_").replace("'", "").replace("-", "_")
                    figures[f"{name}_median"] = (float(np.median(numbers)), "u")
                    if checker == "halfulp":
                        figures[f"{name}_worst"] = (max(numbers), "u")
    return figures


def _shown(limit: float | None) -> str:
    return "none" if limit is None else f"{limit:g}"
