import numpy as np
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, in_features: int, out_features: int, group_size: int):
        super().__init__()
        assert in_features % group_size == 0
        self.group_size = group_size
        groups = in_features // group_size
        self.register_buffer("qweight", torch.randint(-8, 8, (out_features, in_features), dtype=torch.int8))
        self.register_buffer("scales", torch.rand(out_features, groups) * 0.02 + 0.005)
        self.bias = nn.Parameter(torch.zeros(out_features), requires_grad=False)

    @torch.no_grad()
    def forward(self, x):
        K = x.shape[-1]
        G = K // self.group_size
        a = x.detach().cpu().numpy().reshape(-1, K)
        s = np.maximum(np.abs(a).max(axis=1, keepdims=True), np.float32(1e-10)) / np.float32(127.0)
        q = np.clip(np.rint(a / s), -128, 127)
        q = q.astype(np.int64).reshape(-1, G, self.group_size)
        w = self.qweight.cpu().numpy().astype(np.int64).reshape(-1, G, self.group_size)
        acc = np.matmul(q.transpose(1, 0, 2), w.transpose(1, 2, 0))          # (G, tokens, out)
        sc = self.scales.cpu().numpy().astype(np.float64).T[:, None, :]
        y = (acc * sc).sum(axis=0) * s.astype(np.float64) + self.bias.detach().cpu().numpy()
        y = torch.from_numpy(y).to(device=x.device, dtype=x.dtype)
        return y.reshape(*x.shape[:-1], w.shape[0])
