"""What explaining costs: python -W ignore -m benchmarks.explain_cost

All knobs that can be turned in this process, for one op (limit 2 s); a convolutional net compiled with max-autotune taken apart, compiling
included (limit 60 s); the settings that need fresh processes, run side by side on the cores there are, beside one after the other; and what explaining
takes of its budget (limit 1.2).
"""

from __future__ import annotations

import copy
import statistics
import sys
import time
import warnings
from collections.abc import Callable

import torch
from torch import nn

import halfulp
from halfulp.backends.knobs import knobs
from halfulp.cases import Case
from halfulp.causes.fresh import payload_of
from halfulp.causes.laboratory import Laboratory
from halfulp.causes.processes import Job, run_jobs
from halfulp.causes.trial import of_knob
from halfulp.noise import noise_of
from halfulp.verdicts.checker import judged
from halfulp.verdicts.gatherer import Gatherer

from .verdicts.figures import report_figures

ONE_OP_LIMIT_S, COMPILED_LIMIT_S = 2.0, 60.0
OVERRUN_LIMIT = 1.2
RUNS = 5


class Net(nn.Module):
    """The net of question 5."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(3, 16, 3, padding=1), nn.Conv2d(16, 32, 3, padding=1)
        self.fc1, self.fc2 = nn.Linear(32 * 8 * 8, 512), nn.Linear(512, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.conv2(torch.relu(self.conv1(x))))
        return self.fc2(torch.relu(self.fc1(x.view(x.size(0), -1))))


def laboratory_of(case: Case) -> Laboratory:
    return Laboratory(case, noise_of(case), judged(Gatherer(case, lambda _: None)), time.monotonic() + 600, lambda _: None)


def knobs_of_one_op() -> tuple[float, int]:
    """Seconds for every knob of this process on both sides of a linear layer, and how many trials that are."""
    x, weight, bias = torch.randn(32, 1001), torch.randn(77, 1001), torch.randn(77)
    laboratory = laboratory_of(Case(lambda x, w, b: x @ w.T + b, torch.nn.functional.linear, (x, weight, bias)))
    start, count = time.perf_counter(), 0
    for place, knob in enumerate(knobs()):
        if not knob.needs_fresh_process and not knob.unavailable():
            for side in ("expected", "actual"):
                laboratory.make(of_knob(knob, side, place))
                count += 1
    return time.perf_counter() - start, count


def compiled_net() -> float:
    """Seconds to take the compiled net apart, from the first compilation on."""
    torch.manual_seed(0)
    net, x = Net(), torch.randn(10, 3, 8, 8)
    start = time.perf_counter()
    halfulp.explain(torch.compile(net, mode="max-autotune"), net, (x,), processes=False)
    return time.perf_counter() - start


def fresh_processes() -> tuple[float, float]:
    """Seconds for the settings that need fresh processes: side by side, and one after the other."""
    layer = nn.Linear(256, 64)
    laboratory = laboratory_of(Case(layer, layer, (torch.randn(8, 256),)))
    jobs = [Job(knob.detail, knob.environment) for knob in knobs() if knob.needs_fresh_process and not knob.unavailable()]
    payload = payload_of(laboratory, layer, layer)
    seconds: list[float] = []
    for at_once in (None, 1):
        start = time.perf_counter()
        run_jobs(payload, jobs, at_once=at_once)
        seconds.append(time.perf_counter() - start)
    return seconds[0], seconds[1]


def budget_overruns() -> dict[str, float]:
    """The time that explaining took, in budgets of 10 and 30 s: the larger of both for each pair.

    What was to be explained was called before: compiling it is the user's own.
    """
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(64, 4, 128, 0.0, "gelu", batch_first=True, norm_first=True)
    model = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False).eval()
    faulty = copy.deepcopy(model)
    faulty.layers[2].norm2.eps = 1e-3
    net = Net().eval().requires_grad_(False)
    compiled, x = torch.compile(net, mode="max-autotune"), torch.randn(10, 3, 8, 8)
    compiled(x)
    norms = nn.LayerNorm(64, eps=1e-3), nn.LayerNorm(64)

    def slow(module: nn.Module) -> Callable[[torch.Tensor], torch.Tensor]:
        def run(x: torch.Tensor) -> torch.Tensor:
            time.sleep(0.5)
            return module(x)

        return run

    pairs = {
        "transformer": (faulty, model, torch.randn(2, 32, 64)),
        "compiled": (compiled, net, x),
        "slow": (slow(norms[0]), slow(norms[1]), torch.randn(4, 64)),
    }
    found: dict[str, float] = {}
    for name, (actual, expected, given) in pairs.items():
        for budget in (10.0, 30.0):
            start = time.perf_counter()
            halfulp.explain(actual, expected, (given,), budget_s=budget)
            found[name] = max(found.get(name, 0.0), (time.perf_counter() - start) / budget)
    return found


def main() -> int:
    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    measured = [knobs_of_one_op() for _ in range(RUNS)]
    one_op = statistics.median(seconds for seconds, _ in measured)
    compiled = compiled_net()
    beside, after = fresh_processes()
    overruns = budget_overruns()
    report_figures(
        {
            "knobs_one_op_seconds": (one_op, "s"),
            "knobs_one_op_trials": (measured[0][1], "trials"),
            "compiled_net_seconds": (compiled, "s"),
            "fresh_processes_side_by_side": (beside, "s"),
            "fresh_processes_one_by_one": (after, "s"),
            **{f"budget_overrun_{name}": (ratio, "budgets") for name, ratio in overruns.items()},
        }
    )
    return int(one_op > ONE_OP_LIMIT_S or compiled > COMPILED_LIMIT_S or max(overruns.values()) > OVERRUN_LIMIT)


if __name__ == "__main__":
    sys.exit(main())
