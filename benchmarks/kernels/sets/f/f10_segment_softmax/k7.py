import torch
from task import input_t, output_t

_work = {}


def custom_kernel(data: input_t) -> output_t:
    scores, segment, segments = data
    if segments not in _work:
        _work[segments] = (torch.full((segments,), float("-inf")), torch.zeros(segments))
    top, z = _work[segments]
    top.scatter_reduce_(0, segment, scores, "amax", include_self=True)
    e = torch.exp(scores - top[segment])
    z.zero_()
    z.index_add_(0, segment, e)
    return e / z[segment]
