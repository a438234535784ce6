"""Answer: what a question to the store gave, as a table."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any

from ..documents.writer import plain, text_of
from ..shown import shown


@shown
@dataclass(frozen=True)
class Answer:
    """A table.

    Attributes:
        columns: their names. rows: tuples of text, numbers, truth values and None.
        question: what was asked, in words or in SQL.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    question: str = ""

    def to_json(self) -> str:
        """The rows as a JSON list of objects; numbers that JSON lacks are the strings "nan", "inf", "-inf"."""
        rows: Any = [dict(zip(self.columns, plain(row))) for row in self.rows]
        return text_of(rows)

    def to_csv(self) -> str:
        """The table as CSV with a line of names."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.rows)
        return text.getvalue()
