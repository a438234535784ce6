import torch
import torch.nn as nn


class _Q4Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, qweight, scales, zeros, bias, group):
        n = qweight.shape[0]
        code = torch.arange(256)
        pair = torch.stack([code % 16, code // 16], -1)              # byte -> two nibbles
        q = pair[qweight.long()].reshape(n, -1, group)
        w = (q - zeros.long().unsqueeze(-1)).to(x.dtype) * scales.unsqueeze(-1)
        w = w.reshape(n, -1)
        ctx.save_for_backward(w)
        y = torch.empty(x.shape[0], n, dtype=x.dtype)
        for c in range(0, n, 80):
            y[:, c:c + 80] = x @ w[c:c + 80].t() + bias[c:c + 80]
        return y

    @staticmethod
    def backward(ctx, go):
        (w,) = ctx.saved_tensors
        return go @ w, None, None, None, go.sum(0), None


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, group):
        super().__init__()
        self.group = group
        n_groups = in_features // group
        self.register_buffer("qweight", torch.randint(0, 256, (out_features, in_features // 2), dtype=torch.uint8))
        self.register_buffer("scales", torch.rand(out_features, n_groups) * 0.02 + 0.005)
        self.register_buffer("zeros", torch.full((out_features, n_groups), 8, dtype=torch.uint8))
        self.bias = nn.Parameter(torch.zeros(out_features))

    def forward(self, x):
        return _Q4Linear.apply(x, self.qweight, self.scales, self.zeros, self.bias, self.group)
