import torch
from task import input_t, output_t

TILE = 32


def custom_kernel(data: input_t) -> output_t:
    """Dense one-hot masks over tiles of segments; sums in double."""
    scores, segment, segments = data
    out = torch.empty(scores.shape, dtype=scores.dtype)
    for s in range(0, segments, TILE):
        ids = torch.arange(s, min(s + TILE, segments))
        mask = segment[None, :] == ids[:, None]
        live = mask.any(0)
        table = torch.where(mask, scores[None, :], torch.tensor(float("-inf")))
        top = table.amax(1).masked_fill(~mask.any(1), 0.0)
        e = torch.exp(table - top[:, None]).double()
        p = e / e.sum(1, keepdim=True).clamp_min(1e-300)
        out[live] = p.sum(0).float()[live]
    return out
