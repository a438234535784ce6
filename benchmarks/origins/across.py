"""Where do a model and its port to another library part? python -W ignore -m benchmarks.origins.across

The models, ports and faults of `ports` were written without sight of halfulp: three models, each by hand in NumPy and in JAX, and each exported
to ONNX Runtime and OpenVINO, with ten faults and two honest forms. Right is the module of the fault, or at most three modules between which it is
said to lie. A library that is not installed, here or in an environment of halfulp's, is left out, and named.
"""

from __future__ import annotations

import argparse
import logging
import statistics
import sys
import time
from typing import Any

import torch

import halfulp
from halfulp.errors import HalfulpError, MissingBackend

from .ports import MODELS, Model, params_of

LIBRARIES = ("numpy", "jax", "onnxruntime", "openvino")
SHARE, MODULES = 0.9, 3


def actual_in(library: str, model: Model, params: dict[str, Any], name: str | None) -> Any:
    """One form of a model in a library: right (None), with a fault, or rewritten honestly."""
    if library == "numpy":
        return model.numpy_port(params, name)
    if library == "jax":
        return halfulp.backend("jax").implement(model.jax_port(params, name))
    options = {"precision": "f32"} if library == "openvino" else {}
    return halfulp.backend(library).implement(model.make_torch(0, name)[0], **options)


def main() -> int:
    """Run all pairs and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", action="append", choices=LIBRARIES, help="run only this one (may be given again)")
    libraries = parser.parse_args().library or list(LIBRARIES)
    logging.disable(logging.WARNING)
    located: dict[str, list[bool]] = {}
    accused: dict[str, list[bool]] = {}
    seconds: list[float] = []
    for library in libraries:
        try:
            run(library, located.setdefault(library, []), accused.setdefault(library, []), seconds)
        except (MissingBackend, ModuleNotFoundError) as error:
            del located[library], accused[library]
            print(f"{library} was not run: {str(error).splitlines()[0][:160]}", flush=True)
    for library, faults in located.items():
        print(f"figure located_in_{library} {sum(faults)} of_{len(faults)}")
        print(f"figure honest_accused_in_{library} {sum(accused[library])} of_{len(accused[library])}")
    print(f"figure median_seconds {statistics.median(seconds or [0.0]):.3g} s")
    every = [right for faults in located.values() for right in faults]
    return int(any(any(found) for found in accused.values()) or sum(every) < SHARE * len(every))


def run(library: str, located: list[bool], accused: list[bool], seconds: list[float]) -> None:
    """All pairs of one library."""
    for model_name, model in MODELS.items():
        right, inputs = model.make_torch(0)
        params = params_of(right)
        for fault in (*model.faults, None, *model.honest):
            name = fault if isinstance(fault, str) or fault is None else fault.id
            print(f"{library} {model_name} {name or 'right'}", file=sys.stderr, flush=True)
            start = time.perf_counter()
            actual = actual_in(library, model, params, name)
            try:
                origin = halfulp.locate(actual, right, inputs)
            except MissingBackend:
                raise
            except HalfulpError as error:
                (accused if name is None or name in model.honest else located).append(name is None or name in model.honest)
                print(f"WRONG  {library} {model_name} {name}: {str(error).splitlines()[0]}", flush=True)
                continue
            seconds.append(time.perf_counter() - start)
            where = "nothing" if origin.module is None else " or ".join(origin.between) or origin.module or "(outermost)"
            if name is None or name in model.honest:
                accused.append(origin.module is not None or origin.acceptable is False)
                state, wanted = ("WRONG" if accused[-1] else "right"), "nothing"
            else:
                wanted = next(item.module for item in model.faults if item.id == name)
                is_between = wanted in origin.between and len(origin.between) <= MODULES
                located.append(origin.acceptable is False and (origin.module == wanted or is_between))
                state = "right" if located[-1] else "WRONG"
            print(f"{state}  {library} {model_name} {name or 'right'}: wanted {wanted}, got {where}, {seconds[-1]:.1f} s", flush=True)


if __name__ == "__main__":
    torch.set_num_threads(1)
    raise SystemExit(main())
