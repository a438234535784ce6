"""The command line: one file per subcommand. What a subcommand needs, and the subcommand itself, is imported when it is called."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import HalfulpError

if TYPE_CHECKING:
    import typer

    app: typer.Typer

COMMANDS = (
    "audit", "check", "ci", "compare", "demo", "doctor", "explain", "growth", "kernel", "locate", "matrix", "mcp", "merge", "order", "overlay",
    "plot", "record", "report", "repro", "results", "skill", "sweep", "tolerance", "worst",
)  # fmt: skip
"""Commands: a file of that name has a function of that name."""
GROUPS = ("backends", "bench", "env", "datasheet")
"""Groups of commands: a file of that name has an `app`."""


def application(names: Iterable[str] = (*COMMANDS, *GROUPS)) -> typer.Typer:
    """The command line with these commands alone: importing all of them takes longer than comparing two files."""
    import typer

    from .commands import SETTINGS, Command, Group

    made = typer.Typer(
        name="halfulp",
        help="Rounding or mistake? A verdict with evidence on two implementations that should agree.",
        epilog="Start with: halfulp check my_case.py. To see an example: halfulp demo. Exit codes: 0 acceptable, 1 not acceptable, 2 usage error, 3 undecided.",
        no_args_is_help=True,
        context_settings=SETTINGS,
        pretty_exceptions_enable=False,
    )

    def printed(wanted: bool) -> None:
        if wanted:
            typer.echo(version())
            raise typer.Exit

    @made.callback()
    def halfulp(  # pyright: ignore[reportUnusedFunction]
        version: bool = typer.Option(False, "--version", callback=printed, is_eager=True, help="Print the version."),
    ) -> None:
        """Rounding or mistake? A verdict with evidence on two implementations that should agree."""

    for name in names:
        module = import_module(f".{name}", __name__)
        if name in GROUPS:
            made.add_typer(module.app, name=name, cls=Group)
        else:
            made.command(name, cls=Command, context_settings=SETTINGS)(getattr(module, name))
    return made


@functools.cache
def _whole() -> typer.Typer:
    return application()


def __getattr__(name: str) -> Any:
    if name == "app":
        return _whole()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def version() -> str:
    """What --version prints."""
    import halfulp

    return f"halfulp {halfulp.__version__}"


def main() -> None:
    """Entry point of the `halfulp` command."""
    # Consoles whose encoding lacks a character of a table print a substitute instead of failing.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # pyright: ignore[reportUnknownMemberType, reportAttributeAccessIssue]
    given = sys.argv[1:]
    if given == ["--version"]:
        print(version())
        raise SystemExit(0)
    try:
        run = application(given[:1]) if given and given[0] in (*COMMANDS, *GROUPS) else _whole()
        run()
    except SystemExit as ended:
        if ended.code == 130:  # Ctrl-C, which Typer takes
            print("halfulp: interrupted.", file=sys.stderr)
        raise
    except HalfulpError as error:
        from .output import say

        say(f"halfulp: {error}", err=True)
        raise SystemExit(2) from None
    except Exception as error:
        import traceback

        traceback.print_exc()
        print(
            (f"halfulp: got {type(error).__name__} from inside halfulp: this is a bug in halfulp. Please report the lines above."),
            file=sys.stderr,
        )
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        print("halfulp: interrupted.", file=sys.stderr)
        raise SystemExit(130) from None
