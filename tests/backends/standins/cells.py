"""Ops that PyTorch asks of devices and not of processors: convolutions by another name, and whole steps of recurrent layers."""

from __future__ import annotations

from typing import Any

import torch

ATEN = torch.ops.aten


def _convolution_backward(gradient, inputs, weight, stride, padding, dilation, transposed, output_padding, groups, wanted):
    bias = [weight.shape[1] * groups if transposed else weight.shape[0]]
    return ATEN.convolution_backward.default(
        gradient, inputs, weight, bias, stride, padding, dilation, transposed, output_padding, groups, wanted
    )


def _summed(gates: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    return gates if bias is None else gates + bias


def _lstm_cell(input_gates, hidden_gates, cell, input_bias=None, hidden_bias=None):
    """PyTorch's `_thnn_fused_lstm_cell`: hidden state, cell, and the gates for the backward pass."""
    gates = _summed(_summed(input_gates + hidden_gates, input_bias), hidden_bias)
    ingate, forget, candidate, outgate = gates.chunk(4, 1)
    ingate, forget, candidate, outgate = ingate.sigmoid(), forget.sigmoid(), candidate.tanh(), outgate.sigmoid()
    new_cell = forget * cell + ingate * candidate
    return outgate * new_cell.tanh(), new_cell, torch.cat([ingate, forget, candidate, outgate], 1)


def _lstm_cell_backward(gradient, cell_gradient, cell, new_cell, workspace, has_bias):
    ingate, forget, candidate, outgate = workspace.chunk(4, 1)
    squashed = new_cell.tanh()
    gradient = torch.zeros_like(new_cell) if gradient is None else gradient
    inner = gradient * outgate * (1 - squashed * squashed) + (0 if cell_gradient is None else cell_gradient)
    gates = torch.cat(
        [
            inner * candidate * ingate * (1 - ingate),
            inner * cell * forget * (1 - forget),
            inner * ingate * (1 - candidate * candidate),
            gradient * squashed * outgate * (1 - outgate),
        ],
        1,
    )
    return gates, inner * forget, gates.sum(0) if has_bias else None


def _gru_cell(input_gates, hidden_gates, hidden, input_bias=None, hidden_bias=None):
    """PyTorch's `_thnn_fused_gru_cell`: hidden state, and what the backward pass needs."""
    input_reset, input_update, input_new = _summed(input_gates, input_bias).chunk(3, 1)
    hidden_reset, hidden_update, hidden_new = _summed(hidden_gates, hidden_bias).chunk(3, 1)
    reset, update = (input_reset + hidden_reset).sigmoid(), (input_update + hidden_update).sigmoid()
    new = (input_new + reset * hidden_new).tanh()
    return new + update * (hidden - new), torch.cat([reset, update, new, hidden, hidden_new], 1)


def _gru_cell_backward(gradient, workspace, has_bias):
    reset, update, new, hidden, hidden_new = workspace.chunk(5, 1)
    by_new = gradient * (1 - update) * (1 - new * new)
    by_update = gradient * (hidden - new) * update * (1 - update)
    by_reset = by_new * hidden_new * reset * (1 - reset)
    of_inputs, of_hidden = torch.cat([by_reset, by_update, by_new], 1), torch.cat([by_reset, by_update, by_new * reset], 1)
    biases = (of_inputs.sum(0), of_hidden.sum(0)) if has_bias else (None, None)
    return of_inputs, of_hidden, gradient * update, *biases


DEVICE_ONLY: dict[str, Any] = {
    "aten::convolution_overrideable": ATEN.convolution.default,
    "aten::convolution_backward_overrideable": _convolution_backward,
    "aten::_thnn_fused_lstm_cell": _lstm_cell,
    "aten::_thnn_fused_lstm_cell_backward_impl": _lstm_cell_backward,
    "aten::_thnn_fused_gru_cell": _gru_cell,
    "aten::_thnn_fused_gru_cell_backward": _gru_cell_backward,
}
