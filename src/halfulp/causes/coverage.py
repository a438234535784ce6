"""Coverage: how many of the values inside `expected` are found inside `actual`.

Of two causes one may hide behind the other in the results, and show in what is computed before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import torch

from ..cases import Case, Run
from ..process.alone import quiet
from .calls import Call, tensors_in
from .trial import Trial, changed_function

Statistics = tuple[float, float, float]

CLOSE_IN_U = 1000.0
"""Two values are taken for one if three moments agree to so many unit roundoffs of their size: rounding moves a moment by the root of the
number of elements at most, another value of the same shape by as much as its size."""


class Coverage:
    """The values inside one run of `actual`, and how many of them a run of `expected` shares.

    Args:
        case: whose sides are run.
    """

    def __init__(self, case: Case) -> None:
        self._case = case
        self._close = min(0.01, CLOSE_IN_U * case.storage.unit_roundoff)
        self._known: dict[int, list[Statistics]] = defaultdict(list)
        for size, found in self._statistics("actual", ()):
            self._known[size].append(found)

    def of(self, trials: Sequence[Trial]) -> int:
        """How many values inside `expected`, with these changes made, are inside `actual` too."""
        return sum(any(self._same(found, other) for other in self._known[size]) for size, found in self._statistics("expected", trials))

    def _statistics(self, side: str, trials: Sequence[Trial]) -> list[tuple[int, Statistics]]:
        found: list[tuple[int, Statistics]] = []

        def done(_: Call, result: Any) -> None:
            for tensor in tensors_in(result):
                if tensor.is_floating_point() and tensor.numel() > 1 and tensor.layout == torch.strided:
                    values = tensor.detach().double()
                    size = float(values.square().mean().sqrt())
                    if size > 0 and size < float("inf"):
                        scaled = values / size
                        found.append((values.numel(), (size, float(scaled.mean()), float((scaled**3).mean()))))

        function = changed_function(self._case.side(side), trials, done)
        with quiet():
            run = self._case.with_function(side, function).run(side)
        return found if isinstance(run, Run) else []

    def _same(self, left: Statistics, right: Statistics) -> bool:
        sizes = abs(left[0] - right[0]) <= self._close * right[0]
        return sizes and all(abs(here - there) <= self._close * (1.0 + abs(there)) for here, there in zip(left[1:], right[1:]))
