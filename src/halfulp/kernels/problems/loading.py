"""run(): the names that a problem's file defines, with "cuda" kept on the processor, and the modules beside it within reach."""

from __future__ import annotations

import ast
import linecache
import sys
import threading
import types
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import CaseFileError, shortened
from .stand_in import on_processor

_lock = threading.RLock()


@dataclass
class _Latest:
    """The folder of the latest problem in this process: its functions may import from there when they are called.

    Attributes:
        folder: its path; "" before any. known: the modules that were there before it. added: whether the folder was added to the path.
    """

    folder: str = ""
    known: frozenset[str] = frozenset()
    added: bool = False


_latest = _Latest()


def parsed(file: Path) -> tuple[str, ast.Module]:
    """The text of a problem's file, and its tree.

    Raises:
        CaseFileError: it is not Python.
    """
    try:
        text = file.read_text(encoding="utf-8")
        return text, ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise CaseFileError(
            f"Got {file}, which is not Python ({type(error).__name__}: {shortened(str(error))}). Needed: a file that runs. "
            "Nothing was judged. Run it by itself."
        ) from None


def run(file: Path, text: str, tree: ast.Module, names: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Run the code of a file; the names that it defines.

    Args:
        text: of the file. tree: of the code, see `changed`. names: what it knows besides.

    Raises:
        CaseFileError: it fails.
    """
    module = types.ModuleType("halfulp_problem")
    module.__file__ = str(file)
    vars(module).update(names or {})
    linecache.cache[str(file)] = (len(text), None, text.splitlines(keepends=True), str(file))
    folder = str(file.resolve().parent)
    with _lock:
        _enter(folder)
        sys.modules[module.__name__] = module  # where dataclasses look for the types that they name
        sys.path.insert(0, folder)
        try:
            with on_processor(text):
                exec(compile(ast.fix_missing_locations(tree), str(file), "exec"), module.__dict__)
        except (Exception, SystemExit) as error:
            raise CaseFileError(
                f"Got {type(error).__name__} while running {file}: {shortened(str(error))}. Needed: a file that runs. "
                "Nothing was judged. Run it by itself."
            ) from error
        finally:
            sys.path.remove(folder)
    return module.__dict__


def forget_neighbors() -> None:
    """Forget the modules beside the latest problem: another problem has its own of the same names, and files change."""
    with _lock:
        for name in [
            name for name, module in sys.modules.copy().items() if name not in _latest.known and _is_below(module, _latest.folder)
        ]:
            del sys.modules[name]


def _enter(folder: str) -> None:
    """Keep the modules of a folder importable, last of all, in place of those of the folder before."""
    if folder != _latest.folder:
        forget_neighbors()
        if _latest.added and _latest.folder in sys.path:
            sys.path.remove(_latest.folder)
        _latest.folder, _latest.known, _latest.added = folder, frozenset(sys.modules), False
    if folder not in sys.path:
        sys.path.append(folder)
        _latest.added = True


def _is_below(module: Any, folder: str) -> bool:
    """Whether a module's file lies in a folder, or in a package there; packages that are installed there stay."""
    file = getattr(module, "__file__", None)
    if not isinstance(file, str) or getattr(module, "__name__", "") == "halfulp_problem":
        return False
    path = Path(file)
    return bool(folder) and path.is_relative_to(folder) and "site-packages" not in path.parts
