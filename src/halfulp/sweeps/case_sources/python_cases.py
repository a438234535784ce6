"""Cases that a plan in Python makes: its function `cases(subject, seed)` yields what is checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, get_args

from ...cases.casefile import run_file
from ...errors import InputError
from .sample import Call, Form, Group, Sample

OPTIONS = ("declared", "reference", "keywords", "gradients")
KEYS = ("actual", "expected", "inputs", "setting", "call", *OPTIONS)


@dataclass(frozen=True)
class PythonCases:
    """The cases of a plan in Python.

    Args:
        part: its place in the plan. file: of the plan.

    The file defines `subjects`, a list of names or a function that gives one, and `cases(subject, seed)`, which yields for each case a dict
    with "actual", "expected" and "inputs", and if it likes "setting", "call" (how the function reads in Python, where `expected` is the same in
    float64; or a dict with the fields of `Call`) and the options of `check`. `actual_name` and `expected_name` say what the two sides are called.
    """

    is_seeded: ClassVar[bool] = True
    part: int = 0
    file: str = ""

    def paths(self) -> list[Path]:
        """The plan itself."""
        return [Path(self.file)]

    def groups(self) -> Iterator[Group]:
        """A subject.

        Raises:
            InputError: the file has no `subjects` or `cases`. CaseFileError: it can't be run.
        """
        names = names_of(self.file)
        subjects: Any = names.get("subjects")
        found = subjects() if callable(subjects) else subjects
        if not isinstance(found, (list, tuple)) or not all(isinstance(name, str) for name in found) or not callable(names.get("cases")):
            raise InputError(
                f"Got {self.file} without `subjects` or `cases`. Needed: `subjects`, a list of names, and `cases(subject, seed)`, which yields "
                "a dict with actual, expected and inputs for each case. Both say what is checked. Define them."
            )
        for subject in found:
            yield Group("cases", self.part, subject, str(names.get("actual_name", "actual")), str(names.get("expected_name", "expected")))

    def samples(self, group: Group, seed: int) -> list[Callable[[], Sample]]:
        """What `cases` yields for a subject, all at once.

        Raises:
            InputError: it yields something else.
        """
        seen = Counter[str]()

        def maker(number: int, given: Any) -> Callable[[], Sample]:
            lacking = [key for key in KEYS[:3] if not isinstance(given, dict) or key not in given]
            unknown = [key for key in given if key not in KEYS] if isinstance(given, dict) else []
            if lacking or unknown:
                what = f"without {lacking[0]!r}" if lacking else f"with {unknown[0]!r}"
                raise InputError(
                    f"Got a case {number} of {group.subject} {what}. Needed: a dict with {', '.join(KEYS[:3])}, and if you like {', '.join(KEYS[3:])}. "
                    "These say what is checked. Fix what `cases` yields."
                )
            options = {name: given[name] for name in OPTIONS if name in given}
            setting = str(given.get("setting", f"case {number}"))
            seen[setting] += 1
            setting += f" ({seen[setting]})" if seen[setting] > 1 else ""
            call = _call(given["call"], f"a case {number} of {group.subject}") if "call" in given else None
            return lambda: Sample(setting, given["actual"], given["expected"], given["inputs"], options, call)

        return [maker(number, given) for number, given in enumerate(names_of(self.file)["cases"](group.subject, seed), 1)]


def _call(given: Any, case: str) -> Call:
    """How a case reads in Python.

    Raises:
        InputError: it is neither a name nor a dict with the fields of `Call`.
    """
    if isinstance(given, str):
        return Call(given, given, "float64")
    fields: dict[str, Any] = {"expected": "", **given} if isinstance(given, dict) else {}
    forms = get_args(Form)
    if not {"actual", "expected"} <= set(fields) <= set(Call._fields) or any(
        not isinstance(value, str) or (name in ("given", "taken") and value not in forms) for name, value in fields.items()
    ):
        raise InputError(
            f"Got {given!r} as the call of {case}. Needed: the name of a function, or a dict with `actual` and, if you like, `expected`, and `given` "
            f"and `taken`, which are one of {', '.join(map(repr, forms))}. A finding becomes a program that calls these. Fix what `cases` yields."
        )
    return Call(**fields)


def names_of(file: str) -> dict[str, Any]:
    """What a plan in Python defines; it is run once, and again after it was changed.

    Raises:
        CaseFileError: it is missing, or can't be run.
    """
    path = Path(file)
    return _run(file, path.read_bytes() if path.is_file() else b"")


@lru_cache(maxsize=4)
def _run(file: str, _content: bytes) -> dict[str, Any]:
    return run_file(Path(file))[0]
