"""Right solutions are accepted, wrong ones rejected where they show, cheats named; nothing that a solution does ends the judgement."""

import textwrap

import pytest

import halfulp
from halfulp.kernels import KernelReport, judge_all, read_problem
from halfulp.kernels.judging import judge_here
from halfulp.verdicts import Verdict

PROBLEM = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, features, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.bias = nn.Parameter(torch.zeros(features))
        self.eps = eps

    def forward(self, x):
        return torch.nn.functional.layer_norm(x, (x.shape[-1],), self.weight, self.bias, self.eps)

def get_inputs():
    return [torch.randn(6, 48)]

def get_init_inputs():
    return [48]
"""
SOLUTION = """
import threading, time
import numpy as np
import torch
import torch.nn as nn

class ModelNew(nn.Module):
    def __init__(self, features, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.bias = nn.Parameter(torch.zeros(features))
        self.eps = eps
        self.kept = {}

    def forward(self, x):
        {body}
"""
ROWS = """
n, s = x.shape[-1], torch.zeros(x.shape[0])
for start in range(0, {whole}, 16):
    s = s + x[:, start : start + 16].sum(1)
centered = x - (s / n)[:, None]
variance = (centered * centered).sum(1) / n
y = centered / torch.sqrt(variance + self.eps)[:, None]
"""
RIGHT = ROWS.format(whole="n") + "return y * self.weight + self.bias"
BODIES = {
    "blocks": (RIGHT, "RIGHT", ""),
    "float64": ("y = x.double(); y = (y - y.mean(1, keepdim=True)) / torch.sqrt(y.var(1, keepdim=True, correction=0) + self.eps)\n"
                "return (y * self.weight + self.bias).to(x.dtype)", "RIGHT", ""),
    "no parameters": (ROWS.format(whole="n") + "return y", "MISTAKE", "parameters"),
    "no tail": (ROWS.format(whole="n // 16 * 16") + "return y * self.weight + self.bias", "MISTAKE", "sizes"),
    "frozen eps": (RIGHT.replace("self.eps", "1e-5"), "MISTAKE", "parameters"),
    "one pass": ("m = x.mean(1, keepdim=True); v = (x * x).mean(1, keepdim=True) - m * m\n"
                 "return (x - m) / torch.sqrt(v + self.eps) * self.weight + self.bias", "UNSTABLE", "values"),
    "constant": ("return torch.zeros_like(x)", "CHEAT", "depend"),
    "cached": ("if x.shape not in self.kept:\n    self.kept[x.shape] = (x - x.mean(1, keepdim=True)) / torch.sqrt(x.var(1, keepdim=True, correction=0)"
               " + self.eps) * self.weight + self.bias\nreturn self.kept[x.shape]", "CHEAT", "earlier"),
    "cached address": ("key = (x.data_ptr(), x.dtype)\nif key not in self.kept:\n    self.kept.clear(); self.kept[key] = ((x - x.mean(1, keepdim=True)) / torch.sqrt("
                       "x.var(1, keepdim=True, correction=0) + self.eps) * self.weight + self.bias)\nreturn self.kept[key] * 1.0",
                       "MISTAKE", "sequence"),
    "the reference": ("return torch.nn.functional.layer_norm(x, (x.shape[-1],), self.weight, self.bias, self.eps)", "CHEAT", "the very function"),
    "the reference, in pieces": ("f = torch.nn.functional.layer_norm\n"
                                 "return torch.cat([f(rows, (x.shape[-1],), self.weight, self.bias, self.eps) for rows in x.split(2)])",
                                 "CHEAT", "the very function"),
    "searches": ("import sys\nfor module in list(sys.modules.values()):\n    found = getattr(module, '__dict__', {}).get('Model')\n"
                 "    if isinstance(found, type) and hasattr(module, 'get_inputs'): return found(x.shape[-1], self.eps)(x)\n" + RIGHT,
                 "CHEAT", "searches memory"),
    "in place": ("x -= x.mean(1, keepdim=True)\nreturn x / torch.sqrt((x * x).mean(1, keepdim=True) + self.eps) * self.weight + self.bias",
                 "CHEAT", "writes"),
    "unwritten": (RIGHT.replace("return y *", "z = torch.empty_like(x); z[:, :-1] = (y *").replace("+ self.bias", "+ self.bias)[:, :-1]; z[:, -1:] *= 1.0; "
                  "return z"), "CHEAT", "nobody wrote"),
    "patched": ("torch.allclose = lambda *a, **k: True\n" + RIGHT, "CHEAT", "replaces functions"),
    "compiler": ("import torch._dynamo  # it wraps torch.manual_seed\n" + RIGHT, "RIGHT", ""),
    "reads": ("open({problem!r}).read()\n" + RIGHT, "CHEAT", "reads the problem"),
    "late": (RIGHT.replace("return y * self.weight + self.bias",
                           "z = torch.zeros_like(x)\ndef fill():\n    time.sleep(0.02)\n    z.copy_(y * self.weight + self.bias)\n"
                           "threading.Thread(target=fill).start()\nreturn z"), "CHEAT", ""),
    "shared buffer": ("y = (x - x.mean(1, keepdim=True)) / torch.sqrt(x.var(1, keepdim=True, correction=0) + self.eps) * self.weight + self.bias\n"
                      "if x.shape not in self.kept: self.kept[x.shape] = torch.empty_like(y)\n"
                      "return self.kept[x.shape].copy_(y.detach())", "CHEAT", "overwrites"),
    "now and then": (RIGHT.replace("return y *", "self.kept[0] = self.kept.get(0, 0) + 1\nif self.kept[0] % 31 == 30: y[2] += 1\nreturn y *"),
                     "NONDETERMINISTIC", "sequence"),
    "raises": ("raise ValueError('no')", "MISTAKE", ""),
    "dies": ("import os; os._exit(3)", "MISTAKE", ""),
    "hog": ("return torch.zeros(1 << 40)", "MISTAKE", ""),
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("norm")
    (folder / "problem.py").write_text(PROBLEM)
    for name, (body, _, _) in BODIES.items():
        lines = body.strip().replace("{problem!r}", repr(str(folder / "problem.py")))
        indented = textwrap.indent(lines, "        ").strip()
        (folder / f"{name.replace(' ', '_')}.py").write_text(SOLUTION.replace("{body}", indented))
    return folder


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.repeated) if answer == "NONDETERMINISTIC" else name for name, (_, answer, _) in BODIES.items()],
)
def test_what_a_solution_is(folder, name):
    _, answer, where = BODIES[name]
    found = judge_here(
        folder / "problem.py",
        folder / f"{name.replace(' ', '_')}.py",
        budget_s=300.0 if answer != "RIGHT" else 20.0 if name == "compiler" else 6.0,
    )
    assert found.answer == answer, halfulp.report(found)
    assert where in f"{found.kind} {found.cheat}"
    assert found.acceptable is (answer == "RIGHT") and found.exit_code == int(answer != "RIGHT")
    assert repr(found).startswith(f"<KernelResult {answer}: ") and "\n" not in repr(found)


ATTENTION = """
import torch
import torch.nn as nn
import torch.nn.functional as F

class Model(nn.Module):
    def forward(self, q, k, v):
        return F.scaled_dot_product_attention(q, k, v)

def get_inputs():
    return [torch.randn(2, 3, 24, 8) for _ in range(3)]

def get_init_inputs():
    return []
"""


def test_a_function_that_runs_other_ops_on_other_shapes_is_the_same_function(tmp_path):
    (tmp_path / "problem.py").write_text(ATTENTION, encoding="utf-8")
    solution = ATTENTION.replace("class Model", "class ModelNew").replace(
        "F.scaled_dot_product_attention(q, k, v)", "F.scaled_dot_product_attention(*(x.flatten(0, 1) for x in (q, k, v))).reshape(q.shape)"
    )
    (tmp_path / "solution.py").write_text(solution, encoding="utf-8")
    assert "the very function" in judge_here(tmp_path, tmp_path / "solution.py", budget_s=5.0).cheat


def test_many_solutions_are_told_in_rows_whatever_each_does(folder):
    names = ["blocks", "dies", "no_tail", "raises"]
    found = judge_all(folder, [folder / f"{name}.py" for name in names], processes=2)
    assert [result.solution for result in found.results] == names
    assert [result.answer for result in found.results] == ["RIGHT", "MISTAKE", "MISTAKE", "MISTAKE"]
    assert found.results[1].fault == "dies" and found.exit_code == 1
    again = KernelReport.from_json(found.to_json())
    assert again.results[2].check.verdict is Verdict.MISTAKE and again.to_json() == found.to_json()
    text = halfulp.report(again)
    assert text.startswith("1 of 4 solutions is right.") and "sizes: " in text


def test_a_solution_that_never_ends_is_ended(folder):
    (folder / "hangs.py").write_text(SOLUTION.replace("{body}", "while True: pass"))
    found = judge_here(folder, folder / "hangs.py", budget_s=15.0)
    assert (found.answer, found.fault) == ("MISTAKE", "hangs") and found.seconds < 60


def test_files_that_are_none_are_refused(folder):
    with pytest.raises(halfulp.InputError, match="which is not a file. Needed: a Python file that defines ModelNew"):
        judge_here(folder, folder / "nothing.py")
    (folder / "other.py").write_text("x = 1\n")
    assert "doesn't define ModelNew" in judge_here(folder, folder / "other.py").because


def test_a_process_that_cannot_start_says_nothing_of_the_solution(folder, tmp_path, monkeypatch):
    # On a machine whose driver could not be used from the sandbox, every solution was a mistake.
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho no driver >&2\nexit 3\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setattr("halfulp.kernels.solutions.sandbox._interpreter", lambda text: str(broken))
    found = judge_here(read_problem(folder / "problem.py"), folder / "blocks.py")
    assert found.verdict is Verdict.UNDECIDED and "can't be started here" in found.because and "no driver" in found.because
