"""Responses: how the reference responds to other settings, which says what a solution can be asked."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import torch

from ..cases.trees import tensors_of
from .basis import Basis
from .problems.calls import Setting, State, is_real, leaves, state_of, with_leaves
from .problems.facts import alike
from .questions.arguments import changed_numbers, follows
from .trials.trial import SEEN, Trials


class Responses:
    """Tries the reference where it may fail; whatever it raises is an answer too.

    Args:
        basis: the given inputs. trials: which run the reference.
    """

    def __init__(self, basis: Basis, trials: Trials) -> None:
        self._problem, self._given, self._trials = basis.problem, basis.given, trials

    def results(self, setting: Setting) -> Any:
        """Its results; None where it raises."""
        try:
            return self._trials.expected(setting)
        except Exception:  # whatever the reference says to numbers that it doesn't know
            return None

    def accepts(self, setting: Setting) -> bool:
        """Whether it gives results there."""
        return self.results(setting) is not None

    def is_defined(self, state: State) -> bool:
        """Whether its results are finite with these parameters."""
        results = self.results(replace(self._given, state=state))
        return results is not None and all(bool(torch.isfinite(tensor).all()) for tensor in tensors_of(results) if is_real(tensor))

    def seconds(self, setting: Setting) -> float | None:
        """How long it takes; None where it refuses, or its results have other shapes than on the given inputs."""
        start = time.monotonic()
        results = self.results(setting)
        took_s = time.monotonic() - start
        return took_s if results is not None and _shapes(results) == _shapes(self.results(self._given)) else None

    def follows(self, setting: Setting) -> bool:
        """Whether the shapes of its results follow a number among the arguments; where they do not, it is none that the problem means.

        The first half of one channel is none: a reference that turns pairs of channels then loses one, and a solution need not.
        """
        numbers = [pair for pair in changed_numbers(self._given, setting) if all(type(number) is int for number in pair)]
        if len(numbers) != 1 or (results := self.results(setting)) is None:
            return True
        shapes = zip(_shapes(self.results(self._given)), _shapes(results))
        return all(len(old) != len(new) or all(follows(axis, longer, *numbers[0]) for axis, longer in zip(old, new)) for old, new in shapes)

    def differs(self, setting: Setting) -> bool:
        """Whether its results differ from those on the given inputs by more than rounding and a digit."""
        try:
            built = replace(setting, state=state_of(self._trials.reference(setting.init)))
            pairs = list(zip(tensors_of(self._trials.expected(built)), tensors_of(self._trials.expected(self._given))))
        except Exception:  # whatever the reference says to it
            return False
        return any(new.shape != old.shape or not torch.allclose(new.double(), old.double(), rtol=SEEN, atol=0.0) for new, old in pairs)

    def may_grow(self, name: str, seed: int) -> bool:
        """Whether it accepts a larger size: if it accepts only 1, it broadcasts axes that belong together."""
        value = self._problem.sizes.get(name, 1)
        for size in (value + 1, 2 * value) if value > 1 else ():
            with contextlib.suppress(Exception):  # whatever it says to lengths that don't fit together
                setting = self._problem.draw(seed, {name: size})
                self._trials.expected(replace(setting, state=state_of(self._trials.reference(setting.init))))
                return True
        return value <= 1

    def ignores_growth(self, setting: Setting) -> bool:
        """Whether its results ignore what an axis has more than before: then lengths that belong together no longer agree."""
        changed: dict[int, torch.Tensor] = {}
        for place, (new, old) in enumerate(zip(leaves(setting.arguments), leaves(self._given.arguments))):
            axes = [axis for axis in range(min(new.dim(), old.dim())) if new.shape[axis] > old.shape[axis]]
            if axes and is_real(new):
                changed[place] = new.clone()
                changed[place].narrow(axes[0], old.shape[axes[0]], new.shape[axes[0]] - old.shape[axes[0]]).add_(1.0)
        try:
            other = replace(setting, arguments=with_leaves(setting.arguments, changed))
            return bool(changed) and alike(self._trials.expected(setting), self._trials.expected(other))
        except Exception:  # whatever the reference says to lengths that don't fit together
            return False

    def has_buffers(self, tables: Collection[str]) -> bool:
        """Whether it is a module with buffers other than tables."""
        target = self._trials.reference(self._given.init)
        return isinstance(target, torch.nn.Module) and any(name not in tables for name, _ in target.named_buffers())


def _shapes(results: Any) -> Sequence[torch.Size]:
    return [tensor.shape for tensor in tensors_of(results)]
