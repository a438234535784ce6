"""The command line: one file per subcommand. What a subcommand needs is imported when it is called."""

from __future__ import annotations

import sys

import typer

from ..errors import HalfulpError
from . import (
    audit,
    backends,
    bench,
    check,
    ci,
    compare,
    datasheet,
    demo,
    doctor,
    env,
    explain,
    growth,
    locate,
    matrix,
    merge,
    order,
    overlay,
    plot,
    record,
    report,
    repro,
    tolerance,
)
from .output import say

app = typer.Typer(
    name="halfulp",
    help="Rounding or mistake? A verdict with evidence on two implementations that should agree.",
    epilog="Exit codes: 0 acceptable, 1 not acceptable, 2 usage error, 3 undecided.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("audit")(audit.audit)
app.command("check")(check.check)
app.command("ci")(ci.ci)
app.command("compare")(compare.compare)
app.command("demo")(demo.demo)
app.command("doctor")(doctor.doctor)
app.command("explain")(explain.explain)
app.command("growth")(growth.growth)
app.command("locate")(locate.locate)
app.command("matrix")(matrix.matrix)
app.command("merge")(merge.merge)
app.command("order")(order.order)
app.command("overlay")(overlay.overlay)
app.command("plot")(plot.plot)
app.command("record")(record.record)
app.command("report")(report.report)
app.command("repro")(repro.repro)
app.command("tolerance")(tolerance.tolerance)
app.add_typer(backends.app, name="backends")
app.add_typer(bench.app, name="bench")
app.add_typer(env.app, name="env")
app.add_typer(datasheet.app, name="datasheet")


def main() -> None:
    """Entry point of the `halfulp` command."""
    # Consoles whose encoding lacks a character of a table print a substitute instead of failing.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # pyright: ignore[reportUnknownMemberType, reportAttributeAccessIssue]
    try:
        app()
    except SystemExit as ended:
        if ended.code == 130:  # Ctrl-C, which Typer takes
            typer.echo("halfulp: interrupted.", err=True)
        raise
    except HalfulpError as error:
        say(f"halfulp: {error}", err=True)
        raise SystemExit(2) from None
    except Exception as error:
        import traceback

        traceback.print_exc()
        typer.echo(
            f"halfulp: got {type(error).__name__} from inside halfulp: this is a mistake of halfulp's. Please report the lines above.",
            err=True,
        )
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        typer.echo("halfulp: interrupted.", err=True)
        raise SystemExit(130) from None
