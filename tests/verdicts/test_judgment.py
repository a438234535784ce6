"""The argument of `decide`, one line of it at a time, on evidence made by hand."""

import pytest

from halfulp.verdicts import Evidence, Verdict, decide, judge
from halfulp.verdicts.judgment import ONE_OP

V = Verdict
NOISE = {
    "rms_in_noise": 1.0,
    "rms_limit": 6.0,
    "max_in_noise": 3.0,
    "max_limit": 12.0,
    "norm_in_noise": 1.0,
    "max_norm_in_noise": 3.0,
    "transforms": False,
}


def evidence(**findings):
    found = [
        Evidence("structure", "same"),
        Evidence("specials", "same"),
        Evidence("repetition", "same"),
        Evidence("bits", "differ", (), {"unequal_integers": 0}),
    ]
    kinds = {each.kind: each for each in found}
    for kind, finding in findings.items():
        kinds[kind] = finding if isinstance(finding, Evidence) else Evidence(kind, finding)
    return list(kinds.values())


def noise(finding="within", **numbers):
    return Evidence("noise", finding, (), {**NOISE, **numbers})


def sized(name, representable):
    return Evidence("precision", "same size", (), {"format": name, "representable": representable})


def approximate(**numbers):
    """Far off in single elements, within rounding in norm."""
    return noise("beyond", rms_in_noise=1e4, max_in_noise=1e5, **{"elementwise": True, **numbers})


def transformed(norm, largest):
    return noise("beyond", rms_in_noise=1e4, norm_in_noise=norm, max_norm_in_noise=largest, transforms=True)


def of_op(limits, **numbers):
    """What an op adds, in limits of its own rounding."""
    measured = {"rms_in_noise": 6.0 * limits, "norm_in_noise": 6.0 * limits, "reference": ONE_OP, **numbers}
    return noise("beyond", **measured)


def losing(loss):
    """The difference vanishes in float64 as rounding does, and is still so many times the noise that float64 has."""
    return Evidence("scaling", "vanishes", (), {"loss_in_float64": loss})


LOSING = losing(900.0)
BEYOND = noise("beyond", rms_in_noise=1e4, max_in_noise=1e5, norm_in_noise=1e4, max_norm_in_noise=1e5)


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (evidence(structure="differs"), V.MISTAKE),
        (evidence(repetition="beyond rounding"), V.NONDETERMINISTIC),
        (evidence(repetition="fails"), V.NONDETERMINISTIC),
        (evidence(repetition="within rounding", noise=noise()), V.ROUNDING),
        (evidence(specials="differ"), V.MISTAKE),
        (evidence(specials="all NaN", bits="same"), V.UNDECIDED),
        (evidence(bits="same"), V.IDENTICAL),
        (evidence(noise=noise()), V.ROUNDING),
        (evidence(noise=noise(), scaling="vanishes"), V.ROUNDING),
        (evidence(noise=noise(), scaling="constants"), V.ROUNDING),
        (evidence(noise=noise(), scaling="stays"), V.MISTAKE),
        (evidence(noise=noise(), scaling="stays", casts="explain"), V.REDUCED_PRECISION),
        (evidence(noise=noise(), scaling="unavailable", redraw="systematic"), V.MISTAKE),
        (evidence(noise=noise(), scaling="agrees in float32", redraw="systematic"), V.MISTAKE),
        (evidence(noise=noise(), scaling="unavailable", redraw="random"), V.ROUNDING),
        (evidence(noise=noise(least_noise_rel_rms=0.5), scaling="unavailable"), V.UNDECIDED),
        (evidence(noise=noise(least_noise_rel_rms=0.5), scaling="vanishes"), V.ROUNDING),
        (evidence(bits=Evidence("bits", "differ", (), {"unequal_integers": 2}), flips="jumps"), V.FLIP),
        (evidence(bits=Evidence("bits", "differ", (), {"unequal_integers": 2}), flips="jumps", scaling="stays"), V.MISTAKE),
        (evidence(bits=Evidence("bits", "differ", (), {"unequal_integers": 2}), flips="no jump"), V.MISTAKE),
        (evidence(bits=Evidence("bits", "differ", (), {"unequal_integers": 2})), V.MISTAKE),
        (evidence(), V.UNDECIDED),
        (evidence(noise=BEYOND, flips="jumps", scaling="vanishes"), V.FLIP),
        (evidence(noise=BEYOND, flips="jumps", scaling="stays"), V.MISTAKE),
        (evidence(noise=BEYOND, casts="explain", scaling="stays"), V.REDUCED_PRECISION),
        (evidence(noise=BEYOND, precision="reproduced", scaling="stays"), V.REDUCED_PRECISION),
        (evidence(noise=BEYOND, scaling="stays"), V.MISTAKE),
        (evidence(noise=BEYOND, scaling="vanishes", integers="differ"), V.MISTAKE),
        (evidence(noise=BEYOND, scaling="unavailable", redraw="systematic"), V.MISTAKE),
        (evidence(noise=BEYOND, scaling="unavailable"), V.UNDECIDED),
        (evidence(noise=BEYOND, scaling="agrees in float32", redraw="systematic"), V.MISTAKE),
        (evidence(noise=BEYOND, scaling="vanishes"), V.UNSTABLE),
        (evidence(noise=BEYOND, scaling="agrees in float32"), V.UNSTABLE),
        (evidence(noise=BEYOND, scaling="grows in float32"), V.UNSTABLE),
        (evidence(noise=BEYOND, scaling="grows in float32", redraw="systematic"), V.MISTAKE),
        (evidence(noise=noise(least_noise_rel_rms=0.5), scaling="grows in float32"), V.ROUNDING),
        (evidence(noise=BEYOND, scaling="vanishes", precision="same size"), V.REDUCED_PRECISION),
        (
            evidence(noise=BEYOND, scaling=Evidence("scaling", "vanishes", (), {"loss_in_float64": 900.0}), precision="same size"),
            V.UNSTABLE,
        ),
        (evidence(noise=noise("beyond", rms_in_noise=25.0, max_in_noise=50.0), scaling="vanishes"), V.ROUNDING),
        (evidence(noise=noise("beyond", rms_in_noise=70.0, norm_in_noise=30.0), scaling="vanishes"), V.UNSTABLE),
        (evidence(noise=noise("beyond", rms_in_noise=70.0, norm_in_noise=30.0, transforms=True), scaling="vanishes"), V.ROUNDING),
        (evidence(noise=noise("beyond", reference="reference", expected_excess=1e6), scaling="vanishes"), V.UNDECIDED),
        # Patterns are asked only where no precision tells, and decide only there.
        (evidence(noise=noise(), scaling="unavailable", redraw="random", patterns="patterned"), V.MISTAKE),
        (evidence(noise=noise(), scaling="unavailable", redraw="random", patterns="random"), V.ROUNDING),
        (evidence(noise=noise(), scaling="vanishes", patterns="patterned"), V.ROUNDING),
        (evidence(noise=noise(), powers="differ", scaling="unavailable"), V.MISTAKE),
        (evidence(noise=noise(), permutations="differ", scaling="unavailable"), V.MISTAKE),
        (evidence(noise=noise(least_noise_rel_rms=0.1), scaling="unavailable"), V.ROUNDING),
        (evidence(noise=noise(least_noise_rel_rms=0.11), scaling="unavailable"), V.UNDECIDED),
        (evidence(noise=noise(least_noise_rel_rms=0.11), scaling="unavailable", redraw="random"), V.ROUNDING),
        # What speaks about the formula, one kind at a time.
        (evidence(noise=BEYOND, integers="exact"), V.UNSTABLE),
        (evidence(noise=BEYOND, integers="nearly exact"), V.UNSTABLE),
        (evidence(noise=BEYOND, integers="differ"), V.MISTAKE),
        (evidence(noise=BEYOND, impulses="differ"), V.MISTAKE),
        (evidence(noise=BEYOND, powers="differ"), V.MISTAKE),
        (evidence(noise=BEYOND, permutations="differ"), V.MISTAKE),
        (evidence(noise=BEYOND, kernel="differs"), V.MISTAKE),
        (evidence(noise=BEYOND, redraw="random"), V.UNSTABLE),
        (evidence(noise=BEYOND, redraw="systematic"), V.MISTAKE),
        (evidence(noise=BEYOND, redraw="systematic", wide_redraw="random"), V.UNSTABLE),
        (evidence(noise=BEYOND, redraw="systematic", wide_redraw="systematic"), V.MISTAKE),
        (evidence(noise=BEYOND, scaling="stays in bfloat16"), V.MISTAKE),
        (evidence(noise=BEYOND, scaling="grows in bfloat16"), V.UNSTABLE),
        (evidence(noise=BEYOND, scaling="stays in bfloat16", redraw="random"), V.UNSTABLE),
        # Coarser formats: a correlation counts unless something proves the formula wrong, or float64 loses as much.
        (evidence(noise=BEYOND, precision="correlates"), V.REDUCED_PRECISION),
        (evidence(noise=BEYOND, precision="correlates", integers="exact"), V.REDUCED_PRECISION),
        (evidence(noise=BEYOND, precision="correlates", integers="differ"), V.MISTAKE),
        (evidence(noise=BEYOND, precision="correlates", scaling=LOSING), V.UNSTABLE),
        (evidence(noise=BEYOND, precision="reproduced", scaling=LOSING), V.UNSTABLE),
        (evidence(noise=BEYOND, precision="reproduced", integers="differ"), V.REDUCED_PRECISION),
        (evidence(noise=BEYOND, precision=sized("bfloat16", "bfloat16")), V.REDUCED_PRECISION),
        (evidence(noise=BEYOND, precision=sized("bfloat16", "float16")), V.UNDECIDED),
        (
            evidence(noise=BEYOND, precision=Evidence("precision", "not reproduced", (), {"format": "tf32", "representable": "tf32"})),
            V.UNDECIDED,
        ),
        (evidence(noise=BEYOND, precision=sized("bfloat16", "bfloat16"), integers="differ"), V.MISTAKE),
        (evidence(noise=BEYOND, precision=sized("bfloat16", "bfloat16"), scaling=LOSING), V.UNSTABLE),
        # An approximation of a function of each element that is exact in norm alone; redrawn errors are all that may speak against it.
        (evidence(noise=approximate(), redraw="systematic"), V.UNSTABLE),
        (evidence(noise=approximate(elementwise=False), redraw="systematic"), V.MISTAKE),
        (evidence(noise=approximate(), integers="differ"), V.MISTAKE),
        (evidence(noise=approximate(norm_in_noise=6.1), redraw="systematic"), V.MISTAKE),
        (evidence(noise=approximate(max_norm_in_noise=12.1), redraw="systematic"), V.MISTAKE),
        (evidence(noise=approximate(norm_in_noise=6.0, max_norm_in_noise=12.0), redraw="systematic"), V.UNSTABLE),
        (evidence(noise=approximate(), scaling="stays"), V.MISTAKE),
        # Losses: 5 limits; 64 in norm for transforms; as many as fast products make.
        (evidence(noise=noise("beyond", rms_in_noise=30.0), scaling="vanishes"), V.ROUNDING),
        (evidence(noise=noise("beyond", rms_in_noise=30.1), scaling="vanishes"), V.UNSTABLE),
        (evidence(noise=noise("beyond", max_in_noise=60.1), scaling="vanishes"), V.UNSTABLE),
        (evidence(noise=BEYOND, scaling="vanishes", fast_products="explain"), V.ROUNDING),
        (evidence(noise=transformed(64.0, 64.0 * 12.0), scaling="vanishes"), V.ROUNDING),
        (evidence(noise=transformed(64.1, 64.0 * 12.0), scaling="vanishes"), V.UNSTABLE),
        (evidence(noise=transformed(64.0, 64.1 * 12.0), scaling="vanishes"), V.UNSTABLE),
        # Where the noise is that of moved inputs alone, roundings of the ops may come to the root of the terms.
        (evidence(noise=noise("beyond", rms_in_noise=290.0, method="inputs", terms=100), scaling="vanishes"), V.UNDECIDED),
        (evidence(noise=noise("beyond", rms_in_noise=310.0, method="inputs", terms=100), scaling="vanishes"), V.UNSTABLE),
        (evidence(noise=noise("beyond", rms_in_noise=300.0, method="inputs", terms=100), scaling="vanishes"), V.UNDECIDED),
        (evidence(noise=BEYOND, scaling="constants"), V.UNSTABLE),
        (evidence(noise=BEYOND, precision="reproduced", scaling="vanishes"), V.REDUCED_PRECISION),
        (evidence(noise=BEYOND, precision="reproduced", scaling=LOSING, integers="differ"), V.REDUCED_PRECISION),
        (evidence(noise=BEYOND, precision="same size", scaling=losing(5.0)), V.REDUCED_PRECISION),
        (evidence(noise=BEYOND, precision="same size", scaling=losing(5.1)), V.UNSTABLE),
        # A reference that expected itself is far from.
        (evidence(noise=noise("beyond", reference="reference", expected_excess=5.0), scaling="stays"), V.MISTAKE),
        (evidence(noise=noise("beyond", reference="reference", expected_excess=5.1), scaling="stays"), V.UNDECIDED),
        # Nothing tells about the formula: only an error that leaves no digit right, and lies beyond every acceptable loss, is a mistake.
        (evidence(noise=noise("beyond", rms_in_noise=6.0 * 65, rel_rms=0.11), scaling="unavailable"), V.MISTAKE),
        (evidence(noise=noise("beyond", rms_in_noise=6.0 * 65, rel_rms=0.1), scaling="unavailable"), V.UNDECIDED),
        (evidence(noise=noise("beyond", rms_in_noise=6.0 * 65, rel_rms=0.01), scaling="unavailable"), V.UNDECIDED),
        (evidence(noise=noise("beyond", rms_in_noise=6.0 * 64, rel_rms=0.11), scaling="unavailable"), V.UNDECIDED),
        (evidence(noise=noise("beyond", rms_in_noise=6.0 * 65, rel_rms=0.11, terms=400), scaling="unavailable"), V.UNDECIDED),
        (evidence(noise=noise("beyond", rms_in_noise=6.0 * 101, rel_rms=0.11, terms=400), scaling="unavailable"), V.MISTAKE),
        # Bits that an order of the same terms gives.
        (evidence(noise=BEYOND, scaling="unavailable", families="reproduced"), V.ROUNDING),
        (evidence(noise=BEYOND, scaling="stays", families="reproduced"), V.ROUNDING),
        (evidence(noise=BEYOND, scaling="vanishes", families="reproduced"), V.UNSTABLE),
        (evidence(noise=BEYOND, scaling="stays", families="too few outputs"), V.MISTAKE),
        # One op on the numbers that it really got.
        (evidence(noise=of_op(4.0)), V.ROUNDING),
        (evidence(noise=of_op(6.0)), V.MISTAKE),
        (evidence(noise=of_op(6.0), neighbors="within"), V.ROUNDING),
        (evidence(noise=of_op(6.0), scaling="stays"), V.MISTAKE),
        (evidence(noise=of_op(6.0), backward_error="within the proved bound"), V.ROUNDING),
        (evidence(noise=of_op(6.0), backward_error="beyond"), V.MISTAKE),
        (evidence(noise=of_op(6.0), scaling="vanishes"), V.UNSTABLE),
        (evidence(noise=of_op(6.0, norm_in_noise=6.0), scaling="vanishes"), V.ROUNDING),
        (evidence(noise=of_op(6.0, norm_in_noise=6.0)), V.MISTAKE),
        (evidence(noise=of_op(6.0, norm_in_noise=6.1), scaling="vanishes"), V.UNSTABLE),
        (evidence(noise=of_op(6.0), scaling="vanishes", loosened="within"), V.ROUNDING),
        (evidence(noise=of_op(6.0), scaling="vanishes", kernel="differs", loosened="within"), V.MISTAKE),
        (evidence(noise=of_op(6.0), scaling="vanishes", fast_products="explain"), V.ROUNDING),
        (evidence(noise=of_op(6.0), scaling="vanishes", casts="explain"), V.REDUCED_PRECISION),
        (evidence(noise=of_op(6.0), precision="reproduced"), V.REDUCED_PRECISION),
        (evidence(noise=of_op(6.0), specials="differ"), V.MISTAKE),
    ],
)
def test_each_step_of_the_argument(found, verdict):
    assert judge(found) is verdict
    assert set(decide(found).because) <= {each.kind for each in found} | {"loss", "integer_outputs", "reference", "norm"}


def test_no_evidence_is_undecided():
    assert judge([]) is V.UNDECIDED


def test_verdicts_carry_their_meaning_and_exit_code():
    assert [each.exit_code for each in (V.ROUNDING, V.MISTAKE, V.UNDECIDED)] == [0, 1, 3]
    assert {each.name for each in V if each.acceptable} == {"IDENTICAL", "ROUNDING", "FLIP"}
    assert repr(V.FLIP) == "Verdict.FLIP"
    assert all(each.meaning for each in V)


def test_a_loss_has_to_be_tolerable_in_float64_too():
    """Least squares by normal equations: two limits of rounding in float32, a hundred in float64."""
    found = [each for each in evidence(noise=noise("beyond", rms_in_noise=12.0, max_in_noise=20.0)) if each.kind != "scaling"]
    for loss, verdict in ((20.0, V.ROUNDING), (30.0, V.ROUNDING), (30.1, V.UNSTABLE), (700.0, V.UNSTABLE), (None, V.ROUNDING)):
        scaling = Evidence("scaling", "vanishes", (), {"loss_in_float64": loss})
        assert judge([*found, scaling]) is verdict


@pytest.mark.parametrize(
    ("found", "because"),
    [
        (evidence(noise=BEYOND, powers="differ", permutations="differ", scaling="stays"), ("powers", "noise")),
        (evidence(noise=BEYOND, scaling="stays", redraw="systematic"), ("scaling", "noise")),
        (evidence(noise=BEYOND, scaling="vanishes", redraw="random"), ("loss", "scaling", "noise")),
        (evidence(noise=BEYOND, redraw="systematic", wide_redraw="random"), ("loss", "wide_redraw", "noise")),
        (evidence(noise=of_op(6.0, norm_in_noise=1.0), scaling="vanishes"), ("norm", "noise")),
        (evidence(noise=BEYOND, casts="explain", precision="reproduced"), ("casts", "noise")),
    ],
)
def test_the_sharpest_evidence_is_named_first(found, because):
    assert decide(found).because == because


def test_a_decision_cannot_be_changed():
    with pytest.raises(AttributeError):
        decide([]).verdict = V.MISTAKE


def as_read(text):
    """The same text as another object, as it comes from a file."""
    return "".join(list(text))


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        # A jump explains it also where nothing tells about the formula.
        (evidence(noise=BEYOND, flips="jumps"), V.FLIP),
        # Little of the result is noise: nothing more needs to confirm it.
        (evidence(noise=noise(least_noise_rel_rms=0.01), scaling="unavailable"), V.ROUNDING),
        # `expected` loses what is tolerable: the reference is no better than both.
        (evidence(noise=noise("beyond", rms_in_noise=1e4, reference="reference", expected_excess=1.0), scaling="stays"), V.MISTAKE),
        (evidence(noise=noise("beyond", rms_in_noise=1e4, reference="reference", expected_excess=5.1), scaling="stays"), V.UNDECIDED),
        (evidence(noise=noise("beyond", rms_in_noise=1e4, reference="reference", expected_excess=None), scaling="stays"), V.UNDECIDED),
        # What is read from a file is equal, and another object.
        (evidence(noise=of_op(1e4, reference=as_read(ONE_OP))), V.MISTAKE),
        (evidence(noise=BEYOND, precision=sized(as_read("bfloat16"), as_read("bfloat16"))), V.REDUCED_PRECISION),
        # Redrawn widely, an error says something about `redraw` alone, not about what stays in a coarser format.
        (evidence(noise=BEYOND, scaling="stays in bfloat16", wide_redraw="random"), V.MISTAKE),
        (evidence(noise=BEYOND, scaling="stays in bfloat16", redraw="systematic", wide_redraw="random"), V.UNSTABLE),
    ],
)
def test_what_mutants_of_the_ladder_survived(found, verdict):
    assert judge(found) is verdict
