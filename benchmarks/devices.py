"""Do verdicts hold between the processor and a CUDA device? Code on the device against the same code, or that with a mistake, on the processor.

    python -m benchmarks.devices [--device cuda] [--every N] [--processes N] [--json FILE]

Parts: the labelled pairs and generated pairs of `benchmarks.verdicts`, and its models with and without a mistake (`actual` runs on the
device, `expected` on the processor; pairs whose code holds tensors of the processor can't move and are counted as such); products in TF32,
which have to be named; how attention errs; orders of the device's sums and products; scattered additions, whose order changes from run to run; `compare` beside
assert_close and beside reading memory, on tensors of the device. `--device cpu` tries the program itself where there is no device.
"""

from __future__ import annotations

import argparse
import functools
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention

import halfulp

from .verdicts import PAIRS
from .verdicts.figures import report_figures
from .verdicts.generated import honest_pair
from .verdicts.models import MODELS
from .verdicts.outcomes import MODEL_MUTANTS, hosts_of
from .verdicts.rewrites import rewritten
from .verdicts.statistics import Rate

GENERATED = 120
HOSTS = 4
"""Models that each kind of mistake is tried in."""
ELEMENTS = 50_000_000
Row = dict[str, Any]


def moved(target: Any, device: str) -> Any:
    """A module or function that computes on the device, whatever its inputs lie on."""
    return target if device == "cpu" else halfulp.backend(device).implement(target)


def asked(job: tuple[str, int, str]) -> Row:
    """One pair judged: its part, number and device; what was said, and whether that is right (None: it could not run there)."""
    part, number, device = job
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False  # convolutions take it by default
    name, kind, actual, expected, inputs, options = _pair(part, number, device)
    row: Row = {"part": part, "name": name, "kind": kind}
    start = time.perf_counter()
    try:
        result = halfulp.check(actual if part == "mistakes in models" else moved(actual, device), expected, inputs, **options)
    except Exception as error:  # tensors of the processor in a closure, an op that the device lacks
        return {**row, "said": f"{type(error).__name__}: {str(error)[:160]}", "right": None}
    right = {"rounding": True, "mistake": False, "undecided": None}[kind] is result.acceptable
    return {**row, "said": f"{result.verdict.name}: {result.reason}", "right": right, "seconds": time.perf_counter() - start}


def _pair(part: str, number: int, device: str) -> tuple[str, str, Any, Any, Any, dict[str, Any]]:
    if part == "pairs":
        pair = PAIRS[number]
        actual, expected, inputs = pair.make(0)
        return pair.name, pair.kind, actual, expected, inputs, {
            "declared": pair.declared, "reference": pair.reference, "gradients": pair.gradients,
        }  # fmt: skip
    if part == "generated":
        honest = honest_pair(number)
        return honest.name, "rounding", honest.actual, honest.expected, honest.inputs, {
            "declared": honest.declared, "gradients": honest.gradients,
        }  # fmt: skip
    if part == "models":
        model = MODELS[number]
        return model.name, "rounding", model.make(0)[0], *model.make(0), {}
    mutation, model, at = mutants()[number]
    actual = rewritten(moved(model.make(0)[0], device), mutation.replacement(mutation.magnitudes[2]), at)
    return f"{model.name}, {mutation.name}", "mistake", actual, *model.make(0), {}


@functools.cache
def mutants() -> list[tuple[Any, Any, int]]:
    """Mistakes in models: which, where, in which call."""
    return [(mutation, model, at) for mutation, _ in MODEL_MUTANTS for model, at in hosts_of(mutation, HOSTS)]


def jobs(device: str, every: int) -> Iterator[tuple[str, int, str]]:
    """All pairs that are judged."""
    counts = {"pairs": len(PAIRS), "generated": GENERATED, "models": len(MODELS), "mistakes in models": len(mutants())}
    for part, count in counts.items():
        yield from ((part, number, device) for number in range(0, count, every))


def of_pairs(device: str, every: int, processes: int) -> tuple[list[Row], dict[str, tuple[float, str]]]:
    """All pairs, and their figures."""
    chosen, rows = list(jobs(device, every)), []
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for row in pool.map(asked, chosen):
            rows.append(row)
            if row["right"] is not True:
                print(f"  {row['part']}/{row['name']} ({row['kind']}): {row['said'][:220]}", flush=True)
    figures: dict[str, tuple[float, str]] = {}
    for part in dict.fromkeys(row["part"] for row in rows):
        own = [row for row in rows if row["part"] == part]
        for kind in ("rounding", "mistake"):
            ran = [row for row in own if row["kind"] == kind and row["right"] is not None]
            if ran:
                rate = Rate(sum(row["right"] for row in ran), len(ran))
                print(f"{part}, {kind}: {rate}; {sum(row['kind'] == kind for row in own) - len(ran)} could not run there", flush=True)
                figures[f"{part.replace(' ', '_')}_{kind}_right"] = (rate.value, "share")
    if times := [row["seconds"] for row in rows if "seconds" in row]:
        figures["median_seconds_of_a_check"] = (statistics.median(times), "s")
    return rows, figures


def of_precisions(device: str) -> Iterator[Row]:
    """Products that the device may round to fewer bits: what they are called, and whether `explain` names the setting."""
    generator = torch.Generator().manual_seed(0)
    a, w = torch.randn(256, 1024, generator=generator), torch.randn(1024, 192, generator=generator)
    image, filters = torch.randn(4, 32, 28, 28, generator=generator), torch.randn(64, 32, 3, 3, generator=generator)
    product, convolution = (lambda x, y: x @ y), torch.nn.functional.conv2d
    for tf32 in (False, True):
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
        for name, target, inputs in (("product", product, (a, w)), ("convolution", convolution, (image, filters))):
            result = halfulp.check(moved(target, device), target, inputs)
            yield {
                "part": "precision",
                "name": f"{name}, tf32 {'on' if tf32 else 'off'}",
                "said": f"{result.verdict.name}: {result.reason}",
            }
            if tf32:
                named = halfulp.explain(moved(target, device), target, inputs)
                yield {"part": "precision", "name": f"explain, {name} in tf32", "said": str(named).partition("\n\n")[0]}
                settled = halfulp.check(moved(target, device), target, inputs, declared="tf32")
                yield {"part": "precision", "name": f"{name} in tf32, declared", "said": f"{settled.verdict.name}: {settled.reason}"}
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    for dtype in (torch.float16, torch.bfloat16):
        inputs = (a.to(dtype), w.to(dtype))
        result = halfulp.check(moved(product, device), product, inputs)
        yield {"part": "precision", "name": f"product in {dtype}", "said": f"{result.verdict.name}: {result.reason}"}
    index = torch.randint(0, 64, (100_000,), generator=generator)
    values = torch.randn(100_000, generator=generator)
    scattered = functools.partial(_scattered, 64)
    result = halfulp.check(moved(scattered, device), scattered, (index, values))
    yield {"part": "precision", "name": "index_add of 100,000 into 64", "said": f"{result.verdict.name}: {result.reason}"}


def _scattered(count: int, index: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    return torch.zeros(count, device=values.device, dtype=values.dtype).index_add(0, index, values)


def of_attention(device: str) -> Iterator[Row]:
    """How PyTorch's attention in float32 errs: on average, and how many results are too small, in units of u of the result."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    generator = torch.Generator().manual_seed(0)
    for shape in ((2, 4, 130, 64), (1, 2, 512, 64), (2, 4, 64, 32)):
        q, k, v = (torch.randn(shape, generator=generator) for _ in range(3))
        v = v + 1
        exact = scaled_dot_product_attention(q.double(), k.double(), v.double())
        for kernel in ("MATH", "EFFICIENT_ATTENTION") if device == "cuda" else ("MATH",):
            with sdpa_kernel(getattr(SDPBackend, kernel)):
                found = scaled_dot_product_attention(q.to(device), k.to(device), v.to(device)).cpu().double()
            errors = (found - exact) * exact.sign() / (2.0**-24 * exact.abs())
            mean, rms, small = float(errors.mean()), float(errors.square().mean().sqrt()), float((errors < 0).double().mean())
            said = f"errors in u: mean {mean:.2f}, rms {rms:.2f}; {100 * small:.1f} % of the results are too small"
            yield {"part": "attention", "name": f"{kernel} of {shape}", "said": said}


def of_orders(device: str) -> Iterator[Row]:
    """In which order the device adds."""
    works: dict[str, Callable[..., Any]] = {
        "sum of 1,000": lambda: halfulp.order(torch.sum, (torch.ones(1000, device=device),)),
        "sum of 100,000": lambda: halfulp.order(torch.sum, (torch.ones(100_000, device=device),)),
        "mean over rows of 4,096": lambda: halfulp.order(functools.partial(torch.mean, dim=1), (torch.ones(64, 4096, device=device),)),
        "product, inner 512": lambda: halfulp.order(torch.matmul, (torch.ones(64, 512, device=device), torch.ones(512, 64, device=device))),
        "product, inner 4,096": lambda: halfulp.order(
            torch.matmul, (torch.ones(128, 4096, device=device), torch.ones(4096, 128, device=device))
        ),
    }
    for name, work in works.items():
        start = time.perf_counter()
        try:
            said = str(work()).partition("\n\n")[0]
        except Exception as error:
            said = f"{type(error).__name__}: {str(error)[:300]}"
        yield {"part": "orders", "name": name, "said": said, "seconds": time.perf_counter() - start}


def of_compare(device: str, count: int = ELEMENTS, runs: int = 5) -> dict[str, tuple[float, str]]:
    """`compare` of tensors that lie on the device, beside assert_close and a read of both."""
    expected = torch.rand(count, generator=torch.Generator().manual_seed(0)).add_(0.5).to(device)
    actual = expected.clone()
    actual[::3] *= 1.0 + 2.0**-23
    works: dict[str, Callable[[], object]] = {
        "compare": lambda: halfulp.compare(actual, expected),
        "assert_close": lambda: torch.testing.assert_close(actual, expected),
        "memory_read": lambda: (actual.amax(), expected.amax()),
    }
    times: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(runs + 1):
        for name, work in works.items():
            _wait(device)
            start = time.perf_counter()
            work()
            _wait(device)
            if turn:  # the first of each is a warm-up
                times[name].append(time.perf_counter() - start)
    median = {name: statistics.median(each) for name, each in times.items()}
    return {
        "compare_throughput": (count / median["compare"] / 1e6, "Melements/s"),
        "compare_vs_assert_close": (median["assert_close"] / median["compare"], "times_faster"),
        "compare_vs_memory_read": (median["compare"] / median["memory_read"], "times_slower"),
    }


def _wait(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--every", type=int, default=1, help="only every so many pairs")
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--elements", type=int, default=ELEMENTS)
    parser.add_argument("--json", type=Path, default=None)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows: list[Row] = []
    figures: dict[str, tuple[float, str]] = {}
    for part in (of_precisions, of_attention, of_orders):
        for row in part(options.device):
            rows.append(row)
            print(f"{row['part']}: {row['name']} ({row.get('seconds', 0):.1f} s)\n    {row['said']}", flush=True)
    figures |= of_compare(options.device, options.elements)
    judged, more = of_pairs(options.device, options.every, options.processes)
    report_figures(figures | more, options.json, [*rows, *judged])


if __name__ == "__main__":
    main()
