"""Which faults that random normal inputs hide are found within a minute, and is anything honest rejected?

Each of the two sets in `sets/` holds 28 pairs with a fault that `assert_close` does not see on the inputs of the pair, and 20 honest ones, by an
author who had not seen the search; `labels.json` says on which inputs each fault shows. Beside halfulp, in the same time: fresh normal inputs, and hypothesis,
which draws arrays of any float32 numbers and knows what tends to break; both judge by `assert_close` at 1e-4.

    python -W ignore -m benchmarks.worst.run [--set a] [--kind faulty] [--seconds 60] [--only NAME] [--peers] [--json FILE]
"""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import torch

import halfulp
from benchmarks.verdicts.statistics import Rate
from halfulp.cases.casefile import load_case_file
from halfulp.files import write_file

SETS = Path(__file__).parent / "sets"
LEAST_FOUND = 26 / 28
"""Of the faults of the set; of a part of it, or in less time, the program ends with 1 only where the whole interval of the share lies below."""
WHOLE_S = 60.0
"""Seconds for each pair at which the share itself has to be that large, and not only the upper end of its interval."""


def agrees(pair: dict[str, Any], inputs: tuple[Any, ...]) -> bool:
    """What the peers say: `assert_close` at 1e-4; inputs that `expected` refuses count as agreement."""
    try:
        wanted = pair["expected"](*[value.clone() for value in inputs])
    except Exception:
        return True
    try:
        torch.testing.assert_close(pair["actual"](*[value.clone() for value in inputs]), wanted, rtol=1e-4, atol=1e-4, equal_nan=True)
    except Exception:
        return False
    return True


def by_chance(pair: dict[str, Any], seconds: float) -> bool:
    """Fresh inputs by the pair's own function until the time is over: whether one differs."""
    end, seed = time.monotonic() + seconds, 1000
    while time.monotonic() < end:
        if not agrees(pair, pair["names"]["inputs"](seed)):
            return True
        seed += 1
    return False


def by_hypothesis(pair: dict[str, Any], seconds: float) -> bool:
    """Arrays of any finite float32 numbers, of the given shapes, until the time is over: whether one differs."""
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st
    from hypothesis.extra import numpy as arrays

    inputs, end, found = pair["inputs"], time.monotonic() + seconds, []
    drawn = [
        arrays.arrays("float32", tuple(value.shape), elements=st.floats(width=32, allow_nan=False, allow_infinity=False))
        if value.is_floating_point()
        else st.just(value)
        for value in inputs
    ]

    @settings(max_examples=100_000, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(st.tuples(*drawn))
    def differs(values: tuple[Any, ...]) -> None:
        if time.monotonic() > end or found:
            raise _Over
        row = tuple(value if isinstance(value, torch.Tensor) else torch.from_numpy(value.copy()) for value in values)
        if not agrees(pair, row):
            found.append(row)

    with contextlib.suppress(_Over):
        differs()
    return bool(found)


class _Over(BaseException):
    """The time is over: no `Exception`, which hypothesis would take for a failure of the test and look for a smaller one."""


PEERS = {"the same draws": by_chance, "hypothesis": by_hypothesis}


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", default="*", help="which set; both unless given")
    parser.add_argument("--kind", default="*", choices=("*", "faulty", "honest"), help="only the faulty ones, or only the honest ones")
    parser.add_argument("--seconds", type=float, default=60.0, help="for each pair")
    parser.add_argument("--only", default="", help="only pairs whose name contains this")
    parser.add_argument("--every", type=int, default=1, help="only every so many pairs")
    parser.add_argument("--peers", action="store_true", help="ask the peers too")
    parser.add_argument("--json", help="where to write what was found; pairs that are there already are not asked again")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = json.loads(Path(options.json).read_text()) if options.json and Path(options.json).is_file() else []
    rows = [row for row in rows if row.get("of") == [halfulp.__version__, torch.__version__, options.seconds]]
    known = {row["name"] for row in rows}
    files = [
        path
        for path in sorted(SETS.glob(f"{options.set}/{options.kind}/*.py"))[options.every - 1 :: options.every]
        if options.only in path.stem and f"{path.parents[1].name}/{path.stem}" not in known
    ]
    for path in files:
        pair = load_case_file(path, 0)
        start = time.monotonic()
        found = halfulp.worst(pair["actual"], pair["expected"], pair["inputs"], seconds=options.seconds, first=True, reduce=False)
        row = {
            "name": f"{path.parents[1].name}/{path.stem}", "kind": path.parent.name, "of": [halfulp.__version__, torch.__version__, options.seconds],
            "rejected": found.acceptable is False, "excess": min(found.excess, 1e300),
            "label": found.label, "verdict": found.result.verdict.name, "evaluations": found.evaluations, "seconds": time.monotonic() - start,
            "peers": {name: ask(pair, options.seconds) for name, ask in PEERS.items()} if options.peers else {},
        }  # fmt: skip
        rows.append(row)
        print(
            f"{row['kind']:7} {row['name']:28} {row['verdict']:18} {found.excess:9.3g} {row['seconds']:5.1f} s  {row['label'][:100]}",
            flush=True,
        )
        if options.json:
            write_file(options.json, json.dumps(rows, indent=1))
    sys.exit(told(rows))


def told(rows: list[dict[str, Any]]) -> int:
    """Print the figures; the exit code."""
    faulty, honest = ([row for row in rows if row["kind"] == kind] for kind in ("faulty", "honest"))
    found = Rate(sum(row["rejected"] and row["seconds"] <= row["of"][-1] for row in faulty), len(faulty))  # what took longer is not
    flagged = Rate(sum(row["rejected"] for row in honest), len(honest))
    print(f"\n{'':20}{'faults found':44}honest ones rejected\n{'halfulp worst':20}{found!s:44}{flagged}")
    for name in PEERS:
        asked = [[row for row in side if row["peers"]] for side in (faulty, honest)]
        if asked[0]:
            rates = [Rate(sum(row["peers"][name] for row in side), len(side)) for side in asked]
            print(f"{name:20}{rates[0]!s:44}{rates[1]}")
    if faulty:
        print(f"figure worst_median_seconds {statistics.median(row['seconds'] for row in faulty):.1f} s")
        print(f"figure worst_faults_found {found.value:.4f} share")
    print(f"figure worst_honest_rejected {flagged.value if honest else 0.0:.4f} share")
    sets = {row["name"].partition("/")[0] for row in faulty}
    is_whole = len(faulty) == sum(len(list(SETS.glob(f"{of}/faulty/*.py"))) for of in sets) and all(
        row["of"][-1] >= WHOLE_S for row in rows
    )
    return int(bool(faulty) and (found.value if is_whole else found.high) < LEAST_FOUND)


if __name__ == "__main__":
    main()
