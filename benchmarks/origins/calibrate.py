"""Two limits of `origins`, measured: python -W ignore -m benchmarks.origins.calibrate

How evenly a fast convolution spreads its error over channels: NNPACK's Winograd kernel (oneDNN off, 3x3, 16 images or more) on normal images and on those that a ReLU leaves, 8 to 64 channels: the norm of each output
channel's error in units times the noise of that format, largest and median. `origins/addition.py` takes the largest ratio of the two for its limit.

How many times larger an op makes the difference that goes into it: over every op of the honest pairs of this folder whose result differs by
more than its own rounding, the largest gain and how few ops exceed what `origins/conclusion.py` allows an op that can't be evaluated.
"""

from __future__ import annotations

import statistics

import torch
import torch.nn.functional as F

import halfulp
from halfulp.floats import FLOAT32, FORMATS
from halfulp.ops.arithmetic import Direct
from halfulp.origins.addition import channels_of
from halfulp.origins.conclusion import UNSEEN_GROWTH, UNSEEN_GROWTH_BACKWARD
from halfulp.origins.values import Values, evaluate

from ..verdicts.figures import report_figures
from .honest import HONEST
from .run import located

OWN_ROUNDING = 8.0
"""Units of u: a result that differs by more has most of it from what went in."""


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


def gains() -> dict[str, list[float]]:
    """Phase -> of every judged op of the honest pairs: the difference that comes out over the one that goes in, where rounding alone is less."""
    found: dict[str, list[float]] = {"forward": [], "backward": []}
    for pair in HONEST:
        torch.manual_seed(0)
        u = FORMATS[pair.declared or "float32"].unit_roundoff
        for point in located(pair).walk:
            if point.phase in found and point.verdict is not None and point.gain is not None and point.total > OWN_ROUNDING * u:
                found[point.phase].append(point.gain)
    return {phase: sorted(each) for phase, each in found.items()}


def main() -> int:
    figures: dict[str, tuple[float, str]] = {}
    for phase, found in gains().items():
        limit = UNSEEN_GROWTH if phase == "forward" else UNSEEN_GROWTH_BACKWARD
        beyond = sum(gain > limit for gain in found)
        print(f"{phase}: {len(found)} ops, {beyond} make the difference more than {limit:g} times larger; the largest: {found[-4:]}")
        figures[f"{phase}_ops_beyond_growth"] = (100.0 * beyond / max(1, len(found)), "%")
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
    report_figures({**figures, "fast_convolution_unevenness": (max(ratios), "ratio"), "fast_convolution_norm": (worst, "noise")})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
