"""Names of ops stand in `ops/` alone: a second list of them would drift."""

import ast
from pathlib import Path

import halfulp
from halfulp.ops import OPS

SOURCE = Path(halfulp.__file__).parent
OTHER_LEVEL = ("backends", "causes", "datasheets", "examples", "benchmarks")
"""Rooms that speak of functions which users call (`F.layer_norm`), with sizes and options; not of ATen's ops."""
MOST = 2
"""Two names in a condition are a case, three are a list."""


def texts(node):
    """The strings of a collection, or of a string that is split."""
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return [elt.value for elt in node.elts if isinstance(elt, ast.Constant) and isinstance(elt.value, str)]
    if isinstance(node, ast.Dict):
        return [key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split":
        return node.func.value.value.split() if isinstance(node.func.value, ast.Constant) and isinstance(node.func.value.value, str) else []
    return []


def lists(source, file="a.py"):
    """Collections of more than two names of ops, as (file, the first name, line)."""
    for node in ast.walk(ast.parse(source)):
        words = texts(node)
        names = [word for word in words if word in OPS and word not in WORDS]
        if len(set(names)) > MOST and len(names) * 2 > len(words):
            yield file, names[0], node.lineno


WORDS = {
    "mean",
    "max",
    "min",
    "median",
    "norm",
    "sum",
    "any",
    "all",
    "to",
    "set",
    "item",
    "real",
    "clone",
    "copy",
    "equal",
    "index",
    "round",
}
"""Names of ops that are words, too: of statistics, of methods."""


def test_no_other_room_lists_ops():
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        file = path.relative_to(SOURCE).as_posix()
        if file.startswith("ops/") or file.split("/")[0] in OTHER_LEVEL:
            continue
        found += lists(path.read_text(), file)
    assert not found


def test_the_fence_sees_lists_of_each_kind():
    for source in (
        'A = ("mm", "bmm", "addmm")',
        'A = frozenset("mm bmm addmm".split())',
        'A = {"mm": 1, "bmm": 2, "addmm": 3}',
        'x in ["exp", "log", "tanh"]',
    ):
        assert list(lists(source))
    assert not list(lists('A = ("mean", "max", "min")')) and not list(lists('x in ("mm", "bmm")'))
