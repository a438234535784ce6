"""The pages under docs/found: each script says what it needs, compiles, and is shown on a page or named there, with what it prints."""

import ast
import re
import sys
from pathlib import Path

import pytest
from benchmarks.findings import FOUND, PRINTED, SCRIPTS, needed

IMPORTED = {"scikit-image": "skimage", "liger-kernel": "liger_kernel", "conch-triton-kernels": "conch", "fla-core": "fla"}
"""As what packages are imported whose names differ from it."""
PAGES = "\n".join(page.read_text(encoding="utf-8") for page in FOUND.glob("*.md"))


@pytest.mark.parametrize("script", sorted(SCRIPTS.glob("*.py")), ids=lambda script: script.stem)
def test_a_script_needs_packages_alone_and_stands_on_a_page(script: Path):
    packages = needed(script)
    assert any("==" in package for package in packages), "the package under test has a version"
    assert not any(package.startswith("halfulp") for package in packages)
    tree = ast.parse(script.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree)
    imported = {name.name.partition(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    imported |= {node.module.partition(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    named = {IMPORTED.get(name, name) for name in (re.split("[=<>~!]", package)[0] for package in packages)}
    assert imported - sys.stdlib_module_names <= named | {"numpy"}, "NumPy comes with each of them"
    assert f"found/scripts/{script.name}" in PAGES
    assert f"found/printed/{script.stem}.txt" in PAGES
    printed = (PRINTED / f"{script.stem}.txt").read_text(encoding="utf-8")
    assert printed.strip()
    assert not re.search("Traceback|Warning|/tmp", printed), "what the fault is, and nothing of the machine that ran it"


def test_nothing_is_kept_of_scripts_that_are_gone():
    assert {file.stem for file in PRINTED.iterdir()} == {script.stem for script in SCRIPTS.glob("*.py")}
