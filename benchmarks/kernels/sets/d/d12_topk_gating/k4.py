import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    logits, bias, k = data
    score = logits + bias + 0.0                       # -0 becomes +0
    score = torch.where(torch.isnan(score), torch.full_like(score, float("nan")), score)
    bits = score.view(torch.int32).to(torch.int64)
    # monotone integer image of a float, position in the low word
    mono = torch.where(bits < 0, -(bits & 0x7FFFFFFF) - 1, bits)
    E = score.shape[1]
    key = (mono << 32) | (E - 1 - torch.arange(E))
    top = torch.topk(key, k, dim=-1, sorted=True).values
    index = E - 1 - (top & 0xFFFFFFFF)
    return torch.softmax(torch.gather(logits, 1, index), dim=-1), index
