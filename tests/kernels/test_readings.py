"""What a problem's text says in the words of those who write problems, and what follows for the questions."""

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from halfulp.kernels import read_problem
from halfulp.kernels.problems.calls import Setting, leaves, remembered
from halfulp.kernels.promises.promises import Promises
from halfulp.kernels.promises.sentences import sentences_of
from halfulp.kernels.promises.stated import Stated
from halfulp.kernels.promises.statements import limits_in
from halfulp.kernels.promises.wording import GRADIENTS, INFERENCE
from halfulp.kernels.questions.arguments import number_questions
from halfulp.kernels.questions.question import Question
from halfulp.kernels.questions.sizes import size_questions
from halfulp.kernels.questions.texts import text_questions
from halfulp.kernels.questions.values import value_questions, whole_range_questions
from halfulp.kernels.responses import Responses

REFERENCE = """
import torch
def generate_input(rows: int, n: int, width: int, seed: int):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randint(0, 100, (rows, n), generator=generator).to(torch.int32)
    return torch.randn(rows, n, generator=generator), torch.rand(rows, n, generator=generator), x, width
def ref_kernel(data):
    y, scales, x, width = data
    return (x + width) * y * scales
"""


def stated(folder, says):
    (folder / "reference.py").write_text(REFERENCE)
    lines = "\n".join(f"  {line}" for line in says.splitlines())
    (folder / "task.yml").write_text(f"description: |\n{lines}\ntests:\n  - {{rows: 4, n: 20, width: 5, seed: 1}}\n")
    problem = read_problem(folder)
    draws = [problem.draw(seed, {}) for seed in (0, 1, 2)]
    return problem, draws, Stated(problem, draws)


@pytest.mark.parametrize(
    ("says", "open_axes"),
    [
        ("y: (..., n), scales alike", {0: 1}),
        ("y [..., n], scales alike", {0: 1}),
        ("y (rows, n); out[..., i] = y[..., i] * scales[..., i]", {}),
    ],
)
def test_a_part_of_an_input_says_nothing_of_its_axes(tmp_path, says, open_axes):
    _, draws, found = stated(tmp_path, says)
    assert found.open_axes(draws[0]) == open_axes


@pytest.mark.parametrize(
    "says",
    [
        "width  3, 5 or 8: how wide",
        "  width is 3, 5, or 8.",
        "width (int): one of {3, 5, 8}",
        "width in {3,5,8}",
        "width must be either 3, 5 or 8",
        "x  int32 [rows, n]\n  width  3, 5 or 8. y float32",
    ],
)
def test_which_numbers_one_may_be(tmp_path, says):
    problem, draws, found = stated(tmp_path, says)
    x, *others, _ = draws[0].arguments[0]
    allowed = {size for size in range(1, 12) if found.allows(replace(draws[0], arguments=((x, *others, size),)), {"width": size})}
    assert allowed == {3, 5, 8}, found.words
    assert not found.allows(replace(draws[0], arguments=((x, *others, 4),)), {}), "the size of that name is not what is passed"
    sizes = size_questions(problem, draws[0], Promises(draws), 0, limits=found.limits)
    assert {3, 8} <= {question.sizes["width"] for question in sizes if "width" in question.sizes}


@pytest.mark.parametrize(
    ("says", "name", "least", "most"),
    [
        ("width int, 1..32", "width", 1, 32),
        ("width: int, from 1 to 32", "width", 1, 32),
        ("n anything from 1 to 1,200", "n", 1, 1_200),
        ("rows may be anything from 1 to 64, n anything from 1 to 300", "n", 1, 300),
    ],
)
def test_from_where_to_where_a_number_goes(tmp_path, says, name, least, most):
    problem, draws, found = stated(tmp_path, says)
    assert limits_in(sentences_of(says))[name] == [least, most]
    for size, is_allowed in ((least, True), (most, True), (most + 1, False)):
        x, *others, width = draws[0].arguments[0]
        parts = (x, *others, size if name == "width" else width)
        assert found.allows(replace(draws[0], arguments=(parts,)), {name: size}) is is_allowed
    asked = {
        question.sizes[name]
        for question in size_questions(problem, draws[0], Promises(draws), 0, limits=found.limits)
        if name in question.sizes
    }
    assert {most, most - 1} <= asked


@pytest.mark.parametrize(
    ("says", "gradients", "inference"),
    [
        ("Inference only, no gradients.", False, True),
        ("No gradients are taken.", False, True),
        ("Gradients with respect to x, y and score are taken.", True, False),
        ("No gradient reaches the teacher.", False, False),
        ("The teacher is a constant: no gradient reaches it even if it requires one.", False, False),
        ("Gradients with respect to x are needed, no gradient reaches y.", True, False),
        ("It is differentiable; no gradients are asked where a coordinate is a whole number.", True, False),
    ],
)
def test_whether_gradients_belong_to_a_problem(tmp_path, says, gradients, inference):
    _, _, found = stated(tmp_path, says)
    assert (found.gradients, found.inference) == (gradients, inference), (GRADIENTS.findall(says), INFERENCE.findall(says))


def test_only_what_may_have_strides_gets_some(tmp_path):
    _, draws, found = stated(tmp_path, "y may have any strides (for example a transpose); the others are contiguous.")
    assert found.strided == (0,)
    layouts = [question for question in value_questions(draws[0], Promises(draws), found, 0) if question.kind == "layout"]
    given = leaves(draws[0].arguments)
    assert layouts
    for question in layouts:
        assert [place for place, tensor in enumerate(leaves(question.setting.arguments)) if tensor is not given[place]] == [0]
    _, _, both = stated(tmp_path, "y and scales may have any strides.")
    assert both.strided == (0, 1, 2)


@pytest.mark.parametrize(
    ("says", "strided"),
    [
        ("y  float32 [rows, n]; contiguous or a transposed view\nscales  float32 [rows, n], one for each\nx  int32 [rows, n]", (0,)),
        ("- y: (rows, n), any strides\n- scales: (rows, n)\n- x: (rows, n), any strides", (0, 2)),
        ("y  float32 [rows, n]\nscales  float32 [rows, n]\nx  int32 [rows, n]\n\nInputs may be non-contiguous.", (0, 1, 2)),
    ],
)
def test_where_each_input_has_a_line_what_one_says_of_strides_is_said_of_that_input(tmp_path, says, strided):
    _, _, found = stated(tmp_path, says)
    assert found.strided == strided


@pytest.mark.parametrize(
    "says",
    [
        "x  int32 [rows, n], any int32 values",
        "x is any int32.",
        "x int32, negative ones included",
        "x: int32 tensor (rows, n), any values whose sums fit in 32 bits.",
        "x: any value of its type",
    ],
)
def test_any_whole_number_is_asked_over_its_whole_range(tmp_path, says):
    _, draws, found = stated(tmp_path, says)
    assert found.any_whole == (2,)
    (asked,) = whole_range_questions(Question("sizes", "n: 3", draws[0]), found.any_whole)
    numbers = leaves(asked.setting.arguments)[2]
    assert numbers.dtype is torch.int32 and int(numbers.min()) < -(2**29) and int(numbers.max()) > 2**29


@pytest.mark.parametrize(
    ("says", "attribute", "value"),
    [
        ("At least one per row is finite.", "left", 1),
        ("Every row has at least 3 finite scores.", "left", 3),
        ("-inf marks what a row must not use; at least n of them are finite.", "left", 20),
        ("Every query has at least one valid key.", "left", 1),
        ("Both caches are updated IN PLACE at position n and returned.", "in_place", True),
        ("The cache may be updated in place.", "in_place", False),
        ("x is not modified in place.", "in_place", False),
        ("Rows have any length from 0 upwards.", "empties", True),
        ("Entries of y have magnitude in [1e-30, 1e30].", "magnitude_range", (1e-30, 1e30)),
        ("A sequence of length 0 gives zeros.", "empties", True),
        ("Zeros are common.", "signed", [0, 1]),
        ("Returns the first v with a sum above u (strictly).", "ties", True),
        ("y may also hold -inf or inf (no NaN).", "specials", {math.inf: (0,), -math.inf: (0,)}),
        ("y never holds -inf.", "specials", {}),
    ],
)
def test_single_words(tmp_path, says, attribute, value):
    _, _, found = stated(tmp_path, says)
    assert getattr(found, attribute) == value


@pytest.mark.parametrize(
    ("least", "asked"),
    [("", True), (" At least width of its numbers are finite.", True), (" At least n of its numbers are finite.", False)],
)
def test_a_mask_leaves_as_many_numbers_as_the_text_says(tmp_path, least, asked):
    _, draws, found = stated(tmp_path, f"y may hold -inf; a row of y that is -inf as a whole gives zeros.{least}")
    rows = [leaves(question.setting.arguments)[0] for question in text_questions(draws[0], Promises(draws), found)]
    left = [int(torch.isfinite(row).sum(-1).min()) for row in rows if torch.isinf(row).any()]
    assert bool(left) is asked
    assert all(count >= found.left for count in left)
    assert not least or not asked or found.left == 5


MODULE = """
import torch
import torch.nn as nn
class Model(nn.Module):
    '''Selects by x + bias (bias, a buffer, always holds multiples of 1/128). The first part channels (even, 2 <= part <= 16) turn.'''
    def __init__(self, part):
        super().__init__()
        self.part = part
        self.register_buffer("bias", torch.zeros(8))
    def forward(self, x):
        {keeps}
        return x + self.bias
def get_inputs():
    return [torch.randn(4, 8)]
def get_init_inputs():
    return [4]
"""


def test_what_is_said_of_a_buffer_and_of_an_argument_is_kept(tmp_path):
    (tmp_path / "problem.py").write_text(MODULE.format(keeps="pass"))
    problem = read_problem(tmp_path / "problem.py")
    given = replace(problem.draw(0, {}), state={"bias": torch.zeros(8)})
    found = Stated(problem, [given])
    moved = {"bias": torch.linspace(-1, 1, 8)}
    assert not found.allows(replace(given, state=moved), {})
    allowed = found.allowed(given, moved, {})
    assert allowed is not None and bool((allowed["bias"] * 4 % 1 == 0).all()) and bool(allowed["bias"].any())
    assert not found.allows(replace(given, init=(3,)), {}) and found.allows(replace(given, init=(6,)), {})


@pytest.mark.parametrize(("keeps", "names"), [("pass", set()), ("self.bias += 1", {"bias"}), ("self.bias = x[0].clone()", {"bias"})])
def test_what_a_module_keeps_from_call_to_call(tmp_path, keeps, names):
    (tmp_path / "problem.py").write_text(MODULE.format(keeps=keeps))
    problem = read_problem(tmp_path / "problem.py")
    given = problem.draw(0, {})
    assert remembered(problem.make(given.init), given) == names


def test_sizes_among_the_arguments_are_asked_smaller_and_as_large_as_an_axis():
    asked = {question.setting.arguments[1:] for question in number_questions(Setting((torch.ones(2, 3, 24, 20), 40, 30)))}
    assert {(41, 30), (10, 30), (1, 30), (24, 30), (20, 30), (40, 7), (20, 20)} <= asked


def test_a_number_that_breaks_what_belongs_together_is_not_asked():
    """The reference turns pairs; of one channel alone it loses that one, which no solution has to do."""

    def turned(setting):
        x, count = setting.arguments
        a, b = x[..., : count // 2], x[..., count // 2 : count]
        return torch.cat([a * 0.6 - b * 0.8, a * 0.8 + b * 0.6, x[..., count:]], -1)

    given = Setting((torch.randn(3, 20, 16), 8))
    basis, trials = SimpleNamespace(problem=None, given=given), SimpleNamespace(expected=turned)
    responses = Responses(basis, trials)
    kept = {question.setting.arguments[1]: responses.follows(question.setting) for question in number_questions(given)}
    assert kept[2] and kept[16] and not kept[1]


def test_numbers_on_a_grid_stay_on_that_of_the_draws():
    draws = [Setting((torch.randint(-9, 9, (8, 8), generator=torch.Generator().manual_seed(seed)) / 4,)) for seed in range(3)]
    promised = Promises(draws)
    finer = (draws[0].arguments[0] * (1 + 2.0**-6),)
    assert promised.hold(draws[1].arguments) and not promised.hold(finer)
    kept = promised.kept(finer)
    assert kept is None or promised.hold(kept)


@pytest.mark.parametrize(
    ("says", "decides"),
    [("x times y", False), ("y may be a transposed view", True), ("y is a view of a (n, rows) buffer", True), ("y has any strides", True)],
)
def test_other_layouts_decide_where_the_text_speaks_of_them(tmp_path, says, decides):
    """A function draws all inputs that a solution of GPU MODE ever gets, and they are contiguous."""
    _, draws, found = stated(tmp_path, says)
    asked = [question for question in value_questions(draws[0], Promises(draws), found, 0) if question.kind == "layout"]
    assert asked and all(question.exotic is not decides for question in asked)
