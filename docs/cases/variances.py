"""A plan: variances in one pass and in two, of numbers around zero and far from it."""

import torch

name = "variances"
subjects = ["around zero", "far from zero"]


def one_pass(x):
    return (x * x).mean(-1) - x.mean(-1) ** 2


def two_passes(x):
    return x.var(-1, correction=0)


def cases(subject, seed):
    torch.manual_seed(seed)
    for length in (16, 64, 256):
        x = torch.randn(8, length) + (1000.0 if subject == "far from zero" else 0.0)
        yield {"setting": f"rows of {length}", "actual": one_pass, "expected": two_passes, "inputs": (x,)}
