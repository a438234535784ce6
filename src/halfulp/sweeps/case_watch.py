"""watched: case files and stored results, beside a baseline."""

from __future__ import annotations

import ast
import dataclasses
import shlex
import time
import tokenize
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from ..cases import load_case_file
from ..documents import read_document, read_result, restored
from ..documents.journal import Journal
from ..errors import HalfulpError, InputError
from ..files import write_file
from ..verdicts import check
from ..verdicts.verdict import Verdict
from ..words.stage import Stage
from .watch import Baseline, Watch, Watched

OPTIONS = ("declared", "reference", "gradients", "keywords")
NAMES = ("actual", "expected", "inputs")
UNFINISHED = "unfinished.txt"
"""In the folder of kept results: the cases that an interrupted run has done. Without it nothing is taken from the folder, because the code
under test, which nobody here knows, may have changed."""


def watched(
    files: Iterable[str | Path],
    baseline: str | Path | None = None,
    *,
    keep: str | Path | None = None,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> Watch:
    """Check many cases, and compare their verdicts with those of a baseline.

    Args:
        files: case files, which are run, and results as JSON, which are read; of a folder all case files in it (`*.py` with `actual`,
            `expected` and `inputs`).
        baseline: the file of a `Baseline`; it need not exist yet.
        keep: a folder for the result of each case as JSON. What an interrupted run has done there is not run again.
        seed: passed to `inputs`. progress: called with a few words before each case.

    Returns:
        A `Watch`; after Ctrl-C with what was done so far and complete=False.

    Raises:
        InputError: no files, two of one name, or a baseline that is none.
    """
    paths = list(_files(files))
    names = [path.stem for path in paths]
    twice = next((name for name in names if names.count(name) > 1), None)
    if not paths or twice is not None:
        raise InputError(
            f"Got two files named {twice}. Needed: case files with different names. The baseline holds one verdict for each name. Rename one "
            "of them."
            if twice
            else "Got no case files. Needed: at least one. A folder stands for the case files in it. Pass some."
        )
    before = _baseline(baseline)
    kept = _Kept(keep, seed)
    found: list[Watched] = []
    complete, start = True, time.perf_counter()
    for place, path in enumerate(paths):
        if progress is not None:
            left = f", {(time.perf_counter() - start) / place * (len(paths) - place):.0f} s left" if place else ""
            progress(Stage(f"{path.stem}: {place + 1} of {len(paths)}{left}", place, len(paths)))
        try:
            found.append(dataclasses.replace(_case(path, kept), before=before.get(path.stem)))
        except KeyboardInterrupt:
            complete = False
            break
    if complete:
        kept.journal.finish()
    missing = tuple(name for name in before if name not in names)
    return Watch(tuple(found), missing, complete, baseline is not None and Path(baseline).exists())


def _files(files: Iterable[str | Path]) -> Iterator[Path]:
    for name in files:
        path = Path(name)
        if path.is_dir():
            yield from (file for file in sorted(path.glob("*.py")) if _is_case(file))
        elif not path.exists():
            raise InputError(
                f"Got {path}, which does not exist. Needed: case files, results as JSON, or folders of case files. Nothing was run. Check the path."
            )
        else:
            yield path


def _bound(path: Path) -> dict[str, int]:
    """Name -> line of what a file defines, assigns or imports at its top level; nothing for one that is no Python."""
    try:
        with tokenize.open(path) as opened:
            tree = ast.parse(opened.read())
    except (OSError, SyntaxError, ValueError):
        return {}
    found: dict[str, int] = {}
    for statement in tree.body:
        names: list[str] = []
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names = [statement.name]
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            names = [alias.asname or alias.name for alias in statement.names]
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
            names = [node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
        found |= dict.fromkeys(names, statement.lineno)
    return found


def _is_case(file: Path) -> bool:
    found = _bound(file)
    return all(name in found for name in NAMES) or "*" in found


def _baseline(path: str | Path | None) -> dict[str, Verdict]:
    if path is None or not Path(path).exists():
        return {}
    found: Baseline = restored("baseline", read_document(path), str(path))
    return found.verdicts


class _Kept:
    """The folder of kept results, with the cases that the interrupted run before this one has done."""

    def __init__(self, folder: str | Path | None, seed: int) -> None:
        self.folder = Path(folder) if folder is not None else None
        self.seed = seed
        self.journal = Journal(self.folder / UNFINISHED if self.folder is not None else None, {}, of="cases")

    def read(self, name: str, source: str) -> Any:
        """The result of a case that was done, None where there is none of this text and seed."""
        if self.folder is None or name not in self.journal.parts:
            return None
        try:
            found = read_result(self.folder / f"{name}.json")
        except InputError:  # of another version, or damaged: it is made again
            return None
        return found if (found.case_file, found.seed) == (source, self.seed) else None

    def write(self, name: str, text: str) -> None:
        """Keep the result of a case."""
        if self.folder is not None:
            write_file(self.folder / f"{name}.json", text + "\n")
            self.journal.add(name, {})


def _case(path: Path, kept: _Kept) -> Watched:
    """One case; what the user's code raises is its outcome, and so is whatever else goes wrong in it."""
    start = time.perf_counter()
    line = 1 if path.suffix == ".json" else _bound(path).get("actual", 1)
    not_run = Watched(path.stem, path.as_posix(), line, None, "")
    try:
        result = _result(path, kept)
        text = str(result)
    except Exception as error:
        words = str(error) if isinstance(error, HalfulpError) else f"{type(error).__name__}: {error}"
        report = words if isinstance(error, HalfulpError) else traceback.format_exc()
        return dataclasses.replace(not_run, reason=words, report=report, seconds=time.perf_counter() - start)
    verdict: Verdict | None = getattr(result, "verdict", getattr(result, "worst", None))
    if verdict is None or not getattr(result, "complete", True):
        words = f"{path} holds a result {'without a verdict' if verdict is None else 'of an interrupted run'}"
        return dataclasses.replace(not_run, reason=words, report=words)
    checked = getattr(result, "result", result)
    reason = checked.reason if hasattr(checked, "reason") else " ".join(text.partition("\n\n")[0].split())
    return Watched(path.stem, path.as_posix(), line, verdict, reason, text, seconds=time.perf_counter() - start)


def _result(path: Path, kept: _Kept) -> Any:
    if path.suffix == ".json":
        return read_result(path)
    loaded = load_case_file(path, kept.seed)
    found = kept.read(path.stem, loaded["source"])
    if found is None:
        options = {key: loaded[key] for key in OPTIONS if key in loaded}
        found = check(loaded["actual"], loaded["expected"], loaded["inputs"], seed=kept.seed, closeups=kept.folder is not None, **options)
        found = dataclasses.replace(found, case_file=loaded["source"], operands=shlex.quote(path.as_posix()))
        kept.write(path.stem, found.to_json())
    return found
