"""Exported programs of torch.export: run node by node, so that what is recorded knows the nodes of the graph."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch.utils import _pytree as pytree

from ..errors import InputError
from ..process.dispatch import DispatchMode
from .names import relative

if TYPE_CHECKING:
    from .recorder import Recorder

_LAST_LINE = re.compile(r'File "([^"]+)", line (\d+), in (\S+)')


class ExportedFunction:
    """An exported program as a function.

    Args:
        program: of torch.export.export, or read from a .pt2 file.

    Attributes:
        module: the `nn.Module` that PyTorch makes of it.
    """

    def __init__(self, program: torch.export.ExportedProgram) -> None:
        self.program = program
        self.module: Any = program.module()

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """What the program computes."""
        return self.module(*arguments, **keywords)

    def node_by_node(self, recorder: Recorder, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        """Run it under a recorder that is told each node: its module, and "%" with its name, and the line it comes from."""

        class Told(torch.fx.Interpreter):
            def run_node(self, n: torch.fx.Node) -> Any:
                with recorder.node(*module_of(n), f"%{n.name}{_line(n)}"):
                    return super().run_node(n)

        spec: Any = self.program.call_spec
        tree, wanted = pytree.tree_flatten((tuple(arguments), _in_order(keywords, spec.in_spec)))
        if wanted != spec.in_spec:
            raise InputError(
                f"Got inputs of structure {wanted}, which is not that of the exported program. Needed: {spec.in_spec}. The program was "
                "exported for that structure. Pass the arguments and keywords that it was exported with."
            )
        results = Told(self.module, garbage_collect_values=False).run(*tree, enable_io_processing=False)
        return pytree.tree_unflatten(list(results), spec.out_spec)


@dataclass(frozen=True)
class NodeOp:
    """An op that a node of an exported graph runs.

    Attributes:
        node: its name in the graph. module: dotted path. op: overload, as it is recorded.
    """

    node: str
    module: str
    op: str


def ops_of(program: torch.export.ExportedProgram) -> list[NodeOp]:
    """The ops that the nodes of a graph run, in order. Nothing is computed: tensors have shapes alone."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    found: list[NodeOp] = []
    names: list[tuple[str, str]] = [("", "")]

    class Seen(DispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if func.namespace != "prim":  # questions about shapes and devices
                found.append(NodeOp(*names[-1], str(func)))
            return func(*args, **(kwargs or {}))

    class Walked(torch.fx.Interpreter):
        def run_node(self, n: torch.fx.Node) -> Any:
            names[-1] = (n.name, module_of(n)[0])
            return super().run_node(n)

    placeholders = [node.meta["val"] for node in program.graph.nodes if node.op == "placeholder"]
    modes = [placeholder.fake_mode for placeholder in placeholders if hasattr(placeholder, "fake_mode")]
    with torch.no_grad(), modes[0] if modes else FakeTensorMode(), Seen():
        Walked(program.graph_module, garbage_collect_values=False).run(*placeholders, enable_io_processing=False)
    return found


def exported(model: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> torch.export.ExportedProgram:
    """The exported program of a module; a program itself as it is.

    Raises:
        InputError: it is no module, or torch.export can't take it.
    """
    if isinstance(model, torch.export.ExportedProgram):
        return model
    if not isinstance(model, torch.nn.Module):
        raise InputError(
            f"Got {type(model).__name__} to export. Needed: an nn.Module or an exported program. torch.export gives a graph for those "
            "only. Make `expected` a module."
        )
    try:
        with torch.no_grad():
            return torch.export.export(model, tuple(arguments), dict(keywords))
    except Exception as error:
        raise InputError(
            f"Got {type(error).__name__} from torch.export.export: {str(error).strip().partition(chr(10))[0]}. Needed: a module that it "
            "can export. The numbers are keyed to its graph. Call torch.export.export on it by itself to see what it says."
        ) from error


def read_program(path: Path) -> torch.export.ExportedProgram:
    """A program from a .pt2 file.

    Raises:
        InputError: the file is missing, or holds none.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of PyTorch 2.4 about its own use of pickle
            return torch.export.load(path)
    except Exception as error:
        what = "which is not a file" if not path.is_file() else f"which torch.export.load can't read ({type(error).__name__})"
        raise InputError(
            f"Got {path}, {what}. Needed: a .pt2 file that torch.export.save wrote, with a PyTorch no newer than this one. The numbers "
            "are shown at the nodes of its graph. Check the path, or export again."
        ) from error


def module_of(node: torch.fx.Node) -> tuple[str, int]:
    """The dotted path of the module that a node comes from, and which of the module's calls: "layers.3@1" is the second.

    PyTorch writes the call after the key of the module's entry, or after its path.
    """
    stack = list((node.meta.get("nn_module_stack") or {}).items())
    key, (path, _) = stack[-1] if stack else ("", ("", None))
    path, _, call = str(path).partition("@")
    call = call or str(key).partition("@")[2]
    return re.sub(r"^L\['self'\]\.?", "", path), int(call) if call.isdigit() else 0


def _line(node: torch.fx.Node) -> str:
    lines = _LAST_LINE.findall(node.meta.get("stack_trace") or "")
    return f" ({relative(lines[-1][0])}:{lines[-1][1]} {lines[-1][2]})" if lines else ""


def _in_order(keywords: Mapping[str, Any], spec: Any) -> dict[str, Any]:
    """Keywords in the order that the program was exported with."""
    given: Any = spec.child(1) if hasattr(spec, "child") else spec.children_specs[1]  # the name before PyTorch 2.10
    return {**{name: keywords[name] for name in given.context or () if name in keywords}, **keywords}
