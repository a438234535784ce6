"""GitHub annotations: a line for each case that fails, shown beside its code."""

from __future__ import annotations

from ...sweeps.watch import Watch, Watched


def workflow_commands(watch: Watch) -> str:
    """Workflow commands, one line each; "" where nothing is to be said.

    References:
        GitHub, Workflow commands for GitHub Actions, "Setting an error message"; escapes as in @actions/core, command.ts.
    """
    lines = [_line(case) for case in watch.cases if case.exit_code or case.change in ("better", "changed")]
    lines += [f"::warning title=halfulp::{_data(f'{name} is in the baseline and was not run')}" for name in watch.missing]
    return "\n".join(lines)


def _line(watched: Watched) -> str:
    level = "notice" if not watched.exit_code else "warning" if watched.exit_code == 3 else "error"
    verdict = watched.verdict.name if watched.verdict is not None else "not run"
    before = f", was {watched.before.name}" if watched.before is not None and watched.before is not watched.verdict else ""
    title = f"{watched.name}: {verdict}{before}"
    return f"::{level} file={_property(watched.file)},line={watched.line},title={_property(title)}::{_data(watched.reason)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
