"""What a long run has finished, kept in a file, so that an interrupted one goes on where it stopped."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..files import append_line, write_file


class Journal:
    """Finished parts by their keys: a line of JSON each, after one with the settings of the run.

    Args:
        path: the file; None to keep them in memory alone.
        settings: what makes two runs one: parts of a run with others don't fit.
        of: what the parts are called in errors ("scans").

    Attributes:
        parts: key -> what was kept, in the order in which they came.

    Raises:
        InputError: the file is no journal, of a run with other settings, or can't be written.
    """

    def __init__(self, path: str | Path | None, settings: Mapping[str, Any], *, of: str) -> None:
        self.parts: dict[str, dict[str, Any]] = {}
        self._path = Path(path) if path is not None else None
        if self._path is None:
            return
        head = json.dumps({"settings": settings})
        if not self._path.is_file():
            write_file(self._path, head + "\n")
            return
        found, *lines = self._lines(of)
        before, now = found["settings"], json.loads(head)["settings"]
        other = [name for name in (*now, *before) if before.get(name) != now.get(name)]
        if other:
            raise InputError(
                f"Got {self._path}, from a run with {other[0]} = {before.get(other[0])}. Needed: a run with {other[0]} = {now.get(other[0])}. "
                f"{of[0].upper()}{of[1:]} from different runs can't be combined. Name another file."
            )
        self.parts = {part.pop("key"): part for part in lines}
        # What was cut off while it was written is done again.
        write_file(self._path, "\n".join([head, *(_line(key, part) for key, part in self.parts.items())]) + "\n")

    def add(self, key: str, part: Mapping[str, Any]) -> None:
        """Keep a finished part."""
        self.parts[key] = dict(part)
        if self._path is not None:
            append_line(self._path, _line(key, part))

    def finish(self) -> None:
        """The run is complete: the next one starts anew."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def _lines(self, of: str) -> list[dict[str, Any]]:
        """The head and the whole lines after it."""
        assert self._path is not None
        try:
            head, *lines = self._path.read_text(encoding="utf-8").splitlines()
            found = [json.loads(line) for line in (head, *(line for line in lines if line.endswith("}")))]
            if not isinstance(found[0]["settings"], dict) or not all("key" in part for part in found[1:]):
                raise KeyError("key")
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"Got {self._path}, which holds no finished {of} ({type(error).__name__}). Needed: a file that an earlier run wrote, or a new name. Otherwise the contents of this file would be overwritten. Name another file."
            ) from error
        return found


def _line(key: str, part: Mapping[str, Any]) -> str:
    return json.dumps({"key": key, **part})
