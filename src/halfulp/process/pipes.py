"""taken_pipes(): standard input and output as pipes for messages, so that nothing that code prints or reads gets among them."""

from __future__ import annotations

import os
import sys
from typing import IO


def taken_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """The pipes (questions, answers). From now on what is printed goes to standard error, and there is nothing to read."""
    answers, questions = os.fdopen(os.dup(1), "wb"), os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    sys.stdout = sys.stderr
    return questions, answers
