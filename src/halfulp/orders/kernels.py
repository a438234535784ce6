"""The stack machine that replays an order, compiled. `by_numpy` replays small sums with the same bits.

It takes 256 output positions at a time, so the loop over positions becomes vector instructions.
"""

from __future__ import annotations

# pyright: basic, reportUntypedFunctionDecorator=false
import math

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ..compiled import kernel
from .tree import ADD, ADD_EXTRA, ADD_ROUNDED, ADD_TERM, PUSH_EXTRA, PUSH_TERM

ROW = 256


@intrinsic
def _fma(_context, left, right, addend):  # pyright: ignore[reportUnusedParameter]
    """Left * right + addend with a single rounding, as the hardware does it."""
    if left not in (types.float32, types.float64) or not left == right == addend:
        return None

    def generate(_context, builder, _signature, arguments):
        kind = ir.FloatType() if left == types.float32 else ir.DoubleType()
        name = "llvm.fma.f32" if left == types.float32 else "llvm.fma.f64"
        function = builder.module.declare_intrinsic(name, (kind,), ir.FunctionType(kind, (kind, kind, kind)))
        return builder.call(function, arguments)

    return left(left, right, addend), generate


@kernel(nogil=True, error_model="numpy")
def run(
    operations,
    arguments,
    vector,
    row_base,
    column_base,
    vector_offset,
    scalar,
    scalar_base,
    scalar_offset,
    extras,
    has_scalar,
    fused,
    depth,
    out,
):
    """The tree at every (row, column), in the arithmetic of `vector`'s type.

    A row has one value of the scalar factor for each term; columns have values of the vector factor of their own. 256 columns at a time
    are laid side by side once for all rows that share them.
    """
    most = (min(ROW, len(column_base)) + 15) // 16 * 16
    stack = np.zeros((depth + 1, most), vector.dtype)
    beside = np.zeros((len(vector_offset), most), vector.dtype)
    for start in range(0, len(column_base), ROW):
        width = min(ROW, len(column_base) - start)
        wide = (width + 15) // 16 * 16
        laid = False
        for row in range(len(row_base)):
            if not laid or row_base[row] != row_base[row - 1]:
                laid = True
                for t in range(width):
                    base = row_base[row] + column_base[start + t]
                    for term in range(len(vector_offset)):
                        beside[term, t] = vector[base + vector_offset[term]]
            origin = scalar_base[row]
            top = -1
            for step in range(len(operations)):
                operation = operations[step]
                argument = arguments[step]
                if operation == ADD_TERM:
                    if not has_scalar:
                        for t in range(wide):
                            stack[top, t] += beside[argument, t]
                    elif fused:
                        factor = scalar[origin + scalar_offset[argument]]
                        for t in range(wide):
                            stack[top, t] = _fma(factor, beside[argument, t], stack[top, t])  # pyright: ignore[reportCallIssue]
                    else:
                        factor = scalar[origin + scalar_offset[argument]]
                        for t in range(wide):
                            product = factor * beside[argument, t]
                            stack[top, t] = stack[top, t] + product
                elif operation == ADD_ROUNDED:
                    factor = scalar[origin + scalar_offset[argument]]
                    for t in range(wide):
                        product = factor * beside[argument, t]
                        stack[top, t] = stack[top, t] + product
                elif operation == PUSH_TERM:
                    top += 1
                    factor = scalar[origin + scalar_offset[argument]] if has_scalar else vector.dtype.type(1.0)
                    for t in range(wide):
                        stack[top, t] = factor * beside[argument, t]
                elif operation == PUSH_EXTRA:
                    top += 1
                    for t in range(width):
                        stack[top, t] = extras[argument, row, start + t]
                elif operation == ADD_EXTRA:
                    for t in range(width):
                        stack[top, t] += extras[argument, row, start + t]
                else:
                    top -= 1
                    for t in range(wide):
                        stack[top, t] += stack[top + 1, t]
            for t in range(width):
                out[row, start + t] = stack[0, t]


@kernel(nogil=True, error_model="numpy")
def rounded(value, error, precision_bits, exponent_min, toward_zero):
    """Value + error (error below half an ulp of value) rounded to a format of few bits."""
    if not np.isfinite(value) or value == 0.0:
        return value
    magnitude = abs(value)
    towards = error if value > 0 else -error
    mantissa, exponent = math.frexp(magnitude)
    quantum = math.ldexp(1.0, max(exponent - 1, exponent_min) - precision_bits + 1)
    scaled = magnitude / quantum
    whole = np.floor(scaled)
    part = scaled - whole
    if toward_zero:
        if part == 0.0 and towards < 0:  # just below a number of the format; below a power of two they lie half as far apart
            whole -= 0.5 if mantissa == 0.5 and exponent - 1 > exponent_min else 1.0
    elif part > 0.5 or (part == 0.5 and (towards > 0 or (towards == 0 and whole % 2.0 == 1.0))):
        whole += 1.0
    return np.copysign(whole * quantum, value)


@kernel(nogil=True, error_model="numpy")
def _sum(left, right, precision_bits, exponent_min, toward_zero):
    total = left + right
    virtual = total - left
    error = (left - (total - virtual)) + (right - virtual)
    return rounded(total, error, precision_bits, exponent_min, toward_zero)


@kernel(nogil=True, error_model="numpy")
def run_rounded(
    operations, arguments, vector, row_base, column_base, vector_offset, scalar, scalar_base, scalar_offset, extras, has_scalar, fused,
    depth, out,
    bits, least, cut,
):  # fmt: skip
    """The tree at every (row, column), in float64 with each result rounded to `bits` bits (cut: toward zero).

    Products of two numbers of at most 26 bits are exact in float64; `_sum` carries what float64 loses of a sum.
    """
    stack = np.zeros(depth + 1, np.float64)
    for row in range(len(row_base)):
        for column in range(len(column_base)):
            base = row_base[row] + column_base[column]
            top = -1
            for step in range(len(operations)):
                operation = operations[step]
                argument = arguments[step]
                term = 0.0
                if operation in (PUSH_TERM, ADD_TERM, ADD_ROUNDED):
                    term = vector[base + vector_offset[argument]]
                    if has_scalar:
                        term = term * scalar[scalar_base[row] + scalar_offset[argument]]
                if operation == PUSH_TERM:
                    top += 1
                    stack[top] = rounded(term, 0.0, bits, least, cut)
                elif operation in (ADD_TERM, ADD_ROUNDED):
                    added = term if fused and operation == ADD_TERM else rounded(term, 0.0, bits, least, cut)
                    stack[top] = _sum(stack[top], added, bits, least, cut)
                elif operation == PUSH_EXTRA:
                    top += 1
                    stack[top] = extras[argument, row, column]
                elif operation == ADD_EXTRA:
                    stack[top] = _sum(stack[top], extras[argument, row, column], bits, least, cut)
                elif operation == ADD:
                    top -= 1
                    stack[top] = _sum(stack[top], stack[top + 1], bits, least, cut)
                else:  # together: added exactly, rounded once
                    top -= argument - 1
                    total = 0.0
                    lost = 0.0
                    for member in range(argument):
                        value = stack[top + member]
                        after = total + value
                        virtual = after - total
                        lost += (total - (after - virtual)) + (value - virtual)
                        total = after
                    whole = total + lost
                    stack[top] = rounded(whole, lost - (whole - total), bits, least, cut)
            out[row, column] = stack[0]
