"""Triton's interpreter computes the same, and does nothing twice."""

import importlib.util
import subprocess
import sys

import pytest

from halfulp.backends.workers.environments import environment_of

PYTHON = sys.executable if importlib.util.find_spec("triton") is not None else environment_of("triton").python()

KERNELS = """
import torch, triton, triton.language as tl

@triton.jit
def larger(a, b):
    return tl.where(a > b, a, b)

@triton.jit
def of_rows(x_ptr, o_ptr, n, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + at, mask=at < n, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    top = tl.reduce(x, 0, larger)
    y = e / tl.sum(e) + tl.cumsum(tl.where(at < n, x, 0.0), 0) * 0.5 - tl.minimum(top, 1)
    tl.store(o_ptr + row * n + at, y.to(o_ptr.dtype.element_ty), mask=at < n)

@triton.jit
def of_tiles(x_ptr, o_ptr, n, M: tl.constexpr, K: tl.constexpr):
    rows, columns = tl.arange(0, M), tl.arange(0, K)
    tile = tl.load(x_ptr + rows[:, None] * n + columns[None, :], mask=(rows[:, None] < n) & (columns[None, :] < n), other=0.0)
    found = tl.dot(tile, tl.trans(tile)).to(tl.float32)
    for i in range(3):
        found += tl.max(found, axis=1)[:, None] * i
    at = rows[:, None] * M + tl.arange(0, M)[None, :]
    tl.store(o_ptr + at, found.to(o_ptr.dtype.element_ty), mask=at != 5)

def results(dtype):
    x = torch.randn(7, 13, generator=torch.Generator().manual_seed(0)).to(dtype)
    rows, tiles = torch.empty_like(x), torch.zeros(16, 16, dtype=dtype)
    of_rows[(7,)](x, rows, 13, BLOCK=16)
    of_tiles[(1,)](x, tiles, 7, M=16, K=16)
    return [rows, tiles]
"""
BOTH = """
import os, sys
os.environ["TRITON_INTERPRET"] = "1"
sys.path.insert(0, {folder!r})
from halfulp.kernels.solutions import triton_interpreter, triton_speed
triton_interpreter.quicken = lambda *_: None
triton_interpreter.prepare()
import torch, triton.language as tl, triton.runtime.interpreter as interpreter
import kernels

wrapped, wrap = [], interpreter._patch_lang_core
def wrapping(language, scope):
    wrapped.append(language)
    wrap(language, scope)
interpreter._patch_lang_core = wrapping

formats = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
plain = [kernels.results(dtype) for dtype in formats]
triton_speed.quicken(interpreter, tl)
wrapped.clear()
for _ in range(2):
    for wanted, dtype in zip(plain, formats):
        for one, other in zip(wanted, kernels.results(dtype)):
            assert torch.equal(one, other), (dtype, one, other)
assert len(wrapped) <= 2 * 2 * 16, "more than once in each of two files for each of two languages and 16 launches"
{more}
"""
IDENTITY = """
assert tl.block_type(tl.float32, [4, 8]) == tl.block_type(tl.float32, [4, 8]) != tl.block_type(tl.float32, [8, 4])
assert tl.block_type(tl.float32, [4]) != tl.block_type(tl.float64, [4]) and tl.float32 != tl.pointer_type(tl.float32)
assert [length.value for length in tl.tensor(None, tl.block_type(tl.int32, [2, 4])).shape] == [2, 4]
try:
    tl.block_type(tl.float32, [3])
except ValueError as error:
    assert "power of 2" in str(error)
else:
    raise AssertionError
"""


@pytest.mark.skipif(PYTHON is None, reason="Triton 3.2 or later is not installed: halfulp backends install triton")
def test_kernels_give_the_same_bits_and_the_language_is_wrapped_once_in_a_launch(tmp_path):
    (tmp_path / "kernels.py").write_text(KERNELS)
    program = BOTH.format(folder=str(tmp_path), more=IDENTITY)
    ran = subprocess.run([PYTHON, "-c", program], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
