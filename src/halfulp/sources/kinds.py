"""Which kind of thing a word on the command line is. Decided by its looks; whether it is there is asked when it is read."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from enum import Enum
from pathlib import Path

from ..errors import CaseFileError, InputError
from .expressions import free_names, is_known, parsed
from .tensor_files import KINDS as TENSOR_FILES
from .tensor_files import PICKLES

_OF_FILE = re.compile(r"^(?P<file>.+\.py):(?P<name>[A-Za-z_][\w.]*)$")
_OF_MODULE = re.compile(r"^(?P<module>[A-Za-z_]\w*(\.[A-Za-z_]\w*)*):(?P<name>[A-Za-z_][\w.]*)$")
_PATH = re.compile(r"^[\w./\\~:+-]+$")
_FILES = (
    ".py",
    ".onnx",
    ".xml",
    ".json",
    ".html",
    ".txt",
    ".csv",
    ".md",
    ".toml",
    ".yaml",
    ".ipynb",
    ".trace",
    ".bin",
    ".h5",
    ".tflite",
    ".pte",
)
"""Endings that are not attributes of anything: such a word is a file, whether it is there or not."""


class Kind(str, Enum):
    """What a word stands for."""

    CASE_FILE = "a case file"
    NAME = "a name in a file or module"
    EXPRESSION = "an expression"
    ONNX = "an ONNX model"
    TENSORS = "a file of tensors"
    TRACE = "a trace"

    def __str__(self) -> str:
        return self.value


def kind_of(word: str, inputs: Iterable[str] = ()) -> Kind:
    """What a word stands for.

    Args:
        word: as it was typed. inputs: the names of inputs that were given, which expressions may use.

    Raises:
        CaseFileError: it looks like a file, and there is none. InputError: it is nothing that can be compared.
    """
    path = Path(word)
    suffix = path.suffix.lower()
    if _is_folder(path) or _is_folder(Path(word + ".partial")):
        return Kind.TRACE
    if _OF_FILE.match(word) or _OF_MODULE.match(word):
        return Kind.NAME
    if suffix == ".py":
        return Kind.CASE_FILE
    if suffix == ".onnx":
        return Kind.ONNX
    if suffix in (*TENSOR_FILES, *PICKLES) and _PATH.match(word):
        return Kind.TENSORS
    if _is_file(path):
        raise InputError(
            f"Got {word}, a file {'of kind ' + repr(suffix) if suffix else 'without an extension'}. Needed: a case file (.py), FILE.py:name, an ONNX model, tensors "
            f"({', '.join(TENSOR_FILES)}), a trace, or an expression. Other files hold neither functions nor their results. Check the path."
        )
    if _is_missing_file(word, suffix, set(inputs)):
        raise CaseFileError(
            f"Got {word}, which is not a file. Needed: a case file, FILE.py:name or package.module:name, an ONNX model, a file of tensors, a trace, or "
            'an expression such as "x @ W.T + b". There is nothing of that name here. Check the path.'
        )
    parsed(word)
    return Kind.EXPRESSION


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):  # a long expression is not a path
        return False


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _is_missing_file(word: str, suffix: str, inputs: set[str]) -> bool:
    """Whether a word is a bare one that nothing has, or a path."""
    if suffix in _FILES and _PATH.match(word):
        return True
    if not _PATH.match(word):
        return False
    try:
        tree = parsed(word)
    except InputError:
        return True
    names = free_names(tree)
    if not names:  # numbers, torch.exp
        return False
    if isinstance(tree.body, (ast.Name, ast.Attribute)):
        return not {*names} & inputs
    return not any(name in inputs for name in names) and "/" in word and not any(is_known(name) for name in names)


def file_and_name(word: str) -> tuple[str, str, bool]:
    """FILE.py:name or package.module:name as (file or module, name, whether it is a file)."""
    found = _OF_FILE.match(word)
    if found is not None:
        return found["file"], found["name"], True
    found = _OF_MODULE.match(word)
    assert found is not None
    return found["module"], found["name"], False
