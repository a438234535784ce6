"""The passes of a side in float64: the one that measures what each op rounds, and samples, each with other rounding errors."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from ..cases import GIVEN, Case, Inputs, Precision, Variant
from ..cases.inputs import map_arrays
from ..cases.precision_modes import Retyping
from ..cases.run import run_of
from ..cases.sides import Side, repeatable, taken_apart
from ..differences import Leaf
from ..floats import FLOAT32, FLOAT64, Format
from ..ops.deviation import MAGNIFIED
from .data import data_rounding, holds_finer_data
from .gaussians import GaussianPool
from .noise_mode import NoiseMode
from .rules import OpError
from .stored_results import stored_results
from .tape import Diverged, Tape

OPS, STATE, DATA = "ops", "state", "data"
"""What is rounded in a sample, see `noise_of`."""
ARRAYS = "arrays"
"""What captured NumPy arrays are called among the tensors of the state."""


@dataclass(frozen=True)
class Model:
    """What is sampled: see `noise_of`."""

    declared: Format
    samples: int
    accumulate: bool
    coarse_sums: bool
    product_loss: float
    amplitude: float
    profiles: bool
    rounds: str

    @property
    def magnified(self) -> float:
        """How many times too large the samples' errors are made, and their deviations divided by afterwards."""
        return MAGNIFIED if self.declared == FLOAT64 else 1.0

    @property
    def storage(self) -> Format:
        """The format that results are stored in."""
        return FLOAT32 if self.declared.name == "tf32" else self.declared


class Unseen(Exception):
    """The ops of a side can't be sampled; the text says why."""


def passes_of(
    case: Case, name: str, model: Model, told: Callable[[int, int], None], op_error: OpError | None = None
) -> Generator[tuple[NoiseMode, tuple[Leaf, ...]]]:
    """The outputs of the measuring pass, then of each sample, one after another; nothing of an earlier one is kept.

    Args:
        case: whose side. name: which. model: what is sampled. told: called before each sample.
        op_error: another rounding of single ops than that of the model.

    Raises:
        Unseen: the ops can't be seen, or not under the mode.
    """
    pool = GaussianPool(case.seed)
    op_error = op_error or OpError(
        model.declared, accumulate=model.accumulate, coarse_sums=model.coarse_sums, product_loss=model.product_loss
    )
    mode = NoiseMode(
        op_error, pool, stored=stored_results(case, name, model.storage) if model.storage.precision_bits < FLOAT32.precision_bits else None
    )
    moved = None
    if model.rounds != OPS and holds_finer_data(case, name, model.storage):
        moved = data_rounding(model.storage, pool, model.amplitude * model.magnified)
    for done in range(model.samples + 1):  # the first pass measures
        if done:
            told(done - 1, model.samples)
        try:
            sample = mode.sample(model.amplitude * model.magnified) if done else mode.measure()
            outputs = run_under(case, name, sample, moved if done else None, inputs_too=model.rounds == DATA, as_run=not done)
        except Exception as error:
            first_line = (str(error).strip().splitlines() or [""])[0]
            raise Unseen(f"the ops of `{name}` can't be sampled: {type(error).__name__}: {first_line}") from error
        if not mode.counted:
            raise Unseen(f"`{name}` calls no PyTorch op that rounds: its rounding can't be sampled op by op")
        yield mode, outputs
        del outputs


def run_under(
    case: Case,
    name: str,
    mode: contextlib.AbstractContextManager[Any],
    stored: Callable[[torch.Tensor], torch.Tensor] | None = None,
    given: Inputs = GIVEN,
    inputs_too: bool = True,
    as_run: bool = False,
    only: frozenset[str] | None = None,
) -> tuple[Leaf, ...]:
    """The outputs of one side run in float64 (eagerly, fused kernels taken apart) under a dispatch mode.

    Args:
        case: whose side. name: which. mode: the dispatch mode.
        stored: what becomes of each floating-point input, parameter and buffer before the run. given: the inputs of the run, see `Variant`.
        inputs_too: False leaves the inputs as they are. as_run: whether the mode changes nothing, so that this is the run in float64.
        only: the names of the state's tensors that become so; default: all.
    """
    side = case.side(name).eager
    variant = Variant(case.finest, given)
    arguments, keywords = case.arguments(side, variant)
    if stored is not None and inputs_too:
        arguments, keywords = map_arrays((arguments, keywords), stored, lambda array: _as_tensor(stored, array))
    of_state = None if stored is None else lambda name, tensor: stored(tensor) if only is None or name in only else tensor
    with (
        case.precision_of(side, variant.precision) as lifting,
        case.weights_moved(side, given),
        side.state.exchanged(of_state),
        _arrays_stored(side.state.arrays, stored if only is None or ARRAYS in only else None),
        repeatable(case.seed),
        taken_apart() if variant.precision is Precision.NATIVE else contextlib.nullcontext(),  # in another it is, already
    ):
        sampler = mode if isinstance(mode, NoiseMode) else None
        if sampler is not None and not as_run:
            played = _played(case, side, sampler, (arguments, keywords))
            if played is not None:
                return played
        tape = sampler.tape if sampler is not None and as_run else None
        if tape is not None:
            _begin(tape, case, side, lifting, (arguments, keywords))
        with mode:
            result = case.evaluate(side, arguments, keywords)
        if tape is not None:
            if lifting is not None and lifting.reads_numbers:
                tape.drop("it reads numbers out of tensors without going through an op")
            tape.end(result)
        outputs = case.collected(side, result, arguments, keywords)
    # Gradients are compared as PyTorch's own backward ops give them, not as the parts of fused ones do.
    if as_run and lifting is not None and given == GIVEN and stored is None and not case.gradients:
        case.keep(name, variant, run_of(outputs, lifting))
    return outputs


def _begin(tape: Tape, case: Case, side: Side, lifting: Retyping | None, given: Any) -> None:
    """Start a tape, where it will have seen all that counts."""
    if lifting is None:
        tape.drop("reads of numbers out of tensors are not being watched")
    elif case.watched:
        tape.drop("it writes into what it is given")
    elif side.state.arrays:
        tape.drop("it holds NumPy arrays")
    else:
        tape.begin(_tensors_of(side, given))
        lifting.reads_numbers = False


def _played(case: Case, side: Side, sampler: NoiseMode, given: Any) -> tuple[Leaf, ...] | None:
    """A sample by the tape; None where the function's own code has to make it."""
    if sampler.tape is None or sampler.tape.why:
        return None
    place = sampler.pool.place()
    try:
        with case.timed(side):
            return tuple(case.kept(leaf) for leaf in sampler.play(_tensors_of(side, given)))
    except (Diverged, RuntimeError):  # an op that fails on other numbers is the function's to meet
        sampler.pool.return_to(place)
        sampler.sample(sampler.amplitude)
        return None


def _tensors_of(side: Side, given: Any) -> list[torch.Tensor]:
    """The tensors that a run starts with, in order: those among its inputs, and those of its state."""
    found: list[torch.Tensor] = []
    map_arrays(given, found.append, lambda array: array)
    return [*found, *side.state.tensors().values()]


def _as_tensor(change: Callable[[torch.Tensor], torch.Tensor], array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """An array changed as a tensor would be."""
    return change(torch.from_numpy(np.ascontiguousarray(array))).numpy().reshape(array.shape) if array.dtype.kind in "fc" else array


@contextlib.contextmanager
def _arrays_stored(arrays: list[npt.NDArray[Any]], change: Callable[[torch.Tensor], torch.Tensor] | None) -> Generator[None]:
    """Captured NumPy arrays changed inside, as the state's tensors are."""
    kept = [(array, array.copy()) for array in arrays if change is not None and array.flags.writeable and array.dtype.kind == "f"]
    try:
        for array, before in kept:
            assert change is not None
            array[...] = change(torch.from_numpy(before.astype(np.float64))).numpy()
        yield
    finally:
        for array, before in kept:
            array[...] = before
