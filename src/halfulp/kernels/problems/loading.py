"""run(): the names that a problem's file defines, with "cuda" kept on the processor."""

from __future__ import annotations

import ast
import linecache
import sys
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import CaseFileError, shortened
from .stand_in import on_processor


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
    added = folder not in sys.path
    if added:
        sys.path.insert(0, folder)
    try:
        with on_processor(text):
            exec(compile(ast.fix_missing_locations(tree), str(file), "exec"), module.__dict__)
    except Exception as error:
        raise CaseFileError(
            f"Got {type(error).__name__} while running {file}: {shortened(str(error))}. Needed: a file that runs. "
            "Nothing was judged. Run it by itself."
        ) from error
    finally:
        if added:
            sys.path.remove(folder)
    return module.__dict__
