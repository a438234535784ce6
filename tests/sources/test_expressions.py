"""Expressions: what they may name, what is refused, and what they compute."""

import traceback

import pytest
import torch
import torch.nn.functional as F

from halfulp.errors import InputError
from halfulp.sources.expressions import free_names, function_of, parsed

HOSTILE = [
    "__import__('os').system('true')",
    "open('/etc/passwd').read()",
    "eval('1')",
    "exec('1')",
    "getattr(x, 'shape')",
    "globals()",
    "x.__class__.__mro__",
    "().__class__.__base__.__subclasses__()",
    "(lambda: 0).__globals__",
    "[c for c in ().__class__.__bases__]",
    "torch.os.system('true')",
    "torch.load('a.pt')",
    "torch.save(x, 'a.pt')",
    "torch.hub.load('a', 'b')",
    "torch.ops.load_library('a')",
    "torch.utils.cpp_extension",
    "torch.serialization.load('a')",
    "torch.PyTorchFileReader('a')",
    "torch.UntypedStorage.from_file('a')",
    "torch._C",
    "load('a.pt')",
    "save(x, 'a.pt')",
    "np.load('a.npy', allow_pickle=True)",
    "np.fromfile('a')",
    "np.memmap('a')",
    "np.lib.npyio",
    "np.ctypeslib.as_array(x)",
    "np.testing.assert_equal(1, 1)",
    "x.numpy().tofile('a')",
    "x.numpy().dump('a')",
    "x.data_ptr()",
    "'{0.__class__}'.format(x)",
    "'{0.__class__}'.format_map(x)",
    "f'{x.__class__}'",
    "F.torch.os",
    "nn.modules.module.torch",
    "math.__loader__",
    "(y := x)",
    "(yield x)",
    "b'bytes'",
    "[_ for _ in [1]]",
    "(lambda __builtins__: 1)(2)",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_does_more_than_compute_is_refused_before_anything_runs(text):
    with pytest.raises(InputError, match="Got "):
        function_of(text, ["x"], "actual")


@pytest.mark.parametrize("text", ["", "x +", "import os", "x = 1", "x; y", "(" * 500 + ")" * 500, "x" * 20000, "\x00"])
def test_what_is_no_expression_is_refused(text):
    with pytest.raises(InputError):
        function_of(text, ["x"], "actual")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x @ x.T + 1", lambda x: x @ x.T + 1),
        ("F.layer_norm(x, x.shape[1:])", lambda x: F.layer_norm(x, x.shape[1:])),
        ("softmax(x, -1)", lambda x: torch.softmax(x, -1)),
        ("torch.linalg.vector_norm(x, dim=1)", lambda x: torch.linalg.vector_norm(x, dim=1)),
        ("einsum('ij,kj->ik', x, x)", lambda x: torch.einsum("ij,kj->ik", x, x)),
        ("sum(row for row in x)", lambda x: sum(row for row in x)),
        ("torch.stack([x[i] * i for i in range(3)])", lambda x: torch.stack([x[i] * i for i in range(3)])),
        ("torch.from_numpy(np.tanh(x.numpy()))", lambda x: torch.from_numpy(__import__("numpy").tanh(x.numpy()))),
        ("(x.bfloat16() * math.pi).float()", lambda x: (x.bfloat16() * torch.pi).float()),
        ("x.to(torch.float16)", lambda x: x.half()),
        ("nn.Softmax(-1)(x)", lambda x: torch.softmax(x, -1)),
        ("torch.func.vmap(lambda row: row.sum())(x)", lambda x: x.sum(1)),
    ],
)
def test_what_computes_is_computed(text, wanted):
    x = torch.randn(3, 5, generator=torch.Generator().manual_seed(0))
    assert torch.equal(function_of(text, ["x"], "actual")(x), wanted(x))


def test_a_function_by_its_name_is_that_function():
    assert function_of("F.gelu", ["x"], "actual") is F.gelu
    assert function_of("torch.logsumexp", ["x"], "actual") is torch.logsumexp


def test_names_are_found_in_their_order():
    assert free_names(parsed("F.linear(x, W) + sum(z * b for z in y)")) == ["x", "W", "b", "y"]


def test_an_unknown_name_is_named_with_the_nearest_input():
    with pytest.raises(InputError, match=r"Got the name B .* The inputs are .*\. Did you mean b\?") as raised:
        function_of("x @ W.T + B", ["x", "W", "b"], "actual")
    assert '-i "x=..., W=..., b=..., B=randn(4, 8)"' in str(raised.value)


def test_tracebacks_show_the_expression():
    with pytest.raises(RuntimeError) as raised:
        function_of("x @ x", ["x"], "actual")(torch.ones(2, 3))
    assert "x @ x" in "".join(traceback.format_tb(raised.value.__traceback__))
