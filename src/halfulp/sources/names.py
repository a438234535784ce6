"""FILE.py:name and package.module:name: what stands there, built where it is a builder."""

from __future__ import annotations

import importlib
import inspect
import os
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import nn

from ..cases.casefile import run_file
from ..cases.troubles import device_advice, missing_device
from ..errors import CaseFileError, InputError
from .kinds import file_and_name

SIDES = ("actual", "expected")


@dataclass(frozen=True)
class Named:
    """What a name stands for.

    Attributes:
        value: a function, a module, or what a builder gave: two functions, a case.
        names: all names of the file or module. source: the text of the file, "" of a module.
    """

    value: Any
    names: Mapping[str, Any]
    source: str = ""


@dataclass(frozen=True)
class Built:
    """What a builder gave, taken apart.

    Attributes:
        functions: by side; one under "actual" where there is only one. inputs: the arguments, or a function of the seed; None where there are none.
        options: of a check (`declared`, `reference` ...).
    """

    functions: Mapping[str, Any]
    inputs: Any = None
    options: Mapping[str, Any] = field(default_factory=dict)


def load_name(word: str, seed: int) -> Named:
    """What a name stands for; builders are called.

    Args:
        word: FILE.py:name or package.module:name. seed: where random numbers start while a file runs and a builder builds.

    Raises:
        CaseFileError: no such file, module or name, or one that fails.
    """
    place, name, is_file = file_and_name(word)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        names, source = run_file(Path(place)) if is_file else (_module(place), "")
        value: Any = names
        for part in name.split("."):
            missing = part not in value if isinstance(value, Mapping) else not hasattr(value, part)
            if missing:
                raise CaseFileError(
                    f"Got {word}, and {place} has no {part!r}. Needed: a function, an nn.Module, or a function that builds one, defined at the top level of {place}. {place} defines {', '.join(_callables(names)[:12]) or 'none'}."
                )
            value = value[part] if isinstance(value, Mapping) else getattr(value, part)
        return Named(_built(value, word), names, source)


def _module(name: str) -> Mapping[str, Any]:
    if os.getcwd() not in sys.path:  # as `python -m` does
        sys.path.insert(0, os.getcwd())
    try:
        return vars(importlib.import_module(name))
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
            raise CaseFileError(
                f"Got the module {name}, but Python can't find {error.name}. Needed: one that Python can import, from this folder or from the installed packages. Nothing was "
                "run. Check the name, or give a path: FILE.py:name."
            ) from None
        raise CaseFileError(_failed(error, f"while importing {name}")) from error
    except (Exception, SystemExit) as error:
        raise CaseFileError(_failed(error, f"while importing {name}")) from error


def _failed(error: BaseException, what: str) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    lines = "".join(traceback.format_list([frame for frame in frames if not frame.filename.startswith(("<frozen", _PACKAGE))][-4:]))
    device = missing_device(error)
    step = device_advice(device, "it") if device else "fix the line above."
    return f"Got {type(error).__name__} {what}: {error}\n{lines}Needed: code that runs. Nothing was compared. Next: {step}"


_PACKAGE = str(Path(__file__).parents[1])


def _callables(names: Mapping[str, Any]) -> list[str]:
    return sorted(key for key, value in names.items() if callable(value) and not key.startswith("_"))


def _built(value: Any, word: str) -> Any:
    """What a builder makes; anything that is not a builder as it is.

    A builder is a function or a class of modules that takes no argument. A function without arguments that returns numbers is one under test.
    """
    is_class = inspect.isclass(value) and issubclass(value, nn.Module)
    if not (is_class or inspect.isfunction(value)) or not _takes_nothing(value):
        return value
    try:
        made = value()
    except (Exception, SystemExit) as error:
        raise CaseFileError(_failed(error, f"from {word}()")) from error
    return made if taken_apart(made) is not None else value


def _takes_nothing(value: Any) -> bool:
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return False
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    required = [part for part in parameters if part.default is part.empty and part.kind not in kinds]
    return not required and (inspect.isclass(value) or not list(parameters))


def taken_apart(made: Any) -> Built | None:
    """One function, two, a function with its inputs, or a case, as parts; None of anything else (numbers)."""
    if isinstance(made, Mapping):
        return _of_names(made)
    if isinstance(made, (tuple, list)) and made and callable(made[0]) and not isinstance(made[0], torch.Tensor):
        if len(made) == 1:
            return Built({"actual": made[0]})
        if len(made) == 2 and not callable(made[1]):
            return Built({"actual": made[0]}, made[1])
        if len(made) in (2, 3) and callable(made[1]):
            return Built(dict(zip(SIDES, made)), made[2] if len(made) == 3 else None)
        return None
    if callable(made) and not isinstance(made, torch.Tensor):
        return Built({"actual": made})
    if all(hasattr(made, name) for name in SIDES):
        return _of_names({name: getattr(made, name) for name in (*SIDES, "inputs", *_OPTIONS) if hasattr(made, name)})
    return None


_OPTIONS = ("declared", "reference", "gradients", "keywords")


def _of_names(made: Mapping[Any, Any]) -> Built | None:
    functions = {name: made[name] for name in SIDES if callable(made.get(name))}
    if not functions:
        return None
    return Built(functions, made.get("inputs"), {name: made[name] for name in _OPTIONS if name in made})


def inputs_beside(named: Named, seed: int, size: int | None) -> Any:
    """What `inputs(seed)` beside a name gives; None where there is no such function.

    Raises:
        CaseFileError: it fails.
    """
    make = named.names.get("inputs")
    if not callable(make):
        return None
    return called_inputs(make, seed, size)


def called_inputs(make: Any, seed: int, size: int | None) -> Any:
    """What a function of the seed (and the size) gives as inputs.

    Raises:
        CaseFileError: it fails, or gives nothing.
    """
    try:
        parameters = inspect.signature(make).parameters
        found = make(seed, **({"size": size} if size is not None and "size" in parameters else {}))
    except (Exception, SystemExit) as error:
        raise CaseFileError(_failed(error, f"from inputs({seed})")) from error
    if found is None:
        raise CaseFileError(
            f"Got None from inputs({seed}). Needed: a tuple of arguments. A function without a `return` gives None. Return them."
        )
    return found


def require_one_function(built: Built, word: str) -> Any:
    """The only function that a word gives.

    Raises:
        InputError: it gives two, where another word stands beside it.
    """
    if len(built.functions) != 1:
        raise InputError(
            f"Got two functions from {word}, and another argument beside it. Needed: one function from each of two arguments, or two from one. halfulp can't tell which two to compare. Leave the other argument out."
        )
    return next(iter(built.functions.values()))
