"""Grids: numbers that are all multiples of one power of two, so that their sums, products and comparisons are exact."""

from __future__ import annotations

import torch

FINEST = 14
FEWEST = {torch.float32: 2, torch.float64: 2}
MANY = 64
"""A random number of 24 bits is such a multiple with probability 2^-10. One of 16 bits is if it is large, but the smallest of many
isn't."""

SOME = 1024
"""Numbers that are looked at before all of them are."""


def step_of(x: torch.Tensor) -> int | None:
    """The binary places after the point that all numbers have in common, up to 14; 0 for integers, None if there are more."""
    known = x[torch.isfinite(x)].double()
    if known.numel() < FEWEST.get(x.dtype, MANY):
        return None
    parts = known[:SOME], known  # random numbers are known by the first of them
    return next((bits for bits in range(FINEST + 1) if all(_are_multiples(part, bits) for part in parts)), None)


def _are_multiples(x: torch.Tensor, bits: int) -> bool:
    return bool((torch.ldexp(x, torch.tensor(bits)) % 1 == 0).all())


def on_grid_of(x: torch.Tensor, drawn: torch.Tensor) -> torch.Tensor:
    """Multiples of the drawn numbers' step; if the drawn rows sum to 1, the largest of each row takes up the rest."""
    bits = step_of(drawn) or 0
    found = torch.ldexp(x.double(), torch.tensor(bits)).round()
    if _sums_to_one(drawn):
        found = found.scatter_add(-1, found.argmax(-1, keepdim=True), 2.0**bits - found.sum(-1, keepdim=True))
    return torch.ldexp(found, torch.tensor(-bits)).to(x.dtype)


def coarser(x: torch.Tensor, bits: int) -> torch.Tensor:
    """Multiples of 2^-bits, none larger in magnitude than before; for rows that sum to 1, their running sums are such multiples."""
    sums_to_one = _sums_to_one(x)
    wide = x.double().cumsum(-1) if sums_to_one else x.double()
    found = torch.ldexp(torch.ldexp(wide, torch.tensor(bits)).trunc(), torch.tensor(-bits))
    return (found.diff(dim=-1, prepend=torch.zeros_like(found[..., :1])) if sums_to_one else found).to(x.dtype)


def _sums_to_one(x: torch.Tensor) -> bool:
    return x.dim() > 0 and bool((x.double().sum(-1) == 1).all())
