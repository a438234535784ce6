"""Backend: an implementation that people compare. One interface for all of them; a third party's needs these five names only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from .knobs.knob import Knob


@dataclass(frozen=True)
class Availability:
    """Whether a backend can be used, and where.

    Attributes:
        where: "here" (in this process), "own environment" (in a worker process), "" (not at all).
        version: of its package, "" where it isn't installed.
        reason: why it can't be used; "" where it can.
        install: the command that brings it; "" where none is needed or none helps.
    """

    where: str = ""
    version: str = ""
    reason: str = ""
    install: str = ""

    def __bool__(self) -> bool:
        return bool(self.where)


@runtime_checkable
class Backend(Protocol):
    """What halfulp asks of a backend.

    Attributes:
        name: "onnxruntime".
    """

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    def availability(self) -> Availability:
        """Whether it can be used here. Cheap, imports nothing heavy, never raises."""
        ...

    def fingerprint(self) -> Mapping[str, str]:
        """What decides its numbers: versions, device, threads, precision as far as it says; texts by name."""
        ...

    def knobs(self) -> tuple[Knob, ...]:
        """What can be changed about how it computes; each wraps what `implement` returned."""
        ...

    def implement(self, target: Any, **options: str) -> Callable[..., Any]:
        """The target as a callable.

        Args:
            target: an `ops.OpModule`, an `nn.Module`, or what is native to the backend (a file, a function).
            options: by name, see its knobs.

        Returns:
            A callable on PyTorch tensors or NumPy arrays. It returns tensors on the inputs' device where an input is a tensor, else
            arrays, in memory of their own; it leaves its inputs, the process and itself as they were.

        Raises:
            Unsupported: it lacks the op or the kind of model (here or at the first call). MissingBackend: it isn't here.
        """
        ...


@dataclass(frozen=True)
class Option:
    """Something about a backend that can be set when it implements a target.

    Attributes:
        name: "precision". values: what it can be, the default first.
        cause: what a change of it is called among causes; touches: kinds of ops that it is expected to change.
        remedies: value -> the line of the user's code that sets it.
    """

    name: str
    values: tuple[str, ...]
    cause: str
    touches: frozenset[str]
    remedies: Mapping[str, str]

    @property
    def default(self) -> str:
        """What it is when nobody says."""
        return self.values[0]
