import torch


def custom_kernel(data):
    scores, offsets = data
    n, h = scores.shape
    lens = offsets.diff()
    s = lens.numel()
    width = int(lens.max())
    pos = torch.arange(width, device=scores.device)
    valid = pos[None, :] < lens[:, None]
    gather = (offsets[:-1, None] + pos[None, :]).clamp(max=n - 1)
    dense = scores[gather]
    dense = dense.masked_fill(~valid[..., None], float("-inf"))
    p = torch.softmax(dense, dim=1)
    p = torch.nan_to_num(p, nan=0.0)
    return p[valid]
