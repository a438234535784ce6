import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    scores, segment, segments = data
    e = torch.exp(scores - scores.max())
    z = torch.bincount(segment, weights=e, minlength=segments).to(e.dtype)
    return e / z.gather(0, segment)
