"""What recording costs, in forward passes: python -W ignore -m benchmarks.record_cost [--runs 7]

A 12-block convolutional net and a 6-layer transformer, one thread, CPU time. Each level is measured in turn with the plain forward pass, so that what else the
machine does touches both; the figure is the median of the ratios. The disk's own write time is shown apart: the same bytes, written once more
from memory. Peers in the same run: PyTorch's DebugMode with hashes, and msprobe (MindStudio Probe), where it is installed.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn

from halfulp.recording import Recorder

from .verdicts.figures import report_figures

LIMITS = {"hash": 2.0, "statistics": 3.0, "tensors": 6.0}


class Block(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv, self.norm, self.act = nn.Conv2d(channels, channels, 3, padding=1), nn.BatchNorm2d(channels), nn.ReLU()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.act(self.norm(self.conv(x)))


def conv_net() -> tuple[nn.Module, torch.Tensor]:
    """Twelve blocks of conv, norm, ReLU with 64 channels on 56x56, as in the second stage of a ResNet."""
    return nn.Sequential(nn.Conv2d(3, 64, 3, padding=1), *(Block(64) for _ in range(12))).eval(), torch.randn(4, 3, 56, 56)


def transformer() -> tuple[nn.Module, torch.Tensor]:
    """Six encoder layers of width 512, 8 heads, 256 tokens."""
    layer = nn.TransformerEncoderLayer(512, 8, 2048, dropout=0.0, batch_first=True)
    return nn.TransformerEncoder(layer, 6, enable_nested_tensor=False).train(), torch.randn(2, 256, 512)


def spent(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def recorded(model: nn.Module, x: torch.Tensor, level: str) -> tuple[float, float, int]:
    """Seconds of a recorded forward pass, seconds that its bytes take to write, and the bytes."""
    with tempfile.TemporaryDirectory() as folder:
        recorder = Recorder(Path(folder) / "run.trace", level=level)
        recorder.watch(model)
        with recorder:
            start = time.process_time()
            model(x)
            seconds = time.process_time() - start
        stored = b"".join(path.read_bytes() for path in recorder.path.glob("*.safetensors"))
        start = time.process_time()
        (Path(folder) / "again").write_bytes(stored)
        return seconds, time.process_time() - start, len(stored)


def debug_mode(model: nn.Module, x: torch.Tensor) -> Callable[[], object] | None:
    try:
        from torch.utils._debug_mode import DebugMode
    except ImportError:
        return None

    def run() -> None:
        with DebugMode() as mode, DebugMode.log_tensor_hashes(hash_inputs=False):
            model(x)
        del mode

    return run


def msprobe(model: nn.Module, x: torch.Tensor, task: str, folder: str) -> Callable[[], object] | None:
    try:
        from msprobe.pytorch import PrecisionDebugger
    except Exception:  # not installed, or it fails to load without its own hardware
        return None
    import json

    config = Path(folder) / f"{task}.json"
    config.write_text(
        json.dumps(
            {
                "task": task,
                "dump_path": folder,
                "rank": [],
                "step": [],
                "level": "mix",
                task: {"scope": [], "list": [], "data_mode": ["all"]},
            }
        )
    )
    PrecisionDebugger._instance = None
    debugger = PrecisionDebugger(config_path=str(config))

    def run() -> None:
        debugger.start(model=model)
        model(x)
        debugger.stop()
        debugger.step()

    return run


def measure(name: str, model: nn.Module, x: torch.Tensor, runs: int) -> dict[str, float]:
    found: dict[str, float] = {}
    with torch.no_grad():
        plain = lambda: model(x)
        plain()
        print(f"{name}: plain forward {1e3 * statistics.median(spent(plain) for _ in range(runs)):.1f} ms of CPU time")
        for level, limit in LIMITS.items():
            ratios, writes, size = [], [], 0
            for _ in range(runs):
                before = spent(plain)
                seconds, write, size = recorded(model, x, level)
                base = (before + spent(plain)) / 2.0
                ratios.append(seconds / base)
                writes.append(write / base)
            found[level] = statistics.median(ratios)
            print(
                f"  {level:<11} {found[level]:5.2f} times (limit {limit:.0f}); writing its {size / 1e6:.1f} MB alone {statistics.median(writes):.2f} times"
            )
        with tempfile.TemporaryDirectory() as folder:
            peers = {"DebugMode, hashes": debug_mode(model, x)} | {
                f"msprobe {task}": msprobe(model, x, task, folder) for task in ("statistics", "tensor")
            }
            for peer, run in peers.items():
                if run is None:
                    print(f"  {peer:<24} not installed here")
                    continue
                try:
                    run()
                    ratios = [spent(run) / spent(plain) for _ in range(max(3, runs // 2))]
                    print(f"  {peer:<24} {statistics.median(ratios):5.2f} times")
                    found[peer] = statistics.median(ratios)
                except Exception as error:
                    print(f"  {peer:<24} failed: {type(error).__name__}: {str(error)[:80]}")
    return found


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--runs", type=int, default=7)
    runs = options.parse_args().runs
    torch.manual_seed(0)
    torch.set_num_threads(1)
    results = {name: measure(name, *make(), runs) for name, make in (("12-block conv net", conv_net), ("6-layer transformer", transformer))}
    figures = {f"{level}_vs_forward": (max(result[level] for result in results.values()), "ratio") for level in LIMITS}
    report_figures(figures)
    return int(any(result[level] > limit for result in results.values() for level, limit in LIMITS.items()))


if __name__ == "__main__":
    raise SystemExit(main())
