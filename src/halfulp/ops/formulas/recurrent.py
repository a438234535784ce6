"""Recurrent layers that a library computes in one call."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arithmetic import Array, Exact
from .table import formula

_LSTM = 2
"""oneDNN's number of the LSTM cell (ideep rnn_kind)."""


@formula("mkldnn_rnn_layer")
def mkldnn_rnn_layer(
    fl: Exact, x: Array, weight_x: Array, weight_h: Array, bias_x: Array, bias_h: Array, hidden: Array, cell: Array, reverse: bool,
    _batch_sizes: Any, mode: int, _size: int, _layers: int, has_biases: bool, _bidirectional: bool, _batch_first: bool, *_: Any,
) -> tuple[Array | None, ...] | None:  # fmt: skip
    """One direction of one layer: x is (time, batch, features), whatever `batch_first` says; gates in PyTorch's order i, f, g, o."""
    if mode != _LSTM:
        return None
    h, c = hidden.reshape(hidden.shape[-2:]), cell.reshape(cell.shape[-2:])
    outputs: list[Array] = []
    for step in x[::-1] if reverse else x:
        gates = fl(fl.dot(step, weight_x.T) + fl.dot(h, weight_h.T))
        gates = fl(gates + fl(bias_x + bias_h)) if has_biases else gates
        i, f, g, o = np.split(gates, 4, -1)
        c = fl(fl(fl.sigmoid(f) * c) + fl(fl.sigmoid(i) * fl.tanh(g)))
        h = fl(fl.sigmoid(o) * fl.tanh(c))
        outputs.append(h)
    return np.stack(outputs[::-1] if reverse else outputs), h.reshape(hidden.shape), c.reshape(cell.shape), None
