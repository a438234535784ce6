"""Every mode that watches ops is a `DispatchMode`: PyTorch's own base loads torch.compile at the first op, for two seconds."""

import ast
from pathlib import Path

import halfulp

SOURCE = Path(halfulp.__file__).parent


def derived(source):
    """The classes that derive from PyTorch's own mode."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef) and any(ast.unparse(base).endswith("TorchDispatchMode") for base in node.bases):
            yield node.name


def test_no_mode_derives_from_pytorchs_own():
    found = {str(path): names for path in SOURCE.rglob("*.py") if (names := [*derived(path.read_text())]) and path.name != "dispatch.py"}
    assert not found


def test_the_fence_can_fail():
    assert [*derived("class Watch(TorchDispatchMode): ...")] == ["Watch"]
    assert [*derived("class Watch(torch.utils._python_dispatch.TorchDispatchMode): ...")] == ["Watch"]
    assert not [*derived("class Watch(DispatchMode): ...")]
