"""RunRecord: what a run's folder says of it beside its rows: which plan it checks, how long it took, whether it ended."""

from __future__ import annotations

import dataclasses
import json
import secrets
import time
from dataclasses import dataclass
from pathlib import Path

from ..errors import InputError
from ..files import write_file
from ..store import Store
from .plan import Plan

NAME = "run.json"


@dataclass(frozen=True)
class RunRecord:
    """One run.

    Attributes:
        run: its name: when it was begun, in UTC, and a random number. plan: the plan's name. digest: of the plan.
        seconds: how long it took so far. complete: whether all its cases are done.
    """

    run: str
    plan: str
    digest: str
    seconds: float = 0.0
    complete: bool = False

    @staticmethod
    def begun(plan: Plan) -> RunRecord:
        """That of a new run."""
        return RunRecord(time.strftime("%Y-%m-%dT%H-%M-%S", time.gmtime()) + f"-{secrets.token_hex(2)}", plan.name, plan.digest)

    @staticmethod
    def unfinished(store: Store, plan: Plan) -> RunRecord:
        """The latest run of a plan, which did not end.

        Raises:
            InputError: there is none.
        """
        found = [record for record in _all(store) if record.plan == plan.name and not record.complete]
        same = [record for record in found if record.digest == plan.digest]
        if not same:
            why = "the plan has changed since the unfinished run" if found else "no run of the plan was interrupted"
            raise InputError(
                f"Got resume with the plan {plan.name} and the store {store.folder}, but {why}. Needed: an unfinished run of the same plan. Its cases "
                "would be mixed with others. Start a new run without it."
            )
        return max(same, key=lambda record: record.run)

    @staticmethod
    def read(store: Store, run: str) -> RunRecord | None:
        """That of a run; None where there is none."""
        return next((record for record in _all(store) if record.run == run), None)

    def write(self, store: Store, *, seconds: float = 0.0, complete: bool = False) -> RunRecord:
        """Keep it in the run's folder.

        Args:
            seconds: added to those so far. complete: whether all is done.
        """
        record = dataclasses.replace(self, seconds=self.seconds + seconds, complete=complete)
        write_file(store.folder / self.run / NAME, json.dumps(dataclasses.asdict(record), indent=1) + "\n")
        return record


def _all(store: Store) -> list[RunRecord]:
    found: list[RunRecord] = []
    for file in sorted(store.folder.glob(f"*/{NAME}")):
        try:
            content = json.loads(Path(file).read_text(encoding="utf-8"))
            found.append(RunRecord(**{each.name: content[each.name] for each in dataclasses.fields(RunRecord)}))
        except (OSError, ValueError, KeyError, TypeError):  # somebody else's file
            continue
    return found
