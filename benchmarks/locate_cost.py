"""What locating costs in a model of the size of GPT-2 small: python -W ignore -m benchmarks.locate_cost

124 million parameters, 64 tokens, forward and backward, recorded twice with all tensors (once with a fault: the epsilon of one layer norm, and with
oneDNN off, so that bits differ throughout), then located. Peak memory is what this process has beyond the model, gradients included (0.5 GB of
it), sampled every 20 ms; limits: 1 GB, 2 minutes on 2 cores.
"""

from __future__ import annotations

import tempfile
import threading
import time
from pathlib import Path

import torch

import halfulp

from .origins.models import make
from .verdicts.figures import report_figures

LIMIT_GB, LIMIT_S = 1.0, 120.0


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


class Peak:
    """The most memory that this process had since it was made."""

    def __init__(self) -> None:
        self.start = self.most = resident_bytes()
        self._ended = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while not self._ended.wait(0.02):
            self.most = max(self.most, resident_bytes())

    def beyond_gb(self) -> float:
        self._ended.set()
        return (self.most - self.start) / 1e9


def main() -> int:
    model, inputs = make("gpt2")
    model(*inputs).sum().backward()  # what PyTorch allocates once is there before
    model.zero_grad(set_to_none=True)
    peak, start = Peak(), time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        model.h[5].ln_2.eps = 1e-4
        with torch.backends.mkldnn.flags(enabled=False):
            actual = halfulp.record(model, inputs, Path(folder) / "actual.trace", level="tensors", gradients=True)
        model.zero_grad(set_to_none=True)
        model.h[5].ln_2.eps = 1e-5
        expected = halfulp.record(model, inputs, Path(folder) / "expected.trace", level="tensors", gradients=True)
        model.zero_grad(set_to_none=True)
        size = sum(path.stat().st_size for path in actual.path.iterdir())
        recorded = time.perf_counter() - start
        origin = halfulp.locate(actual, expected)
    seconds, memory = time.perf_counter() - start, peak.beyond_gb()
    print(f"{origin.module} {origin.op} {origin.verdict.name}; {len(origin.walk):,} values compared; {size / 1e9:.2f} GB a trace")
    print(f"recording both took {recorded:.0f} s")
    report_figures({"locate_gpt2_seconds": (seconds, "s"), "locate_gpt2_peak_beyond_model": (memory, "GB")})
    return int(origin.module != "h.5.ln_2" or memory > LIMIT_GB or seconds > LIMIT_S)


if __name__ == "__main__":
    raise SystemExit(main())
