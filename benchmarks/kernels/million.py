"""How long does an answer take where the inputs have a million elements?

Six problems, each with two solutions that are right in another order and three that are wrong, a share as in the labelled sets. One is
judged at a time, with as many threads as PyTorch takes.

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
KERNELS: dict[str, tuple[str, tuple[int, int], str, tuple[str, ...], tuple[str, ...]]] = {
    "gelu": (
        NONE, (1024, 1024), "return F.gelu(x)",
        (
            "return torch.cat([x[at : at + 64] * 0.5 * (1 + torch.erf(x[at : at + 64] * 0.5**0.5)) for at in range(0, len(x), 64)])",
            "return 0.5 * x * torch.erfc(-x * 0.5**0.5)",
        ),
        (
            "return x * 0.5 * (1 + torch.tanh(0.7978845608 * (x + 0.044715 * x**3)))",
            "return x * 0.5 * (1 + torch.erf(x * 0.7071))",
            "y = x * 0.5 * (1 + torch.erf(x * 0.5**0.5)); return F.pad(y[: len(x) // 64 * 64], (0, 0, 0, len(x) % 64))",
        ),
    ),
    "softmax": (
        NONE, (1000, 1000), "return torch.softmax(x, -1)",
        (
            "e = torch.exp(x - x.amax(-1, keepdim=True)); return e / e.sum(-1, keepdim=True)",
            "e = torch.exp(x - x.amax(-1, keepdim=True)); return (e / e.double().sum(-1, keepdim=True)).float()",
        ),
        (
            "e = torch.exp(x); return e / e.sum(-1, keepdim=True)",
            "e = torch.exp(x - x.amax()); return e / e.sum(-1, keepdim=True)",
            "e = torch.exp(x - x.amax(-1, keepdim=True).clamp(min=0)); return e / e.sum(-1, keepdim=True)",
        ),
    ),
    "layer norm": (
        SCALES, (2048, 512), "return F.layer_norm(x, x.shape[-1:], self.weight, self.bias)",
        (
            "d = x - x.mean(-1, keepdim=True); return d * torch.rsqrt((d * d).mean(-1, keepdim=True) + 1e-5) * self.weight + self.bias",
            "d = x - x.mean(-1, keepdim=True); s = torch.sqrt((d * d).sum(-1, keepdim=True) / x.shape[-1] + 1e-5); "
            "return torch.addcmul(self.bias, d / s, self.weight)",
        ),
        (
            "m = x.mean(-1, keepdim=True); "
            "return (x - m) * torch.rsqrt((x * x).mean(-1, keepdim=True) - m * m + 1e-5) * self.weight + self.bias",
            "d = x - x.mean(-1, keepdim=True); return d / ((d * d).mean(-1, keepdim=True).sqrt() + 1e-5) * self.weight + self.bias",
            "d = x - x.mean(-1, keepdim=True); return d * torch.rsqrt(x.var(-1, keepdim=True) + 1e-5) * self.weight + self.bias",
        ),
    ),
    "row sums": (
        NONE, (64, 16384), "return x.sum(-1)",
        (
            "return torch.stack([x[:, at : at + 1024].sum(-1) for at in range(0, x.shape[1], 1024)]).sum(0)",
            "return x @ torch.ones(x.shape[1])",
        ),
        (
            "return torch.stack([x[:, at : at + 1024].sum(-1) for at in range(0, x.shape[1] // 1024 * 1024, 1024)]).sum(0)",
            "return torch.stack([x[:, at : at + 1024].sum(-1).bfloat16() for at in range(0, x.shape[1], 1024)]).float().sum(0)",
            "self.kept = self.kept if getattr(self, 'kept', None) is not None else x.sum(-1); return self.kept",
        ),
    ),
    "linear": (
        LINEAR, (1024, 1024), "return F.relu(self.linear(x))",
        (
            "w, b = self.linear.weight, self.linear.bias; "
            "return torch.cat([(x[at : at + 128] @ w.t() + b).clamp(min=0) for at in range(0, len(x), 128)])",
            "w, b = self.linear.weight, self.linear.bias; parts = zip(x.split(256, -1), w.split(256, -1)); "
            "return (sum(p @ q.t() for p, q in parts) + b).clamp(min=0)",
        ),
        (
            "w, b = self.linear.weight, self.linear.bias; return (x.bfloat16() @ w.t().bfloat16()).float().add(b).clamp(min=0)",
            "w, b = self.linear.weight, self.linear.bias; return (x @ w.t()).clamp(min=0) + b",
            "self.kept = getattr(self, 'kept', self.linear.weight.detach().t().clone()); return (x @ self.kept + self.linear.bias).clamp(min=0)",
        ),
    ),
    "running sums": (
        NONE, (512, 2048), "return x.cumsum(-1)",
        (
            "b = torch.stack(x.split(64, -1)) if x.shape[1] % 64 == 0 else None; "
            "return x @ torch.ones(x.shape[1], x.shape[1]).triu() if b is None else "
            "torch.cat(list(b @ torch.ones(64, 64).triu() + F.pad(b.sum(-1).cumsum(0), (0, 0, 1, 0))[:-1, :, None]), -1)",
            "for at in (1 << bit for bit in range(x.shape[1].bit_length())): x = x + F.pad(x, (at, 0))[:, : x.shape[1]]\n"
            "        return x",
        ),
        (
            "return x @ torch.ones(x.shape[1], x.shape[1]).triu(1)",
            "p = x.split(1024, -1); o = [q @ torch.ones(q.shape[1], q.shape[1]).triu() for q in p]; "
            "return torch.cat([o[0], *(b + a[:, -1:] for a, b in zip(o, o[1:]))], -1)",
            "p = x.split(256, -1); o = [q @ torch.ones(q.shape[1], q.shape[1]).triu() for q in p]; "
            "return torch.cat([a + sum(q.sum(-1, keepdim=True).half() for q in p[:at]) for at, a in enumerate(o)], -1)",
        ),
    ),
}  # fmt: skip
"""Of each problem: what its constructor makes, rows and columns, and the bodies of the reference, of right solutions and of wrong ones."""


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="only problems whose name contains this")
    options = parser.parse_args()
    seconds: list[float] = []
    missed = 0
    for kernel, (constructor, (rows, size), *bodies) in KERNELS.items():
        if options.only not in kernel:
            continue
        reference, right, wrong = bodies
        with tempfile.TemporaryDirectory(prefix="halfulp-million-") as folder:
            for name, body in (("problem", reference), *_named(right, wrong)):
                of_class = "Model" if name == "problem" else "ModelNew"
                text = PROBLEM.format(name=of_class, constructor=constructor, body=body, rows=rows, size=size)
                Path(folder, f"{name}.py").write_text(text, encoding="utf-8")
            for name, _ in _named(right, wrong):
                found = judge(Path(folder, "problem.py"), Path(folder, f"{name}.py"))
                seconds.append(found.seconds)
                missed += found.acceptable is not name.startswith("right")
                print(f"{kernel}, {rows} x {size}, {name}: {found.answer} after {found.seconds:.1f} s, {len(found.asked)} questions"
                      f"{'' if found.complete else ', not all'}", flush=True)  # fmt: skip
    print(f"figure answers_wrong {missed} solutions")
    print(f"figure median_seconds {statistics.median(seconds):.1f} s")
    print(f"figure slowest_seconds {max(seconds):.1f} s")
    sys.exit(int(missed > 0))


def _named(right: tuple[str, ...], wrong: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(f"{name}_{at}", body) for name, bodies in (("right", right), ("wrong", wrong)) for at, body in enumerate(bodies, 1)]


if __name__ == "__main__":
    main()
