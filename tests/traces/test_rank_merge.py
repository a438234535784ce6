"""Ranks put together: what their placements say is done, and nothing else."""

import numpy as np
import pytest
from tests.forged import entries, rewritten

from halfulp.errors import TraceError
from halfulp.traces import Fingerprint, Ref, Step, Value, merge_ranks, read_trace
from halfulp.traces.hashes import hash_of
from halfulp.traces.writer import TraceWriter

FINGERPRINT = Fingerprint({"machine": {"cores": "2"}}, ())
REPLICATED, SHARDED_0, SHARDED_1, PARTIAL = ("Replicate()",), ("Shard(dim=0)",), ("Shard(dim=1)",), ("Partial(sum)",)


def bits(values, dtype):
    """As a recorder stores them: bfloat16 as the upper half of float32."""
    return (values.view(np.uint32) >> np.uint32(16)).astype(np.uint16) if dtype == "bfloat16" else values


def write_rank(folder, rank, values, *, ops=("aten.mul.Tensor",), level="tensors", notes=(), stored=True):
    """A trace of one rank: `values` are (array, placements, name, dtype), the last of them is what the op made."""
    writer = TraceWriter(folder / f"rank-{rank:05d}", level=level, fingerprint=FINGERPRINT, rank=rank)
    for number, (given, placements, name, dtype) in enumerate(values):
        array = np.ascontiguousarray(given)
        raw = bits(array, dtype)
        place = writer.store(dtype, array.shape, raw, elements=array.size) if stored else None
        strides = tuple(stride // array.itemsize for stride in array.strides)
        role = "op" if number == len(values) - 1 else "parameter"
        writer.add_value(Value(number, role, name, dtype, array.shape, strides, "cpu", hash_of(raw), {}, place, placements))
    for index, op in enumerate(ops):
        last = len(values) - 1
        writer.add_step(Step(index, "op", "forward", op, "", 0, "model.py:1 forward", (Ref(0), 2.0), {}, (last,)))
    return writer.close(named={"output": len(values) - 1}, notes=notes)


def two_ranks(tmp_path, pairs):
    """Two ranks with these values; returns the merged trace."""
    for rank in (0, 1):
        write_rank(tmp_path / "ranks", rank, [(pair[rank], placements, name, dtype) for pair, placements, name, dtype in pairs])
    return merge_ranks(tmp_path / "ranks", tmp_path / "whole")


def draw(*shape, dtype=np.float32, seed=0):
    return (np.random.default_rng(seed).integers(-64, 64, shape) / 8).astype(dtype)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int64"])
@pytest.mark.parametrize(("placement", "axis"), [("Shard(dim=0)", 0), ("Shard(0)", 0), ("S(0)", 0), ("Shard(dim=1)", 1), ("S(1)", 1)])
@pytest.mark.parametrize("sizes", [(4, 4), (3, 2), (5, 1)])
def test_shards_are_put_side_by_side_along_their_axis(dtype, placement, axis, sizes, tmp_path):
    kind = np.float32 if dtype == "bfloat16" else np.dtype(dtype)
    whole = draw(sum(sizes), 6, dtype=kind) if axis == 0 else draw(6, sum(sizes), dtype=kind)
    parts = np.split(whole, [sizes[0]], axis=axis)
    trace = two_ranks(tmp_path, [((draw(2), draw(2)), (), "x", "float32"), (parts, (placement,), "", dtype)])
    value = trace.values[1]
    assert value.shape == whole.shape and value.is_complete and value.dtype == dtype
    assert value.strides == (whole.shape[1], 1)
    assert value.hash == hash_of(bits(whole, dtype))
    np.testing.assert_array_equal(trace.stored(1), whole)
    assert not trace.notes


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("placement", ["Partial(sum)", "P(sum)", "Partial(reduce_op=sum)", "_Partial(sum)", "Partial()"])
def test_partial_sums_are_added(dtype, placement, tmp_path):
    kind = np.float32 if dtype == "bfloat16" else np.dtype(dtype)
    parts = [draw(3, 4, dtype=kind, seed=seed) for seed in (1, 2)]  # multiples of 1/8 below 16: sums are exact in every format
    trace = two_ranks(tmp_path, [((draw(2), draw(2)), (), "x", "float32"), (parts, (placement,), "", dtype)])
    np.testing.assert_array_equal(trace.stored(1), parts[0] + parts[1])
    assert trace.values[1].shape == (3, 4)
    assert trace.values[1].hash == hash_of(bits(parts[0] + parts[1], dtype))


def test_a_bfloat16_sum_is_rounded_to_bfloat16(tmp_path):
    """1 + 2^-8 is halfway between two numbers: to even; 1 + 3 * 2^-9 is nearer to the one above."""
    parts = [np.float32([1.0, 1.0, 1.0]), np.float32([2.0**-8, 3 * 2.0**-9, 2.0**-9])]
    trace = two_ranks(tmp_path, [((draw(2), draw(2)), (), "x", "float32"), (parts, PARTIAL, "", "bfloat16")])
    np.testing.assert_array_equal(trace.stored(1), np.float32([1.0, 1.0 + 2.0**-7, 1.0]))


@pytest.mark.parametrize("kind", ["avg", "max", "min", "product"])
def test_partial_results_of_other_kinds_are_not_added(kind, tmp_path):
    """Either done as it says, or rank 0's is kept and a note says so; never a sum."""
    parts = [np.float32([1, 2, 6]), np.float32([3, 2, -4])]
    meant = {"avg": [2, 2, 1], "max": [3, 2, 6], "min": [1, 2, -4], "product": [3, 4, -24]}[kind]
    trace = two_ranks(tmp_path, [((draw(2), draw(2)), (), "x", "float32"), (parts, (f"Partial({kind})",), "", "float32")])
    found = trace.stored(1).tolist()
    assert found == meant or (found == [1, 2, 6] and trace.notes), found


@pytest.mark.parametrize("placements", [REPLICATED, (), ("R",)])
def test_replicated_values_are_taken_once(placements, tmp_path):
    x = draw(3, 4)
    trace = two_ranks(tmp_path, [((x, x.copy()), placements, "w", "float32"), ((x * 2, x * 2), placements, "", "float32")])
    np.testing.assert_array_equal(trace.stored(0), x)
    np.testing.assert_array_equal(trace.stored(1), x * 2)
    assert trace.values[0].name == "w" and not trace.notes


def test_equal_shards_are_still_put_side_by_side(tmp_path):
    """Shards of zeros have the same hash on both ranks."""
    trace = two_ranks(tmp_path, [((draw(2), draw(2)), (), "x", "float32"), ((np.zeros((2, 3), np.float32),) * 2, SHARDED_0, "", "float32")])
    assert trace.values[1].shape == (4, 3)


def test_equal_partial_sums_are_still_added(tmp_path):
    trace = two_ranks(tmp_path, [((draw(2), draw(2)), (), "x", "float32"), ((np.ones(3, np.float32),) * 2, PARTIAL, "", "float32")])
    assert trace.stored(1).tolist() == [2.0] * 3


def test_values_that_differ_without_placements_are_rank_0s_and_noted(tmp_path):
    one, other = draw(3, seed=1), draw(3, seed=2)
    trace = two_ranks(tmp_path, [((one, other), (), "local", "float32"), ((one, one), (), "", "float32")])
    np.testing.assert_array_equal(trace.stored(0), one)
    assert len(trace.notes) == 1 and "local" in trace.notes[0] and "rank 0" in trace.notes[0]


def test_values_of_two_mesh_axes_are_rank_0s_and_noted(tmp_path):
    one, other = draw(3, seed=1), draw(3, seed=2)
    trace = two_ranks(tmp_path, [((one, other), ("Shard(dim=0)", "Replicate()"), "w", "float32"), ((one, one), (), "", "float32")])
    np.testing.assert_array_equal(trace.stored(0), one)
    assert len(trace.notes) == 1 and "w" in trace.notes[0]


def test_replicated_values_that_differ_are_noted(tmp_path):
    """A fault of its own: what should be the same on all ranks is not."""
    one, other = draw(3, seed=1), draw(3, seed=2)
    trace = two_ranks(tmp_path, [((one, other), REPLICATED, "w", "float32"), ((one, one), (), "", "float32")])
    np.testing.assert_array_equal(trace.stored(0), one)
    assert len(trace.notes) == 1 and "w" in trace.notes[0]


def test_steps_names_and_fingerprint_are_rank_0s(tmp_path):
    x = draw(3)
    trace = two_ranks(tmp_path, [((x, x), (), "x", "float32"), ((x, x * 2), SHARDED_0, "", "float32")])
    first = read_trace(tmp_path / "ranks" / "rank-00000")
    assert trace.steps == first.steps and trace.named == first.named == {"output": 1}
    assert trace.fingerprint == first.fingerprint and trace.rank is None and first.rank == 0 and not trace.is_partial
    assert [path.name for path in tmp_path.iterdir() if "whole" in path.name] == ["whole"]


@pytest.mark.parametrize("count", [3, 4, 11])
def test_ranks_are_joined_in_their_order(count, tmp_path):
    parts = np.split(draw(count * 2, 3), count)
    for rank in reversed(range(count)):
        write_rank(tmp_path / "ranks", rank, [(draw(2), (), "x", "float32"), (parts[rank], SHARDED_0, "", "float32")])
    np.testing.assert_array_equal(merge_ranks(tmp_path / "ranks", tmp_path / "whole").stored(1), np.concatenate(parts))


def test_special_numbers_are_counted_in_what_is_joined(tmp_path):
    parts = [np.float32([1.0, np.nan]), np.float32([np.inf, -3.0])]
    trace = two_ranks(tmp_path, [((draw(2), draw(2)), (), "x", "float32"), (parts, SHARDED_0, "", "float32")])
    found = trace.values[1].statistics
    assert (found["nan"], found["inf"], found["min"], found["max"], found["mean"]) == (1, 1, -3.0, 1.0, -1.0)


def test_without_elements_rank_0s_records_are_kept_and_spread_values_are_noted(tmp_path):
    for rank in (0, 1):
        write_rank(
            tmp_path / "ranks",
            rank,
            [(draw(2), (), "x", "float32"), (draw(3, seed=rank), SHARDED_0, "", "float32")],
            level="hash",
            stored=False,
        )
    trace = merge_ranks(tmp_path / "ranks", tmp_path / "whole")
    assert all(value.place is None for value in trace.values) and len(trace.notes) == 1


def test_ranks_of_other_programs_are_refused(tmp_path):
    values = [(draw(2), (), "x", "float32"), (draw(2), (), "", "float32")]
    write_rank(tmp_path / "ranks", 0, values)
    with pytest.raises(TraceError, match="at least two"):
        merge_ranks(tmp_path / "ranks", tmp_path / "whole")
    with pytest.raises(TraceError, match="0 ranks"):
        merge_ranks(tmp_path / "nothing", tmp_path / "whole")
    write_rank(tmp_path / "ranks", 1, values, ops=("aten.add.Tensor",))
    with pytest.raises(TraceError, match="different ops"):
        merge_ranks(tmp_path / "ranks", tmp_path / "whole")
    assert not list(tmp_path.glob("whole*"))


def test_ranks_with_other_values_are_refused_or_noted(tmp_path):
    """The same ops, but fewer values: no IndexError."""
    write_rank(tmp_path / "ranks", 0, [(draw(2), (), "x", "float32"), (draw(2), (), "y", "float32"), (draw(2), (), "", "float32")])
    write_rank(tmp_path / "ranks", 1, [(draw(2), (), "x", "float32"), (draw(2), (), "", "float32")])
    with pytest.raises(TraceError):
        merge_ranks(tmp_path / "ranks", tmp_path / "whole")


def test_shards_that_do_not_fit_together_are_refused_or_noted(tmp_path):
    for rank, shape in ((0, (2, 3)), (1, (2, 4))):
        write_rank(tmp_path / "ranks", rank, [(draw(2), (), "x", "float32"), (draw(*shape), SHARDED_0, "", "float32")])
    try:
        trace = merge_ranks(tmp_path / "ranks", tmp_path / "whole")
    except TraceError:
        return
    assert trace.notes


def test_an_existing_trace_is_not_written_over(tmp_path):
    x = draw(3)
    two_ranks(tmp_path, [((x, x), (), "x", "float32"), ((x, x * 2), SHARDED_0, "", "float32")])
    with pytest.raises(TraceError, match="exists"):
        merge_ranks(tmp_path / "ranks", tmp_path / "whole")


def test_ranks_that_are_links_are_refused(tmp_path):
    """A link leads out of the folder that was sent."""
    for rank in (0, 1):
        write_rank(tmp_path / "ranks", rank, [(draw(3), (), "x", "float32"), (draw(3, seed=rank), (), "", "float32")])
    (tmp_path / "ranks" / "rank-00001").rename(tmp_path / "outside")
    (tmp_path / "ranks" / "rank-00001").symlink_to(tmp_path / "outside")
    with pytest.raises(TraceError, match="Got the link"):
        merge_ranks(tmp_path / "ranks", tmp_path / "whole")


def test_an_axis_beyond_integers_is_no_placement(tmp_path):
    long = (f"Shard({'9' * 5000})",)
    for rank in (0, 1):
        write_rank(tmp_path / "ranks", rank, [(draw(3), (), "x", "float32"), (draw(3, seed=rank), long, "", "float32")])
    assert merge_ranks(tmp_path / "ranks", tmp_path / "whole").notes


def test_values_that_share_elements_go_on_sharing_them(tmp_path):
    """Two thousand records of one place were written two thousand times."""
    pairs = [(draw(100_000), REPLICATED, f"x{k}", "float32") for k in range(40)]
    for rank in (0, 1):
        folder = write_rank(tmp_path / "ranks", rank, pairs)
        found = entries(folder)
        values = [each for each in found if "value" in each]
        for value in values:
            value.update(place=values[0]["place"], hash=values[0]["hash"])
        rewritten(folder, found)
    whole = merge_ranks(tmp_path / "ranks", tmp_path / "whole")
    assert sum(path.stat().st_size for path in whole.path.glob("shard-*")) < 4 * 400_000
    assert all(np.array_equal(whole.numbers(k), draw(100_000)) for k in range(40))
