"""How evenly a fast convolution spreads its error over channels: python -W ignore -m benchmarks.origins.calibrate

NNPACK's Winograd kernel (oneDNN off, 3x3, 16 images or more) on normal images and on those that a ReLU leaves, 8 to 64 channels: the norm of each output
channel's error in units of its noise, largest and median. `origins/judging.py` takes the largest ratio of the two for its limit.
"""

from __future__ import annotations

import statistics

import torch
import torch.nn.functional as F

import halfulp
from halfulp.floats import FLOAT32
from halfulp.ops.arithmetic import Direct
from halfulp.origins.judging import channels_of
from halfulp.origins.replaying import Values, evaluate

from ..verdicts.figures import report_figures


def channels(images: torch.Tensor, weight: torch.Tensor) -> tuple[float, ...]:
    """norm_in_noise of each output channel."""

    def run(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        with torch.backends.mkldnn.flags(enabled=False):
            return F.conv2d(x, w, padding=1)

    trace = halfulp.record(run, (images, weight), level="tensors")
    step = next(each for each in trace.ops if each.name == "convolution")
    values, direct = Values(trace), Direct(FLOAT32)
    exact = evaluate(step, values.number)[0]
    evaluate(step, values.number, direct)
    assert exact is not None
    return channels_of(values.number(step.outputs[0]), exact, direct.spread(exact.shape))


def main() -> int:
    ratios, worst = [], 0.0
    for count in (8, 16, 32, 64):
        for seed in range(5):
            torch.manual_seed(seed)
            images = torch.randn(16, count, 24, 24)
            for x in (images, images.relu()):
                found = channels(x, torch.randn(count, count, 3, 3))
                ratios.append(max(found) / statistics.median(found))
                worst = max(worst, *found)
    print(f"{len(ratios)} convolutions; largest channel over median: median {statistics.median(ratios):.2f}")
    report_figures({"fast_convolution_unevenness": (max(ratios), "ratio"), "fast_convolution_norm": (worst, "noise")})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
