"""How every result shows itself: a line in a debugger, and true where its verdict is acceptable."""

import pytest
import torch

import halfulp

X = (torch.randn(8, 5, generator=torch.Generator().manual_seed(0)),)


@pytest.mark.parametrize(
    "make",
    [
        lambda: halfulp.check(torch.relu, torch.sigmoid, X),
        lambda: halfulp.locate(torch.relu, torch.sigmoid, X),
        lambda: halfulp.explain(torch.relu, torch.sigmoid, X, processes=False),
        lambda: halfulp.compare(X[0], X[0] + 1),
        lambda: halfulp.tolerance(torch.softmax, (X[0], -1)),
        lambda: halfulp.audit(torch.relu, X),
        lambda: halfulp.order(lambda x: x.sum(1), X),
    ],
)
def test_repr_is_one_line(make):
    found = make()
    line = repr(found)
    assert "\n" not in line and line.startswith(f"<{type(found).__name__}") and len(line) < 200


def test_a_result_is_true_where_its_verdict_is_acceptable():
    assert halfulp.check(torch.relu, lambda x: x.clamp(min=0), X)
    assert not halfulp.check(torch.relu, torch.sigmoid, X)
    nan = torch.full((3,), float("nan"))
    assert not halfulp.check(torch.relu, torch.relu, (nan,))  # undecided is no pass
    assert halfulp.locate(torch.relu, lambda x: x.clamp(min=0), X)


def test_half_made_results_have_a_line_too():
    assert repr(object.__new__(halfulp.CheckResult)) == "<CheckResult>"


def test_two_results_lead_to_compare():
    with pytest.raises(halfulp.InputError, match=r"no inputs.*halfulp\.compare"):
        halfulp.assert_equivalent(X[0], X[0])


def test_a_message_comes_first():
    with pytest.raises(AssertionError, match="^in the encoder\nMISTAKE"):
        halfulp.assert_equivalent(torch.relu, torch.sigmoid, X, msg="in the encoder")
