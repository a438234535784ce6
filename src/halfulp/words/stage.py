"""A stage of long work: words for people, and numbers for whoever draws a bar."""

from __future__ import annotations


class Stage(str):
    """What is being done, in words, and how far it is.

    Attributes:
        done, total: how many parts are done, and of how many; both None where they are not counted.

    Example:
        >>> stage = Stage("comparing op 3 of 40", 3, 40)
        >>> stage, stage.done, stage.total
        ('comparing op 3 of 40', 3, 40)
    """

    done: int | None
    total: int | None

    def __new__(cls, words: str, done: int | None = None, total: int | None = None) -> Stage:
        """The words, and the numbers beside them."""
        stage = super().__new__(cls, words)
        stage.done, stage.total = done, total
        return stage
