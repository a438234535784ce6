"""A case file: a Python file with `actual`, `expected` and `inputs(seed)`, for the command line."""

from __future__ import annotations

import difflib
import inspect
import runpy
import sys
import tokenize
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import CaseFileError
from .troubles import device_advice, missing_device, trouble_with

OPTIONAL = ("declared", "reference", "gradients", "keywords")


def load_case_file(path: str | Path, seed: int, *, size: int | None = None) -> dict[str, Any]:
    """What a case file defines, as the arguments of `check`.

    Args:
        path: the file. It is run as a module named "halfulp_case" with its own folder on the import path.
        seed: passed to its `inputs`. size: passed as `size`, where `inputs` has that argument.

    Returns:
        "actual", "expected", "inputs", those of "declared", "reference", "gradients", "keywords" that it defines, all its names
        under "names", its text under "source".

    Raises:
        CaseFileError: the file is missing, does not run, lacks a name, or its `inputs` fails; the message says which.
    """
    file = Path(path)
    names, source = run_file(file)
    missing = [name for name in ("actual", "expected", "inputs") if name not in names]
    if missing:
        raise CaseFileError(
            f"Got {file} without {' or '.join(f'`{name}`' for name in missing)}. "
            "Needed: `actual` and `expected` (two callables) and `inputs(seed)`, which returns a tuple of tensors. "
            f"The two are compared on those inputs. {_instead(names, missing)}"
            f"Define {' and '.join(f'`{name}`' for name in missing)} at the top level of the file."
        )
    for name in ("actual", "expected", "inputs"):
        if not callable(names[name]):
            raise CaseFileError(
                f"Got {name} of type {type(names[name]).__name__} in {file}. Needed: a callable"
                f"{' that takes the seed' if name == 'inputs' else ''}. It is called several times. "
                f"Define it with def {name}(...)."
            )
        if trouble := trouble_with(names[name], name):
            raise CaseFileError(f"{trouble} `{name}` is defined in {file}.")
    try:
        inputs = names["inputs"](seed, **({"size": size} if size is not None and _takes_size(names["inputs"]) else {}))
    except (Exception, SystemExit) as error:
        raise CaseFileError(
            f"Got {type(error).__name__} from inputs({seed}) in {file}: {error}\n{_frames(error, file)}"
            "Needed: a function of the seed that returns a tuple of tensors. Neither implementation was run. Next: "
            f"{_next_step(error, '`inputs`')}"
        ) from error
    if inputs is None:
        raise CaseFileError(
            f"Got None from inputs({seed}) in {file}. Needed: a tuple of tensors. A function without a `return` gives None. Return the "
            f"arguments "
            "of both functions, () where they take none."
        )
    found = {name: names[name] for name in ("actual", "expected", *OPTIONAL) if name in names}
    return {**found, "inputs": inputs, "names": names, "source": source}


def _similar(file: Path) -> str:
    """A file of nearly that name beside it, as a question."""
    near = difflib.get_close_matches(file.name, [path.name for path in file.parent.glob("*.py")] if file.parent.is_dir() else [], n=1)
    return f"Did you mean {file.with_name(near[0])}? " if near else "`halfulp demo` runs five such files. "


def run_file(file: Path) -> tuple[dict[str, Any], str]:
    """The names that a Python file defines, and its text. It is run as a module named "halfulp_case", its folder on the import path.

    Raises:
        CaseFileError: it is missing, is no Python, or fails.
    """
    if not file.is_file():
        raise CaseFileError(
            f"Got {file}, which is not a file. Needed: a Python file with `actual`, `expected` and `inputs(seed)`. "
            f"{_similar(file)}Check the path."
        )
    try:
        with tokenize.open(file) as opened:  # in the encoding that it declares, as Python reads it
            source = opened.read()
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        raise CaseFileError(
            f"Got {file}, which can't be read as Python ({error}). Needed: a Python file with `actual`, `expected` and `inputs(seed)`. "
            "Nothing was checked. Save it as UTF-8."
        ) from error
    folder = str(file.resolve().parent)
    if folder not in sys.path:  # stays there: functions of the file may import their neighbors when they are called
        sys.path.insert(0, folder)
    try:
        names = runpy.run_path(str(file), run_name="halfulp_case")
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        raise CaseFileError(
            f"Got {type(error).__name__} while running {file}: {error}\n{_frames(error, file)}"
            f"Needed: a file that imports without error. Nothing was checked. Next: {_next_step(error, 'the file')}"
        ) from error
    return names, source


def _instead(names: dict[str, Any], missing: list[str]) -> str:
    """What a file defines that may have been meant, in a sentence; "" where there is nothing."""
    own = [name for name, value in names.items() if callable(value) and getattr(value, "__module__", "") == "halfulp_case"]
    others = [name for name in own if name not in ("actual", "expected", "inputs")]
    if not others or not {"actual", "expected"} & {*missing}:
        return ""
    return f"The file defines {', '.join(others[:6])} instead. "


def _next_step(error: BaseException, what: str) -> str:
    if device := missing_device(error):
        return device_advice(device, what)
    if isinstance(error, NotImplementedError):
        return "implement what is missing at the line above."
    return "fix the line above, or run the file with Python." if what == "the file" else "fix `inputs`."


def _takes_size(inputs: Callable[..., Any]) -> bool:
    try:
        return "size" in inspect.signature(inputs).parameters
    except (TypeError, ValueError):
        return False


def _frames(error: BaseException, file: Path) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    own = [place for place, frame in enumerate(frames) if Path(frame.filename).name == file.name]
    kept = frames[own[0] :] if own else frames[-1:]
    return "".join(traceback.format_list(kept[:8]))
