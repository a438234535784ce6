import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    scores, segment, segments = data
    top = torch.zeros(segments).scatter_reduce_(0, segment, scores, "amax", include_self=True)
    e = torch.exp(scores - top[segment])
    z = torch.zeros(segments).scatter_add_(0, segment, e)
    return e.div_(z[segment])
