"""Does a derived tolerance hold, and how tight is it? python -m benchmarks.tolerances

For several functions a tolerance is derived once; then 10,000 honest re-orderings (random orders, blocks of random sizes, chains) are
compared with the plain result. A failure is a re-ordering beyond the tolerance; tightness is the tolerance at its largest over the
largest error seen.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import torch

import halfulp

from .verdicts.figures import report_figures

Reordered = Callable[[torch.Generator], torch.Tensor]


def _blocks(count: int, generator: torch.Generator) -> tuple[torch.Tensor, ...]:
    """A random order of `count` terms, cut into blocks of a random size: size 1 is a chain."""
    largest = int(torch.randint(0, 8, (), generator=generator))
    return torch.randperm(count, generator=generator).split(min(count, 2**largest))


def reordered_product(a: torch.Tensor, b: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    total = torch.zeros(a.shape[0], b.shape[1])
    for block in _blocks(a.shape[1], generator):
        total = total + a[:, block] @ b[block]
    return total


def reordered_sum(x: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    total = torch.zeros(x.shape[0])
    for block in _blocks(x.shape[1], generator):
        total = total + x[:, block].sum(1)
    return total


def reordered_layer_norm(x: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    count = x.shape[1]
    centered = x - (reordered_sum(x, generator) / count)[:, None]
    return centered * torch.rsqrt(reordered_sum(centered * centered, generator) / count + 1e-5)[:, None]


def reordered_softmax(x: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    shifted = torch.exp(x - x.amax(1, keepdim=True))
    return shifted / reordered_sum(shifted, generator)[:, None]


def main() -> None:
    """Measure and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=10_000, help="re-orderings of all functions together")
    parser.add_argument("--json", type=Path, default=None)
    options = parser.parse_args()
    torch.manual_seed(0)
    a, b, x, wide = torch.randn(6, 120), torch.randn(120, 5), torch.rand(8, 300), torch.randn(8, 200) * torch.exp(torch.randn(8, 200))
    cases: dict[str, tuple[Callable[..., torch.Tensor], tuple[torch.Tensor, ...], Reordered]] = {
        "product": (torch.matmul, (a, b), lambda g: reordered_product(a, b, g)),
        "sum_positive": (lambda x: x.sum(1), (x,), lambda g: reordered_sum(x, g)),
        "sum_wide": (lambda x: x.sum(1), (wide,), lambda g: reordered_sum(wide, g)),
        "layer_norm": (lambda x: torch.nn.functional.layer_norm(x, x.shape[1:]), (wide,), lambda g: reordered_layer_norm(wide, g)),
        "softmax": (lambda x: torch.softmax(x, 1), (wide,), lambda g: reordered_softmax(wide, g)),
    }
    figures: dict[str, tuple[float, str]] = {}
    failures = 0
    for name, (function, inputs, draw) in cases.items():
        tolerance = halfulp.tolerance(function, inputs)
        plain = function(*inputs)
        allowed = tolerance.atol + tolerance.rtol * plain.abs().double()
        generator = torch.Generator().manual_seed(1)
        failed, largest = 0, 0.0
        for _ in range(options.trials // len(cases)):
            apart = (draw(generator).double() - plain.double()).abs()
            failed += bool((apart > allowed).any())
            largest = max(largest, float((apart / allowed).max()))
        failures += failed
        figures[f"tolerance_{name}_times_largest_error"] = (1.0 / largest, "ratio")
        print(f"{name}: {tolerance.line}, {failed} failures, largest error {largest:.2f} of what is allowed")
    figures["tolerance_trials"] = (len(cases) * (options.trials // len(cases)), "trials")
    figures["tolerance_failures"] = (failures, "trials")
    report_figures(figures, options.json)


if __name__ == "__main__":
    main()
