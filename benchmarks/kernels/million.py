"""How long does an answer take where the inputs have a million elements?

Six problems, each with a solution that is right in another order and one that is wrong beyond its blocks, as the machine has them side by
side: one at a time, with as many threads as PyTorch takes.

    python -W ignore -m benchmarks.kernels.million [--only NAME]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from halfulp.kernels import judge

PROBLEM = """
import torch
import torch.nn as nn
import torch.nn.functional as F


class {name}(nn.Module):
    def __init__(self, size):
        super().__init__()
        {constructor}

    def forward(self, x):
        {body}


ROWS, SIZE = {rows}, {size}


def get_inputs():
    return [torch.randn(ROWS, SIZE)]


def get_init_inputs():
    return [SIZE]
"""
SCALES = "self.weight = nn.Parameter(torch.ones(size)); self.bias = nn.Parameter(torch.zeros(size))"
LINEAR = "self.linear = nn.Linear(size, 256)"
NONE = "self.size = size"
KERNELS: dict[str, tuple[str, tuple[int, int], str, str, str]] = {
    "gelu": (
        NONE, (1024, 1024), "return F.gelu(x)",
        "return torch.cat([x[at : at + 64] * 0.5 * (1 + torch.erf(x[at : at + 64] * 0.5**0.5)) for at in range(0, len(x), 64)])",
        "return x * 0.5 * (1 + torch.tanh(0.7978845608 * (x + 0.044715 * x**3)))",
    ),
    "softmax": (
        NONE, (1000, 1000), "return torch.softmax(x, -1)",
        "e = torch.exp(x - x.amax(-1, keepdim=True)); return e / e.sum(-1, keepdim=True)",
        "e = torch.exp(x); return e / e.sum(-1, keepdim=True)",
    ),
    "layer norm": (
        SCALES, (2048, 512), "return F.layer_norm(x, x.shape[-1:], self.weight, self.bias)",
        "d = x - x.mean(-1, keepdim=True); return d * torch.rsqrt((d * d).mean(-1, keepdim=True) + 1e-5) * self.weight + self.bias",
        "m = x.mean(-1, keepdim=True); return (x - m) * torch.rsqrt((x * x).mean(-1, keepdim=True) - m * m + 1e-5) * self.weight + self.bias",
    ),
    "row sums": (
        NONE, (64, 16384), "return x.sum(-1)",
        "return torch.stack([x[:, at : at + 1024].sum(-1) for at in range(0, x.shape[1], 1024)]).sum(0)",
        "return torch.stack([x[:, at : at + 1024].sum(-1) for at in range(0, x.shape[1] // 1024 * 1024, 1024)]).sum(0)",
    ),
    "linear": (
        LINEAR, (1024, 1024), "return F.relu(self.linear(x))",
        "w, b = self.linear.weight, self.linear.bias; "
        "return torch.cat([(x[at : at + 128] @ w.t() + b).clamp(min=0) for at in range(0, len(x), 128)])",
        "w, b = self.linear.weight, self.linear.bias; return (x.bfloat16() @ w.t().bfloat16()).float().add(b).clamp(min=0)",
    ),
    "running sums": (
        NONE, (512, 2048), "return x.cumsum(-1)",
        "b = torch.stack(x.split(64, -1)) if x.shape[1] % 64 == 0 else None; "
        "return x @ torch.ones(x.shape[1], x.shape[1]).triu() if b is None else "
        "torch.cat(list(b @ torch.ones(64, 64).triu() + F.pad(b.sum(-1).cumsum(0), (0, 0, 1, 0))[:-1, :, None]), -1)",
        "return x @ torch.ones(x.shape[1], x.shape[1]).triu(1)",
    ),
}  # fmt: skip
"""Of each problem: what its constructor makes, rows and columns, and the bodies of the reference, a right and a wrong solution."""


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="only problems whose name contains this")
    options = parser.parse_args()
    seconds: list[float] = []
    wrong = 0
    for kernel, (constructor, (rows, size), *bodies) in KERNELS.items():
        if options.only not in kernel:
            continue
        with tempfile.TemporaryDirectory(prefix="halfulp-million-") as folder:
            for name, body in zip(("problem", "right", "wrong"), bodies):
                of_class = "Model" if name == "problem" else "ModelNew"
                text = PROBLEM.format(name=of_class, constructor=constructor, body=body, rows=rows, size=size)
                Path(folder, f"{name}.py").write_text(text, encoding="utf-8")
            for name in ("right", "wrong"):
                found = judge(Path(folder, "problem.py"), Path(folder, f"{name}.py"))
                seconds.append(found.seconds)
                wrong += found.acceptable is not (name == "right")
                print(f"{kernel}, {rows} x {size}, the {name} one: {found.answer} after {found.seconds:.1f} s, {len(found.asked)} questions"
                      f"{'' if found.complete else ', not all'}", flush=True)  # fmt: skip
    print(f"figure answers_wrong {wrong} solutions")
    print(f"figure median_seconds {statistics.median(seconds):.1f} s")
    print(f"figure slowest_seconds {max(seconds):.1f} s")
    sys.exit(int(wrong > 0))


if __name__ == "__main__":
    main()
