import copy

import pytest
import torch
from releases import since
from torch import nn

import halfulp
from halfulp.errors import InputError
from halfulp.recording.exported import exported, module_of, ops_of, read_program

MODULES = since(2, 5, "notes the outermost modules alone in an exported program, and checks fewer of its shapes")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.bn = nn.BatchNorm2d(8)
        layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)  # copies: both have the same weights
        self.head = nn.Linear(8, 2)

    def forward(self, x, *, scale=None):
        h = torch.relu(self.bn(self.conv(x))).flatten(2).transpose(1, 2)
        h = self.head(self.layers(h).mean(1))
        return {"logits": h if scale is None else h * scale}


def net():
    torch.manual_seed(0)
    return Net().eval(), torch.randn(2, 3, 6, 6)


@MODULES
def test_each_op_of_a_recording_says_its_node():
    model, x = net()
    program = exported(model, (x,), {})
    trace = halfulp.record(program, (x,), level="tensors")
    nodes = {node.name: node for node in program.graph.nodes}
    for step in trace.ops:
        name = step.source.removeprefix("%").split(" ")[0]
        assert name in nodes
        assert (step.module, step.call) == module_of(nodes[name])
    assert "output['logits']" in trace.named
    assert {step.module for step in trace.ops} >= {"conv", "bn", "layers.layers.1.norm2", "head"}


def test_the_ops_of_the_nodes_are_what_a_run_records():
    model, x = net()
    program = exported(model, (x,), {})
    recorded = [(step.source[1:].split(" ")[0], step.module) for step in halfulp.record(program, (x,)).ops]
    assert list(dict.fromkeys((each.node, each.module) for each in ops_of(program))) == list(dict.fromkeys(recorded))
    assert {"aten.convolution.default", "aten.native_layer_norm.default"} <= {each.op for each in ops_of(program)}


def test_a_program_computes_what_its_model_does():
    model, x = net()
    scale = torch.tensor(2.0)
    program = exported(model, (x,), {"scale": scale})
    origin = halfulp.locate(model, program, (x,), keywords={"scale": scale})
    assert origin.acceptable, origin


def test_the_fast_path_of_a_transformer_is_no_fault():
    """Of a fused layer only its result is known: that the normalization inside is near to it accuses nobody."""
    model, x = net()
    with torch.no_grad():
        origin = halfulp.locate(model, exported(model, (x,), {}), (x,))
    assert origin.acceptable, origin


@MODULES
@pytest.mark.parametrize("layer", [0, 1])
def test_layers_that_are_copies_of_each_other_are_not_mixed_up(layer):
    """In PyTorch all layers of a new TransformerEncoder have the same weights: one follows from another's inputs, too."""
    model, x = net()
    actual = copy.deepcopy(model)
    actual.layers.layers[layer].norm1.eps = 1e-3
    origin = halfulp.locate(actual, exported(model, (x,), {}), (x,))
    assert origin.acceptable is False
    assert origin.module == f"layers.layers.{layer}.norm1"
    assert origin.source.startswith("%layer_norm")


def test_other_inputs_than_those_exported_are_refused():
    model, x = net()
    program = exported(model, (x,), {})
    with pytest.raises(InputError, match="which is not that of the exported program"):
        halfulp.record(program, (x, x))


def test_what_cannot_be_exported_says_so(tmp_path):
    class Branching(nn.Module):
        def forward(self, x):
            return x if x.sum() > 0 else -x

    with pytest.raises(InputError, match="to export"):
        exported(lambda x: x, (torch.ones(2),), {})
    with pytest.raises(InputError, match=r"torch\.export\.export"):
        exported(Branching(), (torch.ones(2),), {})
    with pytest.raises(InputError, match="not a file"):
        read_program(tmp_path / "none.pt2")
    (tmp_path / "bad.pt2").write_bytes(b"nothing")
    with pytest.raises(InputError, match="can't read"):
        read_program(tmp_path / "bad.pt2")


@since(2, 5, "gives nodes other names when it reads a program")
def test_a_stored_program_is_the_same(tmp_path):
    model, x = net()
    program = exported(model, (x,), {})
    torch.export.save(program, tmp_path / "net.pt2")
    assert ops_of(read_program(tmp_path / "net.pt2")) == ops_of(program)


@MODULES
def test_a_module_that_is_called_twice_has_two_calls():
    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(4, 4)

        def forward(self, x):
            return self.linear(self.linear(x).relu())

    x = torch.randn(2, 4)
    steps = halfulp.record(exported(Twice(), (x,), {}), (x,)).ops
    assert [(step.module, step.call) for step in steps if step.name == "addmm"] == [("linear", 0), ("linear", 1)]
    assert halfulp.record(exported(nn.Identity(), (x,), {}), (x,)).ops == []


@MODULES
def test_programs_leave_no_trace_and_are_seeded():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8), nn.Dropout(0.5))
    x = torch.randn(4, 8)
    program = exported(model, (x,), {})
    state = torch.get_rng_state()
    assert halfulp.locate(copy.deepcopy(model), program, (x,)).acceptable
    assert torch.equal(state, torch.get_rng_state())
    assert model[1].num_batches_tracked == 0
    with pytest.raises(halfulp.RunError, match="expected while it was recorded"):
        halfulp.locate(model, program, (torch.randn(5, 8),))


def test_gradients_of_a_program_are_walked():
    class Thrice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, gradient):
            return gradient * 3

    class Wrong(nn.Module):
        def __init__(self, inner):
            super().__init__()
            self.inner = inner

        def forward(self, x):
            return Thrice.apply(self.inner(x))

    torch.manual_seed(0)
    model, x = nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8)), torch.randn(4, 8)
    assert halfulp.locate(Wrong(model), exported(model, (x,), {}), (x,), gradients=True).acceptable is False


@pytest.mark.parametrize("layer", range(4))
def test_a_fault_in_a_layer_that_is_not_fused_among_fused_ones(layer):
    torch.manual_seed(0)
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True), 4, enable_nested_tensor=False)
    for parameter in encoder.parameters():
        parameter.data.add_(0.05 * torch.randn_like(parameter))
    wrong = copy.deepcopy(encoder).eval()
    wrong.layers[layer].norm2.eps = 1e-3
    assert halfulp.locate(wrong, encoder.train(), torch.randn(2, 16, 64)).module == f"layers.{layer}.norm2"
