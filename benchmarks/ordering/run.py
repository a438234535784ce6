"""Is every order that is called proved an order? python -W ignore -m benchmarks.ordering.run, in the environment of `make orders-of-libraries`.

The functions of `functions` were written without sight of halfulp: sums, means, products and scans of pandas, polars, pyarrow, scipy.sparse, numba,
NumPy, JAX, ONNX Runtime and OpenVINO; some have coefficients of their own, some are compensated, some are no sums. A proved order is replayed on
inputs that the proof did not see, and its program is run beside the function.
"""

from __future__ import annotations

import collections
import sys

import numpy as np

import halfulp
from halfulp.errors import InputError

from .functions import FUNCTIONS

FRESH_DRAWS = 12


def main() -> int:
    """Ask all functions and print the figures."""
    counted: collections.Counter[str] = collections.Counter()
    for place, entry in enumerate(FUNCTIONS):
        print(f"[{place + 1}/{len(FUNCTIONS)}] {entry.id}", file=sys.stderr, flush=True)
        function, inputs = entry.make(0)
        try:
            found = halfulp.order(function, tuple(inputs), everywhere=True)
        except InputError as error:
            counted["refused"] += 1
            print(f"refused  {entry.id} ({entry.kind}): {error}", flush=True)
            continue
        if not found.is_proved:
            counted["recognized" if found.classes[0].status == "compensated" else "not proved"] += 1
            print(f"not proved  {entry.id} ({entry.kind}): {found.proof}", flush=True)
            continue
        counted["proved"] += 1
        replayed = emitted = 0
        try:
            names: dict[str, object] = {}
            exec(found.emit(), names)  # the program that a user would run
        except InputError:
            names = {}
        for seed in range(1, FRESH_DRAWS + 1):
            _, fresh = entry.make(seed)
            wanted = np.asarray(function(*fresh))
            replayed += bool(np.array_equal(wanted, np.asarray(found.replay(tuple(fresh))).reshape(wanted.shape).astype(wanted.dtype)))
            if names:
                emitted += bool(np.array_equal(wanted, np.asarray(names["replay"](*fresh)).reshape(wanted.shape)))  # type: ignore[operator]
        counted["replayed"] += replayed == FRESH_DRAWS
        counted["emitted"] += bool(names)
        counted["emitted right"] += bool(names) and emitted == FRESH_DRAWS
        print(
            f"proved  {entry.id}: {replayed} of {FRESH_DRAWS} fresh draws in every bit, program {emitted if names else 'none'}", flush=True
        )
    print(f"figure functions_asked {len(FUNCTIONS)} functions")
    print(f"figure proved_and_replayed {counted['replayed']} of_{counted['proved']}")
    print(f"figure programs_right {counted['emitted right']} of_{counted['emitted']}")
    print(f"figure compensated_recognized {counted['recognized']} functions")
    print(f"figure not_proved {counted['not proved']} functions")
    print(f"figure refused {counted['refused']} functions")
    return int(counted["replayed"] < counted["proved"] or counted["emitted right"] < counted["emitted"])


if __name__ == "__main__":
    raise SystemExit(main())
