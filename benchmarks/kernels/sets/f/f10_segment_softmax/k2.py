import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    """Groups the scores by id with a stable sort and runs a dense softmax on each run."""
    scores, segment, segments = data
    order = torch.argsort(segment, stable=True)
    counts = torch.bincount(segment, minlength=segments).tolist()
    grouped = scores[order]
    pieces = [torch.softmax(c, 0) for c in grouped.split(counts)]
    out = torch.empty(scores.shape, dtype=scores.dtype)
    out[order] = torch.cat(pieces)
    return out
