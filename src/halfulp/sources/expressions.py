"""Expressions on the command line: "x @ W.T + b". Parsed and looked through before anything is computed, then run like any function.

What an expression may name is what computes: functions of torch, F, nn, np and math, and the inputs. This keeps a slip from touching files; it
is not a sandbox. An expression is the user's own command line, and runs with the user's rights.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import functools
import linecache
import math
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from ..errors import InputError

MODULES: dict[str, types.ModuleType] = {"torch": torch, "F": F, "nn": nn, "np": np, "math": math}
"""What the names of modules stand for."""

_WITHIN = (torch, nn, F, torch.linalg, torch.fft, torch.special, torch.autograd, torch.func, nn.init, np, np.linalg, np.fft, math)
"""Modules that an expression may go through by dots."""

_BUILTINS = "abs bool complex dict enumerate float int len list max min pow range reversed round slice sorted sum tuple zip".split()

_MAKERS = (
    "arange as_tensor bernoulli complex compile empty eye from_numpy full full_like iinfo finfo linspace logspace normal no_grad ones ones_like "
    "poisson rand rand_like randint randint_like randn randn_like randperm tensor tril_indices triu_indices vander vmap zeros zeros_like "
    "Size Tensor device dtype enable_grad inference_mode Generator pi inf nan"
).split()
"""Of torch, besides its functions of tensors."""

_REFUSED = frozenset(
    "load save savez savez_compressed savetxt loadtxt genfromtxt fromfile fromregex memmap open_memmap DataSource tofile dump dumps lib ctypeslib "
    "f2py testing from_file format format_map frompyfunc seterrcall share_memory_ share_memory ctypes data_ptr getbuffer setflags".split()
)
"""Attributes that read or write files, reach memory, or reach what has no name here."""

_NODES = (
    ast.Expression, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Call, ast.keyword, ast.Attribute, ast.Name, ast.Constant, ast.Tuple,
    ast.List, ast.Dict, ast.Subscript, ast.Slice, ast.IfExp, ast.Starred, ast.ListComp, ast.GeneratorExp, ast.comprehension, ast.Lambda,
    ast.arguments, ast.arg, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context,
)  # fmt: skip

LONGEST = 10_000
"""Characters: more is a program, which belongs into a file."""


def parsed(text: str, what: str = "an expression") -> ast.Expression:
    """The tree of an expression.

    Args:
        text: Python. what: which one it is, for messages.

    Raises:
        InputError: it is none, or too long.
    """
    if len(text) > LONGEST:
        raise InputError(
            f"Got {what} of {len(text):,} characters. Needed: at most {LONGEST:,}. Longer code belongs in a file. Give FILE.py:name."
        )
    try:
        return ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        said = error.msg if isinstance(error, SyntaxError) else type(error).__name__
        raise InputError(
            f"Got {text.strip()[:80]!r} as {what}, which is not a Python expression ({said}). Needed: one such as 'x @ "
            "W.T + b'. Statements and imports belong in a file. Give FILE.py:name for a function in a file."
        ) from None


def free_names(tree: ast.AST) -> list[str]:
    """The names in a tree that stand for inputs: those that it does not bind itself and that are no known function, in their order."""
    bound = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    bound |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    names.sort(key=lambda node: (node.lineno, node.col_offset))
    return [name for name in dict.fromkeys(node.id for node in names) if name not in bound and not is_known(name)]


def is_known(name: str) -> bool:
    """Whether a bare name is one of a module or function."""
    return name in MODULES or name in _BUILTINS or _of_torch(name) is not None


def looked_through(tree: ast.Expression, names: Iterable[str], text: str, *, makes_inputs: bool = False) -> None:
    """Refuse what an expression is not for.

    Args:
        names: of the inputs, and of what else it may name. text: for messages. makes_inputs: whether it says what the inputs are (-i).

    Raises:
        InputError: it names something unknown, or something that does more than compute.
    """
    inputs = list(dict.fromkeys(names))
    names = set(inputs)
    bound = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    bound |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    for name in sorted(bound):
        if name.startswith("_"):
            raise _refusal(text, name)
    for node in ast.walk(tree):
        if not isinstance(node, _NODES):
            raise _refusal(text, ast.unparse(node) if isinstance(node, ast.expr) else type(node).__name__)
        if isinstance(node, ast.Constant) and isinstance(node.value, bytes):
            raise _refusal(text, "bytes")
        if isinstance(node, ast.Attribute):
            _attribute(node, text, names | bound)
        elif isinstance(node, ast.Name) and not (node.id in names or node.id in bound or is_known(node.id)):
            raise InputError((_unknown_in_inputs if makes_inputs else _unknown)(node.id, inputs, text))


def _attribute(node: ast.Attribute, text: str, inputs: set[str]) -> None:
    """Refuse an attribute that is private, does more than compute, or is not there."""
    if node.attr.startswith("_") or node.attr in _REFUSED:
        raise _refusal(text, ast.unparse(node))
    path = _dotted(node)
    if path is None or path[0] in inputs or path[0] not in MODULES:
        return
    found: Any = MODULES[path[0]]
    for name in path[1:]:
        if not isinstance(found, types.ModuleType):
            return
        if found is torch and not _is_module(getattr(torch, name, None)):
            found = _of_torch(name)
        else:
            found = getattr(found, name, None)
        if found is None or (isinstance(found, types.ModuleType) and found not in _WITHIN):
            raise _refusal(text, ast.unparse(node))


def _is_module(value: Any) -> bool:
    return isinstance(value, types.ModuleType)


def _dotted(node: ast.expr) -> list[str] | None:
    """The names of a.b.c; None of anything else."""
    path: list[str] = []
    while isinstance(node, ast.Attribute):
        path.append(node.attr)
        node = node.value
    return [node.id, *reversed(path)] if isinstance(node, ast.Name) else None


@functools.cache
def _functions_of_tensors() -> frozenset[int]:
    """What takes tensors and can be overridden: PyTorch's own list of its functions."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = torch.overrides.get_overridable_functions()
    return frozenset(id(function) for function in found[torch])


def _of_torch(name: str) -> Any:
    """The function, maker of tensors or dtype of that name in torch; None where there is none that only computes."""
    if name.startswith("_") or name in _REFUSED:
        return None
    found = getattr(torch, name, None)
    if found is None or _is_module(found):
        return None
    if name in _MAKERS or isinstance(found, torch.dtype) or id(found) in _functions_of_tensors():
        return found
    return None


def _refusal(text: str, what: str) -> InputError:
    return InputError(
        f"Got {what[:60]!r} in the expression {text.strip()[:80]!r}. Needed: functions of torch, F, nn, np and math, operators, and inputs. An "
        "expression computes from its inputs and does nothing else. Put anything else in a file, and give FILE.py:name."
    )


def _unknown(name: str, names: list[str], text: str) -> str:
    hint = _nearest(name, names)
    given = f"The {'input is' if len(names) == 1 else 'inputs are'} {', '.join(names)}. " if names else "There are no inputs. "
    return (
        f"Got the name {name} in the expression {text.strip()[:80]!r}. Needed: an input, or a function of torch, F, nn, np or math. {given}{hint}"
        f'To add {name} as an input, add it to -i: -i "{"".join(f"{known}=..., " for known in names)}{name}=randn(4, 8)".'
    )


def _unknown_in_inputs(name: str, names: list[str], text: str) -> str:
    return (
        f"Got the name {name} in -i {text.strip()[:80]!r}. Needed: a function of torch, F, nn, np or math, or one of {', '.join(names)}. Inputs "
        f"are made from these, and from inputs that are written before them. {_nearest(name, names)}For a tensor of a file: {name}=load('FILE.npy')."
    )


def _nearest(name: str, names: list[str]) -> str:
    near = [known for known in names if known.lower() == name.lower()] or difflib.get_close_matches(name, names, n=1, cutoff=0.3)
    return f"Did you mean {near[0]}? " if near else ""


def scope(names: Iterable[str] = ()) -> dict[str, Any]:
    """What the names of an expression stand for, those of inputs aside."""
    known: dict[str, Any] = {name: getattr(builtins, name) for name in _BUILTINS}
    known |= {name: found for name in names if name not in known and (found := _of_torch(name)) is not None}
    # What PyTorch imports while an op is watched, it imports as the code that calls the op would; no expression can name this.
    return {"__builtins__": {"__import__": builtins.__import__}, **known, **MODULES}


def function_of(text: str, names: Iterable[str], side: str) -> Callable[..., Any]:
    """An expression as a function of the inputs.

    Args:
        text: the expression; a function by its name ("F.gelu") stands for itself.
        names: of the inputs, in their order, all of which it takes. side: what it is called in tracebacks.

    Raises:
        InputError: see `looked_through`.
    """
    tree, names = parsed(text), list(names)
    looked_through(tree, names, text)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    known = scope(used)
    path = _dotted(tree.body)
    if path is not None and path[0] not in names and (len(path) > 1 or is_known(path[0])):
        value = _evaluated(tree, known, side, text)
        if callable(value):
            return value
    arguments = ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
    made = ast.Expression(ast.Lambda(arguments, tree.body))
    function = _evaluated(ast.fix_missing_locations(made), known, side, text)
    function.__name__ = function.__qualname__ = side
    return function


def _evaluated(tree: ast.Expression, known: dict[str, Any], side: str, text: str) -> Any:
    file = f"<{side}: {text.strip()[:60]}>"
    linecache.cache[file] = (len(text), None, [text.strip() + "\n"], file)  # tracebacks and audits show the line
    return eval(compile(tree, file, "eval"), known)


def value_of(node: ast.expr, names: Mapping[str, Any], text: str, more: Mapping[str, Callable[..., Any]]) -> Any:
    """The value of a part of an expression.

    Args:
        names: of values that it may use. text: all of it, for messages. more: further functions.

    Raises:
        InputError: it is refused, or fails.
    """
    tree = ast.Expression(node)
    looked_through(tree, (*names, *more), text, makes_inputs=True)
    used = {part.id for part in ast.walk(tree) if isinstance(part, ast.Name)}
    try:
        return eval(compile(ast.fix_missing_locations(tree), "<inputs>", "eval"), {**scope(used), **more, **names})
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            f"Got {type(error).__name__} from {ast.unparse(node)[:80]!r} in the inputs: {' '.join(str(error).split())[:200]}. Needed: something "
            "that makes a tensor, such as randn(4, 8) or randint(10, (4,)). Nothing was run. Correct it."
        ) from error
