"""Whole models: a verdict for each, no false accusation, and a wrong epsilon in the exported graph named by its module."""

import copy
import warnings

import pytest
import torch
from torch import nn

import halfulp


class ConvNet(nn.Module):
    """The kind of network that question 5 asks about, with normalizations."""

    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16)
        self.conv2, self.bn2 = nn.Conv2d(16, 32, 3, padding=1, stride=2), nn.BatchNorm2d(32)
        self.fc = nn.Linear(32 * 8 * 8, 10)
        for each in (self.bn1, self.bn2):
            each.running_mean.normal_()
            each.running_var.uniform_(0.5, 2.0)

    def forward(self, x):
        x = torch.relu(self.bn1(self.conv1(x)))
        return self.fc(torch.relu(self.bn2(self.conv2(x))).flatten(1))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.norm, self.head = nn.LSTM(16, 32, 2, batch_first=True), nn.LayerNorm(32), nn.Linear(32, 5)

    def forward(self, x):
        y, (hidden, _) = self.lstm(x)
        return self.head(self.norm(y)), hidden


def transformer():
    return nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64, batch_first=True), 2)


MODELS = {
    "conv net": (ConvNet, (2, 3, 16, 16), "bn2"),
    "transformer": (transformer, (2, 10, 32), "layers.1.norm1"),
    "LSTM": (Recurrent, (2, 12, 16), "norm"),
}
WAYS = {
    "onnxruntime": ("onnxruntime", {}, None),
    "openvino in float32": ("openvino", {"precision": "f32"}, None),
    "openvino": ("openvino", {}, "bfloat16"),
    "executorch": ("executorch", {}, None),
    "executorch's own kernels": ("executorch", {"delegate": "none"}, None),
}
EPS = {None: 1e-2, "bfloat16": 3.0}  # a fault has to be larger than the rounding that is declared


def made(name):
    torch.manual_seed(0)
    make, shape, path = MODELS[name]
    model = make().eval()
    return model, torch.randn(shape), path


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", MODELS)
def test_an_honest_export_is_accepted_and_has_no_origin(needs, name, way):
    backend, options, declared = WAYS[way]
    loaded = needs(backend)
    model, x, _ = made(name)
    exported = loaded.implement(model, **options)
    assert halfulp.check(exported, model, (x,), declared=declared).acceptable is True
    origin = halfulp.locate(exported, model, (x,), declared=declared)
    assert origin.acceptable is True, origin.because


@pytest.mark.parametrize("name", MODELS)
def test_bfloat16_is_named_where_float32_was_declared(needs, name):
    loaded = needs("openvino")
    if "bfloat16" not in loaded.fingerprint()["default precision"]:
        pytest.skip("this processor computes in float32")
    model, x, _ = made(name)
    result = halfulp.check(loaded.implement(model), model, (x,))
    precision = result.find("precision")
    assert result.verdict.name == "REDUCED_PRECISION"
    if precision.finding == "same size" and precision.measured["format"] != "bfloat16":
        # On an Intel Xeon OpenVINO rounds elsewhere than redoing the ops predicts; 20 results are then told by their size alone: tf32's.
        pytest.xfail(f"not reproduced by redoing it in bfloat16; by its size it is called {precision.measured['format']}")
    assert precision.measured["format"] == "bfloat16"


def with_epsilon(model, path, eps):
    """The model as somebody exported it by mistake."""
    changed = copy.deepcopy(model)
    changed.get_submodule(path).eps = eps
    return changed


def edited(model, x, path, eps):
    """The same fault put into the exported graph."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that flattened weights are assigned
        exported = torch.export.export(model, (x,))
    for node in exported.graph.nodes:
        stack = list((node.meta.get("nn_module_stack") or {}).values())
        place = {"aten.layer_norm.default": 4, "aten.batch_norm.default": 7}.get(str(node.target))
        if place is not None and stack and stack[-1][0] == path:
            node.update_arg(place, eps)
    exported.graph_module.recompile()
    return exported


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", MODELS)
def test_a_wrong_epsilon_in_the_graph_is_named_by_its_module(needs, name, way):
    backend, options, declared = WAYS[way]
    loaded = needs(backend)
    model, x, path = made(name)
    make = edited(model, x, path, EPS[declared]) if backend == "executorch" else with_epsilon(model, path, EPS[declared])
    exported = loaded.implement(make, **options)
    assert halfulp.check(exported, model, (x,), declared=declared).verdict.name == "MISTAKE"
    origin = halfulp.locate(exported, model, (x,), declared=declared)
    assert (origin.module, origin.verdict.name) == (path, "MISTAKE"), origin.because
