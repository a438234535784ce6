"""The table of what evidence measures is the truth: what checks measure is in it, with that type, and damage to it is refused by name."""

import copy
import json

import pytest
import torch
import torch.nn.functional as F

import halfulp
from halfulp.verdicts.evidence.measured import TYPES, problems, type_of

W = torch.randn(48, 48, generator=torch.Generator().manual_seed(1))
X = torch.randn(24, 48, generator=torch.Generator().manual_seed(2))
PAIRS = {
    "same": (lambda x: x @ W, lambda x: x @ W, (X,)),
    "order": (lambda x: x[:, :24] @ W[:24] + x[:, 24:] @ W[24:], lambda x: x @ W, (X,)),
    "coarse": (lambda x: (x.bfloat16() @ W.bfloat16()).float(), lambda x: x @ W, (X,)),
    "epsilon": (lambda x: F.layer_norm(x, (48,), eps=1e-3), lambda x: F.layer_norm(x, (48,)), (X,)),
    "unstable": (lambda x: torch.log(1 + x), torch.log1p, (torch.rand(500) * 1e-4,)),
    "flip": (lambda x: (x * (1 + 2**-22)).argmax(1), lambda x: x.argmax(1), (X,)),
    "NaN": (lambda x: x / 0 * 0, lambda x: x, (X,)),
    "shape": (lambda x: x[1:], lambda x: x, (X,)),
    "random": (lambda x: x + torch.randn_like(x) * 1e-3, lambda x: x, (X,)),
    "writes": (lambda x: (x.mul_(2.0), x @ W)[1], lambda x: 2 * x @ W, (X,)),
    "refuses float64": (lambda x: x.numpy().astype("f4") @ W.numpy(), lambda x: x @ W, (X,)),
}


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("name", PAIRS)
def test_what_is_measured_is_in_the_table(name, full):
    actual, expected, inputs = PAIRS[name]
    result = halfulp.check(actual, expected, inputs, full=full, search=name == "order")
    assert not list(problems(result))
    for each in result.evidence:
        unknown = [key for key in each.measured if type_of(each.kind, key) is None]
        assert not unknown, f"{each.kind} measures {unknown}, which the table lacks"
    assert halfulp.CheckResult.from_json(result.to_json()).evidence == result.evidence


@pytest.fixture(scope="module")
def document():
    actual, expected, inputs = PAIRS["epsilon"]
    return json.loads(halfulp.check(actual, expected, inputs, full=True).to_json())


@pytest.mark.parametrize("kind", TYPES)
def test_values_of_another_type_are_refused_and_named(kind, document):
    own = [place for place, each in enumerate(document["evidence"]) if each["kind"] == kind and each["measured"]]
    if not own:
        pytest.skip(f"this pair has no evidence of kind {kind}")
    for name in document["evidence"][own[0]]["measured"]:
        for value in ({"a": 1}, ["x", 1], 10**400, True if type_of(kind, name)[0] != "flag" else 3):
            changed = copy.deepcopy(document)
            changed["evidence"][own[0]]["measured"][name] = value
            with pytest.raises(halfulp.InputError) as error:
                halfulp.CheckResult.from_json(json.dumps(changed))
            assert "measured" in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("verdict", [each.name for each in halfulp.Verdict])
def test_any_verdict_beside_any_evidence_has_words(verdict, document):
    """The smallest damage: another verdict, whose words look for evidence that is not there."""
    for measured in (True, False):
        changed = copy.deepcopy({**document, "verdict": verdict})
        for each in changed["evidence"]:
            each["measured"] = each["measured"] if measured else {}
        text = halfulp.report(halfulp.CheckResult.from_json(json.dumps(changed)))
        assert text.startswith(verdict)
    assert "does not hold the measurements" in text or verdict in ("IDENTICAL", "UNDECIDED", "MISTAKE")
