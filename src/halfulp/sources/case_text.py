"""Two expressions and their inputs as the case file that says the same: what a result keeps, and where a first try goes on from."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from .expressions import MODULES, is_known

_IMPORTS = {
    "math": "import math",
    "np": "import numpy as np",
    "torch": "import torch",
    "F": "import torch.nn.functional as F",
    "nn": "from torch import nn",
}


def case_text(typed: str, texts: Mapping[str, str], names: Sequence[str], code: Sequence[str]) -> str:
    """A case file.

    Args:
        typed: the words after the command. texts: the expression of each side. names: of the inputs. code: the lines that make them.
    """
    body = "\n".join([*texts.values(), *(line.strip() for line in code)])
    used = {node.id for text in [*texts.values(), *code] for node in _walk(text) if isinstance(node, ast.Name)}
    modules = [line for name, line in _IMPORTS.items() if name in used or (name == "torch" and "torch." in body)]
    import builtins

    bare = sorted(name for name in used if is_known(name) and name not in MODULES and name not in names and not hasattr(builtins, name))
    lines = [f"# halfulp check {typed}", *modules]
    if bare:
        lines.append(f"from torch import {', '.join(bare)}")
    for side, text in texts.items():
        lines += ["", "", f"def {side}({', '.join(names)}):", f"    return {' '.join(text.split())}"]
    sized = any(isinstance(node, ast.Name) and node.id == "size" for line in code for node in _walk(line))
    return "\n".join([*lines, "", "", f"def inputs(seed{', size=256' if sized else ''}):", *code]) + "\n"


def _walk(text: str) -> list[ast.AST]:
    try:
        return list(ast.walk(ast.parse(text.strip())))
    except SyntaxError:  # "return x" outside of a function is parsed too; nothing else comes here
        return []
