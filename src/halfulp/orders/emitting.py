"""Write an order as a short NumPy program of its own that gives the same bits."""

from __future__ import annotations

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
    """float32 rounded to nearest bfloat16, ties to even, kept in float32."""
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).view(np.float32)
'''


def emit(order: Order, contraction: Contraction, names: list[str], title: str, proof: str) -> str:
    """A stand-alone NumPy program that computes what the order says.

    Args:
        order: the order of every output position. contraction: which elements meet.
        names: a Python name for each input. title: what is reproduced. proof: on what the order was proved.

    Returns:
        Python source with a function `replay` of the inputs; run by itself, it reads them from .npy files.

    Raises:
        InputError: the arithmetic has no NumPy equivalent (several values added in one operation, rounding toward zero, 16-bit accumulators).
    """
    if order.tree.widest > 2 or order.rounding != "nearest" or order.accumulator not in ("float32", "float64"):
        raise InputError(
            f"Got an order that NumPy can't follow ({order.describe()}). Needed: additions of two values in float32 or float64, rounded to nearest. "
            "NumPy has no others. Use order.replay, which emulates them."
        )
    used = [each.argument for each in (*contraction.factors, *contraction.extras)]
    arguments = ", ".join(names[place] for place in sorted(set(used)))
    fused = order.fma and order.products
    blocks = [
        f'"""{title}, bit for bit.\n\n{order.describe()}.\n{proof}\n"""',
        "import numpy as np",
    ]
    if fused:
        blocks.append((FMA32 if order.accumulator == "float32" else FMA64).strip())
    if order.output == "bfloat16":
        blocks.append(TO_BFLOAT16.strip())
    blocks.append(_function(order, contraction, names, arguments))
    blocks.append(_main(arguments, names, sorted(set(used))))
    return "\n\n\n".join([f"{blocks[0]}\n\n{blocks[1]}", *blocks[2:]]) + "\n"


def _function(order: Order, contraction: Contraction, names: list[str], arguments: str) -> str:
    kind = f"np.{order.accumulator}"
    lines = [f"def replay({arguments}):"]
    lines += _prepared(contraction, names, kind)
    lines.append("")
    lines += _adders(order, contraction)
    for number, shape in enumerate(order.tree.shapes):
        is_root = number == len(order.tree.shapes) - 1
        if not is_root:
            lines.append("")
            lines.append(f"    def partial_sum_{number}(start):")
            lines += _shape_lines(order, shape, "start", 8)
            lines.append("        return total")
    lines.append("")
    late = order.rounds_before_extras
    lines += _shape_lines(order, order.tree.root, "", 4, skip_extras=late)
    lines += _ending(order, contraction)
    return "\n".join(lines)


def _adders(order: Order, contraction: Contraction) -> list[str]:
    if not order.products:
        return ["    def add(total, value):", "        return value if total is None else total + value"]
    fused = "fma(left[k], right[k], total)" if order.fma else "total + left[k] * right[k]"
    lines = [
        "    def add_product(total, k):",
        f"        return left[k] * right[k] if total is None else {fused}",
    ]
    if len(order.tree.shapes) > 1 or contraction.extras:
        lines += ["", "    def add(total, value):", "        return value if total is None else total + value"]
    return lines


def _shape_lines(order: Order, shape: Shape, base: str, indent: int, *, skip_extras: bool = False) -> list[str]:
    if shape.kind != CHAIN:
        raise InputError("Got values added in one operation. Needed: chains. NumPy adds two values at a time. Use order.replay.")
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
    letters = "ijlmn"
    terms = [each for each in (base, str(item.start) if item.start else "") if each]
    lines: list[str] = []
    for depth, (count, step) in enumerate(reversed(item.loops)):
        letter = letters[depth]
        simple = len(item.loops) == 1 and step > 0
        if simple:
            # A single loop counts the terms themselves.
            low, high = item.start, item.start + count * step
            bounds = f"{low}, {high}" + (f", {step}" if step != 1 else "") if low or step != 1 else str(high)
            lines.append(f"{' ' * indent}for {letter} in range({bounds}):")
            terms = [each for each in (base, letter) if each]
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
            pads = tuple((size - 1, 0) if each == axis else (0, 0) for each in range(dimensions))
            lines.append(f"    padded = np.pad({name}, {pads})  # the sum up to each place; before the first there is nothing")
            lines.append(f"    {target} = np.moveaxis(np.lib.stride_tricks.sliding_window_view(padded, {size}, {axis}), -1, 0)")
        elif contraction.kind == "table":
            raise InputError(
                "Got a function whose terms are known by a table only. Needed: a sum, product, convolution or cumulative sum for a short program. "
                "A table is as long as the sum. Use order.replay."
            )
        else:
            lines += _convolution_lines(contraction, factor, place, target, name)
        lines.append(f"    {target} = {target}.astype({kind})")
    for extra in contraction.extras:
        sizes = [size if stride else 1 for size, stride in zip(contraction.view, extra.strides)]
        lines.append(f"    {extra.name}_at_output = {names[extra.argument]}.reshape({tuple(sizes)}).astype({kind})")
    return lines


def _einsum_lines(contraction: Contraction, factor: Factor, place: int, target: str, name: str) -> list[str]:
    letters, output = contraction.details["labels"][place], contraction.details["output"]
    summed = list(dict.fromkeys(each for labels in contraction.details["labels"] for each in labels if each not in output))
    order = [letters.index(each) for each in summed if each in letters] + [letters.index(each) for each in output if each in letters]
    size = dict(zip(letters, factor.shape))
    shape = (contraction.terms, *(size.get(each, 1) for each in output))
    moved = f"{name}.transpose({', '.join(map(str, order))})" if order != list(range(len(order))) else name
    return [f"    {target} = {moved}.reshape({shape})  # {''.join(letters)} of {', '.join(contraction.details['labels'])} -> {output or 'a number'}"]


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
    lines.append(f"    padded = np.pad({source}, {factor.padding}).reshape({batch}, {groups}, {channels}, *({_padded_space(factor, dimensions)}))")
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


def _main(arguments: str, names: list[str], used: list[int]) -> str:
    count = len(used)
    files = " ".join(f"{names[place]}.npy" for place in used)
    return (
        'if __name__ == "__main__":\n'
        "    import sys\n\n"
        f"    if len(sys.argv) != {count + 2}:\n"
        f'        raise SystemExit("usage: python THIS_FILE {files} result.npy")\n'
        f"    np.save(sys.argv[{count + 1}], replay(*(np.load(name) for name in sys.argv[1:{count + 1}])))"
    )
