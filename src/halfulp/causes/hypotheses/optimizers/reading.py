"""Reading: one way to understand an optimizer, and the step of a parameter under the readings in force."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch


@dataclass(frozen=True)
class Reading:
    """One way to understand an optimizer.

    Attributes:
        name, detail: as those of a hypothesis and its variation.
        choices: what `Update.has` says yes to. given: hyperparameters in place of the optimizer's own.
    """

    name: str
    detail: str
    choices: frozenset[str] = frozenset()
    given: Mapping[str, Any] = field(default_factory=dict)


def chosen(name: str, detail: str, *choices: str) -> Reading:
    """A reading that makes choices and keeps all hyperparameters."""
    return Reading(name, detail, frozenset(choices))


@dataclass(frozen=True, eq=False)
class Family:
    """Optimizers that are computed alike.

    Attributes:
        kinds: their classes. update: one step of one parameter. readings: the other ways to understand them.
    """

    kinds: tuple[type, ...]
    update: Callable[[Update], None]
    readings: tuple[Reading, ...]


_IN_FORCE: list[tuple[Family, Reading]] = []
"""How optimizers are read now, outermost first: several readings of one optimizer add up."""


class Update:
    """One step of one parameter.

    Args:
        optimizer: whose step it is. group: its hyperparameters. parameter: has a gradient. readings: in force.
    """

    def __init__(self, optimizer: Any, group: Mapping[str, Any], parameter: torch.Tensor, readings: list[Reading]) -> None:
        assert parameter.grad is not None
        self.parameter = parameter
        self.state: dict[str, Any] = optimizer.state[parameter]
        self._choices = {choice for reading in readings for choice in reading.choices}
        self._group: dict[str, Any] = dict(group)
        for reading in readings:
            self._group.update(reading.given)
        self.plain = -parameter.grad if self._group.get("maximize") else parameter.grad
        self.is_decoupled = isinstance(optimizer, torch.optim.AdamW) or bool(self._group.get("decoupled_weight_decay"))
        self._decays_afterwards = False

    def __getitem__(self, name: str) -> Any:
        """A hyperparameter."""
        return self._group[name]

    def given(self, name: str, default: Any) -> Any:
        """A number that a reading brings along, which the optimizer itself has not."""
        return self._group.get(name, default)

    def has(self, choice: str) -> bool:
        """Whether a choice is made."""
        return choice in self._choices

    def buffer(self, name: str, start: float = 0.0, like: torch.Tensor | None = None) -> torch.Tensor:
        """A tensor that the optimizer keeps from step to step."""
        if name not in self.state:
            self.state[name] = torch.full_like(self.parameter if like is None else like, start)
        return self.state[name]

    def count(self) -> int:
        """The number of this step, from 1."""
        self.state["step"] = self.state.get("step", torch.tensor(0.0)) + 1
        return int(self.state["step"])

    def decayed(self, *, decoupled: bool | None = None) -> torch.Tensor:
        """The gradient with weight decay, which is added to it, or taken from the parameter.

        Args:
            decoupled: how the optimizer itself does it.
        """
        decay, rate = self["weight_decay"], float(self["lr"])
        is_decoupled = self.is_decoupled if decoupled is None else decoupled
        is_decoupled = (is_decoupled or self.has("decay decoupled")) and not self.has("decay coupled")
        if not decay or self.has("no decay"):
            return self.plain
        if self.has("decay doubled"):
            decay = 2 * decay
        if self.has("decay without rate"):
            self.parameter.mul_(1 - decay)
        elif self.has("decay afterwards"):
            self._decays_afterwards = True
        elif is_decoupled:
            self.parameter.mul_(1 - rate * decay)
        else:
            return self.plain + decay * self.parameter
        return self.plain

    def move(self, direction: torch.Tensor, rate: float) -> None:
        """The parameter goes against a direction."""
        self.parameter.add_(direction, alpha=-rate)
        if self._decays_afterwards:
            self.parameter.mul_(1 - float(self["lr"]) * self["weight_decay"])


_DECAYS = {
    "decay decoupled": "weight decay decoupled from the gradient (AdamW)",
    "decay coupled": "weight decay added to the gradient (L2)",
    "decay without rate": "weight decay not multiplied by the learning rate",
    "decay afterwards": "weight decay of the parameter after the step",
    "decay doubled": "weight decay twice as large (the gradient of decay times the squared norm)",
    "no decay": "no weight decay",
}


def decays(own: str = "") -> tuple[Reading, ...]:
    """The ways in which weight decay enters.

    Args:
        own: the way of the optimizer itself, "decay decoupled" or "decay coupled"; "" where that is an option.
    """
    return tuple(Reading("weight decay", detail, frozenset({choice})) for choice, detail in _DECAYS.items() if choice != own)


@contextlib.contextmanager
def reading(family: Family, way: Reading) -> Generator[None]:
    """Optimizers of a family step as they are read inside."""
    saved = [(kind, kind.__dict__.get("step")) for kind in family.kinds]

    def step(optimizer: Any, closure: Any = None) -> Any:
        return _stepped(family, optimizer, closure)

    step.hooked = True  # type: ignore[attr-defined]  # PyTorch would wrap it for its profiler otherwise
    _IN_FORCE.append((family, way))
    try:
        for kind in family.kinds:
            kind.step = step  # type: ignore[attr-defined]
        yield
    finally:
        for kind, original in reversed(saved):
            if original is None:
                del kind.step  # type: ignore[attr-defined]
            else:
                kind.step = original  # type: ignore[attr-defined]
        _IN_FORCE.pop()


def _stepped(family: Family, optimizer: Any, closure: Any) -> Any:
    """One step of an optimizer: an update of every parameter that has a gradient."""
    loss = None
    if closure is not None:
        with torch.enable_grad():
            loss = closure()
    readings = [way for other, way in _IN_FORCE if other.update is family.update]
    with torch.no_grad():
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    family.update(Update(optimizer, group, parameter, readings))
    return loss
