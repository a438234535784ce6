"""How often is a sweep right? A sample of what it flags and of what it accepts, looked at by hand.

The first form draws a sample from a store, the same one for the same seed, and writes a JSON file with what was measured of each case. Somebody
looks at each and fills in `found`. The second form prints the shares of cases: one of an op that was drawn often stands for the others.

    python -m benchmarks.sweeps.by_hand draw STORE FILE [--each 100] [--seed 0]
    python -m benchmarks.sweeps.by_hand shares FILE

Cases with the same bits on both sides are left out: there is nothing to look at.

`found` is one of: "fault" (a side computes something wrong), "coarse" (a side is far coarser than its format, by design), "sampling" (the two sides
compute different things by definition, so the comparison says nothing), "right" (both are as good as their format allows). Flagged cases hold up
where `found` is fault or coarse; accepted ones where it is right, and "sampling" leaves them out: of these nothing was said.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.verdicts.statistics import Rate
from halfulp.files import write_file
from halfulp.store import Store

FOUND = {"fault": True, "coarse": True, "sampling": False, "right": False}
"""What somebody finds -> whether a flagged case holds up."""
MEASURED = ("relative_error", "largest_ulps", "error_in_noise", "excess")
MOST_OF_ONE = 5
"""Cases of one subject: the samples of an op are alike, and a hundred of one say no more."""


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    forms = parser.add_subparsers(dest="form", required=True)
    draw = forms.add_parser("draw", help="draw a sample from a store")
    draw.add_argument("store")
    draw.add_argument("file")
    draw.add_argument("--each", type=int, default=100, help="how many flagged ones, and how many accepted ones")
    draw.add_argument("--seed", type=int, default=0)
    forms.add_parser("shares", help="print the shares").add_argument("file")
    options = parser.parse_args()
    if options.form == "draw":
        _draw(Store(options.store), Path(options.file), options.each, options.seed)
    else:
        sys.exit(_told(_read(Path(options.file))))


def _draw(store: Store, file: Path, each: int, seed: int) -> None:
    known = {(entry.get("plan"), entry["case"], entry["verdict"]): entry for entry in _read(file)} if file.is_file() else {}
    names = ("plan", "case", "subject", "actual", "expected", "dtype", "shape", "verdict", "reason", *MEASURED)
    columns = ", ".join(f'"{name}"' for name in names)
    entries: list[dict[str, Any]] = []
    for acceptable in (False, True):
        query = f"SELECT {columns} FROM results WHERE place = 1 AND acceptable = {acceptable} AND verdict <> 'IDENTICAL' ORDER BY plan, \"case\""
        rows = [dict(zip(names, row)) for row in store.ask(query).rows]
        random.Random(seed).shuffle(rows)
        passed, taken, chosen = Counter[str](), Counter[str](), list[dict[str, Any]]()
        for row in rows:
            if len(chosen) == each:
                break
            passed[row["subject"]] += 1
            if taken[row["subject"]] < MOST_OF_ONE:
                taken[row["subject"]] += 1
                chosen.append(row)
        if len(chosen) < each:
            print(f"Only {len(chosen)} cases are {'accepted' if acceptable else 'flagged'}, at most {MOST_OF_ONE} of a subject.")
        for row in chosen:
            own = known.pop((row["plan"], row["case"], row["verdict"]), {})
            stands_for = passed[row["subject"]] / taken[row["subject"]]  # the rows that were passed are a plain random sample
            entries.append(
                {**row, "flagged": not acceptable, "stands_for": stands_for, "found": own.get("found", ""), "why": own.get("why", "")}
            )
    if any(entry["found"] for entry in known.values()):
        sys.exit(f"{file} has labels of cases that this sample does not draw, or whose verdict has changed. Name another file.")
    write_file(file, json.dumps(entries, indent=1))
    print(f"{len(entries)} cases, {sum(not entry['found'] for entry in entries)} to be looked at: {file}")


def _read(file: Path) -> list[dict[str, Any]]:
    return json.loads(file.read_text(encoding="utf-8"))


def _told(entries: list[dict[str, Any]]) -> int:
    """Print the shares; the exit code."""
    lacking = [entry["case"] for entry in entries if entry["found"] not in FOUND]
    for case in lacking[:10]:
        print(f"not looked at: {case}")
    for flagged, words in ((True, "flagged"), (False, "accepted")):
        looked_at = [entry for entry in entries if entry["flagged"] is flagged and entry["found"] in FOUND]
        counted = [entry for entry in looked_at if flagged or entry["found"] != "sampling"]
        if counted:
            held = [entry for entry in counted if FOUND[entry["found"]] is flagged]
            counts = ", ".join(f"{count} {found}" for found, count in Counter(entry["found"] for entry in looked_at).most_common())
            print(f"{words}: {Rate(len(held), len(counted))} held up ({counts})")
            share = sum(entry["stands_for"] for entry in held) / sum(entry["stands_for"] for entry in counted)
            print(f"figure {words}_that_hold_up {share:.4f} share")
    return int(bool(lacking))


if __name__ == "__main__":
    main()
