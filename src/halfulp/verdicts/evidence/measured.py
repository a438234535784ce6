"""What each kind of evidence measures, with types: words and pictures of a stored result rest on it, so it is checked when read."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from ...differences.excess import Excess
from .evidence import Evidence

NUMBER, COUNT, TEXT, FLAG, TEXTS, PLACES = "number", "count", "text", "flag", "texts", "places"

_TYPED: dict[str, dict[str, str]] = {
    "structure": {COUNT: "mismatches", TEXT: "what actual expected"},
    "specials": {COUNT: "nan_actual_only nan_expected_only inf_actual_only inf_expected_only inf_sign count", TEXTS: "outputs"},
    "stored": {TEXT: "side source", TEXTS: "not_asked devices"},
    "vacuous": {TEXTS: "empty_outputs constant_outputs zero_inputs"},
    "bits": {COUNT: "unequal count max_ulps signed_zeros unequal_integers flushed_by_actual flushed_by_expected subnormals_as_zero?"},
    "repetition": {
        COUNT: "runs unequal count max_ulps runs_like_the_first results", NUMBER: "max_abs excess", TEXT: "side structure why",
        TEXTS: "random_modules", FLAG: "seed_decides",
    },
    "noise": {
        NUMBER: "rms_in_noise rms_limit max_in_noise max_limit norm_in_noise max_norm_in_noise expected_rms_in_noise? expected_excess? "
        "rel_rms? noise_rel_rms? least_noise_rel_rms?",
        COUNT: "count nonzero samples terms outputs_beyond outputs", TEXT: "declared method reference", PLACES: "worst_index",
        FLAG: "products elementwise transforms", TEXTS: "notes",
    },
    "backward_error": {NUMBER: "eta_in_u estimate_in_u bound_in_u", COUNT: "terms"},
    "fast_products": {NUMBER: "excess"},
    "peer": {NUMBER: "actual_rms_error expected_rms_error ratio"},
    "scaling": {
        NUMBER: "native_rms float64_rms bfloat16_rms shrinks_bits? grows_bits grows_to_float32? float64_max_in_noise loss_in_float64? "
        "excess_over_data_rounding excess_in_float32",
        COUNT: "unequal_integers_in_float64", TEXT: "why", TEXTS: "overridden approximated?",
    },
    "overflow": {TEXT: "side format op line why", COUNT: "elements", NUMBER: "largest largest_operand? smallest_operand?"},
    "gain": {NUMBER: "gain_in_u limit_in_u share_lost share_limit", COUNT: "same_sign unequal", TEXT: "input"},
    "inside": {TEXT: "module verdict why"},
    "own_noise": {NUMBER: "excess"},
    "forward_error": {NUMBER: "error expected_error limit"},
    "conditioning": {NUMBER: "excess norm_in_noise"},
    "flips": {COUNT: "beyond explained count", NUMBER: "amplitude", PLACES: "first_index"},
    "integers": {COUNT: "unequal count", NUMBER: "max_abs", TEXT: "why"},
    "impulses": {COUNT: "unequal count", NUMBER: "max_abs", TEXT: "why"},
    "powers": {NUMBER: "factor excess", COUNT: "degree", TEXT: "why"},
    "permutations": {PLACES: "lengths", COUNT: "length", NUMBER: "excess", TEXT: "why"},
    "patterns": {COUNT: "axis index elements", NUMBER: "mean_in_noise excess"},
    "search": {COUNT: "tried refused unequal count", TEXTS: "exotic", TEXT: "variant verdict kind given_verdict", NUMBER: "max_abs"},
    "redraw": {NUMBER: "share_that_stays excess_over_data_rounding gain_in_u", COUNT: "repetitions", TEXT: "why"},
    "wide_redraw": {NUMBER: "share_that_stays excess_over_data_rounding gain_in_u", COUNT: "repetitions", TEXT: "why"},
    "precision": {
        NUMBER: "explained slope correlated deviations rms_in_its_noise", COUNT: "tried", TEXT: "format where representable?", FLAG: "seen",
    },
    "rearrangement": {TEXT: "what order", COUNT: "opposite count"},
    "casts": {TEXTS: "formats stored made_at", NUMBER: "share_left excess_left rms_over_rounding"},
    "families": {TEXT: "actual? expected? difference?", COUNT: "outputs depth?", NUMBER: "estimate_in_u?"},
}  # fmt: skip
"""Kind of evidence -> type -> names of what it measures; "?" marks what may be None."""

TYPES: dict[str, dict[str, tuple[str, bool]]] = {
    kind: {name.rstrip("?"): (typed, name.endswith("?")) for typed, names in by_type.items() for name in names.split()}
    for kind, by_type in _TYPED.items()
}
"""Kind of evidence -> name -> (type, whether it may be None)."""

IN_WORDS = {
    NUMBER: "a number",
    COUNT: "a whole number",
    TEXT: "a text",
    FLAG: "true or false",
    TEXTS: "a list of texts",
    PLACES: "a list of whole numbers",
}

LISTS = ("effects", "overlap")
"""Kinds whose every value is a list of texts, by names that depend on the case."""

LARGEST_COUNT = 2**63
"""Counts are of elements, runs and ulps: 64 bits hold them."""


def type_of(kind: str, name: str) -> tuple[str, bool] | None:
    """The type of a measured value and whether it may be None; None where it is not known."""
    return (TEXTS, False) if kind in LISTS else TYPES.get(kind, {}).get(name)


def problems(result: Any, where: str = "") -> Iterator[str]:
    """Where measured values in a result are not of their type, in words."""
    if isinstance(result, Evidence):
        for name, value in result.measured.items():
            known = type_of(result.kind, name)
            if known is not None and not (value is None and known[1]) and not _is(known[0], value):
                yield (
                    f"{where}.measured.{name} is {str(value)[:40]!r} where evidence of kind {result.kind!r} has {IN_WORDS[known[0]]}"
                ).lstrip(".")
    elif dataclasses.is_dataclass(result) and not isinstance(result, type):
        for field in dataclasses.fields(result):
            yield from problems(getattr(result, field.name, None), f"{where}.{field.name}")
    elif isinstance(result, (list, tuple)):
        for place, part in enumerate(result):
            if dataclasses.is_dataclass(part) or isinstance(part, (list, tuple, dict)):
                yield from problems(part, f"{where}.{place}")
    elif isinstance(result, Mapping):
        for key, part in result.items():
            yield from problems(part, f"{where}.{key}")


def _is(typed: str, value: Any) -> bool:
    if typed == COUNT:
        return isinstance(value, int) and not isinstance(value, bool) and abs(value) < LARGEST_COUNT
    if typed == NUMBER:
        return isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool) and abs(value) < LARGEST_COUNT)
    if typed == FLAG:
        return isinstance(value, bool)
    if typed == TEXT:
        return isinstance(value, str)
    return isinstance(value, (list, tuple)) and all(_is(TEXT if typed == TEXTS else COUNT, item) for item in value)


def schema_of_measured() -> list[dict[str, Any]]:
    """The same as conditions of a JSON Schema: what `measured` holds for each kind of evidence."""
    made: dict[str, dict[str, Any]] = {
        NUMBER: {"$ref": "#/$defs/Number"}, COUNT: {"type": "integer"}, TEXT: {"type": "string"}, FLAG: {"type": "boolean"},
        TEXTS: {"type": "array", "items": {"type": "string"}}, PLACES: {"type": "array", "items": {"type": "integer"}},
    }  # fmt: skip

    def schema(typed: str, optional: bool) -> dict[str, Any]:
        return {"anyOf": [made[typed], {"type": "null"}]} if optional else made[typed]

    conditions: list[dict[str, Any]] = []
    for kind, names in TYPES.items():
        values = {"properties": {name: schema(*known) for name, known in names.items()}}
        conditions.append({"if": {"properties": {"kind": {"const": kind}}}, "then": {"properties": {"measured": values}}})
    values = {"additionalProperties": made[TEXTS]}
    conditions.append({"if": {"properties": {"kind": {"enum": list(LISTS)}}}, "then": {"properties": {"measured": values}}})
    return conditions


def measured_excess(noise: Evidence) -> Excess:
    """The worst output's error, as evidence of this kind has it.

    Raises:
        MissingNumber: a stored one lacks a number.
    """
    rms, largest = noise.number("rms_in_noise"), noise.number("max_in_noise")
    return Excess(rms, max(rms / noise.number("rms_limit"), largest / noise.number("max_limit")))
