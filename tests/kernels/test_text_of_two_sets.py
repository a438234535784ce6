"""What two sets of problems said that was read wrong: each a sentence with what has to follow from it."""

import math

import pytest
import torch

from halfulp.cases import Case
from halfulp.kernels.basis import Basis, drawn
from halfulp.kernels.problems.calls import Setting
from halfulp.kernels.problems.formats import read_problem
from halfulp.kernels.promises.promises import Promises
from halfulp.kernels.promises.stated import Stated
from halfulp.kernels.questions.arguments import optional_questions
from halfulp.kernels.questions.axes import single_axis_questions
from halfulp.kernels.questions.parameters import COUNTING, constructor_questions, tables_of
from halfulp.kernels.questions.values import alike_questions, value_questions
from halfulp.kernels.trials.looks import more_roundings

PROBLEM = '''
import torch
from torch import nn

class Model(nn.Module):
    """{text}"""
    def __init__(self, size{arguments}):
        super().__init__()
        {constructor}
    def forward(self, {inputs}):
        return {result}

def get_inputs():
    return [{drawn}]

def get_init_inputs():
    return [8]
'''


@pytest.fixture
def problem(tmp_path):
    def made(
        text="", *, inputs="x", drawn="torch.randn(6, 8)", result="x + 1", constructor="pass", arguments="",
    ):  # fmt: skip
        file = tmp_path / "problem.py"
        file.write_text(PROBLEM.format(text=text, inputs=inputs, drawn=drawn, result=result, constructor=constructor, arguments=arguments))
        return read_problem(file)

    return made


def basis_of(problem):
    return Basis.of(problem, drawn(problem, 0), problem.make)


FILTER = "self.register_buffer('h', torch.arange(1.0, 9.0)); self.register_buffer('angles', torch.arange(8.0), persistent=False)"


@pytest.mark.parametrize(
    ("text", "tables"),
    [
        ("h is a buffer [size]; the constructor fills it with a ramp, checkpoints load arbitrary filters.", {"angles"}),
        ("The taps h are learned.", {"angles"}),
        ("Parameters and buffers may be changed between calls (optimizer steps, load_state_dict).", {"angles"}),
        ("h is a buffer [size]; the constructor fills it with a ramp.", {"h", "angles"}),
        ("h is never loaded.", {"h", "angles"}),
        ("angles is loaded with the checkpoint.", {"h", "angles"}),  # it is not stored, so that no checkpoint holds it
        ("", {"h", "angles"}),
    ],
)
def test_a_buffer_that_checkpoints_fill_is_no_table(problem, text, tables):
    made = problem(text, constructor=FILTER, result="x * self.h + self.angles")
    assert tables_of(made, (8,), basis_of(made).stated.loaded) == tables


@pytest.mark.parametrize(
    ("text", "signed"),
    [("scale is a buffer of positive weights.", False), ("scale is a buffer of weights.", True), ("scale is positive.", False)],
)
def test_the_sign_of_a_buffer_is_kept(problem, text, signed):
    made = problem(text, constructor="self.register_buffer('scale', torch.ones(size))", result="x / self.scale")
    basis = basis_of(made)
    other = {"scale": torch.tensor([-1.0, 2.0, -3.0, 4.0, 5.0, 6.0, 7.0, 8.0])}
    found = basis.stated.allowed(basis.given, other, {})
    assert found is not None and bool((found["scale"] < 0).any()) == signed and torch.equal(found["scale"].abs(), other["scale"].abs())


def test_a_mask_stays_one_where_signs_are_turned():
    scores = [torch.randn(40, 2).masked_fill(torch.rand(40, 2) < 0.3, -torch.inf) for _ in range(3)]
    promises = Promises([Setting((tensor,)) for tensor in scores])
    stated = Stated.__new__(Stated)
    vars(stated).update(rows_apart=False, contiguous=False, strided=(0,), magnitudes=False, lies_as_drawn=False, ties=True, _prose="")
    questions = list(value_questions(Setting((scores[0],)), promises, stated, 0))
    assert "sums that cancel" in {question.label for question in questions}
    for question in questions:
        (tensor,) = question.setting.arguments
        assert not torch.isposinf(tensor).any(), question.label
    assert promises.kept((-scores[0],)) is not None


@pytest.mark.parametrize(
    "text",
    ["x may hold anything (uninitialised memory, NaN included) and do not influence the result", "x[:, 0] is not read (it may be NaN)."],
)
def test_what_brackets_hold_is_not_denied_after_them(problem, text):
    assert any(math.isnan(value) for value in basis_of(problem(text)).stated.behind)


def test_a_part_of_an_input_is_not_its_shape(problem):
    made = problem("x, y: [B, n], n >= 1. x[:, 0] and y[:, n-1] lie outside.", inputs="x, y", drawn="torch.randn(6, 8), torch.randn(6, 8)")
    basis = basis_of(made)
    assert basis.stated.named_axes(basis.given) == {"B": [(0, 0), (1, 0)], "n": [(0, 1), (1, 1)]}


def test_an_element_is_not_a_shape(problem):
    made = problem("x: [rows, n], pos: [rows]. Row pos[r] of x is r.", inputs="x, pos", drawn="torch.randn(6, 8), torch.arange(6)")
    basis = basis_of(made)
    assert basis.stated.named_axes(basis.given) == {"rows": [(0, 0), (1, 0)], "n": [(0, 1)]}


def test_a_shape_of_one_axis_as_a_tuple(problem):
    made = problem("x: (B, T), lengths: (B,).", inputs="x, lengths", drawn="torch.randn(6, 8), torch.tensor([8, 3, 2, 8, 1, 5])")
    basis = basis_of(made)
    assert basis.stated.named_axes(basis.given)["B"] == [(0, 0), (1, 0)]
    alone = {question.label: question for question in single_axis_questions(basis.given, basis.stated.named_axes(basis.given))}
    assert [tuple(tensor.shape) for tensor in alone["axis B: 1 instead of 6"].setting.arguments] == [(1, 8), (1,)]


def test_an_axis_that_may_be_another_without_a_name_is_not_cut(problem):
    made = problem("x: (B, T).", inputs="x, y", drawn="torch.randn(6, 8), torch.randn(6, 3)", result="x + y.sum(1, keepdim=True)")
    basis = basis_of(made)
    alone = single_axis_questions(basis.given, basis.stated.named_axes(basis.given))
    assert [question.label for question in alone] == ["axis T: 1 instead of 8"]


def test_a_dense_last_axis(problem):
    text = "The last dim is dense; the leading dims may have any strides."
    assert basis_of(problem(text)).stated.rows_apart and not basis_of(problem("The leading dims may have any strides.")).stated.rows_apart


@pytest.mark.parametrize(("text", "promised"), [("h0: [B], or None for zeros.", True), ("h0 is the state.", False)])
def test_an_argument_that_may_be_left_out_is_left_out_twice(problem, text, promised):
    made = problem(text, inputs="x, h0=None", drawn="torch.randn(6, 8), torch.randn(6, 8)", result="x if h0 is None else x + h0")
    basis = basis_of(made)
    target = made.make((8,))
    found = list(optional_questions(basis.given, basis.others(0)[0], target, promised=basis.stated.may_be_left_out))
    assert [question.label for question in found] == ["h0 left out on another draw", "h0 left out"]
    assert all(question.setting.arguments[1] is None and question.promised is promised for question in found)
    assert not torch.equal(found[0].setting.arguments[0], found[1].setting.arguments[0])


def test_nothing_is_left_out_where_nothing_may_be(problem):
    made = problem(inputs="x, y", drawn="torch.randn(6, 8), torch.randn(6, 8)")
    basis = basis_of(made)
    assert not list(optional_questions(basis.given, basis.given, made.make((8,)), promised=False))
    assert not list(optional_questions(basis.given, basis.given, lambda *x: x[0], promised=False))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("If the norm is not finite the step is skipped.", True), ("Non-finite rows give 0.", True), ("All numbers are finite.", False),
        ("Inputs are never non-finite.", False), ("", False),
    ],
)  # fmt: skip
def test_what_becomes_of_numbers_that_are_not_finite(problem, text, said):
    basis = basis_of(problem(text))
    assert basis.stated.not_finite is said
    asked = {question.label: question for question in value_questions(basis.given, basis.promises, basis.stated, 0)}
    assert asked["some infinities"].exotic is not said
    allowed = basis.stated.allows(asked["some infinities"].setting, {})
    assert allowed is (text != "All numbers are finite.")


def test_equal_inputs_keep_their_formats():
    given = Setting((torch.randn(3, 4).bfloat16(), torch.randn(3, 4), torch.randn(5)))
    (question,) = alike_questions(given, Promises([given]), {})
    first, second, other = question.setting.arguments
    assert first.dtype is torch.bfloat16 and second.dtype is torch.float32 and torch.equal(first.float(), second)
    assert torch.equal(other, given.arguments[2])


def test_a_tiny_number_of_the_constructor_is_also_asked_where_it_counts(problem):
    made = problem(arguments=", eps=1e-6, slope=0.1", constructor="self.eps, self.slope = eps, slope", result="x * self.slope + self.eps")
    labels = {question.label for question in constructor_questions(made, basis_of(made).given)}
    assert f"eps={COUNTING} instead of 1e-06" in labels and f"slope={COUNTING} instead of 0.1" not in labels


def test_what_is_returned_in_float32_may_not_be_rounded_to_16_bits():
    def norms(x):
        return x.float().square().sum(-1).sqrt()

    def coarse(x):
        return x.float().square().sum(-1).sqrt().bfloat16().float()

    def added_otherwise(x):
        return sum(part.float().square().sum(-1) for part in x.split(16, -1)).sqrt()

    x = torch.randn(64, 96, generator=torch.Generator().manual_seed(0)).bfloat16()
    assert more_roundings(Case(coarse, norms, (x,))) > 0.5
    assert more_roundings(Case(added_otherwise, norms, (x,))) == 0.0
