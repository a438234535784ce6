"""Every rule of the graph in PyTorch gives what the evaluator of onnx gives, which is written by other people in NumPy."""

import numpy as np
import pytest
import torch

from halfulp.errors import InputError

onnx = pytest.importorskip("onnx", reason="the package onnx is not installed: no model can be read")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402

from halfulp.sources.onnx_module import RULES, OnnxModule  # noqa: E402

RANDOM = np.random.default_rng(0)


def numbers(*shape, low=-2.0, high=2.0):
    return RANDOM.uniform(low, high, shape).astype(np.float32)


def whole(*values):
    return np.asarray(values, np.int64)


X = numbers(2, 3, 4)
UNIT = numbers(2, 3, 4, low=-0.9, high=0.9)
POSITIVE = numbers(2, 3, 4, low=0.1, high=3.0)
IMAGE = numbers(2, 4, 7, 6)
IS = X > 0
COUNTS = RANDOM.integers(-5, 6, (2, 3, 4))

# op -> what it is given: (inputs, attributes) a case
CASES = {
    **{name: [((X,), {})] for name in ("Abs", "Ceil", "Floor", "Exp", "Tanh", "Sigmoid", "Erf", "Neg", "Sin", "Cos", "Tan", "Atan")},
    **{name: [((X,), {})] for name in ("Sinh", "Cosh", "Sign", "Round", "Relu", "Softplus", "Softsign", "Identity", "HardSwish", "Mish")},
    **{name: [((UNIT,), {})] for name in ("Asin", "Acos")},
    **{name: [((POSITIVE,), {})] for name in ("Sqrt", "Log", "Reciprocal")},
    **{name: [((X, X.T.copy().T * 0.5), {}), ((X, numbers(4)), {})] for name in ("Add", "Sub", "Mul", "Min", "Max")},
    "Div": [((X, POSITIVE), {}), ((COUNTS, np.full((2, 3, 4), 3)), {})],
    "Pow": [((POSITIVE, numbers(4)), {}), ((X, np.float32(2.0)), {})],
    "Sum": [((X, UNIT, POSITIVE), {})], "Mean": [((X, UNIT, POSITIVE), {})],
    "MatMul": [((X, numbers(4, 5)), {})],
    "Gemm": [
        ((numbers(3, 4), numbers(4, 5), numbers(5)), {}), ((numbers(3, 4), numbers(5, 4)), {"transB": 1}),
        ((numbers(4, 3), numbers(4, 5), numbers(3, 5)), {"transA": 1, "alpha": 0.5, "beta": 0.25}),
        ((numbers(3, 4), numbers(4, 5)), {"alpha": 0.5}),
    ],
    **{name: [((X, UNIT), {}), ((X, X), {})] for name in ("Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual")},
    **{name: [((IS, UNIT > 0), {})] for name in ("And", "Or", "Xor")},
    "Not": [((IS,), {})], "Where": [((IS, X, UNIT), {})],
    "IsNaN": [((np.array([1.0, np.nan, np.inf], np.float32),), {})], "IsInf": [((np.array([1.0, np.nan, np.inf], np.float32),), {})],
    **{name: [((X, whole(-1)), {}), ((X, whole(0, 2)), {"keepdims": 0}), ((X,), {}), ((X,), {"noop_with_empty_axes": 1})]
       for name in ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin")},
    "ReduceL2": [((X, whole(1)), {})], "ReduceL1": [((X, whole(1)), {})], "ReduceSumSquare": [((X, whole(-1)), {})],
    "ReduceLogSumExp": [((X, whole(-1)), {})],
    "ArgMax": [((X,), {"axis": 1}), ((X,), {"axis": -1, "keepdims": 0})], "ArgMin": [((X,), {"axis": 1}), ((X,), {"axis": 2, "keepdims": 0})],
    "Cast": [((X,), {"to": TensorProto.FLOAT16}), ((COUNTS,), {"to": TensorProto.FLOAT}), ((X,), {"to": TensorProto.INT64})],
    "Clip": [((X, np.float32(-0.5), np.float32(0.5)), {}), ((X, None, np.float32(0.5)), {}), ((X, np.float32(-0.5)), {})],
    "Softmax": [((X,), {}), ((X,), {"axis": 1})], "LogSoftmax": [((X,), {}), ((X,), {"axis": 0})],
    "LeakyRelu": [((X,), {}), ((X,), {"alpha": 0.2})], "Elu": [((X,), {}), ((X,), {"alpha": 0.5})], "Selu": [((X,), {})],
    "Celu": [((X,), {"alpha": 0.5})], "HardSigmoid": [((X,), {}), ((X,), {"alpha": 0.1, "beta": 0.4})],
    "Gelu": [((X,), {}), ((X,), {"approximate": "tanh"})], "PRelu": [((X, numbers(4)), {})],
    "Conv": [
        ((IMAGE, numbers(5, 4, 3, 3), numbers(5)), {"pads": [1, 1, 1, 1]}), ((IMAGE, numbers(5, 4, 3, 2)), {"strides": [2, 1], "pads": [0, 1, 2, 0]}),
        ((IMAGE, numbers(6, 2, 3, 3)), {"group": 2}), ((IMAGE, numbers(5, 4, 2, 2)), {"dilations": [2, 2]}),
        ((IMAGE, numbers(5, 4, 3, 2)), {"auto_pad": "SAME_UPPER"}), ((IMAGE, numbers(5, 4, 2, 2)), {"auto_pad": "SAME_LOWER"}),
        ((numbers(2, 4, 9), numbers(5, 4, 3)), {}), ((numbers(1, 2, 5, 6, 4), numbers(3, 2, 2, 2, 2)), {}),
    ],
    "MaxPool": [((IMAGE,), {"kernel_shape": [2, 2], "strides": [2, 2]}), ((IMAGE,), {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}), ((IMAGE,), {"kernel_shape": [2, 2], "strides": [2, 2], "ceil_mode": 1})],
    "AveragePool": [
        ((IMAGE,), {"kernel_shape": [2, 2], "strides": [2, 2]}), ((IMAGE,), {"kernel_shape": [3, 2], "pads": [1, 0, 1, 0], "count_include_pad": 1}),
        ((IMAGE,), {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}), ((IMAGE,), {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}),
        ((IMAGE,), {"kernel_shape": [2, 3], "pads": [0, 1, 0, 1], "strides": [1, 2]}),
    ],
    "GlobalAveragePool": [((IMAGE,), {})], "GlobalMaxPool": [((IMAGE,), {})],
    "BatchNormalization": [((IMAGE, numbers(4), numbers(4), numbers(4), numbers(4, low=0.5)), {}), ((IMAGE, numbers(4), numbers(4), numbers(4), numbers(4, low=0.5)), {"epsilon": 0.1})],
    "LayerNormalization": [((X, numbers(4), numbers(4)), {}), ((X, numbers(3, 4)), {"axis": 1, "epsilon": 0.1})],
    "InstanceNormalization": [((IMAGE, numbers(4), numbers(4)), {"epsilon": 0.1})],
    "Slice": [
        ((X, whole(1, 0), whole(3, 2)), {}), ((X, whole(0), whole(-1), whole(2)), {}), ((X, whole(0), whole(4), whole(2), whole(2)), {}),
        ((X, whole(-1), whole(-100), whole(1), whole(-1)), {}), ((X, whole(2), whole(0), whole(1), whole(-1)), {}),
    ],
    "Reshape": [((X, whole(6, 4)), {}), ((X, whole(0, -1)), {}), ((X, whole(2, 12)), {"allowzero": 1})],
    "Flatten": [((X,), {}), ((X,), {"axis": 2}), ((X,), {"axis": 0})],
    "Transpose": [((X,), {"perm": [1, 2, 0]}), ((X,), {})],
    "Expand": [((numbers(3, 1), whole(2, 1, 4)), {})], "Tile": [((X, whole(1, 2, 3)), {})],
    "Squeeze": [((numbers(1, 3, 1), whole(0)), {}), ((numbers(1, 3, 1),), {})], "Unsqueeze": [((X, whole(0, -1)), {}), ((X, whole(1)), {})],
    "Gather": [((X, whole(1, -1)), {"axis": 1}), ((X, np.array([[0, 1], [1, 0]])), {})],
    "GatherElements": [((X, np.array([[[0, 1, 0, 0]] * 3] * 2)), {"axis": 1})],
    "Concat": [((X, UNIT), {"axis": 1}), ((X, UNIT), {"axis": -1})], "Shape": [((X,), {})], "Size": [((X,), {})],
    "Range": [((np.int64(1), np.int64(9), np.int64(2)), {})],
    "ConstantOfShape": [((whole(2, 3),), {}), ((whole(2),), {"value": numpy_helper.from_array(np.array([7], np.int64))})],
    "Pad": [((X, whole(0, 0, 1, 0, 0, 2)), {}), ((X, whole(0, 1, 0, 0, 0, 0), np.float32(3.0)), {}), ((X, whole(1, 2), None, whole(-1)), {}),
            *(((X, whole(0, 2, 1, 1, 0, 2)), {"mode": mode}) for mode in ("reflect", "edge", "wrap"))],
    "CumSum": [((X, np.int64(1)), {})], "Trilu": [((X,), {}), ((X, np.int64(1)), {"upper": 0})],
    "Mod": [((COUNTS, np.full((2, 3, 4), 3)), {}), ((X, POSITIVE), {"fmod": 1})], "Einsum": [((X, numbers(4, 5)), {"equation": "abc,cd->abd"})],
    "Dropout": [((X,), {})],
}  # fmt: skip


def graph_of(op, given, attributes, *, outputs=1, opset=23):
    names = [f"x{place}" if value is not None else "" for place, value in enumerate(given)]
    kinds = [helper.np_dtype_to_tensor_dtype(np.asarray(value).dtype) if value is not None else None for value in given]
    nodes = [helper.make_node(op, names, [f"y{place}" for place in range(outputs)], **attributes)]
    graph = helper.make_graph(
        nodes, "one", [helper.make_tensor_value_info(name, kind, None) for name, kind in zip(names, kinds) if kind is not None],
        [helper.make_tensor_value_info(f"y{place}", TensorProto.UNDEFINED, None) for place in range(outputs)],
    )  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def both(op, given, attributes, **options):
    proto = graph_of(op, given, attributes, **options)
    wanted = ReferenceEvaluator(proto).run(None, {f"x{place}": np.asarray(value) for place, value in enumerate(given) if value is not None})
    module = OnnxModule(proto)
    assert not module.unknown
    found = module(*(torch.from_numpy(np.array(value)) for value in given if value is not None))
    return found if isinstance(found, tuple) else (found,), wanted


@pytest.mark.parametrize(
    ("op", "given", "attributes"),
    [pytest.param(op, *case, id=f"{op}-{place}") for op in CASES for place, case in enumerate(CASES[op])],
)
def test_a_rule_gives_what_the_evaluator_gives(op, given, attributes):
    found, wanted = both(op, given, attributes)
    assert len(found) == len(wanted)
    for ours, theirs in zip(found, map(np.asarray, wanted)):
        assert tuple(ours.shape) == theirs.shape
        assert str(ours.dtype).removeprefix("torch.") == str(theirs.dtype)
        np.testing.assert_allclose(ours.numpy(), theirs, rtol=3e-5, atol=3e-6)


def test_every_rule_has_a_case():
    assert set(RULES) - {"Split"} == set(CASES)


def test_parts():
    for attributes, outputs in (({}, 2), ({"axis": 2}, 2), ({"axis": 1}, 2)):
        proto = graph_of("Split", (X,), {**attributes, "num_outputs": outputs}, outputs=outputs)
        wanted = ReferenceEvaluator(proto).run(None, {"x0": X})
        for ours, theirs in zip(OnnxModule(proto)(torch.from_numpy(X)), wanted):
            assert np.array_equal(ours.numpy(), theirs)
    found, wanted = both("Split", (X, whole(1, 3)), {"axis": 2}, outputs=2)
    assert all(np.array_equal(ours.numpy(), theirs) for ours, theirs in zip(found, wanted))


def test_softmax_of_old_opsets_takes_all_axes_from_one_on():
    found = OnnxModule(graph_of("Softmax", (X,), {}, opset=11))(torch.from_numpy(X))
    assert torch.equal(found, torch.softmax(torch.from_numpy(X).flatten(1), 1).reshape(2, 3, 4))


def test_a_cast_to_float32_keeps_the_precision_of_the_run():
    module = OnnxModule(graph_of("Cast", (X,), {"to": TensorProto.FLOAT}))
    assert module(torch.from_numpy(X).double()).dtype == torch.float64


def test_what_the_graph_in_pytorch_lacks_says_so():
    module = OnnxModule(graph_of("AveragePool", (IMAGE,), {"kernel_shape": [3, 3], "pads": [1, 1, 0, 1]}))
    with pytest.raises(InputError, match="the same padding at both ends of each axis"):
        module(torch.from_numpy(IMAGE))
    with pytest.raises(InputError, match="Got Pad with mode='mirror'"):
        OnnxModule(graph_of("Pad", (X, whole(0, 0, 1, 0, 0, 1)), {"mode": "mirror"}))(torch.from_numpy(X), torch.tensor([0, 0, 1, 0, 0, 1]))
    with pytest.raises(InputError, match="Got 2 inputs for an ONNX graph with 1"):
        module(torch.from_numpy(IMAGE), torch.from_numpy(IMAGE))


def test_constants_of_each_kind():
    nodes = [
        helper.make_node("Constant", [], ["a"], value=numpy_helper.from_array(np.float32([1.5]))),
        helper.make_node("Constant", [], ["b"], value_float=2.0),
        helper.make_node("Constant", [], ["c"], value_floats=[3.0, 4.0]),
        helper.make_node("Constant", [], ["d"], value_ints=[1]),
        helper.make_node("Sum", ["x", "a", "b", "c"], ["s"]),
        helper.make_node("Unsqueeze", ["s", "d"], ["y"]),
    ]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])]
    graph = helper.make_graph(nodes, "constants", inputs, [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 1])])
    module = OnnxModule(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10))
    assert module(torch.zeros(2)).tolist() == [[6.5], [7.5]]
    text = helper.make_graph(
        [helper.make_node("Constant", [], ["y"], value_string="no")],
        "text",
        [],
        [helper.make_tensor_value_info("y", TensorProto.STRING, [])],
    )
    with pytest.raises(InputError, match="constant that is text"):
        OnnxModule(helper.make_model(text, opset_imports=[helper.make_opsetid("", 18)], ir_version=10))
