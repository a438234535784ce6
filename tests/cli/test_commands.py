import json
import pickle
import re

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from typer.testing import CliRunner

import halfulp.cli
import halfulp.errors
from halfulp.cli import app
from halfulp.datasheets import properties
from halfulp.errors import TensorFileError
from halfulp.words.stage import Stage

CASE = """
import torch
def actual(x): return {actual}
def expected(x): return x * 3
def inputs(seed): return (torch.randn(50, generator=torch.Generator().manual_seed(seed)),)
"""


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def case_file(folder, actual="x * 2.1 + x * 0.9", extra=""):
    path = folder / "case.py"
    path.write_text(CASE.format(actual=actual) + extra)
    return path


@pytest.mark.parametrize(
    ("actual", "verdict", "code"),
    [("x * 2.1 + x * 0.9", "ROUNDING", 0), ("x * 3", "IDENTICAL", 0), ("x * 3.001", "MISTAKE", 1), ("x * float('nan') * 0", "MISTAKE", 1)],
)
def test_check_prints_the_answer_and_exits_by_it(tmp_path, actual, verdict, code):
    result = run("check", case_file(tmp_path, actual))
    assert result.exit_code == code
    assert result.output.startswith(verdict)
    assert "Next:" in result.output
    quiet = run("check", case_file(tmp_path, actual), "--quiet")
    assert len(quiet.output.strip().splitlines()) == 2 + code  # a verdict that is not acceptable leads on


def test_check_json_seed_declared_and_gradients(tmp_path):
    stored = run("check", case_file(tmp_path, "(x.bfloat16() * 3).float()"), "--json", "--seed", "5", "--declared", "bfloat16")
    content = json.loads(stored.output)
    assert (content["verdict"], content["seed"], content["declared"], content["schema"]) == ("ROUNDING", 5, "bfloat16", 1)
    gradients = json.loads(run("check", case_file(tmp_path), "--json", "--gradients").output)
    assert any("gradient" in each["path"] for each in gradients["difference"]["differences"])
    from_file = json.loads(run("check", case_file(tmp_path, extra="declared = 'tf32'\n"), "--json").output)
    assert from_file["declared"] == "tf32"


def test_undecided_exits_with_three(tmp_path):
    text = CASE.format(actual="x / 0 * 0").replace("x * 3", "x / 0 * 0")
    (tmp_path / "case.py").write_text(text)
    assert run("check", tmp_path / "case.py").exit_code == 3


def main(monkeypatch, capsys, *arguments):
    """The entry point itself: exit code and standard error."""
    monkeypatch.setattr("sys.argv", ["halfulp", *[str(argument) for argument in arguments]])
    with pytest.raises(SystemExit) as left:
        halfulp.cli.main()
    return left.value.code, capsys.readouterr().err


def test_errors_go_to_standard_error_and_exit_with_two(tmp_path, monkeypatch, capsys):
    code, error = main(monkeypatch, capsys, "check", tmp_path / "nowhere.py")
    assert code == 2
    assert error.startswith("halfulp: Got ")
    code, error = main(monkeypatch, capsys, "check", case_file(tmp_path, "x @ undefined"))
    assert code == 2
    assert "NameError" in error
    assert "def actual(x): return x @ undefined" in error
    assert "site-packages" not in error


def test_mistakes_of_halfulp_and_interrupts_do_not_look_like_verdicts(tmp_path, monkeypatch, capsys):
    def broken(*arguments, **options):
        raise ZeroDivisionError("inside")

    monkeypatch.setattr(halfulp, "check", broken)
    code, error = main(monkeypatch, capsys, "check", case_file(tmp_path))
    assert code == 2
    assert "this is a bug in halfulp" in error

    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(halfulp.cli, "application", lambda names: interrupted)
    code, error = main(monkeypatch, capsys, "check")
    assert code == 130


def files(folder):
    tensor = torch.randn(4, 5)
    np.save(folder / "a.npy", tensor.numpy())
    np.savez(folder / "a.npz", x=tensor.numpy())
    save_file({"x": tensor, "y": tensor.bfloat16()}, folder / "a.safetensors")
    torch.save({"x": tensor}, folder / "a.pt")
    return tensor


def test_compare_reads_every_kind(tmp_path):
    files(tmp_path)
    for kind in ("npy", "npz", "safetensors", "pt"):
        result = run("compare", tmp_path / f"a.{kind}", tmp_path / f"a.{kind}")
        assert result.exit_code == 0, result.output
        assert "Every bit agrees." in result.output
    assert run("compare", tmp_path / "a.npz", tmp_path / "a.pt").exit_code == 0


def test_compare_gives_numbers_and_no_verdict(tmp_path):
    tensor = files(tmp_path)
    np.save(tmp_path / "b.npy", tensor.numpy() * np.float32(1 + 2**-20))
    np.save(tmp_path / "c.npy", tensor.double().numpy())
    np.save(tmp_path / "scale.npy", tensor.abs().double().numpy())
    result = run("compare", tmp_path / "b.npy", tmp_path / "a.npy", "--reference", tmp_path / "c.npy", "--scale", tmp_path / "scale.npy")
    assert result.exit_code == 3
    assert "These are numbers, not a verdict" in result.output
    assert "actual against the reference: 16" in result.output
    assert "scale: given" in result.output
    stored = json.loads(run("compare", tmp_path / "b.npy", tmp_path / "a.npy", "--reference", tmp_path / "c.npy", "--json").output)
    assert stored["error_in_u"]["actual"][0]["scale"] == "rms of the reference"


def test_compare_structures_that_differ(tmp_path):
    files(tmp_path)
    np.save(tmp_path / "small.npy", np.ones(3))
    result = run("compare", tmp_path / "small.npy", tmp_path / "a.npy")
    assert result.exit_code == 1
    assert "shape at the only tensor: got float64[3], expected float32[4, 5]" in result.output


def refused(*arguments):
    result = run(*arguments)
    assert isinstance(result.exception, TensorFileError), result.output
    return str(result.exception)


def test_files_that_are_refused_say_the_way_out(tmp_path):
    files(tmp_path)
    good = tmp_path / "a.npy"
    (tmp_path / "p.pkl").write_bytes(pickle.dumps({"x": 1}))
    assert "Unpickling runs code from the file" in refused("compare", tmp_path / "p.pkl", good)
    assert "which is not a file" in refused("compare", tmp_path / "none.npy", good)
    (tmp_path / "a.txt").write_text("1 2 3")
    assert "Other formats are not read" in refused("compare", tmp_path / "a.txt", good)
    torch.save(torch.nn.Linear(1, 1), tmp_path / "module.pt")
    assert "holds more than tensors" in refused("compare", tmp_path / "module.pt", good)
    for kind in ("npy", "npz"):
        save = np.save if kind == "npy" else np.savez
        save(tmp_path / f"objects.{kind}", np.array([{}], dtype=object))
        assert "holds Python objects" in refused("compare", tmp_path / f"objects.{kind}", good)


@pytest.mark.parametrize("kind", ["npy", "npz", "safetensors", "pt"])
def test_truncated_files_are_refused(tmp_path, kind):
    files(tmp_path)
    path = tmp_path / f"a.{kind}"
    path.write_bytes(path.read_bytes()[:60])
    assert "It may be truncated (60 bytes)" in refused("compare", path, tmp_path / "a.npy")


def test_doctor_prints_sections_and_json():
    text = run("doctor").output
    assert all(each in text for each in ("machine", "packages", "threads", "surprises"))
    assert json.loads(run("doctor", "--json").output)["sections"]["torch"]


def test_help_names_every_command_and_the_exit_codes():
    text = run("--help").output
    assert all(each in text for each in ("check", "compare", "demo", "doctor", "bench", "3 undecided"))
    assert "verdicts" in run("bench", "--help").output


def test_the_version_is_printed(monkeypatch, capsys):
    assert main(monkeypatch, capsys, "--version")[0] == 0
    assert run("--version").output == f"halfulp {halfulp.__version__}\n"


def test_a_command_is_loaded_alone_and_an_unknown_one_is_refused(monkeypatch, capsys):
    code, error = main(monkeypatch, capsys, "chek")
    assert code == 2 and "check" in error
    code, error = main(monkeypatch, capsys, "check")
    assert code == 2 and "halfulp check" in error


def test_progress_is_shown_on_terminals_after_a_while(monkeypatch, capsys):
    from halfulp.cli import progress

    monkeypatch.setattr(progress, "PATIENCE_S", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("rich.console.Console.is_terminal", True)
    with progress.steps_on_stderr(False) as show:
        show("working")
    assert "working" in capsys.readouterr().err
    with progress.steps_on_stderr(True) as show:
        show("working")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress, "PATIENCE_S", 60.0)
    with progress.steps_on_stderr(False) as show:
        show("working")
    assert capsys.readouterr().err == ""


def test_a_count_becomes_the_time_left(monkeypatch, capsys):
    from halfulp.cli import progress

    monkeypatch.setattr(progress, "PATIENCE_S", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("rich.console.Console.is_terminal", True)
    clock = iter(range(0, 1000, 10))
    monkeypatch.setattr("time.monotonic", lambda: float(next(clock)))
    with progress.steps_on_stderr(False) as show:
        show(Stage("comparing op 0 of 4", 0, 4))  # at 10 s
        show(Stage("comparing op 1 of 4", 1, 4))  # at 20 s: three more of 10 s each
        show(Stage("comparing op 0 of 4", 0, 4))  # begins again
        show(Stage("comparing op 2 of 4", 2, 4))  # two in 10 s, two more
    assert re.findall(r"(\d+) s left", capsys.readouterr().err)[-1] == "10"


def test_audit_lists_formats_and_tolerance_prints_a_line(tmp_path):
    path = case_file(tmp_path, "(x.double() * 3).half().float()")
    found = run("audit", path)
    assert found.exit_code == 0
    assert "downcast" in found.output
    assert json.loads(run("audit", path, "--json", "--side", "expected").output)["entries"] == []
    refused = run("audit", path, "--side", "both")
    assert "Got --side both. Needed: actual or expected" in str(refused.exception)
    line = run("tolerance", path)
    assert line.output.startswith("torch.testing.assert_close(actual, expected, rtol=")
    wide = json.loads(run("tolerance", path, "--declared", "bfloat16", "--draws", "2", "--json").output)
    assert wide["rtol"] > 1000 * json.loads(run("tolerance", path, "--json").output)["rtol"]


def test_check_full_and_search(tmp_path):
    hidden = "torch.where(x.abs() < 50, x * 3, x * 3.01)"
    assert run("check", case_file(tmp_path, hidden), "--quiet").exit_code == 0
    searched = run("check", case_file(tmp_path, hidden), "--search", "--quiet")
    assert searched.exit_code == 1
    assert "On the given inputs the verdict is" in searched.output
    assert "permutations" in run("check", case_file(tmp_path), "--full").output


def test_bench_refuses_unknown_parts():
    assert "Got --part all. Needed: one of pairs, honest, sixteen bits, models, detection" in str(
        run("bench", "verdicts", "--part", "all").exception
    )


LINEAR = """
import torch
import torch.nn.functional as F
def actual(x, W, B): return x @ W.T + B
def expected(x, W, B): return F.linear(x, W, B)
def inputs(seed):
    torch.manual_seed(seed)
    return torch.randn(7, 500), torch.randn(20, 500), torch.randn(20)
"""


def test_order_says_both_orders_and_writes_programs_that_replay_them(tmp_path):
    (tmp_path / "case.py").write_text(LINEAR)
    result = run("order", tmp_path / "case.py", "--emit", tmp_path / "out", "--svg", tmp_path / "out", "--draw")
    assert result.exit_code == 0, result.output
    assert result.output.count("replaying reproduces all 140 outputs bit for bit") == 2
    assert result.output.count("result in every bit (140 of 140 elements)") == 2
    assert "`actual` against `expected`: " in result.output or "`actual` adds in this order: " in result.output  # as the library does it
    assert "terms: added from top to bottom" in result.output
    assert (tmp_path / "out" / "actual.svg").read_text().startswith("<svg")
    assert "def replay(x, W, B):" in (tmp_path / "out" / "replay_actual.py").read_text()


def test_equal_orders_are_one_family(tmp_path):
    (tmp_path / "case.py").write_text(LINEAR.replace("x @ W.T + B", "torch.addmm(B, x, W.T)"))
    output = run("order", tmp_path / "case.py").output
    assert "`actual` against `expected`: the same order" in output
    assert "They are one family" in output


def test_order_as_json_and_what_has_none(tmp_path):
    (tmp_path / "case.py").write_text(LINEAR.replace("x @ W.T + B", "torch.relu(x @ W.T + B)"))
    result = run("order", tmp_path / "case.py", "--json")
    content = json.loads(result.stdout)
    assert result.exit_code == 1
    assert content["orders"]["expected"]["proved"] is True
    assert "isn't linear" in content["problems"]["actual"]
    text = run("order", tmp_path / "case.py")
    assert "isn't linear" in text.output
    assert run("order", tmp_path / "case.py", "--side", "actual").exit_code == 2
    with pytest.raises(halfulp.errors.InputError, match="actual, expected or both"):
        CliRunner().invoke(app, ["order", str(tmp_path / "case.py"), "--side", "left"], catch_exceptions=False)


def test_order_of_something_scattered_writes_its_table(tmp_path):
    text = LINEAR.replace("x, W, B", "x").replace("x @ W.T + B", "torch.stack([x.diagonal(place).sum() for place in range(3)])")
    (tmp_path / "case.py").write_text(text.replace("torch.randn(7, 500), torch.randn(20, 500), torch.randn(20)", "(torch.randn(7, 8),)"))
    result = run("order", tmp_path / "case.py", "--side", "actual", "--emit", tmp_path)
    assert result.exit_code == 0 and "it gives actual's result in every bit (3 of 3 elements)" in result.output


def test_datasheet_is_printed_written_and_compared(tmp_path, monkeypatch):
    monkeypatch.setitem(properties.SECTIONS, "orders", lambda _: {})  # most of the time, five times over
    first, second = tmp_path / "a" / "one.json", tmp_path / "two.json"
    result = run("datasheet", "--backend", "numpy", "-f", "sqrt", "-o", first)
    assert result.exit_code == 0, result.output
    assert "Datasheet of numpy" in result.output
    assert "sqrt" in result.output
    same = run("datasheet", "diff", first, first)
    assert same.exit_code == 0
    assert "agree in every property" in same.output
    content = json.loads(first.read_text())
    content["properties"]["special values"]["NaN in sort"] = "first"
    second.write_text(json.dumps(content))
    other = run("datasheet", "diff", first, second)
    assert other.exit_code == 1
    assert "special values: NaN in sort: last  |  first" in other.output
    assert json.loads(run("datasheet", "--backend", "numpy", "-f", "sqrt", "--json").stdout)["library"] == "numpy"


def test_the_catalog_of_causes_is_listed_and_a_missing_file_is_told():
    listed = CliRunner().invoke(app, ["explain", "--catalog"])
    assert listed.exit_code == 0
    assert "layer epsilon" in listed.stdout and "RoPE layout" in listed.stdout
    missing = CliRunner().invoke(app, ["explain"])
    assert "Got nothing to run. Needed: a case file" in str(missing.exception)
