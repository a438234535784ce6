import torch


def custom_kernel(data):
    x = data
    amax = x.abs().amax(dim=1, keepdim=True)
    inv = torch.where(amax == 0, torch.ones_like(amax), 127.0 / amax)
    scale = torch.where(amax == 0, torch.ones_like(amax), amax / 127.0)
    q = torch.round(x * inv).clamp_(-127, 127).to(torch.int8)
    return q, scale.squeeze(1)
