"""halfulp env and halfulp backends, which look at this machine."""

import importlib.metadata
import json

from typer.testing import CliRunner

from halfulp.cli import app
from halfulp.errors import InputError


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_env_show_prints_every_section():
    shown = run("env", "show")
    assert shown.exit_code == 0
    assert "torch" in shown.output and "numpy" in shown.output


def test_env_diff_of_a_machine_with_itself_finds_nothing():
    found = run("env", "diff", "here", "here")
    assert found.exit_code == 0 and found.output == "The settings, versions and hardware are the same.\n"
    assert json.loads(run("env", "diff", "here", "here", "--json").output) == []


def test_env_diff_names_what_differs_in_columns(tmp_path):
    stored = json.loads(run("doctor", "--json").output)

    def changed(tree):
        if isinstance(tree, dict):
            return {key: changed(value) for key, value in tree.items()}
        return "0.0.1" if tree == _version() else tree

    other = tmp_path / "other.json"
    other.write_text(json.dumps(changed(stored)))
    found = run("env", "diff", other, "here")
    assert found.exit_code == 1
    heading, *lines = found.output.splitlines()
    assert heading.split() == ["other.json", "here"]
    assert any("0.0.1" in line and _version() in line for line in lines)
    entries = json.loads(run("env", "diff", other, "here", "--json").output)
    assert {"first": "0.0.1", "second": _version()}.items() <= {
        k: v for entry in entries if entry["first"] == "0.0.1" for k, v in entry.items()
    }.items()


def _version():
    """As the package says it, which leaves out what a build of CUDA adds."""
    return importlib.metadata.version("torch")


def test_backends_are_listed_without_being_measured():
    listed = run("backends", "--no-measure")
    assert listed.exit_code == 0 and "onnxruntime" in listed.output
    content = json.loads(run("backends", "--no-measure", "--json").output)
    assert content["schema"] == 1 and all(entry["habits"] is None for entry in content["backends"].values())


def test_what_comes_with_pytorch_cannot_be_installed():
    refused = run("backends", "install", "numpy")
    assert isinstance(refused.exception, InputError) or refused.exit_code == 2
    assert "numpy to install" in (str(refused.exception) + refused.output)
