"""How often halfulp is right, beside what people use today, in the same run.

Called by `halfulp bench verdicts`. Four parts: labelled pairs, generated honest pairs, whole models with honest variants and mutants,
and mutants at shrinking magnitudes. Outcomes can be kept as they come (--resume FILE), so an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import functools
import json
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, TimeRemainingColumn
from rich.table import Table

import halfulp

from . import PAIRS
from .figures import report_figures
from .models import MODELS
from .mutants import MUTATIONS
from .outcomes import CHECKERS, MODEL_MUTANTS, Outcome, hosts_of, of_honest, of_model_variant, of_mutant, of_pair, variants_of
from .sixteen_bits import FORMATS
from .statistics import Rate

PARTS = ("pairs", "honest", "sixteen bits", "models", "detection")
HOSTS = 5
"""Models that each kind of mutant is tried in."""
Job = tuple[str, Callable[[], Outcome]]


def jobs_of(parts: Iterable[str], *, seeds: int, honest: int) -> Iterator[Job]:
    """Every outcome that is asked for, with its identity."""
    parts = tuple(parts)
    if "pairs" in parts:
        for seed in range(seeds):
            for pair in PAIRS:
                yield f"pairs/{pair.name}/{seed}", functools.partial(of_pair, pair, seed)
    if "honest" in parts:
        for number in range(honest):
            yield f"honest/{number}", functools.partial(of_honest, number)
    if "sixteen bits" in parts:
        for dtype in FORMATS:
            for number in range(honest // len(FORMATS)):
                yield f"sixteen bits/{dtype}/{number}", functools.partial(of_honest, number, dtype)
    if "models" in parts:
        for model in MODELS:
            for variant in variants_of(model):
                yield f"models/{model.name}/{variant}", functools.partial(of_model_variant, model, variant)
        for mutation, magnitude in MODEL_MUTANTS:
            for model, at in hosts_of(mutation, len(MODELS)):
                yield f"models/{model.name}/{mutation.name}", functools.partial(of_mutant, model, mutation, magnitude, at, gradients=True)
    if "detection" in parts:
        for mutation in MUTATIONS:
            for model, at in hosts_of(mutation, HOSTS):
                for magnitude in mutation.magnitudes:
                    key = f"detection/{mutation.name}/{model.name}/{magnitude:.1e}"
                    yield key, functools.partial(of_mutant, model, mutation, magnitude, at)


def is_right(each: Outcome, checker: str) -> bool:
    """Whether a checker accepted a rounding pair, rejected a mistake, and left open what can't be told."""
    return bool(each["said"][checker] is {"rounding": True, "mistake": False, "undecided": None}[each["kind"]])


def _kept(resume: Path | None) -> dict[str, Outcome]:
    if resume is None or not resume.is_file():
        return {}
    stored = [json.loads(line) for line in resume.read_text().splitlines() if line.strip()]
    return {each["key"]: each for each in stored if each.get("version") == halfulp.__version__}


def run(
    *,
    json_file: Path | None = None,
    parts: Iterable[str] = PARTS,
    seeds: int = 1,
    honest: int = 2000,
    resume: Path | None = None,
) -> int:
    """Run what is asked for, print the tables, the wrong answers and the figures.

    Returns:
        0; 130 when interrupted (what was done is in `resume`, if given).
    """
    kept = _kept(resume)
    outcomes: dict[str, Outcome] = {}
    console = Console(stderr=True)
    jobs: list[Job] = []
    try:
        with warnings.catch_warnings(), Progress(*_COLUMNS, console=console, transient=True) as progress:
            warnings.simplefilter("ignore")
            jobs = list(jobs_of(parts, seeds=seeds, honest=honest))
            for key, job in progress.track(jobs, description="pairs"):
                outcomes[key] = kept.get(key) or job()
                if resume is not None and key not in kept:
                    with resume.open("a") as file:
                        file.write(json.dumps({"key": key, **outcomes[key], "version": halfulp.__version__}) + "\n")
    except KeyboardInterrupt:
        where = f"kept in {resume}: the same command goes on from there" if resume else "lost: give --resume FILE to keep them"
        console.print(f"interrupted after {len(outcomes)} of {len(jobs)} pairs; they are {where}")
        return 130
    figures: dict[str, tuple[float, str]] = {}
    for part in PARTS:
        found = [outcome for key, outcome in outcomes.items() if key.startswith(f"{part}/")]
        if found:
            figures |= _REPORTS[part](found)
    report_figures(figures, json_file, outcomes=[{"part": key.partition("/")[0], **outcome} for key, outcome in outcomes.items()])
    return 0


_COLUMNS = (*Progress.get_default_columns()[:-1], TimeRemainingColumn())


def _named(checker: str) -> str:
    return checker.replace(".", "_").replace(" ", "_")


def _false_alarms(outcomes: list[Outcome], checker: str) -> Rate:
    honest = [outcome for outcome in outcomes if outcome["kind"] == "rounding"]
    return Rate(sum(each["said"][checker] is False for each in honest), len(honest))


def _misses(outcomes: list[Outcome], checker: str) -> Rate:
    mistakes = [outcome for outcome in outcomes if outcome["kind"] == "mistake"]
    return Rate(sum(mistake["said"][checker] is True for mistake in mistakes), len(mistakes))


def _table(title: str, outcomes: list[Outcome]) -> None:
    table = Table("checker", "right", "false alarms", "misses", title=title)
    for checker in CHECKERS:
        right = Rate(sum(is_right(outcome, checker) for outcome in outcomes), len(outcomes))
        table.add_row(checker, str(right), str(_false_alarms(outcomes, checker)), str(_misses(outcomes, checker)))
    Console(width=150).print(table)


def _print_wrong(outcomes: list[Outcome]) -> None:
    for outcome in outcomes:
        if not is_right(outcome, "halfulp"):
            print(f"  wrong: {outcome['pair']} ({outcome['kind']}): {outcome['verdict']}. {outcome['reason']}")


def _print_verdicts(outcomes: list[Outcome]) -> None:
    """The confusion matrix: truth against the eight verdicts."""
    verdicts = [verdict.name for verdict in halfulp.Verdict]
    table = Table("truth", *verdicts, title="what halfulp said")
    for kind in ("rounding", "mistake", "undecided"):
        counts = Counter(outcome["verdict"] for outcome in outcomes if outcome["kind"] == kind)
        if counts:
            table.add_row(kind, *(str(counts[verdict] or "") for verdict in verdicts))
    Console(width=150).print(table)


def _report_pairs(outcomes: list[Outcome]) -> dict[str, tuple[float, str]]:
    _print_verdicts(outcomes)
    _print_wrong(outcomes)
    everything, outcomes = outcomes, [outcome for outcome in outcomes if outcome["kind"] != "undecided"]
    _table(f"{len(outcomes)} labelled pairs that can be told, all checkers with their defaults", outcomes)
    labelled = [each for each in everything if each["wanted"]]
    for each in labelled:
        if each["verdict"] != each["wanted"]:
            print(f"  another verdict than labelled: {each['pair']}: {each['verdict']} instead of {each['wanted']}. {each['reason']}")
    found: dict[str, tuple[float, str]] = {}
    for checker in CHECKERS:
        name = _named(checker)
        wrong = [outcome for outcome in outcomes if not is_right(outcome, checker)]
        found[f"verdicts_accuracy_{name}"] = (1.0 - len(wrong) / len(outcomes), "ratio")
        found[f"verdicts_false_alarms_{name}"] = (_false_alarms(outcomes, checker).count, "pairs")
        found[f"verdicts_misses_{name}"] = (_misses(outcomes, checker).count, "pairs")
    clear = [outcome for outcome in outcomes if "ambiguous" not in outcome["tags"]]
    found["verdicts_false_alarms_halfulp_unambiguous"] = (_false_alarms(clear, "halfulp").count, "pairs")
    found["verdicts_labelled_verdict"] = (sum(each["verdict"] == each["wanted"] for each in labelled) / max(1, len(labelled)), "ratio")
    return found


def _report_honest(outcomes: list[Outcome]) -> dict[str, tuple[float, str]]:
    table = Table("checker", "false alarms", title=f"{len(outcomes)} generated honest pairs")
    for checker in CHECKERS:
        table.add_row(checker, str(_false_alarms(outcomes, checker)))
    Console(width=150).print(table)
    _print_wrong(outcomes)
    found = {f"honest_false_alarms_{_named(checker)}": (100.0 * _false_alarms(outcomes, checker).value, "percent") for checker in CHECKERS}
    found["honest_undecided_halfulp"] = (sum(outcome["said"]["halfulp"] is None for outcome in outcomes), "pairs")
    return found | {"honest_pairs": (len(outcomes), "pairs")}


def _report_sixteen_bits(outcomes: list[Outcome]) -> dict[str, tuple[float, str]]:
    found: dict[str, tuple[float, str]] = {}
    for dtype in FORMATS:
        there = [outcome for outcome in outcomes if outcome["declared"] == dtype]
        table = Table("checker", "false alarms", title=f"{len(there)} generated honest pairs in {dtype}")
        for checker in CHECKERS:
            table.add_row(checker, str(_false_alarms(there, checker)))
            found[f"honest_{dtype}_false_alarms_{_named(checker)}"] = (100.0 * _false_alarms(there, checker).value, "percent")
        Console(width=150).print(table)
        _print_wrong(there)
        found[f"honest_{dtype}_pairs"] = (len(there), "pairs")
    return found


def _report_models(outcomes: list[Outcome]) -> dict[str, tuple[float, str]]:
    models = sorted({outcome["model"] for outcome in outcomes})
    _table(f"{len(models)} whole models, forward and backward: {len(outcomes)} honest variants and mutants", outcomes)
    _print_verdicts(outcomes)
    _print_wrong(outcomes)
    found = {f"models_false_alarms_{_named(checker)}": (_false_alarms(outcomes, checker).count, "pairs") for checker in CHECKERS}
    found |= {f"models_misses_{_named(checker)}": (_misses(outcomes, checker).count, "pairs") for checker in CHECKERS}
    return found | {"models": (len(models), "models"), "models_pairs": (len(outcomes), "pairs")}


def _report_detection(outcomes: list[Outcome]) -> dict[str, tuple[float, str]]:
    """The share of hosts in which a mutant is caught, by magnitude."""
    found: dict[str, tuple[float, str]] = {}
    for mutation in MUTATIONS:
        of_kind = [outcome for outcome in outcomes if outcome["mutation"] == mutation.name]
        magnitudes = [each for each in mutation.magnitudes if any(outcome["magnitude"] == each for outcome in of_kind)]
        table = Table("caught by", *(f"{each:.0e}" for each in magnitudes), title=f"{mutation.name}: {mutation.unit}")
        for checker in CHECKERS:
            shares: list[Rate] = []
            for magnitude in magnitudes:
                there = [each for each in of_kind if each["magnitude"] == magnitude]
                shares.append(Rate(sum(each["said"][checker] is False for each in there), len(there)))
            table.add_row(checker, *(f"{share.count}/{share.of}" for share in shares))
            all_caught = [magnitude for magnitude, share in zip(magnitudes, shares, strict=True) if share.count == share.of]
            found[f"detection_{_named(mutation.name)}_{_named(checker)}"] = (min(all_caught, default=float("inf")), "magnitude")
        Console(width=150).print(table)
    behind = [
        (outcome["pair"], checker)
        for outcome in outcomes
        for checker in CHECKERS[1:]
        if outcome["said"][checker] is False and outcome["said"]["halfulp"] is not False
    ]
    for checker in CHECKERS[1:]:
        names = [name for name, by in behind if by == checker]
        if names:
            print(f"  caught by {checker} and not by halfulp: {', '.join(names)}")
        found[f"detection_only_{_named(checker)}"] = (len(names), "mutants")
    return found


_REPORTS: dict[str, Callable[[list[Outcome]], dict[str, tuple[float, str]]]] = {
    "pairs": _report_pairs,
    "honest": _report_honest,
    "sixteen bits": _report_sixteen_bits,
    "models": _report_models,
    "detection": _report_detection,
}
