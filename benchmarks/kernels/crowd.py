"""Do a hundred solutions get their answers where some of them crash, hang, take all memory, write elsewhere or reach for the network?

Every seventh solution is wrong, and one each does what no kernel may; the others are right, in ten ways of adding the rows of a matrix.

    python -m benchmarks.kernels.crowd [--of N] [--budget S]
"""

from __future__ import annotations

import argparse
import socket
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

from halfulp.kernels import judge_all

PROBLEM = """
import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x):
        return x.sum(-1)


ROWS, COLUMNS = 8, 250


def get_inputs():
    return [torch.randn(ROWS, COLUMNS)]


def get_init_inputs():
    return []
"""
SOLUTION = """
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        {body}
"""
RIGHT = """total = torch.zeros(x.shape[0])
        for start in range(0, x.shape[1], {block}):
            total = total + x[:, start : start + {block}].sum(1)
        return total"""
WRONG = """total = torch.zeros(x.shape[0])
        for start in range(0, x.shape[1] // {block} * {block}, {block}):
            total = total + x[:, start : start + {block}].sum(1)
        return total"""


def bodies(of: int, elsewhere: Path, port: int) -> dict[str, tuple[str, str]]:
    """What each solution does, and a part of what is to be said of it."""
    troubles = {
        "crashes": ("import ctypes\n        ctypes.string_at(0)", "dies"),
        "exits": ("import os\n        os._exit(0)", "dies"),
        "hangs": ("while True:\n            pass", "hangs"),
        "hogs": ("kept = []\n        while True:\n            kept.append(torch.empty(1 << 26))", "memory"),
        "writes": (f"open({str(elsewhere)!r}, 'w').write('here')\n        return x.sum(-1)", "Permission"),
        "connects": (f"import socket\n        socket.create_connection(('127.0.0.1', {port}), 2)\n        return x.sum(-1)", "network"),
        "raises": ("raise ValueError('no')", "ValueError"),
    }
    found = dict(troubles)
    for number in range(of - len(troubles)):
        form, word = (WRONG, "MISTAKE") if number % 7 == 3 else (RIGHT, "RIGHT")
        found[f"sum{number}"] = (form.format(block=7 + number), word)
    return found


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--of", type=int, default=100, help="how many solutions")
    parser.add_argument("--budget", type=float, default=10.0, help="seconds for each")
    options = parser.parse_args()
    reached: list[int] = []
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_accept, args=(server, reached), daemon=True).start()
        place, elsewhere = Path(folder, "solutions"), Path(folder, "elsewhere")
        place.mkdir()
        Path(folder, "problem.py").write_text(PROBLEM, encoding="utf-8")
        said = bodies(options.of, elsewhere, server.getsockname()[1])
        for name, (body, _) in said.items():
            Path(place, f"{name}.py").write_text(SOLUTION.format(body=body), encoding="utf-8")
        start = time.monotonic()
        report = judge_all(Path(folder, "problem.py"), [place / f"{name}.py" for name in said], budget_s=options.budget)
        taken = time.monotonic() - start
        wrote = elsewhere.exists()
    told = 0
    for result in report.results:
        word = said[result.solution][1]
        is_told = word in f"{result.answer} {result.fault} {result.cheat} {result.because}"
        told += is_told
        if not result.solution.startswith("sum") or not is_told:
            print(f"  {result.solution}: {result.answer}: {result.because[:150]}{'' if is_told else f'  [not told: {word}]'}")
    print(f"figure solutions {len(report.results)} count")
    print(f"figure told_rightly {told} count")
    print(f"figure files_written_elsewhere {int(wrote)} count")
    print(f"figure connections_that_arrived {len(reached)} count")
    print(f"figure median_seconds {statistics.median(result.seconds for result in report.results):.1f} s")
    print(f"figure minutes {taken / 60:.1f} min")
    sys.exit(int(told < len(said) or wrote or bool(reached)))


def _accept(server: socket.socket, reached: list[int]) -> None:
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        reached.append(1)
        connection.close()


if __name__ == "__main__":
    main()
