"""Cells of recurrent networks: one step."""

from __future__ import annotations

import torch

from .op import Draw, Op, Size, small

Tensor = torch.Tensor
WEIGHTS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
SMALL: dict[str, Draw] = dict.fromkeys(WEIGHTS, small)


def _lstm_cell(
    x: Tensor, hidden: Tensor, cell: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias_ih: Tensor, bias_hh: Tensor
) -> tuple[Tensor, Tensor]:
    return torch.lstm_cell(x, (hidden, cell), weight_ih, weight_hh, bias_ih, bias_hh)


def _sized(gates: int, states: tuple[str, ...], rows: int, inputs: int, width: int) -> Size:
    shapes: dict[str, tuple[int, ...]] = {"x": (rows, inputs), **dict.fromkeys(states, (rows, width))}
    shapes |= {"weight_ih": (gates * width, inputs), "weight_hh": (gates * width, width)}
    return Size({**shapes, "bias_ih": (gates * width,), "bias_hh": (gates * width,)})


SIZES = ((4, 16, 16), (16, 256, 128), (3, 33, 17))

RECURRENT = (
    Op(
        "lstm_cell",
        "recurrent",
        _lstm_cell,
        ("x", "hidden", "cell"),
        WEIGHTS,
        tuple(_sized(4, ("hidden", "cell"), *size) for size in SIZES),
        SMALL,
    ),
    Op("gru_cell", "recurrent", torch.gru_cell, ("x", "hidden"), WEIGHTS, tuple(_sized(3, ("hidden",), *size) for size in SIZES), SMALL),
)
