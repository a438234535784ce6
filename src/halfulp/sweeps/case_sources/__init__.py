"""Sources of cases: what a sweep checks. Each is one file here, with a class that a table of the plan fills."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .sample import Group, Sample, Source

KINDS = {
    "opinfo": "opinfo:OpInfo",
    "functions": "functions:Functions",
    "ops": "backend_ops:BackendOps",
    "files": "files:Files",
    "kernels": "kernels:Kernels",
    "onnx": "onnx_nodes:OnnxNodes",
    "pytest": "pytest_tests:PytestTests",
    "cases": "python_cases:PythonCases",
}
"""What a plan calls a source -> its module and class."""


def source_class(kind: str) -> type[Any]:
    """The class of a kind of source."""
    module, _, name = KINDS[kind].partition(":")
    return getattr(import_module(f".{module}", __name__), name)


__all__ = ["KINDS", "Group", "Sample", "Source", "source_class"]
