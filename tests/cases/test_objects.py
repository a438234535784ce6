"""Objects among inputs and outputs: a cache of keys and values, as decoders take and return it."""

import dataclasses
import threading
import types

import numpy as np
import pytest
import torch
from releases import since
from torch.utils import _pytree as pytree

import halfulp
from halfulp.cases import Case
from halfulp.cases.inputs import cast, copied
from halfulp.containers import named_in
from halfulp.differences import leaves_of
from halfulp.errors import InputError, RunError


class Layer:
    def __init__(self):
        self.keys = None
        self.device = torch.device("cpu")
        self.seen = 0

    def update(self, keys):
        self.keys = keys if self.keys is None else torch.cat([self.keys, keys], 1)
        self.seen += keys.shape[1]
        return self.keys


class Cache:
    def __init__(self, layers=2):
        self.layers = [Layer() for _ in range(layers)]
        self.owner = self  # objects may point at each other
        self.config = types.SimpleNamespace(name="tiny")
        self.kind = Layer


class Slots:
    __slots__ = ("__weakref__", "x")

    def __init__(self, x):
        self.x = x


@dataclasses.dataclass(frozen=True)
class Made:
    x: torch.Tensor
    twice: torch.Tensor = dataclasses.field(init=False, default=None)

    def __post_init__(self):
        object.__setattr__(self, "twice", self.x * 2)


class Decoder(torch.nn.Module):
    def __init__(self, error=0.0):
        super().__init__()
        torch.manual_seed(0)
        self.inner = torch.nn.Linear(8, 8)
        self.error = error

    def forward(self, x, cache=None):
        cache = Cache() if cache is None else cache
        for layer in cache.layers:
            x = x + layer.update(self.inner(x)).mean(1, keepdim=True) * (1.0 + self.error)
        return {"logits": x, "cache": cache}


def filled():
    cache = Cache()
    with torch.no_grad():
        Decoder()(torch.randn(2, 5, 8), cache)
    return cache


def test_every_tensor_of_an_object_is_a_leaf_with_a_path():
    leaves = leaves_of({"cache": filled()})
    assert [leaf.path for leaf in leaves] == [
        "['cache'].layers[0].keys",
        "['cache'].layers[0].seen",
        "['cache'].layers[1].keys",
        "['cache'].layers[1].seen",
    ]
    assert leaves_of(Slots(np.ones(3)))[0].path == ".x"
    normal = torch.distributions.Normal(torch.zeros(2), torch.ones(2))
    assert {".loc", ".scale"} <= {leaf.path for leaf in leaves_of(normal)}


def test_what_has_no_numbers_is_left_out_and_named():
    left_out = []
    leaves = leaves_of({"x": torch.ones(1), "text": "a", "made": types.SimpleNamespace(name="b")}, left_out)
    assert [leaf.path for leaf in leaves] == ["['x']"]
    assert left_out == ["['text'] (str)", "['made'] (SimpleNamespace)"]
    with pytest.raises(InputError, match=r"Got an object of class SimpleNamespace at \['made'\]\. Needed"):
        leaves_of({"made": types.SimpleNamespace(name="b")})
    result = halfulp.check(lambda x: {"y": x * 2, "text": "a"}, lambda x: {"y": x + x, "text": "b"}, torch.ones(2))
    assert result.find("effects").measured["actual_returns_without_numbers"] == ["['text'] (str)"]
    assert "actual returns without numbers: ['text'] (str)" in " ".join(str(result).split())


@since(2, 5, "can't take back the registration of a container")
def test_nodes_that_others_registered_with_pytorch_are_known():
    class Pair:
        def __init__(self, left, right):
            self._parts = (left, right)

    pytree.register_pytree_node(Pair, lambda pair: (list(pair._parts), None), lambda parts, _: Pair(*parts))
    try:
        pair = Pair(torch.ones(2), torch.zeros(2))
        assert [leaf.path for leaf in leaves_of(pair)] == ["[0]", "[1]"]
        own = copied(pair)
        own._parts[0].zero_()
        assert pair._parts[0].sum() == 2
    finally:
        pytree._deregister_pytree_node(Pair)


def test_copies_of_objects_share_nothing_and_keep_identities():
    cache = filled()
    first, second = copied((cache, [cache]))
    assert first is second[0]
    assert first.owner is first
    assert first.config is not cache.config
    assert first.kind is Layer
    first.layers[0].keys.zero_()
    first.layers.append(Layer())
    assert cache.layers[0].keys.abs().sum() > 0
    assert len(cache.layers) == 2
    lifted = cast(cache, frozenset([torch.float32]), torch.float64)
    assert lifted.layers[1].keys.dtype == torch.float64
    assert cache.layers[1].keys.dtype == torch.float32
    made = copied(Made(torch.ones(2)))
    assert torch.equal(made.twice, torch.full((2,), 2.0))
    bag = types.SimpleNamespace(rows=[1, 2])  # without tensors: it is copied all the same
    copied(bag).rows.append(3)
    assert bag.rows == [1, 2]


def test_modules_among_the_inputs_are_copied_and_lifted():
    module = torch.nn.Linear(4, 4)
    before = module.weight.detach().clone()

    def step(model, x):
        with torch.no_grad():
            model.weight.mul_(2)
        return model(x)

    result = halfulp.check(step, step, (module, torch.randn(3, 4)))
    assert result.verdict.name == "IDENTICAL"
    assert torch.equal(module.weight, before)
    assert isinstance(copied(module).weight, torch.nn.Parameter)


def test_what_cannot_be_copied_is_refused_with_the_reason():
    bag = types.SimpleNamespace(x=torch.ones(2), lock=threading.Lock())
    with pytest.raises(InputError, match=r"class SimpleNamespace among the inputs, which can't be copied \(TypeError: cannot pickle"):
        copied(bag)
    with pytest.raises(InputError, match="class generator among the inputs"):
        halfulp.check(lambda rows: torch.stack(list(rows)), lambda rows: torch.stack(list(rows)), ((row for row in torch.ones(2, 2)),))


def test_a_decoder_with_its_cache_is_judged_and_located():
    cache, x = filled(), torch.randn(2, 1, 8)
    before = [layer.keys.clone() for layer in cache.layers]
    honest = halfulp.check(lambda x, cache: Decoder()(x, cache), Decoder(), (x, cache))
    assert honest.verdict.name == "IDENTICAL"
    assert all(torch.equal(layer.keys, keys) for layer, keys in zip(cache.layers, before))
    # The cache that is returned is the one that was given: compared once.
    assert not any(difference.path.endswith("keys (after the call)") for difference in honest.difference)
    wrong = Decoder(error=1e-3)
    assert halfulp.check(wrong, Decoder(), {"x": x, "cache": cache}).verdict.name == "MISTAKE"
    origin = halfulp.locate(wrong, Decoder(), {"x": x, "cache": cache})
    assert origin.verdict.name == "MISTAKE"
    assert origin.op.startswith("aten.mul") or origin.op.startswith("aten.add")


def test_gradients_reach_the_tensors_inside_objects():
    case = Case(Decoder(), Decoder(), (torch.randn(2, 1, 8), filled()), gradients=True)
    paths = [leaf.path for leaf in case.native("actual").outputs]
    assert "['gradient']['inputs[1].layers[0].keys']" in paths
    gradient = case.native("actual").by_path["['gradient']['inputs[1].layers[0].keys']"]
    assert np.abs(gradient.stored).sum() > 0


def test_a_dict_of_names_is_keywords_where_both_sides_take_them():
    def actual(a, b=None):
        return a - b

    x, y = torch.ones(3), torch.zeros(3)
    case = Case(actual, lambda **named: named["a"] - named["b"], {"a": x, "b": y})
    assert case.inputs == ()
    assert list(case.keywords) == ["a", "b"]
    assert torch.equal(torch.from_numpy(case.native("actual").outputs[0].stored), x)
    batch = Case(lambda batch: batch["a"] * 2, lambda batch: batch["a"] + batch["a"], {"a": x})
    assert list(batch.inputs[0]) == ["a"]
    with pytest.raises(InputError, match="'a' both among the inputs and among the keywords"):
        Case(actual, actual, {"a": x}, keywords={"a": x, "b": y})
    found = halfulp.check(actual, actual, {"a": x, "b": y}, search=True)
    assert found.find("search").measured["tried"] > 5


def test_a_failed_call_says_how_the_inputs_were_taken():
    with pytest.raises(RunError, match=r"keys \('a', 'c'\) don't match the parameters of both functions: pass keyword arguments"):
        halfulp.check(lambda a, b: a, lambda a, b: b, {"a": torch.ones(1), "c": torch.ones(1)})
    with pytest.raises(RunError, match=r"inputs is a list and was passed as 2 positional arguments: pass \(\[\.\.\.\],\)"):
        halfulp.check(lambda rows: rows[0], lambda rows: rows[0], [torch.ones(1), torch.ones(1)])


@pytest.mark.skipif(torch.cuda.is_available(), reason="a CUDA device is here")
def test_a_missing_device_is_named():
    with pytest.raises(RunError, match="run it where PyTorch finds a CUDA device"):
        halfulp.check(lambda x: x.to("cuda"), lambda x: x, torch.ones(1))


def test_generators_are_named_as_what_they_are():
    def rows(x):
        yield x

    with pytest.raises(InputError, match=r"Got actual=rows, which has a `yield`: it is a generator function\."):
        halfulp.check(rows, rows, torch.ones(2))
    with pytest.raises(InputError, match=r"a generator \(rows has a `yield`, so calling it computes nothing; return a list\)"):
        halfulp.check(lambda x: rows(x), lambda x: rows(x), torch.ones(2))


def test_names_are_found_in_order_and_objects_once():
    cache = filled()
    shared = types.SimpleNamespace(first=cache, second=cache)
    names = [name for name, _ in named_in(shared, "inputs[0]", lambda value: isinstance(value, torch.Tensor))]
    assert names == ["inputs[0].first.layers[0].keys", "inputs[0].first.layers[1].keys"]


@pytest.mark.parametrize("answer", [halfulp.check, halfulp.locate, halfulp.explain])
def test_a_function_for_the_inputs_is_recognized_by_all(answer):
    with pytest.raises(halfulp.RunError, match=r"(?i)inputs is a function and was passed as the only argument: call it first"):
        answer(torch.exp, torch.exp, lambda seed: (torch.randn(3),))
