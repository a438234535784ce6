"""Two traces are compared where neither PyTorch nor anything but NumPy is installed, with the same answer."""

import json
import os
import subprocess
import sys
import textwrap

import pytest
import torch
from benchmarks.verdicts.rewrites import onednn
from torch import nn

import halfulp
from halfulp.recording import record

BARE = """
    import json, sys
    import importlib.abc

    NAMES = ("torch", "numba", "rich", "typer", "safetensors", "jinja2", "llvmlite")
    HOW = sys.argv[1]
    if HOW == "none":
        for name in NAMES:
            sys.modules[name] = None
    else:
        from importlib.machinery import PathFinder

        class NotInstalled(PathFinder):
            @classmethod
            def find_spec(cls, name, path=None, target=None):
                return None if name.split(".")[0] in NAMES else PathFinder.find_spec(name, path, target)

        sys.meta_path[:] = [NotInstalled if each is PathFinder else each for each in sys.meta_path]
        for name in NAMES:
            try:
                __import__(name)
            except ModuleNotFoundError:
                continue
            raise SystemExit(f"{name} is still there")
    import halfulp
    origin = halfulp.locate(sys.argv[2], sys.argv[3])
    loaded = [name for name in NAMES if sys.modules.get(name) is not None]
    print(json.dumps({"origin": json.loads(origin.to_json()), "loaded": loaded, "text": str(origin)}))
"""

RECORDING = """
    import sys
    import torch
    from torch import nn
    from halfulp.recording import record

    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 32), nn.LayerNorm(32, eps=float(sys.argv[2])), nn.GELU(), nn.Linear(32, 4))
    with torch.backends.mkldnn.flags(enabled=sys.argv[3] == "on"):
        record(model, torch.randn(8, 16), sys.argv[1], level="tensors", gradients=True)
"""


class Model(nn.Module):
    def __init__(self, eps):
        super().__init__()
        torch.manual_seed(0)
        self.convolution = nn.Conv2d(3, 8, 3, padding=1)
        self.fc = nn.Linear(8 * 36, 32)
        self.norm = nn.LayerNorm(32, eps=eps)
        self.head = nn.Linear(32, 4)

    def forward(self, x):
        y = torch.relu(self.convolution(x)).flatten(1)
        return self.head(torch.nn.functional.gelu(self.norm(self.fc(y))))


def bare(actual, expected, how):
    """locate in a process where only NumPy can be imported."""
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(BARE), how, str(actual), str(expected)], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert found["loaded"] == []
    return found


@pytest.fixture(scope="module")
def traces(tmp_path_factory):
    """With oneDNN; without it; without it and with the eps of another model."""
    folder = tmp_path_factory.mktemp("traces")
    x = torch.randn(4, 3, 6, 6, generator=torch.Generator().manual_seed(5))
    record(Model(1e-5), x, folder / "on", level="tensors", gradients=True)
    with onednn(False):
        record(Model(1e-5), x, folder / "off", level="tensors", gradients=True)
        record(Model(1e-2), x, folder / "fault", level="tensors", gradients=True)
    return folder


@pytest.mark.parametrize("how", ["none", "not installed"])
@pytest.mark.parametrize(
    ("actual", "expected", "module"), [("fault", "on", "norm"), ("off", "on", None), ("on", "on", None), ("fault", "off", "norm")]
)
def test_the_origin_is_the_same_as_with_everything_installed(traces, how, actual, expected, module):
    here = json.loads(halfulp.locate(traces / actual, traces / expected).to_json())
    found = bare(traces / actual, traces / expected, how)
    there = found["origin"]
    assert here["module"] == there["module"] == module
    for key in ("op", "phase", "source", "verdict", "acceptable", "because", "settings", "added", "inherited", "first_bits", "segment"):
        assert there[key] == here[key], key
    assert [(point["step"], point["output"], point["counterpart"], point["verdict"]) for point in there["walk"]] == [
        (point["step"], point["output"], point["counterpart"], point["verdict"]) for point in here["walk"]
    ]
    assert (module or "ROUNDING" in found["text"] or "IDENTICAL" in found["text"]) and "\n" not in there["because"]
    if module:
        assert "norm" in found["text"] and there["op"] == "aten.native_layer_norm.default" and there["acceptable"] is False
    else:
        assert there["acceptable"] is True


def test_the_setting_that_differs_is_named(traces):
    settings = {name: (one, other) for name, one, other in bare(traces / "off", traces / "on", "none")["origin"]["settings"]}
    assert list(settings) == ["torch: oneDNN"]
    assert settings["torch: oneDNN"][0].endswith("off") and settings["torch: oneDNN"][1].endswith("on")
    assert bare(traces / "on", traces / "on", "none")["origin"]["settings"] == []


def test_variables_of_the_environment_and_switches_are_both_named(tmp_path):
    """Two machines, as far as one can be two."""
    (tmp_path / "program.py").write_text(textwrap.dedent(RECORDING))
    plain = {key: value for key, value in os.environ.items() if key != "MKL_CBWR"}
    for name, eps, switch, variables in (("a", "1e-3", "off", {"MKL_CBWR": "COMPATIBLE"}), ("b", "1e-5", "on", {})):
        ended = subprocess.run(
            [sys.executable, str(tmp_path / "program.py"), str(tmp_path / name), eps, switch], env={**plain, **variables}, capture_output=True,
            text=True, check=False,
        )  # fmt: skip
        assert ended.returncode == 0, ended.stderr
    origin = bare(tmp_path / "a", tmp_path / "b", "not installed")["origin"]
    assert (origin["module"], origin["op"], origin["acceptable"]) == ("1", "aten.native_layer_norm.default", False)
    settings = {name: (one, other) for name, one, other in origin["settings"]}
    assert settings["environment variables: MKL_CBWR"] == ("COMPATIBLE", "-")
    assert settings["torch: oneDNN"][0].endswith("off") and settings["torch: oneDNN"][1].endswith("on")
    assert list(settings)[0] == "environment variables: MKL_CBWR"  # most likely culprits first


def test_hashes_are_compared_without_anything_too(tmp_path):
    x = torch.randn(4, 3, 6, 6)
    for name, eps in (("a", 1e-2), ("b", 1e-5)):
        record(Model(eps), x, tmp_path / name, level="hash")
    found = bare(tmp_path / "a", tmp_path / "b", "none")["origin"]
    assert found["first_bits"]["module"] == "norm" and found["acceptable"] is None and found["module"] is None
