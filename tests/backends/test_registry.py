"""Backends by name: built-in ones load nothing and never raise, plugins are found, refused and turned off, environments are recognized."""

import json
import os
import subprocess
import sys
from importlib import metadata

import pytest
import torch
from packaging.requirements import Requirement

import halfulp
from halfulp.backends import Availability, Backend, availability, backend, names, registry
from halfulp.backends.knobs import Knob
from halfulp.backends.ops import OPS
from halfulp.backends.registry import BUILT_IN, adapter_named
from halfulp.backends.workers import environments
from halfulp.backends.workers.environments import MANIFEST, environment_of, requirements_of
from halfulp.backends.workers.remote import Remote
from halfulp.errors import BackendError, HalfulpError, InputError, MissingBackend, install_command

HERE = [name for name in BUILT_IN if adapter_named(name).availability()]
AWAY = [name for name in BUILT_IN if name not in HERE]
LACK_PACKAGES = [name for name in AWAY if adapter_named(name).extra not in ("", "directml")]
EXTRAS = {name: adapter_named(name).extra for name in BUILT_IN if adapter_named(name).extra}


@pytest.fixture(autouse=True)
def _no_environments(tmp_path, monkeypatch):
    """Nothing that is installed on this machine beside Python's own packages."""
    monkeypatch.setenv("HALFULP_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("HALFULP_NO_PLUGINS", raising=False)
    registry._remote.cache_clear()
    yield
    registry._remote.cache_clear()


# --- Built-in ones ---


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_built_in_backend_says_what_it_is(name):
    adapter = adapter_named(name)
    assert isinstance(adapter, Backend) and adapter.name == name and adapter.dtypes
    state = availability(name)
    assert state == adapter.availability() == adapter_named(name).availability()
    assert bool(state) == (not state.reason) and state.where in ("here", "") and bool(state.install) <= bool(state.reason)
    if adapter.extra and state.install:
        assert state.install == install_command(adapter.extra)


@pytest.mark.parametrize("name", BUILT_IN)
def test_options_and_knobs_belong_together(name):
    adapter = adapter_named(name)
    assert adapter.checked({}) == {each.name: each.values[0] for each in adapter.options}
    for option in adapter.options:
        assert len(set(option.values)) == len(option.values) > 1 and option.touches and option.cause
        assert set(option.remedies) <= set(option.values)
    found = adapter.knobs()
    assert isinstance(found, tuple) and all(
        isinstance(each, Knob) and each.name and each.detail and each.remedy and each.touches for each in found
    )
    if adapter.options:
        assert len(found) == sum(len(each.values) - 1 for each in adapter.options)


@pytest.mark.parametrize("name", [name for name in HERE if name != "torch.compile"])  # loading its compiler takes longer than all of this
def test_nothing_is_no_target(name):
    for nothing in (object(), 3, "no such file"):
        with pytest.raises(HalfulpError, match="Got .* Needed: "):
            adapter_named(name).implement(nothing)(torch.ones(2))


def missing(name):
    """An op asked of a backend whose packages are not installed."""
    module, activations = OPS["linear"].drawn(OPS["linear"].sizes[0])
    return adapter_named(name).implement(module)(*activations)


@pytest.mark.parametrize("name", [name for name in AWAY if name not in LACK_PACKAGES])
def test_a_device_that_is_not_here_is_missing(name):
    with pytest.raises(
        MissingBackend,
        match="Got .*, which can't be used here: .* Needed: .* (Provide what is missing, or run this on a machine|Install it with)",
    ):
        missing(name)


@pytest.mark.parametrize("name", LACK_PACKAGES)
def test_a_backend_without_its_packages_is_missing(name):
    with pytest.raises(MissingBackend):
        missing(name)


def in_a_fresh_process(program, **variables):
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, **variables}, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout.split()


FRAMEWORKS = {
    "torch",
    "numpy",
    "jax",
    "onnxruntime",
    "onnx",
    "openvino",
    "executorch",
    "ai_edge_litert",
    "mlx",
    "pyopencl",
    "triton",
    "tensorflow",
}


def test_importing_backends_imports_no_framework():
    found = set(in_a_fresh_process("import sys, halfulp.backends; from halfulp.backends import Availability, Backend; print(*sys.modules)"))
    assert "halfulp.backends.interface" in found and not found & FRAMEWORKS


def test_the_fence_sees_an_import():
    assert "torch" in in_a_fresh_process("import sys; from halfulp.backends import names; print(*sys.modules)")


LISTED = """
import halfulp.backends.registry as registry, sys
for name in registry.BUILT_IN:
    registry.adapter_named(name).availability()
    registry.availability(name)
    registry.backend(name)
"""


def test_being_available_is_asked_without_importing_frameworks(tmp_path):
    packages = {package for name in BUILT_IN for package in adapter_named(name).packages} - {"torch", "numpy"}
    assert {"jax", "onnxruntime", "openvino", "mlx", "ai_edge_litert", "executorch"} <= packages
    for package in packages:
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text(
            f"import sys\nsys.stderr.write('imported {package}\\n')\nraise RuntimeError('a library is missing')\n"
        )
    run = subprocess.run(
        [sys.executable, "-c", LISTED],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(tmp_path), "HALFULP_NO_PLUGINS": "1"}, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    imported = {line.removeprefix("imported ") for line in run.stderr.splitlines() if line.startswith("imported ")}
    # Whether there is a device is known to them alone; torch_directml is asked in another process, because it may crash.
    assert imported == {"pyopencl"}


# --- Names ---


@pytest.mark.parametrize(
    ("asked", "meant"), [("opnvino", "openvino"), ("Torch", "torch"), ("onnx-runtime", "onnxruntime"), ("torch_compile", "torch.compile")]
)
def test_an_unknown_name_is_answered_with_the_nearest(asked, meant):
    for ask in (backend, availability, adapter_named):
        with pytest.raises(InputError) as raised:
            ask(asked)
        assert str(raised.value) == (
            f"Got the backend {asked!r}. Needed: one of {', '.join(BUILT_IN)}. There is no other. Did you mean {meant!r}? `halfulp backends` lists them."
        )


def test_a_name_like_no_other_gets_no_suggestion():
    with pytest.raises(InputError, match=r"There is no other\. `halfulp backends` lists them\."):
        backend("zzz")


# --- Plugins ---

PLUGINS = """
from halfulp.backends.interface import Availability

class Good:
    name = "good"
    def availability(self): return Availability("here", "3.1")
    def fingerprint(self): return {"good": "3.1"}
    def knobs(self): return ()
    def implement(self, target, **options): return lambda *given: target(*given) + 0

made = Good()

class Lacking:
    name = "lacking"
    def availability(self): return Availability("here")
    def fingerprint(self): return {}
    def implement(self, target, **options): return target

class Failing:
    def __init__(self): raise OSError("libgood.so: no such file")

class Away(Good):
    def availability(self): return Availability(reason="no licence")

class Raising(Good):
    def availability(self): raise RuntimeError("no driver")

number = 3
"""


@pytest.fixture
def plugged(tmp_path, monkeypatch):
    """Entry points as packages have them: they load from a module on the path."""
    (tmp_path / "halfulp_test_plugins.py").write_text(PLUGINS)
    (tmp_path / "halfulp_test_broken_plugin.py").write_text("raise ImportError('cannot import name good')")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = {}

    def plug(**values):
        found.update(values)

    real = metadata.entry_points

    def entry_points(**asked):  # pytest and numba ask as well
        if asked != {"group": "halfulp.backends"}:
            return real(**asked)
        return metadata.EntryPoints(metadata.EntryPoint(name, value, "halfulp.backends") for name, value in found.items())

    monkeypatch.setattr(registry.metadata, "entry_points", entry_points)
    yield plug
    for name in ("halfulp_test_plugins", "halfulp_test_broken_plugin"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("value", ["halfulp_test_plugins:Good", "halfulp_test_plugins:made"])
def test_a_plugin_works_as_a_built_in_backend_does(plugged, value):
    plugged(good=value)
    assert names() == (*BUILT_IN, "good")
    assert availability("good") == Availability("here", "3.1")
    loaded = halfulp.backend("good")
    assert isinstance(loaded, Backend) and loaded.name == "good"
    assert halfulp.check(loaded.implement(torch.exp), torch.exp, (torch.ones(3),)).verdict.name == "IDENTICAL"
    with pytest.raises(InputError, match="Did you mean 'good'"):
        backend("goodd")


def test_no_plugin_takes_the_name_of_a_built_in_backend(plugged):
    plugged(numpy="halfulp_test_plugins:Good", good="halfulp_test_plugins:Good")
    assert names() == (*BUILT_IN, "good")
    assert type(backend("numpy")) is type(adapter_named("numpy"))


@pytest.mark.parametrize(("text", "off"), [("1", True), ("yes", True), ("0", False), ("", False)])
def test_plugins_are_turned_off(plugged, monkeypatch, text, off):
    plugged(good="halfulp_test_plugins:Good")
    monkeypatch.setenv("HALFULP_NO_PLUGINS", text)
    assert ("good" not in names()) == off
    if off:
        with pytest.raises(InputError, match="Got the backend 'good'"):
            backend("good")
        assert "halfulp_test_plugins" not in sys.modules


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (
            "halfulp_test_broken_plugin:Good",
            "Got ImportError while loading the backend 'bad' from halfulp_test_broken_plugin:Good: cannot import name good.",
        ),
        ("halfulp_test_plugins:Missing", "Got AttributeError while loading the backend 'bad' from halfulp_test_plugins:Missing"),
        ("no_such_module_anywhere:Good", "Got ModuleNotFoundError while loading the backend 'bad'"),
        (
            "halfulp_test_plugins:Failing",
            "Got OSError while loading the backend 'bad' from halfulp_test_plugins:Failing: libgood.so: no such file.",
        ),
        (
            "halfulp_test_plugins:Lacking",
            "Got Lacking as the backend 'bad' from halfulp_test_plugins:Lacking. Needed: an object with name, availability",
        ),
        ("halfulp_test_plugins:number", "Got int as the backend 'bad'"),
    ],
)
def test_a_plugin_that_cannot_be_used_is_named(plugged, value, words):
    plugged(bad=value, good="halfulp_test_plugins:Good")
    with pytest.raises(BackendError) as raised:
        backend("bad")
    assert words in str(raised.value) and "Needed: " in str(raised.value)
    assert availability("bad") == Availability(reason=str(raised.value))
    assert names() == (*BUILT_IN, "bad", "good") and availability("good")  # the others are not touched


def test_listing_names_loads_no_plugin(plugged):
    plugged(bad="halfulp_test_broken_plugin:Good")
    assert "bad" in names() and "halfulp_test_broken_plugin" not in sys.modules


def test_a_plugin_that_is_not_here_says_so(plugged):
    plugged(away="halfulp_test_plugins:Away")
    assert availability("away") == Availability(reason="no licence") and not availability("away")


def test_a_plugin_whose_availability_raises_is_not_available(plugged):
    plugged(raising="halfulp_test_plugins:Raising")
    assert not availability("raising") and "no driver" in availability("raising").reason


# --- Extras and environments ---


def bounded(text):
    return any(each.operator in ("<", "<=", "==", "~=") for each in Requirement(text).specifier)


@pytest.mark.parametrize("name", EXTRAS)
def test_an_extra_brings_what_its_adapter_imports(name):
    if name == "directml" and sys.platform != "win32":
        with pytest.raises(InputError, match=r"Needed: a system that its packages are made for: torch-directml \(sys_platform == .win32"):
            requirements_of(name)
        return
    brought = {Requirement(requirement).name for requirement in requirements_of(EXTRAS[name])}
    assert set(adapter_named(name).packages.values()) <= brought
    assert EXTRAS[name] in metadata.metadata("halfulp").get_all("Provides-Extra")


@pytest.mark.parametrize("name", [name for name in EXTRAS if name != "directml"])
def test_each_requirement_of_an_extra_has_an_upper_bound(name):
    found = requirements_of(EXTRAS[name])
    assert found and [each for each in found if not bounded(each)] == []


def test_the_bound_is_seen_where_it_is_missing():
    assert not bounded("onnx>=1.18") and not bounded("onnx") and bounded("onnx<2,>=1.18")


@pytest.mark.parametrize("extra", ["nope", ""])
def test_an_unknown_extra(extra):
    with pytest.raises(InputError, match=f"Got the extra {extra!r}. Needed: one that halfulp has."):
        requirements_of(extra)


@pytest.fixture
def environment():
    """An environment of JAX as `halfulp backends install jax` leaves it, with this interpreter."""
    made = environment_of("jax")
    (made.folder / "bin").mkdir(parents=True)
    (made.folder / "bin" / "python").symlink_to(sys.executable)
    content = {"name": "jax", "requirements": [], "parents": environments._parents(), "version": "0.9.9"}
    (made.folder / MANIFEST).write_text(json.dumps(content))
    return made


needs_no_jax = pytest.mark.skipif(bool(adapter_named("jax").availability()), reason="JAX is installed here and comes first")


@needs_no_jax
def test_an_environment_of_its_own_is_used_and_nothing_started(environment):
    assert availability("jax") == Availability("own environment", "0.9.9")
    loaded = backend("jax")
    assert isinstance(loaded, Remote) and loaded.name == "jax" and loaded.dtypes == adapter_named("jax").dtypes
    assert loaded.worker.process_id is None and loaded.worker.generation == 0
    assert backend("jax") is loaded  # one process, however often it is asked for
    environment.remove()
    assert availability("jax") == adapter_named("jax").availability() and not isinstance(backend("jax"), Remote)


@needs_no_jax
@pytest.mark.parametrize("content", ["", "[]", "null", "{", "{}", '{"parents": ["/another/python"], "version": "1"}', '{"parents": 3}'])
def test_an_environment_that_was_not_finished_or_is_of_another_python_is_none(environment, content):
    (environment.folder / MANIFEST).write_text(content)
    assert environment.python() is None
    assert availability("jax") == adapter_named("jax").availability()


def test_what_is_here_comes_first_unless_it_is_to_be_isolated(environment):
    environment.folder.rename(environment_of("numpy").folder)
    assert availability("numpy").where == "here" and not isinstance(backend("numpy"), Remote)
    isolated = backend("numpy", isolated=True)
    assert isinstance(isolated, Remote) and isolated.worker.generation == 0
    environment_of("numpy").remove()
    assert not isinstance(backend("numpy", isolated=True), Remote)  # there is no other way
