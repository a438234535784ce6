"""The operands of every command that runs something: one or two words, their inputs, engines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from .output import say

if TYPE_CHECKING:
    from ..sources.given import Given

WORDS = "A case file with `actual`, `expected` and `inputs(seed)`; FILE.py:name or package.module:name; an expression; an ONNX model; or a stored result: tensors or a trace."

Actual = Annotated[str, typer.Argument(metavar="ACTUAL", help=WORDS)]
MaybeActual = Annotated[Optional[str], typer.Argument(metavar="[ACTUAL]", help=WORDS)]
Expected = Annotated[
    Optional[str],
    typer.Argument(
        metavar="[EXPECTED]", help="What it is compared with, in the same forms; not needed when the first argument has both sides."
    ),
]
InputsOption = Annotated[
    Optional[str],
    typer.Option(
        "--inputs",
        "-i",
        help='"x=randn(32, 2048), W=randn(512, 2048)", or a file of tensors.',
        show_default="those of the file, model or trace",
    ),
]
BackendsOption = Annotated[
    Optional[str], typer.Option(help="Compare with this backend, or two backends with each other: onnxruntime,openvino.")
]


def taken(
    actual: str, expected: Optional[str], inputs: Optional[str], backends: Optional[str] = None, *, seed: int = 0, size: Optional[int] = None,
    one_side: bool = False, asked: str = "", quiet: bool = False,
) -> Given:  # fmt: skip
    """What was given, with what was chosen said on standard error.

    Args:
        asked: what needs functions on both sides, in words ("`explain` changes one thing at a time"); "" where a stored result will do.
        one_side: whether one function is enough. quiet: whether nothing is said.

    Raises:
        InputError: see `halfulp.sources.given`; or a stored result where a function is needed.
    """
    from halfulp.cases import require_runnable
    from halfulp.sources.given import given

    found = given([actual, expected or ""], inputs=inputs, backends=backends, seed=seed, size=size, one_side=one_side)
    if asked:
        require_runnable(asked, {"actual": found.actual, "expected": found.expected})
    if not quiet:
        for note in found.notes:
            say(f"Note: {note}.", err=True)
    return found


def in_words(actual: str, expected: Optional[str], inputs: Optional[str] = None, backends: Optional[str] = None) -> str:
    """What was given, as a shell would read it: for the next command, and for whoever reads the result later."""
    options = [*(("-i", inputs) if inputs is not None else ()), *(("--backends", backends) if backends is not None else ())]
    return " ".join(map(_quoted, [actual, *((expected,) if expected is not None else ()), *options]))


def _quoted(word: str) -> str:
    """A word as a shell reads it: in double quotes where that is all it takes, as people write expressions with text in them."""
    import shlex

    return shlex.quote(word) if "'" not in word or any(mark in word for mark in '"$`\\!') else f'"{word}"'


def options_of(found: Given, declared: Optional[str] = None, *, gradients: bool = False) -> dict[str, Any]:
    """The options of a check: those of the file, and before them those of the command line."""
    options = dict(found.options)
    if declared is not None:
        options["declared"] = declared
    if gradients:
        options["gradients"] = True
    return options
