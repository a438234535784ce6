"""Question 2: why do tensor operations produce inconsistent results?"""

import torch

import halfulp

TITLE = "2. Tensor operations give inconsistent results"
QUESTION = (
    "Results vary with dtype, in-place operations, autograd. The post says that mixing float32 with float64 is unpredictable (type promotion is "
    "defined) and that in-place operations are nondeterministic (they are not; but written onto memory that overlaps itself they compute "
    "something else)."
)


def inputs(seed):
    return (torch.randn(1000, generator=torch.Generator().manual_seed(seed)),)


def actual(signal):
    """Double every window of three samples, in place. The windows share memory, so a sample is doubled once per window it is in."""
    return signal.unfold(0, 3, 1).mul_(2.0)


def expected(signal):
    return signal.unfold(0, 3, 1) * 2.0


def _in_place(a, b):
    return a.clone().add_(b)


def _products(a, b):
    return a * b


def _twice(x):
    return (x * 2).sum()


def _mixed(signal):
    """What the post calls unpredictable: float32 data, a float64 table, Python numbers and integers."""
    table = torch.linspace(0.0, 1.0, 1000, dtype=torch.float64)
    count = torch.arange(1000) * 0.5
    return (signal * table + count).float()


def parts(full=False):
    yield {
        "title": "in place on overlapping windows, against out of place",
        "actual": actual,
        "expected": expected,
        "inputs": inputs(0),
        "verdicts": ("MISTAKE",),
    }
    pair = (torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0.1, 0.2, 0.3]))
    yield {
        "title": "example 1: a product in float32 against the same in float64, float32 declared",
        "actual": _products,
        "expected": lambda a, b: (a.double() * b.double()).float(),
        "inputs": pair,
        "verdicts": ("IDENTICAL", "ROUNDING"),
    }
    yield {
        "title": "example 2: in-place addition against out of place",
        "actual": _in_place,
        "expected": torch.add,
        "inputs": pair,
        "verdicts": ("IDENTICAL",),
    }
    yield {
        "title": "example 3: the gradient of 2x, against adding x twice",
        "actual": _twice,
        "expected": lambda x: (x + x).sum(),
        "inputs": pair[:1],
        "gradients": True,
        "verdicts": ("IDENTICAL", "ROUNDING"),
    }


def figures(full=False):
    a, b = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0.1, 0.2, 0.3])
    difference = (a * b).double() - a.double() * torch.tensor([0.1, 0.2, 0.3], dtype=torch.float64)
    yield (
        f"The post's example 1 prints the difference {[float(f'{each:.2g}') for each in difference.tolist()]}: it comes from 0.1, 0.2 and 0.3 being rounded "
        "to float32 before anything is multiplied."
    )
    yield "Which lines of a function change the format of its numbers (halfulp.audit):"
    for each in halfulp.audit(_mixed, inputs(0)).entries:
        yield f"- {each.kind}: {each.detail} ({each.where})"
