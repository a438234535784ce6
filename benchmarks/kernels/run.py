"""Which of the labelled solutions are accepted, by `halfulp kernel` and by its peers?

Twenty-eight sets of problems with right and wrong solutions, each written by somebody who had not seen the checker; `labels.json` of a set says
of each solution whether it is right (null: reasonable people may disagree; not counted), its kind, and on what a wrong one shows. What
shows on a GPU alone (a race between blocks) is counted where there is one.

    python -m benchmarks.kernels.run [--set a] [--every N] [--only NAME] [--peers] [--jobs N] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch

from benchmarks.kernels.peers import PEERS, TESTED, accepted_by
from benchmarks.verdicts.statistics import Rate
from halfulp.files import write_file
from halfulp.kernels import judge_all

SETS = Path(__file__).parent / "sets"
LEAST_RIGHT, LEAST_WRONG = 0.97, 0.95
"""The program ends with 1 where the whole interval of a share lies below: a slice of a few problems may miss some by chance."""


def problems(chosen: str, every: int, only: str = "") -> Iterator[tuple[Path, Path, dict[str, Any]]]:
    """Each problem with the folder of its set and the labels of its solutions."""
    place = 0
    for folder in sorted(SETS.iterdir()):
        if not folder.is_dir() or chosen not in ("", folder.name):
            continue
        labels = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
        for problem in sorted(path for path in folder.iterdir() if path.is_dir()):
            own = {name: label for name, label in labels.items() if name.split("/")[0] == problem.name}
            place += 1
            if own and place % every == 0 and only in f"{folder.name}/{problem.name}":
                yield problem, folder, own


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", default="", help="only this set")
    parser.add_argument("--every", type=int, default=1, help="only every so many problems")
    parser.add_argument("--only", default="", help="only problems whose name contains this")
    parser.add_argument("--peers", action="store_true", help="ask the peers too")
    parser.add_argument("--jobs", type=int, help="how many solutions are judged at a time; by default one for each processor")
    parser.add_argument(
        "--json",
        help="where to write what each solution was answered; problems that are there already are not asked again (with --peers, only the peers are)",
    )
    options = parser.parse_args()
    rows = _before(options.json)
    known: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        known[row["name"].rpartition("/")[0]].append(row)
    lacking = {name for name, own in known.items() if options.peers and not all(row["peers"] for row in own)}
    start, chosen = time.monotonic(), list(problems(options.set, options.every, options.only))
    chosen = [entry for entry in chosen if (name := f"{entry[1].name}/{entry[0].name}") not in known or name in lacking]
    for done, (problem, folder, labels) in enumerate(chosen):
        files = {f"{folder.name}/{name}": folder / name for name in labels}
        own = known[f"{folder.name}/{problem.name}"]
        if not own:
            own += _judged(problem, folder, labels, options.jobs)
            rows += own
        if options.peers:
            peers = _asked(problem, files)
            for row in own:
                row["peers"] = peers.get(row["name"], {})
        left = (time.monotonic() - start) / (done + 1) * (len(chosen) - done - 1)
        print(f"{folder.name}/{problem.name}: {len(labels)} solutions; {left / 60:.0f} min left", flush=True)
        if options.json:
            write_file(options.json, json.dumps(rows, indent=1))
    sys.exit(told(rows))


def _judged(problem: Path, folder: Path, labels: dict[str, Any], jobs: int | None) -> list[dict[str, Any]]:
    """The rows of a problem's solutions."""
    rows: list[dict[str, Any]] = []
    report = judge_all(problem, [folder / name for name in labels], processes=jobs)
    for (name, label), result in zip(labels.items(), report.results):
        right = None if label.get("gpu_only") and not torch.cuda.is_available() else label["right"]
        row = {
            "name": f"{folder.name}/{name}", "right": right, "kind": label["kind"], "answer": result.answer, "cheat": result.cheat,
            "accepted": result.acceptable is True, "seconds": result.seconds, "because": result.because, "complete": result.complete,
            "asked": len(result.asked), "notes": result.notes, "peers": {},
        }  # fmt: skip
        rows.append(row)
        if right is not None and row["accepted"] != right:
            print(f"  {folder.name}/{name} ({label['kind']}) is {result.answer}: {result.because[:160]}")
    return rows


def _before(path: str | None) -> list[dict[str, Any]]:
    """What an interrupted run had found."""
    return json.loads(Path(path).read_text(encoding="utf-8")) if path and Path(path).is_file() else []


def _asked(problem: Path, files: dict[str, Path]) -> dict[str, dict[str, bool]]:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        return dict(zip(files, pool.map(accepted_by, [problem] * len(files), files.values())))


def told(rows: list[dict[str, Any]]) -> int:
    """Print tables and figures; the exit code."""
    right, wrong = ([row for row in rows if row["right"] is truth] for truth in (True, False))
    kinds: dict[str, list[bool]] = defaultdict(list)
    for row in wrong:
        kinds[row["kind"].partition(":")[0].partition(" (")[0]].append(not row["accepted"])
    print("\nWrong ones, by kind: rejected of all")
    for kind, answers in sorted(kinds.items(), key=lambda entry: (-len(entry[1]), entry[0])):
        print(f"  {sum(answers)} of {len(answers)}  {kind}")
    print(f"\n{'':24}{'right accepted':56}wrong rejected")
    accepted, rejected = (
        Rate(sum(row["accepted"] for row in right), len(right)),
        Rate(sum(not row["accepted"] for row in wrong), len(wrong)),
    )
    print(f"{'halfulp kernel':24}{accepted!s:56}{rejected}")
    right, wrong = ([row for row in side if row["peers"]] for side in (right, wrong))
    if right and wrong:
        own = Rate(sum(row["accepted"] for row in right), len(right)), Rate(sum(not row["accepted"] for row in wrong), len(wrong))
        print(f"Where the peers were asked:\n{'halfulp kernel':24}{own[0]!s:56}{own[1]}")
        for name in (*PEERS, TESTED):
            taken = Rate(sum(row["peers"][name] for row in right), len(right))
            refused = Rate(sum(not row["peers"][name] for row in wrong), len(wrong))
            print(f"{name:24}{taken!s:56}{refused}")
            print(f"figure right_accepted_by_{_word(name)} {taken.value:.4f} share")
            print(f"figure wrong_rejected_by_{_word(name)} {refused.value:.4f} share")
    seconds = [row["seconds"] for row in rows]
    print(f"figure cheats_named {sum(bool(row['cheat']) for row in rows if row['right'] is False)} solutions")
    print(f"figure median_seconds {statistics.median(seconds):.1f} s")
    print(f"figure slowest_seconds {max(seconds):.1f} s")
    print(f"figure right_accepted {accepted.value:.4f} share")
    print(f"figure wrong_rejected {rejected.value:.4f} share")
    return int(accepted.high < LEAST_RIGHT or rejected.high < LEAST_WRONG)


def _word(name: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in name.lower())


if __name__ == "__main__":
    main()
