"""Named tuples and dataclasses among arguments and results, and what can't be sent at all."""

import collections
import dataclasses

import pytest
import torch

import halfulp
from halfulp.kernels.judging import judge_here
from halfulp.kernels.solutions.packing import Unsendable, pack, unpack

Pair = collections.namedtuple("Pair", "q k")


@dataclasses.dataclass
class Config:
    heads: int
    weight: torch.Tensor


@pytest.mark.parametrize("value", [Pair(torch.ones(2), 3), Config(2, torch.arange(3.0)), [torch.channels_last, torch.strided, torch.int8]])
def test_what_was_sent_has_the_same_parts(value):
    tensors = []
    found = unpack(pack(value, tensors), tensors)
    parts = value if isinstance(value, (list, tuple)) else dataclasses.astuple(value)
    others = found if isinstance(found, (list, tuple)) else dataclasses.astuple(found)
    assert len(parts) == len(others)
    assert all(torch.equal(a, b) if isinstance(a, torch.Tensor) else a == b for a, b in zip(parts, others))
    for name in getattr(value, "_fields", ()):
        assert getattr(found, name) is not None


def test_an_object_can_not_be_sent():
    with pytest.raises(Unsendable, match="Needed: tensors"):
        pack(object(), [])


REFERENCE = """
import collections, dataclasses
import torch
Pair = collections.namedtuple("Pair", "q k")

@dataclasses.dataclass
class Config:
    scale: float

class Sealed:
    scale = 0.5

def generate_input(n, seed):
    g = torch.Generator().manual_seed(seed)
    return Pair(torch.randn(6, n, generator=g), torch.randn(6, n, generator=g)), {config}

def ref_kernel(data):
    pair, config = data
    return Pair(torch.softmax(pair.q * config.scale, -1), pair.k.cumsum(-1))
"""
SOLUTION = """
import torch
def custom_kernel(data):
    pair, config = data
    e = (pair.q * config.scale - (pair.q * config.scale).amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True){more}, pair.k.double().cumsum(-1).float()
"""


@pytest.mark.parametrize(
    ("config", "more", "answer"), [("Config(0.5)", "", "RIGHT"), ("Config(0.5)", " + 1e-4", "MISTAKE"), ("Sealed()", "", "UNDECIDED")]
)
def test_parts_have_names_on_the_other_side_too(tmp_path, config, more, answer):
    (tmp_path / "reference.py").write_text(REFERENCE.format(config=config), encoding="utf-8")
    (tmp_path / "task.yml").write_text("tests:\n  - {n: 16, seed: 1}\n", encoding="utf-8")
    (tmp_path / "solution.py").write_text(SOLUTION.format(more=more), encoding="utf-8")
    found = judge_here(tmp_path, tmp_path / "solution.py", budget_s=8.0)
    assert found.answer == answer, halfulp.report(found)
