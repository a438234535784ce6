"""What goes wrong with recurrent layers: the order of gates, the two forms of the GRU."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from ..calls import Call
from .hypothesis import FORMULA, Hypothesis, Site, Variation, among

GATES = {"lstm": "ifgo", "lstm_cell": "ifgo", "gru": "rzn", "gru_cell": "rzn"}
"""The order of PyTorch's gates: input, forget, cell, output; reset, update, new."""


def _orders(call: Call) -> Iterator[Variation]:
    if call.name in GATES:
        gates = GATES[call.name]
        for order in itertools.permutations(range(len(gates))):
            if list(order) != sorted(order):
                words = "".join(gates[number] for number in order)
                yield Variation(f"gates in the order {words} instead of {gates}", lambda call, order=order: _permuted(call, order))
        return
    if call.name in ("chunk", "split", "unbind", "tensor_split"):
        if not isinstance(call.first, torch.Tensor):
            return
        parts = call.again()
        if len(parts) in (3, 4) and len({tuple(part.shape) for part in parts}) == 1:
            for order in itertools.permutations(range(len(parts))):
                if list(order) != sorted(order):
                    words = " ".join(str(number) for number in order)
                    yield Variation(f"parts in the order {words}", lambda call, order=order: _reordered(call.again(), order))


def _reordered(parts: Sequence[Any], order: Sequence[int]) -> tuple[Any, ...]:
    return tuple(parts[number] for number in order)


def _rows(weight: torch.Tensor, order: Sequence[int]) -> torch.Tensor:
    return torch.cat([weight.chunk(len(order), 0)[number] for number in order], 0)


def _permuted(call: Call, order: Sequence[int]) -> Any:
    if call.name.endswith("_cell"):
        names = [name for name in ("w_ih", "w_hh", "b_ih", "b_hh") if call.value(name) is not None]
        return call.again(**{name: _rows(call.value(name), order) for name in names})
    return call.again(params=[_rows(item, order) for item in call.value("params")])


def _forms(call: Call) -> Iterator[Variation]:
    words = "the reset gate applied before the recurrent product (Cho et al. 2014) instead of after it (cuDNN, PyTorch)"
    if call.name == "gru_cell":
        yield Variation(
            words,
            lambda call: _reset_before(call.first, call.value("hx"), *(call.value(name) for name in ("w_ih", "w_hh", "b_ih", "b_hh"))),
        )
    elif call.name == "gru" and len(call.arguments) == 9 and isinstance(call.value("params"), (list, tuple)):
        yield Variation(words, _sequence)


def _reset_before(
    x: torch.Tensor, hidden: torch.Tensor, w_ih: torch.Tensor, w_hh: torch.Tensor, b_ih: Any = None, b_hh: Any = None
) -> torch.Tensor:
    from_input = (x @ w_ih.t() + (b_ih if b_ih is not None else 0.0)).chunk(3, -1)
    w_r, w_z, w_n = w_hh.chunk(3, 0)
    b_r, b_z, b_n = b_hh.chunk(3, 0) if b_hh is not None else (0.0, 0.0, 0.0)
    reset = torch.sigmoid(from_input[0] + hidden @ w_r.t() + b_r)
    update = torch.sigmoid(from_input[1] + hidden @ w_z.t() + b_z)
    new = torch.tanh(from_input[2] + (reset * hidden) @ w_n.t() + b_n)
    return (1 - update) * new + update * hidden


def _sequence(call: Call) -> tuple[torch.Tensor, torch.Tensor]:
    params = list(call.value("params"))
    per_layer = 4 if call.value("has_biases") else 2
    directions = 2 if call.value("bidirectional") else 1
    x = call.first.transpose(0, 1) if call.value("batch_first") else call.first
    last: list[torch.Tensor] = []
    for layer in range(int(call.value("num_layers"))):
        outputs: list[torch.Tensor] = []
        for direction in range(directions):
            place = layer * directions + direction
            weights = params[place * per_layer : (place + 1) * per_layer]
            hidden = call.value("hx")[place]
            steps = x if direction == 0 else x.flip(0)
            found: list[torch.Tensor] = []
            for step in steps:
                hidden = _reset_before(step, hidden, *weights)
                found.append(hidden)
            outputs.append(torch.stack(found if direction == 0 else found[::-1]))
            last.append(hidden)
        x = torch.cat(outputs, -1)
    return (x.transpose(0, 1) if call.value("batch_first") else x), torch.stack(last)


def _whose_parts(site: Site) -> str:
    """Parts of a product that end in sigmoids are gates; others (queries, keys, values) are parts."""
    name = site.flow.names[site.number]
    gates = name in GATES or any(site.flow.leads_to(number, among("sigmoid hardsigmoid"), 6) for number in site.numbers)
    return "gate order" if gates else "order of parts"


GATE_ORDER = Hypothesis(
    "gate order", FORMULA,
    "errors as large as the results from the first step on",
    "the parts of weights or of their product in each of the other orders",
    "take the parts in the same order, or reorder the rows of the weights (PyTorch: i f g o and r z n; ONNX: i o f c and z r h; Keras: i f c o and z r h)",
    ("ddbourgin/numpy-ml#42",),
    among("lstm lstm_cell gru gru_cell chunk split unbind tensor_split"), _orders, naming=_whose_parts,
)  # fmt: skip
GRU_FORM = Hypothesis(
    "GRU form", FORMULA,
    "right while the hidden state is zero (except for the recurrent bias), wrong from the second step on",
    "the reset gate before and after the recurrent product",
    "use the same form (PyTorch's is reset_after=True in Keras and linear_before_reset=1 in ONNX)",
    ("mratsim/Arraymancer#228",),
    among("gru gru_cell"), _forms,
)  # fmt: skip
ALL = (GATE_ORDER, GRU_FORM)
