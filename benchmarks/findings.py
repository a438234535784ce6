"""Do the findings under docs/found still show, by their scripts alone, each in a fresh environment?

A script names what it needs at its top (PEP 723), prints what it found, and ends with a status of 1 where the fault shows, with 0 where it does not.
Scripts that need the same packages, or some of them, share an environment, which is made from nothing and thrown away. What they print is kept in docs/found/printed, from
where the pages show it.

    python -m benchmarks.findings [--write] [--only NAME]
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from halfulp.files import write_file

FOUND = Path(__file__).parents[1] / "docs" / "found"
SCRIPTS, PRINTED = FOUND / "scripts", FOUND / "printed"
HEAD = re.compile(r"^# /// script\n# dependencies = (?P<needed>\[.*\])\n# ///$", re.MULTILINE)
CPU_INDEX = ("--extra-index-url", "https://download.pytorch.org/whl/cpu", "--retries", "0", "--timeout", "20")
"""PyTorch's own index has builds without CUDA, gigabytes smaller."""
LIMIT_S = 600


def needed(script: Path) -> tuple[str, ...]:
    """What a script asks for.

    Raises:
        SystemExit: if it does not say.
    """
    head = HEAD.search(script.read_text(encoding="utf-8"))
    if head is None:
        sys.exit(f"{script} does not say what it needs: it begins with `# /// script`, `# dependencies = [...]`, `# ///`.")
    return tuple(re.findall(r'"([^"]+)"', head["needed"]))


def made(folder: Path, packages: tuple[str, ...]) -> Path:
    """The interpreter of a fresh environment with these packages."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    torch = [package for package in packages if package.startswith("torch==")]
    for some, more in ((torch, CPU_INDEX), (packages, ())):
        if some:
            subprocess.run([*install, *some, *more], check=True, stderr=subprocess.DEVNULL)
    return python


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="keep what is printed")
    parser.add_argument("--only", default="", help="scripts whose name contains this")
    options = parser.parse_args()
    scripts = [script for script in sorted(SCRIPTS.glob("*.py")) if options.only in script.stem]
    shown = same = 0
    sets = {needed(script) for script in scripts}
    largest = {some: max((other for other in sets if set(some) <= set(other)), key=len) for some in sets}
    for packages in sorted(set(largest.values())):
        with tempfile.TemporaryDirectory() as folder:
            python = made(Path(folder), packages)
            for script in [script for script in scripts if largest[needed(script)] == packages]:
                # Isolated, and without this repository's folder: nothing but the packages can be imported.
                ran = subprocess.run(
                    [python, "-I", "-W", "ignore", script], cwd=folder, capture_output=True, text=True, timeout=LIMIT_S, check=False
                )
                text = ran.stdout + ran.stderr
                kept = PRINTED / f"{script.stem}.txt"
                is_same = kept.is_file() and kept.read_text(encoding="utf-8") == text
                shows = ran.returncode == 1 and "Traceback" not in text
                if options.write and shows:
                    write_file(kept, text)
                shown, same = shown + shows, same + is_same
                said = "shows" if shows else f"does not show (status {ran.returncode})"
                print(
                    f"{script.stem:28} {said}, {'as printed' if is_same else 'otherwise than printed'}   ({', '.join(packages)})",
                    flush=True,
                )
                if not shows:
                    print(text)
    print(f"figure findings_that_show {shown}/{len(scripts)} scripts")
    print(f"figure findings_as_printed {same}/{len(scripts)} scripts")  # the last digits of errors depend on the processor
    sys.exit(int(shown < len(scripts)))


if __name__ == "__main__":
    main()
