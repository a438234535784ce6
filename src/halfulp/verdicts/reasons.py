"""The reason for a verdict in a sentence, from the evidence that decided it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol

from ..differences import Comparison
from ..words.numbers import digits_lost, number, place, power_of_two, share
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
        whole = "The whole is within rounding, but" if _has(result, "noise", F.WITHIN) else "The whole is beyond rounding, and"
        return f"{whole} {found['module']} by itself, on the inputs that it really got, is {found['verdict']}: {found['why']}"
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
            f"{stored['side']} is a stored result ({stored['source']}): that it was computed from these inputs is taken on trust, and what takes "
            f"another run of it was not asked; the verdict rests on what {other} shows."
        )
    if _has(result, "overflow", F.EXPECTED):
        count = number(_measured(result, "overflow")["elements"])
        said.append(
            f"`expected` is NaN or infinite in {count} elements where its formula in float64 gives numbers; actual was compared with those."
        )
    return said


_WARNINGS = {
    "empty_outputs": "{} is empty: nothing was compared.",
    "constant_outputs": "Every element of {} has the same value, so the comparison says little.",
    "zero_inputs": "Every floating-point input is zero ({}), so wrong products, scales and weights would not show.",
}


_FLUSHED = " All elements that differ are subnormal numbers that actual flushes to zero."


def _has(result: Judged, kind: str, *findings: Finding) -> bool:
    evidence = result.find(kind)
    return evidence is not None and evidence.finding in findings


def _measured(result: Judged, kind: str) -> dict[str, Any]:
    evidence = result.find(kind)
    return dict(evidence.measured) if evidence is not None else {}


def _formula(result: Judged, right: str = "the two are one formula: ") -> str:
    """How it is known that both sides compute the same function in exact arithmetic."""
    scaling = _measured(result, "scaling")
    if _has(result, "scaling", F.VANISHES):
        return f"{right}run in float64, their difference shrinks {power_of_two(scaling.get('shrinks_bits'))}"
    if _has(result, "scaling", F.CONSTANTS):
        return f"{right}what is left of their difference in float64 is no larger than the rounding of the constants that they store"
    if _has(result, "scaling", F.LOST_IN_FLOAT64):
        return f"{right}what is left of their difference in float64 is float64's own rounding, which the algorithm loses digits to as well"
    if _has(result, "scaling", F.GROWS_IN_BFLOAT16):
        return f"{right}the error grows by 2^{scaling['grows_bits']:.0f} from float32 to bfloat16, as rounding does"
    if _has(result, "scaling", F.GROWS_IN_FLOAT32):
        return f"{right}their difference grows {power_of_two(scaling.get('grows_to_float32'))} from float64 to float32, as rounding does"
    if _has(result, "scaling", F.AGREES_IN_FLOAT32):
        return f"{right}both run in float32 agree within float32's rounding"
    if _has(result, "wide_redraw", F.RANDOM):
        return f"{right}the error is drawn anew when the inputs move by more than a 16-bit format's spacing, as rounding to one is"
    if _has(result, "redraw", F.RANDOM):
        return f"{right}the error is drawn anew when the inputs move slightly, as rounding is"
    if _has(result, "integers", F.EXACT, F.NEARLY_EXACT):
        return f"{right}on small integers, where order can't matter, they agree"
    return ""


def _identical(result: Judged) -> str:
    outputs = len(result.difference.differences)
    where = f" in {outputs} outputs" if outputs > 1 else ""
    count = result.difference.count
    return f"Every bit agrees: {number(count)} element{'s' if count != 1 else ''}{where}."


def _rounding(result: Judged) -> str:
    noise = _measured(result, "noise")
    formula = _formula(result, right="")
    if result.because[:1] == ("families",):
        found = _measured(result, "families")
        return (
            f'Proved to be rounding: adding the same terms in the order "{found["actual"]}" gives actual\'s result in every bit '
            f"({found['outputs']:,} outputs). No other formula and no coarser format is needed to explain it."
        )
    if result.because[:1] == ("loss",):
        fast = noise["transforms"] or _has(result, "fast_products", F.EXPLAIN)
        times = float(noise["norm_in_noise"] if fast else noise["rms_in_noise"])
        kind = "fast products (Winograd, FFT, Strassen) lose that much by design" if fast else "its algorithm is coarser, not wrong"
        known = f" ({formula})" if formula else ""
        return (
            f"Rounding, but {number(times)} times more of it than the expected algorithm makes, a loss of {digits_lost(times)}: "
            f"{kind}, and the formula is the same{known}."
        )
    if result.because[:1] == ("conditioning",):
        times = _measured(result, "conditioning")["norm_in_noise"]
        return (
            f"Rounding: actual loses digits at different elements than expected does, but not more of them. Overall the error is {number(times)} "
            f"times what rounding in {result.declared} makes, and where it is largest, rounding the inputs once moves the result as far"
            f"{'; ' + formula if formula else ''}."
        )
    if result.because[:1] == ("backward_error",):
        found = _measured(result, "backward_error")
        return (
            f"Rounding: the result is the exact sum of terms that are each off by at most {number(found['eta_in_u'])} roundings, and adding "
            f"{number(found['terms'])} terms in any order makes {number(found['estimate_in_u'])}{'; ' + formula if formula else ''}."
        )
    tail = f"; {formula}" if formula else ""
    return (
        f"Rounding in {result.declared} explains it: measured by how far rounding spreads the results of this function on these "
        f"inputs, the error is {number(noise['rms_in_noise'])} rms and {number(noise['max_in_noise'])} at the worst element, and honest "
        f"results stay below {number(noise['rms_limit'])} and {number(noise['max_limit'])}{tail}."
    )


def _flip(result: Judged) -> str:
    flips = _measured(result, "flips")
    return (
        f"{share(int(flips['beyond']), int(flips['count']))} jump, and rounding alone makes the expected function jump at each of them: "
        "there a comparison, maximum or rounding to a grid is so close to its edge that both sides are right. "
        "All others are where rounding can put them, which near an edge includes a jump."
    )


def _reduced(result: Judged) -> str:
    found = _measured(result, "precision")
    noise = _measured(result, "noise")
    beyond = _excess(result)
    if result.because[:1] == ("casts",):
        made = _measured(result, "casts")
        if made.get("made_at"):
            return (
                f"{_capitalized_beyond(beyond, noise)}. It goes away when tensors created without a dtype are created in {result.declared} "
                f"({', '.join(made['made_at'])}); PyTorch's default dtype is {made['formats'][-1]}."
            )
        if "stored" in made:
            return (
                f"{_capitalized_beyond(beyond, noise)}. With every cast to {' and '.join(made['formats'])} taken out, what is left is "
                f"{number(made['excess_left'])} of what rounding to {' and '.join(made['stored'])} allows: the weights are stored in it."
            )
        return (
            f"{_capitalized_beyond(beyond, noise)}. Taking the casts to {' and '.join(made['formats'])} out of the function leaves "
            f"{number(100.0 * float(made['share_left']))} % of the difference: they make it."
        )
    if _has(result, "precision", F.CORRELATES) and "deviations" not in found:
        return (
            f"The error is {beyond} and no more than computing in {found['format']} makes. `actual` computes with numbers of {found['format']}, "
            f"and rounding the {found['where']} to it predicts {100.0 * float(found['correlated']):.0f} % of the error."
        )
    if _has(result, "precision", F.CORRELATES):
        return (
            f"The error is {beyond} and no more than computing in {found['format']} makes, and it follows what rounding the {found['where']} to "
            f"{found['format']} gives, {number(found['deviations'])} standard deviations more than by chance."
        )
    if "explained" in found:
        return (
            f"The error is {beyond}, and rounding the {found['where']} to {found['format']} reproduces "
            f"{100.0 * float(found['explained']):.1f} % of it, element by element."
        )
    if found.get("seen"):
        return (
            f"The error is {beyond} and no more than computing in {found['format']} makes ({number(found['rms_in_its_noise'])} of its noise), and "
            f"`actual` was seen to compute with numbers of {found['format']}, in {found['where']}."
        )
    formula = _formula(result)
    stored = f", and every result is a number of {found['representable']}" if found.get("representable") else ""
    return (
        f"The error is {beyond} but just what computing in {found['format']} makes ({number(found['rms_in_its_noise'])} of its noise){stored}"
        f"{'; ' + formula if formula else ''}."
    )


def _unstable(result: Judged) -> str:
    noise = _measured(result, "noise")
    if _has(result, "redraw", F.SYSTEMATIC) and noise.get("elementwise"):
        return (
            f"An approximation of the function: in absolute terms its error is {number(noise['norm_in_noise'])} of what rounding in {result.declared} "
            f"makes, but where the result is small it keeps fewer digits (up to {number(noise['max_in_noise'])} times rounding)."
        )
    if result.because[:1] == ("overflow",):
        return _overflows(result)
    if result.because[:1] == ("gain",):
        return _leans(result)
    if result.because[:1] == ("forward_error",):
        found = _measured(result, "forward_error")
        return (
            f"The algorithm loses {digits_lost(float(found['error']))}: its error is {number(found['error'])} times what rounding the inputs and the "
            f"result once makes, the expected algorithm's is {number(found['expected_error'])}. An honest one stays below {number(found['limit'])}. "
            f"A step that expected takes in more than {result.declared} is taken in {result.declared}. {_capitalized(_formula(result))}."
        )
    times, peer = float(noise["rms_in_noise"]), noise.get("expected_rms_in_noise")
    if not math.isfinite(times):
        where = f" (worst at {noise['worst_index']})"
        return (
            f"The algorithm leaves errors where the exact result has none and rounding makes none{where}. {_capitalized(_formula(result))}."
        )
    peers = f", where the expected algorithm's error is {number(peer)}" if peer is not None else ""
    return f"The algorithm loses {digits_lost(times)}: its error is {_excess(result)}{peers}. {_capitalized(_formula(result))}."


def _overflows(result: Judged) -> str:
    found, special = _measured(result, "overflow"), _measured(result, "specials")
    start = ""
    if found.get("op"):
        largest, smallest = found.get("largest_operand"), found.get("smallest_operand")
        sizes = "" if largest is None else f", on numbers from {number(smallest)} to {number(largest)} in magnitude"
        line = f" ({found['line']})" if found.get("line") else ""
        start = f" It starts at {found['op']}{line}{sizes}; {found['format']} ends at {number(found['largest'])}."
    return (
        f"{number(found['elements'])} of {special['count']:,} elements are NaN or infinite in actual, where the same formula run in float64 gives "
        f"numbers that agree with expected: something overflows or underflows on the way.{start}"
    )


def _leans(result: Judged) -> str:
    found = _measured(result, "gain")
    if "share_lost" in found:
        return (
            f"{100.0 * float(found['share_lost']):.0f} % of what the function adds to {found['input']} is lost: the steps are too small for the "
            f"spacing of {result.declared} (rounding could lose {100.0 * float(found['share_limit']):.2g} %). {_capitalized(_formula(result))}."
        )
    way = "large" if float(found["gain_in_u"]) > 0 else "small"
    stands = f" {_capitalized(_formula(result))}." if _formula(result) else ""
    return (
        f"On average the results are too {way} by {number(abs(float(found['gain_in_u'])))} u; rounding would average out to less than "
        f"{number(found['limit_in_u'])} u. {number(found['same_sign'])} of {number(found['unequal'])} errors have the same sign. A running sum that "
        f"stops growing, or a result that is truncated, does this.{stands}"
    )


def _nondeterministic(result: Judged) -> str:
    found = _measured(result, "repetition")
    if "why" in found:
        return f"Another run failed where the first succeeded: {found['why']}."
    if found.get("structure"):
        return f"Two runs of `{found['side']}` on the same inputs return {found['structure']}.{_how_often(found)}"
    if _has(result, "repetition", F.UNWRITTEN_MEMORY):
        return (
            f"`{found['side']}` reads memory that nothing has written: with NaN in what torch.empty and numpy.empty return, "
            f"{share(int(found['unequal']), int(found['count']))} of its result change."
        )
    modules = found.get("random_modules") or []
    cause = f": it draws random numbers in {', '.join(modules)}" if modules else ""
    return (
        f"Two runs of `{found['side']}` on the same inputs disagree in {share(int(found['unequal']), int(found['count']))}, by up to "
        f"{number(found['max_abs'])}{cause}.{_how_often(found)}"
    )


def _how_often(found: dict[str, Any]) -> str:
    if "runs" not in found:
        return ""
    seeded = (
        "The same random seed gives the same bits."
        if found["seed_decides"]
        else "So do runs from the same random seed: no seed decides it."
    )
    return f" {found['runs']} runs gave {found['results']} results. {seeded}"


def _mistake(result: Judged) -> str:
    kind = result.because[0] if result.because else "noise"
    evidence = result.find(kind)
    path = place(evidence.path) if evidence is not None else ""
    measured = _measured(result, kind)
    noise = _measured(result, "noise")
    beyond = ""
    if isinstance(noise.get("rms_in_noise"), float) and noise["rms_in_noise"] > noise["rms_limit"]:
        beyond = f", {_excess(result)}"
    sentence = _MISTAKES[kind](measured, path, beyond) if kind in _MISTAKES else f"The error is beyond rounding{path}{beyond}."
    writes = _measured(result, "overlap")
    if writes:
        side = next(iter(writes))
        sentence += (
            f" `{side}` writes in place onto memory that overlaps itself ({writes[side][0]}), so some elements are changed more than once."
        )
    return sentence


def _structural(measured: dict[str, Any], path: str, beyond: str) -> str:
    what = {"missing": "An output is missing", "unexpected": "There is an unexpected output"}.get(
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
    return f"The two disagree about NaN and infinity{path}: {', '.join(parts)}, of {measured['count']:,} elements."


def _scaled(measured: dict[str, Any], path: str, beyond: str) -> str:
    if "grows_bits" in measured:
        return (
            f"The error is {number(measured['native_rms'])} (rms) in float32{beyond}, and {number(measured['bfloat16_rms'])} in bfloat16{path}, where rounding would "
            "have grown by 2^16."
        )
    if "excess_in_float32" in measured:
        return f"Run in float32 as well, the two still differ by {number(measured['excess_in_float32'])} times what its rounding allows: they are different functions."
    if "unequal_integers_in_float64" in measured:
        return f"{measured['unequal_integers_in_float64']:,} integer or boolean elements differ in float64 as well: they are decided by another rule, not by rounding."
    return (
        f"The difference is no rounding: the error is {number(measured['native_rms'])} (rms) as written{beyond}, and the two still differ by {number(measured['float64_rms'])} when "
        f"both run in float64{path}, where rounding would have shrunk by 2^29."
    )


def _exactly(where: str) -> Callable[[dict[str, Any], str, str], str]:
    def words(measured: dict[str, Any], path: str, beyond: str) -> str:
        apart = share(int(measured["unequal"]), int(measured["count"]))
        return f"On {where}, the two still differ by up to {number(measured['max_abs'])} in {apart}{path}{beyond}."

    return words


def _systematic(measured: dict[str, Any], path: str, beyond: str) -> str:
    if isinstance(gain := measured.get("gain_in_u"), float):
        return (
            f"The results are too {'large' if gain > 0 else 'small'} by {number(abs(gain))} u in the mean{path}, each time that the inputs move "
            f"slightly, where rounding errors would be drawn anew{beyond}."
        )
    return (
        f"{100.0 * float(measured['share_that_stays']):.0f} % of the error stays when the inputs move slightly{path}, where rounding errors "
        f"would be drawn anew{beyond}."
    )


def _unscaled(measured: dict[str, Any], path: str, beyond: str) -> str:
    factor = number(measured["factor"])
    return (
        f"With inputs {factor} times as large expected becomes exactly {number(measured['factor'] ** measured['degree'])} times as large, bit for bit; "
        f"actual does not{path}{beyond}: it holds something that does not scale (a constant, a threshold)."
    )


def _patterned(measured: dict[str, Any], path: str, beyond: str) -> str:
    return (
        f"Each element is within rounding, but in the mean over {measured['elements']:,} elements the error at index {measured['index']} of axis {measured['axis']}"
        f"{path} is {number(measured['mean_in_noise'])} of the noise, {number(measured['excess'])} times what rounding reaches, and it stays when the inputs move: "
        "rounding averages out, a term that is off does not."
    )


def _unpermuted(measured: dict[str, Any], path: str, beyond: str) -> str:
    return (
        f"Permuting the axes of length {measured['length']} moves expected only as the permutation says; actual moves by {number(measured['excess'])} times "
        f"what rounding allows{path}{beyond}: it treats some index (a tail, a border) specially."
    )


def _searched(result: Judged) -> str:
    found = _measured(result, "search")
    place_of = {"sizes": "with ", "layout": "with inputs that are "}.get(str(found["kind"]), "with ")
    return (
        f"Invisible on the given inputs (there: {found['given_verdict']}), visible {place_of}{found['variant']}: {found['verdict']}. There "
        f"{share(int(found['unequal']), int(found['count']))} differ, by up to {number(found['max_abs'])}. Check those inputs by themselves to see all evidence: "
        "halfulp.inputs.variants yields them under this label."
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
        else f"The results are too {'large' if float(measured['gain_in_u']) > 0 else 'small'} by {number(abs(float(measured['gain_in_u'])))} u in the mean{path}, "
        f"where rounding averages out to less than {number(measured['limit_in_u'])} u: {number(measured['same_sign'])} of {number(measured['unequal'])} errors "
        "have one sign."
    ),
    "integer_outputs": lambda measured, path, beyond: (
        "Integer or boolean outputs differ, and rounding does not explain it: in more precision they still differ, or the expected function does not jump there."
    ),
}


def _undecided(result: Judged) -> str:
    if result.because[:1] == ("reference",):
        return "The reference disagrees with expected by far more than rounding: one of the two is not what it should be."
    if result.because[:1] == ("specials",):
        return "Every element is NaN on both sides: nothing is left to judge."
    if result.because[:1] == ("vacuous",):
        return "The two agree, but the inputs test little. " + " ".join(warnings_of(result))
    if result.because[:1] == ("gain",):
        return f"{_leans(result)} Which of these, or another formula, can't be told of a stored result."
    if result.because[:1] == ("patterns",):
        found = _measured(result, "patterns")
        return (
            f"Each element is within rounding, but in the mean over {found['elements']:,} elements the error at index {found['index']} of axis "
            f"{found['axis']} is {number(found['excess'])} times what rounding reaches. Whether it stays when the inputs move, as a term that is "
            "off does, can't be seen of a stored result."
        )
    noise = _measured(result, "noise")
    relative = noise.get("least_noise_rel_rms")
    if not noise:
        return "No output is a floating-point tensor, and nothing else told the two apart."
    if isinstance(noise["rms_in_noise"], float) and noise["rms_in_noise"] <= noise["rms_limit"] and isinstance(relative, float):
        return (
            f"The problem is ill-conditioned on these inputs: rounding alone may move the result by {100.0 * relative:.0f} % of its size, so agreement "
            "within rounding says little."
        )
    if noise.get("method") == "inputs" and _has(result, "scaling", F.VANISHES):
        return (
            f"The formula is the same (the difference vanishes in float64), but the error is {number(noise['rms_in_noise'])} times what rounding the "
            f"inputs makes, and neither side's ops can be seen: a plain chain of {noise['terms']:,} terms could lose that much, an unstable "
            "algorithm as well. Written in PyTorch ops, `expected` would decide it."
        )
    why = _measured(result, "scaling").get("why", "no run in another precision was possible")
    if _measured(result, "stored"):
        return _of_stored(result, why)
    return f"The error is {_excess(result)}, but what it is made of could not be told: {why}."


def _of_stored(result: Judged, why: str) -> str:
    """What is known of an error beyond rounding in a stored result, and what isn't."""
    backward, precision = _measured(result, "backward_error"), _measured(result, "precision")
    known = ""
    if backward:
        within = f"adding in any order makes up to about {number(backward['estimate_in_u'])}"
        known += f" It is worth {number(backward['eta_in_u'])} roundings ({within})."
    if _has(result, "precision", F.NOT_REPRODUCED):
        known += f" No coarser format reproduces it (at best {100.0 * float(precision['explained']):.0f} %)."
    return (
        f"The error is {_excess(result)}, so this is more than rounding of the same sums.{known} Whether an algorithm loses digits or another "
        f"formula, weight or input is at work could not be told: {why}."
    )


def _excess(result: Judged) -> str:
    """How large the error is, in words."""
    noise = result.find("noise")
    return measured_excess(noise).words(f" in {result.declared}") if noise is not None else "beyond rounding"


def _capitalized_beyond(beyond: str, noise: dict[str, Any]) -> str:
    rms, limit = noise.get("rms_in_noise"), noise.get("rms_limit")
    is_beyond = isinstance(rms, float) and isinstance(limit, float) and rms > limit
    return f"The error is {beyond}" if is_beyond else "The error hides within rounding, but does not shrink in float64"


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
