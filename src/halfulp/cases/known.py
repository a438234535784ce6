"""Known: what is known of `expected` on some inputs, for other cases that compare something else with it there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .run import Run
from .variant import Variant


@dataclass(eq=False)
class Known:
    """What is known of `expected` on some inputs.

    Attributes:
        runs: of it, by variant, but for those that failed. facts: whatever else was found of it there, by what was asked: its noise.
    """

    runs: dict[Variant, Run] = field(default_factory=dict[Variant, Run])
    facts: dict[Any, Any] = field(default_factory=dict[Any, Any])
