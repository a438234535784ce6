"""The program that checks the cases of a plan for `ProcessEngine`."""

from __future__ import annotations

import dataclasses
from typing import Any

from .case_sources import Group


def main() -> None:
    """Answer questions until the other side closes the pipe.

    The first says which plan; each other names a group and a place in it, and is answered with how many cases the group has, a row, a verdict
    with another seed, or a finding.
    """
    from halfulp.process.pipes import taken_pipes

    questions, answers = taken_pipes()
    from halfulp.process.lifeline import follow

    follow()
    import warnings

    import torch

    from halfulp.backends.workers.wire import Message, receive, send
    from halfulp.process.confinement import limit
    from halfulp.store.records import Row

    from .judging import Judging
    from .plan import Plan

    warnings.simplefilter("ignore")
    send(answers, Message({"ready": True, "fingerprint": {}, "unusable": ""}))
    judging: Judging | None = None
    while (question := receive(questions)) is not None:
        given: Any = question.header
        try:
            if judging is None:
                plan = Plan.from_json(given["plan"])
                judging = Judging(plan, given["run"])
                if plan.memory_gb and not torch.cuda.is_available():  # drivers map far more than they use
                    limit(memory_bytes=int(plan.memory_gb * 2**30))
            group = Group(**given["group"])
            if given["ask"] == "count":
                answer: dict[str, Any] = {"count": judging.count(group)}
            elif given["ask"] == "name":
                answer = {"row": dataclasses.asdict(judging.named(group, given["place"]))}
            elif given["ask"] == "row":
                row = judging.row(group, given["place"])
                answer = {"row": dataclasses.asdict(row), "again": judging.is_asked_again(group, row)}
            elif given["ask"] == "again":
                answer = {"verdict": judging.again(group, given["place"])}
            else:
                answer = {"finding": dataclasses.asdict(judging.finding(group, given["place"], Row(**given["row"])))}
        except Exception as error:
            answer = {"error": type(error).__name__, "words": str(error)}
        send(answers, Message(answer))


if __name__ == "__main__":
    main()
