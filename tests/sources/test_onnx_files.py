"""ONNX models: inputs from the signature, the graph in PyTorch, engines beside it."""

import pytest
import torch
from torch import nn

import halfulp
from halfulp.errors import InputError, MissingBackend
from halfulp.sources.given import given

onnx = pytest.importorskip("onnx", reason="the package onnx is not installed: no model can be read")
needs_runtime = pytest.mark.skipif(not halfulp.backends.availability("onnxruntime"), reason="ONNX Runtime is not here")
needs_both = pytest.mark.skipif(
    not (halfulp.backends.availability("onnxruntime") and halfulp.backends.availability("openvino")),
    reason="ONNX Runtime and OpenVINO are not both here",
)


def small_model(path, *, op="Relu"):
    from onnx import TensorProto, helper, numpy_helper

    weights = torch.randn(8, 6, generator=torch.Generator().manual_seed(0)).numpy()
    table = torch.randn(10, 8, generator=torch.Generator().manual_seed(1)).numpy()
    nodes = [
        helper.make_node("Gather", ["table", "tokens"], ["embedded"]),
        helper.make_node("Mul", ["embedded", "mask"], ["kept"]),
        helper.make_node("MatMul", ["kept", "weights"], ["product"]),
        helper.make_node(op, ["product"], ["result"]),
    ]
    shape = ["batch", "sequence"]
    graph = helper.make_graph(
        nodes,
        "small",
        [
            helper.make_tensor_value_info("tokens", TensorProto.INT64, shape),
            helper.make_tensor_value_info("mask", TensorProto.FLOAT, [*shape, 1]),
        ],
        [helper.make_tensor_value_info("result", TensorProto.FLOAT, [*shape, 6])],
        [numpy_helper.from_array(weights, "weights"), numpy_helper.from_array(table, "table")],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10), str(path))
    return torch.from_numpy(table), torch.from_numpy(weights)


def test_inputs_from_the_signature_and_the_graph_in_pytorch(tmp_path):
    table, weights = small_model(tmp_path / "a.onnx")
    found = given([str(tmp_path / "a.onnx")], one_side=True)
    tokens, mask = found.inputs
    assert tokens.shape == (2, 8) and tokens.dtype == torch.int64 and int(tokens.min()) >= 0 and int(tokens.max()) < 10
    assert mask.shape == (2, 8, 1)
    wanted = torch.relu((table[tokens] * mask) @ weights)
    assert torch.equal(found.expected(tokens, mask), wanted)
    doubled = found.expected.double()(tokens, mask.double())
    assert doubled.dtype == torch.float64


def test_ops_without_a_rule_are_left_to_the_evaluator_of_onnx(tmp_path):
    table, weights = small_model(tmp_path / "a.onnx", op="ThresholdedRelu")
    found = given([str(tmp_path / "a.onnx")], one_side=True)
    assert "ThresholdedRelu" in found.notes[0]
    tokens, mask = found.inputs
    product = (table[tokens] * mask) @ weights
    assert torch.allclose(found.expected(tokens, mask), torch.where(product > 1, product, 0.0), atol=1e-5)


def test_what_is_no_model(tmp_path):
    (tmp_path / "a.onnx").write_bytes(b"not a model")
    for name in ("a.onnx", "b.onnx"):
        with pytest.raises(InputError, match=name):
            given([str(tmp_path / name)])


def test_a_backend_that_is_not_here_is_named(tmp_path):
    small_model(tmp_path / "a.onnx")
    missing = next((name for name in halfulp.backends.names() if not halfulp.backends.availability(name)), None)
    if missing is None:
        pytest.skip("every backend is here")
    with pytest.raises(MissingBackend, match=f"Got the backend {missing}"):
        given([str(tmp_path / "a.onnx")], backends=missing)


@needs_runtime
def test_an_engine_against_the_graph(tmp_path):
    small_model(tmp_path / "a.onnx")
    found = given([str(tmp_path / "a.onnx")])
    result = halfulp.check(found.actual, found.expected, found.inputs)
    assert result.acceptable, str(result)
    assert result.names[0] == "actual (onnxruntime)"
    noise = result.find("noise")  # none where every bit agrees
    assert noise is None or noise.measured["method"] == "ops of expected"


@needs_both
def test_of_two_engines_the_one_further_from_the_graph_is_judged(tmp_path):
    small_model(tmp_path / "a.onnx")
    exact = given([str(tmp_path / "a.onnx")], backends="onnxruntime,openvino:precision=f32")
    assert halfulp.check(exact.actual, exact.expected, exact.inputs).acceptable
    found = given([str(tmp_path / "a.onnx")], backends="onnxruntime,openvino")
    result = halfulp.check(found.actual, found.expected, found.inputs)
    if result.acceptable:
        pytest.skip("OpenVINO computes in float32 on this processor")
    assert result.names[0] == "actual (openvino)" and "farther from the graph's float64 result than onnxruntime is" in found.notes[-1]


@needs_runtime
def test_models_of_the_exporter_run_in_pytorch_as_in_the_engine(tmp_path):
    torch.manual_seed(0)
    pytest.importorskip("onnxscript", reason="PyTorch's exporter needs onnxscript")
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, dropout=0.0).eval()
    conv = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8 * 64, 5)
    ).eval()
    from halfulp.backends.adapters.onnx_graphs import exported

    for module, x in ((layer, torch.randn(2, 6, 16)), (conv, torch.randn(2, 3, 16, 16))):
        path = tmp_path / f"{type(module).__name__}.onnx"
        onnx.save(exported(module, (x,)).proto, str(path))
        found = given([str(path)])
        assert not found.expected.unknown
        assert halfulp.check(found.expected, module, found.inputs).acceptable
        assert halfulp.check(found.actual, found.expected, found.inputs).acceptable
