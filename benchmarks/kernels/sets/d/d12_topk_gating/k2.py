import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    logits, bias, k = data
    score = logits + bias
    nan = torch.isnan(score)
    # rank of every expert: how many come before it
    a, b = score.unsqueeze(2), score.unsqueeze(1)        # b beats a ?
    na, nb = nan.unsqueeze(2), nan.unsqueeze(1)
    above = (b > a) | (nb & ~na)
    same = (b == a) | (nb & na)
    E = score.shape[1]
    num = torch.arange(E)
    earlier = num.unsqueeze(0) < num.unsqueeze(1)
    rank = (above | (same & earlier)).sum(dim=2)
    order = torch.empty_like(rank).scatter_(1, rank, num.expand_as(rank))
    index = order[:, :k].contiguous()
    return torch.softmax(torch.gather(logits, 1, index), dim=-1), index
