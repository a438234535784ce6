"""Evaluate an order on numbers: the bits that an implementation gives which adds in that order.

A stack machine runs the instructions of the tree over a row of output positions at a time, so the loop over positions becomes vector
instructions. float32 and float64 accumulators run in hardware; other formats are computed in float64 and rounded after each operation.
"""

from __future__ import annotations

# pyright: basic, reportUntypedFunctionDecorator=false
import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from ..floats import FORMATS, round_to_format
from .contraction import Contraction
from .order import Order
from .tree import ADD, ADD_EXTRA, ADD_TERM, PUSH_EXTRA, PUSH_TERM

ROW = 64


@intrinsic
def _fma(typingctx, left, right, addend):
    """Left * right + addend with a single rounding, as the hardware does it."""
    if left not in (types.float32, types.float64) or not left == right == addend:
        return None

    def generate(context, builder, signature, arguments):
        kind = ir.FloatType() if left == types.float32 else ir.DoubleType()
        name = "llvm.fma.f32" if left == types.float32 else "llvm.fma.f64"
        function = builder.module.declare_intrinsic(name, (kind,), ir.FunctionType(kind, (kind, kind, kind)))
        return builder.call(function, arguments)

    return left(left, right, addend), generate


@njit(nogil=True, cache=True, error_model="numpy")
def _run(operations, arguments, left, left_base, left_offset, right, right_base, right_offset, extras, has_right, fused, depth, out):
    """The tree at every position, in the arithmetic of `left`'s type."""
    stack = np.zeros((depth + 1, ROW), left.dtype)
    count = len(left_base)
    for start in range(0, count, ROW):
        width = min(ROW, count - start)
        top = -1
        for step in range(len(operations)):
            operation = operations[step]
            argument = arguments[step]
            if operation == PUSH_TERM:
                top += 1
                if has_right:
                    for t in range(width):
                        p = start + t
                        stack[top, t] = left[left_base[p] + left_offset[argument]] * right[right_base[p] + right_offset[argument]]
                else:
                    for t in range(width):
                        stack[top, t] = left[left_base[start + t] + left_offset[argument]]
            elif operation == ADD_TERM:
                if not has_right:
                    for t in range(width):
                        stack[top, t] += left[left_base[start + t] + left_offset[argument]]
                elif fused:
                    for t in range(width):
                        p = start + t
                        stack[top, t] = _fma(
                            left[left_base[p] + left_offset[argument]], right[right_base[p] + right_offset[argument]], stack[top, t]
                        )
                else:
                    for t in range(width):
                        p = start + t
                        product = left[left_base[p] + left_offset[argument]] * right[right_base[p] + right_offset[argument]]
                        stack[top, t] = stack[top, t] + product
            elif operation == PUSH_EXTRA:
                top += 1
                for t in range(width):
                    stack[top, t] = extras[argument, start + t]
            elif operation == ADD_EXTRA:
                for t in range(width):
                    stack[top, t] += extras[argument, start + t]
            elif operation == ADD:
                top -= 1
                for t in range(width):
                    stack[top, t] += stack[top + 1, t]
            else:  # together: in float64, rounded once; callers use `_run_rounded` where that is not the accumulator
                top -= argument - 1
                for t in range(width):
                    total = np.float64(0.0)
                    for member in range(argument):
                        total += np.float64(stack[top + member, t])
                    stack[top, t] = left.dtype.type(total)
        for t in range(width):
            out[start + t] = stack[0, t]


@njit(nogil=True, cache=True, error_model="numpy")
def _round(value, error, precision_bits, exponent_min, toward_zero):
    """Value + error (error below half an ulp of value) rounded to a format of few bits."""
    if not np.isfinite(value) or value == 0.0:
        return value
    magnitude = abs(value)
    towards = error if value > 0 else -error
    _, exponent = np.frexp(magnitude)
    quantum = np.ldexp(1.0, max(exponent - 1, exponent_min) - precision_bits + 1)
    scaled = magnitude / quantum
    whole = np.floor(scaled)
    part = scaled - whole
    if toward_zero:
        if part == 0.0 and towards < 0:
            whole -= 1.0
    elif part > 0.5 or (part == 0.5 and (towards > 0 or (towards == 0 and whole % 2.0 == 1.0))):
        whole += 1.0
    return np.copysign(whole * quantum, value)


@njit(nogil=True, cache=True, error_model="numpy")
def _sum(left, right, precision_bits, exponent_min, toward_zero):
    total = left + right
    virtual = total - left
    error = (left - (total - virtual)) + (right - virtual)
    return _round(total, error, precision_bits, exponent_min, toward_zero)


@njit(nogil=True, cache=True, error_model="numpy")
def _run_rounded(
    operations, arguments, left, left_base, left_offset, right, right_base, right_offset, extras, has_right, fused, depth, out, bits, least, cut
):
    """The tree at every position, in float64 with each result rounded to `bits` bits (cut: toward zero).

    Products of two numbers of at most 26 bits are exact in float64; `_sum` carries what float64 loses of a sum.
    """
    stack = np.zeros(depth + 1, np.float64)
    for p in range(len(left_base)):
        top = -1
        for step in range(len(operations)):
            operation = operations[step]
            argument = arguments[step]
            term = 0.0
            if operation in (PUSH_TERM, ADD_TERM):
                term = left[left_base[p] + left_offset[argument]]
                if has_right:
                    term = term * right[right_base[p] + right_offset[argument]]
            if operation == PUSH_TERM:
                top += 1
                stack[top] = _round(term, 0.0, bits, least, cut)
            elif operation == ADD_TERM:
                added = term if fused else _round(term, 0.0, bits, least, cut)
                stack[top] = _sum(stack[top], added, bits, least, cut)
            elif operation == PUSH_EXTRA:
                top += 1
                stack[top] = extras[argument, p]
            elif operation == ADD_EXTRA:
                stack[top] = _sum(stack[top], extras[argument, p], bits, least, cut)
            elif operation == ADD:
                top -= 1
                stack[top] = _sum(stack[top], stack[top + 1], bits, least, cut)
            else:
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
                stack[top] = _round(whole, lost - (whole - total), bits, least, cut)
        out[p] = stack[0]


def replay(order: Order, contraction: Contraction, inputs: list[np.ndarray], positions: np.ndarray | None = None) -> np.ndarray:
    """The results that adding in this order gives.

    Args:
        order: the order; its arithmetic says how each operation rounds.
        contraction: which elements meet.
        inputs: all inputs of the function as arrays that hold numbers of the input format (float32 arrays hold bfloat16 exactly).
        positions: flat indices of the outputs wanted; all of them when left out.

    Returns:
        float64 array (float64 contains every format) of numbers of the output format: the shape of the output, or that of `positions`.

    Numerics:
        Exact in the sense of bits: each operation is rounded once, as `order` says. Values added together, in one operation, are taken to be
        added exactly and rounded once.
    """
    count = contraction.positions if positions is None else len(positions)
    accumulator = FORMATS[order.accumulator]
    in_hardware = accumulator.name in ("float32", "float64") and order.rounding == "nearest" and order.tree.widest == 2
    kind = np.float32 if in_hardware and accumulator.name == "float32" else np.float64
    factors = []
    for factor in contraction.factors:
        values = factor.prepared(inputs[factor.argument]).astype(kind)
        factors.append((values, factor.bases(contraction.view, positions), factor.offsets(contraction.sizes)))
    has_right = len(factors) > 1
    if not has_right:
        factors.append((np.zeros(1, kind), np.zeros(1, np.int64), np.zeros(1, np.int64)))
    extras = np.zeros((max(1, len(contraction.extras)), count), kind)
    for place, extra in enumerate(contraction.extras):
        extras[place] = inputs[extra.argument].ravel()[extra.bases(contraction.view, positions)].astype(kind)
    tree = order.tree.without_extras() if order.rounds_before_extras else order.tree
    program = tree.program()
    out = np.zeros(count, kind)
    common = (program.operations, program.arguments, *factors[0], *factors[1], extras, has_right, bool(order.fma), program.stack, out)
    if in_hardware:
        _run(*common)
    else:
        _run_rounded(*common, accumulator.precision_bits, accumulator.exponent_min, order.rounding != "nearest")
    result = _finish(order, out, extras)
    return result.reshape(contraction.output_shape) if positions is None else result


def _finish(order: Order, sums: np.ndarray, extras: np.ndarray) -> np.ndarray:
    """What happens to the sum: scaled, rounded to the output's format, and late extras added."""
    if order.scale is not None:
        action, by = order.scale
        number = sums.dtype.type(by)
        sums = sums / number if action == "divide" else sums * number
    output = FORMATS[order.output]
    result = round_to_format(sums, output)
    if order.rounds_before_extras:
        for row in extras:
            result = round_to_format(result + row, output)
    return result
