"""What is asked of problems with modes, whole numbers, tests of their own, and parameters under other names."""

import pytest
import torch

import halfulp
from halfulp.kernels import read_problem
from halfulp.kernels.judging import judge_here
from halfulp.kernels.problems.calls import Setting
from halfulp.kernels.promises.promises import Promises
from halfulp.kernels.promises.stated import Stated
from halfulp.kernels.questions.sizes import size_questions
from halfulp.kernels.questions.values import single_questions

BATCH_NORM = """
import torch
import torch.nn as nn
class Model(nn.Module):
    def __init__(self, channels, momentum=0.1, affine=True):
        super().__init__()
        self.norm = nn.BatchNorm1d(channels, momentum=momentum, affine=affine)
    def forward(self, x):
        return self.norm(x)
def get_inputs():
    return [torch.randn(12, 6)]
def get_init_inputs():
    return [6]
"""
OWN_NORM = """
import torch
import torch.nn as nn
class Inner(nn.BatchNorm1d):
    pass
class ModelNew(nn.Module):
    def __init__(self, channels, momentum=0.1, affine=True):
        super().__init__()
        self.{name} = Inner(channels, momentum=momentum, affine=affine)
    def forward(self, x):
        n = self.{name}
        if n.training:
            mean, var = x.mean(0), x.var(0, correction=0)
            with torch.no_grad():
                n.num_batches_tracked += 1
                n.running_mean += n.momentum * (mean - n.running_mean)
                {update}
        else:
            mean, var = n.running_mean, n.running_var
        y = (x - mean) / torch.sqrt(var + n.eps)
        return y * n.weight + n.bias if n.affine else y
"""
UPDATE = "n.running_var += n.momentum * (x.var(0) - n.running_var)"
GATHER = """
import torch
def ref_kernel(data):
    table, places, factor = data
    return table[places] * factor
def generate_input(size: int, seed: int):
    torch.manual_seed(seed)
    return torch.randn(40, size), torch.randint(0, 40, (17,)), 2
"""


@pytest.fixture
def problem(tmp_path):
    (tmp_path / "problem.py").write_text(BATCH_NORM)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "update", "answer", "kind"),
    [
        ("norm", UPDATE, "RIGHT", ""),
        ("other", UPDATE, "RIGHT", ""),
        ("norm", "pass", "MISTAKE", "mode"),
        ("norm", UPDATE.replace("x.var(0)", "var"), "MISTAKE", "mode"),
    ],
    ids=["right", "other names", "running variance forgotten", "running variance biased"],
)
def test_training_mode_and_running_statistics(problem, name, update, answer, kind):
    (problem / "solution.py").write_text(OWN_NORM.replace("{name}", name).replace("{update}", update))
    found = judge_here(problem, problem / "solution.py", budget_s=60.0)
    assert (found.answer, found.kind) == (answer, kind), halfulp.report(found)
    assert any("so they are matched by their initial values" in note for note in found.notes) is (name == "other")


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ("torch.stack([table[int(p)] for p in places]) * factor", "RIGHT"),
        ("torch.stack([table[int(p)] for p in places]) * 2", "MISTAKE"),
        ("torch.stack([table[max(0, int(p))] for p in places]) * factor", "RIGHT"),
        ("torch.stack([table[int(p), :8] for p in places]) * factor", "MISTAKE"),
    ],
    ids=["right", "a number ignored", "negative places, which no draw has", "the second test"],
)
def test_whole_numbers_and_tests_of_the_problem(tmp_path, body, answer):
    (tmp_path / "reference.py").write_text(GATHER)
    (tmp_path / "task.yml").write_text("tests:\n  - {size: 8, seed: 1}\n  - {size: 9, seed: 2}\n")
    (tmp_path / "solution.py").write_text(f"import torch\ndef custom_kernel(data):\n    table, places, factor = data\n    return {body}\n")
    found = judge_here(tmp_path, tmp_path / "solution.py", budget_s=60.0)
    assert found.answer == answer, halfulp.report(found)


COUNTS = """
import torch
def ref_kernel(data):
    return torch.bincount(data, minlength=16)
def generate_input(size: int, seed: int):
    torch.manual_seed(seed)
    return torch.randint(0, 16, (size,))
"""
NARROW = """
import torch
def custom_kernel(data):
    return torch.nn.functional.one_hot(data, 16).sum(0, dtype=torch.{dtype}).long()
"""


@pytest.mark.parametrize(("dtype", "answer"), [("int16", "MISTAKE"), ("int32", "RIGHT")])
def test_counters_of_sixteen_bits_show_where_one_number_alone_is_counted(tmp_path, dtype, answer):
    (tmp_path / "reference.py").write_text(COUNTS)
    (tmp_path / "task.yml").write_text("tests:\n  - {size: 300, seed: 1}\n")
    (tmp_path / "submission.py").write_text(NARROW.format(dtype=dtype))
    found = judge_here(tmp_path, tmp_path / "submission.py", budget_s=60.0)
    assert found.answer == answer, halfulp.report(found)


MASKED = """
import torch
import torch.nn as nn
class Model(nn.Module):
    def forward(self, x, length, target):
        kept = torch.arange(x.shape[1]) < length[:, None]
        rows = x.masked_fill(~kept, 0.0).sum(1) / length
        return rows * (target != -1)
def get_inputs():
    return [torch.randn(6, 32), torch.randint(16, 32 + 1, (6,)), torch.randint(0, 6, (6,))]
"""
RAGGED = """
import torch
import torch.nn as nn
class ModelNew(nn.Module):
    def forward(self, x, length, target):
        rows = torch.stack([row[: int(n)].sum() / n for row, n in zip(x, length)])
        return rows * {mask}
"""


@pytest.mark.parametrize(("mask", "answer"), [("(target != -1)", "RIGHT"), ("(target >= 0)", "RIGHT"), ("1.0", "MISTAKE")])
def test_lengths_stay_in_range_and_a_mark_that_the_reference_compares_with_is_asked(tmp_path, mask, answer):
    (tmp_path / "problem.py").write_text(MASKED)
    (tmp_path / "solution.py").write_text(RAGGED.format(mask=mask))
    found = judge_here(tmp_path, tmp_path / "solution.py", budget_s=60.0)
    assert found.answer == answer, halfulp.report(found)


NOISY = """
import torch
import torch.nn as nn
class Model{new}(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(1))
    def forward(self, x):
        if not self.training:
            return x * 2
        {body}
def get_inputs():
    return [torch.randn(20, 50)]
"""
DROPPED = "self.calls += 1; return nn.functional.dropout(x * 2, 0.5)"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (DROPPED, ""),
        ("self.calls += 1; return x * 4 * (torch.rand_like(x) < 0.5)", ""),
        ("self.calls += 1; return x * 2", "the same for every seed"),
        ("self.calls += 1; return x * 2 * (torch.rand_like(x) < 0.5)", "another mean square"),
        ("return nn.functional.dropout(x * 2, 0.5)", "buffers"),
    ],
    ids=["the reference's", "its own numbers", "dropout ignored", "not scaled", "buffer forgotten"],
)
def test_random_numbers_of_training_mode_are_compared_by_their_distribution(tmp_path, body, said):
    (tmp_path / "problem.py").write_text(NOISY.format(new="", body=DROPPED))
    (tmp_path / "solution.py").write_text(NOISY.format(new="New", body=body).replace("x * 2\n", "x + x\n"))
    found = judge_here(tmp_path, tmp_path / "solution.py", budget_s=60.0)
    assert found.answer == ("MISTAKE" if said else "RIGHT"), halfulp.report(found)
    assert said in f"{found.because} {found.label}"


TILED = """
import torch
import torch.nn as nn
class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x * w
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g * w, (g * x)[:{rows}].sum(0)
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(12))
    def forward(self, x):
        return Product.apply(x, self.w)
"""
SCALED = """
import torch
import torch.nn as nn
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(12))
    def forward(self, x):
        return x * self.w
ROWS = 24
def get_inputs():
    return [torch.randn(ROWS, 12)]
"""


@pytest.mark.parametrize(("rows", "answer"), [("1000000", "RIGHT"), ("64", "MISTAKE")])
def test_gradients_are_asked_beyond_the_blocks_of_the_source(tmp_path, rows, answer):
    (tmp_path / "problem.py").write_text(SCALED)
    (tmp_path / "solution.py").write_text(TILED.format(rows=rows))
    found = judge_here(tmp_path, tmp_path / "solution.py", budget_s=60.0)
    assert (found.answer, found.kind) == (answer, "gradients" if answer == "MISTAKE" else ""), halfulp.report(found)


def test_what_is_written_in_a_later_call_is_a_cheat(tmp_path):
    (tmp_path / "problem.py").write_text(
        "import torch\nimport torch.nn as nn\nclass Model(nn.Module):\n    def forward(self, x):\n        return x.clamp(min=-50.0) * 2\n"
        "def get_inputs():\n    return [torch.randn(9, 7)]\n"
    )
    (tmp_path / "solution.py").write_text(
        "import torch\nimport torch.nn as nn\nclass ModelNew(nn.Module):\n    def forward(self, x):\n        x[x < -50.0] = -50.0\n"
        "        return x + x\n"
    )
    found = judge_here(tmp_path, tmp_path / "solution.py", budget_s=60.0)
    assert (found.answer, "writes to its inputs" in found.cheat) == ("CHEAT", True), halfulp.report(found)


ONE_ROW = """
import torch
import torch.nn as nn
class Model{new}(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(6)
    def forward(self, x):
        return {body}
def get_inputs():
    return [torch.randn(1, 6)]
"""


def test_a_reference_that_refuses_training_mode_is_asked_without_it(tmp_path):
    """Batch statistics of one row: PyTorch raises."""
    folded = "self.norm(x) if self.training else (x - self.norm.running_mean) * (self.norm.weight / torch.sqrt(self.norm.running_var + 1e-5)) + self.norm.bias"
    (tmp_path / "problem.py").write_text(ONE_ROW.format(new="", body="self.norm(x)"))
    (tmp_path / "solution.py").write_text(ONE_ROW.format(new="New", body=folded))
    found = judge_here(tmp_path, tmp_path / "solution.py", budget_s=20.0)
    assert found.answer == "RIGHT", halfulp.report(found)


TRIPLETS = """
import torch
import torch.nn as nn
class Model(nn.Module):
    def __init__(self, margin):
        super().__init__()
        self.margin = margin
    def forward(self, x, names):
        {body}
def get_inputs():
    return [torch.randn(16, 6), torch.randint(0, 4, (16,))]
def get_init_inputs():
    return [0.3]
"""
NEAREST = """
        apart = ((x[:, None] - x[None]) ** 2).sum(-1).clamp_min(1e-12).sqrt()
        alike = names[:, None] == names[None]
        farthest = torch.where(alike, apart, -1).amax(1)
        nearest = torch.where(alike, 1e9, apart).amin(1)
        return torch.relu(farthest - nearest + self.margin).mean()
"""
OWN_NEAREST = """
        losses = []
        for at in range(len(x)):
            apart = (x - x[at]).pow(2).sum(1).clamp(min=1e-12).sqrt()
            alike = names == names[at]
            nearest = apart.masked_fill(alike, 1e9).min()
            losses.append(torch.clamp(apart.masked_fill(~alike, -1).max() - nearest + self.margin, min=0))
        losses = torch.stack(losses)
        return losses.sum() / len(x)
"""


@pytest.mark.parametrize(
    ("change", "answer", "where"),
    [
        ((" ", " "), "RIGHT", ""),
        (("names == names[at]", "names.float() == names[at].float()"), "UNSTABLE MISTAKE", "names from 2^24 on"),
        ((".clamp(min=1e-12).sqrt()", ".sqrt()"), "MISTAKE", "gradients"),
        (("/ len(x)", "/ (losses > 0).sum().clamp(min=1)"), "MISTAKE", ""),
        (("+ self.margin", "+ 20.0"), "MISTAKE", "margin"),
    ],
    ids=["right", "names in float32", "a root at zero", "the mean of some", "a frozen margin"],
)  # fmt: skip
def test_names_twins_and_rows_that_belong_together_are_asked(tmp_path, change, answer, where):
    problem = TRIPLETS.replace("0.3", "20.0")
    (tmp_path / "problem.py").write_text(problem.replace("{body}", NEAREST.strip()))
    (tmp_path / "solution.py").write_text(problem.replace("{body}", OWN_NEAREST.strip().replace(*change)).replace("Model", "ModelNew"))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=60.0)
    assert found.answer in answer.split() and where in f"{found.kind}: {found.label}", halfulp.report(found)


def test_rows_that_belong_together_lie_together(tmp_path):
    (tmp_path / "problem.py").write_text(TRIPLETS.replace("{body}", NEAREST.strip()))
    names = torch.tensor([3, 5, 3, 9, 5, 3])
    given = Setting((torch.randn(6, 4), names))
    stated = Stated(read_problem(tmp_path), [given])
    labels = {question.label: question for question in single_questions(given, Promises([given]), stated)}
    together = labels["rows of input 0 close together where input 1 is the same"].setting.arguments[0]
    apart = torch.cdist(together, together)
    same = names[:, None] == names[None]
    assert float(apart[same].max()) < 0.5 < float(apart[~same].min())
    some = labels["rows of input 0 close together where input 1 is the same and even in their order"].setting.arguments[0]
    assert torch.equal(some[[1, 4]], given.arguments[0][[1, 4]]) and torch.equal(some[[0, 3]], together[[0, 3]])
    assert any(label.startswith("the first two rows alike") for label in labels)


BANK = """
import torch
import torch.nn as nn
class Model(nn.Module):
    def __init__(self, bands, bins):
        super().__init__()
        at = torch.linspace(0, bins, bands + 1)
        middle = torch.arange(bins) + 0.5
        self.register_buffer("bank", ((middle >= at[:-1, None]) & (middle < at[1:, None])).float() / 3)
        self.register_buffer("scale", torch.ones(bands))
    def forward(self, x):
        return (self.bank @ x) * self.scale[:, None]
def get_inputs():
    return [torch.rand(12, 7)]
def get_init_inputs():
    return [4, 12]
"""


@pytest.mark.parametrize(("scale", "answer"), [(" * self.scale[:, None]", "RIGHT"), ("", "MISTAKE")])
def test_what_a_constructor_computes_may_be_known_and_what_is_trained_may_not(tmp_path, scale, answer):
    (tmp_path / "problem.py").write_text(BANK)
    own = BANK.replace("Model", "ModelNew").replace("(self.bank @ x) * self.scale[:, None]", f"self.filtered(x){scale}")
    (tmp_path / "solution.py").write_text(
        own.replace(
            "def get_inputs",
            """
def filtered(self, x):
    ends = [list(range(0, 1)) and [at for at in range(len(row)) if row[at] > 0] for row in self.bank]
    return torch.stack([x[[*ends[row]]].sum(0) / 3 for row in range(len(self.bank))])
ModelNew.filtered = filtered
def get_inputs""",
        )
    )
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=20.0)
    assert found.answer == answer, halfulp.report(found)


GATED = """
import torch
import torch.nn as nn
class Model(nn.Module):
    def forward(self, x, gate):
        return x[:, 1:] * gate[:, 1:].exp()
def get_inputs():
    return [torch.randn(8, 40), torch.randn(8, 40)]
def get_init_inputs():
    return []
"""
OWN_GATED = """
import torch
import torch.nn as nn
class Gated(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, gate):
        ctx.save_for_backward(x, gate)
        return x[:, 1:] * torch.exp2(gate[:, 1:] * 1.4426950408889634)
    @staticmethod
    def backward(ctx, given):
        x, gate = ctx.saved_tensors
        each = given * gate[:, 1:].exp()
        left = torch.nn.functional.pad(each, (1, 0))
        terms = left * x
        sums = terms.flip(1).cumsum(1).flip(1)
        return left, {gradient}
class ModelNew(nn.Module):
    def forward(self, x, gate):
        return Gated.apply(x, gate)
"""


@pytest.mark.parametrize(
    ("gradient", "answer"),
    [
        ("terms.clone().index_fill(1, torch.tensor([0]), 0) + torch.nn.functional.pad((sums[:, :1] - terms.sum(1, keepdim=True)), (0, 39))", "RIGHT"),
        ("terms + torch.nn.functional.pad(1e-3 * sums[:, :1], (0, 39))", "MISTAKE"),
    ],
    ids=["zero up to rounding", "no zero"],
)  # fmt: skip
def test_a_gradient_that_is_zero_may_be_zero_up_to_rounding(tmp_path, gradient, answer):
    (tmp_path / "problem.py").write_text(GATED)
    (tmp_path / "solution.py").write_text(OWN_GATED.replace("{gradient}", gradient))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=20.0)
    assert found.answer == answer, halfulp.report(found)


def test_what_is_no_length_is_not_several_times_as_large(tmp_path):
    """Eight bits that become forty-one leave nothing of float32."""
    (tmp_path / "problem.py").write_text(SUM_OF_BITS)
    problem = read_problem(tmp_path / "problem.py")
    given = problem.draw(0, {})
    labels = [question.label for question in size_questions(problem, given, Promises([given]), 0)]
    assert "LENGTH: 51 instead of 10" in labels and "BITS: 41 instead of 8" not in labels and "BITS: 9 instead of 8" in labels


SUM_OF_BITS = """
import torch
import torch.nn as nn
LENGTH, BITS = 10, 8
class Model(nn.Module):
    def __init__(self, bits):
        super().__init__()
        self.bits = bits
    def forward(self, x):
        return torch.round(x * 2.0 ** self.bits) / 2.0 ** self.bits
def get_inputs():
    return [torch.rand(3, LENGTH)]
def get_init_inputs():
    return [BITS]
"""


SOLVED = '''
import torch
import torch.nn as nn
class Model(nn.Module):
    """Solves A X = B; inference only. {says}"""
    def forward(self, a, b):
        return torch.cholesky_solve(b, torch.linalg.cholesky(a))
N = 24
def get_inputs():
    m = torch.randn(3, N, N)
    return [m @ m.mT / N + torch.eye(N), torch.randn(3, N, 2)]
def get_init_inputs():
    return []
'''
STEPS = """
import torch
import torch.nn as nn
class ModelNew(nn.Module):
    def forward(self, a, b):
        a, r = a.double(), b.double()
        x, p, rr = torch.zeros_like(r), r, (r * r).sum(1, keepdim=True)
        for _ in range({steps}):
            q = a @ p
            step = rr / (p * q).sum(1, keepdim=True).clamp_min(1e-300)
            x, r = x + step * p, r - step * q
            new = (r * r).sum(1, keepdim=True)
            p, rr = r + new / rr.clamp_min(1e-300) * p, new
        return x.float()
"""


@pytest.mark.parametrize(("steps", "answer"), [(18, "MISTAKE"), (200, "RIGHT")])
def test_matrices_that_are_promised_to_be_definite_are_ill_conditioned_too(tmp_path, steps, answer):
    (tmp_path / "problem.py").write_text(SOLVED.format(says=""), encoding="utf-8")
    (tmp_path / "solution.py").write_text(STEPS.format(steps=steps), encoding="utf-8")
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py")
    assert found.answer == answer, found
    assert answer == "RIGHT" or "eigenvalues" in found.label


def test_a_condition_number_that_the_text_names_is_the_largest_that_is_asked(tmp_path):
    (tmp_path / "problem.py").write_text(SOLVED.format(says="The condition number is up to 50."), encoding="utf-8")
    problem = read_problem(tmp_path / "problem.py")
    draws = [problem.draw(seed, {}) for seed in (0, 1, 2)]
    asked = single_questions(draws[0], Promises(draws), Stated(problem, draws))
    found = next(question for question in asked if "eigenvalues" in question.label)
    assert "50 times" in found.label
    assert torch.linalg.cond(found.setting.arguments[0].double()).tolist() == pytest.approx([50.0] * 3, rel=0.01)


GROUPED = """
import torch
import torch.nn as nn
import torch.nn.functional as F
class Model(nn.Module):
    def __init__(self, hidden, group):
        super().__init__()
        self.group = group
    def forward(self, x):
        groups = x.reshape(*x.shape[:-1], -1, self.group)
        return (groups - groups.mean(-1, keepdim=True)).reshape(x.shape)
rows, hidden, group = 5, 128, 64
def get_inputs():
    return [torch.randn(rows, hidden)]
def get_init_inputs():
    return [hidden, group]
"""
PADDED = """
import torch
import torch.nn as nn
class ModelNew(nn.Module):
    def __init__(self, hidden, group):
        super().__init__()
        self.group = group
    def forward(self, x):
        groups = x.reshape(*x.shape[:-1], -1, self.group)
        block = 1 << (self.group - 1).bit_length()
        return (groups - groups.sum(-1, keepdim=True) / {of}).reshape(x.shape)
"""


@pytest.mark.parametrize(("of", "answer"), [("block", "MISTAKE"), ("self.group", "RIGHT")])
def test_sizes_of_which_one_divides_the_other_are_no_powers_of_two_together(tmp_path, of, answer):
    (tmp_path / "problem.py").write_text(GROUPED)
    (tmp_path / "solution.py").write_text(PADDED.format(of=of))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=20.0)
    assert found.answer == answer, found
    assert answer == "RIGHT" or found.label == "hidden: 96 instead of 128, group: 48 instead of 64"


LENGTHS = """
import torch
import torch.nn as nn
class Model(nn.Module):
    def forward(self, x, lengths):
        keep = torch.arange(x.shape[1]) < lengths[:, None]
        return x.masked_fill(~keep, 0.0).cumsum(1)
batch, length = 2, 24
def get_inputs():
    return [torch.randn(batch, length), torch.tensor([length, length - 13])]
def get_init_inputs():
    return []
"""
ROW_BY_ROW = """
import torch
import torch.nn as nn
class ModelNew(nn.Module):
    def forward(self, x, lengths):
        rows = [row * (torch.arange(x.shape[1]) < lengths[at]) for at, row in enumerate(x)]
        return torch.stack(rows) @ torch.ones(x.shape[1], x.shape[1]).triu()
"""


def test_a_batch_whose_lengths_are_written_out_is_not_one_that_is_broadcast(tmp_path):
    (tmp_path / "problem.py").write_text(LENGTHS)
    (tmp_path / "solution.py").write_text(ROW_BY_ROW)
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=20.0)
    assert found.acceptable, found
    assert any("length: 1 " in asked.label for asked in found.asked), "an axis that may grow may be of length 1 too"


CODED = """
import torch
import torch.nn as nn
class Model(nn.Module):
    def __init__(self, inside, outside, group):
        super().__init__()
        self.group = group
        self.register_buffer("codes", torch.randint(-8, 8, (outside, inside), dtype=torch.int8))
        self.register_buffer("scales", torch.rand(outside, inside // group) + 0.5)
    @torch.no_grad()
    def forward(self, x):
        own = torch.round(x / x.abs().amax(-1, keepdim=True).clamp(min=1e-10) * 127)
        return own @ (self.codes.float() * self.scales.repeat_interleave(self.group, 1)).T
rows, inside, outside, group = 6, 128, 20, 32
def get_inputs():
    return [torch.randn(rows, inside)]
def get_init_inputs():
    return [inside, outside, group]
"""
SHORT_SUMS = """
import torch
import torch.nn as nn
class ModelNew(nn.Module):
    def __init__(self, inside, outside, group):
        super().__init__()
        self.group = group
        self.register_buffer("codes", torch.randint(-8, 8, (outside, inside), dtype=torch.int8))
        self.register_buffer("scales", torch.rand(outside, inside // group) + 0.5)
    @torch.no_grad()
    def forward(self, x):
        own = torch.round(x / x.abs().amax(-1, keepdim=True).clamp(min=1e-10) * 127).to(torch.int32)
        pairs = zip(own.split(self.group, 1), self.codes.int().split(self.group, 1), self.scales.T)
        return sum((a @ b.T).to(torch.int{bits}) * scale for a, b, scale in pairs)
"""


@pytest.mark.parametrize(("bits", "is_right"), [(16, False), (32, True)])
def test_sums_of_codes_that_overflow_in_larger_groups_alone(tmp_path, bits, is_right):
    """Of 32 products of -8 and 127 the sum is above -2^15; of 64 it is not."""
    (tmp_path / "problem.py").write_text(CODED)
    (tmp_path / "solution.py").write_text(SHORT_SUMS.format(bits=bits))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=20.0)
    assert found.acceptable is is_right, found
    assert is_right or "short whole numbers" in found.label


TRUST = """
import torch
import torch.nn as nn
class {name}(nn.Module):
    def forward(self, p, g):
        {body}
def get_inputs():
    return [torch.randn(9, 7), torch.randn(9, 7)]
def get_init_inputs():
    return []
"""


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ("return p - p.norm() / (g.norm() + 1e-12) * g", "MISTAKE"),
        ("w = p.norm(); return p - torch.where((w > 0) & (g.norm() > 0), w / g.norm().clamp(min=1e-30), 1.0) * g", "RIGHT"),
    ],
)
def test_one_input_is_all_zero(tmp_path, body, answer):
    reference = "w, u = p.norm(), g.norm(); return p - (w / u if w > 0 and u > 0 else torch.ones(())) * g"
    (tmp_path / "problem.py").write_text(TRUST.format(name="Model", body=f"with torch.no_grad(): {reference}"))
    (tmp_path / "solution.py").write_text(TRUST.format(name="ModelNew", body=f"with torch.no_grad(): {body}"))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=20.0)
    assert found.answer == answer, found
    assert answer == "RIGHT" or found.label == "input 0 all zero"


MARKED = """
import torch
import torch.nn as nn
class Model(nn.Module):
    def __init__(self, ignore_index=255):
        super().__init__()
        self.ignore_index = ignore_index
    def forward(self, x, labels):
        keep = labels != self.ignore_index
        return x[keep].logsumexp(1).mean()
def get_inputs():
    return [torch.randn(40, 5), torch.randint(0, 5, (40,))]
def get_init_inputs():
    return []
"""
OWN_MARKED = """
import torch
import torch.nn as nn
class ModelNew(nn.Module):
    def __init__(self, ignore_index=255):
        super().__init__()
        self.ignore_index = ignore_index
    def forward(self, x, labels):
        kept = [row for row, label in zip(x, labels.tolist()) if {keep}]
        m = [row.max() for row in kept]
        return torch.stack([(row - top).exp().sum().log() + top for row, top in zip(kept, m)]).mean()
"""


@pytest.mark.parametrize(
    ("keep", "answer", "where"),
    [
        ("label != self.ignore_index", "RIGHT", ""),
        ("True", "MISTAKE", "ignore_index"),
        ("label < 5", "MISTAKE", "ignore_index="),
        ("label < 5 and label != -1", "MISTAKE", "ignore_index="),
    ],
)
def test_a_mark_that_the_given_inputs_leave_out_is_asked(tmp_path, keep, answer, where):
    (tmp_path / "problem.py").write_text(MARKED)
    (tmp_path / "solution.py").write_text(OWN_MARKED.format(keep=keep))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=20.0)
    assert found.answer == answer, found
    assert where in found.label


NIBBLES = '''
import torch
def generate_input(n, seed):
    """Eight numbers of four bits in each of 32."""
    parts = torch.randint(4, 12, (n, 8), generator=torch.Generator().manual_seed(seed))
    whole = (parts << (torch.arange(8) * 4)).sum(1)
    return (torch.where(whole >= 2**31, whole - 2**32, whole).to(torch.int32),)
def ref_kernel(data):
    return (((data[0][:, None] >> (torch.arange(8) * 4)) & 15) + 1).float().mul(0.1)
'''


@pytest.mark.parametrize(("plus", "answer"), [("((part >> shift) + 1) & 15", "MISTAKE"), ("((part >> shift) & 15) + 1", "RIGHT")])
def test_every_bit_of_what_is_packed_is_set(tmp_path, plus, answer):
    (tmp_path / "reference.py").write_text(NIBBLES)
    (tmp_path / "task.yml").write_text("name: nibbles\ntests:\n  - {n: 12, seed: 1}\n")
    body = f"[[0.1 * float({plus}) for shift in range(0, 32, 4)] for part in data[0].tolist()]"
    (tmp_path / "solution.py").write_text(f"import torch\ndef custom_kernel(data):\n    return torch.tensor({body}).reshape(-1, 8)\n")
    found = judge_here(tmp_path, tmp_path / "solution.py", budget_s=20.0)
    assert found.answer == answer, found


EXPONENTS = '''
import torch
import torch.nn as nn
class {name}(nn.Module):
    """The exponent of each number, computed exactly; numbers of all magnitudes."""
    def forward(self, x):
        with torch.no_grad():
            {body}
def get_inputs():
    return [torch.randn(30, 20)]
def get_init_inputs():
    return []
'''


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ("return torch.where(x == 0, 0, x.abs().double().log2().floor().int() + 1)", "RIGHT"),
        ("return torch.where(x == 0, 0, x.abs().log2().floor().int() + 1)", "MISTAKE"),
        ("return torch.where(x == 0, 0, (x.abs().view(torch.int32) >> 23) - 126)", "MISTAKE"),
    ],
    ids=["in float64", "a logarithm that rounds up", "a wrong exponent of subnormal numbers"],
)
def test_what_is_exact_is_asked_next_to_powers_of_two_and_of_all_magnitudes(tmp_path, body, answer):
    (tmp_path / "problem.py").write_text(EXPONENTS.format(name="Model", body="return torch.frexp(x).exponent"))
    (tmp_path / "solution.py").write_text(EXPONENTS.format(name="ModelNew", body=body))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=20.0)
    assert found.answer == answer, found


CASES = """
import torch
import torch.nn as nn
class Model(nn.Module):
    def __init__(self, beta=0.5, reduction="mean"):
        super().__init__()
        self.beta, self.reduction = beta, reduction
    def forward(self, x):
        found = x.exp() if self.beta == 0 else ((self.beta * x).exp() - 1) / self.beta
        return found.sum(-1) if self.reduction == "sum" else found.mean(-1)
def get_inputs():
    return [torch.randn(8, 5)]
def get_init_inputs():
    return []
"""
OWN_CASES = """
import torch
import torch.nn as nn
class ModelNew(nn.Module):
    def __init__(self, beta=0.5, reduction="mean"):
        super().__init__()
        self.beta, self.reduction = beta, reduction
    def forward(self, x):
        found = x.exp() if {case} else ((self.beta * x).exp() - 1) / self.beta
        return {mean}
"""
MEAN = "found @ torch.ones(5) / (1 if self.reduction == 'sum' else 5)"


@pytest.mark.parametrize(
    ("case", "mean", "answer", "where"),
    [
        ("self.beta == 0", MEAN, "RIGHT", ""),
        ("False", MEAN, "MISTAKE", "beta=0.0 instead of 0.5"),
        ("self.beta == 0", "found @ torch.ones(5) / 5", "MISTAKE", "reduction=sum instead of mean"),
    ],
)
def test_what_the_reference_compares_a_parameter_with_is_asked(tmp_path, case, mean, answer, where):
    (tmp_path / "problem.py").write_text(CASES)
    (tmp_path / "solution.py").write_text(OWN_CASES.format(case=case, mean=mean))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=20.0)
    assert found.answer == answer, found
    assert where in found.label


OPEN = '''
import torch
import torch.nn as nn
class {name}(nn.Module):
    """Scales rows. x: (..., D), any number of leading axes; negative: whether with a minus."""
    def __init__(self, D):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(D))
    def forward(self, x, negative):
        {body}
B, T, D = 4, 3, 10
def get_inputs():
    return [torch.randn(B, T, D), False]
def get_init_inputs():
    return [D]
'''


@pytest.mark.parametrize(
    ("body", "answer", "where"),
    [
        ("return torch.einsum('...d,d->...d', x, -self.weight if negative else self.weight)", "RIGHT", ""),
        ("b, t, d = x.shape; return x * (-self.weight if negative else self.weight)", "MISTAKE", "leading axes of lengths (2, 2, 3)"),
        ("return x * self.weight", "MISTAKE", "argument 1: True instead of False"),
    ],
)
def test_leading_axes_and_switches_are_asked(tmp_path, body, answer, where):
    reference = "return x * self.weight * (-1 if negative else 1)"
    (tmp_path / "problem.py").write_text(OPEN.format(name="Model", body=reference))
    (tmp_path / "solution.py").write_text(OPEN.format(name="ModelNew", body=body))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=20.0)
    assert found.answer == answer, halfulp.report(found)
    assert where in found.label


LARGEST = '''
import torch
import torch.nn as nn
class {name}(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim
    def forward(self, x):
        """x: float32 tensor of {shape}."""
        {body}
def get_inputs():
    return [torch.randn(8, 20, 6)]
def get_init_inputs():
    return [1]
'''


@pytest.mark.parametrize(
    ("shape", "body", "answer", "where"),
    [
        ("any shape", "return x.movedim(self.dim, -1).max(-1).indices", "RIGHT", ""),
        ("any shape", "return x.transpose(self.dim, -1).max(-1).indices", "MISTAKE", "dim=0 instead of 1"),
        (
            "any shape",
            "b, r, c = x.shape; return x.movedim(self.dim, -1).max(-1).indices",
            "MISTAKE",
            "leading axes of lengths (2, 4, 20, 6)",
        ),
        ("shape (8, 20, 6)", "b, r, c = x.shape; return x.movedim(self.dim, -1).max(-1).indices", "RIGHT", ""),
    ],
)
def test_an_axis_may_be_any_and_any_shape_has_more(tmp_path, shape, body, answer, where):
    (tmp_path / "problem.py").write_text(LARGEST.format(name="Model", shape=shape, body="return torch.argmax(x, dim=self.dim)"))
    (tmp_path / "solution.py").write_text(LARGEST.format(name="ModelNew", shape=shape, body=body))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=20.0)
    assert found.answer == answer, halfulp.report(found)
    assert where in found.label
    assert sum(asked.kind == "gradients" for asked in found.asked) <= 1  # there are none


SQUARES = """
import torch
import torch.nn as nn
class {name}(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("squares", torch.zeros(n))
    @torch.no_grad()
    def forward(self, x):
        mean = 0.9 * self.squares + 0.1 * (x * x).mean(0)
        return x / ({root} + 1e-3)
rows, n = 6, 8
def get_inputs():
    return [torch.randn(rows, n)]
def get_init_inputs():
    return [n]
"""


@pytest.mark.parametrize(("root", "answer"), [("mean.pow(0.5)", "RIGHT"), ("mean.sqrt() * (1 + 1e-3 * (x.shape[0] == 7))", "MISTAKE")])
def test_a_buffer_of_squares_is_not_moved_below_zero(tmp_path, root, answer):
    """Where its root is NaN for the reference itself, nothing would be asked of any other size."""
    (tmp_path / "problem.py").write_text(SQUARES.format(name="Model", root="mean.sqrt()"))
    (tmp_path / "solution.py").write_text(SQUARES.format(name="ModelNew", root=root))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=20.0)
    assert found.answer == answer, halfulp.report(found)
    assert not any("leaves the range" in asked.note for asked in found.asked if asked.kind in ("parameters", "sizes"))


HEADS = """
import torch
import torch.nn as nn
HEADS, GROUPS, WIDTH = 4, 2, 6
class {name}(nn.Module):
    def __init__(self, heads, groups):
        super().__init__()
        assert heads % groups == 0
        self.heads = heads
        {slopes}
    def forward(self, x):
        return {result}
def get_inputs():
    return [torch.randn(3, HEADS, WIDTH)]
def get_init_inputs():
    return [HEADS, GROUPS]
"""
SLOPES = "self.register_buffer('slopes', 1.0 / torch.arange(1, heads + 1), persistent=False)"
PLAIN, ROUNDED = "x * self.slopes[:, None]", "x / {of}[:, None]"


@pytest.mark.parametrize(("of", "answer"), [
    ("torch.arange(1, x.shape[1] + 1)", "RIGHT"), ("torch.arange(1, (1 << (x.shape[1] - 1).bit_length()) + 1)[: x.shape[1]]", "RIGHT"),
    ("torch.cat([torch.arange(1, (1 << x.shape[1].bit_length() - 1) + 1)] * 2)[: x.shape[1]]", "MISTAKE"),
])  # fmt: skip
def test_the_next_multiple_is_asked_where_one_more_is_refused_and_tables_need_not_be_stored(tmp_path, of, answer):
    """Heads are a multiple of groups: five are none, six are, and no power of two. The reference's slopes are no parameter."""
    (tmp_path / "problem.py").write_text(HEADS.format(name="Model", slopes=SLOPES, result=PLAIN))
    (tmp_path / "solution.py").write_text(HEADS.format(name="ModelNew", slopes="pass", result=ROUNDED.format(of=of)))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py")
    assert found.answer == answer, halfulp.report(found)
    assert not any("can't be matched" in note for note in found.notes)
    assert answer == "RIGHT" or "6 instead of 4" in found.because


BAGS = """
import torch
import torch.nn as nn
class {name}(nn.Module):
    def forward(self, x, sizes):
        {make}
        for row, size in enumerate(sizes.tolist()):
            if size > 1 or {all}:
                out[row] = x[row, :size].sum()
        return out
def get_inputs():
    return [torch.randn(6, 9), torch.randint(2, 9, (6,))]
def get_init_inputs():
    return []
"""


def test_what_is_left_unwritten_on_other_values_is_a_cheat(tmp_path):
    (tmp_path / "problem.py").write_text(BAGS.format(name="Model", make="out = torch.zeros(len(x))", all="True"))
    (tmp_path / "solution.py").write_text(BAGS.format(name="ModelNew", make="out = torch.empty(len(x))", all="False"))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py")
    assert found.acceptable is False, halfulp.report(found)


ROTATED = """
import torch
import torch.nn as nn
class {name}(nn.Module):
    def forward(self, x, places):
        {first}
        angle = places.to(x.dtype)[:, None] * 0.1
        return x * torch.cos(angle) + x.flip(-1) * torch.sin(angle)
def get_inputs():
    return [torch.randn(6, 8), torch.arange(6)]
def get_init_inputs():
    return []
"""


def test_handing_back_an_input_where_there_is_nothing_to_do_is_a_cheat(tmp_path):
    (tmp_path / "problem.py").write_text(ROTATED.format(name="Model", first="pass"))
    (tmp_path / "solution.py").write_text(ROTATED.format(name="ModelNew", first="if not bool(places.any()): return x"))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py")
    assert found.answer == "CHEAT" and "memory of its inputs" in found.because, halfulp.report(found)


DOUBLING = """
import torch
import torch.nn as nn
class {name}(nn.Module):
    def forward(self, x):
        {body}
LENGTH = 12
def get_inputs():
    return [torch.randn(6, LENGTH)]
def get_init_inputs():
    return []
"""
IN_STEPS = """step = 1
        while step < x.shape[-1]:
            x = torch.cat([x[..., :step], x[..., step:] + x[..., :-step]], -1)
            step *= 2
        return x"""


def test_an_input_that_is_handed_back_at_another_size_is_none_on_other_values_there_either(tmp_path):
    (tmp_path / "problem.py").write_text(DOUBLING.format(name="Model", body="return x.cumsum(-1)"))
    (tmp_path / "solution.py").write_text(DOUBLING.format(name="ModelNew", body=IN_STEPS))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=14.0)  # it is asked after about ten seconds
    assert found.answer == "RIGHT", halfulp.report(found)


ALIBI = """
import torch
import torch.nn as nn
def slopes(n):
    return torch.tensor([2.0 ** (-8.0 * (i + 1) / (1 << (n - 1).bit_length())) for i in range(n)])
class Model(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.register_buffer("slopes", slopes(heads), persistent=False)
    def forward(self, x):
        return x * self.slopes
heads = 8
def get_inputs():
    return [torch.randn(5, heads)]
def get_init_inputs():
    return [heads]
"""
OWN_ALIBI = """
import torch
import torch.nn as nn
class ModelNew(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.register_buffer("slopes", torch.exp2(-8.0 * (torch.arange(heads) + 1.0) / {of}), persistent={stored})
    def forward(self, x):
        return x * self.slopes
"""


@pytest.mark.parametrize(
    ("of", "stored", "answer"),
    [("heads", False, "MISTAKE"), ("heads", True, "RIGHT"), ("(1 << (heads - 1).bit_length())", False, "RIGHT")],
    ids=["right for powers of two alone", "a checkpoint holds the right ones", "right"],
)
def test_a_table_that_is_not_stored_is_the_solution_s_own(tmp_path, of, stored, answer):
    (tmp_path / "problem.py").write_text(ALIBI)
    (tmp_path / "solution.py").write_text(OWN_ALIBI.format(of=of, stored=stored))
    found = judge_here(tmp_path / "problem.py", tmp_path / "solution.py", budget_s=20.0)
    assert found.answer == answer, found


RAGGED_EDGES = """
import torch
def ref_kernel(data):
    ptr, x = data
    return torch.stack([x[lo:hi].sum() for lo, hi in zip(ptr.tolist(), ptr.tolist()[1:])])
def generate_input(nodes: int, seed: int):
    g = torch.Generator().manual_seed(seed)
    degrees = torch.randint(1, 9, (nodes,), generator=g)
    ptr = torch.cat([torch.zeros(1, dtype=torch.int64), degrees.cumsum(0)])
    return ptr, torch.randn(int(ptr[-1]), generator=g)
"""
TRUSTING = """
import torch
def custom_kernel(data):
    ptr, x = data
    assert int(ptr[-1]) == len(x)
    rows = torch.repeat_interleave(torch.arange(len(ptr) - 1), ptr.diff())
    return torch.zeros(len(ptr) - 1, dtype=x.dtype).index_add(0, rows, x)
"""


def test_contents_of_other_draws_belong_together(tmp_path):
    """The ends of the pieces of one draw and the numbers of another would be read past their end."""
    (tmp_path / "reference.py").write_text(RAGGED_EDGES)
    (tmp_path / "task.yml").write_text("tests:\n  - {nodes: 12, seed: 1}\n")
    (tmp_path / "solution.py").write_text(TRUSTING)
    found = judge_here(tmp_path, tmp_path / "solution.py", budget_s=20.0)
    assert found.answer == "RIGHT", found
    assert not [entry for entry in found.asked if entry.answer == "refused" and entry.kind == "sequence"]
