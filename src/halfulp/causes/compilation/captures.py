"""Which call did dynamo capture wrongly? The calls of the function, run eagerly, beside the values of the captured graph."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.overrides import TorchFunctionMode, resolve_name

from ...cases.trees import tensors_of
from .graphs import Graph, is_near, values_of

_LIBRARIES = (str(Path(torch.__file__).parent), str(Path(__file__).parents[2]))


@dataclass(frozen=True)
class EagerCall:
    """A call of PyTorch that the function makes.

    Attributes:
        name: of the function. source: "file.py:12 forward". results: its tensors, copied.
    """

    name: str
    source: str
    results: tuple[torch.Tensor, ...]


def wrong_capture(run: Callable[[], Any], graphs: Sequence[Graph]) -> EagerCall | None:
    """The first call of a function whose results no captured graph has; None where they have all of them.

    Args:
        run: the function on its inputs. graphs: what was captured of it.
    """
    kept: list[torch.Tensor] = []
    for graph in graphs:
        values = (*graph.inputs, *values_of(graph).values())
        kept += [tensor for value in values for tensor in tensors_of(value)]
    for call in _calls(run):
        if not all(any(is_near(result, other) for other in kept) for result in call.results):
            return call
    return None


def _calls(run: Callable[[], Any]) -> list[EagerCall]:
    found: list[EagerCall] = []

    class Calls(TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            result = func(*args, **(kwargs or {}))
            results = tuple(tensor.detach().clone() for tensor in tensors_of(result))
            if results:
                found.append(EagerCall(str(resolve_name(func) or getattr(func, "__name__", func)), _source(), results))
            return result

    with torch.no_grad(), Calls():
        run()
    return found


def _source() -> str:
    """The line outside of PyTorch and halfulp that is at work."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_filename.startswith(_LIBRARIES):
        frame = frame.f_back
    return "" if frame is None else f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno} {frame.f_code.co_name}"
