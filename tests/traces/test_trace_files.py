"""The folder of a trace: what is written is read, what is damaged is refused in one line, and nothing outside it is touched."""

import ast
import contextlib
import gc
import json
import os
import random
import signal
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
from benchmarks.fuzz.traces import KINDS, OFTEN, Folder, outcome_of, program
from safetensors import safe_open

import halfulp
from halfulp.errors import TraceError
from halfulp.recording import Recorder, record
from halfulp.traces import read_trace
from halfulp.traces.samples import sampled_places
from halfulp.traces.shards import ITEM_BYTES

SHAPES = [(), (1,), (7,), (3, 5), (2, 3, 4), (0,), (3, 0, 2), (65,)]
MUTATIONS = 400


def tensor(dtype, shape, seed=0):
    """Random bits; of bool random truth."""
    count = int(np.prod(shape)) * ITEM_BYTES[dtype]
    raw = np.random.default_rng(seed).integers(0, 2 if dtype == "bool" else 256, count, dtype=np.uint8)
    flat = torch.from_numpy(raw.copy()).view(getattr(torch, dtype)) if count else torch.empty(0, dtype=getattr(torch, dtype))
    return flat.reshape(shape)


def bytes_of(t):
    t = t.detach().contiguous().reshape(-1)
    return t.view(torch.uint8).numpy().tobytes() if t.numel() else b""


def stored_bytes(trace, number):
    """The stored elements as the bytes that the tensor had: bfloat16 comes as float32."""
    stored = trace.stored(number)
    if trace.values[number].dtype == "bfloat16":
        assert stored.dtype == np.float32
        bits = stored.reshape(-1).view(np.uint32)
        assert not (bits & 0xFFFF).any()
        return (bits >> 16).astype(np.uint16).tobytes()
    return stored.tobytes()


def number_of(trace, name):
    return next(value.number for value in trace.values if value.name == name)


def nothing(*_):
    return None


def stored_total(trace):
    return sum(value.place.end - value.place.begin for value in trace.values if value.place is not None)


# Round trips


@pytest.mark.parametrize("dtype", sorted(ITEM_BYTES))
def test_every_dtype_and_shape_comes_back_with_its_bits(dtype, tmp_path):
    given = [tensor(dtype, shape, seed) for seed, shape in enumerate(SHAPES)]
    trace = record(nothing, [given], tmp_path / "t", level="tensors")
    reread = read_trace(tmp_path / "t")
    for place, t in enumerate(given):
        number = number_of(reread, f"inputs[0][{place}]")
        value = reread.values[number]
        assert (value.dtype, value.shape, value.strides, value.role) == (dtype, tuple(t.shape), t.stride(), "input")
        assert value == trace.values[number]
        if t.numel():
            assert value.is_complete
            assert reread.stored(number).shape == tuple(t.shape)
            assert stored_bytes(reread, number) == bytes_of(t)
            rows = reread.rows(number, 0, t.shape[0]) if t.dim() else reread.stored(number)
            np.testing.assert_array_equal(
                rows.view(np.uint8) if t.dim() else rows, reread.stored(number).view(np.uint8) if t.dim() else rows
            )
        else:
            assert value.elements == 0


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16", "float64", "int64", "bool", "complex64"])
def test_results_of_ops_come_back_with_their_bits_also_when_not_contiguous(dtype, tmp_path):
    t = tensor(dtype, (4, 6))
    out = {}

    def call(x):
        out["t"] = x.t().clone(memory_format=torch.preserve_format)
        return out["t"]

    trace = record(call, t, tmp_path / "t", level="tensors")
    number = trace.named["output"]
    assert trace.values[number].strides == out["t"].stride() == (1, 6)
    assert stored_bytes(trace, number) == bytes_of(t.t())


@pytest.mark.parametrize("dtype", sorted(ITEM_BYTES))
def test_shards_are_safetensors_files_with_the_same_values(dtype, tmp_path):
    given = [tensor(dtype, shape, seed) for seed, shape in enumerate(SHAPES)]
    trace = record(nothing, [given], tmp_path / "t", level="tensors")
    [shard] = (tmp_path / "t").glob("shard-*")
    with safe_open(shard, framework="pt") as file:
        kept = {value.number: value for value in trace.values if value.place is not None}
        assert sorted(file.keys()) == sorted(f"value-{number}" for number in kept)
        assert len(kept) == sum(t.numel() > 0 for t in given)
        for number, value in kept.items():
            found = file.get_tensor(f"value-{number}")
            # The format lacks complex128: pairs of float64 stand for it.
            assert tuple(found.shape) == ((*value.shape, 2) if dtype == "complex128" else value.shape)
            assert bytes_of(found) == stored_bytes(trace, number)


def test_shards_open_with_the_numpy_side_of_safetensors(tmp_path):
    from safetensors.numpy import load_file

    x = torch.randn(5, 3)
    trace = record(torch.exp, x, tmp_path / "t", level="tensors")
    loaded = load_file(tmp_path / "t" / "shard-0001.safetensors")
    assert len(loaded) == 2
    for number in (0, 1):
        np.testing.assert_array_equal(loaded[f"value-{number}"], trace.stored(number))


def test_sampled_values_are_in_shards_as_flat_tensors(tmp_path):
    trace = record(nothing, [torch.randn(50, 40)], tmp_path / "t", level="statistics")
    with safe_open(tmp_path / "t" / "shard-0001.safetensors", framework="np") as file:
        np.testing.assert_array_equal(file.get_tensor("value-0"), trace.stored(0))
        assert file.get_tensor("value-0").shape == (64,)


# What is kept


@pytest.mark.parametrize("dtype", sorted(ITEM_BYTES))
@pytest.mark.parametrize("elements", [1, 2, 63, 64, 65, 100, 5000])
def test_statistics_keeps_at_most_64_elements_at_the_sampled_places(dtype, elements, tmp_path):
    t = tensor(dtype, (elements,))
    trace = record(nothing, [t], tmp_path / "t", level="statistics")
    value = trace.values[0]
    assert value.place is not None and value.place.elements == min(elements, 64)
    places = trace.places(0)
    np.testing.assert_array_equal(places, sampled_places(elements, 64))
    bits = t.view(torch.uint8).reshape(elements, -1)[torch.from_numpy(places)]
    assert stored_bytes(trace, 0) == bits.numpy().tobytes()


def test_hash_keeps_no_elements_and_says_what_is_needed(tmp_path):
    x = torch.randn(9)
    trace = record(torch.exp, x, tmp_path / "t", level="hash")
    assert all(value.place is None for value in trace.values)
    assert not list((tmp_path / "t").glob("shard-*"))
    full = record(torch.exp, x, level="tensors")
    assert [value.hash for value in trace.values] == [value.hash for value in full.values]
    assert [value.statistics for value in trace.values] == [value.statistics for value in full.values]
    with pytest.raises(TraceError, match='level="tensors"'):
        trace.stored(0)


def test_statistics_are_those_of_numpy(tmp_path):
    x = torch.randn(1000, dtype=torch.float64)
    special = torch.tensor([1.0, float("nan"), float("inf"), -float("inf"), 3.0])
    trace = record(nothing, [x, special, torch.tensor([True, False, True, True]), torch.arange(-3, 9)], level="hash")
    found, odd, truth, whole = (value.statistics for value in trace.values)
    n = x.numpy()
    assert (found["min"], found["max"]) == (n.min(), n.max())
    # Sums of 1000 float64 in any order are within 1000 * 2^-53 of the sum of the sizes.
    assert abs(found["mean"] - n.mean()) <= 1000 * 2.0**-53 * np.abs(n).mean()
    assert abs(found["rms"] - np.sqrt((n**2).mean())) <= 1000 * 2.0**-53 * np.sqrt((n**2).mean())
    assert (odd["nan"], odd["inf"], odd["min"], odd["max"], odd["mean"]) == (1, 2, 1.0, 3.0, 2.0)
    assert truth == {"mean": 0.75} and whole == {"min": -3.0, "max": 8.0}
    assert [value.is_finite for value in trace.values] == [True, False, True, True]


def test_sample_limits_each_tensor(tmp_path):
    x = torch.randn(300)
    trace = record(lambda x: (x.exp(), x[:4].exp()), x, tmp_path / "t", level="tensors", sample=17)
    kept = {value.shape: value.place.elements for value in trace.values if value.place is not None}
    assert kept == {(300,): 17, (4,): 4}
    result = trace.named["output[0]"]
    np.testing.assert_array_equal(trace.stored(result), x.exp().numpy()[sampled_places(300, 17)])


def test_select_keeps_all_elements_of_matching_modules_ops_and_names_only():
    model = torch.nn.Sequential(torch.nn.Linear(20, 20), torch.nn.ReLU(), torch.nn.Linear(20, 20))
    x = torch.randn(10, 20)

    def complete(select):
        trace = record(model, x, level="tensors", select=select)
        return {
            (trace.producers[v.number].module if v.number in trace.producers else v.name)
            for v in trace.values
            if v.is_complete and v.elements > 64
        }

    assert complete(["2"]) == {"2", "2.weight"}  # a parameter is read inside its module
    assert complete(["aten.relu*"]) == {"1"}
    assert complete(["0.weight"]) == {"0.weight"}
    assert complete(["nothing*"]) == set()
    assert complete([]) == {"0", "1", "2", "0.weight", "2.weight", "inputs[0]"}
    trace = record(model, x, level="tensors", select=["2"])
    assert {value.place.elements for value in trace.values if value.place is not None and not value.is_complete} == {64}


@pytest.mark.parametrize("budget", [1, 100, 1000, 5000, 40_000, 10**6, 10**9])
@pytest.mark.parametrize("gradients", [False, True])
def test_all_elements_together_stay_below_the_budget(budget, gradients, tmp_path):
    model = torch.nn.Sequential(*[torch.nn.Linear(16, 16) for _ in range(8)])
    trace = record(model, torch.randn(8, 16), tmp_path / "t", level="tensors", budget_bytes=budget, gradients=gradients)
    assert stored_total(trace) <= budget
    data = sum(path.stat().st_size - 8 - (1 << 20) for path in (tmp_path / "t").glob("shard-*"))
    assert data == stored_total(trace)
    if budget >= 5000:
        assert all(value.place is not None for value in trace.values if value.hash)
    if budget == 10**9:
        assert all(value.is_complete for value in trace.values if value.hash)


@pytest.mark.parametrize("gradients", [False, True])
def test_the_budget_holds_also_with_select(gradients):
    model = torch.nn.Sequential(*[torch.nn.Linear(64, 64) for _ in range(8)])
    trace = record(model, torch.randn(8, 64), level="tensors", budget_bytes=2000, select=["3"], gradients=gradients)
    assert stored_total(trace) <= 2000


@pytest.mark.parametrize("options", [{"level": "all"}, {"sample": 0}, {"budget_bytes": -1}])
def test_nonsense_is_refused_before_anything_is_written(options, tmp_path):
    with pytest.raises(halfulp.InputError, match="Needed"):
        record(nothing, [torch.ones(2)], tmp_path / "t", **options)
    assert not list(tmp_path.iterdir())


# Writing


def test_a_trace_gets_its_name_when_it_is_complete(tmp_path):
    seen = []

    def call(x):
        seen.append(sorted(path.name for path in tmp_path.iterdir()))
        return x + 1

    record(call, torch.ones(2), tmp_path / "t.trace")
    assert seen == [["t.trace.partial"]]
    assert [path.name for path in tmp_path.iterdir()] == ["t.trace"]
    assert sorted(path.name for path in (tmp_path / "t.trace").iterdir()) == ["manifest.json", "records.jsonl", "shard-0001.safetensors"]


def test_an_existing_folder_is_refused_and_left_alone(tmp_path):
    record(torch.exp, torch.ones(2), tmp_path / "t")
    before = {path.name: path.read_bytes() for path in (tmp_path / "t").iterdir()}
    with pytest.raises(TraceError, match="exists"):
        record(torch.exp, torch.zeros(2), tmp_path / "t")
    assert {path.name: path.read_bytes() for path in (tmp_path / "t").iterdir()} == before
    (tmp_path / "file").write_text("mine")
    with pytest.raises(TraceError, match="exists"):
        record(torch.exp, torch.zeros(2), tmp_path / "file")
    with pytest.raises(TraceError, match="can't be made"):
        record(torch.exp, torch.zeros(2), tmp_path / "file" / "t")
    assert (tmp_path / "file").read_text() == "mine"


def test_what_an_interrupted_run_left_is_replaced(tmp_path):
    with pytest.raises(ZeroDivisionError), Recorder(tmp_path / "t"):
        torch.ones(3).exp()
        raise ZeroDivisionError
    assert read_trace(tmp_path / "t").is_partial
    trace = record(torch.exp, torch.ones(2), tmp_path / "t")
    assert not trace.is_partial and [path.name for path in tmp_path.iterdir()] == ["t"]


KILLED = """
    import os, signal, sys
    import torch
    from halfulp.recording import record

    model = torch.nn.Linear(4, 3)

    def call(x):
        for k in range(int(sys.argv[2])):
            x = x * 2 + k
        os.kill(os.getpid(), signal.SIGKILL)

    record(call, torch.arange(6.0), sys.argv[1], level="tensors")
"""


@pytest.mark.parametrize("rounds", [0, 1, 40, 400])
def test_a_killed_run_leaves_all_that_it_recorded(rounds, tmp_path):
    (tmp_path / "killed.py").write_text(textwrap.dedent(KILLED))
    ended = subprocess.run(
        [sys.executable, str(tmp_path / "killed.py"), str(tmp_path / "t"), str(rounds)], capture_output=True, text=True, check=False
    )
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    assert not (tmp_path / "t").exists()
    trace = read_trace(tmp_path / "t")
    assert trace.is_partial
    assert len(trace.ops) >= 2 * rounds  # every op that had ended is there
    if not rounds:
        return
    x = torch.arange(6.0)
    wanted = []
    for k in range(rounds):
        wanted += [x * 2, x * 2 + k]
        x = x * 2 + k
    for step, expected in zip(trace.ops, wanted):
        np.testing.assert_array_equal(trace.stored(step.outputs[0]), expected.numpy())
    assert {value.is_complete for value in trace.values} == {True}


def test_ctrl_c_leaves_a_readable_partial_trace(tmp_path):
    def call(x):
        y = x + 1
        signal.raise_signal(signal.SIGINT)
        return y

    # Shells start background jobs with Ctrl-C ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            record(call, torch.zeros(3), tmp_path / "t", level="tensors")
    finally:
        signal.signal(signal.SIGINT, before)
    trace = read_trace(tmp_path / "t")
    assert trace.is_partial and trace.notes == ("ended by KeyboardInterrupt",)
    assert [step.op for step in trace.ops] == ["aten.add.Tensor"]
    np.testing.assert_array_equal(trace.stored(trace.ops[0].outputs[0]), np.ones(3, np.float32))


# Reading


@pytest.mark.parametrize("schema", [0, 2, 17, -1, "1", None, 1.5])
def test_an_unknown_schema_is_named(schema, tmp_path):
    record(torch.exp, torch.ones(2), tmp_path / "t")
    manifest = tmp_path / "t" / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "schema": schema}))
    with pytest.raises(TraceError, match=f"schema {schema!r}"):
        read_trace(tmp_path / "t")


@pytest.mark.parametrize("schema", [[], {}, [1], "\n", "x" * 100_000, 10**400])
def test_a_schema_of_another_kind_is_refused_in_one_line(schema, tmp_path):
    record(torch.exp, torch.ones(2), tmp_path / "t")
    manifest = tmp_path / "t" / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "schema": schema}))
    with pytest.raises(TraceError) as caught:
        read_trace(tmp_path / "t")
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 2000


def test_missing_traces_are_named(tmp_path):
    with pytest.raises(TraceError, match="does not exist"):
        read_trace(tmp_path / "nothing")
    (tmp_path / "ranks" / "rank-00000").mkdir(parents=True)
    with pytest.raises(TraceError, match="pass .*ranks/rank-00000"):
        read_trace(tmp_path / "ranks")
    (tmp_path / "ranks" / "rank-00001").mkdir()
    with pytest.raises(TraceError, match=r"halfulp merge .*ranks -o NAME\.trace"):
        read_trace(tmp_path / "ranks")


def test_changed_elements_are_found_when_they_are_read(tmp_path):
    trace = record(torch.exp, torch.ones(100), tmp_path / "t", level="tensors")
    place = trace.values[1].place
    shard = tmp_path / "t" / place.shard
    raw = bytearray(shard.read_bytes())
    raw[place.begin + 13] ^= 1
    shard.write_bytes(raw)
    again = read_trace(tmp_path / "t")
    assert again.stored(0).size == 100
    with pytest.raises(TraceError, match="hash"):
        again.stored(1)
    with pytest.raises(TraceError, match="hash"):
        again.rows(1, 0, 1)


def test_a_shard_that_shrinks_after_opening_is_reported(tmp_path):
    trace = record(torch.exp, torch.ones(100), tmp_path / "t", level="tensors")
    os.truncate(tmp_path / "t" / "shard-0001.safetensors", (1 << 20) + 50)
    with pytest.raises(TraceError, match="truncated"):
        trace.stored(1)


def test_no_module_of_traces_can_run_what_it_reads():
    """Static: no pickle, torch, eval and the like in the package; dynamic: reading unpickles nothing and loads no torch."""
    forbidden = {"torch", "pickle", "marshal", "shelve", "dill", "joblib", "subprocess", "ctypes", "socket"}
    files = list((Path(halfulp.__file__).parent / "traces").glob("*.py"))
    assert len(files) > 6
    for path in files:
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not forbidden & {name.split(".")[0] for name in names}, path
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("eval", "exec", "compile", "__import__"), path
            assert not (isinstance(node, ast.keyword) and node.arg == "allow_pickle"), path


def test_reading_loads_no_framework_and_unpickles_nothing(tmp_path):
    record(torch.nn.Linear(3, 2), torch.ones(2, 3), tmp_path / "t", level="tensors", gradients=True)
    program = """
        import sys
        import pickle

        def refuse(*_, **__):
            raise SystemExit("unpickled")

        pickle.load = pickle.loads = pickle.Unpickler = refuse
        events = []
        sys.addaudithook(lambda event, _: events.append(event) if event.startswith(("pickle", "subprocess", "socket", "os.exec", "os.system")) else None)
        from halfulp.traces import read_trace
        trace = read_trace(sys.argv[1])
        count = sum(trace.stored(value.number).size for value in trace.values if value.place is not None)
        assert count and not events, events
        assert not {"torch", "safetensors", "numba", "rich", "typer"} & sys.modules.keys()
        print(count)
    """
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), str(tmp_path / "t")], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert int(ended.stdout) > 20


def test_a_trace_that_is_let_go_leaves_no_open_file(tmp_path):
    record(torch.exp, torch.ones(3), tmp_path / "t", level="tensors")
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        for _ in range(3):
            trace = read_trace(tmp_path / "t")
            trace.stored(0)
            del trace
            gc.collect()
    assert not [str(each.message) for each in warned]


# Damage

WATCHED = {"on": False, "opened": []}
_CODE = (".py", ".pyc", ".so", ".pyi")


def _hook(event, arguments):
    if not WATCHED["on"]:
        return
    if event == "open" and isinstance(arguments[0], (str, bytes, os.PathLike)):
        WATCHED["on"] = False
        path = os.path.realpath(os.fsdecode(arguments[0]))
        WATCHED["on"] = True
        if not path.endswith(_CODE):
            WATCHED["opened"].append((path, arguments[1]))
    elif event in (
        "os.remove",
        "os.rename",
        "os.mkdir",
        "os.rmdir",
        "shutil.rmtree",
        "subprocess.Popen",
        "os.system",
        "pickle.find_class",
        "socket.connect",
    ):
        WATCHED["opened"].append((f"{event}{arguments}", "w"))


@contextlib.contextmanager
def watched():
    """What is opened meanwhile: by an audit hook, which sees every open of the process, also those below pathlib."""
    if "hook" not in WATCHED:
        sys.addaudithook(_hook)
        WATCHED["hook"] = True
    WATCHED["opened"] = []
    WATCHED["on"] = True
    try:
        yield WATCHED["opened"]
    finally:
        WATCHED["on"] = False


@contextlib.contextmanager
def little_memory():
    """A size that is believed asks for more than there is: an error then, not a machine without memory."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_AS)
    used = next(int(line.split()[1]) * 1024 for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmSize"))
    resource.setrlimit(resource.RLIMIT_AS, (used + (3 << 30), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="the size of this process is read from /proc")
def test_damaged_traces_are_refused_in_one_line_or_work(tmp_path):
    x, mask = torch.randn(2, 3), torch.tensor([[True, False, True, True], [False, True, False, True]])
    record(program, [x, mask], tmp_path / "t", level="tensors")
    record(program, [x + 1e-6, mask], tmp_path / "outside", level="tensors")
    other = record(program, [x * (1 + 2.0**-20), mask], tmp_path / "other", level="tensors")
    folder = Folder(tmp_path / "t", tmp_path / "outside")
    draw = random.Random(20)
    faults, outcomes, allowed = {}, {"works": 0, "refused": 0}, (str(tmp_path / "t"), str(tmp_path / "other"))
    before = sorted(str(path) for path in tmp_path.rglob("*"))
    assert outcome_of(folder.path, other) == "works"
    with little_memory():
        for count in range(MUTATIONS):
            kind = KINDS[count % len(KINDS)] if count % 2 else draw.choice(OFTEN)
            getattr(folder, kind)(draw)
            present = sorted(os.listdir(folder.path))
            with watched() as opened:
                found = outcome_of(folder.path, other)
            beyond = [each for each in opened if not each[0].startswith(allowed) or (each[1] or "r").strip("b") not in ("r",)]
            if beyond:
                found = f"opened {beyond}"
            if sorted(os.listdir(folder.path)) != present:
                found = "changed the folder"
            if found in outcomes:
                outcomes[found] += 1
            else:
                faults.setdefault(f"{found}", []).append((count, kind))
            folder.repair()
    assert outcome_of(folder.path, other) == "works"
    assert sorted(str(path) for path in tmp_path.rglob("*")) == before
    assert outcomes["refused"] > MUTATIONS // 3 and outcomes["works"] > MUTATIONS // 20, outcomes
    assert not faults, "\n".join(f"{len(where)} x {what}   first: mutation {where[0]}" for what, where in faults.items())


@pytest.mark.parametrize("name", Folder.FILES)
def test_links_out_of_the_folder_are_refused(name, tmp_path):
    for folder in ("t", "outside"):
        record(torch.exp, torch.ones(3), tmp_path / folder, level="tensors")
    (tmp_path / "t" / name).unlink()
    (tmp_path / "t" / name).symlink_to(tmp_path / "outside" / name)
    with watched() as opened, pytest.raises(TraceError):
        read_trace(tmp_path / "t")
    assert not [path for path, _ in opened if "outside" in path]
    (tmp_path / "t" / name).unlink()


@pytest.mark.parametrize(
    "name",
    ["../outside/shard-0001.safetensors", "{absolute}", "shard-0001.safetensors\n", "..\\shard-0001.safetensors", "shard-٠٠٠١.safetensors"],
)
def test_shards_have_one_kind_of_name(name, tmp_path):
    for folder in ("t", "outside"):
        record(torch.exp, torch.ones(3), tmp_path / folder, level="tensors")
    name = name.format(absolute=tmp_path / "outside" / "shard-0001.safetensors")
    records = tmp_path / "t" / "records.jsonl"
    lines = [json.loads(line) for line in records.read_text().splitlines()]
    lines[0]["place"][0] = name
    records.write_text("".join(json.dumps(line) + "\n" for line in lines))
    manifest = tmp_path / "t" / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "complete": False}))
    with watched() as opened, pytest.raises(TraceError, match="shard name"):
        read_trace(tmp_path / "t")
    assert not [path for path, _ in opened if Path(path).name.startswith("shard")]
