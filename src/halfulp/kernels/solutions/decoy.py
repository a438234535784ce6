"""Decoy: what a solution finds when it searches memory for the reference, which is never there."""

from __future__ import annotations

import sys
import types
from typing import Any

import torch


def put_decoy(attempts: dict[str, None]) -> None:
    """Put a module that looks like the problem's among the imported ones.

    Args:
        attempts: where it is noted that a solution ran what it found there.
    """

    class Model(torch.nn.Module):
        """A solution has no reason to create it."""

        def __init__(self, *_: Any, **__: Any) -> None:
            super().__init__()
            attempts["to run the reference"] = None

        def forward(self, *arguments: Any, **_: Any) -> Any:
            """The first argument."""
            return arguments[0] if arguments else None

    def ref_kernel(data: Any) -> Any:
        """The argument."""
        attempts["to run the reference"] = None
        return data

    found = types.ModuleType("problem")
    vars(found).update(Model=Model, ref_kernel=ref_kernel, get_inputs=lambda: [], get_init_inputs=lambda: [], generate_input=lambda **_: ())
    sys.modules["reference_problem"] = found
