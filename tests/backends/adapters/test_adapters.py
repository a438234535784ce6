"""Each adapter, run for real: in this process where its packages are, else in its own environment."""

import contextlib
import copy

import pytest
import torch
from releases import since

import halfulp
from halfulp.backends.measured_habits import habits_of
from halfulp.backends.ops import OPS
from halfulp.backends.registry import BUILT_IN
from halfulp.datasheets.libraries import library
from halfulp.datasheets.properties import _precision
from halfulp.errors import Unsupported
from halfulp.testing import check_backend

SLOW_TO_BUILD = ("linear", "conv1d", "gelu", "layer_norm", "lstm_cell")
FEW = {"executorch": SLOW_TO_BUILD, "torch.compile": SLOW_TO_BUILD}


@pytest.mark.parametrize("name", BUILT_IN)
def test_conformance(needs, name):
    found = check_backend(needs(name), ops=FEW.get(name))
    assert len(found.kept) == 16


@pytest.mark.parametrize("name", BUILT_IN)
def test_ops_are_right_to_rounding_or_said_to_be_coarser(needs, name):
    loaded = needs(name)
    said = {}
    for op in FEW.get(name, ("linear", "conv2d", "softmax", "layer_norm", "gelu", "sum", "attention", "gru_cell")):
        module, activations = OPS[op].drawn(OPS[op].sizes[1])
        with contextlib.suppress(Unsupported):
            implementation = loaded.implement(module)
            implementation(*activations)
            said[op] = halfulp.check(implementation, module, activations).verdict.name
    assert said
    allowed = {"IDENTICAL", "ROUNDING"} | ({"REDUCED_PRECISION"} if name in ("openvino", "ncnn") else set())
    assert set(said.values()) <= allowed, said


def test_openvino_runs_in_bfloat16_where_the_processor_has_it_and_says_so(needs):
    loaded = needs("openvino")
    if "bfloat16" not in loaded.fingerprint()["default precision"]:
        pytest.skip("this processor computes in float32")
    habits = habits_of(loaded)
    assert {habits.products[op].format for op in ("linear", "matmul", "conv2d")} == {"bfloat16"}
    assert [switch.words for switch in habits.switches] == ["precision = f32 changes the precision from bfloat16 to float32"]
    assert all("bf16" in remark for remark in habits.remarks)
    for op in ("linear", "conv2d", "attention", "lstm_cell", "gru_cell", "interpolate"):
        for size in OPS[op].sizes:
            module, activations = OPS[op].drawn(size)
            result = halfulp.check(loaded.implement(module), module, activations)
            assert (result.verdict.name, result.find("precision").measured["format"]) == ("REDUCED_PRECISION", "bfloat16"), (op, str(size))
            exact = halfulp.check(loaded.implement(module, precision="f32"), module, activations)
            assert exact.verdict.name in ("ROUNDING", "IDENTICAL"), (op, str(size))


def test_jax_flushes_subnormal_numbers_and_its_precision_switch_does_nothing_here(needs):
    habits = habits_of(needs("jax"))
    assert set(habits.flushes) >= {"linear", "matmul", "conv2d"}
    assert [switch.words for switch in habits.switches] == ["precision = highest changes nothing"]


def test_xnnpack_flushes_subnormal_numbers_and_leaves_ops(needs):
    loaded = needs("executorch")
    habits = habits_of(loaded)
    assert habits.subnormals["linear"] == "flushed" and habits.subnormals["sum"] == "kept"  # a sum is left to ExecuTorch's own kernels
    module, activations = OPS["layer_norm"].drawn(OPS["layer_norm"].sizes[0])
    (remark,) = loaded.implement(module).remarks(*activations)
    assert "native_layer_norm" in remark and "nothing is delegated" in remark
    assert loaded.implement(module, delegate="none").remarks(*activations) == ()


def test_xnnpack_computes_another_gelu_than_the_tanh_form(needs):
    # ExecuTorch 1.5.1: pytorch/executorch#22851. Float64 would be computed by other kernels, which are right: it is refused.
    loaded = needs("executorch")
    module, activations = OPS["gelu_tanh"].drawn(OPS["gelu_tanh"].sizes[0])
    assert halfulp.check(loaded.implement(module), module, activations).verdict.name == "MISTAKE"
    assert halfulp.check(loaded.implement(module, delegate="none"), module, activations).verdict.name in ("ROUNDING", "IDENTICAL")


@since(2, 5, "has one switch for the precision of all products")
def test_what_is_said_of_torch_switches_is_what_they_do(needs):
    """Whether a switch changes the precision depends on the processor (bfloat16 units): the error of a product tells, too."""
    switches = habits_of(needs("torch")).switches
    assert any("float32_matmul_precision" in switch.detail for switch in switches)
    torch.manual_seed(0)
    linear, x = torch.nn.Linear(256, 256), torch.randn(256, 256)
    exact = copy.deepcopy(linear).double()(x.double())
    settings = torch.backends.mkldnn.matmul
    before = torch.get_float32_matmul_precision(), settings.fp32_precision
    for switch in switches:
        try:
            exec(switch.detail, {"torch": torch})
            error = ((linear(x).double() - exact).norm() / exact.norm()).item()
        finally:
            torch.set_float32_matmul_precision(before[0])
            settings.fp32_precision = before[1]
        assert (error > 2.0**-14) == ("changes the precision" in switch.words), (switch, error)


@pytest.mark.parametrize(("contract", "fused"), [("on", True), ("off", False)])
def test_the_fma_switch_of_opencl(needs, contract, fused):
    habits = habits_of(needs("opencl"), {"contract": contract})
    assert habits.products["linear"].is_fused is fused


def test_explain_names_the_precision_of_openvino(needs):
    loaded = needs("openvino")
    if "bfloat16" not in loaded.fingerprint()["default precision"]:
        pytest.skip("this processor computes in float32")
    module, activations = OPS["linear"].drawn(OPS["linear"].sizes[1])
    explanation = halfulp.explain(loaded.implement(module), module, activations, processes=False)
    names = [each.name for each in explanation]
    assert "inference precision" in names or names[0].startswith("bfloat16"), names


def test_the_order_of_mlx_is_one_chain(needs):
    loaded = needs("mlx")
    module, _ = OPS["sum"].drawn(OPS["sum"].sizes[0])
    revealed = halfulp.order(loaded.implement(module), (torch.randn(4, 96),))
    assert revealed.classes[0].order is not None and revealed.classes[0].order.tree.depth == 95


def test_litert_intermediate_values_are_the_ops_of_its_model(needs):
    loaded = needs("litert")
    module, activations = OPS["layer_norm"].drawn(OPS["layer_norm"].sizes[0])
    trace = loaded.implement(module).record(activations)
    assert "litert.MEAN" in [step.op for step in trace.ops]


def test_jax_functions_are_looked_into(needs):
    loaded = needs("jax")
    program = "def outer(x, w):\n    import jax\n    with jax.named_scope('block'):\n        y = jax.nn.softmax(x @ w)\n    return jax.lax.scan(lambda c, r: (c + r, c * r), y[0], y)[0]\n"
    space = {}
    exec(program, space)
    trace = loaded.implement(space["outer"]).record((torch.randn(4, 3), torch.randn(3, 5)))
    names = [step.op for step in trace.ops]
    assert "jax.dot_general" in names and "jax.exp" in names and names.count("jax.mul") == 4  # the scan is unrolled
    assert "block" in {step.module for step in trace.ops}


def test_a_datasheet_names_the_precision_of_openvino(needs):
    if "bfloat16" not in needs("openvino").fingerprint()["default precision"]:
        pytest.skip("this processor computes in float32")
    precision = _precision(library("openvino"))
    assert "inputs read with 8 of 24 bits (bfloat16): LESS than float32" in precision["float32 matmul"]


def test_ncnn_keeps_weights_of_linear_layers_in_float16(needs):
    default, full = (habits_of(needs("ncnn"), options, switches=False) for options in ({}, {"precision": "float32"}))
    assert (default.products["linear"].inputs_bits, default.products["linear"].weights_bits) == (24, 11)
    assert default.products["conv2d"].format == "float32" and full.products["linear"].format == "float32"
    module, activations = OPS["linear"].drawn(OPS["linear"].sizes[1])
    result = halfulp.check(needs("ncnn").implement(module), module, activations)
    assert result.verdict is halfulp.Verdict.REDUCED_PRECISION and "float16" in result.reason
    exact = halfulp.check(needs("ncnn").implement(module, precision="float32"), module, activations)
    assert exact.verdict is halfulp.Verdict.ROUNDING


NETWORK = """7767517
3 3
Input in 0 1 x
InnerProduct first 1 1 x middle 0=4 1=0 2=12
ReLU last 1 1 middle y
"""


def test_a_network_of_ncnn_is_run_and_looked_into(needs, tmp_path):
    weight = torch.arange(12.0).reshape(4, 3) - 6.0
    (tmp_path / "net.param").write_text(NETWORK)
    (tmp_path / "net.bin").write_bytes(bytes(4) + weight.numpy().tobytes())
    function = needs("ncnn").implement(str(tmp_path / "net.param"), precision="float32")
    x = torch.tensor([1.0, 2.0, 4.0])
    assert torch.equal(function(x), torch.relu(weight @ x))
    trace = function.record((x,))
    assert [each.name for each in trace.ops] == ["InnerProduct", "ReLU"]
    with pytest.raises(halfulp.HalfulpError, match="Needed: 1, for x"):
        function(x, x)
    with pytest.raises(halfulp.HalfulpError, match="with its .bin beside it"):
        needs("ncnn").implement(str(tmp_path / "nothing.param"))(x)


def test_compiling_runs_nothing_that_is_seen(needs):
    norm = torch.nn.BatchNorm1d(7)
    x = torch.randn(7, 7, generator=torch.Generator().manual_seed(0))
    compiled = needs("torch.compile").implement(norm)
    compiled(x)
    assert int(norm.num_batches_tracked) == 1
    result = halfulp.check(compiled, norm, (x,))
    assert result.verdict in (halfulp.Verdict.IDENTICAL, halfulp.Verdict.ROUNDING), result
