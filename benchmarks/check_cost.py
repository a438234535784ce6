"""What a check costs, in forward passes of both sides: python -m benchmarks.check_cost

The pairs differ in bits, so that all evidence that a check of honest implementations needs is gathered: a 4-layer transformer encoder (d = 256, 64 tokens,
batch 2) with fused against plain attention, and the convolutional net of question 5 with and without oneDNN. Then single small ops in milliseconds,
and the runs that checks of the labelled mistakes take.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

import halfulp
from halfulp.cases import Case

from .verdicts import PAIRS
from .verdicts.figures import report_figures
from .verdicts.rewrites import onednn


class PlainAttention(nn.Module):
    """A model run with attention as separate products and softmax."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with sdpa_kernel(SDPBackend.MATH):
            return self.model(x)


class WithoutOneDnn(nn.Module):
    """A model run with oneDNN off."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with onednn(False):
            return self.model(x)


class ConvNet(nn.Module):
    """The network of question 5."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.fc1 = nn.Linear(32 * 8 * 8, 512)
        self.fc2 = nn.Linear(512, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.conv2(torch.relu(self.conv1(x))))
        return self.fc2(torch.relu(self.fc1(x.flatten(1))))


def _median(work: Callable[[], Any], runs: int) -> float:
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def cost(actual: nn.Module, expected: nn.Module, x: torch.Tensor, runs: int) -> tuple[float, str]:
    """How many forward passes of both sides one check takes, and its verdict."""
    result = halfulp.check(actual, expected, (x,))  # first use loads and compiles what later ones find loaded

    def both() -> None:
        with torch.no_grad():
            actual(x)
            expected(x)

    ratios = []
    for _ in range(runs):  # in turn, so that a slow moment of the machine meets both
        forward = _median(both, 10)
        ratios.append(_median(lambda: halfulp.check(actual, expected, (x,)), 1) / forward)
    return statistics.median(ratios), result.verdict.name


def runs_of_rejected() -> list[float]:
    """How many forward passes of both sides a check of each labelled mistake takes, counted and not timed; those from a tape are such, too."""
    counts: list[float] = []
    timed = Case.timed
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for pair in PAIRS:
            count = 0

            def counted(self: Case, *given: Any) -> Any:
                nonlocal count
                count += 1
                return timed(self, *given)

            actual, expected, inputs = pair.make(0)
            with mock.patch.object(Case, "timed", counted):
                result = halfulp.check(actual, expected, inputs, declared=pair.declared, reference=pair.reference, gradients=pair.gradients)
            if result.acceptable is False:
                counts.append(count / 2)
    return counts


def _small_ops() -> dict[str, tuple[Callable[..., Any], Callable[..., Any], tuple[torch.Tensor, ...]]]:
    """Ops of a few thousand numbers, honest and not."""
    x, w, b = torch.randn(8, 256), torch.randn(32, 256), torch.randn(32)
    rows = torch.randn(32, 64)
    return {
        "linear": (lambda x, w, b: x @ w.T + b, torch.nn.functional.linear, (x, w, b)),
        "sum": (lambda x: x.flip(1).sum(1), lambda x: x.sum(1), (x,)),
        "softmax": (lambda x: x.exp() / x.exp().sum(-1, keepdim=True), lambda x: torch.softmax(x, -1), (rows,)),
        "wrong GELU": (lambda x: torch.nn.functional.gelu(x, approximate="tanh"), torch.nn.functional.gelu, (rows,)),
        "bfloat16 product": (lambda x, w: (x.bfloat16() @ w.T.bfloat16()).float(), lambda x, w: x @ w.T, (x, w)),
    }


def main() -> None:
    """Measure and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--json", type=Path, default=None)
    options = parser.parse_args()
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(256, 4, 1024, 0.0, "gelu", batch_first=True, norm_first=True)
    transformer = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False).eval()
    net = ConvNet().eval()
    pairs = {
        "check_cost_transformer": (PlainAttention(transformer).eval(), transformer, torch.randn(2, 64, 256)),
        "check_cost_conv": (WithoutOneDnn(net).eval(), net, torch.randn(10, 3, 8, 8)),
    }
    figures: dict[str, tuple[float, str]] = {}
    for name, (actual, expected, x) in pairs.items():
        times, verdict = cost(actual, expected, x, options.runs)
        figures[name] = (times, "forward_passes")
        print(f"{name}: {verdict}")
    slowest = 0.0
    for small, (actual_op, expected_op, inputs) in _small_ops().items():
        halfulp.check(actual_op, expected_op, inputs)
        seconds = _median(lambda a=actual_op, e=expected_op, i=inputs: halfulp.check(a, e, i), 3 * options.runs)
        print(f"{small}: {1000 * seconds:.0f} ms")
        slowest = max(slowest, seconds)
    figures["check_cost_small_op"] = (1000 * slowest, "ms")
    rejected = runs_of_rejected()
    figures["check_cost_rejected_median"] = (statistics.median(rejected), "forward_passes")
    figures["check_cost_rejected_largest"] = (max(rejected), "forward_passes")
    report_figures(figures, options.json)


if __name__ == "__main__":
    main()
