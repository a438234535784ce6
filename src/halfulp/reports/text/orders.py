"""Revealed orders as text."""

from __future__ import annotations

import textwrap

from ...probes.stored import StoredOrder, StoredOrders


def order_text(found: StoredOrder) -> str:
    """The order of each class of outputs, what it was proved on, and its family."""
    several = len(found.classes) > 1
    lines = [f"{order_class.where}: {order_class.words}" if several else order_class.words for order_class in found.classes]
    main = found.classes[0].restored()
    if found.proved or main is None:
        lines.append(found.proof)
    else:  # what is not proved is no answer: it stands behind that word
        lines = [found.proof, *(f"The probes saw: {line}" for line in lines)]
    if main is not None:
        lines.append(f"Depth of the tree: {main.tree.depth:,}; hash {main.hash}; {found.runs:,} runs of the function for the probes.")
    if main is not None and found.family is not None and found.proved:  # what people call it comes first
        lines.insert(0, f"{found.family[:1].upper()}{found.family[1:]}.")
    elif main is not None and found.family is not None:
        lines.append(f"Family: {found.family}.")
    return "\n".join(lines)


def answer_in_words(found: StoredOrders) -> str:
    """How each function adds, by the name of its family where it has one."""
    if not found.orders:
        return "No order was found."
    said = {name: _family_or_words(order) for name, order in found.orders.items()}
    if found.difference == "the same order":
        return f"Both add like this: {next(iter(said.values()))}."
    return " ".join(f"{name}: {words}." if len(said) > 1 else f"{words[:1].upper()}{words[1:]}." for name, words in said.items())


def difference_in_words(found: StoredOrders) -> str:
    """What distinguishes two orders: their families where both have one, otherwise the terms."""
    families = [order.family for order in found.orders.values()]
    if len(families) == 2 and all(families) and families[0] != families[1]:
        return f"`actual` adds in this order: {families[0]}; `expected` adds in this one: {families[1]}."
    return f"`actual` against `expected`: {found.difference}."


def _family_or_words(order: StoredOrder) -> str:
    return order.family if order.family is not None else order.classes[0].words


def orders_text(found: StoredOrders, *, draw: bool = False) -> str:
    """The order of each function, and what distinguishes two; with `draw` also as trees."""
    if not draw and len(found.orders) == 1 and "function" in found.orders:
        return order_text(found.orders["function"])
    lines: list[str] = []
    for name, stored_order in found.orders.items():
        lines += [name, textwrap.indent(order_text(stored_order), "  ")]
        main = stored_order.classes[0].restored()
        if draw and main is not None:
            lines.append(textwrap.indent(main.draw(), "  "))
    for name, problem in found.problems.items():
        lines += [name, f"  {problem}"]
    if found.difference:
        lines += ["difference", f"  {difference_in_words(found)}"]
        if found.one_family:
            lines.append("  They are one family: the same bits on any input, so their agreement is not independent evidence.")
    return "\n".join(lines)
