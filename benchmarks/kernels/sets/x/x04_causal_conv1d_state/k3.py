import torch
import torch.nn.functional as F


def custom_kernel(data):
    x, weight, bias, state = data
    B, D, L = x.shape
    K = weight.shape[1]
    z = torch.cat([state, x], dim=-1)
    y = F.conv1d(z, weight.unsqueeze(1), bias, groups=D)
    y = y * torch.sigmoid(y)
    new_state = F.pad(x[..., -(K - 1):], (max(K - 1 - L, 0), 0))
    return y, new_state.clone()
