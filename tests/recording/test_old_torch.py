"""Recording runs where little is installed: on PyTorch and NumPy alone, and on the oldest PyTorch that is supported."""

import ast
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
import torch

import halfulp
from halfulp.traces import read_trace

SOURCES = Path(halfulp.__file__).parent

OLD = os.environ.get("HALFULP_TORCH_24", "")

IN_TORCH_2_4 = [
    "torch.SymBool",
    "torch.SymFloat",
    "torch.SymInt",
    "torch.Tensor",
    "torch._C.DisableTorchFunction",
    "torch._C._current_autograd_node",
    "torch.__file__",
    "torch._is_functional_tensor",
    "torch._subclasses.fake_tensor.FakeTensorMode",
    "torch.aminmax",
    "torch.autograd._get_sequence_nr",
    "torch.autograd.backward",
    "torch.bool",
    "torch.compiler.is_compiling",
    "torch.contiguous_format",
    "torch.device",
    "torch.dot",
    "torch.dtype",
    "torch.export.ExportedProgram",
    "torch.export.export",
    "torch.export.load",
    "torch.float32",
    "torch.float64",
    "torch.from_numpy",
    "torch.fx.Interpreter",
    "torch.fx.Node",
    "torch.get_autocast_dtype",
    "torch.inference_mode",
    "torch.initial_seed",
    "torch.int16",
    "torch.int32",
    "torch.int64",
    "torch.int8",
    "torch.is_autocast_enabled",
    "torch.is_grad_enabled",
    "torch.is_inference_mode_enabled",
    "torch.isfinite",
    "torch.isinf",
    "torch.isnan",
    "torch.layout",
    "torch.linalg.vector_norm",
    "torch.manual_seed",
    "torch.memory_format",
    "torch.multiprocessing.reductions.StorageWeakRef",
    "torch.nn",
    "torch.nn.Module",
    "torch.nn.Module.__call__",
    "torch.no_grad",
    "torch.ones_like",
    "torch.ops._c10d_functional.wait_tensor",
    "torch.optim.Optimizer",
    "torch.optim.optimizer.register_optimizer_step_post_hook",
    "torch.optim.optimizer.register_optimizer_step_pre_hook",
    "torch.set_grad_enabled",
    "torch.strided",
    "torch.uint8",
    "torch.utils._python_dispatch.TorchDispatchMode",
    "torch.utils._pytree",
    "torch.utils._pytree.tree_flatten",
    "torch.utils._pytree.tree_unflatten",
    "torch.view_as_real",
]
"""Each was looked up in PyTorch 2.4.1 (`test_the_list_is_true_of_the_old_version` does it again)."""

PROGRAM = """
    import sys
    import torch
    from torch import nn
    from halfulp.recording import record

    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
    x = torch.arange(24.0).reshape(6, 4) / 8
    trace = record(model, x, sys.argv[1], level="tensors", optimizer=torch.optim.SGD(model.parameters(), lr=0.5))
    assert "halfulp" in sys.modules
    print(torch.__version__, len(trace.ops))
"""

BARE = """
    import sys
    from importlib.machinery import PathFinder

    NAMES = ("numba", "llvmlite", "rich", "typer", "click", "safetensors", "jinja2", "scipy", "pandas")

    class Refused(PathFinder):
        @classmethod
        def find_spec(cls, name, path=None, target=None):
            return None if name.split(".")[0] in NAMES else PathFinder.find_spec(name, path, target)

    sys.meta_path[:] = [Refused if each is PathFinder else each for each in sys.meta_path]
    for name in NAMES:
        try:
            __import__(name)
        except ModuleNotFoundError:
            continue
        raise SystemExit(f"{name} is still there")
"""


def run(program, *arguments, python=sys.executable, **environment):
    ended = subprocess.run(
        [python, "-c", program, *map(str, arguments)], capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def names_of(tree):
    """The full names of all that a module takes from torch: imports and attribute paths."""
    known, found, inner = {}, set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "torch":
                    known[alias.asname or "torch"] = alias.name if alias.asname else "torch"
        elif isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").split(".")[0] == "torch":
            for alias in node.names:
                known[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                found.add(f"{node.module}.{alias.name}")
    for node in ast.walk(tree):  # breadth first: the longest path of a chain comes before its parts
        if not isinstance(node, ast.Attribute) or id(node) in inner:
            continue
        parts, part = [], node
        while isinstance(part, ast.Attribute):
            inner.add(id(part))
            parts.append(part.attr)
            part = part.value
        if isinstance(part, ast.Name) and part.id in known:
            found.add(".".join([known[part.id], *reversed(parts)]))
    return found


def test_names_are_collected_from_imports_and_attributes():
    tree = ast.parse("import torch\nfrom torch import nn\nfrom torch.x import y as z\ndef f(a: nn.Module): return torch.a.b(a.c).d, z.e\n")
    assert names_of(tree) == {"torch.nn", "torch.x.y", "torch.nn.Module", "torch.a.b", "torch.x.y.e"}


def test_recording_uses_only_what_the_oldest_version_has():
    files = sorted((SOURCES / "recording").glob("*.py"))
    assert len(files) > 6
    found = set().union(*(names_of(ast.parse(path.read_text())) for path in files))
    assert len(found) > 20
    assert not found - set(IN_TORCH_2_4)


def test_recording_and_traces_import_only_torch_and_numpy():
    allowed = {"torch", "numpy", *sys.stdlib_module_names}
    for folder in ("recording", "traces"):
        for path in (SOURCES / folder).glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                names += [node.module] if isinstance(node, ast.ImportFrom) and not node.level else []
                assert {name.split(".")[0] for name in names} <= allowed, path


def check_the_trace(folder):
    """What PROGRAM recorded, read by this process."""
    trace = read_trace(folder)
    assert not trace.is_partial and not trace.notes
    assert [step.module for step in trace.steps if step.kind == "module" and step.phase == "forward"] == ["0", "1", "2", "3", ""]
    assert {step.phase for step in trace.ops} == {"forward", "backward", "step"}
    for step in trace.ops:
        if step.name in ("mm", "threshold_backward", "native_batch_norm_backward"):
            assert step.forward is not None and step.module == trace.steps[step.forward].module != ""
    x = np.arange(24, dtype=np.float32).reshape(6, 4) / 8
    np.testing.assert_array_equal(trace.stored(next(value.number for value in trace.values if value.role == "input")), x)
    before = {value.name: value for value in trace.values if value.role in ("parameter", "buffer") and value.name}
    for name in ("0.weight", "0.bias", "1.weight", "1.bias", "3.weight", "3.bias"):
        assert trace.values[trace.named[name]].hash != before[name].hash
        assert f"{name}.grad" in trace.named
    assert trace.values[trace.named["1.running_mean"]].hash != next(value.hash for value in trace.values if value.name == "1.running_mean")
    result = next(step for step in reversed(trace.ops) if step.name == "addmm")
    assert trace.named["output"] == result.outputs[0]
    return trace


def test_recording_needs_nothing_but_torch_and_numpy(tmp_path):
    out = run(textwrap.dedent(BARE) + textwrap.dedent(PROGRAM), tmp_path / "t")
    trace = check_the_trace(tmp_path / "t")
    assert out.split() == [torch.__version__, str(len(trace.ops))]


old = pytest.mark.skipif(
    not (OLD and Path(OLD).is_file()), reason="HALFULP_TORCH_24 does not name a Python interpreter that has PyTorch 2.4 (and NumPy)"
)


@old
def test_recording_works_on_the_oldest_version(tmp_path):
    out = run(textwrap.dedent(PROGRAM), tmp_path / "t", python=OLD, PYTHONPATH=str(SOURCES.parent))
    assert out.startswith("2.4.")
    trace = check_the_trace(tmp_path / "t")
    assert trace.fingerprint.sections["packages"]["torch"].startswith("2.4.")


@old
def test_traces_of_the_oldest_and_this_version_compare(tmp_path):
    run(textwrap.dedent(PROGRAM), tmp_path / "old", python=OLD, PYTHONPATH=str(SOURCES.parent))
    run(textwrap.dedent(PROGRAM), tmp_path / "new")
    origin = halfulp.locate(tmp_path / "old", tmp_path / "new")
    assert origin.acceptable is True and origin.module is None
    assert "packages: torch" in {name for name, _, _ in origin.settings}


@old
def test_the_list_is_true_of_the_old_version():
    program = """
        import importlib, sys, torch
        assert torch.__version__.startswith("2.4."), torch.__version__
        missing = []
        for name in sys.argv[1:]:
            parts = name.split(".")
            for count in range(len(parts), 0, -1):
                try:
                    here = importlib.import_module(".".join(parts[:count]))
                    break
                except ImportError:
                    continue
            try:
                for part in parts[count:]:
                    here = getattr(here, part)
            except AttributeError:
                missing.append(name)
        print("missing", missing)
    """
    assert run(textwrap.dedent(program), *IN_TORCH_2_4, python=OLD).strip() == "missing []"
