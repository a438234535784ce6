"""What the documentation's commands print, run for real: the blocks of `run` in the pages, and a store of what they gave.

A block is a list of commands after "$ ". They are run one after another in a folder of their own, which holds the case files of
docs/cases, the questions of examples/ and the stored results of docs/results. What they print is shown below them; pages that they
write (`--html`) become part of the site. A block is run again when it, one of those files, or halfulp itself has changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent
STORE = DOCS / ".printed"
OLD_S = 3600.0
"""What no page asks for is removed when it is older: another process may be at work on it."""
SOURCES = {"": DOCS / "cases", "examples": ROOT / "examples", "results": DOCS / "results"}
TIMEOUT_S = 600
COLUMNS = 106
"""Of the tables: what a page has room for beside its menus."""

_BLOCK = re.compile(r"^(?P<indent> *)```run(?![\w-]) *(?P<options>[^\n]*)\n(?P<text>.*?)\n(?P=indent)```$", re.MULTILINE | re.DOTALL)
_OPTION = re.compile(r'(\w+)="([^"]*)"')


class PrintingError(Exception):
    """A command of the documentation did not end as its page says."""


@dataclass(frozen=True)
class Block:
    """Commands of a page.

    Attributes:
        commands: in their order. exit: what the last one exits with. page: the file in which they stand.
    """

    commands: tuple[str, ...]
    exit: int = 0
    page: str = ""

    @property
    def key(self) -> str:
        """Changes with the commands and with all that they run."""
        return hashlib.sha256(json.dumps([self.commands, self.exit, _version()]).encode()).hexdigest()[:16]


@dataclass
class Printed:
    """What a block gave.

    Attributes:
        texts: of each command. pages: names of the HTML files that were written.
    """

    texts: list[str] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)


def parsed(text: str, options: dict[str, str], page: str = "") -> Block:
    """The block of a fence: lines that begin with "$ "; a line that ends in a backslash goes on."""
    commands = tuple(each.removeprefix("$ ") for each in re.sub(r"\\\n\s*", "", text).splitlines() if each.strip())
    return Block(commands, int(options.get("exit", "0")), page)


def blocks(pages: Sequence[Path] = ()) -> list[Block]:
    """Of these pages, or of all."""
    found: dict[str, Block] = {}
    for path in pages or sorted(DOCS.rglob("*.md")):
        for match in _BLOCK.finditer(path.read_text(encoding="utf-8")):
            if _OPTION.sub("", match["options"]).strip():
                raise PrintingError(f'Got a block of `run` with {match["options"]} in {path.name}. Needed: NAME="VALUE". Correct the page.')
            text = "\n".join(each.removeprefix(match["indent"]) for each in match["text"].splitlines())
            block = parsed(text, dict(_OPTION.findall(match["options"])), path.name)
            found.setdefault(block.key, block)
    return list(found.values())


def printed(block: Block) -> Printed:
    """What a block gave when it was run.

    Raises:
        PrintingError: it was not run since it, its files or halfulp changed.
    """
    stored = STORE / block.key / "printed.json"
    if not stored.is_file():
        raise PrintingError(
            f"Got a block that was not run: {block.commands}. Needed: its output. Pages show what commands print. "
            "Run python docs/making/printing.py, or build the site anew."
        )
    return Printed(**json.loads(stored.read_text(encoding="utf-8")))


def run(pages: Sequence[Path] = (), *, progress: bool = True) -> None:
    """Run the blocks of these pages, or of all, that have no output yet, as many at once as there are cores.

    An interrupted run goes on where it was. Outputs that no page asks for any more are removed when all are run.

    Raises:
        PrintingError: a command ended otherwise than its page says.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    waiting = [each for each in blocks(pages) if not (STORE / each.key / "printed.json").is_file()]
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), disable=not progress) as bar, ThreadPoolExecutor(os.cpu_count()) as pool:
        task = bar.add_task("running the commands of the documentation", total=len(waiting))
        try:
            failed: list[str] = []
            for error in pool.map(_run, waiting):
                bar.advance(task)
                failed += [error] if error else []
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    if failed:
        raise PrintingError("\n\n".join(failed))
    wanted = {each.key for each in blocks()}
    for folder in STORE.iterdir() if STORE.is_dir() and not pages else ():
        if folder.name not in wanted and time.time() - folder.stat().st_mtime > OLD_S:
            shutil.rmtree(folder, ignore_errors=True)


def _run(block: Block) -> str:
    """What is wrong with it; "" where its output is stored."""
    with tempfile.TemporaryDirectory(prefix="halfulp-docs-") as name:
        work = Path(name)
        for below, source in SOURCES.items():
            if source.is_dir():
                shutil.copytree(source, work / below, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", "notebooks"))
        environment = {
            **os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "COLUMNS": str(COLUMNS),
            "NO_COLOR": "1", "TERM": "dumb", "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore",
        }  # fmt: skip
        done = Printed()
        for place, command in enumerate(block.commands):
            try:
                ended = subprocess.run(
                    ["bash", "-c", command], cwd=work, env=environment, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
                    check=False, timeout=TIMEOUT_S,
                )  # fmt: skip
            except subprocess.TimeoutExpired:
                return f"Got no end of `{command}` in {block.page} within {TIMEOUT_S} s. Needed: a command that a reader would wait for."
            wanted = block.exit if place == len(block.commands) - 1 else None
            if (ended.returncode != wanted) if wanted is not None else ended.returncode not in (0, 1, 3):
                return (
                    f"Got exit code {ended.returncode} from `{command}` in {block.page}. Needed: {wanted if wanted is not None else '0, 1 or 3'}. "
                    f"It printed: {(ended.stdout + ended.stderr)[-2000:]}"
                )
            text = ended.stdout if ended.returncode in (0, 1, 3) else ended.stdout + ended.stderr
            done.texts.append("\n".join(line.rstrip() for line in text.rstrip().splitlines()))
        STORE.mkdir(exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix="unfinished-", dir=STORE))
        for page in sorted(work.glob("*.html")):
            done.pages.append(page.name)
            shutil.copy(page, folder)
        (folder / "printed.json").write_text(json.dumps(asdict(done)), encoding="utf-8")
        _keep(folder, STORE / block.key)
    return ""


def _keep(folder: Path, target: Path) -> None:
    """Put an output where it belongs: what another process put there stays, what a run that was cut off left there is replaced."""
    if target.exists() and not (target / "printed.json").is_file():
        shutil.rmtree(target)
    try:
        folder.rename(target)
    except OSError:
        shutil.rmtree(folder)


@cache
def _version() -> str:
    """Of everything that blocks run: halfulp, PyTorch, the case files, the questions, the stored results; and how they are run."""
    found = [path for folder in (ROOT / "src", *SOURCES.values()) for path in folder.rglob("*") if path.is_file()]
    files = [path for path in found if not {"__pycache__", "notebooks"} & set(path.parts)]
    total = hashlib.sha256(version("torch").encode())
    for path in (*sorted(files), Path(__file__)):
        total.update(path.name.encode() + path.read_bytes())
    return total.hexdigest()


if __name__ == "__main__":
    run([Path(each).resolve() for each in sys.argv[1:]])
