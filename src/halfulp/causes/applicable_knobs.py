"""Which knobs there are for a case: PyTorch's for either side, and for a side that a backend made those of the backend."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..backends.knobs import Knob, knobs
from ..cases import Case


def turnable(case: Case) -> Iterator[tuple[Knob, str]]:
    """Each knob that can be turned in this process, with the side that it is turned for."""
    usable = [knob for knob in knobs() if not knob.needs_fresh_process and not knob.unavailable()]
    for name in ("expected", "actual"):
        function = case.side(name).function
        if is_of_backend(function):
            yield from ((item, name) for item in function.knobs() if not item.needs_fresh_process and not item.unavailable())  # pyright: ignore[reportFunctionMemberAccess]
    for knob in usable:
        yield from ((knob, name) for name in ("expected", "actual") if not is_of_backend(case.side(name).function))


def is_of_backend(function: Callable[..., Any]) -> bool:
    """Whether a backend made it, so that PyTorch's settings don't reach it and its own do."""
    return hasattr(function, "knobs") and hasattr(function, "with_options")
