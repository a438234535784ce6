"""Do `check` and `locate` agree? Ops x precisions x planted factors, each pair asked of both.

A contradiction is a pair that one accepts and the other does not, where both are further than a factor 2 from their limits. Two kinds are
counted apart: outputs that differ while `locate` says IDENTICAL, and an accepted factor that is far beyond rounding.

    python -m benchmarks.agreement [--quick]
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F

import halfulp
from halfulp.verdicts.evidence.measured import measured_excess

APART = 2.0
"""Factor from a limit below which the two may differ: each estimates its spread from eight samples."""


def _positive(x: torch.Tensor) -> torch.Tensor:
    return x.abs() + 0.125


OPS: dict[str, Callable[..., torch.Tensor]] = {
    "hypot": torch.hypot, "lgamma": lambda x, y: torch.lgamma(_positive(x) + 3), "erfc": lambda x, y: torch.erfc(x), "logaddexp": torch.logaddexp,
    "xlogy": lambda x, y: torch.xlogy(x, _positive(y)), "cdist": torch.cdist, "vector_norm": lambda x, y: torch.linalg.vector_norm(x, dim=1),
    "prod": lambda x, y: (1 + x / 16).prod(1), "pow 2": lambda x, y: x.pow(2), "pow 0.5": lambda x, y: _positive(x) ** 0.5, "pow 2.5": lambda x, y: _positive(x) ** 2.5,
    "exp": lambda x, y: torch.exp(x), "tanh": lambda x, y: torch.tanh(x), "sigmoid": lambda x, y: torch.sigmoid(x), "silu": lambda x, y: F.silu(x),
    "gelu": lambda x, y: F.gelu(x), "mish": lambda x, y: F.mish(x), "softplus": lambda x, y: F.softplus(x), "atan2": torch.atan2, "addcmul": lambda x, y: torch.addcmul(x, x, y),
    "lerp": lambda x, y: torch.lerp(x, y, 0.3), "mm": lambda x, y: x @ y.T, "sum": lambda x, y: x.sum(1), "mean": lambda x, y: x.mean(1), "var": lambda x, y: x.var(1),
    "cumsum": lambda x, y: x.cumsum(1), "softmax": lambda x, y: torch.softmax(x, -1), "log_softmax": lambda x, y: torch.log_softmax(x, -1),
    "logsumexp": lambda x, y: torch.logsumexp(x, 1), "layer_norm": lambda x, y: F.layer_norm(x, (x.shape[-1],)), "rms_norm": lambda x, y: F.rms_norm(x, (x.shape[-1],)),
    "normalize": lambda x, y: F.normalize(x, dim=1), "cosine_similarity": lambda x, y: F.cosine_similarity(x, y, dim=1), "avg_pool2d": lambda x, y: F.avg_pool2d(x[None, None], 2),
    "conv1d": lambda x, y: F.conv1d(x[:, None], y[:1, None, :5]), "mse_loss": lambda x, y: F.mse_loss(x, y, reduction="none"),
}  # fmt: skip
PRECISIONS = ("float64", "float32", "bfloat16", "float16")
FACTORS = (0.0, 4.0, 64.0, 1e4)
"""In units of u: nothing planted, within the rounding of some ops, beyond it for most, far beyond it."""


class Pair(NamedTuple):
    """One pair, as both judge it: accepted or not, and how many times the limit."""

    op: str
    precision: str
    factor: float
    check: Any
    locate: Any

    @property
    def by_check(self) -> float:
        """Times the limit."""
        noise = self.check.find("noise")
        if noise is None:
            return 0.0
        return measured_excess(noise).of_limit

    @property
    def by_locate(self) -> float:
        """Times the limit, the most that any op adds."""
        return max((point.excess for point in self.locate.walk), default=0.0)

    @property
    def contradicts(self) -> bool:
        """Whether one accepts what the other rejects, both clearly."""
        if self.check.acceptable == (self.locate.verdict in ACCEPTABLE):
            return False
        return all(not 1.0 / APART < each < APART for each in (self.by_check, self.by_locate))

    @property
    def is_accepted_beyond(self) -> bool:
        """Whether it contradicts, and an error of more than twice a limit is what one of the two accepts."""
        return self.contradicts and max(self.by_check, self.by_locate) >= APART

    @property
    def is_falsely_identical(self) -> bool:
        """Whether outputs differ and `locate` says that they don't."""
        return self.locate.verdict is halfulp.Verdict.IDENTICAL and self.check.verdict is not halfulp.Verdict.IDENTICAL


ACCEPTABLE = (halfulp.Verdict.IDENTICAL, halfulp.Verdict.ROUNDING)


def pairs(ops: dict[str, Callable[..., torch.Tensor]] = OPS, precisions: tuple[str, ...] = PRECISIONS) -> list[Pair]:
    """All pairs, asked of both."""
    found = []
    for number, (name, op) in enumerate(ops.items()):
        for precision in precisions:
            dtype = getattr(torch, precision)
            u = halfulp.floats.FORMATS[precision].unit_roundoff
            generator = torch.Generator().manual_seed(number)
            inputs = tuple(torch.randn(16, 24, generator=generator, dtype=torch.float64).to(dtype) for _ in range(2))
            for factor in FACTORS:

                def actual(x: torch.Tensor, y: torch.Tensor, op: Any = op, scale: float = 1.0 + factor * u) -> torch.Tensor:
                    return op(x, y) * scale

                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    try:
                        found.append(Pair(name, precision, factor, halfulp.check(actual, op, inputs), halfulp.locate(actual, op, inputs)))
                    except halfulp.RunError:  # not every op exists in every format
                        continue
    return found


def main(arguments: list[str]) -> int:
    """Print what contradicts, and the figures.

    `check` may also reject an error within its limit, by evidence that `locate` does not gather (is it redrawn when the inputs move?). That
    is counted as a contradiction, and does not stop a build; an error beyond twice a limit that one of the two accepts does.
    """
    ops = dict(list(OPS.items())[::4]) if "--quick" in arguments else OPS
    found = pairs(ops)
    for pair in found:
        if pair.contradicts or pair.is_falsely_identical:
            print(
                f"{pair.op:18s} {pair.precision:9s} 1 + {pair.factor:g} u: check {pair.check.verdict.name} at {pair.by_check:.3g} of its limit, "
                f"locate {pair.locate.verdict.name} at {pair.by_locate:.3g}"
            )
    contradictions, falsely = sum(pair.contradicts for pair in found), sum(pair.is_falsely_identical for pair in found)
    ratios = sorted(
        math.log2(p.by_check / p.by_locate) for p in found if p.by_check and p.by_locate and math.isfinite(p.by_check * p.by_locate)
    )
    print(f"figure pairs {len(found)} pairs")
    print(f"figure contradictions {contradictions} pairs")
    beyond = sum(pair.is_accepted_beyond for pair in found)
    print(f"figure accepted_beyond {beyond} pairs")
    print(f"figure falsely_identical {falsely} pairs")
    if ratios:
        print(f"figure median_ratio_of_limits {2 ** ratios[len(ratios) // 2]:.2f} times")
    return int(bool(beyond or falsely))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
