"""Triton's kernels are judged without a GPU: in the interpreter, which rounds as a GPU does."""

import importlib.util
import subprocess
import sys
import textwrap
from importlib import metadata

import numpy as np
import pytest
import torch

import halfulp
from halfulp.backends.workers.environments import environment_of
from halfulp.kernels.judging import judge_here
from halfulp.kernels.solutions.place import CUDA, STAND_IN, place_of
from halfulp.kernels.solutions.triton_interpreter import NOTE, _narrow

if importlib.util.find_spec("triton") is not None:
    HAS_TRITON = tuple(map(int, metadata.version("triton").split(".")[:2])) >= (3, 2)
else:
    HAS_TRITON = environment_of("triton").python() is not None
needs_triton = pytest.mark.skipif(not HAS_TRITON, reason="Triton 3.2 or later is not installed: halfulp backends install triton")

PROBLEM = """
import torch, torch.nn as nn

class Model(nn.Module):
    def forward(self, x, y):
        return torch.nn.functional.gelu(x, approximate="tanh") * y

N = 1000

def get_inputs():
    return [torch.randn(3, N, dtype=torch.{dtype}).cuda(), torch.randn(3, N, dtype=torch.{dtype}, device="cuda")]

def get_init_inputs():
    return []
"""
SOLUTION = """
import torch, torch.nn as nn, triton, triton.language as tl
from triton.language.extra.libdevice import tanh

@triton.autotune(configs=[triton.Config({"BLOCK": 512}, num_warps=4), triton.Config({"BLOCK": 256})], key=["n"])
@triton.jit
def kernel(x_ptr, y_ptr, o_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    x = tl.load(x_ptr + at, mask=mask).to(tl.float32)
    y = tl.load(y_ptr + at, mask=mask).to(tl.float32)
    t = tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))
    tl.store(o_ptr + at, {result}, mask=mask)

class ModelNew(nn.Module):
    def forward(self, x, y):
        assert x.is_cuda and x.device.type == "cuda" and torch.cuda.get_device_properties(0).warp_size == 32
        x, y = x.contiguous(), y.contiguous()
        o = torch.empty_like(x)
        with torch.cuda.device(x.device):
            kernel[lambda meta: (triton.cdiv({length}, meta["BLOCK"]),)](x, y, o, {length})
        return o
"""
RIGHT, WHOLE = "(0.5 * x * (1 + t) * y).to(o_ptr.dtype.element_ty)", "x.numel()"


def written(folder, *, dtype="float32", result=RIGHT, length=WHOLE):
    (folder / "problem.py").write_text(PROBLEM.replace("{dtype}", dtype))
    (folder / "solution.py").write_text(textwrap.dedent(SOLUTION).replace("{result}", result).replace("{length}", length))
    return judge_here(folder / "problem.py", folder / "solution.py", budget_s=60.0)


@needs_triton
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_a_right_kernel_is_accepted_and_where_it_ran_is_said(tmp_path, dtype):
    found = written(tmp_path, dtype=dtype)
    assert found.answer == "RIGHT", halfulp.report(found)
    assert NOTE in found.notes or torch.cuda.is_available()


@needs_triton
@pytest.mark.parametrize(
    "change",
    [
        {"length": "x.numel() // 256 * 256"},
        {"length": "min(x.numel(), 3000)"},
        {"result": "(0.5 * x * (1 + t.to(tl.float16)) * y).to(o_ptr.dtype.element_ty)"},
        {"result": "(0.5 * x * (1 + t) * y + 1e-6).to(o_ptr.dtype.element_ty)"},
    ],
)
def test_a_wrong_kernel_is_rejected(tmp_path, change):
    found = written(tmp_path, **change)
    assert found.acceptable is False, halfulp.report(found)


def test_what_a_solution_asks_of_a_gpu_alone_is_undecided(tmp_path):
    (tmp_path / "solution.py").write_text("import torch\nraise RuntimeError('nvcc was not found, for cuda')\n")
    (tmp_path / "problem.py").write_text(PROBLEM.replace("{dtype}", "float32"))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py")
    assert found.answer == ("MISTAKE" if torch.cuda.is_available() else "UNDECIDED")
    assert torch.cuda.is_available() or found.because.startswith(
        "The solution needs a CUDA device, or a package for one, which is not here: it raises"
    )


def test_code_that_names_no_device_gets_no_stand_in():
    assert not place_of("import torch") and place_of("x.cuda()") == (CUDA if torch.cuda.is_available() else STAND_IN)


def test_numbers_are_rounded_to_bfloat16_as_pytorch_rounds_them():
    """Every bfloat16, the numbers halfway between two, and their neighbors."""
    top = np.arange(1 << 16, dtype=np.uint32) << 16
    bits = np.concatenate([top + low for low in (0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF)]).astype(np.uint32)
    numbers = bits.view(np.float32)
    wanted = torch.from_numpy(numbers.copy()).to(torch.bfloat16)
    found = torch.from_numpy(_narrow(numbers).view(np.int16).copy()).view(torch.bfloat16)
    assert torch.equal(found.isnan(), wanted.isnan())
    assert torch.equal(found.nan_to_num().view(torch.int16), wanted.nan_to_num().view(torch.int16))


NUMBERS = """
import torch, torch.nn as nn, triton, triton.language as tl

@triton.jit
def kernel(x_ptr, o_ptr, scale, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(o_ptr + at, x * scale.to(tl.float32), mask=at < n)

class ModelNew(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, x):
        o = torch.empty_like(x)
        kernel[(triton.cdiv(x.numel(), 256),)](x.contiguous(), o, self.scale, x.numel(), BLOCK=256)
        return o
"""
SCALED = """
import torch, torch.nn as nn

class Model(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, x):
        return x * self.scale

def get_inputs():
    return [torch.randn(3, 100)]

def get_init_inputs():
    return [0.3]
"""


@needs_triton
def test_a_number_that_a_kernel_is_given_is_a_tensor_as_from_a_launch(tmp_path):
    (tmp_path / "problem.py").write_text(SCALED)
    (tmp_path / "solution.py").write_text(NUMBERS)
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=60.0)
    assert found.answer == "RIGHT", halfulp.report(found)


LOOPS = """
import torch, torch.nn as nn, triton, triton.language as tl

@triton.jit
def later(i, STEP: tl.constexpr):
    for j in range(0, 1):
        i = (i * STEP + j.to(tl.int64)).to(tl.int64)
    return i

@triton.jit
def kernel(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for i in {loop}(0, tl.cdiv(n, BLOCK)):
        inside = later(i, BLOCK) + at
        total += tl.load(x_ptr + tl.program_id(0) * n + inside, mask=(i * BLOCK).to(tl.int32) + at < n, other=0.0)
    tl.store(o_ptr + tl.program_id(0), tl.sum(total))

class ModelNew(nn.Module):
    def forward(self, x):
        o = torch.empty(x.shape[0])
        kernel[(x.shape[0],)](x.contiguous(), o, x.shape[1], BLOCK=16)
        return o + sum(range(1))
"""
SUMS = """
import torch, torch.nn as nn

class Model(nn.Module):
    def forward(self, x):
        with torch.no_grad():
            return x.sum(1)

def get_inputs():
    return [torch.randn(3, 100)]

def get_init_inputs():
    return []
"""


@needs_triton
@pytest.mark.parametrize("loop", ["range", "tl.range"])
def test_what_a_loop_counts_is_a_tensor_where_it_has_to_be_one(tmp_path, loop):
    (tmp_path / "problem.py").write_text(SUMS)
    (tmp_path / "solution.py").write_text(LOOPS.replace("{loop}", loop))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=10.0)
    assert found.answer == "RIGHT", halfulp.report(found)


TWICE = """
import os, sys
os.environ["TRITON_INTERPRET"] = "1"
sys.path.insert(0, {folder!r})
from halfulp.kernels.problems.stand_in import pretend, pretended
pretend()
from halfulp.kernels.solutions.triton_interpreter import lifted, prepare
prepare()
import torch
import double
x = torch.arange(1.0, 4.0, dtype=torch.float64) / 3
for _ in range(3):
    with pretended(), lifted(["float32"]):
        assert torch.equal(double.twice(x), 2 * x)
    assert not torch.equal(double.twice(x), 2 * x)
"""
DOUBLE = """
import torch, triton, triton.language as tl

@triton.jit
def kernel(x_ptr, o_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(o_ptr + at, (2 * tl.load(x_ptr + at, mask=at < 3).to(tl.float32)).to(o_ptr.dtype.element_ty), mask=at < 3)

def twice(x):
    o = torch.empty_like(x)
    kernel[(1,)](x, o, BLOCK=4)
    return o
"""


@needs_triton
def test_kernels_run_in_float64_as_often_as_that_is_asked(tmp_path):
    (tmp_path / "double.py").write_text(DOUBLE)
    python = sys.executable if importlib.util.find_spec("triton") is not None else environment_of("triton").python()
    ran = subprocess.run([python, "-c", TWICE.format(folder=str(tmp_path))], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


WRAPPED = """
import triton, triton.language as tl

@triton.jit
def kernel(o_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(o_ptr + at, (at + 1) * 2147483647)
"""
COUNTED = """
import os, sys
os.environ["TRITON_INTERPRET"] = "1"
sys.path.insert(0, {folder!r})
from halfulp.kernels.solutions.triton_interpreter import prepare
prepare()
import numpy as np, torch, triton.runtime.interpreter as interpreter
import wrapped

counted, plain = [], interpreter.InterpreterBuilder.binary_op
def counting(self, *operands):
    counted.append(operands[-1])
    return plain(self, *operands)
interpreter.InterpreterBuilder.binary_op = counting
o = torch.empty(4, dtype=torch.int32)
wrapped.kernel[(1,)](o, BLOCK=4)
assert o.tolist() == [2147483647, -2, 2147483645, -4], o
assert counted == [np.add, np.multiply], counted
"""


@needs_triton
def test_whole_numbers_wrap_and_each_op_on_them_is_one(tmp_path):
    """The interpreter computes each a second time with 64 bits, for an assertion that only a debugging launch makes: half of its time."""
    (tmp_path / "wrapped.py").write_text(WRAPPED)
    python = sys.executable if importlib.util.find_spec("triton") is not None else environment_of("triton").python()
    ran = subprocess.run([python, "-c", COUNTED.format(folder=str(tmp_path))], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


SLOW = """
import time
import torch, torch.nn as nn, triton, triton.language as tl

@triton.jit
def kernel(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(o_ptr + at, tl.load(x_ptr + at, mask=at < n) * {by}, mask=at < n)

class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        o = torch.empty_like(x)
        time.sleep({seconds})
        kernel[(triton.cdiv(x.numel(), 64),)](x, o, x.numel(), BLOCK=64)
        return o
"""
TRIPLED = """
import torch, torch.nn as nn
class Model(nn.Module):
    def forward(self, x):
        return 3.0 * x
N = 4096
def get_inputs():
    return [torch.randn(N)]
def get_init_inputs():
    return []
"""


@needs_triton
@pytest.mark.whole_budget
@pytest.mark.skipif(torch.cuda.is_available(), reason="kernels aren't interpreted here")
@pytest.mark.parametrize(
    ("seconds", "by", "answer"),
    [("60 * (x.numel() > 4000)", "3.0", "RIGHT"), ("60 * (x.numel() > 4000)", "3.001", "MISTAKE"), ("60", "3.0", "UNDECIDED")],
    ids=["slow", "slow and wrong", "slow at every size"],
)
def test_what_is_too_slow_for_the_interpreter_is_judged_at_smaller_sizes(tmp_path, seconds, by, answer):
    """Half of the 16 s go by until the first call is given up."""
    (tmp_path / "problem.py").write_text(TRIPLED)
    (tmp_path / "solution.py").write_text(SLOW.format(seconds=seconds, by=by))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=16.0)
    assert found.answer == answer, halfulp.report(found)
    told = found.because if answer == "UNDECIDED" else " ".join(found.notes)
    assert "did not answer within 8 s" in told and "thousands of times as long as a GPU" in told


@needs_triton
def test_strides_that_are_not_heeded_are_a_mistake(tmp_path):
    """In float64 the numbers are made anew and lie one after the other: what is read there is right."""
    (tmp_path / "problem.py").write_text(TRIPLED.replace("torch.randn(N)", "torch.randn(8, N // 8)"))
    (tmp_path / "solution.py").write_text(SLOW.format(seconds="0", by="3.0").replace("x = x.contiguous()", "pass"))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=20.0)
    assert (found.answer, found.kind) == ("MISTAKE", "layout") and "ignores their strides" in found.because, halfulp.report(found)
