"""The place where a difference begins: the ops of both sides, their arguments beside each other, their lines."""

import torch
from torch import nn
from torch.nn import functional as F

import halfulp


class Feed(nn.Module):
    def __init__(self, approximate="none", eps=1e-5):
        super().__init__()
        self.norm, self.up, self.act, self.down = nn.LayerNorm(16, eps=eps), nn.Linear(16, 32), nn.GELU(approximate), nn.Linear(32, 16)

    def forward(self, x):
        return x + self.down(self.act(self.up(self.norm(x))))


def located(actual, expected, *inputs, **options):
    torch.manual_seed(0)
    return halfulp.locate(actual, expected, inputs, **options)


def ported(**changed):
    torch.manual_seed(0)
    expected = nn.Sequential(Feed(), Feed())
    actual = nn.Sequential(Feed(), Feed(**changed))
    actual.load_state_dict(expected.state_dict())
    return actual, expected


def test_arguments_stand_beside_each_other():
    place = located(*ported(approximate="tanh"), torch.randn(4, 16)).place
    assert (place.module, place.op) == ("1.act", "aten.gelu.default")
    assert place.differing == (("approximate", "'tanh'", "'none'"),)
    assert [dict(call.arguments)["approximate"] for call in (*place.actual, *place.expected)] == ["'tanh'", "'none'"]
    assert all(call.source.endswith("forward") for call in (*place.actual, *place.expected))


def test_an_epsilon_is_one_of_them_and_weights_have_their_names():
    place = located(*ported(eps=1e-3), 0.1 * torch.randn(4, 16)).place
    assert place.differing == (("eps", "0.001", "1e-05"),)
    assert dict(place.expected[-1].arguments)["weight"] == "1.norm.weight"


def test_a_formula_by_hand_shows_its_constants():
    def norm(eps):
        return lambda x: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)

    place = located(norm(1e-6), norm(1e-5), 0.01 * torch.randn(4, 16)).place
    assert place.differing == (("other", "1e-06", "1e-05"),)


def test_views_are_shown_since_which_part_is_read_may_be_what_differs():
    def attention(order):
        def run(x):
            parts = x.chunk(3, -1)
            q, k, v = (parts[index] for index in order)
            return (q @ k.mT / 4).softmax(-1) @ v

        return run

    place = located(attention((0, 2, 1)), attention((0, 1, 2)), torch.randn(2, 5, 48)).place
    for calls in (place.actual, place.expected):
        assert [call.op.split(".")[1] for call in calls] == ["split", "transpose", "bmm"]


def test_the_report_and_the_page_show_it():
    found = located(*ported(approximate="tanh"), torch.randn(4, 16))
    text = str(found)
    assert "What each side computes there" in text and "approximate is 'tanh' in actual and 'none' in expected." in text
    page = halfulp.report(found, form="html")
    assert "Where it begins" in page and "approximate is" in page


def test_a_result_that_agrees_has_no_place():
    assert located(*ported(), torch.randn(4, 16)).place is None


def test_axes_in_another_order_are_no_difference():
    """Heads taken apart before or after a normalization of each: the same numbers, in another order of axes."""
    q, k = nn.Linear(16, 16, bias=False), nn.Linear(16, 16, bias=False)
    gain = torch.rand(4) + 0.5

    def heads(x, layer):
        return layer(x).view(2, 6, 4, 4)

    def expected(x):
        return F.rms_norm(heads(x, q), (4,), gain).transpose(1, 2) @ F.rms_norm(heads(x, k), (4,), gain).transpose(1, 2).mT

    def actual(x):
        left, right = (F.rms_norm(heads(x, layer).transpose(1, 2), (4,), gain) for layer in (q, k))
        return left @ right.mT

    assert located(actual, expected, torch.randn(2, 6, 16)).acceptable
    wrong = located(lambda x: actual(x) + 0.01 * F.rms_norm(heads(x, k).transpose(1, 2), (4,), gain).sum(), expected, torch.randn(2, 6, 16))
    assert wrong.acceptable is False and "rms" not in wrong.op


def test_an_explanation_begins_with_the_place_also_where_nothing_explains():
    torch.manual_seed(0)
    found = halfulp.explain(lambda x: torch.sin(3 * x) + 0.37 * torch.cos(x * x), torch.exp, (torch.randn(30),), processes=False)
    assert not found.causes and found.place is not None and found.place.op == "aten.exp.default"
    assert str(found).splitlines()[1].startswith("Place: exp (")
    assert str(found).splitlines()[1].count("test_place.py:") in (1, 2)


def rms(z):
    return z.pow(2).mean().add(0.5).sqrt()


def test_a_helper_function_tells_where_it_was_called():
    def clipped(u, g):
        u = u / rms(u)
        return u + rms(u) * g

    def planted(u, g):
        u = u / rms(g)
        return u + rms(u) * g

    place = located(planted, clipped, torch.randn(9, 7), torch.randn(9, 7) * 3).place
    first = planted.__code__.co_firstlineno + 1
    assert any(call.source.endswith(f"rms, called at test_place.py:{first} planted") for call in place.actual)


def test_numbers_of_python_have_a_place():
    def expected(hypothesis, reference):
        matches = sum(a == b for a, b in zip(hypothesis.tolist(), reference.tolist()))
        words = len(hypothesis)
        length = min(len(reference), 2 * words)
        penalty = min(0.0, 1 - length / words)
        return torch.tensor(2.0**penalty * (matches + 1) / words)

    def actual(hypothesis, reference):
        words = len(hypothesis)
        hits = [a == b for a, b in zip(hypothesis.tolist(), reference.tolist())]
        longest = max(len(reference), 2 * words)
        penalty = min(0.0, 1 - longest / words)
        return torch.tensor(2.0**penalty * (sum(hits) + 1) / words)

    torch.manual_seed(0)
    origin = halfulp.locate(actual, expected, (torch.randint(0, 4, (12,)), torch.randint(0, 4, (15,))))
    assert origin.acceptable is False
    line = expected.__code__.co_firstlineno + 3
    assert origin.source == f"test_place.py:{line} expected"
    assert [(call.op, dict(call.arguments)["value"]) for call in origin.place.expected][-1] == ("python.length", "15")
    assert [(call.op, dict(call.arguments)["value"]) for call in origin.place.actual][-1] == ("python.longest", "24")
    assert not any("nondeterminism" in note for note in origin.notes)
    explained = halfulp.explain(actual, expected, (torch.randint(0, 4, (12,)), torch.randint(0, 4, (15,))), processes=False)
    assert explained.place is not None and explained.place.source == origin.source


def test_the_same_numbers_of_python_have_no_place():
    def mean(x):
        return torch.tensor(sum(x.tolist()) / len(x))

    def other(x):
        total = 0.0
        for value in reversed(x.tolist()):
            total += value
        return torch.tensor(total / len(x))

    origin = halfulp.locate(other, mean, (torch.randn(50),))
    assert origin.acceptable is True and origin.place is None
