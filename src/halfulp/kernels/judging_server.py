"""The program that runs judgements for `Apart`."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path


def main() -> None:
    """Answer requests until the other side closes the pipe.

    Memory is limited as that of solutions is: at sizes that nobody has tried, drawing inputs may ask for more than there is, and an
    error costs one question, where the system would end the process.
    """
    from halfulp.process.pipes import taken_pipes

    questions, answers = taken_pipes()
    from halfulp.process.lifeline import follow

    follow()
    import torch

    from halfulp.backends.workers.wire import Message, receive, send
    from halfulp.files import write_file
    from halfulp.process.confinement import limit

    from .judging import judge_here
    from .result import KernelReport
    from .solutions.sandbox import MEMORY_BYTES

    if not torch.cuda.is_available():  # drivers map far more than they use
        limit(memory_bytes=MEMORY_BYTES)
    send(answers, Message({"ready": True, "fingerprint": {}, "unusable": ""}))
    while (question := receive(questions)) is not None:
        given = question.header
        sys.path[:] = given["path"]
        told = Path(given["told"])

        def tell(words: str, told: Path = told) -> None:
            with contextlib.suppress(OSError):
                write_file(told, words)

        try:
            os.chdir(given["folder"])
            result = judge_here(
                given["problem"], given["solution"], declared=given["declared"], budget_s=given["budget_s"], seed=given["seed"],
                progress=tell, without=frozenset(given["without"]),
            )  # fmt: skip
            answer = Message({"report": KernelReport((result,)).to_json()})
        except Exception as error:
            answer = Message({"error": type(error).__name__, "words": str(error)})
        send(answers, answer)


if __name__ == "__main__":
    main()
