"""Properties: what a library does beside computing functions, each found by running it and said in words."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..backends.measured_habits import bits_kept, bits_read, habits_of
from ..errors import HalfulpError
from ..floats import FORMATS
from .libraries import Library

Array = npt.NDArray[Any]
Section = dict[str, str]


def properties(library: Library, step: Callable[[str], None]) -> dict[str, Section]:
    """All properties by section. A probe that a library can't run is left out; one that fails says so."""
    found: dict[str, Section] = {}
    for title, probe in SECTIONS.items():
        step(title)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found[title] = probe(library)
    return {title: section for title, section in found.items() if section}


def _arithmetic(library: Library) -> Section:
    """Radix, rounding mode and subnormal numbers of elementwise ops."""
    found: Section = {}
    if not library.has("add", "mul"):
        return found
    for dtype in library.dtypes:
        number = FORMATS[dtype]
        p = number.precision_bits
        one = np.ones(64)
        u = number.unit_roundoff

        def add(left: float, right: float, dtype: str = dtype, one: Array = one) -> float:
            return float(library.run("add", left * one, right * one, dtype=dtype)[0])

        modes = {
            (1.0, 1.0 + 4 * u, 1.0 + 2 * u): "to nearest, ties to even",
            (1.0 + 2 * u, 1.0 + 4 * u, 1.0 + 2 * u): "to nearest, ties up",
            (1.0, 1.0 + 2 * u, 1.0): "toward zero",
        }
        seen = (add(1.0, u), add(1.0 + 2 * u, u), add(1.0, 1.5 * u))
        found[f"{dtype} addition rounds"] = modes.get(
            seen, f"in another way: 1 + u = {seen[0]!r}, (1 + 2u) + u = {seen[1]!r}, 1 + 1.5u = {seen[2]!r}"
        )
        # Malcolm: from 2**p on numbers are a radix apart, so the radix is the smallest whole number that changes it.
        big = 2.0**p
        found[f"{dtype} radix"] = str(
            int(next((add(big, step) - big for step in (1.0, 2.0, 3.0, 8.0, 16.0) if add(big, step) != big), 0.0))
        )
        found[f"{dtype} subnormal numbers"] = _subnormals(library, dtype)
    return found


def _subnormals(library: Library, dtype: str) -> str:
    tiny, ones = FORMATS[dtype].min_normal, np.ones(64)
    read = library.run("mul", 0.5 * tiny * ones, 2.0 * ones, dtype=dtype)[0] != 0
    written = library.run("mul", tiny * ones, 0.5 * ones, dtype=dtype)[0] != 0
    parts = [f"read as {'numbers' if read else 'zero'}", f"results {'kept' if written else 'made zero'}"]
    row, column = np.full((64, 64), 0.5 * tiny), np.full((64, 64), 2.0)
    try:
        parts.append(f"in products {'kept' if library.run('matmul', row, column, dtype=dtype)[0, 0] != 0 else 'made zero'}")
    except Exception:
        parts.append("products not supported")
    return ", ".join(parts)


def _precision(library: Library) -> Section:
    """With how many bits products and convolutions read their inputs, and keep their sums, for each declared format."""
    found: Section = {}
    for dtype in library.dtypes:
        for op in ("matmul", "linear", "conv2d"):
            if not library.has(op):
                continue
            try:
                found[f"{dtype} {op}"] = _precision_of(library, op, dtype)
            except Exception as error:
                found[f"{dtype} {op}"] = f"does not run ({type(error).__name__})"
    return found


def _precision_of(library: Library, op: str, dtype: str) -> str:
    """1 + 2^-e is read as such for e below the inputs' precision; (1 + 2^-e) - 1 over three terms keeps 2^-e as long as sums hold it."""
    declared = FORMATS[dtype].precision_bits
    inputs = bits_read(lambda rows: _row_sums(library, op, rows, dtype), declared)
    kept = bits_kept(lambda rows: _row_sums(library, op, rows, dtype), declared)
    held = f"{kept}" if kept < declared + 8 else f"more than {kept - 1}"
    named = next(
        (
            f" ({name})"
            for name, float_format in FORMATS.items()
            if float_format.precision_bits == inputs and name != dtype and not name.startswith("float8")
        ),
        "",
    )
    warning = "" if inputs == declared else f"{named}: LESS than {dtype}"
    return f"inputs read with {inputs} of {declared} bits{warning}; sums of three terms keep {held} bits"


def _joined(numbers: list[int]) -> str:
    """Numbers in a sentence: "1, 2 and 3"."""
    *first, last = map(str, numbers)
    return f"{', '.join(first)} and {last}" if first else last


def _row_sums(library: Library, op: str, rows: Array, dtype: str) -> Array:
    """The sum of each row of 64, computed by an op with ones as the other factor."""
    count = len(rows)
    if op == "matmul":
        return library.run("matmul", rows, np.ones((64, 64)), dtype=dtype)[:, 0].astype(np.float64)
    if op == "linear":
        return library.run("linear", rows, np.ones((64, 64)), np.zeros(64), dtype=dtype)[:, 0].astype(np.float64)
    images, weights = np.zeros((count, 64, 8, 8)), np.ones((64, 64, 3, 3))
    images[:, :, 4, 4] = rows
    weights[:, :, :, :] = 0.0
    weights[:, :, 1, 1] = 1.0
    return library.run("conv2d", images, weights, np.zeros(64), dtype=dtype)[:, 0, 4, 4].astype(np.float64)


def _orders(library: Library) -> Section:
    """In which order sums, products and convolutions add, with the hash of the tree."""
    from .. import probes

    random = np.random.default_rng(0)
    shapes: dict[str, tuple[tuple[int, ...], ...]] = {
        "sum": ((64, 4096),),
        "matmul": ((64, 1024), (1024, 256)),
        "linear": ((64, 1024), (256, 1024), (256,)),
        "conv2d": ((2, 32, 14, 14), (32, 32, 3, 3), (32,)),
    }
    found: Section = {}
    for dtype in library.dtypes:
        for op, sizes in shapes.items():
            # The weights of a backend's ops are part of what it builds, so each question about them would build anew.
            if not library.has(op) or (library.backend is not None and op in ("linear", "conv2d")):
                continue
            inputs = tuple(library.native(random.standard_normal(size), dtype) for size in sizes)
            if library.name == "jax":  # arrays that can't be written to: NumPy arrays go in, and are converted inside
                if dtype == "bfloat16":
                    continue
                inputs = tuple(np.array(library.back(argument), dtype=dtype) for argument in inputs)
            title = f"{dtype} {op} of {' and '.join('x'.join(map(str, size)) for size in sizes)}"
            try:
                revealed = probes.order(_on_numpy(library, op) if library.name == "jax" else library.ops[op], inputs)
            except HalfulpError as error:
                found[title] = str(error).split(". ")[0]
                continue
            main = revealed.classes[0]
            what = revealed.describe_class(main)
            more = f"; {len(revealed.classes)} orders in one result" if len(revealed.classes) > 1 else ""
            tree = f" [{main.order.hash}; depth {main.order.tree.depth}; {main.status}]" if main.order is not None else ""
            found[title] = f"{what}{more}{tree}"
    return found


def _on_numpy(library: Library, op: str) -> Callable[..., Array]:
    def run(*arrays: Array) -> Array:
        result = library.back(library.ops[op](*(library.native(array, str(array.dtype)) for array in arrays)))
        return result.astype(arrays[0].dtype)

    return run


def _invariance(library: Library) -> Section:
    """What beside the values decides the bits: the batch, the layout, the number of threads, the run."""
    random = np.random.default_rng(1)
    x, w = random.standard_normal((64, 512)), random.standard_normal((512, 256))
    found: Section = {}
    if not library.has("matmul", "sum"):
        return found
    whole = library.run("matmul", x, w)
    others = [rows for rows in (1, 2, 3, 4, 8, 16, 31, 32, 48) if not np.array_equal(library.run("matmul", x[:rows], w), whole[:rows])]
    found["a row of a float32 product of 64 rows"] = (
        f"has different bits in products of {_joined(others)} row{'' if others == [1] else 's'}"
        if others
        else "has the same bits in products of 1, 2, 3, 4, 8, 16, 31, 32 and 48 rows"
    )
    if library.backend is None:
        found["a transposed layout of the second factor"] = _transposed(library, x, w, whole)
    runs = {library.run("matmul", x, w).tobytes() for _ in range(5)} | {whole.tobytes()}
    values = random.standard_normal((4, 100_000))
    sums = {library.run("sum", values).tobytes() for _ in range(5)}
    found["the same product and sum run again, five times"] = "the same bits" if len(runs) == len(sums) == 1 else "NOT the same bits"
    if library.name == "torch" and library.device == "cpu":
        found["1 and 2 threads, float32 product and convolution"] = _threads()
    return found


def _transposed(library: Library, x: Array, w: Array, whole: Array) -> str:
    left, right = library.native(x, "float32"), library.native(np.ascontiguousarray(w.T), "float32").T
    return "gives the same bits" if np.array_equal(library.back(library.ops["matmul"](left, right)), whole) else "gives other bits"


THREADS = """
import hashlib, torch
torch.set_num_threads({count})
torch.manual_seed(0)
x, w = torch.randn(64, 1000), torch.randn(1000, 300)
image, kernel = torch.randn(8, 32, 20, 20), torch.randn(48, 32, 3, 3)
parts = [(x @ w).numpy().tobytes(), torch.nn.functional.conv2d(image, kernel).numpy().tobytes(), x.sum().numpy().tobytes()]
print(hashlib.sha256(b"".join(parts)).hexdigest())
"""


def _threads() -> str:
    """In fresh processes: the number of threads can't be put back everywhere."""
    printed = [
        subprocess.run([sys.executable, "-c", THREADS.format(count=count)], capture_output=True, text=True, check=False) for count in (1, 2)
    ]
    if any(completed_process.returncode for completed_process in printed):
        return "could not be run"
    return "the same bits" if printed[0].stdout == printed[1].stdout else "different bits"


def _special(library: Library) -> Section:
    """NaN, signed zeros, and whole numbers at the edges."""
    nan, found = float("nan"), Section()
    if not library.has("max", "add", "round"):
        return found
    vector = np.array([1.0, nan, 3.0, -2.0] * 16)

    def passes(result: Any) -> str:
        return "passed on" if np.isnan(np.asarray(result, np.float64)).any() else "dropped"

    found["NaN in max, min"] = f"{passes(library.run('max', vector))}, {passes(library.run('min', vector))}"
    found["NaN in maximum, minimum"] = ", ".join(passes(library.run(op, vector, np.zeros(64))) for op in ("maximum", "minimum"))
    found["NaN in relu, clamp"] = f"{passes(library.run('relu', vector))}, {passes(library.run('clamp', vector))}"
    lost = np.isnan(library.run("sort", vector))
    place = int(np.argmax(lost))
    found["NaN in sort"] = "dropped" if not lost.any() else "last" if place == 48 else "first" if place == 0 else f"at place {place}"
    zero = np.full(64, -0.0)
    for title, result in {
        "relu(-0.0)": library.run("relu", zero),
        "-0.0 + -0.0": library.run("add", zero, zero),
        "maximum(-0.0, 0.0)": library.run("maximum", zero, -zero),
        "sum of -0.0": library.run("sum", zero),
        "sqrt(-0.0)": library.run("sqrt", zero),
        "round(-0.4)": library.run("round", np.full(64, -0.4)),
    }.items():
        found[title] = "-0.0" if np.signbit(np.ravel(result)[0]) else "0.0"
    halves = library.run("round", np.array([0.5, 1.5, 2.5, -0.5] * 16))[:4]
    found["round of 0.5, 1.5, 2.5"] = ", ".join(f"{halve:g}" for halve in halves[:3])
    edges = {"NaN": nan, "inf": float("inf"), "-inf": -float("inf"), "3e9": 3e9, "-1.5": -1.5, "300": 300.0}
    for op in ("to_int32", "to_int64", "to_uint8"):
        if library.has(op):
            converted = [f"{name} to {int(np.ravel(library.run(op, np.full(64, value)))[0])}" for name, value in edges.items()]
            found[f"float32 {op.replace('_', ' ')}"] = ", ".join(converted)
    seven, three = np.full(8, -7, np.int32), np.full(8, 3, np.int32)
    for op in ("floor_divide", "trunc_divide", "remainder", "fmod"):
        if library.has(op):
            found[f"{op} of -7 and 3"] = str(int(np.ravel(library.run(op, seven, three))[0]))
    return found


def _promotion(library: Library) -> Section:
    """Which format two formats meet in."""
    found: Section = {}
    if not library.has("add"):
        return found
    kinds = [*library.dtypes, "int32", "int64"]
    for place, left in enumerate(kinds):
        for right in kinds[place + 1 :]:
            pair = [library.native(np.ones(4, name if name.startswith("int") else "float32"), name) for name in (left, right)]
            try:
                result = library.ops["add"](*pair)
                found[f"{left} + {right}"] = str(result.dtype).removeprefix("torch.")
            except Exception as error:
                found[f"{left} + {right}"] = type(error).__name__
    return found


def _habits(library: Library) -> Section:
    """What a backend does beside what it is asked: subnormal numbers, fused products, its switches, ops that it leaves to others."""
    if library.backend is None:
        return {}
    habits = habits_of(library.backend)
    found = {
        f"weights of float32 {op}": f"read with {reading.weights_bits} of 24 bits"
        + ("" if reading.weights_bits == 24 else ": LESS than float32")
        for op, reading in habits.products.items()
    }
    found |= {f"subnormal inputs of {op}": what for op, what in habits.subnormals.items()}
    found |= {
        f"products and sums in {op}": "fused" if reading.is_fused else "rounded separately"
        for op, reading in habits.products.items()
        if reading.is_fused is not None
    }
    found |= {switch.detail: switch.words.removeprefix(f"{switch.detail} ") for switch in habits.switches}
    return found | {f"remark {number}": remark for number, remark in enumerate(habits.remarks, 1)}


SECTIONS: dict[str, Callable[[Library], Section]] = {
    "arithmetic": _arithmetic,
    "effective precision": _precision,
    "habits": _habits,
    "orders": _orders,
    "invariance": _invariance,
    "special values": _special,
    "type promotion": _promotion,
}
