"""Is one side a stored result? Then nothing can be asked that takes another run of it, and the inputs are what somebody says they were."""

from __future__ import annotations

from ...cases import Case
from .evidence import Evidence, Measured
from .finding import Finding

F = Finding

NOT_ASKED = (
    "whether it gives the same bits again",
    "what it gives in float64",
    "what it gives on small integers and impulses",
    "what it gives when the inputs are perturbed, scaled or permuted",
    "what it gives without its casts",
    "what its own ops and modules do",
)
"""What takes runs of both sides, in words: kinds `repetition`, `scaling`, `integers`, `impulses`, `redraw`, `powers`, `permutations`,
`casts`, `own_noise` and `inside`."""


def stored(case: Case) -> Evidence | None:
    """Which side is a stored result, and what was not asked of it; None where both are functions."""
    if not case.stored:
        return None
    side = case.side(case.stored)
    assert side.stored is not None
    devices = sorted({leaf.device for leaf in side.stored.leaves} - {"cpu"})
    measured: dict[str, Measured] = {"side": case.stored, "source": side.stored.source, "not_asked": list(NOT_ASKED), "devices": devices}
    return Evidence("stored", F.REPORTED, measured=measured)
