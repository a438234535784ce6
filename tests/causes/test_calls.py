"""Calls are seen and exchanged without changing anything else; the flow between them is that of the program."""

import operator

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.modules import module as modules

from halfulp.causes.calls import Call, Calls, chained, is_scalar, tensors_in, watched, with_replaced, without_fast_path
from halfulp.causes.flow import CHAIN, Flow
from halfulp.causes.signatures import name_of


class Residual(nn.Module):
    """Writes in place, branches, multiplies operators of tensors, calls a submodule twice."""

    def __init__(self):
        super().__init__()
        self.fc, self.act = nn.Linear(6, 6), nn.ReLU(inplace=True)

    def forward(self, x):
        y = self.act(self.fc(x))
        y += x
        y.mul_(0.5)
        y[:, 0] = 1.0
        z = (1 - y) @ self.fc.weight / 3
        return {"out": self.fc(z), "pair": (y.mean(-1), -z)}


class Keywords(nn.Module):
    def forward(self, x, *, scale=1.0):
        return F.softmax(input=x * scale, dim=-1).sum(dim=0)


def convolutional():
    return nn.Sequential(
        nn.Conv2d(2, 4, 3, padding=1),
        nn.BatchNorm2d(4),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(2),
        nn.Conv2d(4, 4, 3, groups=2),
        nn.GELU(),
        nn.AdaptiveAvgPool2d(2),
        nn.Flatten(),
        nn.Linear(16, 3),
        nn.LogSoftmax(-1),
    )


def sequences():
    return (torch.randn(3, 5, 8),)


ZOO = {
    "linear": (lambda: nn.Linear(6, 4), lambda: (torch.randn(5, 6),)),
    "layer norm": (lambda: nn.LayerNorm(6), lambda: (torch.randn(5, 6),)),
    "encoder layer, evaluation": (lambda: nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval(), sequences),
    "encoder layer, training": (lambda: nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True), sequences),
    "encoder, evaluation": (
        lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2, enable_nested_tensor=False).eval(),
        sequences,
    ),
    "decoder layer": (
        lambda: nn.TransformerDecoderLayer(8, 2, 16, batch_first=True).eval(),
        lambda: (torch.randn(3, 5, 8), torch.randn(3, 7, 8)),
    ),
    "attention": (lambda: nn.MultiheadAttention(8, 2, batch_first=True), lambda: sequences() * 3),
    "lstm": (lambda: nn.LSTM(8, 6, num_layers=2, bidirectional=True, batch_first=True), sequences),
    "gru": (lambda: nn.GRU(8, 6, batch_first=True), sequences),
    "lstm cell": (lambda: nn.LSTMCell(6, 4), lambda: (torch.randn(5, 6),)),
    "batch norm, training": (lambda: nn.BatchNorm1d(6), lambda: (torch.randn(5, 6),)),
    "batch norm, evaluation": (lambda: nn.BatchNorm1d(6).eval(), lambda: (torch.randn(5, 6),)),
    "convolutions, training": (convolutional, lambda: (torch.randn(4, 2, 10, 10),)),
    "convolutions, evaluation": (lambda: convolutional().eval(), lambda: (torch.randn(4, 2, 10, 10),)),
    "embedding": (lambda: nn.Sequential(nn.Embedding(9, 6), nn.Linear(6, 2)), lambda: (torch.randint(0, 9, (4, 3)),)),
    "writes in place": (Residual, lambda: (torch.randn(5, 6),)),
    "keywords": (Keywords, lambda: (torch.randn(5, 6),)),
    "dropout": (lambda: nn.Dropout(0.5), lambda: (torch.randn(5, 6),)),
}


def bits(tree):
    if isinstance(tree, torch.Tensor):
        return (tree.dtype, tuple(tree.shape), tree.detach().contiguous().numpy().tobytes())
    if isinstance(tree, dict):
        return {key: bits(each) for key, each in tree.items()}
    if isinstance(tree, (tuple, list)):
        return [bits(each) for each in tree]
    return tree


def run(function, model, inputs):
    """What a function gives from the same start, and what it leaves in the model."""
    state = {name: each.clone() for name, each in model.state_dict().items()}
    torch.manual_seed(1)
    result = bits(function(*(tensor.clone() for tensor in inputs)))
    after = bits(model.state_dict())
    model.load_state_dict(state)
    return result, after


def hooks():
    return [
        dict(getattr(modules, name))
        for name in ("_global_forward_pre_hooks", "_global_forward_hooks", "_global_forward_hooks_always_called")
    ]


def seen_in(function, *inputs):
    found = []
    watched(function, found.append)(*inputs)
    return found


@pytest.mark.parametrize("which", ZOO)
def test_watching_changes_no_bit_and_leaves_no_hook(which):
    make, inputs = ZOO[which]
    model, given, before = make(), inputs(), hooks()
    plain = run(without_fast_path(model), model, given)
    calls, results = [], []
    assert run(watched(model, calls.append, lambda call, result: results.append(call.number)), model, given) == plain
    assert calls and [call.number for call in calls] == list(range(len(calls))) == results
    assert hooks() == before
    assert torch._C._len_torch_function_stack() == 0


@pytest.mark.parametrize("which", ZOO)
def test_exchanging_nothing_changes_no_bit(which):
    make, inputs = ZOO[which]
    model, given = make(), inputs()
    assert run(with_replaced(model, {}), model, given) == run(without_fast_path(model), model, given)


@pytest.mark.parametrize("which", ZOO)
def test_calls_are_numbered_alike_when_watched_and_when_exchanged(which):
    make, inputs = ZOO[which]
    model, given = make(), inputs()
    plain = run(without_fast_path(model), model, given)
    calls = []
    run(watched(model, calls.append), model, given)
    exchanged = []

    def same(call):
        exchanged.append((call.number, call.name))
        return call.again()

    assert run(with_replaced(model, dict.fromkeys(range(len(calls) + 5), same)), model, given) == plain
    assert exchanged == [(call.number, call.name) for call in calls]


@pytest.mark.parametrize("which", ZOO)
def test_exchanging_the_last_calls_result_is_seen_in_what_comes_out(which):
    make, inputs = ZOO[which]
    model, given = make(), inputs()
    calls = []
    run(watched(model, calls.append), model, given)
    plain = run(without_fast_path(model), model, given)
    spoiled = 0
    for call in calls:
        if call.name in ("size", "dim", "has_names"):
            continue

        def twice(each):
            result = each.again()
            return torch.utils._pytree.tree_map(
                lambda one: one * 2 + 1 if isinstance(one, torch.Tensor) and one.is_floating_point() else one, result
            )

        try:
            spoiled += run(with_replaced(model, {call.number: twice}), model, given) != plain
        except (RuntimeError, AssertionError):  # shapes or flags that no longer fit
            continue
    assert spoiled >= 1


def test_fused_layers_are_seen_as_the_calls_they_are_made_of():
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
    names = [call.name for call in seen_in(layer, torch.randn(2, 3, 8))]
    assert names.count("layer_norm") == 2 and names.count("scaled_dot_product_attention") == 1 and "relu" in names
    assert names.count("linear") == 4  # into attention, out of it, and the two of the feed-forward part
    assert not {"multi_head_attention_forward", "_transformer_encoder_layer_fwd"} & set(names)
    assert torch.backends.mha.get_fastpath_enabled()


def test_calls_know_the_module_that_makes_them():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(nn.Sequential(nn.Linear(4, 4), nn.GELU()) for _ in range(2))

        def forward(self, x):
            for layer in self.layers:
                x = layer(x) * 2
            return x

    calls = seen_in(Net(), torch.randn(2, 4))
    places = [(call.name, call.module, call.kind) for call in calls]
    assert places == [
        ("linear", "layers.0.0", "Linear"),
        ("gelu", "layers.0.1", "GELU"),
        ("mul", "", "Net"),
        ("linear", "layers.1.0", "Linear"),
        ("gelu", "layers.1.1", "GELU"),
        ("mul", "", "Net"),
    ]
    assert calls[0].place == "linear in layers.0.0 (Linear)" and calls[2].place == "mul"


def test_hooks_and_the_mode_are_gone_after_an_exception():
    class Broken(nn.Module):
        def forward(self, x):
            raise KeyboardInterrupt(x.sum())

    before = hooks()
    model = nn.Sequential(nn.Linear(4, 4), Broken())
    calls = []
    with pytest.raises(KeyboardInterrupt):
        watched(model, calls.append)(torch.randn(2, 4))
    assert [call.name for call in calls] == ["linear", "sum"]
    with pytest.raises(KeyboardInterrupt):
        with_replaced(model, {0: lambda call: call.again()})(torch.randn(2, 4))
    assert hooks() == before and torch._C._len_torch_function_stack() == 0 and torch.backends.mha.get_fastpath_enabled()


def test_an_exception_in_a_module_that_is_caught_leaves_later_calls_in_their_module():
    class Refuses(nn.Module):
        def forward(self, x):
            raise ValueError("no")

    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = Refuses(), nn.Linear(4, 4)

        def forward(self, x):
            try:
                x = self.first(x)
            except ValueError:
                x = self.second(x)
            return x.exp()

    calls = seen_in(Outer(), torch.randn(2, 4))
    assert [(call.name, call.module) for call in calls] == [("linear", "second"), ("exp", "")]


# Writes in place


IN_PLACE = {
    "add_": lambda x: x.add_(1),
    "mul_": lambda x: x.mul_(3),
    "+=": lambda x: operator.iadd(x, 1),
    "*=": lambda x: operator.imul(x, 3),
    "-=": lambda x: operator.isub(x, 2),
    "/=": lambda x: operator.itruediv(x, 2),
    "relu_": lambda x: x.relu_(),
    "torch.relu_": torch.relu_,
    "clamp_": lambda x: x.clamp_(min=0),
    "zero_": lambda x: x.zero_(),
    "masked_fill_": lambda x: x.masked_fill_(x > 0, 1.0),
    "F.relu(inplace=True)": lambda x: F.relu(x, inplace=True),
    "F.leaky_relu(inplace=True)": lambda x: F.leaky_relu(x, 0.3, True),
    "torch.add(out=)": lambda x: torch.add(x, 1, out=x),
}


@pytest.mark.parametrize("which", list(IN_PLACE))
def test_a_write_in_place_that_is_exchanged_writes_where_it_writes(which):
    write = IN_PLACE[which]

    def program(x):
        y = x * 1
        view = y[1:]
        write(y)
        return y, view

    x = torch.randn(4, 3)
    call = seen_in(program, x)[-1]
    result, view = with_replaced(program, {call.number: lambda each: each.first * 0 + 7})(x)
    assert (result == 7).all() and (view == 7).all()


def test_a_result_in_place_may_be_the_tensor_itself_and_leaves_take_it_too():
    parameter = nn.Parameter(torch.ones(3))

    def program():
        with torch.no_grad():
            parameter.mul_(2)
        return parameter.detach().clone()

    (number,) = [call.number for call in seen_in(program) if call.name == "mul"]  # seeing it multiplies by 2
    assert with_replaced(program, {number: lambda call: call.first * 5})().tolist() == [10, 10, 10]
    assert with_replaced(program, {number: lambda call: call.again()})().tolist() == [20, 20, 20]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (torch.Tensor.add_, True),
        (torch.Tensor.__iadd__, True),
        (torch.Tensor.__imul__, True),
        (torch.Tensor.__add__, False),
        (torch.add, False),
        (torch.Tensor.__invert__, False),
        (torch.Tensor.__int__, False),
        (torch.Tensor.__index__, False),
        (torch.Tensor.requires_grad_, False),
        (F.relu, False),
        (torch.relu_, True),
        (torch.Tensor.copy_, True),
    ],
)
def test_in_place_is_read_off_the_name(function, expected):
    assert Call(0, name_of(function), "", "", function, (), {}).in_place is expected


# Changes one after the other


def test_chained_changes_are_made_one_to_the_other():
    norm = lambda x: F.layer_norm(x, (6,), eps=1e-5)
    x = 0.01 * torch.randn(4, 6)
    weight = torch.randn(6)
    other_eps, weighted = (lambda call: call.again(eps=1e-2)), (lambda call: call.again(weight=weight))
    both = F.layer_norm(x, (6,), weight, eps=1e-2)
    for first, second in ((other_eps, weighted), (weighted, other_eps)):
        assert torch.equal(with_replaced(norm, {0: chained(first, second)})(x), both)


def test_chained_changes_of_the_result_are_made_in_order():
    add, twice = (lambda call: call.again() + 1), (lambda call: call.again() * 2)
    x = torch.arange(3.0)
    program = lambda x: x.neg()
    assert torch.equal(with_replaced(program, {0: chained(add, twice)})(x), (-x + 1) * 2)
    assert torch.equal(with_replaced(program, {0: chained(twice, add)})(x), -x * 2 + 1)
    assert torch.equal(with_replaced(program, {0: chained(chained(add, twice), add)})(x), (-x + 1) * 2 + 1)


def test_a_chained_write_in_place_still_writes():
    def program(x):
        y = x * 1
        y.add_(1)
        return y

    result = with_replaced(program, {1: chained(lambda call: call.again() * 2, lambda call: call.again() + 5)})(torch.zeros(3))
    assert result.tolist() == [7, 7, 7]  # (0 + 1) * 2 + 5


# Names and arguments


@pytest.mark.parametrize(
    ("program", "name"),
    [
        (lambda x: x + 1, "add"),
        (lambda x: 1 + x, "add"),
        (lambda x: x - 1, "sub"),
        (lambda x: x * 2, "mul"),
        (lambda x: 2 * x, "mul"),
        (lambda x: x / 2, "div"),
        (lambda x: 2 / x, "rdiv"),
        (lambda x: x // 2, "floor_divide"),
        (lambda x: x % 2, "remainder"),
        (lambda x: x @ x, "matmul"),
        (lambda x: x**2, "pow"),
        (lambda x: -x, "neg"),
        (lambda x: x[0], "getitem"),
        (lambda x: torch.divide(x, 2), "div"),
        (lambda x: torch.multiply(x, 2), "mul"),
        (lambda x: torch.concat([x, x]), "cat"),
        (lambda x: torch.clip(x, 0, 1), "clamp"),
        (lambda x: torch.true_divide(x, 2), "div"),
        (lambda x: x.add_(1), "add"),
        (lambda x: operator.iadd(x, 1), "add"),
        (lambda x: operator.itruediv(x, 2), "div"),
        (lambda x: F.max_pool2d(x[None], 2), "max_pool2d"),
        (lambda x: F.softmax(x, -1), "softmax"),
        (lambda x: torch.softmax(x, -1), "softmax"),
        (lambda x: x.softmax(-1), "softmax"),
        (lambda x: F.layer_norm(x, (4,)), "layer_norm"),
        (lambda x: torch.Tensor.subtract(x, 1), "sub"),
    ],
)
def test_operators_and_functions_have_one_name(program, name):
    assert seen_in(program, torch.rand(4, 4) + 1)[-1].name == name


@pytest.mark.parametrize(
    ("program", "wanted"),
    [
        (lambda x: F.layer_norm(x, (4,), eps=1e-3), {"eps": 1e-3, "normalized_shape": (4,), "weight": None}),
        (lambda x: F.layer_norm(x, (4,), None, None, 1e-3), {"eps": 1e-3}),
        (lambda x: torch.nn.functional.conv2d(x[None, None], x[None, None, :2, :2], None, 2, 1), {"stride": 2, "padding": 1, "bias": None}),
        (lambda x: F.conv2d(x[None, None], x[None, None, :2, :2], padding=1), {"padding": 1, "stride": None}),
        (lambda x: x.softmax(-1), {"dim": -1}),
        (lambda x: x - 3, {"other": 3}),
        (lambda x: torch.clamp(x, 0.5), {"min": 0.5, "max": None}),
        (lambda x: F.avg_pool2d(x[None], 2, ceil_mode=True), {"kernel_size": 2, "ceil_mode": True}),
        (lambda x: x.mean(-1, True), {"dim": -1, "keepdim": True}),
        (lambda x: F.scaled_dot_product_attention(x, x, x, is_causal=True), {"is_causal": True, "attn_mask": None}),
    ],
)
def test_arguments_are_found_by_name_however_they_were_given(program, wanted):
    call = seen_in(program, torch.rand(4, 4))[-1]
    assert {name: call.value(name) for name in wanted} == wanted


def test_again_changes_an_argument_where_it_was_given():
    x = torch.randn(3, 4)
    for program in (
        lambda x: F.layer_norm(x, (4,), None, None, 1e-5),
        lambda x: F.layer_norm(x, (4,), eps=1e-5),
        lambda x: F.layer_norm(x, (4,)),
    ):
        assert torch.equal(with_replaced(program, {0: lambda call: call.again(eps=0.5)})(x), F.layer_norm(x, (4,), eps=0.5))
    named = lambda x: F.softmax(input=x, dim=0)
    (call,) = seen_in(named, x)
    assert call.first is x and call.tensors == [x]
    assert torch.equal(with_replaced(named, {0: lambda call: call.again(dim=1)})(x), F.softmax(x, 1))


def test_scalars_and_tensors_of_arguments():
    assert is_scalar(1) and is_scalar(1.5) and not is_scalar(True) and not is_scalar(torch.ones(())) and not is_scalar(None)
    a, b = torch.ones(1), torch.ones(2)
    assert [id(each) for each in tensors_in([a, (b, [a], 3), "x", None])] == [id(a), id(b), id(a)]


def test_calls_may_be_told_without_being_followed_by_anyone():
    """The mode itself: nobody listens and nothing is exchanged."""
    with Calls():
        assert (torch.ones(2) + 1).tolist() == [2, 2]


# Flow


def flow_of(function, *inputs):
    flow = Flow()
    watched(function, flow.begin, flow.end)(*inputs)
    return flow


def number(flow, name, place=0):
    return [each for each, own in flow.names.items() if own == name][place]


def test_parents_are_the_calls_that_made_what_is_read():
    def program(x, w):
        a = x.exp()  # 0
        b = a @ w  # 1
        c = torch.cat([a, b])  # 2
        d, e = c.chunk(2)  # 3
        return d + e * a  # 4, 5

    flow = flow_of(program, torch.randn(4, 4), torch.randn(4, 4))
    assert flow.names == {0: "exp", 1: "matmul", 2: "cat", 3: "chunk", 4: "mul", 5: "add"}
    assert flow.parents == {0: (), 1: (0,), 2: (0, 1), 3: (2,), 4: (3, 0), 5: (3, 4)}


def test_flow_leads_on_and_back_within_so_many_steps():
    flow = flow_of(lambda x: x.exp().neg().sqrt().sum(), torch.randn(3))
    first, last = number(flow, "exp"), number(flow, "sum")
    for names, steps in ((("neg",), 1), (("sqrt",), 2), (("sum",), 3), (("nothing", "sqrt"), 2)):
        assert flow.leads_to(first, frozenset(names), steps) and not flow.leads_to(first, frozenset(names), steps - 1)
    assert flow.follows(last, frozenset(("exp",)), 3) and not flow.follows(last, frozenset(("exp",)), 2)
    assert not flow.leads_to(last, frozenset(("exp",)), 9) and not flow.follows(first, frozenset(("sum",)), 9)


def test_a_tensor_that_was_freed_is_nobodys_parent():
    def program(x):
        for _ in range(20):
            (x * 2).sum()  # freed at once: its id is soon another tensor's
        return x + 1

    flow = flow_of(program, torch.randn(3))
    assert all(flow.parents[each] == () for each, name in flow.names.items() if name in ("mul", "add"))


@pytest.mark.parametrize(("additions", "long"), [(CHAIN - 1, False), (CHAIN, True), (CHAIN + 5, True)])
@pytest.mark.parametrize("casts", [False, True])
def test_a_long_chain_of_additions_is_a_sum_by_hand(additions, long, casts):
    def program(x):
        total = x[0]
        for each in range(additions):
            total = total + x[each]
            total = total.half().float() if casts else total
        return total * 2

    flow = flow_of(program, torch.randn(20, 3))
    assert flow.adds_up(number(flow, "add", additions - 1)) is long
    assert not flow.adds_up(number(flow, "getitem"))


def test_casts_to_sixteen_bits_are_noted():
    def program(x):
        return x.half().float() + x.to(torch.bfloat16).to(torch.float16) + x.double().float()

    flow = flow_of(program, torch.randn(3))
    assert sorted(flow.narrowing) == [number(flow, "half"), number(flow, "to")]  # a cast between two 16-bit formats narrows nothing
