"""The program that runs judgements for `Apart`."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from pathlib import Path


def main() -> None:
    """Answer requests until the other side closes the pipe.

    It gets as much memory as a solution does. At a size that nobody has tried, drawing the inputs may take more than there is: with a
    limit that is an error and costs one question; without one, the system kills the process.
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
        tempfile.tempdir = str(told.parent)  # which the other side removes, whatever becomes of this process

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
