"""Environment: a backend's own folder of packages, for those that can't live beside others.

It lies over the environment that made it: what is installed there (PyTorch, halfulp) is seen through, what is installed here comes first.
So an environment costs no second PyTorch, and a package that pins another version of something gets it.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import site
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from ...errors import BackendError, InputError
from ...files import write_file

MANIFEST = "halfulp-environment.json"


def home() -> Path:
    """Where environments lie: HALFULP_HOME, or the user's folder for data."""
    named = os.environ.get("HALFULP_HOME")
    if named:
        return Path(named)
    from platformdirs import user_data_path

    return user_data_path("halfulp")


def environment_of(name: str) -> Environment:
    """The environment of a backend, for this version of Python; it may not have been made."""
    tag = f"py{sys.version_info.major}{sys.version_info.minor}"
    return Environment(name, home() / "backends" / f"{name}-{tag}")


@dataclass(frozen=True)
class Environment:
    """One environment.

    Attributes:
        name: of the backend. folder: where it lies, made or not.
    """

    name: str
    folder: Path

    def python(self) -> Path | None:
        """Its interpreter; None where it was not made, or not for the environment that runs now."""
        content = self._manifest()
        if content is None or content.get("parents") != _parents():
            return None
        found = self.folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
        return found if found.exists() else None

    def version(self) -> str:
        """The version of its main package; "" where it was not made."""
        content = self._manifest() or {}
        return str(content.get("version", ""))

    def install(
        self, requirements: Sequence[str], main: str, *, constraints: Path | None = None, progress: Callable[[str], None] | None = None
    ) -> None:
        """Make it, or bring what was interrupted to its end.

        Args:
            requirements: what pip installs. main: the distribution whose version is that of the backend. constraints: a file of versions. progress: told each step with the seconds so far.

        Raises:
            BackendError: it can't be made; what pip said last is in the message.
        """
        start = time.monotonic()

        def told(words: str) -> None:
            if progress is not None:
                progress(f"{self.name}: {words} ({time.monotonic() - start:.0f} s)")

        with contextlib.suppress(FileNotFoundError):
            (self.folder / MANIFEST).unlink()
        told("making the environment")
        python = self.folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
        if not python.exists():
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            self._run([sys.executable, "-m", "venv", str(self.folder)], told)
        packages = self._packages(python)
        parents = _parents()
        lines = "".join(f"site.addsitedir({parent!r});" for parent in parents)
        (packages / "zz_halfulp_parent.pth").write_text(f"import site; {lines}\n", encoding="utf-8")
        command = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--progress-bar", "off"]
        if constraints is not None:
            command += ["-c", str(constraints)]
        self._run([*command, *requirements], told)
        content = {"name": self.name, "requirements": list(requirements), "parents": parents, "version": _version(packages, main)}
        write_file(self.folder / MANIFEST, json.dumps(content, indent=1))
        told("ready")

    def remove(self) -> None:
        """Delete it.

        Raises:
            BackendError: there is a folder of that name, but it is no environment.
        """
        if not self.folder.exists():
            return
        if self.folder.is_symlink() or not any((self.folder / name).is_file() for name in ("pyvenv.cfg", MANIFEST)):
            raise BackendError(
                f"Got {self.folder}, which is not a Python environment. Needed: one that `halfulp backends install` made. Nothing was removed. "
                "Check the folder that HALFULP_HOME names."
            )
        shutil.rmtree(self.folder)

    def _manifest(self) -> dict[str, Any] | None:
        try:
            return dict(json.loads((self.folder / MANIFEST).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def _packages(self, python: Path) -> Path:
        code = "import sysconfig; print(sysconfig.get_path('purelib'))"
        return Path(subprocess.run([str(python), "-I", "-c", code], capture_output=True, text=True, check=True).stdout.strip())

    def _run(self, command: Sequence[str], told: Callable[[str], None]) -> None:
        lines: list[str] = []
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", env=environment
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                lines.append(line.strip())
                if line.startswith(("Collecting", "Installing", "Downloading", "  Downloading", "Building")):
                    told(line.strip()[:100])
        if process.returncode:
            said = " | ".join(name for name in lines[-4:] if name)[:600]
            raise BackendError(
                f"Got exit code {process.returncode} while making the environment for {self.name} in {self.folder}: {said}. "
                "Needed: packages that pip can install. Nothing else was changed. Fix the cause, then run `halfulp "
                f"backends install {self.name}` again; it continues where it stopped."
            )


def requirements_of(extra: str) -> list[str]:
    """What an extra of halfulp asks for: the versions are said once, in its metadata.

    Raises:
        InputError: halfulp has no such extra, or it brings nothing on this system.
    """
    from packaging.requirements import Requirement

    found: list[str] = []
    requirements = list(map(Requirement, metadata.requires("halfulp") or []))
    for requirement in requirements:
        if (
            requirement.marker is not None
            and requirement.marker.evaluate({"extra": extra})
            and not requirement.marker.evaluate({"extra": ""})
        ):
            found.append(
                f"{requirement.name}{'[' + ','.join(sorted(requirement.extras)) + ']' if requirement.extras else ''}{requirement.specifier}"
            )
    elsewhere = [
        f"{requirement.name} ({requirement.marker})" for requirement in requirements if f'extra == "{extra}"' in str(requirement.marker)
    ]
    if not found and elsewhere:
        raise InputError(
            f"Got the extra {extra!r} on {sys.platform}. Needed: a system that its packages are made for: {', '.join(elsewhere)}. There are no packages to "
            "install here. Run this on one of those systems."
        )
    if not found:
        raise InputError(
            f"Got the extra {extra!r}. Needed: one that halfulp has. This installation knows none of that name. Reinstall halfulp."
        )
    return found


def _version(packages: Path, distribution: str) -> str:
    found = [
        installed
        for installed in metadata.distributions(path=[str(packages)])
        if _canonical(installed.metadata["Name"]) == _canonical(distribution)
    ]
    return found[0].version if found else ""


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _parents() -> list[str]:
    """The folders of packages that this interpreter sees."""
    candidates = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    candidates += [getsitepackage for getsitepackage in site.getsitepackages() if getsitepackage in sys.path]
    if site.ENABLE_USER_SITE and site.getusersitepackages() in sys.path:
        candidates.append(site.getusersitepackages())
    return [candidate for candidate in dict.fromkeys(candidates) if Path(candidate).is_dir()]
