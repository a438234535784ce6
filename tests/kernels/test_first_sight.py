"""What two sets of solutions showed at first sight: each root by a problem of its own."""

import pytest
import torch

import halfulp
from halfulp.kernels import read_problem
from halfulp.kernels.judging import judge_here
from halfulp.kernels.promises.promises import Promises
from halfulp.kernels.promises.sentences import sentences_of
from halfulp.kernels.promises.stated import Stated
from halfulp.kernels.questions.masks import known_marks, mask_questions

MODULE = """
import torch
import torch.nn as nn
class {name}(nn.Module):
    \'\'\'{says}\'\'\'
    def __init__(self{arguments}):
        super().__init__()
        {state}
    def forward(self, {inputs}):
        {body}
{rest}
def get_inputs():
    return {given}
def get_init_inputs():
    return {init}
"""
PLAIN = {"says": "", "arguments": "", "state": "pass", "inputs": "x", "rest": "", "given": "[torch.randn(6, 16)]", "init": "[]"}


def judged(folder, problem, solution):
    for name, kind, parts in (("problem", "Model", problem), ("solution", "ModelNew", {**problem, **solution})):
        text = MODULE.format(**{**PLAIN, **parts, "name": kind}).replace("\\'", "'")
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return judge_here(folder / "problem.py", folder / "solution.py", budget_s=20.0)


def stated(folder, **parts):
    (folder / "problem.py").write_text(MODULE.format(**{**PLAIN, "name": "Model", **parts}).replace("\\'", "'"), encoding="utf-8")
    problem = read_problem(folder / "problem.py")
    draws = [problem.draw(seed, {}) for seed in (0, 1, 2)]
    return problem, draws, Stated(problem, draws)


STEP = {
    "state": "self.w = nn.Parameter(torch.randn(16)); self.register_buffer('m', torch.zeros(16))",
    "body": """with torch.no_grad():
            m = 0.9 * self.m + 0.1 * x.mean(0)
            w = self.w - 0.1 * m
            if self.training:
                self.m.copy_(m)
                self.w.copy_(w)
        return w.clone()""",
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "answer"),
    [(("", ""), "RIGHT"), (("self.w.copy_(w)", "pass"), "MISTAKE")],
    ids=["another formula", "the parameter is not updated"],
)
def test_a_step_of_an_optimizer_changes_parameters_in_training_mode(tmp_path, change, answer):
    lerped = STEP["body"].replace("0.9 * self.m + 0.1 * x.mean(0)", "torch.lerp(x.mean(0), self.m, 0.9)")
    found = judged(tmp_path, STEP, {"body": lerped.replace(*change)})
    assert found.answer == answer and "random" not in found.because, halfulp.report(found)


QUANTIZED = {
    "says": "x / scale, rounded to nearest, ties to even (ties do occur).",
    "state": "self.scale = nn.Parameter(torch.full((16,), 0.65))",
    "body": "return torch.round((x / self.scale).clamp(-8, 7)) * self.scale",
}  # fmt: skip


@pytest.mark.parametrize(
    ("rounded", "answer"),
    [("torch.round((x / self.scale).clamp(-8, 7))", "RIGHT"), ("torch.floor((x / self.scale).clamp(-8, 7) + 0.5)", "MISTAKE")],
)
def test_ties_are_asked_where_a_scale_is_one_and_arithmetic_is_no_cheat(tmp_path, rounded, answer):
    found = judged(tmp_path, QUANTIZED, {"body": f"y = {rounded}\n        return self.scale * y"})
    assert found.answer == answer, halfulp.report(found)


SQUARE = {
    "says": "img: float32 [B, C, H, W]; H and W may differ.",
    "inputs": "img",
    "body": "return img * torch.arange(img.shape[2], dtype=img.dtype)[:, None] / img.shape[3]",
    "rest": "size = 16",
    "given": "[torch.randn(2, 3, size, size)]",
}  # fmt: skip


@pytest.mark.parametrize(("by", "answer"), [("img.shape[3]", "RIGHT"), ("img.shape[2]", "MISTAKE")])
def test_axes_that_have_names_of_their_own_have_lengths_of_their_own(tmp_path, by, answer):
    rows = "torch.linspace(0, img.shape[2] - 1, img.shape[2])"
    found = judged(tmp_path, SQUARE, {"body": f"return {rows}[:, None] * img / {by}"})
    assert found.answer == answer, halfulp.report(found)


def test_a_problem_that_asks_for_gradients_gets_some(tmp_path):
    asks = {
        "says": "The output is the sign with a straight-through gradient: no gradient to the threshold.",
        "body": "return x + (x.sign() - x).detach()",
    }
    found = judged(tmp_path, asks, {"body": "return x.detach().sign() + 0"})
    assert found.answer == "MISTAKE" and "records no gradients for inputs[0]" in found.because, halfulp.report(found)
    assert judged(tmp_path, {**asks, "says": "The sign."}, {"body": "return x.detach().sign() + 0"}).acceptable


def test_places_that_are_marked_and_not_treated_apart_are_no_mask(tmp_path):
    table = torch.tensor([[4, 1, -1], [2, -1, -1]])
    for body, count in (("return torch.where(x >= 0, 1.0, 0.0)", True), ("return torch.ones(3)[x[:, 0]]", False)):
        problem, draws, said = stated(tmp_path, body=body, given="[torch.tensor([[4, 1, -1], [2, -1, -1]])]")
        marks = known_marks(problem.text)
        assert (-1 in marks) is count and -100 in marks
        assert bool(list(mask_questions(draws[0], Promises(draws), said, marks))) is count
    assert bool((draws[0].arguments[0] == table).all())


def test_what_the_text_says_of_signs_and_of_results(tmp_path):
    _, draws, said = stated(
        tmp_path, says="x is anywhere in [-1, 1]: exact 0 and negative numbers occur.", body="return x", given="[torch.rand(6, 16) + 0.5]"
    )
    promises = Promises(draws)
    assert promises.of and said.signed == (0,)
    promises.may_reach_zero(said.signed)
    assert not promises.of[0]
    _, _, said = stated(tmp_path, says="Empty rows of x give 0 and lse = -inf.", body="return x")
    assert not said.specials
    _, _, said = stated(tmp_path, says="x: scores, -inf where they are masked.", body="return x")
    assert said.specials


def test_rows_of_a_table_are_sentences_of_their_own(tmp_path):
    table = "What it gets:\n    q      float32 [B, H]   a token\n    u      float32 [B]      uniforms in [0, 1)\n\nMore."
    assert "u: float32 [B] uniforms in [0, 1)" in sentences_of(table)
    _, draws, said = stated(tmp_path, says=f"{table}".replace("q ", "x ").replace("u ", "y "), inputs="x, y", body="return x * y[:, None]", given="[torch.randn(6, 16), torch.rand(6)]")  # fmt: skip
    assert not said.allows(type(draws[0])((draws[0].arguments[0], draws[0].arguments[1] * 100)), {})


def test_multiples_of_a_power_of_two_stay_so_and_rows_that_sum_to_1_do_so_exactly():
    from halfulp.kernels.problems.calls import Setting

    counts = [torch.multinomial(torch.rand(4, 10), 4096, replacement=True) for _ in range(3)]
    rows = [torch.stack([row.bincount(minlength=10) for row in each]) / 4096 for each in counts]
    promises = Promises([Setting((each,)) for each in rows])
    assert any("power of two" in words or "sum to 1" in words for words in promises.words)
    (kept,) = promises.kept((torch.randn(4, 10),)) or (rows[0],)
    assert bool((kept.double().sum(-1) == 1).all()) and bool(((kept * 4096) % 1 == 0).all())
    assert not Promises([Setting((torch.randn(40),)) for _ in range(3)]).of


def test_a_counter_of_calls_stays_whole():
    from halfulp.kernels.questions.parameters import moved

    found = moved({"step": torch.zeros(()), "scale": torch.ones(())}, 0)
    assert float(found["step"]) == 3 and float(found["scale"]) % 1


CROWDED = """
import time
import torch
def ref_kernel(data):
    return data * 2
def generate_input(size: int, seed: int):
    time.sleep(size / 1000)
    torch.manual_seed(seed)
    return torch.randn(size)
"""


def test_inputs_that_take_long_to_draw_are_not_drawn_larger(tmp_path):
    (tmp_path / "reference.py").write_text(CROWDED)
    (tmp_path / "task.yml").write_text("tests:\n  - {size: 30, seed: 1}\n")
    (tmp_path / "solution.py").write_text("import torch\ndef custom_kernel(data):\n    return data + data\n")
    found = judge_here(tmp_path, tmp_path / "solution.py", budget_s=10.0)
    assert found.answer == "RIGHT" and found.seconds < 25, found
