"""What to do next: short, concrete steps for each verdict."""

from __future__ import annotations

from ...verdicts import CheckResult, Verdict
from ...verdicts.evidence.finding import Finding
from ...words.numbers import many_times, number, times_of

V, F = Verdict, Finding


def advice(result: CheckResult) -> list[str]:
    """The next steps, most useful first."""
    because = result.because[0] if result.because else ""
    steps = list(_STRUCTURE.get(_what_differs(result), ()) or _STEPS_BECAUSE.get(because, _STEPS[result.verdict]))
    noise = result.find("noise")
    spread = noise.measured.get("noise_rel_rms") if noise is not None else None
    if result.verdict is V.ROUNDING and result.because[:1] == ("families",):
        steps.insert(0, "Nothing is wrong. Adding the same terms in another order reproduces every bit of `actual`.")
    elif result.verdict is V.ROUNDING and noise is not None and isinstance(spread, float):
        steps.insert(
            0, f"{_all_is_well(result)} A relative difference of about {number(spread)} (rms) is normal for {result.declared} here."
        )
    repetition = result.find("repetition")
    if result.verdict is V.NONDETERMINISTIC and repetition is not None and repetition.measured.get("random_modules"):
        steps.insert(0, "Call .eval() on the module, or set dropout to 0, and check again.")
    if repetition is not None and repetition.finding == F.UNWRITTEN_MEMORY:
        steps.insert(0, "Use torch.zeros where torch.empty is read before it is written.")
    if (stored := result.find("stored")) is not None:
        steps = _about_stored(result, str(stored.measured["source"])) + steps[:1]
    steps += _about_effects(result)
    search = result.find("search")
    exotic = search.measured.get("exotic") if search is not None else None
    if isinstance(exotic, list) and exotic:
        steps.append(
            f"Note: on special values the two differ ({', '.join(str(name) for name in exotic)}); this does not affect the verdict."
        )
    peer = result.find("peer")
    if peer is not None and peer.finding == F.ACTUAL and result.acceptable is not True:
        steps.append(f"Note: `actual` is {many_times(peer.measured['ratio'])} closer to the float64 reference than `expected` is.")
    if result.verdict is V.MISTAKE and result.find("overlap") is not None:
        steps.insert(0, "Use the out-of-place op, or .clone() the view before writing to it.")
    return [*steps, *further(result)]


def further(result: CheckResult) -> list[str]:
    """The command that answers the next question, filled in with what was given to the last one."""
    kind = "overflow" if result.verdict is V.UNSTABLE and result.because[:1] == ("overflow",) else ""
    is_stored = result.find("stored") is not None  # it can't be run again, so nothing can be changed in it
    return [f"{purpose}: {_call(command, result)}" for purpose, command in (() if is_stored else _FURTHER.get(kind or result.verdict, ()))]


def _call(command: str, result: CheckResult) -> str:
    if result.operands:
        name, _, options = command.partition(" ")
        return f"halfulp {name} {result.operands}{' ' + options if options else ''}"
    return _IN_PYTHON[command]


def _what_differs(result: CheckResult) -> str:
    structure = result.find("structure")
    return str(structure.measured.get("what", "")) if structure is not None and result.because[:1] == ("structure",) else ""


_FURTHER: dict[Verdict | str, tuple[tuple[str, str], ...]] = {
    V.ROUNDING: (("To get the rtol and atol that a test needs", "tolerance"),),
    V.REDUCED_PRECISION: (("To find the setting or cast that causes it", "explain"),),
    V.UNSTABLE: (("To find the step that loses the digits", "explain"), ("To find the op where it starts", "locate")),
    "overflow": (("To find the formula that overflows", "explain"),),
    V.MISTAKE: (("To find the cause", "explain"), ("To find the op where it starts", "locate")),
    V.UNDECIDED: (("To see all evidence", "check --full"),),
}
"""What is asked next, and by which command."""
_IN_PYTHON = {
    "tolerance": "halfulp.tolerance(expected, inputs)",
    "explain": "halfulp.explain(actual, expected, inputs)",
    "locate": "halfulp.locate(actual, expected, inputs)",
    "check --full": "halfulp.check(actual, expected, inputs, full=True)",
}
_STRUCTURE = {
    "shape": ("Compare axes, padding, keepdim and broadcasting: the numbers can't be compared until the shapes agree.",),
    "dtype": ("Convert the result, or make constants with dtype=x.dtype and arrays with .astype(numpy.float32).",),
    "missing": ("Return what expected returns, with the same nesting and the same names.",),
    "unexpected": ("Return what expected returns, with the same nesting and the same names.",),
}
"""The steps where the two differ in structure, by what differs."""
_NONFINITE = (
    "Look for a division by zero, a logarithm or root of a negative number, a mask of -inf over a whole row, or an overflow in one of the two.",
)


def _about_stored(result: CheckResult, source: str) -> list[str]:
    """Where one side is a stored result: what it rests on, and how to learn more."""
    if result.acceptable:
        return []
    steps = [
        f"Make sure that the stored result ({source}) was computed from these very inputs and weights: store them beside it, or record a trace, which holds its inputs."
    ]
    if result.verdict not in (V.REDUCED_PRECISION, V.FLIP):
        steps.append(
            "To find the cause, record each function where it runs (halfulp record FILE.py:actual -o actual.trace, halfulp record FILE.py:expected -o expected.trace), and compare the two op by op: halfulp locate "
            "actual.trace expected.trace. Or run this check where the stored result was computed, with the function instead of the file."
        )
    return steps


def _all_is_well(result: CheckResult) -> str:
    """What may be said of honest rounding, no more than the evidence beside it says."""
    peer = result.find("peer")
    if peer is not None and peer.finding == F.EXPECTED and isinstance(ratio := peer.measured.get("ratio"), float) and ratio > MUCH_CLOSER:
        return f"The formula is right, and the error is rounding, but expected is {times_of(ratio)} closer to the float64 reference."
    return "Nothing is wrong."


MUCH_CLOSER = 4.0
"""Orders and libraries make honest errors up to a factor 16 apart, 4 to either side of the middle: below that nobody is much better."""


def _about_effects(result: CheckResult) -> list[str]:
    """What only one side changes is no part of the verdict, and is said."""
    effects = result.find("effects")
    if effects is None:
        return []
    said: list[str] = []
    for name, other in (("actual", "expected"), ("expected", "actual")):
        changed = effects.measured.get(f"only_{name}_changed")
        if isinstance(changed, list):
            parts = ", ".join(str(word) for word in changed)
            said.append(f"Note: {name} changes {parts}, but {other} does not; this does not affect the verdict.")
        settings = effects.measured.get(f"{name}_changed_settings")
        if isinstance(settings, list):
            words = "; ".join(str(setting) for setting in settings)
            said.append(
                f"Note: {name} changes settings of the process ({words}). halfulp restored them after each run, so {other} ran without the change."
            )
    return said


_OVERFLOW = (
    "Keep what is squared, exponentiated or multiplied within the format's range: subtract the maximum first (softmax, logsumexp), scale before the product instead of after it, divide before summing.",
    "Or use the library's numerically stable functions: softmax, log_softmax, logsumexp, hypot, softplus, or compute this part in a format with a wider range.",
)
_LEANS = (
    "Look for running sums and averages that are kept in the declared precision, and keep them in a higher precision or add in blocks.",
    "Or look for a scale factor slightly off 1, or for results truncated instead of rounded.",
)
_AMPLIFIED = (
    "Look for what `actual` keeps in 16 bits but `expected` keeps in float32: positions, angles and times, running sums, differences of nearly equal numbers.",
    "Compute these steps in float32 and round their result once.",
)
_VACUOUS = ("Pass other inputs: not all zero, and such that no output is empty or constant.",)
_REFERENCE = ("Find out which of the two is wrong: compare both with a result that you know.",)
_STEPS_BECAUSE = {
    "overflow": _OVERFLOW,
    "gain": _LEANS,
    "forward_error": _AMPLIFIED,
    "specials": _NONFINITE,
    "vacuous": _VACUOUS,
    "reference": _REFERENCE,
}
"""The steps where the first piece of evidence says more than the verdict."""
_STEPS: dict[Verdict, tuple[str, ...]] = {
    V.IDENTICAL: ("Nothing to do.",),
    V.ROUNDING: (
        "In tests, compare in norm or with halfulp.assert_equivalent, not with a fixed rtol: elements that cancel have large relative differences.",
    ),
    V.FLIP: ("Compare what goes into the discontinuity (logits instead of argmax); there the two agree.",),
    V.REDUCED_PRECISION: (
        "Turn off the coarser mode (torch.set_float32_matmul_precision('highest'), allow_tf32=False, the runtime's precision hint), or remove the cast.",
        "If that precision is intended, declare it: --declared FORMAT, or declared=FORMAT in Python.",
    ),
    V.UNSTABLE: (
        "Find where nearly equal numbers are subtracted (a variance as E[x^2] - E[x]^2, a distance as x^2 + y^2 - 2 x y), and subtract before squaring.",
        "Or use the library's numerically stable functions: var, cdist, softmax, log_softmax, log1p, expm1.",
        "Where the inputs allow it, center or scale them first.",
    ),
    V.NONDETERMINISTIC: (
        "Look for dropout, unseeded random numbers, atomic additions and memory that is read before it is written; torch.use_deterministic_algorithms(True) finds some of them.",
    ),
    V.MISTAKE: ("Look at the worst elements: their indices show whether one channel, a border, a tail or everything is off.",),
    V.UNDECIDED: (
        "Make both functions run on float64 inputs, so that halfulp can see whether the difference shrinks in float64.",
        "Or pass an implementation in higher precision as reference=, or pass inputs with less cancellation.",
    ),
}
