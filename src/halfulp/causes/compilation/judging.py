"""Judge: what a changed graph gives, against what its ops give eagerly."""

from __future__ import annotations

import contextlib
from typing import Any

import torch

from ...cases import Case
from ...differences import Leaf
from ...differences.leaves import leaves_of
from ...noise import noise_of
from ..scale import Distance, Scale
from .graphs import Graph
from .internals import copies


class Judge:
    """Measures results of one graph in units of its rounding noise.

    Args:
        graph: as it was captured, with the inputs that it ran on.
    """

    def __init__(self, graph: Graph) -> None:
        def eager(*inputs: Any) -> Any:
            return tuple(graph.module(*inputs))

        case, noise = Case(eager, eager, tuple(copies(graph.inputs))), None
        with contextlib.suppress(Exception):
            noise = noise_of(case)
        self._scale = Scale(case, noise)
        with torch.no_grad():
            self._expected = self._leaves(graph.module(*copies(graph.inputs)))

    def distance(self, results: Any) -> Distance:
        """How far results are from the eager ones."""
        return self._scale.distance(self._leaves(results), self._expected)

    def is_rounding(self, distance: Distance) -> bool:
        """Whether rounding accounts for a distance."""
        return distance.alike and self._scale.within(distance)

    @staticmethod
    def _leaves(results: Any) -> list[Leaf]:
        return leaves_of(tuple(results) if isinstance(results, (tuple, list)) else (results,))
