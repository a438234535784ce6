"""What the row of each kind of evidence says: one line for each form that it has."""

import pytest

from halfulp.reports.text.evidence import measured_words
from halfulp.verdicts import Evidence
from halfulp.verdicts.evidence.finding import Finding as F

ROWS = [
    (
        Evidence("bits", F.DIFFER, measured={"unequal": 1, "count": 4, "max_ulps": 1, "signed_zeros": 1, "flushed_by_actual": 2}),
        "1 of 4 elements (25.0 %) differs, by up to 1 ulp, 1 zero of opposite sign",
    ),
    (Evidence("repetition", F.SAME, measured={"runs": 8}), "8 runs of each side"),
    (
        Evidence("repetition", F.DIFFERS, measured={"side": "actual", "structure": "2 outputs, then 3"}),
        "`actual` returns 2 outputs, then 3",
    ),
    (Evidence("scaling", F.UNAVAILABLE, measured={"why": "a reason"}), "a reason"),
    (
        Evidence("scaling", F.GROWS_IN_FLOAT32, measured={"grows_to_float32": 29.2}),
        "in float32 the difference is larger by a factor of 2^29 (rounding: 2^29)",
    ),
    (
        Evidence("scaling", F.AGREES_IN_FLOAT32, measured={"excess_in_float32": 0.5}),
        "in float32 the difference is 0.5 times what rounding allows one result (two correct results can differ by 2 times that)",
    ),
    (
        Evidence("search", F.CHANGED, measured={"variant": "all zeros", "verdict": "MISTAKE", "tried": 1, "refused": 0, "exotic": []}),
        "all zeros: MISTAKE; 1 variant tried, 0 refused by the functions",
    ),
    (
        Evidence("search", F.UNCHANGED, measured={"tried": 3, "refused": 1, "exotic": ["some NaNs"]}),
        "3 variants tried, 1 refused by the functions; the two differ on special values (some NaNs)",
    ),
    (Evidence("redraw", F.RANDOM, measured={"share_that_stays": 0.25, "repetitions": 4}), "25 % of the error stays over 4 repetitions"),
    (
        Evidence("redraw", F.SYSTEMATIC, measured={"gain_in_u": 3.0, "repetitions": 4}),
        "too large by 3 u on average, in each of 4 repetitions",
    ),
    (
        Evidence("precision", F.SAME_SIZE, measured={"seen": True, "format": "bfloat16", "where": "a cast", "rms_in_its_noise": 1.0}),
        "bfloat16 seen in a cast: the error is 1 times the noise of that format",
    ),
    (Evidence("precision", F.NOT_REPRODUCED, measured={}), "no coarser format that was tried reproduces any of the error"),
    (Evidence("overflow", F.UNAVAILABLE, measured={"why": "it does not run"}), "it does not run"),
    (Evidence("overflow", F.DIFFER, measured={}), "the two differ in float64 too"),
    (
        Evidence("overflow", F.LEAVES_THE_RANGE, measured={"side": "actual", "elements": 1, "op": "exp"}),
        "1 element of actual is finite in float64; it starts at exp",
    ),
    (
        Evidence("gain", F.LEANS, measured={"share_lost": 0.5, "share_limit": 0.01, "input": "inputs[0]"}),
        "50 % of what is added to inputs[0] is lost (limit 1 %)",
    ),
    (Evidence("vacuous", F.REPORTED, measured={"zero_inputs": ["inputs[0]"]}), "zero inputs: inputs[0]"),
    (Evidence("noise", F.WITHIN, measured={}), "not complete: "),
]


@pytest.mark.parametrize(("evidence", "words"), ROWS, ids=[f"{evidence.kind} {evidence.finding}" for evidence, _ in ROWS])
def test_words(evidence, words):
    found = measured_words(evidence)
    assert found.startswith(words)
