"""One result of each kind, made once, and a browser to look at it: fixtures of `conftest.py`."""

import copy
import shutil

import pytest
import torch
from torch import nn

import halfulp
from halfulp import Verdict
from halfulp.kernels import Asked, KernelReport, KernelResult
from halfulp.probes.stored import StoredOrders
from halfulp.sweeps.benchmark import Benchmark, Figure
from halfulp.sweeps.result import Cell, Matrix
from halfulp.sweeps.swept import CaseRow, FoundProblem, PastRun, Subject, Swept
from halfulp.sweeps.watch import Watch, Watched
from halfulp.traces import fingerprint


def product(x, w):
    return x @ w


def halves(x, w):
    middle = x.shape[1] // 2
    return x[:, :middle] @ w[:middle] + x[:, middle:] @ w[middle:]


def sized(seed, size=64):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(24, size, generator=generator), torch.randn(size, 20, generator=generator)


class Block(nn.Module):
    def __init__(self, layer_eps):
        super().__init__()
        self.norm = nn.LayerNorm(16, eps=layer_eps)
        self.linear = nn.Linear(16, 16)

    def forward(self, x):
        return x + self.linear(torch.relu(self.norm(x)))


def stack():
    torch.manual_seed(0)
    right = nn.Sequential(*(Block(1e-5) for _ in range(4)))
    wrong = copy.deepcopy(right)
    wrong[2].norm.eps = 1e-3
    return wrong, right, (torch.randn(4, 16),)


def small_matrix():
    cells = [
        Cell(
            "openvino",
            "torch",
            "linear",
            "small",
            "4x8",
            "float32",
            "REDUCED_PRECISION",
            format="bfloat16",
            difference_in_u=900.0,
            actual_error_in_u=905.0,
        ),
        Cell(
            "numpy", "torch", "linear", "small", "4x8", "float32", "IDENTICAL", same_bits=True, difference_in_u=0.0, actual_error_in_u=1.5
        ),
        Cell("ncnn", "torch", "linear", "small", "4x8", "float32", "", fault="not supported"),
        Cell("numpy", "openvino", "linear", "small", "4x8", "float32", "REDUCED_PRECISION", through="torch", format="bfloat16"),
    ]
    families = {"linear small float32": (("torch", "numpy"), ("openvino",))}
    return Matrix(
        tuple(cells), families, {}, {}, {"ncnn": ("it died: signal 9",)}, {}, {"backends": ["torch", "numpy", "openvino", "ncnn"]}, 3.5
    )


def small_benchmark():
    outcomes = [
        {
            "part": "pairs",
            "pair": "one",
            "kind": "rounding",
            "verdict": "ROUNDING",
            "reason": "fine",
            "said": {"halfulp": True, "allclose": False},
        },
        {
            "part": "pairs",
            "pair": "two",
            "kind": "mistake",
            "verdict": "ROUNDING",
            "reason": "missed",
            "said": {"halfulp": True, "allclose": True},
        },
    ]
    outcomes += [
        {"part": "detection", "pair": f"m {size}", "kind": "mistake", "mutation": "a constant", "magnitude": size, "verdict": "MISTAKE",
         "said": {"halfulp": size > 1e-5, "allclose": size > 1e-3}}
        for size in (1e-6, 1e-4, 1e-2)
    ]  # fmt: skip
    for outcome in outcomes[2:]:
        outcome["said"] = {name: not rejected for name, rejected in outcome["said"].items()}
    return Benchmark({"pairs_right": Figure(0.5, "share")}, fingerprint(), tuple(outcomes))


def small_kernel():
    asked = (
        Asked("given", "the inputs of the problem", "right"),
        Asked("seed", "seed 1", "right"),
        Asked("sizes", "rows: 31 instead of 32", "wrong", "This is not rounding: <b>no</b>"),
    )
    checked = halfulp.check(halves, product, sized(0))
    common = {"problem": "norm", "format": "KernelBench", "held": ("no network",), "seconds": 3.0}
    results = (
        KernelResult(Verdict.ROUNDING, "It is right.", asked=asked[:2], solution="blocks", declared="float32", check=checked, **common),
        KernelResult(Verdict.MISTAKE, "It is wrong.", kind="sizes", label="rows", asked=asked, solution="no_tail", **common),
        KernelResult(Verdict.MISTAKE, "This is a cheat.", cheat="it reads the problem's file", solution="reads", **common),
        KernelResult(Verdict.UNDECIDED, "Nothing is known.", solution="none", promises=("Input 0 is sorted in every draw.",), notes=("a",)),
    )
    return KernelReport(results)


def small_watch():
    cases = (
        Watched(
            "linear",
            "cases/linear.py",
            3,
            Verdict.MISTAKE,
            "another function",
            "MISTAKE: another function\nall of it",
            Verdict.ROUNDING,
            1.5,
        ),
        Watched("conv", "cases/conv.py", 7, Verdict.ROUNDING, "rounding explains it", "ROUNDING", Verdict.ROUNDING, 0.5),
        Watched(
            "broken", "cases/broken.py", 1, None, "Got ValueError: no\nNeeded: yes", "Got ValueError: no\nNeeded: yes", Verdict.FLIP, 0.1
        ),
        Watched("fresh", "cases/fresh.py", 2, Verdict.UNDECIDED, "too ill-conditioned", "UNDECIDED"),
        Watched("mended", "cases/mended.py", 2, Verdict.IDENTICAL, "same bits", "IDENTICAL", Verdict.UNSTABLE),
    )
    return Watch(cases, ("gone",), has_baseline=True)


def small_sweep():
    sides = ("exp", "eager", "float64", "float32", "")
    subjects = (Subject(*sides, 4, 2, 1, 0, "MISTAKE", 7.5, 0.25), Subject("sum", *sides[1:], 3, 0, 0, 1, "ROUNDING", None, 0.5))
    problem = FoundProblem(
        *sides, "MISTAKE", 2, 2, 1, "sample 3", "4x4", "another function", 7.5, "norm epsilon", "an epsilon differs (100 % of the difference)", "layer 1",
        "float32 [1.0]", "import torch\nprint(torch.exp(torch.ones(1)))\n",
    )  # fmt: skip
    worst = (
        CaseRow(*sides, "sample 3", "4x4", "MISTAKE", 7.5, 12.0, 0.1, "another function", ""),
        CaseRow("sum", *sides[1:], "sample 1", "4", "", None, None, 0.2, "", "its process died"),
    )
    runs = (
        PastRun("2026-02-02T00-00-00-ab12", "halfulp 0.1.0, torch 2.13.0", 7, 2, 1, 1, 0, 1),
        PastRun("2026-01-01T00-00-00-cd34", "halfulp 0.1.0, torch 2.12.0", 7, 1, 1, 0, 0, 0),
    )
    return Swept(
        "small", runs[0].run, "sweeps", {"MISTAKE": 2, "UNDECIDED": 1, "ROUNDING": 3, "": 1}, subjects, (problem,), worst,
        {"its process died": 1}, runs, 1.5,
    )  # fmt: skip


def made(kind):
    wrong, right, inputs = stack()
    return {
        "check": lambda: halfulp.check(halves, product, sized(0), closeups=True),
        "comparison": lambda: halfulp.compare({"y": torch.tensor([1.0, 2.0, float("nan")])}, {"y": torch.tensor([1.0, 2.5, 3.0])}),
        "origin": lambda: halfulp.locate(wrong, right, inputs),
        "explanation": lambda: halfulp.explain(wrong, right, inputs, processes=False),
        "orders": lambda: StoredOrders({"actual": halfulp.order(halves, sized(0)).stored(), "expected": halfulp.order(product, sized(0)).stored()}, {}, "another order", False),
        "datasheet": lambda: halfulp.datasheet("numpy", functions=("exp", "sqrt")),
        "matrix": small_matrix,
        "growth": lambda: halfulp.growth(halves, product, sized, sizes=(8, 32, 128)),
        "worst": lambda: halfulp.worst(lambda x: (x * x).mean(-1) - x.mean(-1) ** 2, lambda x: x.var(-1, correction=0), (torch.randn(4, 16),), seconds=1e9, evaluations=20),
        "sweep": small_sweep,
        "benchmark": small_benchmark,
        "audit": lambda: halfulp.audit(lambda x: x.double() * x, (torch.ones(3),)),
        "tolerance": lambda: halfulp.tolerance(product, sized),
        "watch": small_watch,
        "kernel": small_kernel,
        "baseline": lambda: small_watch().baseline(),
        "fingerprint": fingerprint,
    }[kind]()  # fmt: skip


@pytest.fixture(scope="session")
def results():
    """Kind -> a result of it, made when it is asked for first."""

    class Results(dict):
        def __missing__(self, kind):
            torch.manual_seed(0)
            self[kind] = made(kind)
            return self[kind]

    return Results()


@pytest.fixture(scope="session")
def browser():
    """Debian's Chromium, headless."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no Chromium here: apt-get install chromium")
    options = "--no-sandbox --disable-gpu --disable-dev-shm-usage --disable-background-networking --disable-component-update --disable-sync --no-first-run --disable-quic"
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=options.split())
        yield launched
        launched.close()
