"""A linear layer whose weight is spread over the ranks."""

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard, distribute_tensor

import halfulp

dist.init_process_group("gloo")
torch.manual_seed(0)
x, W = torch.randn(5, 16), torch.randn(32, 16)
mesh = init_device_mesh("cpu", (2,))
with torch.no_grad():
    weight, given = distribute_tensor(W, mesh, [Shard(0)]), distribute_tensor(x, mesh, [Replicate()])
    halfulp.record(lambda x: x @ weight.t(), given, "sharded.trace", level="tensors")
dist.destroy_process_group()
