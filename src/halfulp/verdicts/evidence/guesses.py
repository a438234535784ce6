"""Guesses: a format and a place of a function where it may be used, likeliest first, and what each predicts of the error."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import torch

from ...cases import Case
from ...cases.inputs import map_arrays
from ...floats import Format
from ...noise import Noise
from .coarse import Coarse
from .coarse_numbers import ROLES, CoarseNumbers, Roles
from .prediction import Guess, explained


class Place(NamedTuple):
    """Where a hypothesis rounds, in words and as options of `Coarse`."""

    where: str
    options: dict[str, Any]


PLACES = (
    Place("inputs of products", {"operands": "both"}),
    Place("first operand of products", {"operands": "first"}),
    Place("second operand of products (weights)", {"operands": "second"}),
    Place("weights and biases", {"operands": "second", "addends": True}),
    Place("inputs of products (by truncation)", {"operands": "both", "truncated": True}),
    Place("second operand of products (weights, by truncation)", {"operands": "second", "truncated": True}),
    Place("inputs and results of products (as autocast does)", {"operands": "both", "results": "products"}),
    Place("results of products", {"results": "products"}),
    Place("result of every op", {"results": "ops"}),
    Place("stored inputs and weights", {"stored": True}),
    Place("stored weights", {"stored": True, "of": "weights"}),
    Place("first input", {"stored": True, "of": 0}),
    Place("second input", {"stored": True, "of": 1}),
    Place("third input", {"stored": True, "of": 2}),
    Place("stored inputs and weights and the inputs of products", {"stored": True, "operands": "both"}),
    Place("stored inputs and weights and the result of every op", {"stored": True, "results": "ops"}),
)
"""Tried in this order; the first that reproduces the error is named."""


LIKELY, LESS_LIKELY = 4, 2
"""Places that are tried where the numbers themselves show the format: of the one that was seen most, and of any other."""


SAME_EXPLANATION = 1e-3
"""Two formats whose explained shares differ by less than this can't be told apart: the working precision's own rounding is that large."""


def candidates(wanted: list[Format], seen: CoarseNumbers) -> list[tuple[list[Format], tuple[Place, ...]]]:
    """The formats of one precision each, and the places to try them in: those that were seen most first, and there the likeliest."""
    by_bits = [[form for form in wanted if form.precision_bits == bits] for bits in dict.fromkeys(form.precision_bits for form in wanted)]
    if seen.opaque:
        return [(formats, PLACES) for formats in by_bits]
    most = {form.name: roles for form in wanted if (roles := seen.formats.get(form.name)) is not None}
    found = [(formats, max((most[form.name] for form in formats), key=lambda roles: roles.count)) for formats in by_bits]
    found.sort(key=lambda entry: -entry[1].count)
    return [(formats, _likely(roles, LIKELY if formats is found[0][0] else LESS_LIKELY)) for formats, roles in found]


def _likely(roles: Roles, count: int) -> tuple[Place, ...]:
    """The places that fit best what was seen of a format."""

    def unlike(place: Place) -> float:
        return sum(abs(roles.share(role) - (role in rounded(place))) for role in ROLES)

    return tuple(sorted(PLACES, key=unlike)[:count])


def rounded(place: Place) -> set[str]:
    """The roles whose numbers are of the format, where it is used in a place."""
    options = place.options
    stored = {"first", "second"} if "stored" in options else set[str]()
    operands = {"both": {"first", "second"}, "first": {"first"}, "second": {"second"}}.get(options.get("operands", ""), set[str]())
    results = {"products": {"results"}, "ops": {"results", "others"}}.get(options.get("results", ""), set[str]())
    return stored | operands | results


def is_seen(seen: CoarseNumbers, form: Format, place: Place) -> bool:
    """Whether most of what a guess rounds was seen to be of its format."""
    roles = seen.formats.get(form.name)
    return not seen.opaque and roles is not None and all(2.0 * roles.share(role) >= 1.0 for role in rounded(place))


def guess_of(place: Place, target: Format) -> Guess:
    """The guess of a format in a place."""
    options = {key: value for key, value in place.options.items() if key not in ("stored", "of")}
    return Guess(target, Coarse(target, **options), target if "stored" in place.options else None, of=place.options.get("of"))


EVERYWHERE = PLACES[-1]
REACH, REACH_OF_8_BITS = 0.01, 0.15
"""The part of an error's size that a format makes everywhere, below which no place of it is tried. In one place it makes at most 4 times as
much as everywhere (`benchmarks/verdicts/calibrate.py`, section "formats in one place": 3.6), and what is reproduced is of the error's size
within a third: 0.67 / 4 = 0.17. Sixteen bits may also go along with a small part of an error, so their limit is far below that."""


def reaches(case: Case, noise: Noise, form: Format) -> bool:
    """Whether a format may make so large an error: used everywhere, in what is stored and in the result of every op."""
    size = explained(case, noise, guess_of(EVERYWHERE, form)).size
    return not size or size >= (REACH if form.storage_bits > 8 else REACH_OF_8_BITS)


def hypotheses(
    case: Case, noise: Noise, formats: list[Format], places: tuple[Place, ...], seen: CoarseNumbers
) -> Iterator[tuple[Guess, Place, dict[str, Any]]]:
    """What each place explains, for formats of one precision.

    Formats that explain the same (tf32 and float16 within float16's range) are named together.
    """
    for place in places:
        of_products = "operands" in place.options or place.options.get("results") == "products"
        if of_products and not noise.ops.get("product", 0):
            continue
        # tf32 is a way to take operands, not to store. Truncation is how the first tensor cores took theirs, and how ncnn stores weights in
        # float16; the 8-bit formats are known by rounding to nearest alone.
        usable = [candidate for candidate in formats if not ({"results", "stored"} & {*place.options} and candidate.name == "tf32")]
        if place.options.get("truncated"):
            usable = [float_format for float_format in usable if float_format.storage_bits > 8]
        # Of two formats with as many bits only the one whose numbers were seen there, if one was.
        usable = [form for form in usable if is_seen(seen, form, place)] or usable
        if not usable:
            continue
        of = place.options.get("of")
        if (of == "weights" and not _has_weights(case)) or (isinstance(of, int) and of >= _inputs_of(case)):
            continue
        guesses = {target.name: guess_of(place, target) for target in usable}
        shares = {name: explained(case, noise, guess) for name, guess in guesses.items()}
        best = max(share.explained for share in shares.values())
        names = [name for name, share in shares.items() if share.explained >= best - SAME_EXPLANATION]
        if place.options.get("operands") in ("first", "second") and {"tf32", "float16"} <= {*names}:
            names.remove("tf32")  # which hardware takes both operands in: what is coarse alone was stored so
        measured = {**shares[names[0]].measured, "explained": best, "format": " or ".join(names), "where": place.where}
        yield guesses[names[0]], place, measured


def _has_weights(case: Case) -> bool:
    """Whether `expected` keeps floating-point numbers of its own."""
    state = case.expected.eager.state
    return any(tensor.is_floating_point() for tensor in state.owned.values()) or any(array.dtype.kind == "f" for array in state.arrays)


def _inputs_of(case: Case) -> int:
    """How many floating-point inputs there are, of which one alone may have been stored in a format; 0 where there is only one."""
    found: list[bool] = []

    def seen(value: Any) -> Any:
        found.append(value.is_floating_point() if isinstance(value, torch.Tensor) else value.dtype.kind == "f")
        return value

    map_arrays((case.inputs, case.keywords), seen, seen)
    return len(found) if sum(found) > 1 or _has_weights(case) else 0
