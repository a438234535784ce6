"""Two processes under torchrun with gloo: a tensor-parallel layer whose all-reduce is missing."""

import subprocess
import sys

import pytest
import torch

import halfulp

PROGRAM = """
import sys
import torch, torch.distributed as dist
import halfulp

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
up, down, x = torch.randn(32, 16), torch.randn(8, 32), torch.randn(5, 16)


class Column(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(up.chunk(2, 0)[rank].clone())

    def forward(self, x):
        return x @ self.weight.t()


class Row(torch.nn.Module):
    def __init__(self, reduces):
        super().__init__()
        self.weight, self.reduces = torch.nn.Parameter(down.chunk(2, 1)[rank].clone()), reduces

    def forward(self, x):
        y = x @ self.weight.t()
        if self.reduces:
            dist.all_reduce(y)
        return y


class Layer(torch.nn.Module):
    def __init__(self, reduces):
        super().__init__()
        self.up, self.act, self.down, self.norm = Column(), torch.nn.GELU(), Row(reduces), torch.nn.LayerNorm(8)

    def forward(self, x):
        return self.norm(self.down(self.act(self.up(x))))


with torch.no_grad():
    for name, reduces in (("good", True), ("again", True), ("bad", False)):
        halfulp.record(Layer(reduces), x, f"{sys.argv[1]}/{name}", level="tensors")
if sys.argv[2:] == ["dtensor"]:
    from torch.distributed.device_mesh import init_device_mesh
    try:
        from torch.distributed.tensor import Replicate, Shard, distribute_tensor
    except ImportError:  # PyTorch 2.4
        from torch.distributed._tensor import Replicate, Shard, distribute_tensor

    mesh = init_device_mesh("cpu", (2,))
    with torch.no_grad():
        weight, inputs = distribute_tensor(up, mesh, [Shard(0)]), distribute_tensor(x, mesh, [Replicate()])
        halfulp.record(lambda x: x @ weight.t(), inputs, f"{sys.argv[1]}/dtensor", level="tensors")
dist.destroy_process_group()
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    if not torch.distributed.is_available() or not torch.distributed.is_gloo_available():
        pytest.skip("this PyTorch has no gloo")
    folder = tmp_path_factory.mktemp("ranks")
    (folder / "program.py").write_text(PROGRAM)
    command = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc-per-node=2",
        str(folder / "program.py"),
        str(folder),
        "dtensor",
    ]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)
    assert ran.returncode == 0, ran.stderr[-3000:]
    return folder


def test_each_rank_has_a_trace(runs):
    for rank in range(2):
        trace = halfulp.read_trace(runs / "good" / f"rank-{rank:05d}")
        assert trace.rank == rank
        assert any(step.op == "c10d.allreduce_.default" for step in trace.ops)


def test_a_missing_all_reduce_is_located(runs):
    origin = halfulp.locate(runs / "bad", runs / "good")
    assert (origin.module, origin.op, origin.rank) == ("down", "c10d.allreduce_.default", 0)
    assert origin.acceptable is False


def test_the_same_program_has_no_origin(runs):
    origin = halfulp.locate(runs / "again", runs / "good")
    assert (origin.module, origin.acceptable) == (None, True)


def test_merging_puts_shards_together(runs, tmp_path):
    with pytest.raises(halfulp.TraceError, match="halfulp merge"):
        halfulp.read_trace(runs / "dtensor")
    merged = halfulp.traces.merge_ranks(runs / "dtensor", tmp_path / "whole.trace")
    torch.manual_seed(0)
    up, _, x = torch.randn(32, 16), torch.randn(8, 32), torch.randn(5, 16)
    single = halfulp.record(lambda x: x @ up.t(), x, tmp_path / "single.trace", level="tensors")
    whole = merged.stored(merged.named["output"])
    assert whole.shape == (5, 32)
    torch.testing.assert_close(torch.from_numpy(whole.copy()), torch.from_numpy(single.stored(single.named["output"]).copy()))
