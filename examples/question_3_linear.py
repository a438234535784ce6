"""Question 3: why is F.linear(x, W, B) not x @ W.T + B?"""

import numpy as np
import torch
import torch.nn.functional as F

from halfulp import explain, order

TITLE = "3. x @ W.T + B is not F.linear(x, W, B)"
QUESTION = (
    "On the CPU the sum of absolute differences is 0.029 at 32 x 2048 -> 512 and torch.allclose is False; NumPy differs too, in float64 by 5.7e-11; "
    "conv1d and conv_transpose1d do the same. Is another formula used?"
)


def inputs(seed, size=2048):
    generator = torch.Generator().manual_seed(seed)
    return tuple(torch.randn(*shape, generator=generator) for shape in ((32, size), (512, size), (512,)))


def actual(x, W, B):
    return x @ W.T + B


def expected(x, W, B):
    return F.linear(x, W, B)


def _numpy(x, W, B):
    return torch.from_numpy(x.numpy() @ W.numpy().T + B.numpy())


def _conv1d(x, w, b):
    """conv1d as a matrix product over unfolded windows."""
    windows = x.unfold(2, w.shape[2], 1).permute(0, 2, 1, 3).flatten(2)
    return (windows @ w.flatten(1).T + b).transpose(1, 2)


def _conv_transpose1d(x, w, b):
    """conv_transpose1d with stride 1 as conv1d with flipped, transposed weights and full padding."""
    return F.conv1d(x, w.flip(2).transpose(0, 1), b, padding=w.shape[2] - 1)


def parts(full=False):
    yield {
        "title": "x @ W.T + B against F.linear, float32, 32 x 2048 -> 512",
        "actual": actual,
        "expected": expected,
        "inputs": inputs(0),
        "verdicts": ("ROUNDING", "IDENTICAL"),
    }
    yield {
        "title": "NumPy against F.linear, float32",
        "actual": _numpy,
        "expected": expected,
        "inputs": inputs(0),
        "verdicts": ("ROUNDING", "IDENTICAL"),
    }
    double = tuple(each.double() for each in inputs(0))
    yield {
        "title": "NumPy against F.linear, float64",
        "actual": _numpy,
        "expected": expected,
        "inputs": double,
        "verdicts": ("ROUNDING", "IDENTICAL"),
    }
    generator = torch.Generator().manual_seed(0)
    signal, kernel, bias = (torch.randn(*shape, generator=generator) for shape in ((2, 64, 256), (32, 64, 5), (32,)))
    yield {
        "title": "conv1d as a product of unfolded windows, against F.conv1d",
        "actual": _conv1d,
        "expected": F.conv1d,
        "inputs": (signal, kernel, bias),
        "verdicts": ("ROUNDING", "IDENTICAL"),
    }
    turned = torch.randn(64, 32, 5, generator=generator)
    yield {
        "title": "conv_transpose1d as a convolution, against F.conv_transpose1d",
        "actual": _conv_transpose1d,
        "expected": F.conv_transpose1d,
        "inputs": (signal, turned, bias),
        "verdicts": ("ROUNDING", "IDENTICAL"),
    }


def figures(full=False):
    x, W, B = inputs(0)
    apart = (actual(x, W, B) - expected(x, W, B)).abs().sum().item()
    close = torch.allclose(actual(x, W, B), expected(x, W, B))
    by_type = [
        np.abs(
            (x.to(kind).numpy() @ W.to(kind).numpy().T + B.to(kind).numpy()) - expected(x.to(kind), W.to(kind), B.to(kind)).numpy()
        ).sum()
        for kind in (torch.float32, torch.float64)
    ]
    yield (
        f"Sum of absolute differences here {apart:.4f} (post: 0.0291), torch.allclose {close} (post: False); NumPy in float32 {by_type[0]:.4f} (post: 0.0275), in "
        f"float64 {by_type[1]:.2e} (post: 5.67e-11). These are sums over 16,384 elements of rounding errors of results of size 45."
    )
    mine, theirs = order(actual, inputs(0)), order(expected, inputs(0))
    yield f"The order in which x @ W.T + B adds: {mine.describe()}. {mine.proof}"
    yield f"The order in which F.linear adds: {theirs.describe()}. {theirs.proof}"
    for cause in explain(actual, expected, inputs(0), processes=False) if full else ():
        yield f"The cause: {cause.name}, {100 * cause.share:.0f} % of the difference. {cause.statement} {cause.evidence[0]}"
    yield f"The difference: {mine.diff(theirs)}. halfulp order examples/question_3_linear.py --emit DIR writes NumPy programs that give the bits of both."
