"""The section of a page that shows a place: what each side does where the difference begins."""

from __future__ import annotations

from ...origins.place import Place
from ..text.places import differing_in_words, place_in_words, place_rows
from .page import Column, Columns, Part, Section, Table, Words
from .tables import columns_of

COLUMNS = (
    Column("side", "side"), Column("op", "op", is_code=True), Column("arguments", "arguments", is_code=True), Column("line", "line", is_code=True),
)  # fmt: skip


def place_sections(place: Place | None, datasets: dict[str, Columns]) -> list[Section]:
    """The section, its rows entered among the datasets; none where no place is known."""
    if place is None:
        return []
    differing = differing_in_words(place)
    sentences = (f"The difference begins at {place_in_words(place)}.", *([f"There, {differing}"] if differing else []))
    parts: list[Part] = [Words(sentences)]
    rows = place_rows(place)
    if rows:
        datasets["place"] = columns_of(rows, "side", "op", "arguments", "line")
        parts.append(Table("place", "What each side does there, from the last values that both have", COLUMNS))
    return [Section("place", "Where it begins", tuple(parts))]
