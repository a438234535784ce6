"""Does `explain` name the stage and the op of a fault in torch.compile? python -W ignore -m benchmarks.compiling.run

The faults of `faults` were written without sight of halfulp. Each is put in force, a small model compiled on a cold cache, and explained with the
default budget. Right is an answer with one cause, at the stage in which the fault was put, that names its op or one of the names that its author
gave beside.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import tempfile
import time

import torch

import halfulp

from .faults import FAULTS, Fault

STAGES = {"capture": "eager through dynamo", "decomposition": "decompositions", "graph pass": "graph passes"}
"""The author's word for a stage -> halfulp's; the others are stages with generated code."""
SHARE = 0.9


def is_stage(fault: Fault, found: halfulp.Explanation) -> bool:
    """Whether the first wrong stage is the fault's."""
    wrong = next((stage.name for stage in found.stages if stage.verdict is not None and stage.verdict.acceptable is False), "")
    kind = found.causes[0].name.split(":")[0] if found.causes else ""
    if fault.stage in STAGES:
        return wrong == STAGES[fault.stage]
    early = any(stage.verdict is not None and stage.verdict.acceptable is False for stage in found.stages if stage.name in STAGES.values())
    return not early and kind == ("lowering" if fault.stage == "lowering" else "generated kernel")


def is_op(fault: Fault, found: halfulp.Explanation) -> bool:
    """Whether the first cause names the op."""
    said = f"{found.causes[0].name} {found.causes[0].statement}" if found.causes else ""
    return any(name in said for name in (fault.op, *fault.also))


def main() -> int:
    """Run all faults and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="run only the faults whose name contains this")
    only = parser.parse_args().only
    logging.disable(logging.WARNING)
    chosen = [fault for fault in FAULTS if only in fault.id]
    right, seconds = 0, []
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = cache
        for place, fault in enumerate(chosen):
            left = sum(seconds) / max(1, place) * (len(chosen) - place)
            print(f"[{place + 1}/{len(chosen)}] {fault.id}; about {left:.0f} s left", file=sys.stderr, flush=True)
            torch._dynamo.reset()
            start = time.perf_counter()
            with fault.inject():
                model, inputs = fault.make(0)
                found = halfulp.explain(torch.compile(model), model, inputs)
            seconds.append(time.perf_counter() - start)
            good = is_stage(fault, found) and is_op(fault, found)
            right += good
            said = found.causes[0].statement if found.causes else "nothing"
            print(f"{'right' if good else 'WRONG'}  {fault.id} ({fault.stage}, {fault.op}): {said} {seconds[-1]:.0f} s", flush=True)
    print(f"figure compile_faults_named {right} of_{len(chosen)}")
    print(f"figure slowest_explanation {max(seconds, default=0.0):.0f} s")
    return int(right < SHARE * len(chosen))


if __name__ == "__main__":
    raise SystemExit(main())
