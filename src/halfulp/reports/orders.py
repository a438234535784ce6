"""A revealed order as text."""

from __future__ import annotations

from ..probes import RevealedOrder


def order_text(found: RevealedOrder) -> str:
    """The order of each class of outputs, what it was proved on, and its family."""
    lines = [found.describe(), found.proof]
    main = found.classes[0].order
    if main is not None:
        lines.append(f"Depth of the tree: {main.tree.depth:,}; hash {main.hash}; {found.runs:,} runs of the function for the probes.")
        family = found.family
        if family is not None:
            lines.append(f"Family: {family}.")
    return "\n".join(lines)
