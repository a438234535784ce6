import torch
import torch.nn.functional as F


def custom_kernel(data):
    x, weight, bias, state = data
    B, D, L = x.shape
    K = weight.shape[1]
    # roll the cache window forward, then use it as left context
    ctx = state.clone()
    keep = max(K - 1 - L, 0)
    state.copy_(torch.cat([ctx[..., K - 1 - keep:], x[..., -(K - 1):]], dim=-1))
    z = torch.cat([ctx, x], dim=-1)
    y = F.silu(F.conv1d(z, weight.unsqueeze(1), bias, groups=D))
    return y, state
