"""What is asked of problems with modes, whole numbers, tests of their own, and parameters under other names."""

import pytest
import torch

import halfulp
from halfulp.kernels import read_problem
from halfulp.kernels.calls import Setting
from halfulp.kernels.judging import judge_here
from halfulp.kernels.promises import Promises
from halfulp.kernels.questions import single_questions
from halfulp.kernels.sizes import size_questions
from halfulp.kernels.stated import Stated

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
    assert ("The solution's parameters have other names than the reference's, so they are matched by their order." in found.notes) is (
        name == "other"
    )


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
