"""noise_of(case): how far rounding moves each output, from samples.

`expected` is run in float64 with each op's rounding errors added at random (`NoiseMode`). Where its ops can't be seen
(NumPy code, a foreign runtime) those of `actual` are used, and where neither can, the inputs are moved by one rounding.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from ..cases import LIFTED, NATIVE, Case, Precision, Run, Unavailable, Variant
from ..cases.gradients import RETURNED
from ..cases.inputs import by_parts, can_move, map_arrays
from ..cases.sides import repeatable
from ..differences import Leaf
from ..errors import InputError
from ..floats import Format
from ..ops.deviation import FIRST_SAMPLES, ROUNDING_RMS, SAMPLES
from .noise import FloatArray, LeafNoise, Noise, gain_of, profile, scaled_error
from .noise_mode import NoiseMode
from .passes import OPS, Model, Unseen, passes_of

INPUTS = "inputs"
"""The method where ops can't be seen: the inputs are moved by a rounding."""


def noise_of(
    case: Case,
    *,
    samples: int = SAMPLES,
    declared: Format | None = None,
    accumulate: bool = True,
    coarse_sums: bool = False,
    product_loss: float = 1.0,
    amplitude: float = 1.0,
    profiles: bool = False,
    rounds: str = OPS,
    enough: Callable[[Noise], bool] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Noise:
    """Sample how far rounding moves each output of `expected`.

    Args:
        case: the case; its runs are used and remembered.
        samples: how many passes with noise.
        declared: the precision whose rounding is sampled; that of the case by default.
        accumulate: False for the rounding of data alone (see `rules.OpError`).
        coarse_sums: whether sums are accumulated in the precision itself.
        product_loss: what products may lose, see `rules.OpError`.
        amplitude: how many standard deviations each op is moved by.
        profiles: whether the samples' means along each axis are kept.
        rounds: what is rounded where the precision has fewer bits than the data: OPS (their results alone), STATE (parameters and buffers
            too: `actual` may hold its own) or DATA (inputs too, which both sides share and `actual` may store otherwise).
        enough: asked once, after the first few samples: whether no more are needed.
        progress: called before each sample with how many there are so far, and will be.

    Returns:
        Noise whose spread is that for amplitude 1 (samples with another amplitude are not scaled back).

    Numerics:
        An estimate, first order in each op and of all orders through the function: rounding errors are independent, mean zero,
        of the size that round to nearest gives in the declared precision; sums may be added in any order.
    """
    model = Model(
        declared or case.declared,
        samples,
        accumulate,
        coarse_sums,
        product_loss=product_loss,
        amplitude=amplitude,
        profiles=profiles,
        rounds=rounds,
    )
    known = {} if case.known is None or case.reference is not None else case.known.facts
    for is_whole in (False, True) if enough is not None else (True,):
        noise = known.get((model, is_whole))
        if isinstance(noise, Noise) and (is_whole or (enough is not None and enough(noise))):
            return noise
    return _sampled(case, model, enough, progress if progress is not None else lambda *_: None, known)


def _sampled(
    case: Case, model: Model, enough: Callable[[Noise], bool] | None, told: Callable[[int, int], None], known: dict[Any, Any]
) -> Noise:
    """The noise from samples, kept among what is `known` of `expected` if it is from its ops."""
    notes: list[str] = []
    lifted: Run | Unavailable | None = None  # where the ops of `expected` are seen, the measuring pass is that run
    for name in ("expected", "actual"):
        passes: list[tuple[Leaf, ...]] = []
        try:
            for mode, outputs in passes_of(case, name, model, told):
                passes.append(outputs)
                is_asked = enough is not None and len(passes) == 1 + FIRST_SAMPLES
                if not is_asked and len(passes) <= model.samples:
                    continue
                if name == "expected":
                    center, source = passes[0], reference_of(case, mode)
                elif isinstance(lifted, Run):
                    center, source = lifted.outputs, reference_of(case, None)
                else:  # the spread of `actual` is borrowed, its values are not
                    center, source = case.native("expected").outputs, "expected in its own precision"
                noise = _collect(case, model, center, passes[0], passes[1:], f"ops of {name}", dict(mode.counted), source, notes)
                if name == "expected":
                    known[model, len(passes) > model.samples] = noise
                if len(passes) > model.samples or (enough is not None and enough(noise)):
                    return noise
        except Unseen as unseen:
            lifted = lifted or case.run("expected", Variant(case.finest))
            if name == "actual" or isinstance(lifted, Run):
                notes.append(str(unseen))
    assert lifted is not None
    if isinstance(lifted, Unavailable):
        notes.append(lifted.reason)
    return _perturb_inputs(case, model, lifted, notes)


def noise_of_side(case: Case, name: str, declared: Format) -> Noise | None:
    """How far rounding in a precision moves what one side gives in float64, by its own ops; None where these can't be seen.

    Args:
        case: whose side. name: which. declared: the precision, float64 itself too.
    """
    model = Model(declared, SAMPLES, True, False, product_loss=1.0, amplitude=1.0, profiles=False, rounds=OPS)
    found = _sample_ops(case, name, model, lambda *_: None)
    if isinstance(found, str):
        return None
    mode, passes = found
    return _collect(case, model, passes[0], passes[0], passes[1:], f"ops of {name}", dict(mode.counted), f"{name} in float64", [])


def noise_of_inputs(case: Case, declared: Format | None = None) -> Noise | None:
    """How far one rounding of each input, to the declared precision or another, moves what `expected` gives in float64.

    Returns:
        None where that can't be run.
    """
    lifted = case.run("expected", Variant(case.finest))
    if case.finest is Precision.NATIVE or not isinstance(lifted, Run):
        return None
    model = Model(declared or case.declared, SAMPLES, True, False, product_loss=1.0, amplitude=1.0, profiles=False, rounds=OPS)
    return _perturb_inputs(case, model, lifted, [])


def reference_of(case: Case, mode: NoiseMode | None) -> str:
    """Where the reference comes from, in words."""
    if case.finest is not Precision.NATIVE:
        return "expected in float64"
    return (
        "expected, products in doubled precision" if mode is not None and mode.counted.get("doubled") else "expected in its own precision"
    )


def _sample_ops(case: Case, name: str, model: Model, told: Callable[[int, int], None]) -> tuple[NoiseMode, list[tuple[Leaf, ...]]] | str:
    """The outputs of the measuring pass and of each sample; a sentence when the ops can't be seen."""
    try:
        found = list(passes_of(case, name, model, told))
    except Unseen as unseen:
        return str(unseen)
    return found[0][0], [outputs for _, outputs in found]


def _collect(
    case: Case,
    model: Model,
    center: tuple[Leaf, ...],
    unmoved: tuple[Leaf, ...],
    passes: list[tuple[Leaf, ...]],
    method: str,
    ops: dict[str, int],
    source: str,
    notes: list[str],
) -> Noise:
    outside = _outside_reference(case)
    by_path = {leaf.path: leaf for leaf in unmoved}
    known = [{leaf.path: leaf for leaf in sample} for sample in passes]
    leaves: dict[str, LeafNoise] = {}
    for leaf in center:
        base = by_path.get(leaf.path, leaf).float64()
        moved = [entry[leaf.path].float64() if leaf.path in entry else None for entry in known]
        with np.errstate(invalid="ignore"):
            deviations = [np.asarray(array - base) for array in moved if array is not None and array.shape == base.shape]
        magnified = model.magnified if leaf.format is not None else 1.0
        for deviation in deviations:
            np.divide(deviation, magnified, out=deviation)
            deviation[~np.isfinite(deviation)] = 0.0
        reference = outside.get(leaf.path, leaf.float64())
        if deviations and base.shape == reference.shape:
            if method == INPUTS and leaf.dtype.startswith("complex"):
                deviations = [_of_both_parts(deviation) for deviation in deviations]
            leaves[leaf.path] = _leaf_noise(model, leaf, reference, deviations)
    return Noise(model.declared, leaves, method, len(passes), ops=ops, reference="reference" if outside else source, notes=tuple(notes))


def _of_both_parts(deviation: FloatArray) -> FloatArray:
    """The deviation of complex numbers, the same for both parts.

    Rounding is relative to their size (Higham, Accuracy and Stability, 2nd ed., lemma 3.5). Moved inputs don't show it where a symmetry
    keeps one part zero.
    """
    size = np.sqrt(np.mean(deviation**2, axis=-1, keepdims=True))
    return np.broadcast_to(size, deviation.shape)


def _leaf_noise(model: Model, leaf: Leaf, reference: FloatArray, deviations: list[FloatArray]) -> LeafNoise:
    storage = model.storage
    largest = functools.reduce(np.maximum, (np.abs(deviation) for deviation in deviations))
    unit = np.where(largest > 0, largest, 1.0)  # so that squares neither overflow nor vanish
    squares, changed = np.zeros(reference.shape), np.zeros(reference.shape)
    for deviation in deviations:
        scaled = deviation / unit
        squares += scaled * scaled
        changed += deviation != 0
    sampled = unit * np.sqrt(squares / len(deviations))
    changed /= len(deviations)
    if leaf.format is not None:
        magnitude = np.abs(np.where(np.isfinite(reference), reference, 0.0))
        # The stored result is rounded once more, and below the smallest normal number to a fixed spacing.
        step = np.where((magnitude < storage.min_normal) & (magnitude != 0), storage.min_subnormal / math.sqrt(12.0), 0.0)
        sampled = np.hypot(np.hypot(sampled, ROUNDING_RMS * storage.unit_roundoff * magnitude), step)
    spread = sampled
    profiles = _profiles(deviations, spread) if model.profiles and leaf.format is not None else {}
    gains = np.array([gain_of(deviation, reference) for deviation in deviations]) if leaf.format is not None else None
    return LeafNoise(leaf.path, reference, spread, changed, largest=largest, profiles=profiles, gains=gains)


def _profiles(deviations: list[FloatArray], spread: FloatArray) -> dict[int, FloatArray]:
    scaled = [scaled_error(deviation, spread) for deviation in deviations]
    return {axis: np.stack([profile(float_array, axis) for float_array in scaled]) for axis in range(spread.ndim)}


def _outside_reference(case: Case) -> dict[str, FloatArray]:
    """What `reference` returns, under the paths of what `expected` returns; gradients and state it need not have."""
    if case.reference is None:
        return {}
    run = case.run("reference", Variant(case.finest))
    assert isinstance(run, Run)  # a failing reference raises
    expected = _shapes(case.native("expected"))
    prefix = RETURNED if case.gradients else ""
    found = {prefix + leaf.path: leaf for leaf in run.outputs}
    if any(expected.get(path) != leaf.shape for path, leaf in found.items()):
        raise InputError(
            f"Got a reference that returns {_shapes(run)}. Needed: what `expected` returns, {expected}. "
            "Errors are measured element by element. Return the same structure and shapes from reference=."
        )
    return {path: leaf.float64() for path, leaf in found.items()}


def _shapes(run: Run) -> dict[str, tuple[int, ...]]:
    return {leaf.path: leaf.shape for leaf in run.outputs}


def _perturb_inputs(case: Case, model: Model, lifted: Run | Unavailable, notes: list[str]) -> Noise:
    """The last resort: move each input by one rounding of the declared precision and watch `expected`."""
    lifts = isinstance(lifted, Run) and case.finest is not Precision.NATIVE
    variant = LIFTED if lifts else NATIVE
    center = lifted.outputs if isinstance(lifted, Run) else case.native("expected").outputs
    generator = torch.Generator().manual_seed(case.seed)
    # In the native precision a step below half an ulp would vanish: take at least one ulp there.
    u = model.amplitude * model.magnified * (ROUNDING_RMS if lifts else 2.0) * model.declared.unit_roundoff

    # Below the smallest normal number the spacing is fixed.
    step = model.amplitude * model.magnified * model.storage.min_subnormal / math.sqrt(12.0) if lifts else 0.0

    @by_parts
    def move(value: torch.Tensor) -> torch.Tensor:
        if not value.is_floating_point() or value.layout != torch.strided:
            return value
        random = torch.randn(tuple(value.shape), generator=generator, dtype=torch.float64).to(value)
        size = value.detach().abs()
        amount = torch.where((size < model.storage.min_normal) & (size > 0), torch.clamp(u * size, min=step), u * size)
        return (value.detach() + amount * random).to(value.dtype).requires_grad_(value.requires_grad)

    def move_array(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        if array.dtype.kind not in "fc":
            return array
        return move(torch.from_numpy(np.ascontiguousarray(array))).numpy().reshape(array.shape)

    passes: list[tuple[Leaf, ...]] = []
    side = case.expected
    # Tokens can't be moved by a rounding; then what they pick can.
    of_state = None if can_move((case.inputs, case.keywords)) else lambda _, tensor: move(tensor)
    try:
        for _ in range(model.samples):
            arguments, keywords = map_arrays(case.arguments(side, variant), move, move_array)
            with case.precision_of(side, variant.precision), side.state.exchanged(of_state), repeatable(case.seed):
                result = case.evaluate(side, arguments, keywords)
                passes.append(case.collected(side, result, arguments, keywords))
    except Exception as error:
        notes.append(f"`expected` fails on inputs moved by one rounding: {type(error).__name__}")
        passes = [center]
    source = "expected in float64" if lifts else "expected in its own precision"
    return _collect(case, model, center, center, passes, INPUTS, {}, source, notes)
