"""The table of findings: what can be found, what it says, and that nothing else is heard."""

import json

import pytest
import torch

import halfulp
from halfulp.errors import InputError
from halfulp.verdicts import Evidence
from halfulp.verdicts.evidence.evidence import Found
from halfulp.verdicts.evidence.finding import MEANINGS, Finding
from halfulp.verdicts.evidence.measured import LISTS, TYPES
from halfulp.verdicts.judgment import decide
from halfulp.verdicts.verdict import Verdict

X = torch.randn(4, 8, generator=torch.Generator().manual_seed(0))
NOISE = {"rms_in_noise": 300.0, "rms_limit": 7.0, "max_in_noise": 90.0, "max_limit": 20.0}


def test_every_kind_whose_values_have_types_has_findings():
    assert {*TYPES, *LISTS} <= set(MEANINGS)


def test_every_finding_is_of_some_kind():
    assert {finding for row in MEANINGS.values() for finding in row} == set(Finding)


def test_what_says_that_the_formula_is_wrong_speaks_for_no_honest_verdict():
    for kind, row in MEANINGS.items():
        for finding, meaning in row.items():
            honest = {Verdict.IDENTICAL, Verdict.ROUNDING, Verdict.FLIP} & set(meaning.speaks_for)
            assert not (meaning.formula is False and honest), (kind, finding)
            assert not (meaning.formula is True and Verdict.MISTAKE in meaning.speaks_for), (kind, finding)


def test_a_finding_is_stored_as_its_word_and_read_back():
    result = halfulp.check(lambda x: x.sum(1), lambda x: x.flip(1).sum(1), (X,))
    stored = json.loads(result.to_json())
    assert [part["finding"] for part in stored["evidence"]] == [str(part.finding) for part in result.evidence]
    assert halfulp.CheckResult.from_json(result.to_json()).evidence == result.evidence
    assert f"{Evidence('bits', 'same').finding}" == "same"


def test_a_finding_that_the_kind_does_not_have_is_refused():
    with pytest.raises(InputError, match="Got the finding 'stays' in evidence of kind 'bits'. Needed: one of same, differ"):
        Evidence("bits", "stays")
    with pytest.raises(InputError, match="Needed: evidence of one of these kinds: structure"):
        Evidence("something new", "same")


def test_a_stored_finding_that_does_not_exist_is_refused_in_one_line():
    stored = json.loads(halfulp.check(lambda x: x + 1, lambda x: x + 1, (X,)).to_json())
    stored["evidence"][0]["finding"] = "nearly"
    with pytest.raises(InputError, match="finding") as refused:
        halfulp.CheckResult.from_json(json.dumps(stored))
    assert "\n" not in str(refused.value)


def test_the_verdicts_that_a_finding_agrees_with_come_from_the_table():
    assert Evidence("scaling", "vanishes").speaks_for == MEANINGS["scaling"][Finding.VANISHES].speaks_for
    assert Evidence("search", "unchanged", (Verdict.ROUNDING,)).speaks_for == (Verdict.ROUNDING,)


def test_asking_for_a_finding_that_can_not_be_is_an_error():
    found = Found([Evidence("bits", "same")])
    assert found.has("bits", Finding.SAME) and not found.has("bits", Finding.DIFFER) and not found.has("noise", Finding.BEYOND)
    with pytest.raises(KeyError):
        found.has("bits", Finding.DIFFERS)


@pytest.mark.parametrize("lost", NOISE)
def test_where_a_stored_number_is_missing_nothing_is_decided_by_it(lost):
    noise = Evidence("noise", "beyond", (), {name: value for name, value in NOISE.items() if name != lost})
    decision = decide([noise, Evidence("scaling", "vanishes")])
    assert decision.verdict is Verdict.UNDECIDED
    assert decision.because == ("noise",)
