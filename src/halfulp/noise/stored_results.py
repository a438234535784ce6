"""Which results of a function are stored in the declared 16 or 8 bits, and which only pass through float32.

A number below the smallest normal one of float16 loses digits where it is stored in float16. Inside `x.float()`, and inside the kernels of
composite ops, which compute in float32, it loses none: there the smallest normal number is no border. And a table of positions or angles
that is made in float32 is rounded to 16 bits once, when it is done.
"""

from __future__ import annotations

from typing import Any

import torch

from ..cases import Case, observed
from ..cases.sides import taken_apart
from ..floats import FORMATS, Format
from ..ops import called
from ..process.dispatch import DispatchMode


class StoredResults:
    """The ops of a side as written, in order, and whether each stores its result in the declared format.

    Args:
        ops: (name of the op, whether its result is stored so).
    """

    def __init__(self, ops: list[tuple[str, bool]]) -> None:
        self._ops = ops
        self._next = 0

    def restart(self) -> None:
        """Begin another run."""
        self._next = 0

    def stores(self, name: str) -> bool:
        """Whether the next op of that name stores its result in that format; not where the run as written had none."""
        for place in range(self._next, len(self._ops)):
            if self._ops[place][0] == name:
                self._next = place + 1
                return self._ops[place][1]
        return False


class _Watch(DispatchMode):
    def __init__(self, storage: Format) -> None:
        super().__init__()
        self.ops: list[tuple[str, bool]] = []
        self._storage = storage

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        values = result if isinstance(result, (tuple, list)) else (result,)
        self.ops.append((called(func)[0], any(self._is_coarse(value) for value in values)))
        return result

    def _is_coarse(self, value: Any) -> bool:
        if not isinstance(value, torch.Tensor):
            return False
        form = FORMATS.get(str(value.dtype).removeprefix("torch."))
        return form is not None and form.precision_bits <= self._storage.precision_bits


def stored_results(case: Case, name: str, storage: Format) -> StoredResults | None:
    """What the side stores where; None where its ops can't be seen."""
    watch = _Watch(storage)
    return StoredResults(watch.ops) if observed(case, name, taken_apart(), watch) else None
