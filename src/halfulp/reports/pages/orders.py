"""The page of orders: how each function adds, as words and as a tree, side by side, and what distinguishes them."""

from __future__ import annotations

from ...orders.picture import draw_beside
from ...probes.stored import StoredOrder, StoredOrders
from ..text.orders import answer_in_words, difference_in_words
from .page import Code, Column, Columns, Number, Page, Pairs, Part, Picture, Section, Table, Words
from .tables import columns_of


def orders_page(found: StoredOrders) -> Page:
    """The page of one order or two."""
    datasets: dict[str, Columns] = {}
    sections: list[Section] = []
    if found.difference:
        family = (
            ("They are one family: the same bits on any input, so their agreement is not independent evidence.",)
            if found.one_family
            else ()
        )
        said: list[Part] = [Words((difference_in_words(found), *family))]
        if len(found.trees) == 2:
            svg = draw_beside(found.trees)
            if len(svg) < LARGEST:
                said.append(
                    Picture(
                        "Side by side",
                        "The first row that the other order lacks is marked; below it they differ. Terms are added from top to bottom, and equal blocks are drawn once.",
                        svg,
                    )
                )
        sections.append(Section("difference", "What distinguishes them", tuple(said)))
    for name, stored_order in found.orders.items():
        sections.append(_section(name, stored_order, datasets))
    if found.problems:
        sections.append(Section("problems", "Without an order", (Pairs("Why none was found", tuple(found.problems.items())),)))
    proved = bool(found.orders) and all(order.proved for order in found.orders.values()) and not found.problems
    same = found.difference == "the same order"
    return Page(
        "orders",
        "In which order do they add?",
        _title(found, proved=proved, same=same),
        "good" if proved else "unsure",
        answer_in_words(found),
        _numbers(found),
        ("halfulp order FILE.py --emit DIR writes NumPy programs that give the same bits as each function.",) if proved else (),
        tuple(sections),
        datasets,
    )


def _title(found: StoredOrders, *, proved: bool, same: bool) -> str:
    if found.difference:
        return "They add in the same order" if same else "They add in different orders"
    return "The order is proved" if proved else "The order is not proved" if found.orders else "No order was found"


def _numbers(found: StoredOrders) -> tuple[Number, ...]:
    numbers: list[Number] = []
    for name, stored_order in list(found.orders.items())[:3]:
        main = stored_order.classes[0].restored()
        depth = f"depth {main.tree.depth:,}" if main is not None else "no fixed order"
        numbers.append(Number(depth, f"{name}: the most additions that any one term goes through", stored_order.proof))
    return tuple(numbers)


def _section(name: str, order: StoredOrder, datasets: dict[str, Columns]) -> Section:
    parts: list[Part] = [Words((order.proof, *([f"Family: {order.family}."] if order.family else [])))]
    main = order.classes[0].restored()
    if main is not None:
        svg = main.draw("svg")
        if len(svg) < LARGEST:
            parts.append(Picture(f"The tree of {name}", "Equal blocks are drawn once; hash " + main.hash, svg))
        parts.append(Code("The tree as text", main.draw()))
    datasets[f"classes_{name}"] = columns_of(
        ((order_class.where, order_class.words, order_class.status, order_class.positions, str(list(order_class.at)), order_class.problem) for order_class in order.classes),
        "where", "words", "status", "positions", "at", "problem",
    )  # fmt: skip
    columns = (
        Column("where", "outputs"),
        Column("words", "order"),
        Column("status", "status"),
        Column("positions", "checked", True),
        Column("at", "asked at", is_code=True),
        Column("problem", "why not"),
    )
    parts.append(Table(f"classes_{name}", "Outputs whose terms are added in the same order", columns))
    axes = ", ".join(f"{axis} ({size:,})" for axis, size in order.axes)
    parts.append(
        Pairs(
            "What is added",
            (
                ("kind", order.contraction),
                ("summed over", axes),
                ("output", str(list(order.shape))),
                ("runs of the function", f"{order.runs:,}"),
            ),
        )
    )
    return Section(f"order-{name}", f"How {name} adds", tuple(parts))


LARGEST = 400_000
"""Characters of a drawing that a page takes; the text has the tree too."""
