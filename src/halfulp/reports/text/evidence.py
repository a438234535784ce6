"""Each kind of evidence as one line: what was asked, what was found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...verdicts import Evidence
from ...verdicts.evidence.finding import Finding
from ...verdicts.reasons import rearranged_words
from ...words.numbers import counted, many_times, number, power_of_two, share, times_of, up_to, verb

F = Finding

Measured = dict[str, Any]

QUESTIONS = {
    "structure": "same structure, shapes and dtypes?",
    "effects": "inputs, state or settings changed?",
    "stored": "can both sides be run?",
    "vacuous": "do the inputs test anything?",
    "specials": "NaN and infinity in the same places?",
    "overflow": "does it overflow on the way?",
    "bits": "same bits?",
    "repetition": "same result when run again?",
    "noise": "within what rounding causes here?",
    "backward_error": "how many roundings does the error amount to?",
    "fast_products": "is it what fast algorithms (Winograd, Strassen) lose?",
    "peer": "which side is closer to the reference?",
    "scaling": "does the difference shrink in another precision?",
    "flips": "can rounding alone make these elements jump?",
    "integers": "exact on small integers?",
    "impulses": "exact on single impulses?",
    "powers": "does it scale by powers of two the way expected does?",
    "permutations": "does it follow permutations the way expected does?",
    "patterns": "does the mean error show a pattern along an axis?",
    "gain": "do the errors lean to one side?",
    "conditioning": "does rounding the inputs move the result as far?",
    "forward_error": "is it what a single rounding of the inputs and the result causes?",
    "own_noise": "do actual's own ops cause the error?",
    "inside": "is each module by itself within rounding?",
    "search": "the same verdict on other inputs?",
    "redraw": "does the error change at random when the inputs are perturbed slightly?",
    "wide_redraw": "and when they are perturbed by more than a 16-bit format's spacing?",
    "precision": "does a coarser format explain it?",
    "casts": "do internal casts cause it?",
    "families": "is it the result of a common order of summation?",
    "rearrangement": "the same values in another order or with another sign?",
    "overlap": "in-place writes to overlapping memory?",
}


def measured_words(evidence: Evidence) -> str:
    """The numbers of one piece of evidence in a phrase."""
    words = _WORDS.get(evidence.kind)
    if words is None:
        return ""
    try:
        return words(evidence.finding, dict(evidence.measured))
    except KeyError as missing:  # of a stored result: what was measured is not all there
        return f"not complete: {missing.args[0]} is not in this result"


def _structure(finding: str, m: Measured) -> str:
    return (
        ""
        if finding == F.SAME
        else f"{m['mismatches']} mismatch{'es' if m['mismatches'] != 1 else ''}; {m['what']}: {m['actual']} instead of {m['expected']}"
    )


def _effects(finding: str, m: Measured) -> str:
    return "; ".join(f"{key.replace('_', ' ')}: {', '.join(names)}" for key, names in m.items())


def _stored(finding: str, m: Measured) -> str:
    where = f", computed on {', '.join(m['devices'])}" if m.get("devices") else ""
    return f"{m['side']} is a stored result ({m['source']}{where}); not asked: {'; '.join(m['not_asked'])}"


def _specials(finding: str, m: Measured) -> str:
    return ", ".join(
        f"{key.replace('_', ' ')} {value:,}" for key, value in m.items() if isinstance(value, int) and value and key != "count"
    )


def _bits(finding: str, m: Measured) -> str:
    zeros = f", {counted(m['signed_zeros'], 'zero')} of opposite sign" if m["signed_zeros"] else ""
    for side in ("actual", "expected"):
        if m.get(f"flushed_by_{side}"):
            zeros += (
                f", {m[f'flushed_by_{side}']:,} subnormal {'number is' if m[f'flushed_by_{side}'] == 1 else 'numbers are'} zero in {side}"
            )
    apart = (
        f", by up to {counted(m['max_ulps'], 'ulp')}"
        if m["max_ulps"] or zeros
        else f", {'' if m['unequal'] == 1 else 'all of them '}because one side is NaN or infinite"
    )
    return (
        f"{share(m['unequal'], m['count'])} {verb(m['unequal'], 'differ')}{apart}{zeros}"
        if finding == F.DIFFER
        else f"{counted(m['count'], 'element')}"
    )


def _repetition(finding: str, m: Measured) -> str:
    if "why" in m:
        return str(m["why"])
    if "side" not in m:
        return f"{m['runs']} runs of each side"
    if m.get("structure"):
        return f"`{m['side']}` returns {m['structure']}"
    return f"`{m['side']}` differs in {share(m['unequal'], m['count'])}, {up_to(m['max_abs'])}"


def _noise(finding: str, m: Measured) -> str:
    return (
        f"error in units of the noise: rms {number(m['rms_in_noise'])} (limit {number(m['rms_limit'])}), worst {number(m['max_in_noise'])}"
        f"{_at_worst(m)} (limit {number(m['max_limit'])}), norm {number(m['norm_in_noise'])}; expected itself: rms {number(m['expected_rms_in_noise'])}; "
        f"noise is {number(m['noise_rel_rms'])} of the result; {m['samples']} samples of rounding in the {m['method']}, reference: {m['reference']}"
    )


def _at_worst(m: Measured) -> str:
    """Which element the worst one is, where the output has several."""
    index = m.get("worst_index")
    return f" at {list(index)}" if isinstance(index, (list, tuple)) and index and m["count"] > 1 else ""


def _backward(finding: str, m: Measured) -> str:
    return (
        f"largest error / (u |A||B|): {number(m['eta_in_u'])}; {m['terms']:,} {'term reaches' if m['terms'] == 1 else 'terms in any order reach'} {number(m['estimate_in_u'])} "
        f"({'n' if m['estimate_in_u'] == m['bound_in_u'] else '3 sqrt n'}) and can't exceed {number(m['bound_in_u'])} (n)"
    )


def _fast_products(finding: str, m: Measured) -> str:
    return f"if every product loses as much as Winograd or Strassen does, the error is {times_of(m['excess'])} the limit"


def _peer(finding: str, m: Measured) -> str:
    return f"rms error {number(m['actual_rms_error'])} against {number(m['expected_rms_error'])}" + (
        f": {finding} is {many_times(m['ratio'])} closer" if finding != F.NEITHER else ": about equal"
    )


def _scaling(finding: str, m: Measured) -> str:
    if "why" in m:
        return str(m["why"])
    if "grows_bits" in m:
        return (
            f"a float64 run isn't possible; from float32 to bfloat16 the error grows by a factor of 2^{m['grows_bits']:.0f} (rounding: 2^16), from "
            f"{number(m['native_rms'])} to {number(m['bfloat16_rms'])}"
        )
    if "grows_to_float32" in m and finding == F.GROWS_IN_FLOAT32:
        return f"in float32 the difference is larger {power_of_two(m['grows_to_float32'])} (rounding: 2^29)"
    if "excess_in_float32" in m:
        return f"in float32 the difference is {times_of(m['excess_in_float32'])} what rounding allows one result (two correct results can differ by 2 times that)"
    if "unequal_integers_in_float64" in m:
        return f"{m['unequal_integers_in_float64']:,} integer {'element differs' if m['unequal_integers_in_float64'] == 1 else 'elements differ'} in float64 too"
    cast = f"; dtypes replaced in calls to {', '.join(m['overridden'])}" if m.get("overridden") else ""
    bits = m.get("shrinks_bits")
    shrinks = "" if not isinstance(bits, float) else f", 2^{bits:.0f} times smaller" if bits >= 1.0 else ", no smaller"
    return f"rms error {number(m['native_rms'])} as written, difference {number(m['float64_rms'])} in float64{shrinks}{cast}"


def _flips(finding: str, m: Measured) -> str:
    return f"{m['explained']:,} of {counted(m['beyond'], 'element')} beyond rounding {verb(m['explained'], 'jump')} in the noise samples (with {times_of(m['amplitude'])} the noise)"


def _integers(finding: str, m: Measured) -> str:
    return str(m["why"]) if "why" in m else f"{share(m['unequal'], m['count'])} {verb(m['unequal'], 'differ')}, {up_to(m['max_abs'])}"


def _powers(finding: str, m: Measured) -> str:
    if "why" in m:
        return str(m["why"])
    return (
        f"inputs times {number(m['factor'])}, result times {number(m['factor'] ** m['degree'])}: off by {times_of(m['excess'])} the limit"
    )


def _permutations(finding: str, m: Measured) -> str:
    if "why" in m:
        return str(m["why"])
    lengths = ", ".join(str(item) for item in m["lengths"])
    return f"axes of length {lengths} permuted: off by {times_of(m['excess'])} the limit"


def _patterns(finding: str, m: Measured) -> str:
    return (
        f"strongest along axis {m['axis']} at index {m['index']}: mean error {times_of(m['mean_in_noise'])} the noise over "
        f"{m['elements']:,} elements, {times_of(m['excess'])} what rounding reaches (a pattern: more than 4)"
    )


def _search(finding: str, m: Measured) -> str:
    tried = f"{counted(m['tried'], 'variant')} tried, {m['refused']} refused by the functions"
    if finding == F.CHANGED:
        return f"{m['variant']}: {m['verdict']}; {tried}"
    return tried + (f"; the two differ on special values ({', '.join(m['exotic'])})" if m["exotic"] else "")


def _redraw(finding: str, m: Measured) -> str:
    if "gain_in_u" in m:
        way = "large" if m["gain_in_u"] > 0 else "small"
        return f"too {way} by {number(abs(m['gain_in_u']))} u on average, in each of {m['repetitions']} repetitions"
    return str(m["why"]) if "why" in m else f"{100 * m['share_that_stays']:.0f} % of the error stays over {m['repetitions']} repetitions"


def _precision(finding: str, m: Measured) -> str:
    if finding == F.SAME_SIZE and m.get("seen"):
        return f"{m['format']} seen in {_of_actual(m['where'])}: the error is {times_of(m['rms_in_its_noise'])} the noise of that format"
    if finding == F.SAME_SIZE:
        return f"{m['format']} {m['where']}: the error is {times_of(m['rms_in_its_noise'])} the noise of that format"
    if finding == F.CORRELATES and "deviations" not in m:
        return f"rounding the {m['where']} to {m['format']}, which occurs among the numbers of `actual`, predicts {100 * m['correlated']:.0f} % of the error, and the size of the error fits too"
    if finding == F.CORRELATES:
        return (
            f"rounding the {m['where']} to {m['format']} correlates with the error, {number(m['deviations'])} standard deviations "
            "beyond chance, and the size of the error fits too"
        )
    if "format" not in m:
        if m.get("tried") == 0:
            return "no numbers of a coarser format were seen in actual"
        return "no coarser format that was tried reproduces any of the error"
    return f"best match: rounding the {m['where']} to {m['format']} reproduces {100 * m['explained']:.1f} % of the error"


def _of_actual(where: object) -> str:
    """Whose ops "its ops" are."""
    return str(where).replace("its ops", "the ops of `actual`")


def _casts(finding: str, m: Measured) -> str:
    return f"without the casts to {' and '.join(m['formats'])}, {number(100 * m['share_left'])} % of the difference is left"


def _vacuous(finding: str, m: Measured) -> str:
    return "; ".join(f"{name.replace('_', ' ')}: {', '.join(paths)}" for name, paths in m.items())


def _overflow(finding: str, m: Measured) -> str:
    if "why" in m:
        return str(m["why"])
    if "side" not in m:
        return "the two differ in float64 too"
    start = f"; it starts at {m['op']}" if m.get("op") else ""
    return f"{counted(m['elements'], 'element')} of {m['side']} {verb(m['elements'], 'are')} finite in float64{start}"


def _gain(finding: str, m: Measured) -> str:
    if "share_lost" in m:
        return f"{100 * m['share_lost']:.0f} % of what is added to {m['input']} is lost (limit {100 * m['share_limit']:.2g} %)"
    return f"by {number(m['gain_in_u'])} u (limit {number(m['limit_in_u'])}); {number(m['same_sign'])} of {number(m['unequal'])} errors have the same sign"


def _conditioning(finding: str, m: Measured) -> str:
    return f"with the inputs rounded once as well, the error is {times_of(m['excess'])} the limit; overall, it is {times_of(m['norm_in_noise'])} the noise"


def _forward_error(finding: str, m: Measured) -> str:
    return f"{times_of(m['error'])} as large (limit {number(m['limit'])}); error of expected: {number(m['expected_error'])}"


def _own_noise(finding: str, m: Measured) -> str:
    return f"with each of its ops rounded, the error is {times_of(m['excess'])} the limit"


def _families(finding: str, m: Measured) -> str:
    if m["actual"] is None:
        return "none of the common orders gives actual's bits"
    expected = f"; expected: {m['expected']}" if m["expected"] else ""
    return f"{m['outputs']:,} output{'s agree' if m['outputs'] != 1 else ' agrees'} in every bit: {m['actual']} (depth {m['depth']:,}: rounding reaches {number(m['estimate_in_u'])} u |A||B|){expected}"


def _overlap(finding: str, m: Measured) -> str:
    return "; ".join(f"`{side}`: {', '.join(writes)}" for side, writes in m.items())


_WORDS: dict[str, Callable[[str, Measured], str]] = {
    "structure": _structure,
    "effects": _effects,
    "specials": _specials,
    "bits": _bits,
    "repetition": _repetition,
    "stored": _stored,
    "noise": _noise,
    "backward_error": _backward,
    "fast_products": _fast_products,
    "peer": _peer,
    "scaling": _scaling,
    "flips": _flips,
    "integers": _integers,
    "impulses": _integers,
    "powers": _powers,
    "permutations": _permutations,
    "patterns": _patterns,
    "search": _search,
    "redraw": _redraw,
    "wide_redraw": _redraw,
    "precision": _precision,
    "casts": _casts,
    "families": _families,
    "vacuous": _vacuous,
    "overflow": _overflow,
    "gain": _gain,
    "conditioning": _conditioning,
    "forward_error": _forward_error,
    "own_noise": _own_noise,
    "inside": lambda finding, m: f"module {m['module']} is judged {m['verdict']}",
    "rearrangement": lambda finding, m: rearranged_words(m),
    "overlap": _overlap,
}
