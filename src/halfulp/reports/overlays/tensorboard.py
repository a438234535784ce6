"""Scalars for TensorBoard: the walk as curves along the model, and what each layer adds at a step of training."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ...errors import InputError, install_command
from ...origins import Origin

Scalar = tuple[str, float, int]
"""Tag, number, step."""


def scalars(origin: Origin, step: int = 0) -> Iterator[Scalar]:
    """What is written.

    Args:
        origin: of `locate`. step: of the training, for the scalars of layers.

    Yields:
        "along the model/..." with the place in the walk as the step: total, inherited and added relative differences, and what is added
        in units of the limit of rounding. "times the limit, by layer/MODULE" at `step`: the largest such number of the layer.
    """
    layers: dict[str, float] = {}
    for place, point in enumerate(origin.walk):
        yield "along the model/total", point.total, place
        yield "along the model/inherited", point.inherited, place
        yield "along the model/added", point.added, place
        yield "along the model/added, in units of the limit", point.excess, place
        layer = point.module or "(outermost)"
        layers[layer] = max(layers.get(layer, 0.0), point.excess)
    for layer, excess in layers.items():
        yield f"times the limit, by layer/{layer}", excess, step


def write_scalars(origin: Origin, folder: Path, step: int = 0) -> int:
    """Add them to a log folder of TensorBoard.

    Returns:
        How many were written.

    Raises:
        InputError: TensorBoard is not installed, or the folder can't be written.
    """
    try:
        from tensorboard.summary import Writer
    except ModuleNotFoundError as error:
        raise InputError(
            "Got no package tensorboard. Needed: TensorBoard. halfulp uses it to write the log files. Install it: "
            f"{install_command('tensorboard')}."
        ) from error
    count = 0
    try:
        writer = Writer(str(folder))
        for tag, number, place in scalars(origin, step):
            writer.add_scalar(tag, number, place)
            count += 1
        writer.close()
    except OSError as error:
        raise InputError(
            f"Got {folder}, which can't be written to ({error.strerror}). Needed: a log folder of TensorBoard, or a new one. Scalars are added "
            "to it. Choose another."
        ) from error
    return count
