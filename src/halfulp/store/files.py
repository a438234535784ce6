"""Parquet files of records: each is written whole or not at all, under a name that no other writer takes."""

from __future__ import annotations

import dataclasses
import io
import secrets
import time
from collections.abc import Sequence
from pathlib import Path

from ..errors import InputError, install_command
from ..files import write_file
from .records import Finding, Record, Row, arrow_schema

SUFFIXES: dict[type[Record], str] = {Row: ".rows.parquet", Finding: ".findings.parquet"}
"""What the names of files end with that hold records of a kind."""


def write_records(folder: Path, records: Sequence[Record]) -> Path:
    """Write records of one kind to a new file of a folder, in Parquet with Zstandard.

    Raises:
        InputError: the folder can't be written to, or a package is missing.
    """
    require_packages()
    import pyarrow
    import pyarrow.parquet

    kind = type(records[0])
    columns = {field.name: [getattr(record, field.name) for record in records] for field in dataclasses.fields(kind)}
    content = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns, schema=arrow_schema(kind)), content, compression="zstd")
    # The time first, so that names are in the order of writing; then what two writers at the same moment don't share.
    return write_file(folder / f"{time.time_ns():020d}-{secrets.token_hex(4)}{SUFFIXES[kind]}", content.getvalue())


def record_files(folder: Path, kind: type[Record]) -> list[Path]:
    """The files of a kind in a folder and the folders of runs below it, in the order in which they were written."""
    return sorted(folder.rglob(f"[0-9]*{SUFFIXES[kind]}"), key=lambda file: file.name)


def require_packages() -> None:
    """Look for the packages that the store is read and written with.

    Raises:
        InputError: one is missing.
    """
    try:
        import duckdb  # noqa: F401  # pyright: ignore[reportUnusedImport]
        import pyarrow  # noqa: F401  # pyright: ignore[reportUnusedImport]
    except ModuleNotFoundError as error:
        raise InputError(
            f"Got no package {error.name}. Needed: PyArrow and DuckDB. They store and query the results of sweeps. Install them: {install_command('sweep')}."
        ) from error
