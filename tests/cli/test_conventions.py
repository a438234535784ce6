"""What every command has in common: -h, flags without types, --json with and without a path, short names of formats, the next command."""

import json

import pytest
from typer.testing import CliRunner

from halfulp.cli import COMMANDS, GROUPS, app
from halfulp.cli.commands import with_json_path
from halfulp.floats.formats import format_named

RUN = CliRunner()
EQUAL = ("check", "x * 2", "x + x", "-i", "x=randn(4)")
APART = ("check", "x * 2.1", "x + x", "-i", "x=randn(4)")


@pytest.mark.parametrize("name", [*COMMANDS, *GROUPS])
def test_short_help_names_no_type_for_flags(name):
    found = RUN.invoke(app, [name, "-h"])
    assert found.exit_code == 0 and "<bool>" not in found.output and "Usage" in found.output


def test_json_with_a_path_is_written_and_without_printed(tmp_path):
    written = RUN.invoke(app, [*EQUAL, "--json", str(tmp_path / "out.json"), "-q"])
    assert written.exit_code == 0 and written.stdout.startswith("IDENTICAL")
    assert json.loads((tmp_path / "out.json").read_text())["verdict"] == "IDENTICAL"
    assert json.loads(RUN.invoke(app, [*EQUAL, "--json"]).stdout)["kind"] == "check"
    assert json.loads(RUN.invoke(app, ["check", "--json", *EQUAL[1:]]).stdout)["kind"] == "check"


def test_what_follows_json_is_its_path_only_where_it_ends_so():
    assert with_json_path(["--json", "case.py"]) == ["--json", "-", "case.py"]
    assert with_json_path(["--json", "a.json", "--json"]) == ["--json", "a.json", "--json", "-"]
    assert with_json_path(["--", "--json"]) == ["--", "--json"]


def test_json_that_cannot_be_written_is_refused_before_the_work(tmp_path):
    (tmp_path / "out.json").mkdir()
    found = RUN.invoke(app, [*EQUAL, "--json", str(tmp_path / "out.json")])
    assert found.stdout == "" and "is a folder" in str(found.exception)


@pytest.mark.parametrize(("short", "name"), [("fp16", "float16"), ("bf16", "bfloat16"), ("fp32", "float32"), ("fp64", "float64")])
def test_names_that_everybody_types(short, name):
    assert format_named(short).name == name


def test_the_next_command_is_filled_in():
    found = RUN.invoke(app, APART)
    assert "To find the cause: halfulp explain 'x * 2.1' 'x + x' -i 'x=randn(4)'" in found.stdout.replace("\n", " ")
    located = RUN.invoke(app, ["locate", *APART[1:]])
    assert "To find the cause: halfulp explain 'x * 2.1' 'x + x' -i 'x=randn(4)'" in located.stdout.replace("\n", " ")


def test_compare_with_limits_gates_a_script(tmp_path):
    import numpy as np

    numpy_file = [tmp_path / "a.npy", tmp_path / "b.npy"]
    np.save(numpy_file[0], np.float32([1.0, 2.0]))
    np.save(numpy_file[1], np.array([1.0, 2.002]))
    names = [str(path) for path in numpy_file]
    codes = [
        RUN.invoke(app, ["compare", *names, *limit]).exit_code
        for limit in ((), ("--rtol", "0.01"), ("--rtol", "1e-5"), ("--max-ulps", "1"))
    ]
    assert codes == [3, 0, 1, 1]


def test_a_quiet_comparison_is_its_answer(tmp_path):
    import numpy as np

    np.save(tmp_path / "a.npy", np.float32([1.0, 2.0]))
    np.save(tmp_path / "b.npy", np.float32([1.0, 2.0000002]))
    lines = RUN.invoke(app, ["compare", str(tmp_path / "a.npy"), str(tmp_path / "b.npy"), "-q"]).output.splitlines()
    assert lines[0] == "1 of 2 elements (50.0 %) differs, by up to 1 ulp and 2.38e-07 in absolute terms."
    assert lines[1].startswith("These are numbers, not a verdict.") and not any("worst elements" in line for line in lines)
