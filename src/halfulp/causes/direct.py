"""Causes that the evidence of the verdict names by itself: it rests on experiments of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..verdicts import Verdict
from ..verdicts.evidence.finding import Finding
from ..verdicts.result import CheckResult
from ..words.numbers import counted, times_of, verb
from .cause import Cause
from .hypotheses import ARITHMETIC, FORMULA, MEMORY

F = Finding

REPORTS = {
    "overlapping memory": ("pytorch/pytorch#198102", "pytorch/pytorch#138908"),
    "uninitialized memory": ("pytorch/helion#1672", "pytorch/pytorch#96037"),
    "dropout": ("stackoverflow 57423150", "pytorch/pytorch#109532"),
}


def direct_causes(result: CheckResult) -> list[Cause]:
    """The causes in a verdict's own evidence, surest first."""
    return [*_memory(result), *_dtypes(result), *_random(result), *_formats(result)]


def _memory(result: CheckResult) -> Iterator[Cause]:
    overlap = result.find("overlap")
    if overlap is not None and overlap.finding == F.OVERLAPPING_WRITES:
        sides = {name: list(ops) for name, ops in overlap.measured.items() if isinstance(ops, list)}
        one_sided = len(sides) == 1
        yield Cause(
            "overlapping memory", MEMORY,
            "; ".join(f"`{name}` writes in place to memory that overlaps itself: {', '.join(str(number) for number in ops)}" for name, ops in sides.items()) + ".",
            1.0 if one_sided else 0.0,
            evidence=("halfulp watched every in-place write. The writes named above go to tensors in which two elements share memory, so the result depends on the order of the writes.",),
            remedy="clone the view before writing to it: x.unfold(...).clone(), x.expand(...).clone()", confidence="high" if one_sided else "medium",
            side="actual" if "actual" in sides else "expected", place="", reports=REPORTS["overlapping memory"],
        )  # fmt: skip
    repeated = result.find("repetition")
    if repeated is not None and repeated.finding == F.UNWRITTEN_MEMORY:
        side = str(repeated.measured["side"])
        yield Cause(
            "uninitialized memory", MEMORY, f"`{side}` reads memory before it is written (torch.empty, numpy.empty).", 1.0,
            evidence=(f"When all unwritten memory is filled with NaN, {repeated.measured['unequal']:,} of {repeated.measured['count']:,} elements in the result of `{side}` {verb(int(repeated.number('unequal')), 'change')}; without that, none do.",),
            remedy="use torch.zeros, or write every element before it is read", confidence="high", side=side, place="", reports=REPORTS["uninitialized memory"],
        )  # fmt: skip


def _dtypes(result: CheckResult) -> Iterator[Cause]:
    """Results of another dtype whose numbers agree to rounding: the comparison converts both, so that is an experiment already."""
    mismatches = [mismatch for mismatch in result.difference.mismatches if mismatch.kind == "dtype"]
    if not mismatches or len(mismatches) < len(result.difference.mismatches):
        return
    first = mismatches[0]
    if (first.actual, first.expected) == ("float64", "float32"):
        yield Cause(
            "float64 constants", ARITHMETIC, f"`actual` returns float64 where `expected` returns float32 ({counted(len(mismatches), 'result')}).", 1.0,
            evidence=("Shapes agree; only the dtype differs.",),
            remedy="make constants with dtype=x.dtype and convert arrays with .astype(numpy.float32)", confidence="medium", side="actual",
        )  # fmt: skip


def _random(result: CheckResult) -> Iterator[Cause]:
    repeated = result.find("repetition")
    if repeated is None or repeated.finding not in (F.BEYOND_ROUNDING, F.DIFFERS):
        return
    modules = repeated.measured.get("random_modules")
    if isinstance(modules, list) and modules and repeated.measured.get("seed_decides"):
        side = str(repeated.measured["side"])
        yield Cause(
            "dropout", FORMULA, f"`{side}` draws random numbers: {', '.join(str(module) for module in modules)}.", 1.0,
            evidence=("The same seed gives the same bits, and another seed gives different ones.",),
            remedy="call model.eval() before comparing", confidence="medium", side=side, place=str(modules[0]), reports=REPORTS["dropout"],
        )  # fmt: skip


SHORT = {"tf32": "TF32"}


def _formats(result: CheckResult) -> Iterator[Cause]:
    found = result.find("precision")
    # These are signs: where the judge has overruled them (the difference stays in float64, or the algorithm loses as many digits there), so is
    # the cause. Among many formats one fits a single number by chance.
    follows = result.verdict is Verdict.REDUCED_PRECISION
    if found is not None and found.finding == F.REPRODUCED and follows:
        explained = float(found.measured["explained"])  # type: ignore[arg-type]
        name = str(found.measured["format"]).split(" or ")[0]
        where = str(found.measured["where"])
        yield _of_format(
            name,
            where,
            explained,
            f"Rounding the {where} to {found.measured['format']} reproduces {100 * explained:.1f} % of the squared error, element by element.",
            "high",
        )
    elif found is not None and found.finding == F.CORRELATES and follows:
        name, where = str(found.measured["format"]).split(" or ")[0], str(found.measured["where"])
        yield _of_format(
            name,
            where,
            1.0,
            _followed(found.measured, name, where),
            "medium",
        )
    elif found is not None and found.finding == F.SAME_SIZE and follows:
        name, where = str(found.measured["format"]), str(found.measured["where"])
        yield _of_format(
            name,
            where,
            1.0,
            f"The error is about as large as {name} would make it ({times_of(found.measured['rms_in_its_noise'], 2)} what rounding to that format causes).",
            "medium",
        )
    casts = result.find("casts")
    if casts is not None and casts.finding == F.EXPLAIN:
        formats = [str(item) for item in casts.measured["formats"]]  # type: ignore[union-attr]
        share = 1.0 - float(casts.measured["share_left"])  # type: ignore[arg-type]
        yield _of_format(
            formats[0],
            "casts inside `actual`",
            max(share, 0.0),
            f"Without its casts to {' and '.join(formats)}, `actual` agrees with `expected`{' to within the rounding of its stored weights' if 'stored' in casts.measured else f': {100 * share:.3g} % of the difference is gone'}.",
            "high",
        )


def _followed(measured: Mapping[str, Any], name: str, where: str) -> str:
    """How it is known that the error goes along with rounding to a format: tested against chance, or the format was seen in `actual`."""
    size = f"The error is about as large as {name} would make it"
    if "deviations" in measured:
        return f"{size}, and it correlates with the error from rounding the {where} ({measured['deviations']:.1f} standard deviations beyond chance)."
    return f"{size}. `actual` computes with {name} numbers, and rounding the {where} to that format predicts {100 * measured['correlated']:.0f} % of the error."


def _of_format(name: str, where: str, share: float, evidence: str, confidence: str) -> Cause:
    short = SHORT.get(name, name)
    if short == "float32":
        title = "float32 inside"
    elif short.startswith("float8"):
        title = f"{short} products" if "product" in where else f"{short} storage"
    elif where.startswith("accumulators"):
        title = f"{short} accumulator"
    elif short == "TF32":
        title = "TF32"
    elif where.startswith(("inputs", "first operand")):
        title = f"{short} products"
    else:
        title = f"{short} storage"
    remedy = {
        "TF32": 'torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False (torch.set_float32_matmul_precision("highest"))',
        "float32 inside": "keep float64 throughout: no float32 constants or casts, and no devices that lack float64",
    }.get(title, f"keep the declared precision throughout (here: {where}), or declare {name}")
    return Cause(
        title,
        ARITHMETIC,
        f"`actual` uses {short} ({where}).",
        share,
        evidence=(evidence,),
        remedy=remedy,
        confidence=confidence,
        side="actual",
    )
