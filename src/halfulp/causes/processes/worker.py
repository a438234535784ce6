"""The program of a fresh process: reads a job and a case, runs the sides, answers."""

from __future__ import annotations

import contextlib
import os
import pickle
import sys
import warnings
from typing import IO, Any


def main() -> None:
    """Do the job that standard input says, and answer on standard output; what is printed meanwhile goes to standard error."""
    told, answer = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    from halfulp.process.lifeline import follow

    follow()
    with told, answer:
        work(told, answer)


def work(told: IO[bytes], answer: IO[bytes]) -> None:
    """Read a job and a case, and answer with a `Reply`."""
    import cloudpickle
    import torch

    from halfulp.backends.knobs.settings import apply_inductor_settings, apply_settings
    from halfulp.cases import Case
    from halfulp.causes.processes.pool import Job, Reply
    from halfulp.errors import HalfulpError

    warnings.simplefilter("ignore")
    job: Job = pickle.load(told)
    payload = cloudpickle.load(told)
    apply_settings(payload["settings"])
    if job.compiled is not None:
        apply_inductor_settings(payload["inductor"])
    actual = payload["actual"]
    choices: list[tuple[str, str, dict[str, float]]] = []
    with contextlib.ExitStack() as stack:
        if job.compiled is not None:
            _listen(choices)
            if job.frozen:
                import torch._inductor.config as inductor

                stack.enter_context(inductor.patch(freezing=True))
                stack.enter_context(torch.no_grad())
            actual = torch.compile(actual, **job.compiled)
        case = Case(
            actual, payload["expected"], payload["inputs"], declared=payload["declared"], keywords=payload["keywords"],
            gradients=payload["gradients"] and not job.frozen, seed=payload["seed"],
        )  # fmt: skip
        try:
            reply = Reply({name: case.native(name).outputs for name in job.sides}, tuple(choices))
        except HalfulpError as error:
            reason = error.__cause__ or error
            reply = Reply({}, error=f"{type(reason).__name__}: {(str(reason).strip().splitlines() or [''])[0][:200]}")
    answer.write(pickle.dumps(reply))


def _listen(choices: list[tuple[str, str, dict[str, float]]]) -> None:
    """Note which kernels the compiler chooses by timing."""
    with contextlib.suppress(ImportError, AttributeError):
        from torch._inductor.select_algorithm import add_feedback_saver

        def heard(timings: Any, name: str, *_: Any) -> None:
            if timings:
                found = {str(getattr(key, "name", key)): 1000.0 * float(value) for key, value in timings.items()}
                choices.append((name, min(found, key=lambda word: found[word]), found))

        add_feedback_saver(heard)


if __name__ == "__main__":
    main()
