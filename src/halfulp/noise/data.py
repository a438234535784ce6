"""The rounding of data: who may compute in a precision may store inputs and weights in it."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch

from ..cases import Case
from ..cases.inputs import float_formats
from ..floats import Format
from ..ops.deviation import ROUNDING_RMS
from .gaussians import GaussianPool


def holds_finer_data(case: Case, name: str, storage: Format) -> bool:
    """Whether inputs, parameters or buffers of a side have more bits than a format."""
    modules = case.side(name).modules
    found = float_formats((case.inputs, case.keywords, [[*module.parameters(), *module.buffers()] for module in modules]))
    return max((float_format.precision_bits for float_format in found), default=0) > storage.precision_bits


def data_rounding(storage: Format, pool: GaussianPool, amplitude: float) -> Callable[[torch.Tensor], torch.Tensor]:
    """What moves the elements of a float64 tensor that a format does not have by one rounding each.

    Args:
        storage: the format. pool: the source of randomness. amplitude: how many standard deviations.
    """
    deviation = amplitude * ROUNDING_RMS * storage.unit_roundoff
    step = amplitude * storage.min_subnormal / math.sqrt(12.0)  # below the smallest normal number the spacing is fixed

    def moved(value: torch.Tensor) -> torch.Tensor:
        if value.is_complex():
            return torch.view_as_complex(moved(torch.view_as_real(value.resolve_conj()).contiguous()))
        if value.dtype != torch.float64 or not value.numel():
            return value
        is_tiny = value.abs() < storage.min_normal
        digits = torch.ldexp(torch.frexp(value).mantissa, torch.tensor(storage.precision_bits, device=value.device))
        steps = torch.where(is_tiny, value / storage.min_subnormal, digits)
        error = torch.where(is_tiny, step, deviation * value.abs()) * pool.like(value)
        return torch.where(steps == steps.round(), value, value + error)

    return moved
