"""Laboratory: makes trials and measures what becomes of the difference."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch.utils._pytree import tree_map

from ..backends.knobs import NotApplicable
from ..cases import GIVEN, Case, Change, Inputs, OutOfTime, Run
from ..cases.deadline import now
from ..cases.inputs import TORCH_DTYPES
from ..differences import Leaf
from ..differences.leaves import leaves_of
from ..errors import HalfulpError, RunError
from ..noise import Noise
from ..process.alone import quiet
from ..verdicts.checker import judged
from ..verdicts.evidence.finding import Finding
from ..verdicts.evidence.measured import measured_excess
from ..verdicts.gatherer import Gatherer
from ..verdicts.result import CheckResult
from ..words.numbers import times_of
from .cause import Experiment
from .hypotheses import ARITHMETIC, SETTING
from .scale import BOTH, Distance, Scale
from .trial import Fitting, Trial, changed_function
from .written_constants import constants_near, decimals_near

REPEATS = 3
"""How often a trial is made where a side disagrees with itself; the median distance counts."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a trial gave.

    Attributes:
        trial: the change. distance: what is left. share: of the distance before that is gone. touched: elements of the changed side that
            have other bits than unchanged. outputs: of the changed side.
    """

    trial: Trial
    distance: Distance
    share: float
    touched: int
    outputs: tuple[Leaf, ...]


class Laboratory:
    """Makes trials on one case.

    Args:
        case: whose sides are changed. noise: what distances are measured by. result: the verdict without any change.
        deadline: the time (`now`) at which no more trials are made. progress: told what is tried.

    Attributes:
        before: the distance without any change. error: the error of `actual` without it, in words. experiments: all trials that were made. out_of_time: whether some were left out.
        left_out: what was left out for want of time, in words.
    """

    def __init__(self, case: Case, noise: Noise | None, result: CheckResult, deadline: float, progress: Callable[[str], None]) -> None:
        self.case = case
        self.noise = noise
        self.result = result
        self.scale = Scale(case, noise)
        self.progress = progress
        self.deadline = deadline
        self.native = {name: case.native(name).outputs for name in ("actual", "expected")}
        self.before = self.scale.distance(self.native["actual"], self.native["expected"])
        judged = result.find("noise")
        self.error = str(measured_excess(judged)) if judged is not None else f"{times_of(self.before.rms)} what rounding causes"
        self.experiments: list[Experiment] = []
        self.out_of_time = False
        self.left_out: dict[str, None] = {}
        repeated = result.find("repetition")
        self._repeats = REPEATS if repeated is not None and repeated.finding is not Finding.SAME else 1

    def on(self, case: Case) -> Laboratory:
        """The same laboratory with another case; its experiments are kept."""
        other = Laboratory(case, self.noise, self.result, self.deadline, progress=self.progress)
        other.experiments, other.out_of_time, other.left_out = self.experiments, self.out_of_time, self.left_out
        return other

    def seconds_left(self) -> float:
        """Until the deadline; 0 when the time is over."""
        return max(0.0, self.deadline - now())

    def hurries(self, what: str = "", *, takes: float = 0.0) -> bool:
        """Whether the time is over, or too short; that something was left out is remembered.

        Args:
            what: what would be done next; said in the answer where it is left out. takes: about how many seconds it takes: what would
                end too late is not begun.
        """
        is_over = self.seconds_left() <= takes
        if is_over and what:
            self.left_out[what] = None
        self.out_of_time = self.out_of_time or is_over
        return is_over

    def stop(self, what: str = "") -> None:
        """The time is over: a run was not begun that would end after it."""
        self.out_of_time = True
        self.deadline = min(self.deadline, now())
        if what:
            self.left_out[what] = None

    def error_of(self, outputs: Sequence[Leaf]) -> float | None:
        """The rms error of outputs against the reference, in units of the noise."""
        return self.scale.error(outputs)

    def case_with(self, trials: Sequence[Trial]) -> Case:
        """The case with changes made in its sides."""
        case = self.case
        for name in ("actual", "expected"):
            own = [trial for trial in trials if trial.side == name]
            if own:
                case = case.with_function(name, changed_function(case.side(name), own))
        return case

    def outputs_with(self, trials: Sequence[Trial], inputs: Inputs = GIVEN) -> dict[str, tuple[Leaf, ...]]:
        """The outputs of both sides with changes made, on these inputs; on others than the given ones with another seed, too.

        Raises:
            Exception: whatever a changed function raised.
        """
        case, found = self.case_with(trials), dict[str, tuple[Leaf, ...]]()
        with quiet():
            for name in ("actual", "expected"):
                if inputs == GIVEN:
                    outputs = case.native(name).outputs
                else:
                    run = case.elsewhere(name, inputs, other_seed=inputs.number > 0)
                    if not isinstance(run, Run):
                        raise RunError(run.reason)
                    outputs = run.outputs
                recast = any(trial.side == name and trial.kind in (ARITHMETIC, SETTING) for trial in trials)
                found[name] = _in_formats_of(outputs, self.native[name]) if recast else outputs
        return found

    def distance_with(self, trials: Sequence[Trial]) -> Distance:
        """The distance between the sides with all changes made; the median of several where a side disagrees with itself."""
        found = [self.outputs_with(trials) for _ in range(self._repeats)]
        distances = sorted((self.scale.distance(entry["actual"], entry["expected"]) for entry in found), key=lambda distance: distance.rms)
        return distances[len(distances) // 2]

    def holds_elsewhere(self, trials: Sequence[Trial], left: Distance) -> bool | None:
        """Whether the changes explain as much on other inputs and with another seed, their constants being what they are.

        Args:
            trials: the changes. left: the distance that they leave on the given inputs.

        Returns:
            None where that can't be asked: no other inputs, or no result that moves with them.
        """
        if self._repeats > 1:
            return None
        fewest = -(-ELSEWHERE_VALUES // max(1, left.count)) if not left.unequal else 1
        near = [Inputs(Change.DATA_MOVED, number) for number in range(max(ELSEWHERE, fewest))]
        asked = 0
        # Where the difference is rounding, inputs times a power of two would round alike.
        for inputs in (*near, *(() if self.result.acceptable else (FAR,))):
            try:
                plain, sides = self.outputs_with((), inputs), self.outputs_with(trials, inputs)
            except OutOfTime:
                self.stop("trying a cause on other inputs")
                return None
            except (Exception, SystemExit):
                continue
            if all(self.scale.distance(plain[name], self.native[name]).unequal == 0 for name in plain):
                continue
            if inputs == FAR:
                held = self._holds_far(plain, sides)
            elif self.result.acceptable:
                held = self.scale.distance(sides["actual"], sides["expected"]).share_gone(self.before) >= NEARLY
            else:
                held = self.scale.distance(sides["actual"], sides["expected"]).rms <= MARGIN * max(left.rms, self.scale.limit)
            if not held:
                return False
            asked += 1
        return True if asked else None

    def _holds_far(self, plain: Mapping[str, Sequence[Leaf]], sides: Mapping[str, Sequence[Leaf]]) -> bool:
        """Where noise is not known: a difference of more than rounding has to go away."""
        before, after = (self.scale.relative(found["actual"], found["expected"]) for found in (plain, sides))
        rounding = self.scale.coarsest
        return after <= max(rounding, LEFT_FAR * before)

    def make(self, trial: Trial, applied: Sequence[Trial] = (), before: Distance | None = None) -> Outcome | None:
        """Make a trial beside others; None where the changed function does not run."""
        before = before or self.before
        try:
            sides = self.outputs_with((*applied, trial))
            distance = (
                self.scale.distance(sides["actual"], sides["expected"]) if self._repeats == 1 else self.distance_with((*applied, trial))
            )
        except OutOfTime:
            self.stop()
            return None
        except (Exception, SystemExit) as error:
            reason = error.__cause__ or error
            if not isinstance(reason, NotApplicable):
                self._note(trial, None, None, note=_first_line(reason))
            return None
        touched = self.scale.distance(sides[trial.side], self.native[trial.side]).unequal
        outcome = Outcome(trial, distance, distance.share_gone(before), touched, outputs=sides[trial.side])
        if not applied:
            self._note(trial, outcome, touched)
        return outcome

    def _note(self, trial: Trial, outcome: Outcome | None, touched: int | None, note: str = "") -> None:
        share = None if outcome is None else outcome.share
        left = None if outcome is None else outcome.distance.rms
        self.experiments.append(
            Experiment(
                trial.name,
                trial.detail,
                trial.side,
                trial.place,
                share=share,
                touched=touched,
                in_noise=left,
                touches=trial.touches,
                note=note or trial.known,
            )
        )

    def confirms(self, trials: Sequence[Trial]) -> bool:
        """Whether `check` accepts the difference once the changes are made: the whole judgement, with noise of its own."""
        case = self.case
        for name in ("actual", "expected"):
            own = [trial for trial in trials if trial.side == name]
            if own:
                case = case.with_function(name, _kept_in_formats(changed_function(case.side(name), own), own, self.native[name]))
        try:
            with quiet():
                return judged(Gatherer(case, lambda _: None)).acceptable is True
        except OutOfTime:
            self.stop("confirming a cause with a full check")
            return False
        except HalfulpError:
            return False

    def fitted(self, fitting: Fitting, applied: Sequence[Trial] = (), before: Distance | None = None) -> Outcome | None:
        """The trial with the value of a constant that leaves least: a scan of the squared distance, then Brent's method beside its best place."""
        fit = fitting.fit
        known: dict[float, Outcome] = {}

        def measured(place: float) -> float:
            if self.hurries():
                return math.inf
            value = math.exp(place) if fit.logarithmic else place
            outcome = self.make(fitting.trial(value), applied, before)
            if outcome is None:
                return math.inf
            known[value] = outcome
            return outcome.distance.rms**2

        # What the other side has is likeliest, and may spare the search.
        for constant in sorted(fitting.others - {fit.present}, key=lambda other: abs(other - fit.present))[:OTHERS]:
            usable = fit.low <= constant <= fit.high and (constant > 0 or not fit.logarithmic)
            outcome = self.make(fitting.trial(constant), applied, before) if usable and not self.hurries() else None
            if outcome is not None and outcome.distance.rms <= BOTH:
                return outcome
        low, high = (math.log(fit.low), math.log(fit.high)) if fit.logarithmic else (fit.low, fit.high)
        places = np.linspace(low, high, SCANNED)
        scan = [measured(place) for place in places]
        best_place = int(np.argmin(scan))
        if known and not self.hurries():
            from scipy.optimize import minimize_scalar

            bounds = places[max(best_place - 1, 0)], places[min(best_place + 1, SCANNED - 1)]
            with np.errstate(invalid="ignore"):  # a value that can't be tried is infinitely far
                minimize_scalar(measured, bounds=bounds, method="bounded", options={"maxiter": FIT_STEPS, "xatol": 0.0})
        if not known:
            return None
        best = min(known.values(), key=lambda outcome: outcome.distance.rms)
        value = next(key for key, outcome in known.items() if outcome is best)
        if self.hurries():
            return best
        written = [*((decimal, "") for decimal in decimals_near(value)), *constants_near(value, fit.present, fitting.lengths)]
        for constant, name in written:
            if constant > 0 or not fit.logarithmic:
                trial = fitting.trial(constant)
                trial = dataclasses.replace(trial, detail=f"{trial.detail} ({name})") if name else trial
                outcome = self.make(trial, applied, before)
                if outcome is not None and outcome.distance.rms <= max(1.05 * best.distance.rms, BOTH):
                    return outcome
        return dataclasses.replace(best, trial=dataclasses.replace(best.trial, written=False))


ELSEWHERE = 2
"""On so many other inputs a change has to hold: a constant that was fitted to one set of numbers fails on the first already."""
ELSEWHERE_VALUES = 16
"""And on so many that this many numbers were compared, where bits have to agree: two roundings of one number agree by chance about every
second time, of sixteen once in 65,000."""
FAR = Inputs(Change.DATA_SCALED)
"""And on inputs eight times as large, where branches and saturation may be others."""
LEFT_FAR = 0.02
"""What a difference there may keep of its size: a cause that explains leaves rounding, one that happens to fit leaves what it does not explain."""
MARGIN = 4.0
"""How much more it may leave there: the inputs move by a 64th, which changes the spread of rounding by less than that."""
NEARLY = 0.9
"""A change that leaves a tenth of a rounding difference took most of it away; rounding drawn anew leaves all of it (a share of about 0)."""

OTHERS = 12
"""So many numbers of the other side are tried as a constant."""

SCANNED = 13
"""Places of a scan: a half of the usual range of an epsilon's exponent each, so that the minimum lies between the neighbors of the best."""

FIT_STEPS = 20
"""Successive parabolas converge with order 1.32 (Brent, Algorithms for Minimization without Derivatives, chapter 3): 1.32^14 = 49, so 14 take the
one digit of a scan to the rounding of float64; six more for the golden sections that Brent's method begins with."""


def _in_formats_of(outputs: tuple[Leaf, ...], natural: tuple[Leaf, ...]) -> tuple[Leaf, ...]:
    """The outputs in the dtypes that the unchanged side returns: a change of arithmetic inside doesn't change what is stored at the end."""
    dtypes = {leaf.path: leaf for leaf in natural}
    found: list[Leaf] = []
    for leaf in outputs:
        other = dtypes.get(leaf.path)
        if other is None or other.dtype == leaf.dtype or {other.dtype, leaf.dtype} - {"float32", "bfloat16", "float16"}:
            found.append(leaf)
            continue
        converted = leaves_of(torch.from_numpy(np.ascontiguousarray(leaf.numbers())).to(TORCH_DTYPES[other.dtype]))[0]
        found.append(
            Leaf(leaf.path, converted.dtype, converted.stored, converted.format, device=leaf.device, memory_format=leaf.memory_format)
        )
    return tuple(found)


def _kept_in_formats(function: Callable[..., object], trials: Sequence[Trial], natural: tuple[Leaf, ...]) -> Callable[..., object]:
    """The changed function with results stored in the formats of the unchanged one, where those are but one."""
    stored = {leaf.dtype for leaf in natural if leaf.format is not None}
    if len(stored) != 1 or stored - {"float32", "bfloat16", "float16"} or not any(trial.kind in (ARITHMETIC, SETTING) for trial in trials):
        return function
    target, others = getattr(torch, stored.pop()), (torch.float32, torch.bfloat16, torch.float16)

    def run(*arguments: object, **keywords: object) -> object:
        result = function(*arguments, **keywords)
        return tree_map(lambda item: item.to(target) if isinstance(item, torch.Tensor) and item.dtype in others else item, result)

    return run


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {(lines or [''])[0][:160]}"
