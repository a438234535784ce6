"""The page of the worst inputs: which they are, and what a check says of them."""

from __future__ import annotations

from ...sweeps.worst_inputs import Worst
from ...words.numbers import number
from ..text.worsts import first_numbers, how_bad
from .checks import check_page
from .page import Column, Columns, Number, Page, Section, Table, tone_of
from .tables import columns_of


def worst_page(found: Worst) -> Page:
    """The page of the worst inputs."""
    inner = check_page(found.result)
    datasets: dict[str, Columns] = {
        **inner.datasets,
        "arguments": columns_of(
            ((each.name, each.dtype, "x".join(map(str, each.shape)), first_numbers(each)) for each in found.arguments),
            "name", "dtype", "shape", "first",
        ),
    }  # fmt: skip
    columns = (
        Column("name", "argument", is_code=True), Column("dtype", "dtype"), Column("shape", "shape"), Column("first", "first numbers", is_code=True),
    )  # fmt: skip
    inputs = Section("inputs", "The worst inputs", (Table("arguments", "Every argument; the document holds all their numbers", columns),))
    numbers = (
        Number(number(found.excess), "times the limit of a correct implementation, on the worst inputs"),
        Number(number(found.given_excess), "times the limit on the given inputs"),
        Number(f"{found.evaluations:,}", "inputs tried", f"in {found.seconds:.0f} s"),
    )
    return Page(
        "worst", "On which inputs is it worst?", inner.headline, tone_of(found.acceptable), how_bad(found), numbers, inner.steps,
        (inputs, *inner.sections), datasets,
    )  # fmt: skip
