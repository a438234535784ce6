"""The order of the folders, checked by import-linter; and that the check can fail."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LINT = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]


def lint(folder):
    return subprocess.run(LINT, cwd=folder, capture_output=True, text=True, check=False)


def test_imports_point_only_to_folders_above():
    found = lint(ROOT)
    assert found.returncode == 0, found.stdout


def test_an_import_against_the_order_is_seen(tmp_path):
    package = tmp_path / "stacked"
    for name in ("lower", "upper"):
        (package / name).mkdir(parents=True)
        (package / name / "__init__.py").write_text("")
    (package / "__init__.py").write_text("")
    (package / "lower" / "__init__.py").write_text("from stacked import upper\n")
    (tmp_path / ".importlinter").write_text(
        "[importlinter]\nroot_package = stacked\n[importlinter:contract:1]\nname = order\ntype = layers\nlayers =\n    stacked.upper\n    stacked.lower\n"
    )
    assert lint(tmp_path).returncode != 0
