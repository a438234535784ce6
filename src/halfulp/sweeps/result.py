"""Matrix: verdicts on every op between every two backends, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..backends.habits import Habits
from ..documents import document, read_document, restored, text_of
from ..process.versions import versions
from ..shown import shown


@dataclass(frozen=True)
class Cell:
    """One op on one size between two backends.

    Attributes:
        actual, expected: the backends, with options ("openvino:precision=f32"). op, size, shape, dtype: of the case.
        verdict: "ROUNDING" ...; "" where there is none. through: "" where the two were judged directly, else the backend that both were
            judged against: the verdict is the worse of the two then.
        format: the format that explains a REDUCED_PRECISION; "" otherwise.
        same_bits: whether all results have the same bits.
        difference_in_u: largest difference between the two. actual_error_in_u, expected_error_in_u: largest errors against float64. All in
            units of u times the rms of the exact result.
        fault: why there is no verdict: what a backend lacks, or how its process failed.
    """

    actual: str
    expected: str
    op: str
    size: str
    shape: str
    dtype: str
    verdict: str
    through: str = ""
    format: str = ""
    same_bits: bool = False
    difference_in_u: float | None = None
    actual_error_in_u: float | None = None
    expected_error_in_u: float | None = None
    fault: str = ""


@shown
@dataclass(frozen=True)
class Matrix:
    """What a sweep over ops and backends found.

    Attributes:
        results: a cell for each op, size, dtype and pair.
        families: "op size dtype" -> groups of backends whose results have the same bits, larger groups first.
        habits: backend -> what was measured of how it computes.
        remarks: backend -> op -> what it says of itself there.
        faults: backend -> failures of its process, with its last lines.
        fingerprints: backend -> what decides its numbers. settings: of the sweep. seconds: how long it took. complete: False when interrupted.
        versions: of Python and the packages that were used, the system and the processor.
    """

    results: tuple[Cell, ...]
    families: Mapping[str, tuple[tuple[str, ...], ...]]
    habits: Mapping[str, Habits]
    remarks: Mapping[str, Mapping[str, str]]
    faults: Mapping[str, tuple[str, ...]]
    fingerprints: Mapping[str, Mapping[str, str]]
    settings: Mapping[str, Any]
    seconds: float = 0.0
    complete: bool = True
    versions: dict[str, str] = field(default_factory=versions)

    @property
    def exit_code(self) -> int:
        """0 where all pairs are acceptable, 1 where one is not, 3 where one is undecided and none worse."""
        verdicts = {result.verdict for result in self.results}
        if verdicts & {"REDUCED_PRECISION", "UNSTABLE", "NONDETERMINISTIC", "MISTAKE"}:
            return 1
        return 3 if "UNDECIDED" in verdicts else 0

    def to_json(self) -> str:
        """All of it, as JSON text with a schema number."""
        return text_of(document("matrix", self))


def read_matrix(path: str | Path) -> Matrix:
    """The matrix that `to_json` wrote.

    Raises:
        InputError: the file is missing or holds none.
    """
    return restored("matrix", read_document(path), str(path))
