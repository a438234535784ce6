import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    logits, bias, k = data
    score = logits.add_(bias)
    index = torch.sort(score, dim=-1, descending=True, stable=True).indices[:, :k]
    chosen = torch.gather(score, 1, index) - bias[index]
    return torch.softmax(chosen, dim=-1), index
