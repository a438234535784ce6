"""Triton kernels, imported by its adapter alone: Triton has to be told whether to interpret before this file is read."""
# pyright: basic
# ruff: noqa: D103

import triton
import triton.language as tl


@triton.jit
def product(a, b, bias, c, rows, columns, inner, inner_step, column_step, BIASED: tl.constexpr, TILE: tl.constexpr, DEEP: tl.constexpr):
    i = tl.program_id(0) * TILE + tl.arange(0, TILE)
    j = tl.program_id(1) * TILE + tl.arange(0, TILE)
    batch = tl.program_id(2)
    k = tl.arange(0, DEEP)
    a += batch * rows * inner
    b += batch * columns * inner
    total = tl.zeros((TILE, TILE), tl.float32)
    for start in range(0, inner, DEEP):
        left = tl.load(a + i[:, None] * inner + (start + k)[None, :], mask=(i[:, None] < rows) & ((start + k)[None, :] < inner), other=0.0)
        right = tl.load(
            b + (start + k)[:, None] * inner_step + j[None, :] * column_step,
            mask=((start + k)[:, None] < inner) & (j[None, :] < columns),
            other=0.0,
        )
        total = tl.dot(left, right, total, input_precision="ieee")
    if BIASED:
        total += tl.load(bias + j, mask=j < columns, other=0.0)[None, :]
    tl.store(c + batch * rows * columns + i[:, None] * columns + j[None, :], total, mask=(i[:, None] < rows) & (j[None, :] < columns))


@triton.jit
def softmax(x, y, length, LOGARITHM: tl.constexpr, BLOCK: tl.constexpr):
    row, column = tl.program_id(0), tl.arange(0, BLOCK)
    given = tl.load(x + row * length + column, mask=column < length, other=-float("inf"))
    given = given - tl.max(given, 0)
    powers = tl.exp(given)
    total = tl.sum(powers, 0)
    result = given - tl.log(total) if LOGARITHM else powers / total
    tl.store(y + row * length + column, result, mask=column < length)


@triton.jit
def normalization(x, weight, bias, y, length, layer_eps, CENTERED: tl.constexpr, BLOCK: tl.constexpr):
    row, column = tl.program_id(0), tl.arange(0, BLOCK)
    inside = column < length
    given = tl.load(x + row * length + column, mask=inside, other=0.0)
    if CENTERED:
        given = tl.where(inside, given - tl.sum(given, 0) / length, 0.0)
    result = given * tl.rsqrt(tl.sum(given * given, 0) / length + layer_eps) * tl.load(weight + column, mask=inside, other=0.0)
    if CENTERED:
        result += tl.load(bias + column, mask=inside, other=0.0)
    tl.store(y + row * length + column, result, mask=inside)


@triton.jit
def reduction(x, y, length, KIND: tl.constexpr, BLOCK: tl.constexpr):
    row, column = tl.program_id(0), tl.arange(0, BLOCK)
    inside = column < length
    given = tl.load(x + row * length + column, mask=inside, other=0.0)
    if KIND == "cumsum":
        tl.store(y + row * length + column, tl.cumsum(given, 0), mask=inside)
    else:
        total = tl.sum(given, 0)
        if KIND == "mean":
            total = total / length
        if KIND == "var":
            apart = tl.where(inside, given - total / length, 0.0)
            total = tl.sum(apart * apart, 0) / length
        tl.store(y + row, total)


@triton.jit
def function(x, y, count, KIND: tl.constexpr, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    given = tl.load(x + place, mask=place < count, other=1.0)
    if KIND == "relu":
        result = tl.where(given > 0, given, tl.where(given != given, given, 0.0))
    elif KIND == "gelu":
        result = 0.5 * given * (1.0 + tl.erf(given * 0.7071067811865476))
    elif KIND == "silu":
        result = given * tl.sigmoid(given)
    elif KIND == "sigmoid":
        result = tl.sigmoid(given)
    elif KIND == "exp":
        result = tl.exp(given)
    elif KIND == "log":
        result = tl.log(given)
    elif KIND == "sqrt":
        result = tl.sqrt(given)
    elif KIND == "rsqrt":
        result = tl.rsqrt(given)
    else:
        result = tl.erf(given)
    tl.store(y + place, result, mask=place < count)
