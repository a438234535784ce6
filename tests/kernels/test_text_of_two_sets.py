"""What two sets of problems said that was read wrong: each a sentence with what has to follow from it."""

import math

import pytest
import torch

from halfulp.cases import Case
from halfulp.kernels.basis import Basis, drawn
from halfulp.kernels.problems.calls import Setting
from halfulp.kernels.problems.formats import read_problem
from halfulp.kernels.promises.promises import Promises
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
        ("x: float32 [6, size], any strides.\n    h is a buffer [size]; the constructor fills it, checkpoints load others.", {"angles"}),
        ("h is a ramp. It is filled from a checkpoint.", {"angles"}),
        ("h never comes from a checkpoint.", {"h", "angles"}),
        ("h is a ramp. angles comes with the checkpoint.", {"h", "angles"}),  # which is not stored, so that no checkpoint holds it
        ("h is computed by the constructor. The weights are trained.", {"h", "angles"}),
        ("The learned scale multiplies the fixed window h.", {"h", "angles"}),
        ("h is loaded once for each block.", {"h", "angles"}),
        ("All weights are trained; buffers stay as constructed.", {"h", "angles"}),
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


def test_a_mask_stays_one_where_signs_are_turned(problem):
    drawn = "torch.randn(40, 5).masked_fill((torch.rand(40, 5) < 0.3) & (torch.arange(5) > 0), -torch.inf)"
    basis = basis_of(problem(drawn=drawn))
    masked = torch.isneginf(basis.given.arguments[0])
    questions = {question.label: question for question in value_questions(basis.given, basis.promises, basis.stated, 0)}
    assert {"sums that cancel", "all numbers negative"} <= questions.keys()
    for label, question in questions.items():
        (tensor,) = question.setting.arguments
        assert label == "some negative infinities" or not bool((torch.isinf(tensor) & ~masked).any()), label
        assert not torch.isposinf(tensor).any(), label
    assert not torch.equal(questions["sums that cancel"].setting.arguments[0], basis.given.arguments[0])


@pytest.mark.parametrize(
    "text",
    ["x may hold anything (uninitialised memory, NaN included) and do not influence the result", "x[:, 0] is not read (it may be NaN)."],
)
def test_what_brackets_hold_is_not_denied_after_them(problem, text):
    assert any(math.isnan(value) for value in basis_of(problem(text)).stated.behind)


@pytest.mark.parametrize(
    "text",
    ["Missing values (NaN) never occur in x.", "Padding (NaN, inf) is not passed.", "Padding is never NaN (see below) and x is small."],
)
def test_what_is_denied_after_brackets_is_denied(problem, text):
    stated = basis_of(problem(text)).stated
    assert not any(math.isnan(value) for value in (*stated.behind, *stated.specials))


def test_a_part_of_an_input_is_not_its_shape(problem):
    made = problem("x, y: [B, n], n >= 1. x[:, 0] and y[:, n-1] lie outside.", inputs="x, y", drawn="torch.randn(6, 8), torch.randn(6, 8)")
    basis = basis_of(made)
    assert basis.stated.named_axes(basis.given) == {"B": [(0, 0), (1, 0)], "n": [(0, 1), (1, 1)]}


@pytest.mark.parametrize(
    "text",
    [
        "x: [rows, n], pos: [rows]. Row pos[r] of x is r.", "y[r, i] = x[r, i] + pos[r]. x: [rows, n], pos: [rows].",
        "x (Tensor): [rows, n], pos (optional): [rows].",
    ],
)  # fmt: skip
def test_an_element_is_not_a_shape(problem, text):
    made = problem(text, inputs="x, pos", drawn="torch.randn(6, 8), torch.arange(6)")
    basis = basis_of(made)
    assert basis.stated.named_axes(basis.given) == {"rows": [(0, 0), (1, 0)], "n": [(0, 1)]}


def test_a_shape_of_one_axis_as_a_tuple(problem):
    made = problem("x: (B, T), lengths: (B,).", inputs="x, lengths", drawn="torch.randn(6, 8), torch.tensor([8, 3, 2, 8, 1, 5])")
    basis = basis_of(made)
    assert basis.stated.named_axes(basis.given)["B"] == [(0, 0), (1, 0)]
    asked = asked_of_one(made, basis)
    assert [tuple(tensor.shape) for tensor in asked["axis B: 1 instead of 6"].arguments] == [(1, 8), (1,)]
    assert asked.keys() == {"axis B: 1 instead of 6"}  # lengths are no longer than T


def asked_of_one(problem, basis):
    target = problem.make((8,))

    def accepts(setting):
        try:
            target(*setting.arguments)
        except RuntimeError:
            return False
        return True

    found = single_axis_questions(basis.given, basis.stated.named_axes(basis.given), basis.promises, accepts)
    return {question.label: question.setting for question in found}


@pytest.mark.parametrize(
    "result", ["x * torch.linspace(0, 1, 8)", "torch.cat([x[:, :4], x[:, 4:] + x[:, :4]], 1)", "x[:, ::2] * x[:, 1::2]"]
)
def test_an_axis_that_a_reference_takes_in_one_length_or_in_pairs_is_not_cut(problem, result):
    made = problem("x: (B, T).", result=result)
    assert asked_of_one(made, basis_of(made)).keys() == {"axis B: 1 instead of 6"}


def test_an_axis_that_may_be_another_without_a_name_is_not_cut(problem):
    made = problem("x: (B, T).", inputs="x, y", drawn="torch.randn(6, 8), torch.randn(6, 3)", result="x + y.sum(1, keepdim=True)")
    basis = basis_of(made)
    assert asked_of_one(made, basis).keys() == {"axis T: 1 instead of 8"}


def test_a_dense_last_axis(problem):
    text = "The last dim is dense; the leading dims may have any strides."
    assert basis_of(problem(text)).stated.rows_apart and not basis_of(problem("The leading dims may have any strides.")).stated.rows_apart


def left_out(problem, basis):
    found = optional_questions(basis.given, lambda: basis.other_draw(1), problem.make((8,)), basis.stated.may_be_left_out)
    return list(found)


@pytest.mark.parametrize(
    ("text", "promised"),
    [("h0: [B], or None for zeros.", True), ("h0 is the state.", False), ("h0 is the state; size is optional.", False)],
)
def test_an_argument_that_may_be_left_out_is_left_out_twice(problem, text, promised):
    made = problem(text, inputs="x, h0=None", drawn="torch.randn(6, 8), torch.randn(6, 8)", result="x if h0 is None else x + h0")
    found = left_out(made, basis_of(made))
    assert [question.label for question in found] == ["h0 left out on another draw", "h0 left out"]
    assert all(question.setting.arguments[1] is None and question.promised is promised and not question.exotic for question in found)
    assert not torch.equal(found[0].setting.arguments[0], found[1].setting.arguments[0])


def test_of_several_arguments_that_no_text_names_some_may_belong_together(problem):
    made = problem(inputs="x, k=None, v=None", drawn="torch.randn(6, 8), torch.randn(6, 8), torch.randn(6, 8)", result="x + k + v")
    assert {question.exotic for question in left_out(made, basis_of(made))} == {True}


@pytest.mark.parametrize("inputs", ["x, y", "x, *y", "x, y, *, mask=None"])
def test_nothing_is_left_out_where_nothing_may_be(problem, inputs):
    made = problem(inputs=inputs, drawn="torch.randn(6, 8), torch.randn(6, 8)")
    assert not left_out(made, basis_of(made))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("If the norm is not finite the step is skipped.", True), ("Non-finite rows give 0.", True), ("All numbers are finite.", False),
        ("Inputs are never non-finite.", False), ("", False), ("If the gradients are not all finite the step is skipped.", True),
        ("What becomes of non-finite inputs is undefined.", False), ("Non-finite inputs are out of scope.", False),
        ("The result is not finite where a sum overflows.", False),
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
    given = Setting((torch.randn(3, 4).bfloat16() * 1e6, torch.randn(3, 4), torch.randn(5), torch.randn(3, 4).half()))
    (question,) = alike_questions(given, Promises([given]), {})
    first, second, other, short = question.setting.arguments
    assert torch.equal(short, given.arguments[3])  # which can't hold the first
    assert first.dtype is torch.bfloat16 and second.dtype is torch.float32 and torch.equal(first.float(), second)
    assert torch.equal(other, given.arguments[2])


def test_a_tiny_number_of_the_constructor_is_also_asked_where_it_counts(problem):
    made = problem(
        arguments=", eps=1e-6, slope=0.1, tol=1e-6", constructor="self.eps, self.slope = eps, slope", result="x * self.slope + self.eps"
    )
    labels = {question.label for question in constructor_questions(made, basis_of(made).given)}
    assert f"eps={COUNTING} instead of 1e-06" in labels and f"slope={COUNTING} instead of 0.1" not in labels
    assert f"tol={COUNTING} instead of 1e-06" not in labels


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
