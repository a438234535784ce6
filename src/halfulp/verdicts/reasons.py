"""The reason for a verdict in a sentence, from the evidence that decided it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from ..differences import Comparison
from ..words.numbers import counted, digits_lost, number, place, power_of_two, share, times_of, up_to, verb
from . import limits
from .evidence.evidence import Evidence
from .evidence.finding import Finding
from .evidence.measured import measured_excess
from .verdict import Verdict

V, F = Verdict, Finding


class Judged(Protocol):
    """What reasons are given for: a `CheckResult`."""

    @property
    def verdict(self) -> Verdict:
        """One of the eight."""
        ...

    @property
    def because(self) -> tuple[str, ...]:
        """The kinds of evidence that decided."""
        ...

    @property
    def difference(self) -> Comparison:
        """The two sides in numbers."""
        ...

    @property
    def declared(self) -> str:
        """The precision that was judged by."""
        ...

    @property
    def acceptable(self) -> bool | None:
        """Whether the verdict is."""
        ...

    def find(self, kind: str) -> Evidence | None:
        """The evidence of that kind."""
        ...


def reason(result: Judged) -> str:
    """Why the verdict is what it is."""
    try:
        return _reason(result)
    except (KeyError, AttributeError):  # of a stored result, in which verdict and evidence don't belong together
        return f"This result says {result.verdict.name}, but does not hold the measurements that such a verdict rests on."


def _reason(result: Judged) -> str:
    if result.because[:1] == ("search",):
        return _searched(result)
    if result.because[:1] == ("inside",):
        found = _measured(result, "inside")
        whole = (
            "Taken as a whole, the results are within rounding, but"
            if _has(result, "noise", F.WITHIN)
            else "The results are beyond rounding, and"
        )
        return f"{whole} module {found['module']} alone, given the inputs that it gets in `actual`, is judged {found['verdict']}: {found['why']}"
    bits = _measured(result, "bits")
    flushed = result.acceptable is False and bits.get("flushed_by_actual", 0) and bits["flushed_by_actual"] == bits["unequal"]
    return _SENTENCES[result.verdict](result) + (_FLUSHED if flushed else "")


def warnings_of(result: Judged) -> list[str]:
    """What an acceptable verdict does not cover, in sentences."""
    found = _measured(result, "vacuous")
    said = [sentence.format(", ".join(found[name])) for name, sentence in _WARNINGS.items() if found.get(name)]
    if stored := _measured(result, "stored"):
        other = "expected" if stored["side"] == "actual" else "actual"
        said.append(
            f"{stored['side']} is a stored result ({stored['source']}). halfulp trusts that it was computed from these inputs, and skips every "
            f"check that would have to run it again; the remaining checks run only `{other}`."
        )
    if left_out := _measured(result, "bits").get("subnormals_as_zero"):
        count = number(left_out)
        said.append(
            f"{count} {'result is a subnormal number' if count == '1' else 'results are subnormal numbers'}, which one side flushes to zero, as some "
            "compilers and devices do. Subnormal numbers were taken for zero on both sides."
        )
    if _has(result, "overflow", F.EXPECTED):
        count = number(_measured(result, "overflow")["elements"])
        said.append(
            f"`expected` overflows: {count} of its elements {'is' if count == '1' else 'are'} NaN or infinite, but finite when it runs in float64. `actual` was compared with "
            "the float64 values."
        )
    return said


_WARNINGS = {
    "empty_outputs": "There was nothing to compare in {} (no elements).",
    "constant_outputs": "All elements of an output are equal, so comparing them shows little ({}).",
    "zero_inputs": "Every floating-point input is zero ({}), so a wrong product, scale or weight would not show.",
}


_FLUSHED = " All elements that differ are subnormal numbers, which `actual` flushes to zero."


def _has(result: Judged, kind: str, *findings: Finding) -> bool:
    evidence = result.find(kind)
    return evidence is not None and evidence.finding in findings


def _measured(result: Judged, kind: str) -> dict[str, Any]:
    evidence = result.find(kind)
    return dict(evidence.measured) if evidence is not None else {}


def _formula(result: Judged, right: str = "both sides compute the same formula: ") -> str:
    """How it is known that both sides compute the same function in exact arithmetic."""
    scaling = _measured(result, "scaling")
    if _has(result, "scaling", F.VANISHES):
        return f"{right}in float64 the difference shrinks {power_of_two(scaling.get('shrinks_bits'))}"
    if _has(result, "scaling", F.CONSTANTS):
        return f"{right}the difference that remains in float64 is no larger than the rounding of stored constants"
    if _has(result, "scaling", F.LOST_IN_FLOAT64):
        return f"{right}the difference that remains in float64 is float64's own rounding, magnified by the algorithm"
    if _has(result, "scaling", F.APPROXIMATES):
        names = " and ".join(map(str, scaling.get("approximated") or ["a function"]))  # a stored result may lack them
        return (
            f"{right}actual computes {names} by an approximation of its own, and the difference that remains in float64 is no larger than the "
            "error of a library's float32 version"
        )
    if _has(result, "scaling", F.GROWS_IN_BFLOAT16):
        return f"{right}the error grows by a factor of 2^{scaling['grows_bits']:.0f} from float32 to bfloat16, as rounding error does"
    if _has(result, "scaling", F.GROWS_IN_FLOAT32):
        return (
            f"{right}the difference grows {power_of_two(scaling.get('grows_to_float32'))} from float64 to float32, as rounding error does"
        )
    if _has(result, "scaling", F.AGREES_IN_FLOAT32):
        return f"{right}in float32 the two agree within rounding"
    if _has(result, "wide_redraw", F.RANDOM):
        return f"{right}the error changes at random when the inputs are perturbed by more than a 16-bit format's spacing, as rounding error does"
    if _has(result, "redraw", F.RANDOM):
        return f"{right}the error changes at random when the inputs are perturbed, as rounding error does"
    if _has(result, "integers", F.EXACT, F.NEARLY_EXACT):
        return f"{right}on small integers, where the order of additions can't matter, the two agree"
    return ""


def _identical(result: Judged) -> str:
    outputs = len(result.difference.differences)
    where = f" of {outputs} outputs" if outputs > 1 else ""
    count = result.difference.count
    return f"Every bit agrees in {counted(count, 'element')}{where}."


def _rounding(result: Judged) -> str:
    noise = _measured(result, "noise")
    formula = _formula(result, right="")
    tail = f". {_capitalized(formula)}" if formula else ""
    if result.because[:1] == ("families",):
        found = _measured(result, "families")
        return (
            f'This is proved to be rounding: adding the same terms in another order ("{found["actual"]}") reproduces every bit of `actual` '
            f"({counted(found['outputs'], 'output')})."
        )
    if result.because[:1] == ("loss",):
        fast = noise["transforms"] or _has(result, "fast_products", F.EXPLAIN)
        times = float(noise["norm_in_noise"] if fast else noise["rms_in_noise"])
        kind = "Fast products (Winograd, FFT, Strassen) lose that much by design" if fast else "The algorithm is coarser, not wrong"
        known = f": {formula}" if formula else ""
        return (
            f"This is rounding, but {times_of(times)} the rounding error of the expected algorithm, a loss of {digits_lost(times)}. "
            f"{kind}, and the formula is the same{known}."
        )
    if result.because[:1] == ("conditioning",):
        times = _measured(result, "conditioning")["norm_in_noise"]
        return (
            "This is rounding: `actual` loses digits in different elements than `expected` does, but it does not lose "
            f"more digits. Overall the error is {times_of(times)} what rounding in {result.declared} causes, and "
            f"where it is largest, rounding the inputs once moves the result just as far{tail}."
        )
    if result.because[:1] == ("backward_error",):
        found = _measured(result, "backward_error")
        return (
            f"This is rounding: the result is the exact sum of terms that are each off by at most {number(found['eta_in_u'])} u (u is half an ulp of 1); adding "
            f"{'1 term' if found['terms'] == 1 else format(found['terms'], ',') + ' terms in any order'} can cause about {number(found['estimate_in_u'])} u{tail}."
        )
    return (
        f"This is rounding in {result.declared}. In units of the noise (how far rounding spreads the results of this function on these "
        f"inputs), the error is {number(noise['rms_in_noise'])} rms and {number(noise['max_in_noise'])} at the worst element; a correct "
        f"implementation stays below {number(noise['rms_limit'])} (rms) and {number(noise['max_limit'])} (worst element){tail}."
    )


def _flip(result: Judged) -> str:
    flips = _measured(result, "flips")
    return (
        f"{share(int(flips['beyond']), int(flips['count']))} {verb(flips['beyond'], 'jump')}, and rounding alone makes the expected function jump at {'it' if flips['beyond'] == 1 else 'each of them'}, too: "
        "a comparison, a maximum or rounding to a grid is so close to its edge there that both results are right. "
        "All other elements are within rounding, or within a jump that rounding can cause."
    )


def _reduced(result: Judged) -> str:
    found = _measured(result, "precision")
    noise = _measured(result, "noise")
    beyond = _excess(result)
    if result.because[:1] == ("casts",):
        made = _measured(result, "casts")
        if made.get("made_at"):
            return (
                f"{_capitalized_beyond(beyond, noise)}. The error goes away when tensors that are created without a dtype are made in "
                f"{result.declared} ({', '.join(made['made_at'])}); PyTorch's default dtype is {made['formats'][-1]}."
            )
        if "stored" in made:
            return (
                f"{_capitalized_beyond(beyond, noise)}. Without the casts to {' and '.join(made['formats'])}, the error is "
                f"{times_of(made['excess_left'])} what rounding to {' and '.join(made['stored'])}, the {'format' if len(made['stored']) == 1 else 'formats'} in which "
                "the weights are stored, allows."
            )
        return (
            f"{_capitalized_beyond(beyond, noise)}. Without the casts to {' and '.join(made['formats'])}, "
            f"{_percent(float(made['share_left']))} of the difference remains: they cause it."
        )
    if _has(result, "precision", F.CORRELATES) and "deviations" not in found:
        return (
            f"The error is {beyond}, but no more than computing in {found['format']} causes. `actual` computes with {found['format']} numbers, "
            f"and rounding the {found['where']} to that format predicts {100.0 * float(found['correlated']):.0f} % of the error."
        )
    if _has(result, "precision", F.CORRELATES):
        return (
            f"The error is {beyond}, but no more than computing in {found['format']} causes, and it correlates with what rounding the {found['where']} to "
            f"{found['format']} gives, {number(found['deviations'])} standard deviations beyond chance."
        )
    if "explained" in found:
        return (
            f"The error is {beyond}, and rounding the {found['where']} to {found['format']} reproduces "
            f"{100.0 * float(found['explained']):.1f} % of it, element by element."
        )
    if found.get("seen"):
        return (
            f"The error is {beyond}, but no more than computing in {found['format']} causes ({times_of(found['rms_in_its_noise'])} the rounding noise of that format), and "
            f"`actual` does compute with {found['format']} numbers, in {found['where']}."
        )
    formula = _formula(result)
    stored = f", and every result is a {found['representable']} number" if found.get("representable") else ""
    return (
        f"The error is {beyond}, but it is what computing in {found['format']} causes ({times_of(found['rms_in_its_noise'])} the rounding noise of that format){stored}"
        f"{'; ' + formula if formula else ''}."
    )


def _unstable(result: Judged) -> str:
    noise = _measured(result, "noise")
    if _has(result, "redraw", F.SYSTEMATIC) and noise.get("elementwise"):
        return (
            f"`actual` approximates the function: in absolute terms its error is {times_of(noise['norm_in_noise'])} what rounding in "
            f"{result.declared} causes, but where the result is small it keeps fewer digits (the error there is up to {times_of(noise['max_in_noise'])} what rounding causes)."
        )
    if result.because[:1] == ("overflow",):
        return _overflows(result)
    if result.because[:1] == ("gain",):
        return _leans(result)
    if result.because[:1] == ("forward_error",):
        found = _measured(result, "forward_error")
        return (
            f"The algorithm loses {digits_lost(float(found['error']))}: its error is {times_of(found['error'])} "
            "what a single rounding of the inputs and the result causes; the error of the expected algorithm is "
            f"{times_of(found['expected_error'])} that amount, and a correct algorithm stays below {times_of(found['limit'])} that amount. Some step "
            f"that `expected` computes in higher precision than {result.declared} is computed in {result.declared} by "
            f"actual. {_capitalized(_formula(result))}."
        )
    times, peer = float(noise["rms_in_noise"]), noise.get("expected_rms_in_noise")
    if not math.isfinite(times):
        where = f" (worst at {noise['worst_index']})"
        return f"The algorithm makes errors in elements where rounding makes none{where}. {_capitalized(_formula(result))}."
    peers = f"; the expected algorithm's error is {times_of(peer)} what rounding causes" if peer is not None else ""
    return f"The algorithm loses {digits_lost(times)}: its error is {_excess(result)}{peers}. {_capitalized(_formula(result))}."


def _overflows(result: Judged) -> str:
    found, special = _measured(result, "overflow"), _measured(result, "specials")
    start = ""
    if found.get("op"):
        largest, smallest = found.get("largest_operand"), found.get("smallest_operand")
        sizes = "" if largest is None else f", on numbers from {number(smallest)} to {number(largest)} in magnitude"
        line = f" ({found['line']})" if found.get("line") else ""
        start = f" It starts at {found['op']}{line}{sizes}; the largest {found['format']} number is {number(found['largest'])}."
    return (
        f"{number(found['elements'])} of {counted(special['count'], 'element')} {verb(found['elements'], 'are')} NaN or infinite in actual. In float64 the same formula gives finite "
        f"numbers that agree with expected, so something overflows or underflows on the way.{start}"
    )


def _leans(result: Judged) -> str:
    found = _measured(result, "gain")
    if "share_lost" in found:
        lost = f"{100.0 * float(found['share_lost']):.0f} % of what the function adds to {found['input']} is lost"
        rounding = f"rounding could lose {100.0 * float(found['share_limit']):.2g} %"
        if result.verdict is V.UNDECIDED:
            return f"{lost}; {rounding}. Steps smaller than the spacing of {result.declared} numbers would do this."
        return (
            f"{lost}, because the steps are smaller than the spacing of {result.declared} numbers ({rounding}). "
            f"{_capitalized(_formula(result))}."
        )
    way = "large" if float(found["gain_in_u"]) > 0 else "small"
    stands = f" {_capitalized(_formula(result))}." if _formula(result) else ""
    return (
        f"On average the results are too {way} by {number(abs(float(found['gain_in_u'])))} u (u is half an ulp of 1); rounding would average out to "
        f"less than {number(found['limit_in_u'])} u. {number(found['same_sign'])} of {number(found['unequal'])} errors have the same sign. A running "
        f"sum that stops growing, or results that are truncated, would do this.{stands}"
    )


def _nondeterministic(result: Judged) -> str:
    found = _measured(result, "repetition")
    if "why" in found:
        return f"Another run failed where the first succeeded: {found['why']}."
    if found.get("structure"):
        return f"Two runs of `{found['side']}` on the same inputs return {found['structure']}.{_how_often(found)}"
    if _has(result, "repetition", F.UNWRITTEN_MEMORY):
        return (
            f"`{found['side']}` reads memory before it is written: when torch.empty and numpy.empty return NaN, "
            f"{share(int(found['unequal']), int(found['count']))} of its result {verb(found['unequal'], 'change')}."
        )
    modules = found.get("random_modules") or []
    cause = f": it draws random numbers in {', '.join(modules)}" if modules else ""
    return (
        f"Two runs of `{found['side']}` on the same inputs disagree in {share(int(found['unequal']), int(found['count']))}, "
        f"{up_to(found['max_abs'])}{cause}.{_how_often(found)}"
    )


def _how_often(found: dict[str, Any]) -> str:
    if "runs" not in found:
        return ""
    seeded = (
        "The same random seed gives the same bits."
        if found["seed_decides"]
        else "Runs from the same random seed differ as well, so the random generator is not the cause."
    )
    return f" {found['runs']} runs gave {found['results']} different results. {seeded}"


def _mistake(result: Judged) -> str:
    kind = result.because[0] if result.because else "noise"
    evidence = result.find(kind)
    path = place(evidence.path) if evidence is not None else ""
    measured = _measured(result, kind)
    noise = _measured(result, "noise")
    beyond = ""
    if isinstance(noise.get("rms_in_noise"), float) and noise["rms_in_noise"] > noise["rms_limit"]:
        beyond = f" The error is {_excess(result)}."
    sentence = _MISTAKES[kind](measured, path, beyond) if kind in _MISTAKES else f"The error{path} is beyond rounding.{beyond}"
    moved = result.find("rearrangement")
    if moved is not None:
        words = rearranged_words(moved.measured)
        sentence += (
            f" However, {words}{place(moved.path)}, to within {100 * limits.SAME_VECTOR:.1g} %. If order or sign is free, as for eigenvectors, compare "
            "something that doesn't depend on it."
        )
    writes = _measured(result, "overlap")
    if writes:
        side = next(iter(writes))
        sentence += f" `{side}` writes in place to memory that overlaps itself ({writes[side][0]}), so some elements change more than once."
    return sentence


def rearranged_words(measured: Mapping[str, Any]) -> str:
    """How the vectors of one side are those of the other."""
    what, opposite, count = str(measured["what"]), measured["opposite"], measured["count"]
    if what == "all":
        return "all of `actual` has the opposite sign"
    if what.endswith(" of each matrix"):
        what, inside = what.removesuffix(" of each matrix"), "in each matrix, "
    else:
        inside = ""
    name, _, axis = what.partition(" ")
    order = {"reversed": " in reverse order", "other": " in another order"}.get(str(measured["order"]), "")
    signs = f", {opposite:,} of {count:,} with the opposite sign" if opposite else ""
    return f"{inside}the {name} of `actual`{' ' + axis if axis else ''} are those of `expected`{order}{signs}"


def _structural(measured: dict[str, Any], path: str, beyond: str) -> str:
    what = {"missing": "A value is missing", "unexpected": "There is an extra value"}.get(
        measured["what"], f"The {measured['what']} differs"
    )
    return f"{what}{path}: got {measured['actual']}, expected {measured['expected']}."


def _special(measured: dict[str, Any], path: str, beyond: str) -> str:
    names = {
        "nan_actual_only": "NaN only in actual",
        "nan_expected_only": "NaN only in expected",
        "inf_actual_only": "infinite only in actual",
        "inf_expected_only": "infinite only in expected",
        "inf_sign": "infinite with opposite signs",
    }
    parts = [f"{measured[key]:,} {words}" for key, words in names.items() if measured.get(key)]
    return f"NaN and infinity are in different places{path}: {', '.join(parts)}, of {counted(measured['count'], 'element')}."


def _scaled(measured: dict[str, Any], path: str, beyond: str) -> str:
    if "grows_bits" in measured:
        return (
            f"The error{path} is {number(measured['native_rms'])} (rms) in float32 and {number(measured['bfloat16_rms'])} in bfloat16, where rounding error "
            f"would have grown by a factor of 2^16.{beyond}"
        )
    if "excess_in_float32" in measured:
        return f"In float32 the two still differ by {times_of(measured['excess_in_float32'])} what rounding allows, so they are different functions."
    if "unequal_integers_in_float64" in measured:
        return f"{measured['unequal_integers_in_float64']:,} integer or boolean {'element differs' if measured['unequal_integers_in_float64'] == 1 else 'elements differ'} in float64 as well, so this is decided by something other than rounding."
    return (
        f"This is not rounding{path}: when both sides run in float64 they still differ by {number(measured['float64_rms'])} (rms), where rounding error "
        f"would have shrunk by a factor of 2^29 or more. In the original precision, the error is {number(measured['native_rms'])}{beyond.replace(' The error is', ',') or '.'}"
    )


def _exactly(where: str) -> Callable[[dict[str, Any], str, str], str]:
    def words(measured: dict[str, Any], path: str, beyond: str) -> str:
        apart = share(int(measured["unequal"]), int(measured["count"]))
        return f"On {where}, the two still differ in {apart}{path}, {up_to(measured['max_abs'])}.{beyond}"

    return words


def _systematic(measured: dict[str, Any], path: str, beyond: str) -> str:
    if isinstance(gain := measured.get("gain_in_u"), float):
        return (
            f"The results are too {'large' if gain > 0 else 'small'} by {number(abs(gain))} u on average{path} (u is half an ulp of 1), and stay so when the inputs are "
            f"perturbed, where rounding error would change at random.{beyond}"
        )
    return (
        f"{100.0 * float(measured['share_that_stays']):.0f} % of the error{path} stays when the inputs are perturbed, where rounding error "
        f"would change at random.{beyond}"
    )


def _unscaled(measured: dict[str, Any], path: str, beyond: str) -> str:
    factor = number(measured["factor"])
    return (
        f"With inputs {factor} times as large, `expected` {'stays exactly the same' if measured['degree'] == 0 else 'becomes exactly ' + number(measured['factor'] ** measured['degree']) + ' times as large'}, bit for bit; "
        f"this does not hold for `actual`{path}, which contains something that does not scale, such as a constant or a threshold.{beyond}"
    )


def _patterned(measured: dict[str, Any], path: str, beyond: str) -> str:
    return (
        f"Each element is within rounding, but averaged over {measured['elements']:,} elements, the error at index {measured['index']} of axis {measured['axis']}"
        f"{path} is {times_of(measured['mean_in_noise'])} the noise (how far rounding spreads the results), {times_of(measured['excess'])} what rounding reaches, and it stays when the inputs are perturbed: "
        "rounding averages out, but a wrong term does not."
    )


def _unpermuted(measured: dict[str, Any], path: str, beyond: str) -> str:
    return f"Permuting the inputs along their axes of length {measured['length']} only reorders the result of `expected`, or leaves it unchanged; `actual` then differs from it by {times_of(measured['excess'])} what rounding allows{path}. `actual` treats some indices specially, such as those of a tail or a border.{beyond}"


def _searched(result: Judged) -> str:
    found = _measured(result, "search")
    return (
        f"On the given inputs the verdict is {found['given_verdict']}, but on the variant '{found['variant']}' it is {found['verdict']}: "
        f"{share(int(found['unequal']), int(found['count']))} {verb(found['unequal'], 'differ')}, {up_to(found['max_abs'])}. To see all evidence, check those inputs alone: "
        + (
            "halfulp worst --keep FILE finds such inputs and keeps them."
            if found.get("kind") == "search"
            else "halfulp.inputs.variants yields them under this label."
        )
    )


_MISTAKES: dict[str, Callable[[dict[str, Any], str, str], str]] = {
    "structure": _structural,
    "specials": _special,
    "scaling": _scaled,
    "integers": _exactly("small integers, where sums and products are exact in any order"),
    "redraw": _systematic,
    "impulses": _exactly("single impulses, where no sums are formed"),
    "powers": _unscaled,
    "patterns": _patterned,
    "permutations": _unpermuted,
    "gain": lambda measured, path, beyond: (
        f"{100.0 * float(measured['share_lost']):.0f} % of what the function adds to {measured['input']} is lost{path}."
        if "share_lost" in measured
        else f"The results are too {'large' if float(measured['gain_in_u']) > 0 else 'small'} by {number(abs(float(measured['gain_in_u'])))} u on average{path} (u is half an ulp of 1), "
        f"where rounding averages out to less than {number(measured['limit_in_u'])} u: {number(measured['same_sign'])} of {number(measured['unequal'])} errors "
        "have the same sign."
    ),
    "integer_outputs": lambda measured, path, beyond: (
        "Integer or boolean outputs differ, and rounding does not explain it: they still differ in higher precision, or the expected function does not jump there."
    ),
}


def _undecided(result: Judged) -> str:
    if result.because[:1] == ("reference",):
        return "The reference disagrees with `expected` by far more than rounding: one of the two is wrong."
    if result.because[:1] == ("specials",):
        return "Every element is NaN on both sides, so there is nothing to judge."
    if result.because[:1] == ("vacuous",):
        return "The two agree, but the inputs test little. " + " ".join(warnings_of(result))
    if result.because[:1] == ("gain",):
        return f"{_leans(result)} A stored result can't show whether that is the cause, or whether the formula is different."
    if result.because[:1] == ("patterns",):
        found = _measured(result, "patterns")
        return (
            f"Each element is within rounding, but averaged over {found['elements']:,} elements, the error at index {found['index']} of axis "
            f"{found['axis']} is {times_of(found['excess'])} what rounding reaches. A stored result can't show whether this "
            "error stays when the inputs are perturbed, as that of a wrong term would."
        )
    noise = _measured(result, "noise")
    relative = noise.get("least_noise_rel_rms")
    if not noise:
        return "No output is a floating-point tensor, and no other evidence distinguishes the two."
    if isinstance(noise["rms_in_noise"], float) and noise["rms_in_noise"] <= noise["rms_limit"] and isinstance(relative, float):
        return (
            f"The problem is ill-conditioned on these inputs: rounding alone can move the result by {100.0 * relative:.0f} % of its size, so agreement "
            "within rounding shows little."
        )
    if noise.get("method") == "inputs" and _has(result, "scaling", F.VANISHES):
        return (
            f"The formula is the same (the difference vanishes in float64), but the error is {times_of(noise['rms_in_noise'])} what rounding the "
            f"inputs causes, and halfulp can't see the ops of either side. Adding {counted(noise['terms'], 'term')} one by one could lose that much, and so could "
            "an unstable algorithm. Write `expected` in PyTorch ops to decide."
        )
    why = _measured(result, "scaling").get("why", "no run in another precision was possible")
    if _measured(result, "stored"):
        return _of_stored(result, why)
    return f"The error is {_excess(result)}, but its cause could not be determined: {why}."


def _of_stored(result: Judged, why: str) -> str:
    """What is known of an error beyond rounding in a stored result, and what isn't."""
    backward, precision = _measured(result, "backward_error"), _measured(result, "precision")
    known = ""
    if backward:
        within = f"adding in any order can cause up to about {number(backward['estimate_in_u'])} u"
        known += f" The error amounts to {number(backward['eta_in_u'])} u, where u is half an ulp of 1 ({within})."
    if _has(result, "precision", F.NOT_REPRODUCED):
        known += f" No coarser format reproduces it (at best {100.0 * float(precision['explained']):.0f} %)."
    return (
        f"The error is {_excess(result)}, which is more than rounding in the same computation can cause.{known} halfulp "
        "could not determine whether the algorithm loses digits or whether a formula, weight or input differs: "
        f"{why}."
    )


def _excess(result: Judged) -> str:
    """How large the error is, in words."""
    noise = result.find("noise")
    return measured_excess(noise).words(f" in {result.declared}") if noise is not None else "beyond rounding"


def _capitalized_beyond(beyond: str, noise: dict[str, Any]) -> str:
    rms, limit = noise.get("rms_in_noise"), noise.get("rms_limit")
    is_beyond = isinstance(rms, float) and isinstance(limit, float) and rms > limit
    return f"The error is {beyond}" if is_beyond else "The error is small enough to be rounding, but doesn't shrink in float64"


def _percent(share: float) -> str:
    """A share that is left, in words that need no exponent."""
    return f"{number(100.0 * share)} %" if share >= 1e-5 else "less than 0.001 %"


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:] if text else "The formula is the same"


_SENTENCES: dict[Verdict, Callable[[Judged], str]] = {
    V.IDENTICAL: _identical,
    V.ROUNDING: _rounding,
    V.FLIP: _flip,
    V.REDUCED_PRECISION: _reduced,
    V.UNSTABLE: _unstable,
    V.NONDETERMINISTIC: _nondeterministic,
    V.MISTAKE: _mistake,
    V.UNDECIDED: _undecided,
}
