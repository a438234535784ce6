"""The catalog of known causes that concern single calls, all records in one place."""

from __future__ import annotations

from . import (
    activation,
    algorithm,
    arithmetic,
    attention,
    constant,
    convolution,
    loss,
    loss_form,
    memory,
    normalization,
    recurrent,
    resampling,
)
from .hypothesis import Hypothesis

CATALOG: tuple[Hypothesis, ...] = (
    *normalization.ALL,
    *activation.ALL,
    *convolution.ALL,
    *resampling.ALL,
    *attention.ALL,
    *recurrent.ALL,
    *loss.ALL,
    *loss_form.ALL,
    *memory.ALL,
    *arithmetic.ALL,
    *algorithm.ALL,
    *constant.ALL,
)
"""In this order they are named where two explain alike."""


def named(name: str) -> list[Hypothesis]:
    """The records of that name."""
    return [hypothesis for hypothesis in CATALOG if hypothesis.name == name]
