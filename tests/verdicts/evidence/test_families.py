import numpy as np
import pytest
import torch
import torch.nn.functional as F

from halfulp import Verdict, check, judge
from halfulp.cases import Case
from halfulp.verdicts import Evidence
from halfulp.verdicts.evidence.families import families

X, W, B = torch.randn(30, 500), torch.randn(20, 500), torch.randn(20)


def looped(x, w, b):
    """One chain, products rounded first, bias last."""
    left, right = x.numpy(), w.numpy()
    total = left[:, :1] * right[:, 0]
    for k in range(1, left.shape[1]):
        total = total + left[:, k : k + 1] * right[:, k]
    return torch.from_numpy(total + b.numpy())


def in_half(x, w, b):
    return F.linear(x.half().float(), w, b)


def test_a_loop_is_one_chain():
    found = families(Case(looped, F.linear, (X, W, B)))
    assert found.finding == "reproduced"
    assert found.measured["actual"] == "one chain, extra last without FMA, float32 sums"
    assert found.measured["outputs"] == 600
    assert found.measured["depth"] == 501


def test_what_is_no_order_is_none():
    assert families(Case(in_half, F.linear, (X, W, B))).finding == "none"
    assert families(Case(lambda x, w, b: looped(x, w, b) * (1 + 1e-6), F.linear, (X, W, B))).finding == "none"
    assert families(Case(torch.tanh, torch.sin, (X,))) is None
    assert families(Case(lambda x: (x.sum(1), x.sum(0)), lambda x: (x.sum(1), x.sum(0)), (X,))) is None


def test_few_outputs_prove_nothing():
    found = families(Case(lambda x: torch.from_numpy(np.add.accumulate(x.numpy(), 1)[:, -1].copy()), lambda x: x.sum(1), (X[:5],)))
    assert found.finding == "too few outputs"


NOISE = {
    "rms_in_noise": 300.0, "rms_limit": 7.0, "max_in_noise": 90.0, "max_limit": 20.0, "norm_in_noise": 300.0, "max_norm_in_noise": 90.0,
}  # fmt: skip


def test_bits_overrule_statistics_but_not_instability():
    reproduced = Evidence("families", "reproduced", (), {"actual": "one chain", "outputs": 600, "depth": 3})
    beyond = Evidence("noise", "beyond", (), NOISE)
    stays = Evidence("scaling", "stays", ())
    assert judge([beyond, stays]) is Verdict.MISTAKE
    assert judge([beyond, stays, reproduced]) is Verdict.ROUNDING
    assert judge([beyond]) is Verdict.UNDECIDED
    assert judge([beyond, reproduced]) is Verdict.ROUNDING
    vanishes = Evidence("scaling", "vanishes", ())
    assert judge([beyond, vanishes, reproduced]) is Verdict.UNSTABLE


@pytest.mark.parametrize("full", [False, True])
def test_the_evidence_is_in_a_full_check(full):
    result = check(looped, F.linear, (X, W, B), full=full)
    assert result.verdict is Verdict.ROUNDING
    assert (result.find("families") is not None) is full
    if full:
        assert "one chain, extra" in str(result)  # it goes on in the next line of the table


def test_the_reason_names_the_order():
    result = check(looped, F.linear, (X, W, B), full=True)
    import dataclasses

    proved = dataclasses.replace(result, because=("families",))
    from halfulp import report

    assert 'in another order ("one chain, extra last without FMA, float32 sums")' in report(proved, form="reason")


def test_one_wrong_output_is_no_order():
    def spoiled(x, w, b):
        result = looped(x, w, b)
        result[17, 13] += 50
        return result

    assert families(Case(spoiled, F.linear, (X, W, B))).finding == "none"
    wide = torch.randn(384, 384), torch.randn(384, 384)

    def one_off(x, w):
        result = x @ w
        result[5, 7] += 50
        return result

    assert check(one_off, torch.matmul, wide).verdict is Verdict.MISTAKE
