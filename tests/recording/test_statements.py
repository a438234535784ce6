"""A function of NumPy's arrays looked into, statement by statement."""

import sys

import numpy as np
import torch

import halfulp
from halfulp.recording.statements import watched
from halfulp.recording.transcript import Transcribed, transcribe

W = np.random.default_rng(0).standard_normal((6, 6)).astype(np.float32)


def scaled(x, by):
    return x * by


def model(x):
    h = x @ W
    h = np.maximum(h, 0)
    out = np.zeros_like(h)
    for row in range(len(h)):
        out[row] = h[row] * row
    total = h.sum()
    y = scaled(out, 2) + total
    return y


def test_what_statements_bind_is_kept_in_order_with_its_line():
    x = np.ones((4, 6), np.float32)
    result, values, notes = watched(lambda: model(x))
    assert not notes and np.array_equal(result, model(x))
    names = [value.op for value in values]
    assert names[:3] == ["numpy.h", "numpy.h", "numpy.out"] and "numpy.y" in names
    assert all(value.source.startswith("test_statements.py:") for value in values)
    assert values[0].source.endswith(" model") and any(value.source.endswith(" scaled") for value in values)
    assert torch.equal(values[0].tensor, torch.from_numpy(x @ W))


def test_what_a_statement_reads_is_known():
    _, values, _ = watched(lambda: model(np.ones((4, 6), np.float32)))
    assert values[1].inputs == (0,)
    y = next(value for value in values if value.op == "numpy.y")
    assert {values[source].source.split()[-1] for source in y.inputs} >= {"scaled"}


def test_what_is_written_into_is_kept_as_it_is_in_the_end():
    _, values, _ = watched(lambda: model(np.ones((4, 6), np.float32)))
    written = [value.tensor for value in values if value.op in ("numpy.out", "numpy.x")]  # x: the name that it has in `scaled`
    assert len(written) == 2 and not written[0].any() and written[1][3].any()


def test_copies_are_kept_and_inputs_are_not_changed():
    x = np.ones((4, 6), np.float32)

    def doubles(x):
        y = x + 1
        y *= 2
        return y

    result, values, _ = watched(lambda: doubles(x))
    assert (x == 1).all() and (result == 4).all()
    assert {float(value.tensor[0, 0]) for value in values} <= {2.0, 4.0}


def test_another_trace_function_is_put_back_and_a_loop_over_numbers_ends_it(monkeypatch):
    from halfulp.recording import statement_watch

    monkeypatch.setattr(statement_watch, "MOST_LINES", 50)

    def endless(x):
        for _ in range(1000):
            x = x + 1
        return x

    before = sys.gettrace()
    _, values, notes = watched(lambda: endless(np.zeros(3)))
    assert sys.gettrace() is before and len(values) <= 51 and "was not looked at" in notes[0]


def test_values_are_written_in_other_layouts_too(tmp_path):
    value = torch.randn(2, 3, 4, 5)
    found = transcribe(
        tmp_path / "t", inputs={}, weights={}, values=[Transcribed(value, "numpy.x")], outputs={"output": value}, settings={},
        in_other_layouts=True,
    )  # fmt: skip
    shapes = {step.op: found.values[step.outputs[0]].shape for step in found.ops}
    assert shapes == {"numpy.x": (2, 3, 4, 5), "numpy.x (channels first)": (2, 5, 3, 4), "numpy.x (channels last)": (2, 4, 5, 3)}
    assert found.named["output"] == 0


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(8, eps=1e-3)
        self.head = torch.nn.Linear(8, 5)

    def forward(self, x):
        x = torch.relu(self.norm(self.conv(x)))
        return self.head(x.mean((2, 3)))


def net():
    torch.manual_seed(0)
    model = Net()
    with torch.no_grad():
        model.norm.running_mean.normal_()
        model.norm.running_var.uniform_(0.2, 2.0)
        model.norm.weight.normal_()
    return model.eval(), torch.randn(2, 3, 9, 9)


def port(model, fault=""):
    """Channels last throughout, as in JAX and TensorFlow."""
    p = {name: tensor.detach().numpy() for name, tensor in model.state_dict().items()}

    def convolved(x):
        kernel = p["conv.weight"][:, ::-1] if fault == "channels" else p["conv.weight"]
        padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))
        return np.einsum("nhwcij,ocij->nhwo", windows, kernel) + p["conv.bias"]

    def normalized(x):
        eps = np.float32(1e-5 if fault == "eps" else 1e-3)
        scale = p["norm.weight"] / np.sqrt(p["norm.running_var"] + eps)
        return (x - p["norm.running_mean"]) * scale + p["norm.bias"]

    def forward(x):
        x = np.asarray(x).transpose(0, 2, 3, 1)
        x = np.maximum(normalized(convolved(x)), 0)
        x = x.mean((1, 2))
        bias = 0 if fault == "bias" else p["head.bias"]
        return x @ p["head.weight"].T + bias

    return forward


def test_a_port_to_numpy_is_located_in_its_module():
    model, x = net()
    for fault, module in (("channels", "conv"), ("eps", "norm"), ("bias", "head")):
        for actual in (port(model, fault), halfulp.backend("numpy").implement(port(model, fault))):
            origin = halfulp.locate(actual, model, x)
            assert origin.acceptable is False and (origin.module == module or module in origin.between), (fault, origin.module)
            assert len(origin.between) <= 2
            assert any(call.op.startswith("numpy.") and "test_statements.py" in call.source for call in origin.place.actual)


def test_an_honest_port_to_numpy_is_accused_of_nothing():
    model, x = net()
    for actual in (port(model), halfulp.backend("numpy").implement(port(model))):
        origin = halfulp.locate(actual, model, x)
        assert origin.module is None and origin.acceptable is True


def test_arrays_that_a_port_holds_are_lifted_with_it():
    """The scale of a normalization is made of weights alone: in float32 its rounding is no difference of formulas."""
    model, x = net()
    held = port(model)
    result = halfulp.check(held, model, (x,))
    assert result.verdict.name == "ROUNDING"
    assert halfulp.check(port(model, "eps"), model, (x,)).verdict.name == "MISTAKE"
    assert held(x).dtype == np.float32
