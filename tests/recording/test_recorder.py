"""What a recording says of a program, and that it changes nothing of it."""

import collections
import dataclasses
import getpass
import os
import re
import socket
import threading
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from torch.optim import optimizer as optimizers
from torch.overrides import TorchFunctionMode
from torch.utils.checkpoint import checkpoint

import halfulp
from halfulp.origins.values import Values, evaluate
from halfulp.recording import Recorder, record
from halfulp.traces import read_trace


def bits(tree):
    if isinstance(tree, torch.Tensor):
        return (
            str(tree.dtype),
            tuple(tree.shape),
            tree.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes() if tree.numel() else b"",
        )
    return [bits(each) for each in tree]


def stored(trace, name):
    return trace.stored(trace.named[name])


def names(trace, phase="forward"):
    return [step.name for step in trace.ops if step.phase == phase]


class Twice(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.norm = nn.LayerNorm(4)

    def forward(self, x):
        y = self.fc(x)
        y = torch.relu(y)
        y = self.fc(y)
        return self.norm(y) * 2


class Nested(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Sequential(nn.Linear(4, 4), nn.Tanh()) for _ in range(2)])
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)


# Order and names


def test_ops_come_in_the_order_in_which_they_ran():
    trace = record(lambda x: ((x + 1) * 2).exp().sum(), torch.ones(3))
    assert [step.op for step in trace.ops] == ["aten.add.Tensor", "aten.mul.Tensor", "aten.exp.default", "aten.sum.default"]
    assert [step.index for step in trace.steps] == list(range(len(trace.steps)))
    for step, following in zip(trace.ops, trace.ops[1:]):
        assert following.inputs == step.outputs  # each reads what the one before wrote
    assert trace.named["output"] == trace.ops[-1].outputs[0]
    assert trace.ops[0].arguments[1] == 1 and trace.values[trace.ops[0].inputs[0]].name == "inputs[0]"


def test_modules_have_dotted_paths_and_end_after_their_ops():
    trace = record(Nested(), torch.ones(2, 4))
    # Autograd saves results with a detach, which is an op of its own.
    assert [(step.module, step.name) for step in trace.ops if step.name != "detach"] == [
        ("blocks.0.0", "t"), ("blocks.0.0", "addmm"), ("blocks.0.1", "tanh"), ("blocks.1.0", "t"), ("blocks.1.0", "addmm"), ("blocks.1.1", "tanh"),
        ("head", "t"), ("head", "addmm"),
    ]  # fmt: skip
    ends = [(step.module, step.op) for step in trace.steps if step.kind == "module"]
    assert ends == [
        ("blocks.0.0", "Linear"), ("blocks.0.1", "Tanh"), ("blocks.0", "Sequential"), ("blocks.1.0", "Linear"), ("blocks.1.1", "Tanh"),
        ("blocks.1", "Sequential"), ("head", "Linear"), ("", "Nested"),
    ]  # fmt: skip
    by_path = {step.module: step for step in trace.steps if step.kind == "module"}
    for step in trace.ops:
        if step.name in ("addmm", "tanh"):
            assert by_path[step.module].outputs == step.outputs and by_path[step.module].index > step.index


def test_a_module_used_twice_counts_its_calls():
    trace = record(Twice(), torch.ones(2, 4))
    assert [(step.module, step.call) for step in trace.ops if step.name == "addmm"] == [("fc", 0), ("fc", 1)]
    assert [(step.module, step.call) for step in trace.steps if step.kind == "module"] == [("fc", 0), ("fc", 1), ("norm", 0), ("", 0)]
    assert next(step for step in trace.ops if step.name == "relu").module == ""
    first, second = (step for step in trace.ops if step.name == "t")
    assert first.inputs == second.inputs  # the same weight


def test_a_loop_over_one_module_counts_on():
    layer = nn.Linear(4, 4)

    def call(x):
        for _ in range(5):
            x = layer(x)
        return x

    trace = record(call, torch.ones(2, 4))
    found = [step for step in trace.ops if step.name == "addmm"]
    assert [step.call for step in found] == list(range(5))
    assert len({step.module for step in found}) == 1
    assert len({step.arguments[2].number for step in found}) <= 5
    weights = {step.inputs for step in trace.ops if step.name == "t"}
    assert len(weights) == 1  # read, not copied, five times


def test_sources_name_this_file_without_a_directory_and_the_line():
    def call(x):
        y = x.exp()
        return y.sin()

    trace = record(call, torch.ones(2))
    line = call.__code__.co_firstlineno
    assert [step.source for step in trace.ops] == [f"test_recorder.py:{line + 1} call", f"test_recorder.py:{line + 2} call"]
    # A module of PyTorch itself is called by `record` here: no line of a user's program is involved.
    assert {step.source for step in record(nn.Linear(4, 4), torch.ones(2, 4)).ops} == {""}
    own = record(Twice(), torch.ones(2, 4))
    assert all(re.fullmatch(r"test_recorder\.py:\d+ forward", step.source) for step in own.ops)


def test_a_function_gets_no_modules():
    trace = record(lambda x, y: x @ y, [torch.ones(2, 3), torch.ones(3, 2)], level="tensors")
    assert {(step.module, step.call) for step in trace.ops} == {("", 0)}
    assert not [step for step in trace.steps if step.kind == "module"]
    np.testing.assert_array_equal(stored(trace, "output"), np.full((2, 2), 3.0, np.float32))


def test_tensors_in_nested_containers_are_inputs_and_outputs_by_name():
    @dataclasses.dataclass
    class Batch:
        image: torch.Tensor
        label: torch.Tensor

    batch = {"pair": (torch.ones(2), [torch.zeros(3), 7, None]), "batch": Batch(torch.ones(4), torch.arange(2)), "text": "word"}

    def call(given, *, scale):
        return {"a": [given["pair"][0] * scale], "b": (given["batch"].image + 1, given["pair"][1][0] - 1)}

    trace = record(call, [batch], keywords={"scale": torch.tensor(3.0)}, level="tensors")
    inputs = {value.name: value.shape for value in trace.values if value.role == "input"}
    assert inputs == {
        "inputs[0]['pair'][0]": (2,), "inputs[0]['pair'][1][0]": (3,), "inputs[0]['batch'].image": (4,), "inputs[0]['batch'].label": (2,),
        "keywords['scale']": (),
    }  # fmt: skip
    assert {name: trace.stored(number).tolist() for name, number in trace.named.items()} == {
        "output['a'][0]": [3.0, 3.0], "output['b'][0]": [2.0] * 4, "output['b'][1]": [-1.0] * 3,
    }  # fmt: skip


# The backward pass and the optimizer


def test_backward_ops_belong_to_the_module_and_the_forward_op_they_come_from():
    trace = record(Nested(), torch.ones(2, 4), gradients=True)
    backward = [step for step in trace.ops if step.phase == "backward"]
    tanh = [step for step in backward if step.name == "tanh_backward"]
    assert [step.module for step in tanh] == ["blocks.1.1", "blocks.0.1"]
    assert [(trace.steps[step.forward].name, trace.steps[step.forward].module) for step in tanh] == [
        ("tanh", "blocks.1.1"),
        ("tanh", "blocks.0.1"),
    ]
    products = [step for step in backward if step.name == "mm"]
    assert collections.Counter(step.module for step in products) == {"head": 2, "blocks.1.0": 2, "blocks.0.0": 1}
    for step in products:
        assert trace.steps[step.forward].name == "addmm" and trace.steps[step.forward].module == step.module
        assert step.forward < step.index


def test_backward_ops_of_a_module_used_twice_have_the_call_they_come_from():
    trace = record(Twice(), torch.ones(2, 4), gradients=True)
    calls = [step.call for step in trace.ops if step.phase == "backward" and step.name == "mm" and step.module == "fc"]
    assert calls == [1, 1, 0]  # the input of the first call wants no gradient


@pytest.mark.parametrize("gradients", [False, True])
def test_gradients_are_named_and_are_those_of_autograd(gradients):
    torch.manual_seed(1)
    model = Nested()
    trace = record(model, torch.randn(3, 4), gradients=gradients, level="tensors")
    found = {name for name in trace.named if name.endswith(".grad")}
    assert found == ({f"{name}.grad" for name, _ in model.named_parameters()} if gradients else set())
    values = Values(trace)  # the gradient of a weight is a view: it is made of what was stored
    for name in found:
        np.testing.assert_array_equal(values.number(trace.named[name]), model.get_parameter(name.removesuffix(".grad")).grad.numpy())


def test_a_loss_of_one_number_is_differentiated_as_it_is():
    w = nn.Linear(3, 1)
    trace = record(lambda x: w(x).sum(), torch.ones(2, 3), gradients=True, level="tensors")
    w.weight.grad = None
    [cotangent] = [value for value in trace.values if value.name.startswith("cotangents")]
    assert trace.stored(cotangent.number).tolist() == 1.0


@pytest.mark.parametrize(
    "make",
    [
        lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
        lambda p: torch.optim.AdamW(p, lr=0.1),
        lambda p: torch.optim.Adam(p, lr=0.1, foreach=True),
    ],
)
def test_parameters_are_recorded_before_and_after_a_step(make):
    model = Nested()
    before = {name: each.detach().clone() for name, each in model.named_parameters()}
    trace = record(model, torch.randn(3, 4), optimizer=make(model.parameters()), level="tensors")
    for name, parameter in model.named_parameters():
        leaf = next(value for value in trace.values if value.name == name and value.role == "parameter")
        np.testing.assert_array_equal(trace.stored(leaf.number), before[name].numpy())
        np.testing.assert_array_equal(stored(trace, name), parameter.detach().numpy())
        assert trace.named[name] != leaf.number and trace.values[trace.named[name]].hash != leaf.hash
    steps = [step for step in trace.ops if step.phase == "step"]
    assert steps and {step.phase for step in trace.ops} == {"forward", "backward", "step"}
    assert all(step.phase == "step" for step in trace.ops[trace.ops.index(steps[0]) :])


def test_buffers_of_batch_norm_are_recorded_before_and_after():
    model = nn.Sequential(nn.BatchNorm1d(4))
    trace = record(model, torch.randn(8, 4) + 3, level="tensors")
    for name, start in (("0.running_mean", 0.0), ("0.running_var", 1.0)):
        first = next(value for value in trace.values if value.name == name)
        assert first.role == "buffer" and (trace.stored(first.number) == start).all()
        np.testing.assert_array_equal(stored(trace, name), model.get_buffer(name).numpy())
        assert trace.named[name] != first.number and trace.values[trace.named[name]].hash != first.hash
    assert stored(trace, "0.num_batches_tracked") == 1
    evaluated = record(model.eval(), torch.randn(8, 4), level="tensors")
    assert all(evaluated.values[evaluated.named[name]].role == "buffer" for name in ("0.running_mean", "0.running_var"))


# Modes


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode, torch.enable_grad])
def test_ops_are_seen_in_every_gradient_mode(mode):
    model, x = Nested(), torch.randn(2, 4)
    with mode():
        wanted = model(x)
        trace = record(model, x, level="tensors")
    # Inference mode does not take linear apart by itself: the recorder does.
    assert names(trace).count("addmm") == 3 and names(trace).count("tanh") == 2
    np.testing.assert_array_equal(stored(trace, "output"), wanted.detach().numpy())
    assert {step.module for step in trace.ops if step.name == "tanh"} == {"blocks.0.1", "blocks.1.1"}


def test_casts_of_autocast_are_seen():
    model, x = Nested(), torch.randn(2, 4)
    with torch.autocast("cpu", torch.bfloat16):
        wanted = model(x)
        trace = record(model, x, level="tensors")
    casts = [step for step in trace.ops if step.name == "_to_copy"]
    assert casts and all(step.keywords["dtype"] == {"dtype": "bfloat16"} for step in casts)
    products = [step for step in trace.ops if step.name == "addmm"]
    assert len(products) == 3 and {trace.values[step.outputs[0]].dtype for step in products} == {"bfloat16"}
    assert trace.values[trace.named["output"]].dtype == "bfloat16"
    np.testing.assert_array_equal(stored(trace, "output"), wanted.float().detach().numpy())
    assert trace.fingerprint.sections["torch"]["autocast"] == "cpu torch.bfloat16"


@pytest.mark.parametrize("reentrant", [False, True])
def test_checkpointing_runs_the_forward_again_in_the_backward(reentrant):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Sequential(nn.Linear(4, 4), nn.Tanh())
            self.head = nn.Linear(4, 2)

        def forward(self, x):
            return self.head(checkpoint(self.inner, x, use_reentrant=reentrant))

    model, x = Model(), torch.randn(2, 4, requires_grad=True)
    model(x).backward(torch.ones(2, 2))
    plain = bits([parameter.grad for parameter in model.parameters()])
    model.zero_grad()
    x.grad = None

    def call(x):
        y = model(x)
        return y.sum()

    recorder_trace = record(call, x, gradients=True, level="tensors")
    assert bits([parameter.grad for parameter in model.parameters()]) == plain
    tanh = [step for step in recorder_trace.ops if step.name == "tanh"]
    assert len(tanh) == 2  # computed, and computed again
    assert recorder_trace.values[tanh[0].outputs[0]].hash == recorder_trace.values[tanh[1].outputs[0]].hash
    assert names(recorder_trace, "backward").count("tanh_backward") == 1
    # Reentrant: the inner backward pass starts inside the outer one.
    assert all(step.index > tanh[1].index for step in recorder_trace.ops if step.name == "tanh_backward")


# Memory


def replayed(trace):
    """Every op again from what was recorded of its inputs; returns how many values were compared with what was recorded."""
    values, compared = Values(trace), 0
    for step in trace.ops:
        for number, found in zip(step.outputs, evaluate(step, values.number)):
            if number is None or not trace.values[number].hash:
                continue
            np.testing.assert_array_equal(np.asarray(found, dtype=np.float64), trace.numbers(number), err_msg=str(step))
            compared += 1
    return compared


def views_1(x):
    x = x.clone()
    x[:, 1].mul_(2)
    x[0] += 1
    return x + 1


def views_2(x):
    x = x.clone()
    flat = x.view(-1)
    left = x[:, :2]
    flat[3:7].add_(5)
    left.neg_()
    return flat * 2, left + 1, x - 1


def views_3(x):
    x = x.clone()
    turned = x.t()
    turned[1].zero_()
    x.diagonal().fill_(3)
    return turned + x.t()


def views_4(x):
    x = x.clone()
    one, two = x.chunk(2, 1)
    one.copy_(two)
    two.add_(one)
    return x * 1


def views_5(x):
    x = x.clone()
    y = x.detach()
    y.add_(1)
    z = x[1:]
    x[2:] = 0
    return z * 4, y + x


@pytest.mark.parametrize("call", [views_1, views_2, views_3, views_4, views_5])
def test_writes_through_views_reach_all_tensors_over_the_same_memory(call):
    x = torch.arange(16, dtype=torch.float64).reshape(4, 4) / 8
    wanted = call(x)
    trace = record(call, x, level="tensors")
    assert replayed(trace) >= 3
    results = [wanted] if isinstance(wanted, torch.Tensor) else wanted
    numbers = [number for name, number in trace.named.items() if name.startswith("output")]
    assert len(numbers) == len(results)
    for number, result in zip(numbers, results):
        np.testing.assert_array_equal(trace.numbers(number), result.numpy())


def write_number(x):
    y = x.clone()
    y[1:] = 0
    return y


def write_by_mask(x):
    y = x.clone()
    y[x > 0] = 1.5
    return y


@pytest.mark.parametrize("call", [write_number, write_by_mask, views_1, views_2, views_3, views_4, views_5])
def test_numbers_written_into_tensors_are_not_taken_for_compiled_code(call):
    trace = record(call, torch.randn(4, 4), level="tensors")
    assert not trace.notes


def test_memory_that_is_used_again_is_not_mistaken_for_what_was_there():
    def call(x):
        total = torch.zeros(64)
        for k in range(200):
            y = x + k  # freed in each round, so that the next one gets its address
            total = total + y * 2
        return total

    x = torch.randn(64)
    trace = record(call, x, level="tensors")
    multiplications = [step for step in trace.ops if step.name == "mul"]
    assert len(multiplications) == 200
    sums = [
        step for step in trace.ops if step.name == "add" and step.arguments[1:] and not isinstance(step.arguments[1], halfulp.traces.Ref)
    ]
    assert [step.inputs[0] for step in multiplications] == [step.outputs[0] for step in sums]


# What recording must not change


def run(model, x, *, mode="train"):
    model.zero_grad()
    torch.manual_seed(3)
    if mode == "eval":
        with torch.inference_mode():
            return [model(x)], []
    out = model(x)
    out.backward(torch.ones_like(out))
    return [out], [parameter.grad.clone() for parameter in model.parameters() if parameter.grad is not None]


MODELS = {
    "nested": (Nested, (3, 4)),
    "dropout": (lambda: nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 2)), (16, 4)),
    "convolution": (lambda: nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.GELU(), nn.MaxPool2d(2)), (2, 3, 10, 10)),
    "transformer": (lambda: nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), (2, 5, 8)),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("mode", ["train", "eval"])
def test_recording_changes_no_bit_of_results_gradients_or_state(name, mode, tmp_path):
    make, shape = MODELS[name]
    torch.manual_seed(0)
    model, x = make().train(mode == "train"), torch.randn(shape)
    state = {key: each.clone() for key, each in model.state_dict().items()}
    plain = run(model, x, mode=mode)
    after, random_after = bits(list(model.state_dict().values())), torch.get_rng_state()
    model.load_state_dict(state)
    recorder = Recorder(tmp_path / "t", level="tensors")
    recorder.watch(model)
    with recorder:
        recorded = run(model, x, mode=mode)
    assert bits(recorded[0]) == bits(plain[0]) and bits(recorded[1]) == bits(plain[1])
    assert bits(list(model.state_dict().values())) == after
    assert torch.equal(torch.get_rng_state(), random_after)
    trace = read_trace(tmp_path / "t")
    assert len(trace.ops) > (0 if name == "transformer" else 1)
    if name == "transformer":
        fast = any(step.name == "_transformer_encoder_layer_fwd" for step in trace.ops)
        assert fast == (mode == "eval")  # the fused path is taken as without recording


def test_hooks_are_gone_afterwards_also_when_the_model_raises(tmp_path):
    hooks = nn.modules.module

    def count():
        return (
            len(hooks._global_forward_hooks), len(hooks._global_forward_pre_hooks), len(optimizers._global_optimizer_pre_hooks),
            len(optimizers._global_optimizer_post_hooks), len(torch.utils._python_dispatch._get_current_dispatch_mode_stack()),
        )  # fmt: skip

    class Broken(Nested):
        def forward(self, x):
            super().forward(x)
            raise LookupError("lost")

    before = count()
    seen = []
    record(lambda x: (seen.append(count()), x + 1)[1], torch.ones(2))
    assert seen[0] != before == count()
    with pytest.raises(LookupError, match="lost"):
        record(Broken(), torch.ones(2, 4), tmp_path / "t")
    assert count() == before == (0, 0, 0, 0, 0)
    model = Nested()
    record(model, torch.ones(2, 4), gradients=True)
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())


def test_an_exception_leaves_a_partial_trace_and_goes_on(tmp_path):
    class Broken(Nested):
        def forward(self, x):
            return self.head(super().forward(x))  # of two features, where four are wanted

    with pytest.raises(RuntimeError, match="shapes"):
        record(Broken(), torch.ones(2, 4), tmp_path / "t", level="tensors")
    assert not (tmp_path / "t").exists()
    trace = read_trace(tmp_path / "t")
    assert trace.is_partial and trace.notes == ("ended by RuntimeError",)
    assert names(trace).count("addmm") == 3
    again = record(Nested(), torch.ones(2, 4))
    assert names(again).count("addmm") == 3 and {step.call for step in again.ops} == {0}


def test_a_module_that_raised_and_was_caught_does_not_stay_open(tmp_path):
    class Fails(nn.Module):
        def forward(self, x):
            raise ArithmeticError

    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.bad, self.good = Fails(), nn.Linear(4, 4)

        def forward(self, x):
            try:
                self.bad(x)
            except ArithmeticError:
                x = x * 3
            return self.good(x)

    trace = record(Outer(), torch.ones(2, 4))
    assert next(step for step in trace.ops if step.name == "addmm").module == "good"
    assert [(step.module, step.op) for step in trace.steps if step.kind == "module"] == [("good", "Linear"), ("", "Outer")]
    assert next(step for step in trace.ops if step.name == "mul").module == ""


def test_outputs_without_a_gradient_are_refused():
    with pytest.raises(halfulp.InputError, match="without a gradient"):
        record(lambda x: x + 1, torch.ones(2), gradients=True)
    with pytest.raises(halfulp.InputError, match="record"):
        record(3, torch.ones(2))


def test_a_trace_without_a_path_lives_as_long_as_the_result():
    trace = record(torch.exp, torch.ones(2))
    folder = trace.path.parent
    assert folder.is_dir()
    del trace
    import gc

    gc.collect()
    assert not folder.exists()


# torch.compile and threads


def test_compiled_code_runs_compiled_and_the_trace_says_what_it_does_not_see():
    torch._dynamo.reset()
    ran = []

    def backend(graph, _):
        def call(*arguments):
            ran.append(len(graph.graph.nodes))
            return graph.forward(*arguments)

        return call

    model, x = Nested(), torch.randn(2, 4)
    wanted = model(x)
    compiled = torch.compile(model, backend=backend)
    trace = record(compiled, x, level="tensors")
    assert ran and torch._dynamo.utils.counters["stats"]["unique_graphs"] >= 1
    assert [note for note in trace.notes if "compiled" in note and "fused kernels and inner modules are not" in note]
    np.testing.assert_array_equal(stored(trace, "output"), wanted.detach().numpy())
    assert {name for name in trace.named if "weight" in name} == {"blocks.0.0.weight", "blocks.1.0.weight", "head.weight"}
    torch._dynamo.reset()


def test_what_no_recorded_op_made_is_unseen_and_noted():
    made = {}

    def elsewhere(x):
        made["y"] = x * 3

    def call(x):
        thread = threading.Thread(target=elsewhere, args=(x,))
        thread.start()
        thread.join()
        return made["y"] + 1

    trace = record(call, torch.ones(3), level="tensors")
    assert [step.op for step in trace.ops] == ["aten.add.Tensor"]  # not the product, which another thread computed
    value = trace.values[trace.ops[0].inputs[0]]
    assert value.role == "unseen" and trace.stored(value.number).tolist() == [3.0] * 3
    assert any("another thread" in note for note in trace.notes)


def test_modules_called_by_other_threads_do_not_appear():
    model, other = Nested(), Nested()

    def call(x):
        thread = threading.Thread(target=other, args=(torch.ones(1, 4),))
        thread.start()
        thread.join()
        return model(x)

    trace = record(call, torch.ones(2, 4))
    assert names(trace).count("addmm") == 3
    assert [step.module for step in trace.steps if step.kind == "module"].count("head") == 1
    assert len([step for step in trace.steps if step.kind == "module"]) == 8


# Fingerprint and privacy


def test_the_run_is_fingerprinted_by_seed_weights_and_inputs():
    torch.manual_seed(41)
    model, x = Nested(), torch.randn(2, 4)
    first = record(model, x).fingerprint.sections["run"]
    again = record(model, x).fingerprint.sections["run"]
    assert first == again and first.keys() == {"seed", "weights", "inputs"} and first["seed"] == "41"
    other = record(model, x + 1).fingerprint.sections["run"]
    assert other["inputs"] != first["inputs"] and other["weights"] == first["weights"]
    with torch.no_grad():
        model.head.bias += 1
    changed = record(model, x).fingerprint.sections["run"]
    assert changed["weights"] != first["weights"] and changed["inputs"] == first["inputs"]


def test_settings_that_change_on_the_way_are_noted():
    def call(x):
        y = x + 1
        torch.set_default_dtype(torch.float64)
        return y

    try:
        trace = record(call, torch.ones(2))
    finally:
        torch.set_default_dtype(torch.float32)
    assert trace.fingerprint.sections["torch"]["default dtype"] == "torch.float32"
    assert any("default dtype was torch.float32 and became torch.float64; halfulp undid the change" in note for note in trace.notes)
    assert torch.get_default_dtype() == torch.float32


def test_nothing_tells_who_or_where_the_user_is(tmp_path, monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", f"--xla_dump_to={Path.home()}/dump --fast")
    model, x = Nested(), torch.randn(2, 4)
    record(model, x, tmp_path / "t", level="tensors", optimizer=torch.optim.SGD(model.parameters(), lr=0.1))
    with pytest.raises(ZeroDivisionError):
        record(lambda x: (x.exp(), 1 // 0), x, tmp_path / "failed")
    for folder in (tmp_path / "t", tmp_path / "failed.partial"):
        for name in ("manifest.json", "records.jsonl"):
            text = (folder / name).read_text()
            paths = [
                str(Path.home()),
                os.getcwd(),
                str(tmp_path),
                str(Path(__file__).parent),
                str(Path(torch.__file__).parent),
                str(Path(halfulp.__file__).parent),
            ]
            for word in [*paths, socket.gethostname(), socket.getfqdn()]:
                assert len(word) < 3 or word not in text, (name, word)
            assert not re.search(rf"\b{re.escape(getpass.getuser())}\b", text), name
            assert not re.search(r'"[^"]*(?<![\w.)])/(home|root|Users|work|tmp|usr|opt|var)/', text), name


def test_what_is_asked_of_the_tensors_of_modules_is_no_call_of_the_program():
    # A mode that counts calls, as `explain` does to change one of them, sees the same ones while the program is recorded.
    class Counted(TorchFunctionMode):
        def __init__(self):
            super().__init__()
            self.seen = []

        def __torch_function__(self, func, types, args=(), kwargs=None):
            self.seen.append(func)
            return func(*args, **(kwargs or {}))

    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.LayerNorm(4))

    def counted(x):
        with Counted() as mode:
            result = net(x)
        lists.append(mode.seen)
        return result

    lists = []
    x = torch.randn(2, 3)
    counted(x)
    halfulp.record(counted, x)
    assert len(lists) > 1
    assert all(seen == lists[0] for seen in lists)
