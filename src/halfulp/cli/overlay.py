"""halfulp overlay FILE.py or ORIGIN.json"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from ..words.numbers import counted, with_article
from .output import say, writable

if TYPE_CHECKING:
    from ..origins import Origin


def overlay(
    source: Annotated[
        Path, typer.Argument(help="A case file whose `expected` is a module; or what `halfulp locate --json` printed.", metavar="FILE")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write: the graph, and node data beside it.")] = Path(
        "overlay"
    ),
    graph: Annotated[
        Optional[Path], typer.Option(help="For a stored result: the .pt2 file (torch.export.save) of its `expected`.", show_default="none")
    ] = None,
    tensorboard: Annotated[
        Optional[Path], typer.Option(help="Also add scalars to this log folder (needs the extra `tensorboard`).", show_default="none")
    ] = None,
    step: Annotated[int, typer.Option(min=0, help="The training step that the layers' scalars are logged under.")] = 0,
    seed: Annotated[int, typer.Option(help="For a case file: the seed passed to `inputs`.")] = 0,
) -> None:
    """Show the result of `halfulp locate` on the exported graph in Model Explorer, and in TensorBoard. Exits with 0."""
    import shlex

    import halfulp
    from halfulp.errors import InputError
    from halfulp.files import write_file
    from halfulp.recording.exported import ops_of, read_program
    from halfulp.reports.overlays import QUANTITIES, keyed, node_data, write_scalars

    if source.suffix == ".py":
        if graph is not None:
            raise InputError(
                f"Got a case file and --graph {graph}. Needed: only one of them. The graph of a case file is exported from its `expected`. Leave --graph out."
            )
        writable(output / "locate.json")
        origin, file = _located(source, output, seed)
        nodes = keyed(origin)
    else:
        found = halfulp.read_result(source)
        if not isinstance(found, halfulp.Origin):
            raise InputError(
                f"Got {source}, {with_article(type(found).__name__)}. Needed: a result of halfulp locate. Only such a result has a number for each op. Run halfulp locate --json."
            )
        origin, file = found, graph
        nodes = keyed(origin, ops_of(read_program(graph)) if graph is not None else ())
    if not nodes.points and tensorboard is None:
        raise InputError(
            f"Got {source}, in which no op could be matched to a node of {graph or 'a graph'}. Needed: a result of halfulp locate on an exported program, or the "
            ".pt2 file of its `expected`. Node data is keyed by the nodes of a graph. Pass --graph, or the case file itself."
        )
    if nodes.points:
        writable(output / "locate.json")
        files: list[str] = []
        for quantity in QUANTITIES:
            path = output / f"{quantity}.json"
            write_file(path, node_data(origin, nodes, quantity))
            files.append(str(path))
        count = len(origin.walk)
        say(
            f"{output}: {count - len(nodes.left)} of the {counted(count, 'value')} that locate compared, at {counted(len(nodes.points), 'node')}"
        )
        model = str(file) if file is not None else "MODEL.pt2"
        paths = ",".join(files)
        say(f"model-explorer {shlex.join([model, f'--node_data_paths={paths}'])}")
    if tensorboard is not None:
        say(f"{tensorboard}: scalars written: {write_scalars(origin, tensorboard, step)}")
        say(f"tensorboard --logdir {shlex.quote(str(tensorboard))}")


def _located(file: Path, output: Path, seed: int) -> tuple[Origin, Path]:
    """Export `expected`, walk along its nodes, and keep both."""
    import dataclasses
    import io

    import torch

    import halfulp
    from halfulp.cases import load_case_file
    from halfulp.files import write_file
    from halfulp.recording.exported import exported

    from .progress import steps_on_stderr

    loaded = load_case_file(file, seed)
    inputs = loaded["inputs"]
    arguments = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    keywords = loaded.get("keywords")
    program = exported(loaded["expected"], arguments, keywords or {})
    with steps_on_stderr(False) as progress:
        origin = halfulp.locate(
            loaded["actual"], program, inputs, declared=loaded.get("declared"), keywords=keywords, seed=seed, progress=progress
        )
    origin = dataclasses.replace(origin, case_file=loaded["source"])
    content = io.BytesIO()
    torch.export.save(program, content)
    write_file(output / "expected.pt2", content.getvalue())
    write_file(output / "locate.json", origin.to_json())
    say(halfulp.report(origin, form="answer"))
    return origin, output / "expected.pt2"
