"""The argument of `decide`, one line of it at a time, on evidence made by hand."""

import pytest

from halfulp.verdicts import Evidence, Verdict, decide, judge

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
    ],
)
def test_each_step_of_the_argument(found, verdict):
    assert judge(found) is verdict
    assert set(decide(found).because) <= {each.kind for each in found} | {"loss", "integer_outputs", "reference"}


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
    for loss, verdict in ((20.0, V.ROUNDING), (700.0, V.UNSTABLE), (None, V.ROUNDING)):
        scaling = Evidence("scaling", "vanishes", (), {"loss_in_float64": loss})
        assert judge([*found, scaling]) is verdict
