import json

import pytest
import torch
from torch import nn

import halfulp
from halfulp import audit
from halfulp.audits.findings import KINDS
from halfulp.errors import InputError, RunError

X = torch.ones(3)


def kinds(function, *inputs):
    return [(entry.kind, entry.op, entry.result) for entry in audit(function, inputs).entries]


def test_promotion_of_inputs_and_float64_constants():
    assert kinds(lambda x, y: x + y, X, X.half()) == [("promotion", "add", "float32")]
    assert kinds(lambda x, y: x + y, X, X.double()) == [("promotion", "add", "float64")]  # both are inputs: no constant
    table = torch.ones(3, dtype=torch.float64)
    assert kinds(lambda x: x * table, X) == [("float64 constant", "mul", "float64")]
    assert kinds(lambda x: x * table[0], X) == []  # a number without dimensions gives way
    assert kinds(lambda x: x * 2.5, X) == []


def test_downcasts_and_autocast_with_the_line():
    found = audit(lambda x: x.half().float(), (X,))
    (entry,) = found.entries
    assert (entry.kind, entry.formats, entry.result) == ("downcast", ("float32",), "float16")
    assert "13 of 24 bits are dropped" in entry.detail
    assert entry.where.startswith("test_auditor.py:")
    net = nn.Linear(3, 2)

    def region(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return net(x)

    found = audit(region, (X,))
    assert {each.kind for each in found.entries} == {"autocast"}
    assert sum(each.count for each in found.entries) == 3  # input, weight and bias
    assert found.formats["bfloat16"] >= 3


def test_python_numbers_and_default_dtypes():
    assert kinds(lambda i: i * 0.5, torch.arange(3)) == [("python scalar", "mul", "float32")]
    assert kinds(lambda i: i / 2, torch.arange(3)) == [("default dtype", "div", "float32")]
    assert kinds(lambda x: x + torch.zeros(3), X.double())[0] == ("default dtype", "zeros", "float32")
    assert kinds(lambda x: x + torch.tensor([0.1]), X.double())[0] == ("default dtype", "lift_fresh", "float32")
    assert kinds(lambda x: x + torch.zeros(3), X) == []
    (entry,) = audit(lambda x: x + 16777217, (X,)).entries
    assert entry.detail == "the Python integer 16777217 can't be represented in float32"
    (entry,) = audit(lambda x: x * 1e5, (X.half(),)).entries
    assert "becomes infinite" in entry.detail


def test_integers_that_lose_bits():
    exact, lossy = torch.tensor([1, 2**24]), torch.tensor([1, 2**24 + 1])
    assert kinds(lambda i: i.float(), exact) == []
    (entry,) = audit(lambda i: i.float(), (lossy,)).entries
    assert entry.kind == "integer to float"
    assert entry.detail.startswith("1 of 2 integers can't be represented in float32 (it holds all up to 2**24)")
    assert kinds(lambda i: i.double(), lossy) == []
    assert kinds(lambda i: i.double(), torch.tensor([2**53 + 1]))[0][0] == "integer to float"
    assert kinds(lambda i, x: x * i, lossy, torch.ones(2))[0][0] == "integer to float"


def test_backward_passes_are_watched_and_state_is_left_alone():
    net = nn.BatchNorm1d(3)
    before = net.running_mean.clone()

    def step(x):
        loss = net(x).half().sum()
        loss.backward()
        return loss

    found = audit(step, (torch.randn(5, 3),))
    assert found.find("downcast")
    assert torch.equal(net.running_mean, before)
    assert net.weight.grad is None


def test_an_empty_audit_says_so_and_everything_is_json():
    found = audit(nn.Linear(3, 2), (X,))
    assert not found.entries
    assert "These ops contain no promotion, no downcast" in str(found)
    content = json.loads(audit(lambda x: x.half(), (X,)).to_json())
    assert content["entries"][0]["kind"] in KINDS
    assert "downcast" in halfulp.report(audit(lambda x: x.half(), (X,)))


def test_what_can_not_be_audited():
    with pytest.raises(InputError, match="Got Tensor. Needed: a function"):
        audit(X, ())
    with pytest.raises(RunError, match="Got ZeroDivisionError from the function"):
        audit(lambda x: x / (1 // 0), (X,))
