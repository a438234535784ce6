"""The program of a fresh process: reads a case and a job, runs the sides, leaves a reply."""

from __future__ import annotations

import contextlib
import pickle
import sys
import warnings
from pathlib import Path
from typing import Any


def main(folder: str, place: str) -> None:
    """Do the job in a folder."""
    import cloudpickle
    import torch

    from halfulp.backends.knobs.settings import apply_inductor_settings, apply_settings
    from halfulp.cases import Case
    from halfulp.causes.processes.pool import Job, Reply
    from halfulp.errors import HalfulpError

    warnings.simplefilter("ignore")
    own = Path(folder) / place
    job: Job = pickle.loads((own / "job").read_bytes())
    payload = cloudpickle.loads((Path(folder) / "payload").read_bytes())
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
    temporary = own / "reply.partial"
    temporary.write_bytes(pickle.dumps(reply))
    temporary.rename(own / "reply")


def _listen(choices: list[tuple[str, str, dict[str, float]]]) -> None:
    """Note which kernels the compiler chooses by timing."""
    with contextlib.suppress(ImportError, AttributeError):
        from torch._inductor.select_algorithm import add_feedback_saver

        def heard(timings: Any, name: str, *_: Any) -> None:
            if timings:
                found = {str(getattr(key, "name", key)): 1000.0 * float(value) for key, value in timings.items()}
                choices.append((name, min(found, key=lambda each: found[each]), found))

        add_feedback_saver(heard)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
