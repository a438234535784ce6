"""op_problem(): an op of ATen as a problem: BackendBench's folders of implementations, asked on PyTorch's own samples (OpInfo)."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from ...cases.opinfo import drawing, op_infos
from ...cases.trees import tree_map
from ...errors import CaseFileError
from .calls import Setting, call, copied, seeded
from .problem import LARGEST, Problem, count_of

IMPLEMENTATIONS = "*_implementation*.py"
"""BackendBench's names for the files in the folder of an op."""
MOST_SAMPLES = 24
"""The most samples of an op: convolutions have a hundred, and the later ones repeat shapes with other options."""


def is_of_an_op(folder: Path) -> bool:
    """Whether a folder holds implementations of the op that it is named after."""
    return any(folder.glob(IMPLEMENTATIONS))


def op_problem(folder: Path) -> Problem:
    """The problem for the op that a folder is named after: "add" or, with its overload, "add__Tensor".

    Raises:
        CaseFileError: ATen has no such op, PyTorch no samples of it, or a package is missing that these need.
    """
    base, _, overload = folder.name.partition("__") if not folder.name.startswith("__") else (folder.name, "", "")
    packet: Any = getattr(torch.ops.aten, base, None)
    target = getattr(packet, overload, None) if overload else packet
    if target is None:
        raise CaseFileError(
            f"Got the folder {folder.name} with implementations of an op. Needed: the name of an op of ATen, such as relu or "
            "add__Tensor. The op says what "
            "they have to compute. Rename the folder."
        )
    given = _samples(base, 0)
    numbers = [number for number, setting in enumerate(given) if _runs(target, setting)]
    if not numbers:
        raise CaseFileError(
            f"Got the op {base}, of which PyTorch has no samples in float32. Needed: inputs to test it on. halfulp takes those of "
            "PyTorch's own tests. "
            "Write a case file with `expected` and `inputs` instead."
        )
    largest = max(numbers, key=lambda number: count_of(given[number]))

    def draw(seed: int, _: Mapping[str, int]) -> Setting:
        return _samples(base, seed)[largest]

    tests = tuple((f"PyTorch's sample {number + 1}", given[number]) for number in numbers if number != largest)
    return Problem(folder.name, "BackendBench", folder, f"{folder.name}_kernel_impl", lambda _: target, draw, {}, tests=tests)


def _samples(base: str, seed: int) -> list[Setting]:
    """PyTorch's samples of an op in float32; another seed gives other numbers."""
    found: list[Setting] = []
    for info in op_infos():
        if base not in (info.name, info.aten_name) or torch.float32 not in info.dtypes:
            continue
        with seeded(seed), drawing(seed):
            for sample in itertools.islice(info.sample_inputs("cpu", torch.float32), MOST_SAMPLES):
                arguments = tree_map(lambda item: item.detach() if isinstance(item, torch.Tensor) else item, (sample.input, *sample.args))
                found.append(Setting(arguments, keywords=dict(sample.kwargs)))
    return found


def _runs(target: Any, setting: Setting) -> bool:
    """Whether the op accepts these arguments as they are, and computes at least one number."""
    try:
        found, _ = call(target, {}, copied(setting.arguments), setting.keywords, training=False)
    except Exception:  # whatever an op refuses
        return False
    return isinstance(found, (torch.Tensor, tuple, list)) and 0 < count_of(setting) <= LARGEST
