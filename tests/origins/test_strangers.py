"""A trace is data: whatever a stranger wrote into it, no code of theirs runs, no file is touched, and memory stays within what it stores."""

import copy
import os
import struct
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
import torch
from releases import since
from tests.forged import Unstored, entries, forge, op_replaced, rewritten, written
from torch import nn

import halfulp
from halfulp.ops import OPS, bounded
from halfulp.ops.evaluation import NotReplayed, Unknown
from halfulp.ops.formulas import FORMULAS
from halfulp.origins.replayable import approved
from halfulp.origins.script import literal
from halfulp.origins.values import evaluate
from halfulp.traces import Ref, Step, read_trace

NORM = "aten.native_layer_norm.default"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A small net whose two sides differ in an epsilon: the first op at fault is a layer normalization."""
    folder = tmp_path_factory.mktemp("strangers")
    torch.manual_seed(0)
    expected = nn.Sequential(nn.Linear(16, 32), nn.LayerNorm(32), nn.GELU(), nn.Linear(32, 8), nn.Softmax(-1))
    actual = copy.deepcopy(expected)
    actual[1].eps = 1e-3
    x = torch.randn(4, 16)
    with torch.no_grad():
        return halfulp.record(actual, x, folder / "a.trace", level="tensors").path, halfulp.record(
            expected, x, folder / "b.trace", level="tensors"
        ).path


@pytest.fixture(scope="module")
def pooled(tmp_path_factory):
    """A convolutional net with its backward pass."""
    folder = tmp_path_factory.mktemp("pooled")
    found = []
    for name, eps in (("a", 1e-5), ("b", 1e-3)):
        torch.manual_seed(0)
        net = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(128, 10))
        net[1].eps = eps
        found.append(halfulp.record(net, (torch.randn(2, 3, 8, 8),), folder / f"{name}.trace", level="tensors", gradients=True).path)
    return found


def both(recorded, tmp_path, change):
    return [forge(source, tmp_path / source.name, change) for source in recorded]


INJECTION = 'x"""\nimport os\nopen("PWNED", "w").write("code ran")\n"""'


def module_named(text):
    def change(found):
        for each in found:
            if each.get("module") == "1":
                each["module"] = text

    return change


@pytest.mark.parametrize("run", [False, True])
@pytest.mark.parametrize("sides", ["ab", "a", "b"])
@pytest.mark.parametrize("name", [INJECTION, "x'''\nopen('PWNED', 'w')\n'''", "x\\", 'x" + open("PWNED", "w").name + "', "{0.__class__}"])
def test_names_are_no_code(name, sides, run, recorded, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    traces = [forge(each, tmp_path / each.name, module_named(name) if each.name[0] in sides else lambda _: None) for each in recorded]
    script = halfulp.repro(*traces, tmp_path / "out", run=run)
    compile(script.read_text(), str(script), "exec")
    assert not list(tmp_path.rglob("PWNED"))
    assert ("$ python repro.py" in (tmp_path / "out" / "issue.md").read_text()) is run


def test_an_op_that_is_none_is_refused_and_named(recorded, tmp_path):
    op = NORM + '.x"""\nopen("PWNED", "w")\n"""'
    traces = both(recorded, tmp_path, op_replaced(NORM, op, [{"ref": 2}]))
    origin = halfulp.locate(*traces)
    assert any("not in the table of pure ops" in note for note in origin.notes)


def test_argument_names_are_those_of_the_schema(recorded, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def change(found):
        for each in found:
            if each.get("op") == NORM:
                each["keywords"] = {'**(open("PWNED", "w") and {}) or {}, eps': 1}

    with pytest.raises(halfulp.InputError):
        halfulp.repro(*both(recorded, tmp_path, change), tmp_path / "out")
    assert not list(tmp_path.rglob("PWNED"))


@pytest.mark.parametrize("value", ["a", 'a"""\n', 1, -1.5, True, None, 1 + 2j, 10**30, 1e-300])
def test_literals_are_read_back(value):
    assert eval(literal(value)) == value


def test_what_is_no_constant_is_no_literal():
    with pytest.raises(NotReplayed):
        literal(object())


# Ops that a trace may not choose


@pytest.mark.parametrize(
    ("op", "arguments", "keywords"),
    [
        ("aten.from_file.default", ["FILE", True, 4096], {"dtype": {"dtype": "float32"}}),
        ("aten.from_file.default", ["FILE", True, 1 << 20], {"dtype": {"dtype": "uint8"}}),
        ("aten._save_parameter.default", ["FILE"], {}),
        ("load_library.__call__.__call__", ["FILE"], {}),
        ("aten.load_library.default", ["FILE"], {}),
        ("aten.__dict__.clear", [], {}),
        ("prims.__init__.default", [], {}),
        ("aten.randn.default", [[4]], {}),
        ("aten.special_chebyshev_polynomial_t.n_scalar", [{"ref": 2}, 10**15], {}),
        ("aten.linalg_matrix_power.default", [{"ref": 2}, 10**15], {}),
        ("aten.tril_indices.default", [200000, 200000], {}),
        ("aten.bincount.default", [{"ref": 2}], {}),
    ],
)
def test_only_ops_of_the_table_are_run(op, arguments, keywords, recorded, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("precious\n")
    arguments = [str(victim) if argument == "FILE" else argument for argument in arguments]
    origin = halfulp.locate(*both(recorded, tmp_path, op_replaced(NORM, op, arguments, keywords)))
    assert any("not recomputed" in note for note in origin.notes)
    assert victim.read_text() == "precious\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.trace", "b.trace", "victim"]


def test_the_table_holds_no_op_that_writes_or_draws():
    drawing, made = [], []
    for name in (name for name, record in OPS.items() if record.torch or (name in FORMULAS and not record.closed)):
        packet = getattr(torch.ops.aten, name, None)
        for overload in packet.overloads() if packet is not None else ():
            op = getattr(packet, overload)
            made.append(name)
            # A convolution or attention that may drop out at random is tagged too; its formula refuses any other probability than 0.
            if torch.Tag.nondeterministic_seeded in op.tags and not any("dropout" in argument.name for argument in op._schema.arguments):
                drawing.append(op)
            kinds = {str(argument.type) for argument in op._schema.arguments}
            assert not kinds & {"Storage", "Stream"}, op
    assert len(made) > 600
    assert not drawing


# Memory


def peak_of(call):
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


BOMBS = {
    "full": ("aten.full.default", [[400_000_000], 1.0]),
    "full of 2**36": ("aten.full.default", [[1 << 36], 1.0]),
    "zeros": ("aten.zeros.default", [[1 << 15, 1 << 15]]),
    "eye": ("aten.eye.default", [1 << 15]),
    "arange": ("aten.arange.start_step", [0.0, 1.0, 1e-9]),
    "arange of inf": ("aten.arange.start_step", [0.0, {"number": "inf"}, 1.0]),
    "repeat": ("aten.repeat.default", [{"ref": 2}, [1 << 14, 1 << 14]]),
    "padding": ("aten.constant_pad_nd.default", [{"ref": 2}, [1 << 28, 0]]),
    "reflection": ("aten.reflection_pad1d.default", [{"ref": 2}, [1 << 28, 0]]),
    "expansion": ("aten.expand.default", [{"ref": 2}, [1 << 30, 4, 32]]),
    "one_hot": ("aten.one_hot.default", [{"ref": 2}, 1 << 30]),
    "slice_backward": ("aten.slice_backward.default", [{"ref": 2}, [1 << 30, 32], 0, 0, 4, 1]),
    "embedding": ("aten.embedding_dense_backward.default", [{"ref": 2}, {"ref": 2}, 1 << 40, -1, False]),
    "upsampling": ("aten.upsample_nearest1d.default", [{"ref": 2}, [1 << 30]]),
    "pooling": ("aten._adaptive_avg_pool2d.default", [{"ref": 2}, [1 << 20, 1 << 20]]),
    "topk": ("aten.topk.default", [{"ref": 2}, 1 << 40]),
    "strides": ("aten.as_strided.default", [{"ref": 2}, [1 << 20, 1 << 20], [0, 0]]),
    "list": ("aten.cat.default", [[{"ref": 2}] * 200_000]),
    "linspace": ("aten.linspace.default", [0.0, 1.0, 1 << 30]),
    "histogram": ("aten.histc.default", [{"ref": 2}, 1 << 31]),
    "distances": ("aten.im2col.default", [{"ref": 2}, [1, 1], [1, 1], [1 << 15, 1 << 15], [1, 1]]),
}


@pytest.mark.parametrize("name", BOMBS)
def test_memory_is_bounded_by_what_is_stored(name, recorded, tmp_path):
    op, arguments = BOMBS[name]
    traces = both(recorded, tmp_path, op_replaced(NORM, op, arguments))
    halfulp.locate(*recorded)  # what is loaded once does not count
    assert peak_of(lambda: halfulp.locate(*traces)) < 4 * bounded.FLOOR_BYTES  # an array at the limit, and what is made of it


@pytest.mark.parametrize(
    "op", ["aten.mul.Tensor", "aten.mm.default", "aten.addr.default", "aten._cdist_forward.default", "aten.where.self"]
)
def test_products_of_small_values_are_bounded(op, tmp_path):
    """Two vectors of 20,000 numbers are 160 kB; all their products 3 GB."""
    n = 20_000
    step = Step(0, "op", "forward", op, "", 0, "", (Ref(0), Ref(1)), {}, (2,), None)
    if op in ("aten.addr.default", "aten.where.self"):
        step = Step(0, "op", "forward", op, "", 0, "", (Ref(2), Ref(0), Ref(1)), {}, (2,), None)
    flat = op == "aten.addr.default"
    given = {
        0: np.ones(n if flat else (n, 1)),
        1: np.ones(n if flat else (1, n)),
        2: np.ones((1, 1), dtype=bool if op == "aten.where.self" else float),
    }
    empty = tmp_path / "empty"
    empty.mkdir()
    holder = type("Stored", (), {"path": empty})()
    with bounded.limited(holder):
        if op == "aten._cdist_forward.default":
            with pytest.raises(NotReplayed, match="the limit for these traces is"):
                approved(step, [torch.ones(n, 1), torch.ones(n, 1), 2.0, None], {})
            return
        with pytest.raises(Unknown, match="the limit for these traces is"):
            evaluate(step, given.__getitem__)


@pytest.mark.parametrize(
    "geometry", [[[0, [4, 32], [32, 1]], [-5, [4], [1]]], [[0, [4, 32], [-32, 1]]], [[0, [4, 32], [32, 1]], [0, [1 << 40], [0]]]]
)
def test_overlays_stay_inside_their_memory(geometry, recorded, tmp_path):
    traces = both(recorded, tmp_path, op_replaced(NORM, "halfulp.overlay", [{"ref": 2}, [{"ref": 2}], geometry]))
    assert halfulp.locate(*traces).walk


def test_sparse_files_count_for_what_they_hold(tmp_path):
    with (tmp_path / "shard-0001.safetensors").open("wb") as file:
        file.truncate(1 << 36)
    assert bounded.stored_bytes(tmp_path) < 1 << 20


def test_a_bounded_array_computes_what_an_array_computes(tmp_path):
    random = np.random.default_rng(0)
    x, y, places = random.standard_normal((4, 5)), random.standard_normal((5, 3)), np.array([[0, 1], [2, 3]])
    holder = type("Stored", (), {"path": tmp_path})()
    calls = [
        lambda a, b, i: a @ b,
        lambda a, b, i: np.where(a > 0, a, b.T[:1]),
        lambda a, b, i: a[i] + 1,
        lambda a, b, i: np.pad(a, [(1, 2), (0, 1)]),
        lambda a, b, i: np.take(a, i, 0),
        lambda a, b, i: np.concatenate([a, a], 1).sum(0),
        lambda a, b, i: np.outer(a, b),
        lambda a, b, i: np.add.outer(a, b),
        lambda a, b, i: np.stack([a, a])[..., ::2],
        lambda a, b, i: np.repeat(np.tile(a, (2, 1)), 3, axis=0),
    ]
    for call in calls:
        with bounded.limited(holder):
            found = call(bounded.bounded(x), bounded.bounded(y), bounded.bounded(places))
            assert isinstance(found, bounded.Bounded)
        np.testing.assert_array_equal(bounded.plain(found), call(x, y, places))


# Numbers by which kernels find memory


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_indices_outside_of_a_tensor_crash_nothing(order, pooled, tmp_path):
    def change(found):
        step = next(each for each in found if each.get("op", "").startswith("aten.max_pool2d_with_indices_backward"))
        value = next(each for each in found if each.get("value") == step["arguments"][-1]["ref"])
        _, begin, end, _ = value["place"]
        shard = tmp_path / "b.trace" / "shard-0001.safetensors"
        data = bytearray(shard.read_bytes())
        data[begin:end] = struct.pack("<q", 1 << 40) * ((end - begin) // 8)
        shard.write_bytes(data)
        value["hash"] = ""

    traces = [pooled[0], forge(pooled[1], tmp_path / "b.trace", change)]
    code = f"import halfulp; print(halfulp.locate({str(traces[order[0]])!r}, {str(traces[order[1]])!r}).verdict)"
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"}
    )
    assert ran.returncode == 0, ran.stderr[-2000:]


UNSAFE = {
    "aten._pdist_backward.default": (
        [torch.ones(2), torch.ones(50, 3), 2.0, torch.ones(1)],
        [torch.ones(1225), torch.ones(50, 3), 2.0, torch.ones(1)],
    ),
    "aten._cdist_backward.default": (
        [torch.ones(2, 2), torch.ones(50, 3), torch.ones(50, 3), 2.0, torch.ones(1, 1)],
        [torch.ones(50, 50), torch.ones(50, 3), torch.ones(50, 3), 3.0, torch.ones(1, 1)],
        [torch.ones(50, 50), torch.ones(50, 3), torch.ones(50, 4), 3.0, torch.ones(50, 50)],
    ),
    "aten.adaptive_max_pool3d_backward.default": (
        [torch.ones(900, 2, 2, 2), torch.ones(1, 4, 4, 4), torch.zeros(900, 2, 2, 2, dtype=torch.int64)],
    ),
    "aten._upsample_bilinear2d_aa.default": (
        [torch.ones(1, 1, 4, 4), [200, 200], False, 1e-4, 1e-4],
        [torch.ones(1, 1, 4, 4), [200, 20], False, 50.0, 1e-5],
    ),
    "aten._upsample_bicubic2d_aa.default": ([torch.ones(1, 1, 4, 4), [200, 20], False, 2e-5, None],),
    "aten._upsample_bilinear2d_aa_backward.default": ([torch.ones(1, 1, 8, 8), [8, 8], [1, 1, 4, 4], False, 1e-5, 2.0],),
    "aten.grid_sampler_2d_backward.default": (
        [torch.ones(1, 1, 2, 2), torch.ones(1, 1, 9, 9), torch.zeros(1, 9, 9, 2), 0, 0, False, [True, True]],
        [torch.ones(2, 1, 9, 9), torch.ones(1, 1, 9, 9), torch.zeros(2, 9, 9, 2), 0, 0, False, [True, True]],
    ),
    "aten.max_pool2d_with_indices_backward.default": (
        [torch.ones(1, 1, 2, 2), torch.ones(1, 1, 4, 4), [2, 2], [2, 2], [0, 0], [1, 1], False, torch.full((1, 1, 2, 2), 16)],
        [torch.ones(1, 1, 2, 2), torch.ones(1, 1, 4, 4), [2, 2], [2, 2], [0, 0], [1, 1], False, torch.full((1, 1, 2, 2), -1)],
    ),
    "aten.adaptive_max_pool2d_backward.default": (
        [torch.ones(1, 2, 2), torch.ones(1, 4, 4), torch.full((1, 2, 2), 1 << 40)],
        [torch.ones(1, 900, 2, 2), torch.ones(1, 1, 40, 40), torch.full((1, 900, 2, 2), 1599)],
    ),
    "aten.native_layer_norm_backward.default": (
        [torch.ones(8, 4), torch.ones(8, 4), [4], torch.ones(1, 1), torch.ones(1, 1), None, None, [True, True, True]],
    ),
    "aten.native_batch_norm_backward.default": (
        [torch.ones(2, 8, 4), torch.ones(2, 8, 4), None, None, None, torch.ones(1), torch.ones(1), True, 1e-5, [True, True, True]],
    ),
    "aten.nll_loss_backward.default": ([torch.ones(()), torch.ones(2, 3), torch.tensor([0, 1 << 40]), None, 1, -100, torch.ones(())],),
    "aten.linalg_lu_solve.default": ([torch.eye(3), torch.tensor([1, 2, 1 << 30], dtype=torch.int32), torch.ones(3, 1)],),
    "aten.embedding_dense_backward.default": ([torch.ones(2, 4), torch.tensor([0, 1 << 40]), 3, -1, True],),
    "aten._linalg_eigh.default": ([torch.full((3, 3), torch.nan)],),
    "aten._fused_sgd.default": ([[torch.ones(8)], [torch.ones(2)], []],),
}


@pytest.mark.parametrize("op", UNSAFE)
def test_unsafe_arguments_are_refused_before_anything_runs(op):
    keywords = {}
    if op.startswith("aten._fused_sgd"):
        keywords = {
            "weight_decay": 0.0,
            "momentum": 0.0,
            "lr": 0.1,
            "dampening": 0.0,
            "nesterov": False,
            "maximize": False,
            "is_first_step": False,
        }
    for arguments in UNSAFE[op]:
        with pytest.raises(Unknown):
            approved(Step(0, "op", "forward", op, "", 0, "", tuple(arguments), keywords, (0,), None), arguments, keywords)


@pytest.mark.parametrize("op", ["aten.native_batch_norm.default", "aten.max_pool2d_with_indices_backward.default", "aten.nll_loss_backward.default",
                                "aten._transformer_encoder_layer_fwd.default", "aten.linalg_lu_solve.default", "aten._fused_adam.default"])  # fmt: skip
def test_missing_arguments_are_refused(op):
    for arguments in ([], [torch.ones(2, 3)], [torch.ones(2, 3)] * 4, [3, "x", None]):
        with pytest.raises(Unknown):
            approved(Step(0, "op", "forward", op, "", 0, "", tuple(arguments), {}, (0,), None), arguments, {})


BROADCAST = {
    "aten._cdist_forward.default": [(600, 1, 1, 500), (1, 600, 1, 500), 1.0, None],
    "aten._euclidean_dist.default": [(600, 1, 1, 500), (1, 600, 1, 500)],
    "aten.pairwise_distance.default": [(600, 1, 500), (1, 600, 500)],
    "aten.dist.default": [(600, 1, 500), (1, 600, 500)],
    "aten.cholesky_solve.default": [(400, 1, 60, 1), (1, 400, 60, 60)],
    "aten.linspace.default": [0.0, 1.0, 400_000_000],
}


@pytest.mark.parametrize("op", BROADCAST)
def test_what_a_kernel_makes_inside_of_itself_is_counted(op, recorded):
    """Operands that broadcast along batch axes are copied in full by the kernel, where nothing sees it."""
    arguments = [torch.ones(each) if isinstance(each, tuple) else each for each in BROADCAST[op]]
    small = [
        torch.ones(3, 5) if op != "aten.cholesky_solve.default" else torch.eye(3)
        for argument in arguments
        if isinstance(argument, torch.Tensor)
    ]
    step = Step(0, "op", "forward", op, "", 0, "", tuple(arguments), {}, (0,), None)
    with bounded.limited(read_trace(recorded[0])):
        with pytest.raises(NotReplayed, match="it would take"):
            approved(step, arguments, {})
        if small:
            assert approved(step, [*small, *arguments[2:]], {}) is not None


def test_safe_distances_and_grids_are_approved():
    def call(op, *arguments):
        return approved(Step(0, "op", "backward", op, "", 0, "", arguments, {}, (0,), None), list(arguments), {})(*arguments)

    x = torch.randn(7, 3)
    assert call("aten._cdist_backward.default", torch.ones(7, 7), x, x + 1, 2.0, torch.cdist(x, x + 1)).shape == (7, 3)
    assert call("aten._pdist_backward.default", torch.ones(21), x, 2.0, torch.pdist(x)).shape == (7, 3)
    image = torch.randn(1, 2, 4, 4)
    assert call("aten._upsample_bilinear2d_aa.default", image, [8, 8], False, 2.0, 2.0).shape == (1, 2, 8, 8)
    assert (
        call("aten.grid_sampler_2d_backward.default", torch.ones(1, 2, 3, 5), image, torch.zeros(1, 3, 5, 2), 0, 0, False, [True, True])[
            0
        ].shape
        == image.shape
    )


def test_safe_arguments_are_approved():
    x, places = torch.randn(1, 1, 4, 4), torch.tensor([[[[0, 3], [8, 15]]]])
    arguments = [torch.ones(1, 1, 2, 2), x, [2, 2], [2, 2], [0, 0], [1, 1], False, places]
    step = Step(0, "op", "backward", "aten.max_pool2d_with_indices_backward.default", "", 0, "", tuple(arguments), {}, (0,), None)
    assert approved(step, arguments, {})(*arguments).sum() == 4
    step = Step(0, "op", "forward", "aten.lgamma.default", "", 0, "", (x,), {}, (0,), None)
    assert torch.equal(approved(step, [x], {})(x), torch.lgamma(x))


@since(2, 5, "can't tell the size of the result of kthvalue without computing it")
def test_ops_of_the_table_run_as_before(tmp_path):
    """What has no formula is still replayed: none of the usual special functions and decompositions is lost."""
    x = torch.rand(4, 4, dtype=torch.float64) + 0.5

    def calls(x):
        square = x @ x.T + torch.eye(4, dtype=x.dtype)
        return (
            torch.lgamma(x), torch.digamma(x), torch.special.i0e(x), torch.special.bessel_j0(x), torch.hypot(x, x), torch.logaddexp(x, x),
            torch.linalg.qr(square)[1], torch.linalg.eigvalsh(square), torch.linalg.inv(square), torch.linalg.cholesky(square),
            torch.fft.rfft(x).real, torch.cdist(x, x), torch.xlogy(x, x), torch.special.zeta(x + 1, x), x.kthvalue(2)[0], torch.median(x),
        )  # fmt: skip

    a = halfulp.record(calls, x, tmp_path / "a.trace", level="tensors").path
    b = halfulp.record(lambda x: calls(x * (1 + 2**-50)), x, tmp_path / "b.trace", level="tensors").path
    origin = halfulp.locate(a, b)
    assert not any("not recomputed" in note for note in origin.notes), origin.notes


def test_a_forged_trace_reads_like_any_other(recorded, tmp_path):
    """The helper changes nothing but what it is told."""
    copied = forge(recorded[0], tmp_path / "copy.trace", lambda _: None)
    assert entries(copied) == entries(recorded[0])
    assert len(read_trace(rewritten(copied, entries(copied))).ops) == len(read_trace(recorded[0]).ops)


def test_repro_writes_where_nothing_else_lies(recorded, tmp_path):
    """A script imports what lies beside it: a folder of that name may have come with the traces, and a link leads elsewhere."""
    for name in ("platform.py", "json.py", "__pycache__"):
        folder = tmp_path / f"with-{name}"
        folder.mkdir()
        (folder / name).write_text("open('PWNED', 'w')\n")
        with pytest.raises(halfulp.InputError, match="empty folder"):
            halfulp.repro(*recorded, folder, run=True)
        assert [path.name for path in folder.iterdir()] == [name]
    victim, linked = tmp_path / "victim", tmp_path / "linked"
    victim.write_text("precious")
    linked.mkdir()
    (linked / "repro.py").symlink_to(victim)
    with pytest.raises(halfulp.InputError, match="link"):
        halfulp.repro(*recorded, linked)
    assert victim.read_text() == "precious"
    halfulp.repro(*recorded, tmp_path / "own")
    assert halfulp.repro(*recorded, tmp_path / "own").exists()  # its own files may be written again


def pair_of(tmp_path, values, op, arguments, results):
    """Two traces of one op; its results differ."""
    numbers = [np.asarray(value, np.float32) if isinstance(value, list) else value for value in values]
    return [
        written(tmp_path / name, [*numbers, np.asarray(result)], [(op, arguments, len(values))])
        for name, result in zip(("a.trace", "b.trace"), results)
    ]


EMPTY_BOMBS = {
    "a sum": ("aten.sum.dim_IntList", [Ref(0), [1]]),
    "a mean": ("aten.mean.dim", [Ref(0), [1]]),
    "views": ("aten.unbind.int", [Ref(0), 0]),
    "pieces": ("aten.split.Tensor", [Ref(0), 1, 0]),
    "a tensor where a list belongs": ("aten.cat.default", [Ref(0)]),
    "a reversal": ("aten.flip.default", [Ref(0), Ref(0)]),
    "a kernel": ("aten.avg_pool2d_backward.default", [Ref(1), Ref(1), [10**9, 10**9], [1, 1], [0, 0], False, True, 1]),
    "taps": ("aten.avg_pool2d_backward.default", [Ref(2), Ref(2), [2800, 2800], [1, 1], [0, 0], False, True, 1]),
}


@pytest.mark.parametrize("name", EMPTY_BOMBS)
def test_empty_values_with_long_axes_take_no_memory(name, tmp_path):
    op, arguments = EMPTY_BOMBS[name]
    values = [Unstored(10**9, 0), Unstored(0, 1, 4, 4), np.ones((1, 1, 4, 4), np.float32)]
    traces = pair_of(tmp_path, values, op, arguments, [np.float32([1, 2, 3, 4]), np.float32([1, 2, 3, 5])])
    assert peak_of(lambda: halfulp.locate(*traces)) < 4 * bounded.FLOOR_BYTES


def test_a_sparse_shard_is_not_read(tmp_path):
    traces = pair_of(tmp_path, [np.ones(4, np.float32)], "aten.neg.default", [Ref(0)], [np.float32([1, 2]), np.float32([1, 3])])
    for trace in traces:
        shard = next(trace.glob("shard-*"))
        with shard.open("r+b") as file:
            file.truncate(1 << 31)
        found = entries(trace)
        (value,) = (each for each in found if each.get("value") == 0)
        elements = ((1 << 31) - 4096) // 4
        value.update(shape=[elements], strides=[1], hash="", place=[shard.name, 4096, 4096 + 4 * elements, elements])
        rewritten(trace, found)
    assert peak_of(lambda: halfulp.locate(*traces)) < 4 * bounded.FLOOR_BYTES


def test_what_is_made_of_itself_many_times_is_looked_at_once(tmp_path):
    """Each of 40 values that were not stored is the sum of the one before and itself: 2**40 ways lead to the first."""
    values = [np.ones(4, np.float32), *(Unstored(4) for _ in range(40)), np.ones(4, np.float32)]
    steps = [("aten.add.Tensor", [Ref(k), Ref(k)], k + 1) for k in range(41)]
    actual = written(tmp_path / "a.trace", values, steps)
    expected = written(tmp_path / "b.trace", [np.ones(4, np.float32), np.full(4, 2, np.float32)], [("aten.nonsense.default", [Ref(0)], 1)])
    assert halfulp.locate(actual, expected).verdict is not None


@pytest.mark.parametrize("op", ["aten.neg.default", "aten.exp.default"])
def test_a_thousand_ops_without_stored_results_are_no_fault_of_halfulp(op, tmp_path):
    values = [np.ones(4, np.float32), *(Unstored(4) for _ in range(1500)), np.ones(4, np.float32)]
    steps = [(op, [Ref(k)], k + 1) for k in range(1501)]
    chain = written(tmp_path / "a.trace", values, steps)
    other = written(tmp_path / "b.trace", [np.ones(4, np.float32), np.full(4, 2, np.float32)], [("aten.nonsense.default", [Ref(0)], 1)])
    for sides in ((chain, other), (other, chain)):
        assert halfulp.locate(*sides).verdict is not None
        with pytest.raises(halfulp.HalfulpError) as error:
            halfulp.repro(*sides, tmp_path / "repro")
        assert not isinstance(error.value, halfulp.errors.InternalError)


WILD = {
    "a complex scale": ("aten._upsample_bilinear2d_aa.default", [Ref(0), [0, 8], False, 1.0, 1j]),
    "a scale beyond floats": ("aten._upsample_bicubic2d_aa.default", [Ref(0), [8, 8], False, 10**400, 10**400]),
    "a size beyond floats": ("aten._upsample_bilinear2d_aa.default", [Ref(0), [10**400, 8], False, None, None]),
    "a class beyond integers": ("aten.nll_loss_backward.default", [Ref(0), Ref(0), Ref(0), 1j, 1, 10**400, Ref(0)]),
    "heads beyond floats": ("aten._native_multi_head_attention.default", [Ref(1)] * 3 + [0, 10**400] + [Ref(1)] * 4),
    "a complex factor": ("aten.mul.Tensor", [Ref(0), 1j]),
    "a complex epsilon": ("aten.native_layer_norm.default", [Ref(0), [4], None, None, 1 + 1j]),
}


@pytest.mark.parametrize("name", WILD)
def test_wild_numbers_are_no_fault_of_halfulp(name, tmp_path):
    op, arguments = WILD[name]
    values = [np.ones((1, 1, 4, 4), np.float32), Unstored(2, 3, 0)]
    complex_results = [np.complex64([1 + 2j, 3]), np.complex64([1 + 3j, 3])]
    for results in ([np.float32([1, 2]), np.float32([1, 3])], complex_results):
        folder = tmp_path / str(results[0].dtype)
        traces = pair_of(folder, values, op, arguments, results)
        assert halfulp.locate(*traces).verdict is not None


def test_complex_programs_are_located(tmp_path):
    x = torch.randn(4, 5, dtype=torch.complex64)
    origin = halfulp.locate(lambda x: (x * 2.01).exp(), lambda x: (x * 2.0).exp(), (x,))
    assert (origin.verdict, origin.op) == (halfulp.Verdict.MISTAKE, "aten.mul.Tensor")
