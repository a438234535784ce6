"""check_backend: all laws tried on a backend, and what was broken reported together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...errors import InputError
from ...words.numbers import counted
from ..interface import Backend
from ..knobs.knob import NotApplicable
from ..ops import OPS
from .broken import Broken
from .laws import FIRST, LAWS
from .process import process_kept
from .trial import Trial


@dataclass(frozen=True)
class Conformance:
    """What was found.

    Attributes:
        kept: the laws that hold. broken: law -> what was seen. left_out: law, op or dtype -> why it was not tried.
    """

    kept: tuple[str, ...]
    broken: Mapping[str, str]
    left_out: Mapping[str, str]


def check_backend(backend: Backend, *, ops: Sequence[str] | None = None) -> Conformance:
    """Does a backend keep the laws? For the test of an adapter.

    Args:
        backend: to test. It must be usable here. ops: names of the ops to try; all of the table by default.

    Returns:
        The laws that hold, and ops that the backend says it doesn't have.

    Raises:
        AssertionError: laws that are broken, each with what was seen.
        InputError: a name that is none of the table's ops.

    Example:
        >>> import halfulp
        >>> from halfulp.testing import check_backend
        >>> "inputs stay as they are" in check_backend(halfulp.backend("numpy"), ops=["linear", "gelu"]).kept
        True
    """
    found = conformance(backend, ops=ops)
    if found.broken:
        lines = "\n".join(f"  {law}: {seen}" for law, seen in found.broken.items())
        raise AssertionError(
            f"Got {counted(len(found.broken), 'broken law')} from the backend {getattr(backend, 'name', backend)!r}:\n{lines}\nNeeded: a backend that obeys all of the laws. Otherwise halfulp would compare something other than what the backend computed. See the documentation of halfulp.testing.check_backend."
        )
    return found


def conformance(backend: Backend, *, ops: Sequence[str] | None = None) -> Conformance:
    """The same without raising for a law that is broken."""
    names = tuple(OPS if ops is None else ops)
    unknown = [name for name in names if name not in OPS]
    if unknown or not names:
        raise InputError(
            f"Got ops={', '.join(unknown) or 'none'}. Needed: names of halfulp's ops: {', '.join(OPS)}. The laws are tried on them. "
            "Correct the names, or leave ops out for all."
        )
    trial = Trial(backend, names)
    kept: list[str] = []
    broken: dict[str, str] = {}
    for law, test in LAWS.items():
        try:
            with process_kept():
                test(trial)
        except Broken as seen:
            broken[law] = str(seen)
        except NotApplicable as reason:
            trial.left_out[law] = str(reason)
        except Exception as error:
            broken[law] = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:300]}"
        else:
            kept.append(law)
        if law in FIRST and law in broken:
            break  # nothing else can be asked
    return Conformance(tuple(kept), broken, dict(trial.left_out))
