"""Known: what is known of `expected` on some inputs, for other cases that compare something else with it there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .run import Run, Unavailable
from .variant import Variant


@dataclass(eq=False)
class Known:
    """What is known of `expected` on some inputs.

    Attributes:
        runs: of it, by variant. facts: whatever else was found of it there, its noise for one, by what was asked.
    """

    runs: dict[Variant, Run | Unavailable] = field(default_factory=dict[Variant, "Run | Unavailable"])
    facts: dict[Any, Any] = field(default_factory=dict[Any, Any])
