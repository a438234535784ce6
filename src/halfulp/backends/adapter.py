"""Adapter: the base of the backends that halfulp comes with. An adapter says what it needs and how a target is built; the rest is here."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from importlib import metadata
from importlib.util import find_spec
from typing import Any, ClassVar

from ..errors import InputError, install_command
from .interface import Availability, Option
from .knobs.knob import Knob
from .knobs.options import knobs_of
from .program import Program


class Adapter(ABC):
    """One framework.

    Attributes:
        name: of the backend. title: what it is called in words.
        packages: import name -> distribution, of what has to be installed. extra: the extra of halfulp that brings them.
        dtypes: names of the formats that it computes in.
        options: what can be set, see `Option`. builds_slowly: whether building a program takes as long as hundreds of runs of it.
        holds_weights: whether what it builds holds a module's numbers, so that it is of no use once these change.
        computes_here: whether it works in this process. What does not may be asked from several threads: PyTorch's random state is not
            touched for it, which two threads that ask for it at once can wait for forever.
        rounds_constants: whether numbers of a model that are no tensors (a scale, an epsilon) are stored in float32 in programs of float64.
    """

    name: str
    title: str = ""
    packages: ClassVar[Mapping[str, str]] = {}
    extra: str = ""
    dtypes: tuple[str, ...] = ("float32",)
    options: tuple[Option, ...] = ()
    builds_slowly: bool = False
    holds_weights: bool = True
    computes_here: bool = True
    rounds_constants: bool = False

    def availability(self) -> Availability:
        """Whether its packages are installed here."""
        missing = [distribution for name, distribution in self.packages.items() if not _is_installed(name, distribution)]
        if missing:
            return Availability(reason=f"{', '.join(missing)} not installed", install=install_command(self.extra))
        version = _version(next(iter(self.packages.values()), ""))
        reason = self.unusable()
        return Availability("" if reason else "here", version, reason)

    def unusable(self) -> str:
        """Why it can't be used although its packages are installed: no device, no driver. "" where it can."""
        return ""

    def dtypes_with(self, options: Mapping[str, str]) -> tuple[str, ...]:  # noqa: ARG002  # for those that depend on them
        """The formats that it computes in with these options."""
        return self.dtypes

    def fingerprint(self) -> dict[str, str]:
        """Versions of its packages."""
        return {distribution: _version(distribution) for distribution in self.packages.values()}

    def knobs(self) -> tuple[Knob, ...]:
        """Its options as knobs: every value but the default."""
        return knobs_of(self.options, {})

    def checked(self, options: Mapping[str, str]) -> dict[str, str]:
        """All options with their values.

        Raises:
            InputError: an option or a value that there is none of.
        """
        known = {option.name: option for option in self.options}
        for name, value in options.items():
            if name not in known:
                which = f"one of {', '.join(known)}" if known else "none"
                raise InputError(
                    f"Got the option {name!r} for {self.name}. Needed: {which}. The backend has no option of that name. Leave it out."
                )
            if value not in known[name].values:
                raise InputError(
                    f"Got {name}={value!r} for {self.name}. Needed: one of {', '.join(known[name].values)}. This option has no other value. "
                    f"Leave it out for {known[name].default}."
                )
        return {name: options.get(name, option.default) for name, option in known.items()}

    def implement(self, target: Any, **options: str) -> Any:
        """The target as a callable, see `Backend`."""
        from .implementation import Implementation

        return Implementation(self, target, self.checked(options))

    @abstractmethod
    def build(self, target: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any], options: Mapping[str, str]) -> Program:
        """The target for inputs like these.

        Args:
            target: see `Backend.implement`. arguments, keywords: of one call; arrays are tensors on the CPU.
            options: all of them.

        Raises:
            Unsupported: it can't.
        """


def _is_installed(name: str, distribution: str) -> bool:
    try:
        found = find_spec(name)
    except (ImportError, ValueError):
        return False
    # Any folder of that name on the path is a namespace package; a real one comes with its distribution.
    is_namespace = found is not None and found.origin is None and found.submodule_search_locations is not None
    return found is not None and (not is_namespace or bool(_version(distribution)))


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution) if distribution else ""
    except metadata.PackageNotFoundError:
        return ""
