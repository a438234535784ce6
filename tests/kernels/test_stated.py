"""What a problem's text says of its inputs is read where it is plain, holds of the given inputs, and names what is known."""

import math
import textwrap

import pytest
import torch

from halfulp.kernels import read_problem
from halfulp.kernels.judging import judge_here
from halfulp.kernels.problems.calls import Setting
from halfulp.kernels.problems.problem import argument_names
from halfulp.kernels.promises.promises import Promises
from halfulp.kernels.promises.sentences import prose_of
from halfulp.kernels.promises.stated import Stated
from halfulp.kernels.questions.sizes import size_questions
from halfulp.kernels.questions.texts import text_questions

PROBLEM = '''
import torch
import torch.nn as nn

class Model(nn.Module):
    """{says}"""
    def __init__(self, dim, group):
        super().__init__()
        self.dim, self.group = dim, group
    def forward(self, x, v):
        return x.cumsum(-1) * self.dim / self.group + v

N = 6
DIM = 8
GROUP = 4
def get_inputs():
    return [torch.rand(3, N) * 2 - 1, torch.rand(N)]
def get_init_inputs():
    return [DIM, GROUP]
'''


def stated(tmp_path, says):
    (tmp_path / "problem.py").write_text(PROBLEM.format(says=says), encoding="utf-8")
    problem = read_problem(tmp_path / "problem.py")
    draws = [problem.draw(seed, {}) for seed in (0, 1, 2)]
    return Stated(problem, draws), draws[0]


def allowed(found, *, n=6, init=(8, 4), scale=1.0, v=None, sizes=None):
    x = torch.rand(3, n) * scale
    return found.allows(Setting((x, torch.rand(n) if v is None else v), init), sizes or {})


@pytest.mark.parametrize(
    ("says", "breaks"),
    [
        ("x: (B, N) with values, N >= 3", {"n": 2}),
        ("x: float32 (batch, length), v: (length,); any length, batch >= 2.", {"n": 1}),
        ("Any sizes; N ≥ 3.", {"sizes": {"N": 2}}),
        ("0 < group <= dim / 2", {"init": (8, 5)}),
        ("1 <= group <= 2 * (dim / 4)", {"init": (8, 5)}),
        ("group int, 1 <= group <= min(dim, 4)", {"init": (8, 5)}),
        ("dim even", {"init": (9, 3)}),
        ("dim is a multiple of group, group an even number.", {"init": (9, 3)}),
        ("dim is an even whole number", {"init": (9, 3)}),
        ("v is a non-negative vector", {"v": torch.tensor([0.5, 0.5, 0.5, 0.5, 0.5, -0.5])}),
        ("The dim must be a multiple of 4.", {"init": (10, 4)}),
        ("Any number of groups, group that divides dim.", {"init": (8, 3)}),
        ("dim is a multiple of group", {"init": (8, 5)}),
        ("group is a power of two", {"init": (9, 3)}),
        ("dim is at most 16", {"init": (17, 4)}),
        ("2 to 16 dim", {"init": (17, 4)}),
        ("v >= 0", {"v": torch.tensor([0.5, 0.5, 0.5, 0.5, 0.5, -0.5])}),
        ("|x| * group <= 4", {"scale": 50.0}),
        ("x, finite, magnitude up to 1e4", {"scale": 1e6}),
        ("Finite inputs: all are finite.", {"v": torch.full((6,), torch.nan)}),
        ("x: (B, N) in [-1, 1]", {"scale": 50.0}),
        ("x: (B, N), all of it within [-1, 1]", {"scale": 50.0}),
        ("x: (B, N), the scores, up to a few hundred in magnitude", {"scale": 1e4}),
        ("Input:\n        - x: (B, N) of at most 100 in absolute value\n        - v: (N,)", {"scale": 1e3}),
        ("Values are up to a thousand in magnitude.", {"v": torch.full((6,), 2e3)}),
        ("x has magnitude up to 1e4, v magnitude up to 10", {"v": torch.full((6,), 100.0)}),
        ("Args:\n        dim (int): width of all, even.\n        group (int): of the groups", {"init": (9, 3)}),
        ("Input:\n        - dim: a multiple of 4; of the width", {"init": (10, 4)}),
    ],
)
def test_what_is_said_is_kept(tmp_path, says, breaks):
    found, given = stated(tmp_path, says)
    assert found.words
    assert found.allows(given, {}) and allowed(found)
    assert not allowed(found, **breaks), found.words


@pytest.mark.parametrize(
    "says",
    [
        "group <= dim * ((9))",  # more than was read
        "N >= 30",  # it does not hold of the given inputs
        "keys j <= i + S - T are seen",  # nobody knows these names
        "Where v >= 0 the result is x, else v.",  # a case, and no promise
        "x -> y; x (B, N) -> (B, N); y = x if v > 0 else 0",
        "Every row has at least one finite number; -inf masks.",
        "x is usually in [-9, 9], but outliers are allowed; N is typically even.",
        "Most of the time D >= 2, v is normally positive; in practice N is a multiple of 6.",
        "x: (B, N), any strides, and the scores below stay within [-9, 9]",  # other numbers
        "In these tests N <= 6, e.g. D == 4; usually of magnitude up to 1e4.",
        "Words that are Python's: N divides in, a multiple of |x|, dim is at most 007, in >= 3, is even is odd.",
        "",
    ],
)
def test_what_is_no_promise_is_none(tmp_path, says):
    found, _ = stated(tmp_path, says)
    assert found.words == ()
    assert allowed(found, scale=1e30, v=torch.full((6,), -torch.inf))


def test_what_a_text_makes_worth_asking(tmp_path):
    found, _ = stated(tmp_path, "Of several equal largest values the first one counts; a NaN counts as larger than any number.")
    assert found.ties and not found.specials, "of two inputs that might be meant, none is"
    found, _ = stated(tmp_path, "The xs are numbers or -inf, v positive. Contiguous inputs, float32 or float64. Inference only.")
    assert found.specials == {-math.inf: (0,)} and found.contiguous and found.inference
    assert allowed(found) and not allowed(found, v=torch.zeros(6))
    assert found.kinds == (torch.float64,)
    found, _ = stated(tmp_path, "Rounds to nearest, ties to even; no NaN, non-contiguous inputs too. A bag may be empty.")
    assert found.rounds and found.empties and not found.ties and not found.specials and not found.contiguous


def test_inputs_whose_rows_alone_may_lie_apart(tmp_path):
    for says in (
        "x: the first columns of a wider matrix, so that the stride of rows may be more than its width",
        "x has a row stride of its own",
        "the last axis is contiguous",
    ):
        assert stated(tmp_path, says)[0].rows_apart, says
    assert not stated(tmp_path, "x may have any strides")[0].rows_apart


def test_rows_of_a_table_may_begin_with_a_shape(tmp_path):
    found, _ = stated(tmp_path, "Inputs:\n    x    [B, N], N >= 1. x may have any strides.\n    v    [N], contiguous\n")
    assert found.strided == (0,)


@pytest.mark.parametrize(
    "value", ["data", "[t.double() for t in data]", "(t.float() for t in data)", "map(torch.Tensor.double, data)", "tuple(t for t in data)"]
)
def test_parts_that_are_converted_as_they_are_unpacked_have_names(value):
    assert argument_names(f"def ref_kernel(data):\n    x, w = {value}\n    return x @ w") == ["x", "w"]


def test_two_results_of_a_function_are_not_the_parts_of_its_argument():
    assert argument_names("def ref_kernel(data):\n    values, places = torch.sort(data)\n    return values") == ["data"]


def test_what_a_text_denies_is_not_asked(tmp_path):
    for says in ("No row is empty.", "Bags must not be empty.", "Segments aren't empty.", "Non-empty rows, contiguous."):
        assert not stated(tmp_path, says)[0].empties, says
    assert stated(tmp_path, "Not sorted, and a bag may be empty.")[0].empties
    for says in (
        "Inputs need not be contiguous.",
        "x may be non-contiguous.",
        "Inputs are not always contiguous.",
        "Whether contiguous or not.",
        "x is either contiguous or a view of a (batch, seq, heads, dim) projection.",
        "contiguous or transposed",
    ):
        assert not stated(tmp_path, says)[0].contiguous, says


@pytest.mark.parametrize(
    "says",
    [
        "The largest of each row. Indices among equal values are unspecified, but distinct and valid.",
        "Ties are broken in any order; the lowest index is not guaranteed.",
        "Which of equal scores comes first does not matter.",
        "Scores have no ties.",
        "The order of tied keys is implementation-defined.",
    ],
)
def test_a_text_that_leaves_ties_open_asks_nothing_of_them(tmp_path, says):
    assert not stated(tmp_path, says)[0].ties


def test_the_magnitude_of_one_input_says_nothing_of_another(tmp_path):
    found, _ = stated(tmp_path, "x: (B, N), the scores, up to a few hundred in magnitude")
    assert allowed(found, v=torch.full((6,), 1e6)) and allowed(found, scale=900.0)


@pytest.mark.parametrize(
    "part",
    [
        "up to 3 in ",
        "a few hundred in ",
        "a, ",
        "a + ",
        "x ",
        "f(a, b) ",
        "1 <= ",
        "a and ",
        "is even ",
        "|x| * ",
        "x: (a, b), ",
        "N >= 3 ",
    ],
)
def test_a_text_without_an_end_is_not_read(tmp_path, part):
    found, _ = stated(tmp_path, part * 5000)
    assert found.words == ()


def test_prose_is_docstrings_and_comments():
    text = '# N is even,\n# and D >= 2\nx = 1\n\ndef f():\n    """What it is."""\n    return "N >= 9"  # done\n'
    assert prose_of(text) == "What it is. N is even, and D >= 2. done"


SUMMED = "@ torch.ones(x.shape[1], x.shape[1]).triu()"
"""Running sums as a product."""


def test_a_format_that_is_named_is_asked(tmp_path):
    (tmp_path / "problem.py").write_text(PROBLEM.format(says="Inputs in float32 or float64."), encoding="utf-8")
    body = PROBLEM.format(says="").partition("N = 6")[0].replace("class Model", "class ModelNew")
    (tmp_path / "solution.py").write_text(
        body.replace("x.cumsum(-1) * self.dim / self.group + v", f"(x.float() {SUMMED} * self.dim / self.group + v).to(x.dtype)"),
        encoding="utf-8",
    )
    found = judge_here(tmp_path, tmp_path / "solution.py", budget_s=60.0)
    assert found.answer in ("REDUCED_PRECISION", "UNSTABLE") and found.label == "the inputs in float64", found.because


def test_a_size_that_the_text_excludes_is_not_asked(tmp_path):
    body = PROBLEM.format(says="").partition("N = 6")[0].replace("class Model", "class ModelNew")
    wrong_at_one = body.replace("x.cumsum(-1)", f"x {SUMMED}").replace(
        "return x", "if x.shape[1] == 1:\n            return x * 0\n        return x"
    )
    (tmp_path / "solution.py").write_text(wrong_at_one, encoding="utf-8")
    for says, answer in (("x: (B, N), N >= 2", "RIGHT"), ("x: (B, N)", "MISTAKE")):
        (tmp_path / "problem.py").write_text(PROBLEM.format(says=says), encoding="utf-8")
        found = judge_here(tmp_path, tmp_path / "solution.py", budget_s=60.0)
        assert found.answer == answer, (found.label, found.because)
    assert "length" in found.label or "N: 1" in found.label


TIES = textwrap.dedent('''
    import torch
    import torch.nn as nn

    class Model(nn.Module):
        """Symmetric 8-bit rounding of rows: rounds to nearest, ties to even."""
        def forward(self, x):
            scale = x.abs().amax(-1, keepdim=True).clamp_min(1e-8) / 127
            return torch.round(x / scale) * scale

    def get_inputs():
        return [torch.randn(12, 40)]
    def get_init_inputs():
        return []
''')


def test_ties_that_are_rounded_the_other_way_are_a_mistake(tmp_path):
    (tmp_path / "problem.py").write_text(TIES, encoding="utf-8")
    body = TIES.replace("class Model", "class ModelNew")
    for other, answer in (
        ("torch.sign(x) * torch.floor(x.abs() / scale + 0.5) * scale", "MISTAKE"),
        ("torch.round(x * (1 / scale)) * scale", "RIGHT"),
    ):
        (tmp_path / "solution.py").write_text(body.replace("torch.round(x / scale) * scale", other), encoding="utf-8")
        found = judge_here(tmp_path, tmp_path / "solution.py", budget_s=60.0)
        assert found.answer == answer, (found.label, found.because)


HALVES = '''
import torch
import torch.nn as nn

class Model(nn.Module):
    """y = x @ w in float16. {says}"""
    def forward(self, x, w):
        return (x.float() @ w.float()).half()

def get_inputs():
    return [(torch.randn(16, 128) * 0.5).half(), (torch.randn(128, 24) * 0.5).half()]
def get_init_inputs():
    return []
'''


@pytest.mark.slow
def test_where_float32_is_asked_for_results_are_rounded_once(tmp_path):
    for body, says, answer in (
        ("sum((x[:, at : at + 32].float() @ w[at : at + 32].float()).half() for at in range(0, x.shape[1], 32))", "Sums are carried in float32.", "REDUCED_PRECISION"),
        ("sum(x[:, at : at + 32].float() @ w[at : at + 32].float() for at in range(0, x.shape[1], 32)).half()", "Sums are carried in float32.", "RIGHT"),
        ("sum((x[:, at : at + 32].float() @ w[at : at + 32].float()).half() for at in range(0, x.shape[1], 32))", "", "RIGHT"),
    ):  # fmt: skip
        (tmp_path / "problem.py").write_text(HALVES.format(says=says), encoding="utf-8")
        solution = HALVES.replace("class Model", "class ModelNew").replace("(x.float() @ w.float()).half()", body)
        (tmp_path / "solution.py").write_text(solution, encoding="utf-8")
        found = judge_here(tmp_path, tmp_path / "solution.py", budget_s=10.0)
        assert found.answer == answer, (says, found.label, found.because)


ROUTER = {
    "reference.py": """
import torch
def generate_input(t, e, k, seed):
    g = torch.Generator().manual_seed(seed)
    return torch.randn(t, e, generator=g), k
def ref_kernel(data):
    logits, k = data
    order = torch.sort(logits, dim=-1, descending=True, stable=True).indices[:, :k]
    return torch.softmax(logits.gather(1, order), dim=-1), order
""",
    "task.yml": """
description: |
  The k largest logits of each row, largest first. Equal logits: the lower index comes first.
tests:
  - {"t": 12, "e": 16, "k": 2, "seed": 21}
""",
}
BY_LOGSUMEXP = "v = logits.gather(1, i); return torch.exp(v - torch.logsumexp(v, 1, keepdim=True)), i"
STABLE, TOPK = "i = torch.argsort(-logits, dim=1, stable=True)[:, :k]; ", "i = torch.topk(logits, k, dim=1).indices; "


def test_what_is_said_of_one_of_several_arguments_is_said_of_that_one(tmp_path):
    for name, text in ROUTER.items():
        (tmp_path / name).write_text(text.replace("Equal logits", "A masked expert has logit -inf. Equal logits"), encoding="utf-8")
    problem = read_problem(tmp_path)
    assert Stated(problem, [problem.draw(seed, {}) for seed in (0, 1, 2)]).specials == {-math.inf: (0,)}
    two = ROUTER["reference.py"].replace(
        "return torch.randn(t, e, generator=g), k", "return k, torch.rand(e), torch.randn(t, e, generator=g)"
    )
    two = two.replace("logits, k = data", "k, bias, logits = data")
    (tmp_path / "reference.py").write_text(two, encoding="utf-8")
    problem = read_problem(tmp_path)
    assert Stated(problem, [problem.draw(seed, {}) for seed in (0, 1, 2)]).specials == {-math.inf: (1,)}


def test_a_description_says_which_of_equal_numbers_comes_first(tmp_path):
    for name, text in ROUTER.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for chosen, answer in ((STABLE, "RIGHT"), (TOPK, "MISTAKE")):
        text = f"import torch\ndef custom_kernel(data):\n    logits, k = data\n    {chosen}{BY_LOGSUMEXP}\n"
        (tmp_path / "solution.py").write_text(text, encoding="utf-8")
        found = judge_here(tmp_path, tmp_path / "solution.py", budget_s=60.0)
        assert found.answer == answer, (found.label, found.because)


POOLED = '''
import torch
import torch.nn as nn
import torch.nn.functional as F

class Model(nn.Module):
    """The largest of each bag. {says}"""
    def forward(self, scores, ends):
        return torch.stack([scores[a:b].amax() if b > a else scores.new_zeros(()) for a, b in zip(ends[:-1], ends[1:])])

def get_inputs():
    sizes = torch.randint(1, 6, (9,))
    ends = F.pad(sizes.cumsum(0), (1, 0))
    return [torch.randn(int(ends[-1])), ends]
def get_init_inputs():
    return []
'''


def asked(tmp_path, says):
    (tmp_path / "problem.py").write_text(POOLED.format(says=says), encoding="utf-8")
    problem = read_problem(tmp_path / "problem.py")
    draws = [problem.draw(seed, {}) for seed in (0, 1, 2)]
    found = text_questions(draws[0], Promises(draws), Stated(problem, draws))
    return {question.label: question.setting.arguments for question in found}


def test_what_the_text_names_is_made(tmp_path):
    assert not asked(tmp_path, "")
    found = asked(tmp_path, "A bag may be empty; scores are numbers, NaN or -inf. Rounds to nearest, ties to even.")
    assert bool(found["nan here and there in input 0"][0].isnan().any())
    assert bool(found["-inf here and there in input 0"][0].isneginf().any())
    left = found["all but 3 numbers of each row of input 0 -inf"][0]
    assert int(torch.isfinite(left).sum()) == 3
    halves = found["numbers half-way between whole ones, the largest 7"][0]
    assert float(halves.abs().max()) == 7 and bool(((halves % 1 == 0.5) | (halves.abs() == 7)).all())


def test_pieces_that_may_be_empty_are_asked(tmp_path):
    (tmp_path / "problem.py").write_text(POOLED.format(says="A bag may be empty: then it gives 0."), encoding="utf-8")
    solution = POOLED.format(says="").replace("class Model", "class ModelNew")
    for body, answer in (
        ("scores[a:b].sort().values[-1] if b > a else scores.new_zeros(())", True),
        ("scores[a : max(int(b), int(a) + 1)].sort().values[-1]", False),
    ):
        text = solution.replace("scores[a:b].amax() if b > a else scores.new_zeros(())", body)
        (tmp_path / "solution.py").write_text(text, encoding="utf-8")
        found = judge_here(tmp_path, tmp_path / "solution.py", budget_s=20.0)
        assert found.acceptable is answer, (found.label, found.because)


SLOW = """
import time
import torch
import torch.nn as nn

class {name}(nn.Module):
    def forward(self, x):
        {wait}
        return {result}

ROWS, COLUMNS = 64, 96
def get_inputs():
    return [torch.randn(ROWS, COLUMNS)]
def get_init_inputs():
    return []
"""


@pytest.mark.slow
def test_a_slow_solution_is_asked_smaller_sizes(tmp_path):
    (tmp_path / "problem.py").write_text(SLOW.format(name="Model", wait="pass", result="x.sum(-1)"), encoding="utf-8")
    for result, answer in (("x.double().cumsum(-1)[:, -1].float()", True), ("x[:, :96].sum(-1) * 1.0", False)):
        solution = SLOW.format(name="ModelNew", wait="time.sleep(x.numel() * 5e-5)", result=result)
        (tmp_path / "solution.py").write_text(solution, encoding="utf-8")
        found = judge_here(tmp_path, tmp_path / "solution.py", budget_s=12.0)
        assert found.acceptable is answer, (found.label, found.because)
        assert any(entry.label.startswith("smaller: ") for entry in found.asked)


@pytest.mark.parametrize(
    "says",
    [
        "x holds scores of beams. Those of a finished beam are irrelevant (they may even be NaN).",
        "Slots of x without a token are uninitialized memory and may hold any bits, NaN among them.",
        "Rows of x past the count are never read and may be NaN.",
        "Rows of x that no index names are unused: NaN may be there.",
        "Rows of x that are masked have no effect, even where they are NaN.",
    ],
)
def test_nan_in_what_has_no_effect_is_not_nan_among_the_inputs(tmp_path, says):
    found, _ = stated(tmp_path, f"{says} x: float32 (B, N).")
    assert not any(math.isnan(value) for value in found.specials)
    assert any(math.isnan(value) for value in found.behind)


LISTED = """
    Input: `data = (x, v)`
      - `x`: float32 (B, N), scores; -inf marks what is masked
      - `v`: float32 (N,), NaN marks a day without a number

    A row with no entries gives 0. If no entry is valid, the result is 0. Any float32: overflow gives inf.
    The result is the first column on which the largest one lies. pos [B, 3].
"""


def test_points_of_a_list_are_about_the_name_that_they_begin_with(tmp_path):
    found, _ = stated(tmp_path, LISTED)
    assert found.specials[-math.inf] == (0,) and found.specials[math.nan] == (1,)
    assert found.empties and found.nothing and found.ties and found.overflows


@pytest.mark.parametrize(
    ("says", "infinite"),
    [
        ("A piece without rows has log-sum-exp -inf", True),
        ("The logarithm of an empty sum is minus infinity", True),
        ("lse = -inf for a row that is masked as a whole", True),
        ("The result is never -inf", False),
        ("x holds logits; -inf marks what is masked", False),
        ("All results are finite", False),
    ],
)
def test_what_may_be_infinite(tmp_path, says, infinite):
    assert stated(tmp_path, says)[0].poles is infinite


def test_what_is_said_of_numbers_is_not_said_of_nan(tmp_path):
    found, _ = stated(tmp_path, "v >= 0, v is non-negative; NaN marks a gap in v")
    assert allowed(found, v=torch.tensor([0.5, torch.nan, 0.5, 0.5, 0.5, 0.5]))
    assert not allowed(found, v=torch.tensor([0.5, torch.nan, 0.5, 0.5, 0.5, -0.5]))


def test_an_axis_whose_length_is_a_number_stays_so(tmp_path):
    found, draw = stated(tmp_path, "x [3, N] and v: (N,)")
    assert found.fixed_axes(draw) == {(0, 0)}
    labels = [
        question.label for question in size_questions(read_problem(tmp_path / "problem.py"), draw, Promises([draw]), 0, fixed={(0, 0)})
    ]
    assert not any("axes of length 3" in label for label in labels)


SEGMENTS = '''
import torch
def generate_input(n: int, seed: int):
    g = torch.Generator().manual_seed(seed)
    return torch.rand(n, 4, generator=g), torch.randint(0, 3, (n,), generator=g), torch.tensor([-1.0, 1.0])
def ref_kernel(data):
    """Sums and maxima.

    data = (values, ids, edges)
      values  float32 [N, D], {values}
      ids     int64 [N], in any order
      edges   float32 [K + 1], {edges}
    Returns (sum, max). A segment without rows has sum 0 and maximum -inf.
    """
    values, ids, edges = data
    return values.sum(0) + edges.sum()
'''


def segments(tmp_path, values="finite, of any sign", edges="finite", only=False):
    text = SEGMENTS.format(values=values, edges=edges)
    if only:
        text = (
            text.replace(f"      edges   float32 [K + 1], {edges}\n", "")
            .replace(", torch.tensor([-1.0, 1.0])", "")
            .replace("values, ids, edges", "values, ids")
            .replace(" + edges.sum()", "")
        )
    (tmp_path / "reference.py").write_text(text, encoding="utf-8")
    (tmp_path / "task.yml").write_text("tests:\n  - {n: 30, seed: 1}\n", encoding="utf-8")
    problem = read_problem(tmp_path)
    draws = [problem.draw(seed, {}) for seed in (0, 1, 2)]
    return Stated(problem, draws), draws


@pytest.mark.parametrize(
    ("values", "places"),
    [
        ("finite, of any sign", {}),
        ("finite or -inf", {-math.inf: (0,)}),
        ("of any sign", {-math.inf: (0,)}),
        ("of which at least one is finite", {-math.inf: (0,)}),
        ("usually finite", {-math.inf: (0,)}),
        ("of any sign; the gradient of values is needed when all of them are finite", {-math.inf: (0,)}),
    ],
)
def test_what_results_may_be_is_not_what_inputs_said_to_be_finite_may_be(tmp_path, values, places):
    assert segments(tmp_path, values, only=True)[0].specials == places


@pytest.mark.parametrize(
    ("edges", "ascending"),
    [
        ("strictly increasing", {2: True}),
        ("non-decreasing", {2: False}),
        ("sorted", {2: False}),
        ("sorted, not necessarily distinct", {2: False}),
        ("sorted, descending", {}),
        ("finite", {}),
    ],
)
def test_what_a_text_calls_sorted_stays_so_however_short(tmp_path, edges, ascending):
    found, draws = segments(tmp_path, edges=edges)
    assert found.ascending == ascending
    promises = Promises(draws)
    promises.stay_sorted(found.ascending)
    values, ids, own = draws[0].arguments[0]
    for edge in (torch.tensor([2.0, -3.0]), torch.tensor([1.0, 1.0])):
        (_, _, kept), *_ = promises.kept(((values, ids, edge),))
        expected = edge.sort().values if ascending and (edge[0] != edge[1] or not ascending[2]) else own if ascending else edge
        assert torch.equal(kept, expected)


HISTOGRAM = '''
import torch
def generate_input(n: int, seed: int):
    return torch.randn(n, generator=torch.Generator().manual_seed(seed)), torch.linspace(-2.0, 2.0, 6)
def ref_kernel(data):
    """How many numbers lie in each bin.

    data = (x, edges): float32 [N] and float32 [K + 1], increasing. {says}
    """
    x, edges = data
    places = torch.searchsorted(edges, x, right=True) - 1
    places = torch.where(x == edges[-1], len(edges) - 2, places)
    return torch.bincount(places[(places >= 0) & (x <= edges[-1])], minlength=len(edges) - 1)
'''
COUNTED = """
import torch
def custom_kernel(data):
    x, edges = data
    inside = (x[:, None] >= edges[:-1]) & (x[:, None] < edges[1:])
    {also}
    return inside.sum(0)
"""


@pytest.mark.parametrize(
    ("also", "answer"),
    [("inside[:, -1] |= x == edges[-1]", "RIGHT"), ("pass", "MISTAKE")],
    ids=["the last edge too", "without the last edge"],
)
def test_numbers_equal_to_those_that_the_text_compares_them_with_are_asked(tmp_path, also, answer):
    says = "Bin j counts edges[j] <= x < edges[j + 1]; the last one x == edges[K] as well."
    (tmp_path / "reference.py").write_text(HISTOGRAM.format(says=says), encoding="utf-8")
    (tmp_path / "task.yml").write_text("tests:\n  - {n: 200, seed: 1}\n", encoding="utf-8")
    (tmp_path / "solution.py").write_text(COUNTED.format(also=also), encoding="utf-8")
    found = judge_here(tmp_path, tmp_path / "solution.py", budget_s=20.0)
    assert found.answer == answer, found


def test_numbers_that_are_not_compared_are_not_made_equal(tmp_path):
    (tmp_path / "reference.py").write_text(HISTOGRAM.format(says=""), encoding="utf-8")
    (tmp_path / "task.yml").write_text("tests:\n  - {n: 200, seed: 1}\n", encoding="utf-8")
    problem = read_problem(tmp_path)
    draws = [problem.draw(seed, {}) for seed in (0, 1, 2)]
    assert not Stated(problem, draws).compared(draws[0])


@pytest.mark.parametrize(
    ("says", "answer"),
    [
        ("added in float32 and NOT rounded before it is normalized", True),
        ("without intermediate rounding", True),
        ("rounded to bfloat16", False),
        ("positions are floored, not rounded", False),
        ("powers of two, so no rounding", False),
    ],
)
def test_what_is_not_rounded_on_the_way_is_rounded_once(tmp_path, says, answer):
    assert stated(tmp_path, says)[0].float32 is answer


def test_a_limit_that_the_text_sets_is_not_reached_by_numbers_of_another_input(tmp_path):
    """Bins are open at both ends, and the edges may be infinite."""
    (tmp_path / "reference.py").write_text(HISTOGRAM.format(says="edges[0] < x < edges[K]."), encoding="utf-8")
    (tmp_path / "task.yml").write_text("tests:\n  - {n: 9, seed: 1}\n", encoding="utf-8")
    problem = read_problem(tmp_path)
    draws = [problem.draw(seed, {}) for seed in (0, 1, 2)]
    x, edges = torch.linspace(-1.9, 1.9, 9)[torch.arange(9) * 4 % 9], torch.tensor([-math.inf, -2.0, 0.3, 0.3, 2.0, math.inf])
    given = Setting(((x, edges),))
    asked = {question.label: question.setting for question in text_questions(given, Promises([given]), Stated(problem, draws))}
    changed, same = asked["numbers of input 1 in input 0"].arguments[0]
    assert torch.equal(same, edges) and (changed != x).sum() == 1 and (changed == edges[2]).sum() == 1


def test_axes_that_another_test_makes_unlike_are_not_tied(tmp_path):
    text = """
import torch
def generate_input(b: int, shared: bool, seed: int):
    g = torch.Generator().manual_seed(seed)
    return torch.randn(b, 4, generator=g), torch.randn(1 if shared else b, 4, generator=g)
def ref_kernel(data):
    \'\'\'x [B, N], bias [B, N]\'\'\'
    x, bias = data
    return x + bias
""".replace("\\'", "'")
    (tmp_path / "reference.py").write_text(text, encoding="utf-8")
    for tests, allowed_then in (
        ("[{b: 3, shared: false, seed: 1}, {b: 3, shared: true, seed: 2}]", True),
        ("[{b: 3, shared: false, seed: 1}]", False),
    ):
        (tmp_path / "task.yml").write_text(f"tests: {tests}", encoding="utf-8")
        problem = read_problem(tmp_path)
        draws = [problem.draw(seed, {}) for seed in (0, 1, 2)]
        assert Stated(problem, draws).allows(Setting(((torch.ones(3, 4), torch.ones(1, 4)),)), {}) is allowed_then


def test_limits_that_are_products_may_be_beyond_64_bits(tmp_path):
    """A limit is looked for with numbers near 2^62; their product with another size can't be compared with a tensor as an integer."""
    found, draw = stated(tmp_path, "All numbers obey x < dim * group, and dim <= 1000.")
    assert found.limits_from_above("dim", draw) and not found.limits_from_above("group", draw)
