"""Store: a folder of Parquet files that any number of writers add to, and that SQL asks."""

from __future__ import annotations

import contextlib
import dataclasses
import decimal
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..files import path_of
from .answer import Answer
from .files import record_files, require_packages
from .questions import QUESTIONS
from .records import NAMELESS, Finding, Record, Row, arrow_schema
from .run_record import run_records
from .writer import Writer

SEVERITY = ("", "IDENTICAL", "ROUNDING", "FLIP", "UNDECIDED", "REDUCED_PRECISION", "UNSTABLE", "NONDETERMINISTIC", "MISTAKE")
"""Verdicts in the order of `Verdict.severity`, after "", which is none."""
_NAME = re.compile(r"[^A-Za-z0-9._-]+")


class Store:
    """Results of sweeps in a folder, with a folder inside for each run.

    Args:
        folder: it need not exist before something is written.

    Raises:
        InputError: it is a file, or the packages of the extra `sweep` are missing.
    """

    def __init__(self, folder: str | Path) -> None:
        require_packages()
        self.folder = path_of(folder)
        if self.folder.exists() and not self.folder.is_dir():
            raise InputError(
                f"Got the store {self.folder}, which is a file. Needed: a folder. Each run adds files to it. Choose another path."
            )

    def __repr__(self) -> str:
        return f"<Store {self.folder}, {len(record_files(self.folder, Row))} files>"

    def writer(self, run: str) -> Writer:
        """What the records of a run are added with."""
        return Writer(self.folder / (_NAME.sub("-", run).strip("-.") or "run"))

    def done(self, run: str) -> set[tuple[str, int]]:
        """What a run has rows of: the key of a group of cases, and the number of the case in it.

        A case that could not even be made has a row without its name; it is tried again.
        """
        named = f"fault = '' OR setting <> replace('{NAMELESS}', '{{}}', CAST(number + 1 AS VARCHAR))"
        with self.view() as asked:
            found = asked(f'SELECT DISTINCT "case", setting, number FROM results WHERE run = $run AND ({named})', run=run)
        return {(case.removesuffix(f"|{setting}"), number) for case, setting, number in found}

    def rows(self, run: str, condition: str = "true") -> Iterator[Row]:
        """The rows of a run, those alone for which a condition in SQL holds."""
        names = ", ".join(f'"{each.name}"' for each in dataclasses.fields(Row))
        with self.view() as asked:
            yield from (Row(*values) for values in asked(f"SELECT {names} FROM results WHERE run = $run AND ({condition})", run=run))

    @contextlib.contextmanager
    def view(self) -> Generator[Callable[..., list[Any]]]:
        """A function of a query and its parameters, which gives the rows; several queries of one view see the same files."""
        with self._connection() as connection:
            yield lambda query, **parameters: connection.execute(query, parameters).fetchall()

    def ask(self, question: str) -> Answer:
        """Ask a ready question by its name, or in SQL.

        Args:
            question: one of `QUESTIONS`, or a query on the view `results`, which has the columns of `Row`, those of the `Finding` of its bundle
                (cause, explanation, origin, smallest, script, and looked_at, the case that it was made of), `complete` (whether its run
                ended), `place` (the latest run of a plan is 1, the one before it 2; those that did not end come after those that did),
                `severity` (a number that grows from IDENTICAL to MISTAKE; 0 without a verdict), and `digest`, the same for runs of the same
                plan on the same files and packages.

        Raises:
            InputError: the folder holds no results, or the query is not valid; the message has DuckDB's words.
        """
        import duckdb

        self.require_rows()
        ready = QUESTIONS.get(question.strip())
        try:
            with self._connection() as connection:
                found = connection.execute(ready.sql if ready else question)
                columns = _told_apart([column[0] for column in found.description or ()])
                rows: tuple[Any, ...] = tuple(tuple(map(_plain, row)) for row in found.fetchall())
        except duckdb.Error as error:
            said = " ".join(str(error).split())[:300]
            raise InputError(
                f"Got {question[:120]!r}, which can't be answered ({said}). Needed: one of {', '.join(QUESTIONS)}, or a query in SQL on the "
                "view `results`. DuckDB answers it, and changes nothing. halfulp results STORE 'DESCRIBE results' lists the columns."
            ) from error
        return Answer(columns, rows, ready.words if ready else question)

    def require_rows(self) -> None:
        """Look for results.

        Raises:
            InputError: the folder holds none.
        """
        if not record_files(self.folder, Row):
            raise InputError(
                f"Got the store {self.folder}, which holds no results. Needed: the folder that `halfulp sweep` wrote to. It keeps a Parquet "
                "file for every few seconds of work. Check the path, or run a sweep."
            )

    @contextlib.contextmanager
    def _connection(self) -> Generator[Any]:
        """A database in memory with the views `results` and `findings`. It can read the files of this store and no others, and write none."""
        import duckdb

        connection = duckdb.connect(":memory:")
        try:
            files = {kind: [str(file.resolve()) for file in record_files(self.folder, kind)] for kind in (Row, Finding)}
            connection.execute(f"SET allowed_paths = {_listed([name for names in files.values() for name in names])}")
            connection.execute("SET enable_external_access = false")
            connection.execute("SET lock_configuration = true")
            looked_at = ", ".join(f"coalesce(found.{name}, '') AS {name}" for name in _LOOKED_AT)
            severity = " ".join(f"WHEN '{verdict}' THEN {place}" for place, verdict in enumerate(SEVERITY))
            stopped = ", ".join(
                f"'{record.run}'" for record in run_records(self.folder) if not record.complete and _RUN.fullmatch(record.run)
            )
            complete = f"run NOT IN ({stopped})" if stopped else "true"
            connection.execute("CREATE TABLE plans (run VARCHAR, digest VARCHAR)")
            for record in run_records(self.folder):
                connection.execute("INSERT INTO plans VALUES (?, ?)", [record.run, record.digest])
            connection.execute(f"CREATE VIEW every_finding AS {_stored(Finding, files[Finding])}")
            connection.execute(f"CREATE VIEW every_result AS {_stored(Row, files[Row])}")
            # Two writers of one run may both have checked a case: one row of it counts.
            connection.execute(f"CREATE VIEW findings AS SELECT * FROM every_finding QUALIFY {_first('plan, run, bundle')}")
            twice = connection.execute(f"SELECT count(*) > count(DISTINCT hash({_CASE})) FROM every_result").fetchall()[0][0]
            once = f"QUALIFY {_first(_CASE)}" if twice else ""
            connection.execute(
                f"CREATE VIEW results AS WITH stored AS (SELECT * FROM every_result {once}), "
                f"runs AS (SELECT plan, run, {complete} AS complete, row_number() OVER (PARTITION BY plan ORDER BY {complete} DESC, run DESC) "
                "AS place FROM (SELECT DISTINCT plan, run FROM stored)) "
                f"""SELECT stored.*, {looked_at}, coalesce(found."case", '') AS looked_at, runs.complete, runs.place, """
                f"CASE stored.verdict {severity} END AS severity, coalesce(plans.digest, '') AS digest "
                "FROM stored JOIN runs USING (plan, run) LEFT JOIN plans ON plans.run = stored.run LEFT JOIN findings AS found "
                "ON stored.bundle <> '' AND found.bundle = stored.bundle AND found.run = stored.run AND found.plan = stored.plan"
            )
            yield connection
        finally:
            connection.close()


_LOOKED_AT = ("cause", "explanation", "origin", "smallest", "script")
_RUN = re.compile(r"[A-Za-z0-9._-]+")
_CASE = "plan, run, source, subject, actual, expected, dtype, environment, number"
"""What tells a case of a run from all others."""


def _first(names: str) -> str:
    """The condition that one record is kept of those that are alike in some columns: one with a verdict, and of these the first."""
    return f"row_number() OVER (PARTITION BY {names} ORDER BY fault <> '', finished) = 1"


def _plain(value: Any) -> Any:
    """A value of DuckDB as text, a number, a truth value or None."""
    if isinstance(value, decimal.Decimal):
        return float(value)
    return value if isinstance(value, (str, int, float, type(None))) else str(value)


def _told_apart(names: Sequence[str]) -> tuple[str, ...]:
    """Names of columns; the second of one name gets a number."""
    found: list[str] = []
    for name in names:
        place = sum(other == name or other.startswith(f"{name}_") for other in found)
        found.append(f"{name}_{place + 1}" if name in found else name)
    return tuple(found)


def _listed(files: Sequence[str]) -> str:
    quoted = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
    return f"[{quoted}]"


def _stored(kind: type[Record], files: Sequence[str]) -> str:
    """A query for all records of a kind, with the columns that it has in this version."""
    types = {"string": "VARCHAR", "int64": "BIGINT", "double": "DOUBLE", "bool": "BOOLEAN"}
    nothing = ", ".join(f'CAST(NULL AS {types[str(column.type)]}) AS "{column.name}"' for column in arrow_schema(kind))
    nothing = f"SELECT {nothing} WHERE false"
    return f"{nothing} UNION ALL BY NAME SELECT * FROM read_parquet({_listed(files)}, union_by_name = true)" if files else nothing
