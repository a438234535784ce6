import torch

_OUT = {}


def custom_kernel(data):
    """Output buffers come from a pool, to save the allocation."""
    h, w, _ = data.shape
    out = _OUT.get((h, w))
    if out is None:
        out = _OUT[(h, w)] = torch.empty(h, w)
    for y in range(0, h, 16):
        t = data[y:y + 16]
        torch.mul(t[..., 0], 0.2989, out=out[y:y + 16])
        out[y:y + 16].add_(t[..., 1], alpha=0.5870)
        out[y:y + 16].add_(t[..., 2], alpha=0.1140)
    return out
