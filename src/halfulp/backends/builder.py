"""Builder: what an implementation asks of the backend that it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from .interface import Availability, Option
from .program import Program


class Builder(Protocol):
    """See `Adapter`, which is one."""

    name: str
    title: str
    options: tuple[Option, ...]
    builds_slowly: bool
    rounds_constants: bool
    holds_weights: bool
    computes_here: bool

    def availability(self) -> Availability:
        """Whether it can be used here."""
        ...

    def fingerprint(self) -> dict[str, str]:
        """Versions of its packages."""
        ...

    def dtypes_with(self, options: Mapping[str, str]) -> tuple[str, ...]:
        """The formats that it computes in with these options."""
        ...

    def checked(self, options: Mapping[str, str]) -> dict[str, str]:
        """All options with their values."""
        ...

    def build(self, target: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any], options: Mapping[str, str]) -> Program:
        """The target for inputs like these."""
        ...
