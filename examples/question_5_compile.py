"""Question 5: does torch.compile(mode="max-autotune") have less precision?"""

import os
import shutil
import warnings

import torch
from torch import nn

from halfulp import explain

TITLE = "5. torch.compile(mode='max-autotune') differs from eager with convolutions"
QUESTION = "In 100 runs compiled and eager outputs are not always within rtol 1e-5 and atol 1e-8. Does the compiled model have less precision? How large is the difference?"
RUNS = 100


class ConvLinearModel(nn.Module):
    """The poster's network."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, kernel_size=3, stride=1, padding=1)
        self.conv2 = nn.Conv2d(16, 32, kernel_size=3, stride=1, padding=1)
        self.fc1 = nn.Linear(32 * 8 * 8, 512)
        self.fc2 = nn.Linear(512, 10)

    def forward(self, x):
        x = torch.relu(self.conv1(x))
        x = torch.relu(self.conv2(x))
        x = x.view(x.size(0), -1)
        x = torch.relu(self.fc1(x))
        return self.fc2(x)


def _model():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return ConvLinearModel().eval().requires_grad_(False)


def has_compiler():
    return bool(os.environ.get("CXX") or any(shutil.which(name) for name in ("c++", "g++", "clang++", "cl")))


def _channels_last(x):
    return expected(x.contiguous(memory_format=torch.channels_last))


warnings.filterwarnings("ignore", module="torch.*")  # max-autotune warns about GPUs it does not find
expected = _model()
# The compiled model where there is a compiler; the eager one in another memory format where there is none.
actual = torch.compile(expected, mode="max-autotune") if has_compiler() else _channels_last


def inputs(seed):
    return (torch.randn(10, 3, 8, 8, generator=torch.Generator().manual_seed(42 + seed)),)


def parts(full=False):
    if not has_compiler():
        yield "There is no C++ compiler here, which torch.compile needs on a CPU: the eager model in channels-last memory stands in for it."
    for run in (0, 1):
        yield {
            "title": f"compiled against eager, run {run + 1}",
            "actual": actual,
            "expected": expected,
            "inputs": inputs(run),
            "verdicts": ("IDENTICAL", "ROUNDING"),
        }


def figures(full=False):
    errors = []
    discrepancies = 0
    exact_model = _model().double()
    runs = RUNS if full else 2
    for run in range(runs):
        (x,) = inputs(run)
        ours, eager, exact = actual(x), expected(x), exact_model(x.double())
        discrepancies += not torch.allclose(ours, eager, rtol=1e-5, atol=1e-8)
        errors.append([(each.double() - exact).abs().max().item() for each in (ours, eager)])
    worst = [max(each[side] for each in errors) for side in (0, 1)]
    yield (
        f"Runs beyond rtol 1e-5, atol 1e-8 here: {discrepancies} of {runs} (the post prints none of its numbers). Largest error against float64 in {runs} runs: compiled {worst[0]:.2g}, eager "
        f"{worst[1]:.2g}, for outputs of size {exact.abs().max().item():.2g}."
    )
    if has_compiler() and full:
        found = explain(actual, expected, inputs(0), processes=False)
        changed = [each for each in found.stages if each.unequal]
        stages = ", ".join(f"{each.name} ({each.unequal} of {each.count} elements)" for each in changed) or "none"
        yield (
            f"Stages of compiling that were run: {', '.join(each.name for each in found.stages)}. Those that change bits: {stages}; verdicts: "
            f"{', '.join(dict.fromkeys(each.verdict.name for each in found.stages if each.verdict))}. halfulp explain examples/question_5_compile.py also compiles it in fresh processes and tells "
            "whether the kernels chosen by timing vary between them."
        )
