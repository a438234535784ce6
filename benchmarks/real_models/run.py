"""Checks pairs of real models and prints what came out: python -m benchmarks.real_models [--only TEXT ...] [--slice K/N] [--fresh] [--workers N]

Results are appended to a file of JSON lines as they come (`--results`, default: .real-models/results.jsonl); an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from ..verdicts.figures import report_figures
from .figures import figures_of, wrong_of

LIMIT_S = 300.0


class Worker:
    """A child process that runs one pair at a time; it is started anew after a crash or past the limit."""

    def __init__(self) -> None:
        self.process: Any = None

    def _start(self) -> None:
        environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
        command = [sys.executable, "-W", "ignore", "-m", f"{__package__}.worker"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, text=True
        )

    def run(self, name: str, kind: str) -> dict[str, Any]:
        if self.process is None or self.process.poll() is not None:
            self._start()
        failed = {"name": name, "kind": kind, "architecture": name.split("/", maxsplit=1)[0]}
        try:
            self.process.stdin.write(name + "\n")
            self.process.stdin.flush()
            if not select.select([self.process.stdout], [], [], LIMIT_S)[0]:
                self.end()
                return failed | {"error": f"not over after {LIMIT_S:.0f} s"}
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            code = self.process.wait()
            self.process = None
            return failed | {"error": f"the process ended with {code}"}
        return json.loads(line)

    def end(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


def chosen(only: list[str], part: str, kinds: list[str]) -> dict[str, str]:
    """Names and kinds of the pairs to run; a slice takes each n-th, so that all kinds are in it."""
    from . import faults, honest, reduced  # noqa: F401
    from .pair import PAIRS

    names = [name for name, pair in PAIRS.items() if (not only or any(text in name for text in only)) and (not kinds or pair.kind in kinds)]
    first, of = (int(number) for number in part.split("/"))
    return {name: PAIRS[name].kind for name in names[first - 1 :: of]}


def earlier_results(path: Path) -> dict[str, Any]:
    """What an earlier run stored, by name, the latest of each. A last line that was cut off is taken out of the file, or the next would be glued to it."""
    if not path.exists():
        return {}
    text = path.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        path.write_text(whole, encoding="utf-8")
    results = [json.loads(line) for line in whole.splitlines()]
    return {result["name"]: result for result in results}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[], help="parts of names")
    parser.add_argument("--kind", nargs="*", default=[], choices=["honest", "fault", "reduced", "informal"])
    parser.add_argument("--slice", default="1/1", help="K/N: each N-th pair, from the K-th on")
    parser.add_argument("--fresh", action="store_true", help="forget earlier results")
    parser.add_argument("--again", action="store_true", help="run pairs again whose answer was not right")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--small", action="store_true", help="leave GPT-2 with 124 million parameters out")
    parser.add_argument("--results", type=Path, default=Path(".real-models/results.jsonl"))
    parser.add_argument("--most-rejected", type=int, default=0, help="end with 1 where more honest pairs than these are rejected")
    parser.add_argument("--json", type=Path, default=None)
    options = parser.parse_args()
    kinds = chosen(options.only, options.slice, options.kind)
    if options.fresh:
        options.results.unlink(missing_ok=True)
    done = earlier_results(options.results)
    if options.again:
        done = {name: result for name, result in done.items() if not wrong_of([result])}
    left = [name for name in kinds if name not in done]
    lock, start = threading.Lock(), time.perf_counter()
    options.results.parent.mkdir(parents=True, exist_ok=True)

    def work() -> None:
        worker = Worker()
        try:
            while True:
                with lock:
                    if not left:
                        return
                    name = left.pop(0)
                result = worker.run(name, kinds[name])
                with lock:
                    done[name] = result
                    with options.results.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(result) + "\n")
                    answer = result.get("verdict", "FAILED")
                    place = f" at {result['module']!r}" if "module" in result else ""
                    wrong = "   <<<" if wrong_of([result]) else ""
                    print(
                        f"{time.perf_counter() - start:6.0f} s, {len(left)} left: {name}: {answer}{place} ({result.get('seconds', 0):.1f} s){wrong}",
                        flush=True,
                    )
        finally:
            worker.end()

    threads = [threading.Thread(target=work, daemon=True) for _ in range(options.workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive():  # a plain join would not let an interrupt through
            thread.join(0.2)
    results = [done[name] for name in kinds if name in done]
    for line in wrong_of(results):
        print(line)
    figures = figures_of(results)
    if not options.small:
        from .gpt2 import figures_of_gpt2

        figures |= figures_of_gpt2()
    report_figures(
        figures,
        options.json,
        outcomes=[{name: value for name, value in result.items() if name != "trace"} for result in results] if options.json else (),
    )
    return int(sum(result["kind"] == "honest" and result.get("acceptable") is False for result in results) > options.most_rejected)
