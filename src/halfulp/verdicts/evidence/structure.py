"""Do both sides return the same thing: structure, shapes, dtypes, places of NaN and infinity, bits?"""

from __future__ import annotations

import numpy as np

from ...cases import Case
from ...differences import Comparison
from .evidence import Evidence
from .finding import Finding

F = Finding


def structure(comparison: Comparison) -> Evidence:
    """Missing outputs, other shapes and other dtypes."""
    broken = comparison.mismatches
    if not broken:
        return Evidence("structure", F.SAME)
    first = broken[0]
    measured = {"mismatches": len(broken), "what": first.kind, "actual": first.actual, "expected": first.expected}
    return Evidence("structure", F.DIFFERS, measured=measured, path=first.path)


def specials(comparison: Comparison) -> Evidence:
    """Places where only one side is NaN or infinite. Checked before any norm, because a norm with a NaN in it says nothing."""
    worst = max(comparison, key=lambda difference: difference.special_mismatches, default=None)
    if worst is None or not worst.special_mismatches:
        everywhere = [difference.path for difference in comparison if difference.count and difference.nan_both == difference.count]
        if everywhere:
            return Evidence("specials", F.ALL_NAN, measured={"outputs": everywhere}, path=everywhere[0])
        return Evidence("specials", F.SAME)
    return Evidence(
        "specials",
        F.DIFFER,
        measured={
            "nan_actual_only": worst.nan_actual_only,
            "nan_expected_only": worst.nan_reference_only,
            "inf_actual_only": worst.inf_actual_only,
            "inf_expected_only": worst.inf_reference_only,
            "inf_sign": worst.inf_sign,
            "count": worst.count,
        },
        path=worst.path,
    )


def bits(comparison: Comparison, case: Case) -> Evidence:
    """Whether every bit agrees; signs of zeros and subnormal numbers that one side flushes to zero are counted apart."""
    signed_zeros = sum(difference.signed_zeros for difference in comparison)
    measured: dict[str, int] = {
        "unequal": comparison.unequal,
        "count": comparison.count,
        "max_ulps": comparison.max_ulps,
        "signed_zeros": signed_zeros,
        "unequal_integers": sum(difference.unequal for difference in comparison if difference.ulp_format == "integer"),
    }
    if not comparison.same_bits:
        measured |= _flushed(case)
    if comparison.same_bits:
        return Evidence("bits", F.SAME, measured=measured)
    return Evidence("bits", F.DIFFER, measured=measured)


def _flushed(case: Case) -> dict[str, int]:
    """How many elements are zero on one side and subnormal on the other."""
    counts = {"flushed_by_actual": 0, "flushed_by_expected": 0}
    others = {leaf.path: leaf for leaf in case.native("expected").outputs}
    for leaf in case.native("actual").outputs:
        other = others.get(leaf.path)
        if leaf.format is None or other is None or other.format != leaf.format or other.shape != leaf.shape:
            continue
        actual, expected = leaf.numbers(), other.numbers()
        smallest = leaf.format.min_normal
        counts["flushed_by_actual"] += int(np.count_nonzero((actual == 0) & (expected != 0) & (np.abs(expected) < smallest)))
        counts["flushed_by_expected"] += int(np.count_nonzero((expected == 0) & (actual != 0) & (np.abs(actual) < smallest)))
    return counts


def effects(case: Case) -> Evidence | None:
    """Inputs, state and settings that a side changed, what it returned without numbers, and outputs that lie elsewhere in memory.

    None when there is nothing to report.

    What both sides change is compared among the outputs; what only one can change is reported here and nothing more: an argument that
    one side writes to may be its buffer for the result.
    """
    actual, expected = case.native("actual"), case.native("expected")
    watched = {(name, own) for watched in case.watched for name, own in watched.names.items()}
    measured: dict[str, list[str]] = {}
    for name, run in (("actual", actual), ("expected", expected)):
        if run.mutated:
            measured[f"{name}_changed_inputs"] = list(run.mutated)
        if run.state:
            measured[f"{name}_changed_state"] = list(run.state)
        other = expected if run is actual else actual
        alone = [own for own in run.mutated if own not in other.mutated] + [own for own in run.state if (name, own) not in watched]
        if alone:
            measured[f"only_{name}_changed"] = alone
        if run.left_out:
            measured[f"{name}_returns_without_numbers"] = list(run.left_out)
        if run.settings:
            measured[f"{name}_changed_settings"] = list(run.settings)
    others = {leaf.path: leaf for leaf in expected.outputs}
    for leaf in actual.outputs:
        other = others.get(leaf.path)
        if other is None or other.shape != leaf.shape:
            continue
        if other.device != leaf.device:
            measured.setdefault("devices", []).append(f"{leaf.path} {leaf.device} against {other.device}".strip())
        if other.memory_format != leaf.memory_format:
            measured.setdefault("memory_formats", []).append(f"{leaf.path} {leaf.memory_format} against {other.memory_format}".strip())
    if not measured:
        return None
    return Evidence("effects", F.REPORTED, measured=measured)
