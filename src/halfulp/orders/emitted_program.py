"""Write an order as a short NumPy program of its own that gives the same bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from .contraction import Contraction, Factor
from .order import Order
from .tree import CHAIN, EXTRA, TERM, Item, Shape

FMA32 = '''
def fma(a, b, c):
    """a * b + c rounded once to float32: the product is exact in float64, the sum is rounded to odd there, then once to float32."""
    product = a.astype(np.float64) * b
    total = product + c
    virtual = total - product
    error = (product - (total - virtual)) + (c - virtual)
    move = (error != 0) & (total.view(np.int64) & 1 == 0)
    return np.where(move, np.nextafter(total, np.where(error > 0, np.inf, -np.inf)), total).astype(np.float32)
'''

FMA64 = '''
def two_sum(a, b):
    """The rounded sum and its error (Knuth)."""
    total = a + b
    virtual = total - a
    return total, (a - (total - virtual)) + (b - virtual)


def halves(a):
    """The upper 26 bits and the rest (Veltkamp)."""
    shifted = a * 134217729.0
    high = shifted - (shifted - a)
    return high, a - high


def fma(a, b, c):
    """a * b + c rounded once to float64 (Dekker's product; Boldo and Melquiond, rounding to odd)."""
    product = a * b
    (a1, a2), (b1, b2) = halves(a), halves(b)
    low = a2 * b2 - (((product - a1 * b1) - a2 * b1) - a1 * b2)
    upper, lower = two_sum(c + np.zeros_like(product), low)
    head, tail = two_sum(product, upper)
    rest, error = two_sum(tail, lower)
    move = (error != 0) & (rest.view(np.int64) & 1 == 0)
    return head + np.where(move, np.nextafter(rest, np.where(error > 0, np.inf, -np.inf)), rest)
'''

TO_BFLOAT16 = '''
def to_bfloat16(values):
    """float32 numbers rounded to the nearest bfloat16, ties to even, kept in float32."""
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).view(np.float32)
'''


CHARACTERS_OF_TABLE = 20_000
"""A table of elements in a program may be so long: some hundred lines, which a person can still scroll through."""
LINES_FOR_CLASSES = 64
"""At most so many lines say which output is added in which order; more would be a table and no program."""


@dataclass(frozen=True)
class Placed:
    """An order and the output positions (flat) that add in it."""

    order: Order
    positions: npt.NDArray[np.int64]


def emit(placed: Sequence[Placed], contraction: Contraction, names: list[str], title: str, proof: str) -> str:
    """A stand-alone NumPy program that computes what the orders say.

    Args:
        placed: the order of every output position, the most common one first. contraction: which elements meet.
        names: a Python name for each input. title: what is reproduced. proof: on what the orders were proved.

    Returns:
        Python source with a function `replay` of the inputs; run by itself, it reads them from .npy files.

    Raises:
        InputError: the arithmetic has no NumPy equivalent (several values added in one operation, rounding toward zero, 16-bit
            accumulators), or positions are too scattered for a short program.
    """
    orders = [group.order for group in placed]
    for order in orders:
        if order.tree.widest > 2 or order.rounding != "nearest" or order.accumulator not in ("float32", "float64"):
            raise InputError(
                f"Got an order that NumPy can't follow ({order.describe()}). Needed: additions of two values in float32 or float64, "
                "rounded to nearest. NumPy has no others. Use halfulp.order(...).replay(inputs), which emulates them."
            )
    if len({order.accumulator for order in orders}) > 1:
        raise InputError(
            "Got orders with different accumulators in one result. Needed: the same accumulator in all. The program converts inputs "
            "once. Use halfulp.order(...).replay(inputs)."
        )
    main = orders[0]
    if main.output == "bfloat16" and main.accumulator == "float64":
        raise InputError(
            "Got float64 sums rounded to bfloat16. Needed: float32 sums. NumPy would round twice. Use halfulp.order(...).replay(inputs)."
        )
    used = sorted({factor.argument for factor in (*contraction.factors, *contraction.extras)})
    arguments = ", ".join(names[place] for place in used)
    described = "\n".join(f"{order.describe()}." for order in orders)
    blocks = [f'"""{title}, bit for bit.\n\n{described}\n{proof}\n"""\n\nimport numpy as np']
    if any((order.fma and order.products) or order.fused_extras for order in orders):
        blocks.append((FMA32 if main.accumulator == "float32" else FMA64).strip())
    if main.output == "bfloat16":
        blocks.append(TO_BFLOAT16.strip())
    kind = f"np.{main.accumulator}"
    lines = [f"def replay({arguments}):", *_prepared(contraction, names, kind), ""]
    if len(placed) == 1:
        lines += _body(main, contraction)
    else:
        for number, order in enumerate(orders):
            lines += [f"    def order_{number}():", *(f"    {line}" if line else "" for line in _body(order, contraction)), ""]
        lines += _choice(placed, contraction)
    return "\n\n\n".join([*blocks, "\n".join(lines), _main(names, used)]) + "\n"


def _body(order: Order, contraction: Contraction) -> list[str]:
    """The partial sums and the whole, in a function that has `left` and `right`."""
    lines = _adders(order, contraction)
    tree = order.tree
    for number, shape in enumerate(tree.shapes[:-1]):
        lines += ["", f"    def partial_sum_{number}(start):", *_shape_lines(order, shape, "start", 8), "        return total"]
    lines.append("")
    lines += _shape_lines(order, tree.root, "", 4, skip_extras=order.adds_extras_last)
    return lines + _ending(order, contraction)


def _choice(placed: Sequence[Placed], contraction: Contraction) -> list[str]:
    """Which output is added in which order, as rows and columns of the output in two dimensions."""
    shape = contraction.output_shape
    columns = shape[-1] if shape else 1
    rows = contraction.positions // columns
    which = np.zeros(contraction.positions, np.int64)
    for number, group in enumerate(placed):
        which[group.positions] = number
    lines = [f"    which = np.zeros(({rows}, {columns}), np.int8)  # the number of the order of each output"]
    for number in range(1, len(placed)):
        patterns: dict[bytes, list[int]] = {}
        marks = which.reshape(rows, columns) == number
        for row in np.flatnonzero(marks.any(1)):
            patterns.setdefault(marks[row].tobytes(), []).append(int(row))
        for pattern, members in patterns.items():
            chosen = np.flatnonzero(np.frombuffer(pattern, np.bool_))
            lines.append(f"    which[np.ix_(np.r_[{_slices(np.array(members))}], np.r_[{_slices(chosen)}])] = {number}")
    if len(lines) > LINES_FOR_CLASSES or max(map(len, lines)) > 2000:
        raise InputError(
            f"Got {len(placed)} orders scattered over the output. Needed: orders of whole rows and columns. Otherwise the program would "
            "need a long table of positions. Use halfulp.order(...).replay(inputs)."
        )
    lines += [f"    which = which.reshape({shape})", "    result = order_0()"]
    lines += [f"    result = np.where(which == {number}, order_{number}(), result)" for number in range(1, len(placed))]
    return [*lines, "    return result"]


def _slices(indices: npt.NDArray[np.int64]) -> str:
    edges = np.flatnonzero(np.diff(indices) != 1) + 1
    return ", ".join(f"{int(part[0])}:{int(part[-1]) + 1}" for part in np.split(indices, edges))


def _adders(order: Order, contraction: Contraction) -> list[str]:
    if not order.products:
        return ["    def add(total, value):", "        return value if total is None else total + value"]
    rounded = "total + left[k] * right[k]"
    fused = "fma(left[k], right[k], total)" if order.fma else rounded
    if order.unfused:
        fused = f"{rounded} if k in {{{', '.join(map(str, order.unfused))}}} else {fused}"
    turned = order.fused_onto_rounded()
    lines = [
        *([f"    first = {turned}  # a product that is rounded, and the one before it, which is fused onto it", ""] if turned else []),
        "    def add_product(total, k):",
        *(["        if k in first:", "            return fma(left[first[k]], right[first[k]], left[k] * right[k])"] if turned else []),
        f"        return left[k] * right[k] if total is None else {fused}",
    ]
    if len(order.tree.shapes) > 1 or contraction.extras:
        lines += ["", "    def add(total, value):", "        return value if total is None else total + value"]
    return lines


def _shape_lines(order: Order, shape: Shape, base: str, indent: int, *, skip_extras: bool = False) -> list[str]:
    if shape.kind != CHAIN:
        raise InputError(
            "Got an order that adds several values in one operation. Needed: values added one after another. NumPy adds two values at a "
            "time. Use halfulp.order(...).replay(inputs)."
        )
    pad = " " * indent
    lines = [f"{pad}total = None"]
    for item in shape.items:
        if item.shape == EXTRA:
            if not skip_extras:
                lines.append(f"{pad}total = add(total, {order.extras[item.start]}_at_output)")
            continue
        lines += _item_lines(order, item, base, indent)
    return lines


def _item_lines(order: Order, item: Item, base: str, indent: int) -> list[str]:
    letters = [f"i{depth}" if depth else "i" for depth in range(len(item.loops))]
    terms = [name for name in (base, str(item.start) if item.start else "") if name]
    lines: list[str] = []
    for depth, (count, step) in enumerate(reversed(item.loops)):
        letter = letters[depth]
        simple = len(item.loops) == 1 and step > 0
        if simple:
            # A single loop counts the terms themselves.
            low, high = item.start, item.start + count * step
            bounds = f"{low}, {high}" + (f", {step}" if step != 1 else "") if low or step != 1 else str(high)
            lines.append(f"{' ' * indent}for {letter} in range({bounds}):")
            terms = [name for name in (base, letter) if name]
        else:
            lines.append(f"{' ' * (indent + 4 * depth)}for {letter} in range({count}):")
            terms.append(letter if step == 1 else f"{step} * {letter}")
    place = " + ".join(terms) or "0"
    inner = " " * (indent + 4 * len(item.loops))
    if item.shape == TERM:
        call = f"add_product(total, {place})" if order.products else f"add(total, left[{place}])"
    else:
        call = f"add(total, partial_sum_{item.shape}({place}))"
    return [*lines, f"{inner}total = {call}"]


def _ending(order: Order, contraction: Contraction) -> list[str]:
    lines: list[str] = []
    if order.scale is not None:
        action, by = order.scale
        lines.append(f"    total = total {'/' if action == 'divide' else '*'} np.{order.accumulator}({by!r})")
    for name, factor in zip(order.extras, order.extra_factors):
        number = f"np.{order.accumulator}({factor!r})"
        added = f"fma({name}_at_output, {number}, total)" if order.fused_extras else f"total + {name}_at_output * {number}"
        lines.append(f"    total = {added if factor != 1.0 else f'total + {name}_at_output'}")

    def rounded(value: str) -> str:
        if order.output == "bfloat16":
            return f"to_bfloat16({value})"
        if order.output == order.accumulator:
            return value
        return f"{value}.astype(np.{order.output})"

    if order.rounds_before_extras:
        lines.append(f"    total = {rounded('total')}")
        for name in order.extras:
            total = "total + " if order.output == "bfloat16" else "total.astype(np.float32) + "
            lines.append(f"    total = {rounded(f'({total}{name}_at_output)')}")
        result = "total"
    else:
        result = rounded("total")
    shape = contraction.output_shape
    lines.append(f"    return np.broadcast_to({result}, {contraction.view}).reshape({shape})")
    return lines


def _prepared(contraction: Contraction, names: list[str], kind: str) -> list[str]:
    """`left` and `right` with the summed terms along the first axis and the rest broadcasting against the output."""
    lines: list[str] = []
    for place, factor in enumerate(contraction.factors):
        target, name = ("left", "right")[place], names[factor.argument]
        if contraction.kind == "einsum":
            lines += _einsum_lines(contraction, factor, place, target, name)
        elif contraction.kind == "cumulative sum":
            axis = contraction.details["axis"]
            size, dimensions = factor.shape[axis], len(factor.shape)
            pads = tuple((size - 1, 0) if number == axis else (0, 0) for number in range(dimensions))
            lines.append(
                f"    padded = np.pad({name}, {pads})  # zeros in front: the window that ends at each place holds the terms up to it"
            )
            lines.append(f"    {target} = np.moveaxis(np.lib.stride_tricks.sliding_window_view(padded, {size}, {axis}), -1, 0)")
        elif contraction.kind == "table":
            lines += _table_lines(contraction, factor, target, name)
        else:
            lines += _convolution_lines(contraction, factor, place, target, name)
        lines.append(f"    {target} = {target}.astype({kind})")
    for extra in contraction.extras:
        sizes = [size if stride else 1 for size, stride in zip(contraction.view, extra.strides)]
        lines.append(f"    {extra.name}_at_output = {names[extra.argument]}.reshape({tuple(sizes)}).astype({kind})")
    return lines


def _einsum_lines(contraction: Contraction, factor: Factor, place: int, target: str, name: str) -> list[str]:
    letters, output = contraction.details["labels"][place], contraction.details["output"]
    summed = list(dict.fromkeys(label for labels in contraction.details["labels"] for label in labels if label not in output))
    order = [letters.index(item) for item in summed if item in letters] + [letters.index(item) for item in output if item in letters]
    size = dict(zip(letters, factor.shape))
    shape = (contraction.terms, *(size.get(item, 1) for item in output))
    moved = f"{name}.transpose({', '.join(map(str, order))})" if order != list(range(len(order))) else name
    return [
        f"    {target} = {moved}.reshape({shape})  # {''.join(letters)} of {', '.join(contraction.details['labels'])} -> "
        f"{output or 'a number'}"
    ]


def _table_lines(contraction: Contraction, factor: Factor, target: str, name: str) -> list[str]:
    """The terms of each output by a table of elements; a term that is missing is a zero put behind the input."""
    assert factor.table is not None
    count = int(np.prod(factor.shape, dtype=np.int64))
    rows = [_run_slices(np.where(row < 0, count, row)) for row in factor.table]
    lines = [f"    rows = [  # for each output, the elements of {name} that it adds; element {count} is a zero"]
    lines += [f"        np.r_[{row}]," for row in rows]
    length = sum(map(len, lines))
    if length > CHARACTERS_OF_TABLE:
        raise InputError(
            f"Got a function whose terms are known only as a table, which takes {length:,} characters of code. Needed: at most "
            f"{CHARACTERS_OF_TABLE:,} characters, or a sum, product, convolution or cumulative sum. The program would be one long table. "
            "Use halfulp.order(...).replay(inputs)."
        )
    shape = (contraction.terms, *contraction.view)
    return [*lines, "    ]", f"    {target} = np.append({name}.ravel(), {name}.dtype.type(0))[np.array(rows)].T.reshape({shape})"]


def _run_slices(indices: npt.NDArray[np.int64]) -> str:
    """Indices in their order, runs of equal steps as slices."""
    words: list[str] = []
    place = 0
    while place < len(indices):
        step = int(indices[place + 1] - indices[place]) if place + 1 < len(indices) else 0
        end = place + 1
        while step and end < len(indices) and indices[end] - indices[end - 1] == step:
            end += 1
        first, last = int(indices[place]), int(indices[end - 1])
        stop = last + (1 if step > 0 else -1)
        if end - place < 3 or stop < 0:
            words.append(str(first))
            end = place + 1
        else:
            words.append(f"{first}:{stop}" + (f":{step}" if step != 1 else ""))
        place = end
    return ", ".join(words)


def _convolution_lines(contraction: Contraction, factor: Factor, place: int, target: str, name: str) -> list[str]:
    details, transposed = contraction.details, contraction.kind.startswith("transposed")
    kernel = contraction.sizes[1:]
    dimensions, groups = len(kernel), details["groups"]
    batch, channels, outer, places = contraction.view[0], contraction.sizes[0], contraction.view[2], contraction.view[3:]
    if place == 1:
        split = (groups, channels, outer, *kernel) if transposed else (groups, outer, channels, *kernel)
        order = (1, *range(3, 3 + dimensions), 0, 2) if transposed else (2, *range(3, 3 + dimensions), 0, 1)
        shape = (contraction.terms, 1, groups, outer, *(1,) * dimensions)
        return [f"    {target} = {name}.reshape({split}).transpose{order}.reshape({shape})"]
    lines: list[str] = []
    source = name
    if any(step != 1 for step in factor.spread):
        wide = tuple((size - 1) * step + 1 for size, step in zip(factor.shape, factor.spread))
        lines.append(f"    spread = np.zeros({wide}, {name}.dtype)  # neighbors a stride apart")
        lines.append(f"    spread[{', '.join(f'::{step}' if step != 1 else ':' for step in factor.spread)}] = {name}")
        source = "spread"
    lines.append(
        f"    padded = np.pad({source}, {factor.padding}).reshape({batch}, {groups}, {channels}, *({_padded_space(factor, dimensions)}))"
    )
    reach = [gap * (taps - 1) for gap, taps in zip(details["dilation"], kernel)]
    first = [max(0, pad - far) if transposed else 0 for pad, far in zip(details["padding"], reach)]
    window = tuple(far + 1 for far in reach)
    axes = tuple(range(3, 3 + dimensions))
    lines.append(f"    windows = np.lib.stride_tricks.sliding_window_view(padded, {window}, {axes})")
    steps = (1,) * dimensions if transposed else details["stride"]
    taken = ", ".join(f"{low}:{low + (count - 1) * step + 1}:{step}" for low, count, step in zip(first, places, steps))
    taps = ", ".join(f"::{-gap if transposed else gap}" for gap in details["dilation"])
    lines.append(f"    windows = windows[:, :, :, {taken}, {taps}]  # batch, group, channel, places, taps")
    order = (2, *range(3 + dimensions, 3 + 2 * dimensions), 0, 1, *range(3, 3 + dimensions))
    shape = (contraction.terms, batch, groups, 1, *places)
    lines.append(f"    {target} = windows.transpose{order}.reshape({shape})")
    return lines


def _padded_space(factor: Factor, dimensions: int) -> str:
    sizes = [(size - 1) * step + 1 + sum(pad) for size, step, pad in zip(factor.shape, factor.spread, factor.padding)][-dimensions:]
    return ", ".join(map(str, sizes)) + ","


def _main(names: list[str], used: list[int]) -> str:
    count = len(used)
    files = " ".join(f"{names[place]}.npy" for place in used)
    return (
        'if __name__ == "__main__":\n'
        f"    import sys\n\n    if len(sys.argv) != {count + 2}:\n"
        f'        raise SystemExit("usage: python THIS_FILE {files} result.npy")\n'
        f"    np.save(sys.argv[{count + 1}], replay(*(np.load(name) for name in sys.argv[1:{count + 1}])))"
    )
