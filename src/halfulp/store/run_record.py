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

NAME = "run.json"


@dataclass(frozen=True)
class RunRecord:
    """One run.

    Attributes:
        run: its name: when it was begun, in UTC, and a random number. plan: the plan's name. digest: of the plan and what it checks.
        seconds: how long it took so far, without parts that were killed. complete: whether all its cases are done.
    """

    run: str
    plan: str
    digest: str
    seconds: float = 0.0
    complete: bool = False

    @staticmethod
    def begun(plan: str, digest: str) -> RunRecord:
        """That of a new run."""
        return RunRecord(time.strftime("%Y-%m-%dT%H-%M-%S", time.gmtime()) + f"-{secrets.token_hex(2)}", plan, digest)

    @staticmethod
    def unfinished(folder: Path, plan: str, digest: str) -> RunRecord:
        """The latest run of a plan, which did not end.

        Args:
            folder: of the store.

        Raises:
            InputError: there is none.
        """
        found = [record for record in run_records(folder) if record.plan == plan and not record.complete]
        same = [record for record in found if record.digest == digest]
        if not same:
            why = (
                "the plan, a file that it checks or a package has changed since the unfinished run"
                if found
                else "no run of the plan was interrupted"
            )
            raise InputError(
                f"Got resume with the plan {plan} and the store {folder}, but {why}. Needed: an unfinished run of the same plan. Its cases "
                "would be mixed with others. Start a new run without it."
            )
        return max(same, key=lambda record: record.run)

    def write(self, folder: Path, *, seconds: float = 0.0, complete: bool = False) -> RunRecord:
        """Keep it in the run's folder.

        Args:
            folder: of the store. seconds: added to those so far. complete: whether all is done.
        """
        record = dataclasses.replace(self, seconds=self.seconds + seconds, complete=complete)
        write_file(folder / self.run / NAME, json.dumps(dataclasses.asdict(record), indent=1) + "\n")
        return record


def run_records(folder: Path) -> list[RunRecord]:
    """Those of all runs of a store, the oldest first."""
    found: list[RunRecord] = []
    for file in sorted(folder.glob(f"*/{NAME}")):
        try:
            content = json.loads(Path(file).read_text(encoding="utf-8"))
            found.append(RunRecord(**{each.name: content[each.name] for each in dataclasses.fields(RunRecord)}))
        except (OSError, ValueError, KeyError, TypeError):  # somebody else's file
            continue
    return found
