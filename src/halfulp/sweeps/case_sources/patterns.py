"""Names and files chosen by patterns, as a shell has them: "special.*" takes all that begin so, and "!special.airy*" takes some of them away."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence
from pathlib import Path

from ...errors import InputError


def chosen(names: Iterable[str], patterns: Sequence[str], what: str) -> list[str]:
    """The names that fit one of the patterns and none of those with a "!", in their own order.

    Raises:
        InputError: a pattern fits none.
    """
    every = list(names)
    wanted = [pattern for pattern in patterns if not pattern.startswith("!")] or ["*"]
    unwanted = [pattern[1:] for pattern in patterns if pattern.startswith("!")]
    for pattern in (*wanted, *unwanted):
        if not fnmatch.filter(every, pattern):
            raise InputError(
                f"Got {pattern!r} for {what}. Needed: a name or a pattern that fits one of {len(every)} of them, such as {', '.join(every[:3])}. "
                "* stands for any text. Check the spelling."
            )
    return [
        name
        for name in every
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in wanted)
        and not any(fnmatch.fnmatchcase(name, pattern) for pattern in unwanted)
    ]


def files_of(folder: str, patterns: Sequence[str], what: str) -> list[str]:
    """The Python files in a folder that fit patterns, relative to it, each once.

    Args:
        what: is looked for, for the message.

    Raises:
        InputError: a pattern fits none, or is an absolute path.
    """
    found: dict[str, None] = {}
    for pattern in patterns:
        files = [] if Path(pattern).is_absolute() else sorted(file for file in Path(folder).glob(pattern) if file.suffix == ".py")
        if not files:
            raise InputError(
                f"Got {pattern!r} in {folder}. Needed: a path or a pattern, relative to that folder, that fits {what} in Python. Nothing was run. "
                "Check the path; `folder` names another folder."
            )
        found.update(dict.fromkeys(file.relative_to(folder).as_posix() for file in files))
    return list(found)
