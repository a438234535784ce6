"""The tools of halfulp over the Model Context Protocol: check, locate, explain and tolerance, for whatever assistant calls them.

They run the code that they are given, as the assistant's own shell would. What that code prints goes to standard error, because standard
output carries the protocol.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Generator
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

import halfulp

from ..errors import HalfulpError, shortened
from ..sources.given import Given, given
from ..words.visible import visible
from . import skill

LONGEST = 12_000
"""Characters of a report that go back to the assistant: what fits into its attention. JSON of the command line has everything."""


def server() -> MCPServer:
    """The server, with its tools; `server().run()` serves on standard input and output."""
    made = MCPServer(name="halfulp", version=halfulp.__version__, instructions=skill())
    for tool in (check, locate, explain, tolerance):
        made.tool(structured_output=True)(tool)
    return made


def check(
    actual: str, expected: str = "", inputs: str = "", declared: str = "", gradients: bool = False, search: bool = False, seed: int = 0
) -> dict[str, Any]:
    """Decide whether the difference between two implementations is rounding or a mistake.

    Args:
        actual: a case file (actual, expected, inputs(seed)), FILE.py:name, package.module:name, an expression such as "x @ W.T + b", an
            ONNX model, or a file of stored results.
        expected: what it must agree with, in the same forms; "" where `actual` is a case file with both sides.
        inputs: such as "x=randn(8, 64), W=randn(32, 64)"; "" where the file says it.
        declared: the precision that actual is entitled to (float32, tf32, bfloat16, float16 ...); "" for that of the inputs.
        gradients: also compare gradients. search: also try tails, ties, cancellation and other nasty inputs. seed: passed to inputs.

    Returns:
        verdict, acceptable (null: undecided), reason, warnings, and the report.
    """
    with _running(actual, expected, inputs, seed) as case:
        found = halfulp.check(case.actual, case.expected, case.inputs, seed=seed, search=search, **_options(case, declared, gradients))
    return {**_judged(found), "reason": found.reason, "warnings": list(found.warnings)}


def locate(actual: str, expected: str = "", inputs: str = "", declared: str = "", gradients: bool = False, seed: int = 0) -> dict[str, Any]:
    """Find the first module, op and line at which two implementations differ by more than rounding. Arguments as for check.

    Returns:
        verdict, acceptable, module, op, source, because, and the report.
    """
    with _running(actual, expected, inputs, seed) as case:
        options = _options(case, declared, gradients)
        options.pop("reference", None)
        found = halfulp.locate(case.actual, case.expected, case.inputs, seed=seed, **options)
    return {**_judged(found), "module": found.module, "op": found.op, "source": found.source, "because": visible(found.because)}


def explain(
    actual: str, expected: str = "", inputs: str = "", declared: str = "", gradients: bool = False, seed: int = 0, budget_s: float = 60.0
) -> dict[str, Any]:
    """Find out why two implementations differ: changes one thing at a time and names the cause and its remedy. Arguments as for check.

    Returns:
        verdict, acceptable, causes (name, statement, remedy, share of the difference, confidence, side, place), and the report.
    """
    with _running(actual, expected, inputs, seed) as case:
        found = halfulp.explain(
            case.actual, case.expected, case.inputs, seed=seed, budget_s=budget_s, **_options(case, declared, gradients)
        )
    names = ("name", "statement", "remedy", "share", "confidence", "side", "place")
    causes = [{name: getattr(cause, name) for name in names} for cause in found.causes]
    return {**_judged(found.result, found), "causes": causes}


def tolerance(expected: str, inputs: str = "", declared: str = "", seed: int = 0) -> dict[str, Any]:
    """Derive the rtol and atol that a test of this function needs, from how far rounding moves it. Arguments as for check.

    Returns:
        rtol, atol, and the report.
    """
    with _running(expected, "", inputs, seed, one_side=True) as case:
        found = halfulp.tolerance(case.expected, case.draw, declared or case.options.get("declared"), keywords=case.options.get("keywords"))
    return {"rtol": found.rtol, "atol": found.atol, "report": _report(found)}


@contextlib.contextmanager
def _running(actual: str, expected: str, inputs: str, seed: int, *, one_side: bool = False) -> Generator[Given]:
    """What was given, for as long as it runs; errors as one message that says what to do.

    Raises:
        ToolError: with the text of the error, which the protocol hands to the assistant.
    """
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield given([actual, expected], inputs=inputs or None, seed=seed, one_side=one_side)
    except HalfulpError as error:
        raise ToolError(shortened(str(error), lines=20, characters=4000)) from error


def _options(case: Given, declared: str, gradients: bool) -> dict[str, Any]:
    options = dict(case.options)
    return {**options, **({"declared": declared} if declared else {}), **({"gradients": True} if gradients else {})}


def _judged(found: Any, whole: Any = None) -> dict[str, Any]:
    return {"verdict": found.verdict.name, "acceptable": found.acceptable, "report": _report(found if whole is None else whole)}


def _report(found: Any, draw: Callable[..., str] = halfulp.report) -> str:
    text = draw(found)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n... (cut here; the command line prints all of it)"
