import torch
import torch.nn.functional as F


def custom_kernel(data):
    x, weight, bias, state = data
    B, D, L = x.shape
    K = weight.shape[1]
    z = x.new_empty(B, D, L + K - 1)
    z[..., :K - 1] = state
    z[..., K - 1:] = x
    win = z.unfold(-1, K, 1)                       # [B, D, L, K]
    c = torch.matmul(win, weight[None, :, :, None]).squeeze(-1) + bias[None, :, None]
    return F.silu(c), z[..., L:].clone()
