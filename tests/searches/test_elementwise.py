"""Which cases are functions of single numbers, and which only look so."""

import pytest
import torch

import halfulp
from halfulp.cases import Case
from halfulp.searches.elementwise import function_of, with_numbers


def normal(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0))


GAMMA = torch.linspace(0.5, 2.0, 64)[:, None]
ELEMENTWISE = {
    "one op": lambda x: torch.tanh(x),
    "several": lambda x: x * torch.sigmoid(1.702 * x),
    "a switch": lambda x: torch.where(x > 0, x * x, 0.0),
}
OTHERS = {
    "a scale for each row": lambda x: x * GAMMA,
    "the largest subtracted": lambda x: x - x.amax(-1, keepdim=True),
    "neighbors": lambda x: x * 2 - x.roll(1, -1),
    "halves turned": lambda x: torch.cat([-x[..., x.shape[-1] // 2 :], x[..., : x.shape[-1] // 2]], -1) * 3,
    "one axis more": lambda x: x[None] * 2,
    "a sum": lambda x: x.sum(-1),
}


def found(function, *shape):
    return function_of(lambda row: Case(function, function, row), (normal(*(shape or (64, 100))),))


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_functions_of_single_numbers(name):
    assert found(ELEMENTWISE[name]) is not None


def test_a_maximum_of_few_numbers_is_seen_too():
    """The probe repeats 35 numbers: the largest is in every half of it."""
    assert found(lambda x: x - x.amax(), 5, 7) is None


@pytest.mark.parametrize("name", OTHERS)
def test_what_depends_on_other_elements_or_places_is_none(name):
    """What broadcasts on a tensor of other shape, and exact ops, whose rounding is none."""
    assert found(OTHERS[name]) is None
    assert halfulp.worst(OTHERS[name], OTHERS[name], (normal(64, 100),), seconds=1e9, evaluations=30).acceptable


def test_the_two_sides_and_exact_values_of_the_same_numbers_are_one_case():
    calls = []

    def counted(x):
        calls.append(1)
        return torch.tanh(x)

    function = found(counted, 64)
    x = normal(4096)
    calls.clear()
    function.computed(x), function.peer(x), function.exact(x)
    assert len(calls) <= 3


def test_numbers_go_where_the_given_ones_are():
    given = (torch.empty(3, device="meta"), 2.0)
    moved, same = with_numbers(given, (normal(3),))
    assert moved.device.type == "meta"
    assert same == 2.0


def test_nan_is_not_tried():
    """At NaN the two differ, as honest implementations may."""
    result = halfulp.worst(
        lambda x: torch.where(x > 0, x * x, 0.0), lambda x: x.relu().square(), (normal(64),), seconds=1e9, evaluations=80
    )
    assert result.acceptable, result
