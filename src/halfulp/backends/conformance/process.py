"""What a backend leaves as it was in the process it runs in: read before and after, put back in between."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Generator, Mapping

from ...process.settings import COMPUTING, RANDOM, changed_filters, put_back, readings
from .broken import Broken

SETTINGS = (*COMPUTING, *RANDOM)


@contextlib.contextmanager
def process_kept() -> Generator[None]:
    """What happens inside leaves the process as it was: what of `SETTINGS`, variables and warnings is changed is put back, and named.

    Raises:
        Broken: something is changed. Not where the inside raises an error of its own, which says more.
    """
    before = readings(SETTINGS)
    variables = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    with warnings.catch_warnings():
        filters = list(warnings.filters)
        try:
            yield
        finally:
            changed = [*put_back(before), *_changed_variables(variables), *filter(None, [changed_filters(filters, list(warnings.filters))])]
    if changed:
        raise Broken(f"it leaves the process changed: {'; '.join(changed)}")


# What a framework adds when it is imported (a variable of its own, a filter for its own warnings) concerns nobody else.
def _changed_variables(before: Mapping[str, str]) -> list[str]:
    changed = [name for name, text in before.items() if os.environ.get(name) != text]
    os.environ.update({name: before[name] for name in changed})
    return [f"the environment variable {name} is changed" for name in changed]
