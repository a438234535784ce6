import numpy as np
import pytest
import torch
import torch.nn.functional as F

import halfulp
from halfulp import CheckResult, Verdict, check, judge
from halfulp.errors import InputError

V = Verdict
X = torch.randn(12, 32)


def test_a_full_check_gathers_every_kind_and_says_the_same():
    pairs = {
        V.ROUNDING: (lambda x: x.flip(1).sum(1), lambda x: x.sum(1)),
        V.MISTAKE: (lambda x: x.sum(1) * 1.001, lambda x: x.sum(1)),
        V.REDUCED_PRECISION: (lambda x: x.bfloat16().float() @ x.bfloat16().float().T, lambda x: x @ x.T),
        V.IDENTICAL: (torch.relu, lambda x: x.clamp(min=0)),
    }
    for verdict, (actual, expected) in pairs.items():
        quick, full = check(actual, expected, (X,)), check(actual, expected, (X,), full=True)
        assert quick.verdict is full.verdict is verdict
        kinds = {each.kind for each in full.evidence}
        assert {"noise", "scaling", "integers", "impulses", "redraw", "powers", "permutations"} <= kinds
        assert len(kinds) > len({each.kind for each in quick.evidence})


def test_the_old_spelling_works_with_a_note():
    with pytest.warns(DeprecationWarning, match="full=True") as caught:
        assert check(torch.relu, torch.relu, (X,), effort="full").verdict is Verdict.IDENTICAL
    assert caught[0].filename == __file__  # where it is to be changed
    with pytest.raises(InputError, match="Got effort='most'. Needed: full=True or full=False"):
        check(torch.relu, torch.relu, (X,), effort="most")


def test_old_names_work_with_a_note():
    for old, new in (("reveal_order", "order"), ("suggest_tolerance", "tolerance")):
        with pytest.warns(DeprecationWarning, match=f"is now halfulp.{new};"):
            assert getattr(halfulp, old) is getattr(halfulp, new)


def vectorized(x):
    """Sums blocks of 16 and forgets what is left over."""
    whole = x.shape[-1] // 16 * 16
    return x[..., :whole].unflatten(-1, (-1, 16)).sum(-1).sum(-1)


def test_a_mistake_that_the_inputs_hide_is_found_and_said():
    assert check(vectorized, lambda x: x.sum(-1), (X,)).verdict is V.ROUNDING
    result = check(vectorized, lambda x: x.sum(-1), (X,), search=True)
    assert result.verdict is V.MISTAKE
    assert result.because == ("search",)
    search = result.find("search")
    assert search.measured["variant"] == "axes of length 32 cut to 31"
    assert "On the given inputs the verdict is ROUNDING, but on the variant 'axes of length 32 cut to 31' it is MISTAKE" in result.reason
    again = CheckResult.from_json(result.to_json())
    assert judge(again.evidence) is V.MISTAKE
    assert again.reason == result.reason
    assert check(vectorized, lambda x: x.sum(-1), (X,), full=True).verdict is V.MISTAKE  # sizes belong to all evidence


def test_values_layouts_and_special_values():
    strided = check(lambda x: torch.from_numpy(np.frombuffer(x.numpy().tobytes(), np.float32).copy()).sum(), torch.sum, (X,), search=True)
    assert strided.verdict.acceptable
    one_pass = check(lambda x: (x * x).mean(-1) - x.mean(-1) ** 2, lambda x: x.var(-1, unbiased=False), (X,), search=True)
    assert one_pass.verdict in (V.UNSTABLE, V.MISTAKE)
    assert one_pass.find("search").measured["variant"] == "a large mean"
    blind = check(lambda x: torch.nan_to_num(x.amax(-1), nan=0.0), lambda x: x.amax(-1), (X,), search=True)
    assert blind.verdict is V.IDENTICAL  # special values are reported and do not decide
    assert "some NaNs: MISTAKE" in blind.find("search").measured["exotic"]
    assert "some NaNs: MISTAKE" in str(blind)


def test_variants_that_the_functions_refuse_are_passed_over():
    net = torch.nn.Linear(32, 4)
    result = check(lambda x: F.linear(x, net.weight, net.bias), net, (X,), search=True)
    assert result.verdict.acceptable
    assert result.find("search").measured["refused"] >= 4


def test_bfloat16_tells_where_float64_is_refused():
    def only(function):
        def f(x):
            if x.dtype == torch.float64:
                raise TypeError("float64 is not supported")
            return function(x)

        return f

    wrong = check(only(lambda x: x.sum(1) * 1.02 + 0.3), lambda x: x.sum(1), (X,))
    assert wrong.verdict is V.MISTAKE
    assert wrong.find("scaling").finding == "stays in bfloat16"
    noisy = X + 100.0
    unstable = check(only(lambda x: (x * x).mean(-1) - x.mean(-1) ** 2), lambda x: x.var(-1, unbiased=False), (noisy,))
    assert unstable.verdict is not V.MISTAKE


def test_symmetric_inputs_are_not_judged_by_asymmetric_ones():
    """Cholesky reads one triangle: near a symmetric matrix it is another function than a determinant of the whole."""
    a = torch.randn(14, 14, dtype=torch.float64)
    matrix = a @ a.T / 14 + torch.eye(14, dtype=torch.float64)
    result = check(lambda a: 2 * torch.linalg.cholesky(a).diagonal().log().sum(), lambda a: torch.linalg.slogdet(a)[1], (matrix,))
    assert result.acceptable
    assert result.find("redraw") is None or result.find("redraw").finding != "systematic"


def test_a_search_finds_what_no_variant_shows():
    """A clamp at 1e9 is beyond all labelled variants of normal numbers; overflow alone decides nothing."""
    result = check(lambda x: x.clamp(max=1e9) * 2, lambda x: x * 2, (X,), search=True)
    assert result.acceptable is False
    assert result.because == ("search",)
    assert "halfulp worst --keep" in result.reason
    hypotenuse = check(lambda x, y: (x * x + y * y).sqrt(), torch.hypot, (X, X.flip(0)), search=True)
    assert hypotenuse.acceptable, hypotenuse.reason
