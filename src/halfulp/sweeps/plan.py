"""Plan: what a sweep checks, read from a TOML or a Python file."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..files import path_of, reason_of
from ..process.versions import versions
from .case_sources import KINDS, Group, Source, source_class
from .case_sources.python_cases import names_of
from .packages import packages_of

SECONDS = 60.0
"""How long a case may take. Most take a hundredth of a second; one that takes a minute hangs, or is too large for a sweep."""
MEMORY_GB = 8.0
"""How much memory the process of a case may take, beyond what it begins with."""


@dataclass(frozen=True)
class Plan:
    """What a sweep checks.

    Attributes:
        name: of the sweep; runs of one name are compared with each other.
        sources: for each source its kind under "source", and its arguments.
        seed: of the inputs. seconds, memory_gb: what a case may take.
        resources: what a case needs of a cluster, by Ray's names: {"GPU": 1, "memory": 4e9}; a processor by default.
        environments: name -> environment variables. Every case is run with each of them, in processes of their own.
        explain_s: seconds that explaining a finding may take; 0 explains nothing.
        packages: what is under test, by the names that pip knows: their versions are kept with each result. A plan that is read from a file has
            those that its Python files import, too.
    """

    name: str
    sources: Sequence[Mapping[str, Any]]
    seed: int = 0
    seconds: float = SECONDS
    memory_gb: float = MEMORY_GB
    resources: Mapping[str, float] = field(default_factory=dict)
    environments: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: {"": {}})
    explain_s: float = 20.0
    packages: Sequence[str] = ()

    @property
    def digest(self) -> str:
        """The same for the same plan, files that its cases are read from, and versions of packages."""
        packages = {name: version for name, version in versions(*self.packages).items() if name not in ("system", "processor")}
        found = hashlib.sha256(json.dumps([dataclasses.asdict(self), packages], sort_keys=True, default=str).encode())
        for file in sorted({file for part in range(len(self.sources)) for file in self.source(part).paths()}):
            found.update(str(file).encode() + b"\0" + (file.read_bytes() if file.is_file() else b""))
        return found.hexdigest()[:16]

    def source(self, part: int) -> Source:
        """The source at a place.

        Raises:
            InputError: an argument that it doesn't have, or of another type.
        """
        return _source(json.dumps(dict(self.sources[part]), sort_keys=True), part)

    def groups(self) -> Iterator[Group]:
        """All groups, one environment after the other: a process has one.

        Raises:
            InputError: there are none, or two are the same.
        """
        every = [group for part in range(len(self.sources)) for group in self.source(part).groups()]
        seen: dict[str, Group] = {}
        for group in every:
            if (other := seen.setdefault(group.key, group)) is not group:
                raise InputError(
                    f"Got {group.subject} of the source {group.source} twice in the plan {self.name}, from its sources {other.part + 1} and {group.part + 1}. "
                    "Needed: each subject once for each pair of sides and dtype. Its cases would be confused with each other. Take it out of one of them."
                )
        if not every:
            raise InputError(
                f"Got the plan {self.name}, whose sources have no cases. Needed: at least one subject. Nothing would be checked. Change the "
                "patterns, or `subjects`."
            )
        for name in self.environments:
            for group in every:
                yield dataclasses.replace(group, environment=name)

    def to_json(self) -> str:
        """What `from_json` reads: for processes that work on the plan."""
        return json.dumps(dataclasses.asdict(self))

    @staticmethod
    def from_json(text: str) -> Plan:
        """The plan that `to_json` wrote."""
        return Plan(**json.loads(text))


@functools.cache
def _source(table: str, part: int) -> Source:
    from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config

    arguments = json.loads(table)
    kind = arguments.pop("source", None)
    if kind not in KINDS:
        raise InputError(f"Got the source {kind!r}. Needed: one of {', '.join(KINDS)}. Each says where cases come from. Name one of them.")
    chosen = source_class(kind)
    names = [each.name for each in dataclasses.fields(chosen) if each.name != "part"]
    if wrong := [name for name in arguments if name not in names]:
        raise InputError(f"Got {wrong[0]!r} for the source {kind}. Needed: one of {', '.join(names)}. It has no other. Check the spelling.")
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(with_config(ConfigDict(arbitrary_types_allowed=True))(chosen))
        return adapter.validate_python({**arguments, "part": part})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(
            f"Got {str(first['input'])[:60]!r} for {where} of the source {kind}: {first['msg'].lower()}. Needed: a value of that kind. The plan "
            "can't be read otherwise. Change it."
        ) from error


def read_plan(path: str | Path) -> Plan:
    """The plan in a file.

    Args:
        path: a TOML file with the attributes of `Plan`, where `sources` is a list of tables (`[[sources]]`); or a Python file that defines
            `subjects` and `cases(subject, seed)`, and those attributes as it likes.

    Raises:
        InputError: the file is missing, can't be read, or holds something else; the message says what.
    """
    file = path_of(path)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = reason_of(error) if isinstance(error, OSError) else "not UTF-8 text"
        raise InputError(
            f"Got the plan {file}, which can't be read ({why}). Needed: a TOML or a Python file. It says what is checked. Check the path."
        ) from error
    content = _of_python(file) if file.suffix == ".py" else _of_toml(text, file)
    return _checked(content, file)


def _of_toml(text: str, file: Path) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib  # pyright: ignore[reportMissingImports]
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(
            f"Got the plan {file}, which is not TOML ({error}). Needed: TOML, or a Python file with the suffix .py. Nothing was run. Fix the line."
        ) from error
    return _with_places(content, file)


def _with_places(content: dict[str, Any], file: Path) -> dict[str, Any]:
    """The plan with paths that start from its own folder made whole."""
    sources = content.get("sources")
    found: list[Any] = []
    for source in sources if isinstance(sources, (list, tuple)) else ():
        kind = source.get("source") if isinstance(source, dict) else ""
        name, default = ("file", "") if kind == "cases" else ("folder", ".")
        has_place = kind in ("cases", "files", "kernels", "pytest")
        found.append({**source, name: str((file.parent / str(source.get(name, default))).resolve())} if has_place else source)
    return {**content, "sources": found} if found else content


def _of_python(file: Path) -> dict[str, Any]:
    """What a file defines of a plan; its own cases, where it has some, come first."""
    names = names_of(str(file.resolve()))
    content = {each.name: names[each.name] for each in dataclasses.fields(Plan) if each.name in names}
    own = [{"source": "cases", "file": file.name}] if callable(names.get("cases")) or "sources" not in content else []
    others = content.get("sources", [])
    return _with_places({**content, "sources": [*own, *others] if isinstance(others, (list, tuple)) else others}, file)


def _checked(content: dict[str, Any], file: Path) -> Plan:
    from pydantic import TypeAdapter, ValidationError

    names = [each.name for each in dataclasses.fields(Plan)]
    content.setdefault("name", file.stem)
    if wrong := [name for name in content if name not in names]:
        raise InputError(
            f"Got {wrong[0]!r} in the plan {file}. Needed: one of {', '.join(names)}. A plan has no other. Check the spelling."
        )
    try:
        plan = TypeAdapter(Plan).validate_python(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(
            f"Got {str(first['input'])[:60]!r} for {where} in the plan {file}: {first['msg'].lower()}. Needed: a value of that kind. The plan "
            "can't be read otherwise. Change it."
        ) from error
    for name, least in (("seconds", 1e-3), ("memory_gb", 0.0), ("explain_s", 0.0)):
        if not getattr(plan, name) >= least:
            raise InputError(
                f"Got {name} = {getattr(plan, name):g} in the plan {file}. Needed: at least {least:g}. It limits what a case may take. Change it."
            )
    if not plan.sources or not plan.environments:
        lacking = "sources" if not plan.sources else "environments"
        raise InputError(f"Got the plan {file} without {lacking}. Needed: at least one. There is nothing to check otherwise. Add one.")
    files = [path for part in range(len(plan.sources)) for path in _files_of(plan.source(part))]
    return dataclasses.replace(plan, packages=tuple(sorted({*plan.packages, *packages_of(files)})))


def _files_of(source: Source) -> list[Path]:
    """The files of a source; none where a pattern fits none, which is told when its cases are listed."""
    try:
        return source.paths()
    except InputError:
        return []
