"""ONNX's own node cases: one model of one op each, with inputs, and outputs that the standard's authors computed in NumPy."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from ...errors import InputError
from ...process.alone import quiet
from .patterns import chosen
from .sample import Group, Sample

Runtime = Literal["onnxruntime", "reference"]
NEEDED = {"onnxruntime": "onnxruntime", "reference": "onnx"}


@dataclass(frozen=True)
class OnnxNodes:
    """Node cases of the package `onnx`, against the outputs that come with them.

    Args:
        part: its place in the plan. ops: names or patterns of cases ("test_gelu*"). runtime: what runs them: "onnxruntime" on the CPU, or
            "reference", the evaluator in the package itself.
    """

    is_seeded: ClassVar[bool] = False
    part: int = 0
    ops: Sequence[str] = ("*",)
    runtime: Runtime = "onnxruntime"

    def paths(self) -> list[Path]:
        """None: they come with packages."""
        return []

    def groups(self) -> Iterator[Group]:
        """A case.

        Raises:
            InputError: a package is missing, or a pattern fits no case.
        """
        import importlib.util

        for package in {"onnx", NEEDED[self.runtime]}:
            if importlib.util.find_spec(package) is None:
                raise InputError(
                    f"Got no package {package}. Needed: onnx, whose cases these are, and the runtime that runs them. Nothing was run. Run pip install {package}."
                )
        for name in chosen(list(_cases()), self.ops, "cases of ONNX"):
            yield Group("onnx", self.part, name, self.runtime, "the case's outputs")

    def samples(self, group: Group, seed: int) -> list[Callable[[], Sample]]:
        """The data sets of a case; most have one. They come with the package, so a seed changes nothing."""
        case = _cases()[group.subject]

        def maker(number: int) -> Callable[[], Sample]:
            def make() -> Sample:
                inputs, outputs = case.data_sets[number]
                names = [each.name for each in case.model.graph.input]
                run = _by_reference(case.model) if self.runtime == "reference" else _by_onnxruntime(case.model)
                return Sample(f"data {number + 1}", functools.partial(_called, run, names), _plain(outputs), tuple(map(np.asarray, inputs)))

            return make

        return [maker(number) for number in range(len(case.data_sets))]


def _called(run: Callable[[dict[str, Any]], list[Any]], names: Sequence[str], *inputs: Any) -> Any:
    return _plain(run(dict(zip(names, inputs))))


def _plain(outputs: Sequence[Any]) -> Any:
    """One output by itself, several as a tuple."""
    return np.asarray(outputs[0]) if len(outputs) == 1 else tuple(map(np.asarray, outputs))


def _by_reference(model: Any) -> Callable[[dict[str, Any]], list[Any]]:
    from onnx.reference import ReferenceEvaluator

    evaluator: Any = ReferenceEvaluator(model)
    return lambda feeds: evaluator.run(None, feeds)


def _by_onnxruntime(model: Any) -> Callable[[dict[str, Any]], list[Any]]:
    import onnxruntime  # pyright: ignore[reportMissingImports]

    session: Any = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return lambda feeds: session.run(None, feeds)


@functools.cache
def _cases() -> dict[str, Any]:
    """Name -> case, of those whose inputs and outputs are arrays of numbers."""
    from onnx.backend.test.case.node import collect_testcases

    def is_numeric(value: Any) -> bool:
        return isinstance(value, (np.ndarray, np.generic)) and np.asarray(value).dtype.kind in "fiub"

    with quiet(), np.errstate(all="ignore"):  # cases of overflow are made by overflowing
        found = collect_testcases(None)
    return {
        case.name: case
        for case in found
        if case.data_sets and all(is_numeric(value) for given, wanted in case.data_sets for value in (*given, *wanted))
    }
