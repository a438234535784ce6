"""record_program(script): a program from the command line under the recorder, whole or one function of it."""

from __future__ import annotations

import contextlib
import runpy
import sys
import traceback
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn

from ..errors import CaseFileError, HalfulpError
from ..traces import Trace, read_trace
from ..traces.writer import PARTIAL
from .names import is_library, is_of_user
from .recorded_run import record
from .recorder import Recorder


def record_program(
    script: str,
    path: str | Path,
    *,
    level: str = "tensors",
    gradients: bool = False,
    select: Sequence[str] = (),
    sample: int | None = None,
    budget_bytes: int | None = None,
    seed: int = 0,
    arguments: Sequence[str] = (),
    progress: Callable[[str], None] | None = None,
) -> Trace:
    """Record a script, or one function or module that a file defines.

    Args:
        script: "FILE.py", run as a program with `arguments`; or "FILE.py:name", called on what its `inputs(seed)` returns (without
            arguments where it defines none).
        path, level, gradients, select, sample, budget_bytes, progress: see `record`.
        seed: random numbers start there.

    Raises:
        CaseFileError: the file is missing, fails, or lacks the name. A script that fails or exits leaves its trace, marked partial.
    """
    file, colon, name = script.partition(":") if not Path(script).is_file() else (script, "", "")
    if not Path(file).is_file():
        raise CaseFileError(
            f"Got {file}, which is not a file. Needed: a Python file, or FILE.py:name. Nothing was recorded. Check the path."
        )
    options: dict[str, Any] = {"level": level, "select": select, "sample": sample, "budget_bytes": budget_bytes, "progress": progress}
    folder = str(Path(file).resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    torch.manual_seed(seed)
    if not colon:
        return _whole(file, path, options, arguments)
    names = _names(file)
    if not callable(names.get(name)):
        callables = sorted(key for key, value in names.items() if callable(value) and not key.startswith("_"))
        raise CaseFileError(
            f"Got no function or module {name!r} in {file}. Needed: one that the file defines at its top level. It is called and recorded. "
            f"The file defines {', '.join(callables[:12]) or 'none'}."
        )
    inputs: Any = names["inputs"](seed) if callable(names.get("inputs")) else ()
    torch.manual_seed(seed)
    with torch.set_grad_enabled(gradients or not isinstance(names[name], nn.Module)), told(script, path):
        return record(names[name], inputs, path, gradients=gradients, **options)


@contextlib.contextmanager
def told(name: str, path: str | Path) -> Generator[None]:
    """What the code that is recorded raises, in words.

    Args:
        name: what is recorded. path: where what was recorded until then is.

    Raises:
        CaseFileError: anything but an error of halfulp's was raised inside.
    """
    try:
        yield
    except HalfulpError:
        raise
    except Exception as error:
        partial = f"{str(path).removesuffix(PARTIAL)}{PARTIAL}"
        raise CaseFileError(
            f"Got {type(error).__name__} from {name}: {error}\n{_of_user(error)}"
            f"Needed: a program that runs to its end. What it did until then is in {partial}, marked partial. Fix the error above."
        ) from error


def _names(file: str) -> dict[str, Any]:
    try:
        return runpy.run_path(file, run_name="halfulp_case")
    except Exception as error:
        raise CaseFileError(
            f"Got {type(error).__name__} while running {file}: {error}\n{_of_user(error)}"
            "Needed: a file that imports without error. Nothing was recorded. Fix the error above."
        ) from error


def _of_user(error: BaseException) -> str:
    """The innermost line of the traceback that is the user's; "" where none is (a file that is no Python)."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if is_of_user(frame.filename) and not is_library(frame.filename)]
    return "".join(traceback.format_list(frames[-1:]))


def _whole(file: str, path: str | Path, options: dict[str, Any], arguments: Sequence[str]) -> Trace:
    recorder = Recorder(path, **options)
    before = sys.argv
    sys.argv = [file, *arguments]
    try:
        with told(file, recorder.path), recorder:
            try:
                defined = runpy.run_path(file, run_name="__main__")
                if callable(defined.get("actual")) and callable(defined.get("expected")):
                    recorder.notes.append(
                        "actual and expected are recorded only where the file itself calls them; to record one: halfulp record "
                        f"{file}:actual -o actual.trace"
                    )
            except SystemExit as ended:
                if ended.code not in (None, 0):
                    raise CaseFileError(
                        f"Got exit code {ended.code} from {file}. Needed: a program that ends with exit code 0. What it did until then "
                        "was recorded, and is marked partial. See what it printed above."
                    ) from ended
    finally:
        sys.argv = before
    return read_trace(recorder.path)
