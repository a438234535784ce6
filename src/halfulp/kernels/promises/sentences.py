"""Sentences: the prose of a problem, its docstrings and comments, cut into sentences of one line each.

Items of a list, rows of a table and descriptions of one name are sentences of their own, and so are the sentences within them: each begins
with the name that it is about, "x: finite".
"""

from __future__ import annotations

import ast
import io
import itertools
import re
import tokenize
from collections.abc import Iterator, Sequence

NAME = r"[A-Za-z_]\w*"

NAMES = rf"{NAME}(?:, ?{NAME}){{0,5}}"
ABOUT = re.compile(rf"({NAME})\s*(?:\([^()]*\))?\s*:(?!:)")
"""What a description of one name begins with: "kernel_size (int):"."""
ITEM = re.compile(
    rf"\n\s*(?:[-*•]|\d+[.)])\s+|\n\s*\n|\n[ \t]*(?={NAMES}(?:[ \t]*\([^()\n]*\))?[ \t]*:[ \t])|(?<=\.)[ \t]+(?={NAMES}[ \t]+:[ \t])"
)
"""Where a list item, a paragraph, or the description of one name begins."""
BULLET = re.compile(r"[ \t]*[-*•][ \t]")
ROW = re.compile(
    rf"\n(?P<space>[ \t]*)(?P<name>{NAMES})(?:[ \t]{{2,}}(?=[A-Za-z\d\[({{])|[ \t]+(?=(?:float|int|uint|bfloat|bool|fp|bf)\d*\b))",
)
"""Where a row of a table begins: a name, and after some space its description."""
DASHED = re.compile(
    rf"(?P<start>^|\n)(?P<space>[ \t]*(?:[-*•][ \t]+)?)(?P<name>{NAME})(?P<kind>(?:[ \t]*\([^()\n]*\))?)"
    rf"[ \t]+(?:[–—]|--|-(?=[ \t]+[A-Za-z]+[ \t]+[A-Za-z]))[ \t]+"
)
"""A name that a dash separates from its description, "x - the input of shape (..., D)"."""
PARAMETER = re.compile(rf"(?:^|\n)[ \t]*:param[ \t]+(?:\w+[ \t]+)?(?P<name>{NAME}):")
BOLD = re.compile(r"(?<![\w)*])\*\*([^\s*][^*\n]*)\*\*(?![\w*])")
SHAPED = re.compile(r"^\s*(?:\w+\s*)?[\[(][^\[\]()]*[\])]")
"""What a description may begin with: a type and a shape, "float32 [B, T]"."""
QUALITY = re.compile(
    r"(?:(?:from\s+|between\s+)?-?\d[\d_]*\s*(?:\.\.|to\s|and\s)"
    r"|even|odd|positive|non-?negative|non-?zero|(?:a |always a )?(?:multiple|power)s? of|divisible by|at least|at most|up to|divides)\b"
)
"""How a clause about a name may begin when it leaves the name out."""
PREDICATE = re.compile(
    r"(?:is|are|must|may|might|can|cannot|could|has|have|holds?|contains?|need|needs|should|will|lies?|comes?|never|always)\b", re.I
)
"""How a sentence about a name may begin when it leaves the name out."""
END = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\bcf)(?<!\bvs)(?<!\bresp)(?<!w\.r\.t)(?<!\.\.)[.;](?=\s|$)")
BE = r"(?:is|are|must be|has to be|have to be|should be|needs? to be|will be)"
AND = re.compile(
    rf"\b(?P<name>{NAME}) {BE} (?P<first>(?:at least |at most |an? )?(?:\w+ ){{0,3}}?\w+) and "
    r"(?P<second>(?:divides|even|odd|positive|at least|at most|a multiple|a power)\b)"
)
"""Two things said of one name."""
COMPARED = re.compile(rf"\b(?P<name>{NAME}) {BE} (?:always |strictly )?(?=[<>]=? ?[\w-]|== ?[\w-])")
"""A verb before a sign of comparison, "y must be > 0"."""
AS_IN_CODE = str.maketrans({"≤": "<=", "≥": ">=", "’": "'", "−": "-", "∞": "inf", "±": "+-"})

ROLE = re.compile(r":(?:math|class|attr|func|meth|obj|ref|data|mod|code):(?=`)")
"""The markup of Sphinx before a quotation, ":math:`(N, C)`"."""
LATEX = (
    (re.compile(r"\\(?:text|mathrm|texttt)\{([^{}]*)\}"), r"\1"),
    (re.compile(r"_\{(\w+)\}"), r"_\1"),
    (re.compile(r"\\_"), "_"),
    (re.compile(r"\\leq?\b"), "<="),
    (re.compile(r"\\geq?\b"), ">="),
    (re.compile(r"\\times\b"), "x"),
    (re.compile(r"\\infty\b"), "inf"),
)
"""Formulas in LaTeX, and how the same is written in code."""
NUMPYDOC = re.compile(rf"(?:^|.*[.:])[ \t]*{NAMES}[ \t]+:[ \t]+\S")
"""A line of numpydoc, "x : array, (T, D)"; its description follows on lines that are indented more."""

LONGEST = 600
"""Characters of a sentence. Longer ones are not read, because searching them takes time that grows with the square of their length."""


def sentences_of(prose: str) -> list[str]:
    """The sentences of a text, one line each, with comparison signs as in code; two things said of one name become two statements.

    An item that begins with a name is about that name to its end.
    """
    prose = ROLE.sub("", prose)
    for pattern, plain in LATEX if "\\" in prose or "_{" in prose else ():
        prose = pattern.sub(plain, prose)
    prose = PARAMETER.sub(r"\n\g<name>: ", BOLD.sub(r"\1", prose.replace("`", "").translate(AS_IN_CODE)))
    prose = "\n".join(_with_descriptions_apart(prose.split("\n")))
    prose = DASHED.sub(r"\g<start>\g<space>\g<name>\g<kind>: ", prose)
    prose = "\n".join(_with_ends_of_items(ROW.sub(r"\n\g<space>\g<name>: ", prose).split("\n")))
    sentences: list[str] = []
    for point in ITEM.split(prose):
        first, *others = [sentence.strip() for sentence in END.split(" ".join(point.split()))]
        about = ABOUT.match(first)
        if about is None:
            sentences += [first, *others]
            continue
        clauses = [clause.strip() for sentence in (SHAPED.sub("", first[about.end() :]), *others) for clause in sentence.split(",")]
        sentences += [first, *_all_about(about[1], others)]
        sentences += [f"{about[1]} is {clause}" for clause in clauses if QUALITY.match(clause)]
    short = (COMPARED.sub(r"\g<name> ", sentence) for sentence in sentences if 0 < len(sentence) <= LONGEST)
    return [AND.sub(r"\g<name> is \g<first>, \g<name> \g<second>", sentence) for sentence in short]


def _all_about(name: str, sentences: Sequence[str]) -> Iterator[str]:
    """The sentences in the description of a name, each beginning with it, up to one that describes another name."""
    for sentence in filter(None, sentences):
        about = ABOUT.match(sentence)
        name = about[1] if about is not None else name
        yield sentence if about is not None else f"{name}{' ' if PREDICATE.match(sentence) else ': '}{sentence}"


def _with_descriptions_apart(lines: Sequence[str]) -> Iterator[str]:
    """Lines, with a full stop after one of numpydoc that a description follows."""
    for line, after in itertools.zip_longest(lines, lines[1:], fillvalue=""):
        deeper = len(after) - len(after.lstrip()) > len(line) - len(line.lstrip())
        is_head = bool(after.strip()) and deeper and len(line) <= LONGEST and NUMPYDOC.match(line) is not None
        yield f"{line.rstrip().rstrip('.')}." if is_head else line


def _with_ends_of_items(lines: Sequence[str]) -> Iterator[str]:
    """Lines, with an empty one where a line that is indented less than an item ends it, or no more than a list and opens a sentence."""
    depth, is_list = 0, False
    for line in lines:
        indent = len(line) - len(line.lstrip())
        ends_list = is_list and indent <= depth and line.lstrip()[:1].isupper() and not ITEM.match(f"\n{line}")
        if line.strip() and (indent < depth or ends_list):
            yield ""
            depth, is_list = 0, False
        if ITEM.match(f"\n{line}"):
            depth, is_list = indent, BULLET.match(line) is not None
        yield line


def prose_of(text: str) -> str:
    """The docstrings and comments of a file."""
    found: list[str] = []
    try:
        tree = ast.parse(text)
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (SyntaxError, ValueError, tokenize.TokenError):
        return ""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            found.append(ast.get_docstring(node) or "")
    comments = [(token.start[0], token.string.lstrip("# ")) for token in tokens if token.type == tokenize.COMMENT]
    for _, lines in itertools.groupby(enumerate(comments), lambda entry: entry[1][0] - entry[0]):
        found.append(" ".join(words for _, (_, words) in lines))
    return ". ".join(part.strip().rstrip(".") for part in found if part.strip())
