"""A function of Python's numbers looked into: what its statements bind, and what they read."""

import math
import sys

import torch

from halfulp.origins.python_numbers import place_in_numbers
from halfulp.recording.numbers import Bound, numbers_in


def precision(hits, words):
    return sum(hits) / words


def score(tokens, lengths):
    hits = [1 if token > 1 else 0 for token in tokens.tolist()]
    shortest = min(lengths)
    penalty = min(0.0, 1 - shortest / len(hits))
    return torch.tensor(math.exp(penalty) * precision(hits, len(hits)))


TOKENS = torch.tensor([0, 1, 2, 3])


def test_what_statements_bind_is_kept_in_order_with_its_line():
    found = numbers_in(lambda: score(TOKENS, [5, 7]))
    by_name = {each.name: each for each in found}
    assert by_name["hits"].values == (0.0, 0.0, 1.0, 1.0)
    assert by_name["shortest"].values == (5.0,) and by_name["shortest"].source.endswith(" score")
    assert by_name["penalty"].values == (-0.25,)
    assert [each.name for each in found][-1] == "return" and math.isclose(found[-1].values[0], math.exp(-0.25) / 2, rel_tol=1e-6)


def test_what_a_statement_reads_is_known():
    found = numbers_in(lambda: score(TOKENS, [5, 7]))
    penalty = next(each for each in found if each.name == "penalty")
    assert {found[place].name for place in penalty.reads} == {"shortest", "hits"}
    returned, given_on = found[-2:]  # by the function, and by the lambda that calls it
    assert returned.source.endswith(" score") and [found[place] for place in given_on.reads] == [returned]
    read = [found[place] for place in returned.reads]
    assert {each.name for each in read} >= {"penalty", "return"}  # what the function within the statement returned


def test_a_loop_keeps_each_round_and_the_debugger_is_left_as_it_was():
    def sums(values):
        total = 0.0
        for value in values:
            total += value
        return total

    before = sys.gettrace()
    found = numbers_in(lambda: sums([1.0, 2.0, 4.0]))
    assert sys.gettrace() is before
    assert [each.values[0] for each in found if each.name == "total"] == [0.0, 1.0, 3.0, 7.0]


def test_an_error_leaves_nothing_behind():
    before = sys.gettrace()
    assert numbers_in(lambda: precision([1], 0)) == []
    assert sys.gettrace() is before


def test_what_differs_as_float32_may_is_no_place():
    def numbers(*values):
        return [Bound("return", values, "port.py:3 forward")]

    assert place_in_numbers(numbers(0.048086, -1.6063), numbers(0.0480861, -1.6063003)) is None
    assert place_in_numbers(numbers(0.048086, -1.6063), numbers(0.049, -1.6063)) is not None
