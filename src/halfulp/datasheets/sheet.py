"""Datasheet: what was measured of one library on one machine, as plain data; what distinguishes two."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..errors import InputError

SCHEMA = 1


@dataclass(frozen=True)
class Accuracy:
    """How exact one function is in one format.

    Attributes:
        function: its name; derivatives end in "'". format: of input and output.
        inputs: how many were tried. is_exhaustive: whether that is every number of the format.
        max_ulp_error: the largest error in ulps of the exact value (0.5 is the best there is); NaN where nothing could be compared.
        worst_input: where it was found.
        not_correctly_rounded: share of results that are not the number nearest to the exact value.
        special_mismatches: results that are NaN or infinite where the exact value, rounded, is not, or the other way round.
        tail_differs: share of inputs that give another result in a short array than in a long one; None where that was not measured.
    """

    function: str
    format: str
    inputs: int
    is_exhaustive: bool
    max_ulp_error: float
    worst_input: float
    not_correctly_rounded: float
    special_mismatches: int
    tail_differs: float | None = None


@dataclass(frozen=True)
class Datasheet:
    """What a library does on a machine.

    Attributes:
        library: "torch", "numpy" or "jax". device: "cpu", "cuda" ...
        fingerprint: versions, hardware and settings, as `Fingerprint.sections`.
        properties: section, then name, then what was measured, in words.
        accuracies: one for each function and format.
    """

    library: str
    device: str
    fingerprint: dict[str, dict[str, str]]
    properties: dict[str, dict[str, str]]
    accuracies: tuple[Accuracy, ...]

    def to_json(self) -> str:
        """JSON with a schema number, which `read_datasheet` reads."""
        content = {"schema": SCHEMA, **asdict(self)}
        content["accuracies"] = [asdict(each) for each in self.accuracies]
        return json.dumps(content, indent=1, allow_nan=True)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Datasheet:
        """The datasheet that `to_json` wrote.

        Raises:
            InputError: it isn't one, or of another schema.
        """
        if content.get("schema") != SCHEMA:
            raise InputError(
                f"Got a datasheet of schema {content.get('schema')}. Needed: {SCHEMA}. This halfulp reads no other. Measure it again with "
                "halfulp datasheet."
            )
        try:
            return cls(
                str(content["library"]),
                str(content["device"]),
                {str(name): {str(k): str(v) for k, v in section.items()} for name, section in content["fingerprint"].items()},
                {str(name): {str(k): str(v) for k, v in section.items()} for name, section in content["properties"].items()},
                tuple(Accuracy(**each) for each in content["accuracies"]),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError(
                f"Got something that is no datasheet ({type(error).__name__}: {error}). Needed: what halfulp datasheet -o wrote. Its "
                f"fields "
                "can't be guessed. Measure it again."
            ) from error

    def differences(self, other: Datasheet) -> list[tuple[str, str, str]]:
        """Where two datasheets differ: (what, here, there); machine and settings first, then properties, then errors of functions.

        Errors count as different when they differ by more than a tenth of an ulp (above one ulp, a tenth of the smaller), shares when by
        more than a hundredth: samples differ by less. So do functions that one sheet lacks, and NaN or infinities that only one gets wrong.
        """
        found: list[tuple[str, str, str]] = []
        if (self.library, self.device) != (other.library, other.device):
            found.append(("library", f"{self.library} on {self.device}", f"{other.library} on {other.device}"))
        for name in ("fingerprint", "properties"):
            here, there = getattr(self, name), getattr(other, name)
            for section in dict.fromkeys((*here, *there)):
                first, second = here.get(section, {}), there.get(section, {})
                found += [
                    (f"{section}: {key}", first.get(key, "-"), second.get(key, "-"))
                    for key in dict.fromkeys((*first, *second))
                    if first.get(key) != second.get(key)
                ]
        tables = [{(each.function, each.format): each for each in sheet.accuracies} for sheet in (self, other)]
        for key in dict.fromkeys((*tables[0], *tables[1])):
            here, there = tables[0].get(key), tables[1].get(key)
            if here is None or there is None or _differ(here, there):
                found.append((f"{key[0]} in {key[1]}", _in_words(here), _in_words(there)))
        return found


def _differ(here: Accuracy, there: Accuracy) -> bool:
    if math.isnan(here.max_ulp_error) or math.isnan(there.max_ulp_error):
        return math.isnan(here.max_ulp_error) != math.isnan(there.max_ulp_error)
    error = abs(here.max_ulp_error - there.max_ulp_error)
    share = abs(here.not_correctly_rounded - there.not_correctly_rounded)
    specials = bool(here.special_mismatches) != bool(there.special_mismatches)
    return error > 0.1 * max(1.0, min(here.max_ulp_error, there.max_ulp_error)) or share > 0.01 or specials


def _in_words(each: Accuracy | None) -> str:
    if each is None or math.isnan(each.max_ulp_error):
        return "-"
    specials = f", {each.special_mismatches:,} NaN or infinities wrong" if each.special_mismatches else ""
    return f"{each.max_ulp_error:.4g} ulp, {100 * each.not_correctly_rounded:.3g} % not correctly rounded{specials}"


def read_datasheet(path: str | Path) -> Datasheet:
    """A datasheet from its file.

    Raises:
        InputError: the file is missing, no JSON, or no datasheet.
    """
    file = Path(path)
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(
            f"Got {file}, which can't be read ({error.strerror}). Needed: a file of halfulp datasheet -o. Check the path."
        ) from error
    except ValueError as error:
        raise InputError(f"Got {file}, which is no JSON ({error}). Needed: a file of halfulp datasheet -o. Measure it again.") from error
    if not isinstance(content, dict):
        raise InputError(f"Got {file}, which holds no datasheet. Needed: a file of halfulp datasheet -o. Measure it again.")
    return Datasheet.from_dict(content)  # pyright: ignore[reportUnknownArgumentType]
