import torch

_CHUNK = 32


def custom_kernel(data):
    """Two-phase chunked scan. Chunk-local scans run in parallel, the boundary states are
    exchanged through a compact buffer and added back with the chunk's decay products."""
    a, b, h0, reset = data
    B, T, C = a.shape
    g = torch.where(reset[..., None], torch.zeros_like(a), a)
    n = -(-T // _CHUNK)
    pad = n * _CHUNK - T
    gp = torch.nn.functional.pad(g, (0, 0, 0, pad)).reshape(B, n, _CHUNK, C)
    bp = torch.nn.functional.pad(b, (0, 0, 0, pad)).reshape(B, n, _CHUNK, C)
    local = torch.empty_like(bp)
    h = torch.zeros(B, n, C)
    for t in range(_CHUNK):
        h = gp[:, :, t] * h + bp[:, :, t]
        local[:, :, t] = h
    lead = torch.cumprod(gp, dim=2)
    carry = torch.empty(B, n, C, dtype=torch.bfloat16)
    carry[:, 0] = h0
    for k in range(1, n):
        carry[:, k] = lead[:, k - 1, -1] * carry[:, k - 1] + local[:, k - 1, -1]
    out = local + lead * carry.float()[:, :, None]
    return out.reshape(B, n * _CHUNK, C)[:, :T].contiguous()
