"""read_problem(): reads the formats that people use: KernelBench, GPU MODE, BackendBench, TritonBench, case files, functions."""

from __future__ import annotations

import contextlib
import inspect
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...errors import CaseFileError
from .calls import Setting, seeded
from .literals import changed, sizes_in
from .loading import forget_neighbors, parsed, run
from .op_samples import is_of_an_op, op_problem
from .problem import CHOICE, Problem
from .stand_in import kept_on_processor, on_processor
from .triton_bench import is_of_triton_bench, triton_bench_problem


def read_problem(path: str | Path) -> Problem:
    """Read the problem in a file or folder.

    Args:
        path: a file with `Model`, `get_inputs` and `get_init_inputs` (KernelBench); a folder with `reference.py` and `task.yml`, or its
            `reference.py` (GPU MODE); a file with a function, a line of #, and tests that call it (TritonBench); a folder that is named
            for an op of ATen, with implementations (BackendBench); a case file with `expected` and `inputs(seed)`; FILE.py:name for a
            function, beside which stands `inputs(seed)` or `get_inputs()`.

    Raises:
        CaseFileError: it is none of these, or its code fails.
    """
    file, name = named(path)
    if file.is_dir():
        if is_of_an_op(file):
            return op_problem(file)
        found = [file / name for name in ("reference.py", "problem.py") if (file / name).is_file()]
        if not found:
            raise CaseFileError(
                f"Got the folder {path} without a reference.py or problem.py. Needed: a problem of KernelBench or GPU MODE, or a case "
                "file. The reference says what a kernel has to compute. Check the path."
            )
        file = found[0]
    if not file.is_file():
        raise CaseFileError(
            f"Got {path}, which is not a file. Needed: a problem of KernelBench or GPU MODE, or a case file. Check the path."
        )
    text, tree = parsed(file)
    forget_neighbors()
    if is_of_triton_bench(text):
        return triton_bench_problem(file, text)
    names = run(file, text, tree)
    if name:
        return _function(file, text, names, name)
    for fits, read in (
        (("Model", "get_inputs"), _kernelbench),
        (("ref_kernel", "generate_input"), _gpu_mode),
        (("expected", "inputs"), _case),
    ):
        if all(callable(names.get(name)) for name in fits):
            return read(file, text, names)
    raise CaseFileError(
        f"Got {file} without a reference. Needed: Model and get_inputs (KernelBench), ref_kernel and generate_input (GPU MODE), or "
        f"expected and inputs (a case file). It defines {', '.join(name for name in names if not name.startswith('_'))[:200] or 'nothing'}."
    )


def _kernelbench(file: Path, text: str, names: Mapping[str, Any]) -> Problem:
    def draw(seed: int, changes: Mapping[str, int]) -> Setting:
        known = run(file, text, changed(text, changes)) if changes else names
        with seeded(seed), on_processor(text):
            init = tuple(known["get_init_inputs"]()) if callable(known.get("get_init_inputs")) else ()
            return Setting(tuple(known["get_inputs"]()), _in_order(names["Model"], init))

    def make(init: tuple[Any, ...]) -> Any:
        with seeded(0), on_processor(text):
            return kept_on_processor(names["Model"](*init), text)

    return Problem(
        _name(file), "KernelBench", file, "ModelNew", make, draw, sizes_in(text), differentiable=True, constructor=names["Model"]
    )


def _in_order(constructor: Any, init: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of a constructor in order, where KernelBook gives them as a list and a dict: [[], {"size": 8}]."""
    if len(init) != 2 or not isinstance(init[0], (list, tuple)) or not isinstance(init[1], dict):
        return init
    try:
        bound = inspect.signature(constructor).bind(*init[0], **init[1])  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
    except (TypeError, ValueError):
        return init
    last = max((place for place, name in enumerate(bound.signature.parameters) if name in bound.arguments), default=-1)
    bound.apply_defaults()
    return bound.args[: last + 1] if not bound.kwargs else init


def _gpu_mode(file: Path, text: str, names: Mapping[str, Any]) -> Problem:
    task = _task(file.with_name("task.yml"))
    tests = [dict(test) for test in task.get("tests") or () if isinstance(test, Mapping)] or [{}]

    def drawn(keywords: Mapping[str, Any]) -> Setting:
        with on_processor(text):
            return Setting((names["generate_input"](**keywords),))

    def problem(name: str, given: Mapping[str, Any]) -> Problem:
        return Problem(
            name, "GPU MODE", file, "custom_kernel", lambda _: kept_on_processor(names["ref_kernel"], text),
            lambda seed, changes: drawn({**given, **changes, "seed": seed}),
            {key: value for key, value in given.items() if type(value) is int and key != "seed" and value >= 0},
            description=str(task.get("description") or ""),
        )  # fmt: skip

    kinds = {_kind(test): test for test in reversed(tests)}  # the first of each
    single = [test for test in tests[1:] if kinds[_kind(test)] is test and _kind(test) != _kind(tests[0])]
    others = [test for pair in itertools.zip_longest(single, _combined(tests)) for test in pair if test is not None]
    asked = tuple((_label(test), drawn(test)) for test in tests[1:8])
    seen = {key: tuple(test[key] for test in tests if type(test.get(key)) is int) for key in tests[0]}
    return replace(problem(_name(file), tests[0]), tests=asked, others=tuple(problem(_label(test), test) for test in others), seen=seen)


def _label(test: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}={value}" for key, value in test.items())


def _combined(tests: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The first test with two switches set as in no single test, the rarest values first; and with all of them on.

    Most tests leave a switch off: what is rare is on. A whole number that is 0 in some test, or left out, is a switch too, whatever it is
    in others.
    """
    first = tests[0]
    seen: dict[str, list[Any]] = {}
    for key, value in ((key, value) for test in tests for key, value in test.items() if key != "seed"):
        seen.setdefault(key, []).append(value)
    switches: dict[str, list[Any]] = {}
    for key, values in seen.items():
        has_off = len(values) < len(tests) or any(type(value) is int and not value for value in values)
        others = [value for value in values if (key not in first or value != first[key]) and (has_off or _is_switch(value))]
        if others:
            switches[key] = sorted([value for place, value in enumerate(others) if value not in others[:place]], key=values.count)
    pairs: list[tuple[int, dict[str, Any]]] = []
    for one, other in itertools.combinations(switches, 2):
        own = [{one: value, other: with_it} for value, with_it in itertools.product(switches[one], switches[other])]
        new = [pair for pair in own if not any(pair.items() <= test.items() for test in tests)]
        pairs += enumerate(sorted(new, key=lambda pair: sum(seen[key].count(value) for key, value in pair.items())))
    for _, chosen in sorted(pairs, key=lambda entry: entry[0])[:MOST_COMBINED]:  # a pair of each two switches before any second one
        yield {**first, **chosen}
    if len(switches) > 2 and pairs:
        yield {**first, **{key: values[0] for key, values in switches.items()}}


def _is_switch(value: Any) -> bool:
    """Whether a keyword argument of a test is not a size: a mode, a number with digits after the point, or a small whole number."""
    return type(value) is not int or value <= CHOICE


MOST_COMBINED = 4
"""The most pairs of switches; each is drawn, and asked as it is before it is asked at other sizes."""


def _kind(test: Mapping[str, Any]) -> str:
    """What a test draws besides its sizes: switches, modes and anything that isn't a whole number."""
    return repr(sorted((key, value) for key, value in test.items() if key != "seed" and _is_switch(value)))


def _task(file: Path) -> dict[str, Any]:
    """A `task.yml`: its description, and the keyword arguments of each test; nothing if it can't be read."""
    import yaml

    if file.is_file():
        with contextlib.suppress(yaml.YAMLError, OSError, UnicodeDecodeError):
            found = yaml.load(file.read_text(encoding="utf-8"), _Loader)
            return found if isinstance(found, dict) else {}
    return {}


def _loader() -> Any:
    import yaml

    class Loader(yaml.SafeLoader):
        """Reads the contest's own tags (!include ...) as text."""

    Loader.add_multi_constructor("!", lambda _loader, _suffix, node: str(node.value))
    return Loader


_Loader = _loader()


def _case(file: Path, text: str, names: Mapping[str, Any]) -> Problem:
    def draw(seed: int, changes: Mapping[str, int]) -> Setting:
        with seeded(seed), on_processor(text):
            found = names["inputs"](seed, **({"size": changes["size"]} if "size" in changes else {}))
        return Setting(tuple(found) if isinstance(found, (tuple, list)) else (found,))

    has_size = "size" in names["inputs"].__code__.co_varnames[: names["inputs"].__code__.co_argcount]
    return Problem(
        _name(file),
        "case file",
        file,
        "actual",
        lambda _: kept_on_processor(names["expected"], text),
        draw,
        {"size": 64} if has_size else {},
        differentiable=False,
    )


def _function(file: Path, text: str, names: Mapping[str, Any], name: str) -> Problem:
    """A function, or the class of a module, by its name; its inputs are defined beside it."""
    reference = names.get(name)
    if not callable(reference) or not (callable(names.get("inputs")) or callable(names.get("get_inputs"))):
        raise CaseFileError(
            f"Got {file}:{name}. Needed: a function or module class of that name, and `inputs(seed)` or `get_inputs()` beside it. Its "
            "inputs are what a solution is tested on. It defines "
            f"{', '.join(each for each in names if not each.startswith('_'))[:200] or 'nothing'}."
        )
    if callable(names.get("inputs")):
        return replace(_case(file, text, {**names, "expected": reference}), name=name, entry=name)
    if isinstance(reference, type):
        return replace(_kernelbench(file, text, {**names, "Model": reference}), name=name, entry=name)
    made = replace(_kernelbench(file, text, {**names, "Model": None}), name=name, entry=name, format="function", constructor=None)
    return replace(made, make=lambda _: kept_on_processor(reference, text))


def named(path: str | Path) -> tuple[Path, str]:
    """A file and the name after it ("" for none): FILE.py:name."""
    found = NAMED.match(str(path))
    return (Path(found["file"]), found["name"]) if found else (Path(path), "")


def solution_file(solution: str | Path, entry: str) -> tuple[Path, str]:
    """The file of a solution, and the name in it that was given ("" for none).

    Raises:
        CaseFileError: there is no such file.
    """
    file, name = named(solution)
    if not file.is_file():
        raise CaseFileError(
            f"Got {solution}, which is not a file. Needed: a Python file that defines {name or entry}. It is run in a process of its own. "
            "Check the path."
        )
    return file, name


NAMED = re.compile(r"(?P<file>.+\.py):(?P<name>[A-Za-z_]\w*)$")


def _name(file: Path) -> str:
    return file.resolve().parent.name if file.stem in ("reference", "problem") else file.stem
