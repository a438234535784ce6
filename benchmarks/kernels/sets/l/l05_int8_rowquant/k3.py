import torch


def custom_kernel(data):
    x = data
    amax = x.abs().amax(dim=-1).clamp(min=1e-5)
    scale = amax / 127.0
    q = torch.empty(x.shape, dtype=torch.int8, device=x.device)
    for n0 in range(0, x.shape[1], 128):
        q[:, n0:n0 + 128] = (x[:, n0:n0 + 128] / scale[:, None]).round().clamp(-127, 127).to(torch.int8)
    return q, scale
