"""What every command has in common beyond Typer's: -h, flags without a type in the help, and --json with or without a path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

PRINTED = "-"
"""The path that stands for printing: what --json without a path means."""
TOLERANCES = ("--rtol", "--atol", "--tol", "--tolerance")
SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"]}


class Command(TyperCommand):
    """A command; see above."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Typer's, with the path of --json filled in.

        Raises:
            InputError: a tolerance for a command that needs none.
        """
        _untyped(self.get_params(ctx))
        _refuse_tolerance(args, {name for param in self.get_params(ctx) for name in param.opts})
        return super().parse_args(ctx, with_json_path(args))


class Group(TyperGroup):
    """A command with commands of its own; see above."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Typer's, with the path of --json filled in."""
        _untyped(self.get_params(ctx))
        return super().parse_args(ctx, with_json_path(args))


def with_json_path(args: Sequence[str]) -> list[str]:
    """Arguments in which every --json is followed by its path: what ends with .json is one, otherwise the JSON is printed.

    Example:
        >>> with_json_path(["--json", "case.py"]), with_json_path(["case.py", "--json", "out.json"])
        (['--json', '-', 'case.py'], ['case.py', '--json', 'out.json'])
    """
    made: list[str] = []
    for place, word in enumerate(args):
        made.append(word)
        if word == "--":
            return [*made, *args[place + 1 :]]
        following = args[place + 1] if place + 1 < len(args) else ""
        if word == "--json" and not (following.endswith(".json") or following == PRINTED):
            made.append(PRINTED)
    return made


def _refuse_tolerance(args: Sequence[str], known: set[str]) -> None:
    """Say what takes the place of a tolerance, where somebody used to other tools passes one."""
    from halfulp.errors import InputError

    given = next((word for word in args if word.partition("=")[0] in TOLERANCES and word.partition("=")[0] not in known), None)
    if given is not None:
        raise InputError(
            f"Got {given}. Needed: no tolerance. halfulp measures what rounding can do here and judges by that. Leave it out; `halfulp tolerance FILE.py` derives the rtol and atol that a test needs, and `halfulp compare A B --rtol` applies them to two files."
        )


def _untyped(params: Sequence[Any]) -> None:
    """Flags take no value, so the help names no type for them."""
    for param in params:
        if getattr(param, "is_flag", False) or param.name == "help":
            param.metavar = ""


def application_of(**options: Any) -> typer.Typer:
    """A Typer whose help is asked for by -h too."""
    return typer.Typer(context_settings=SETTINGS, **options)
