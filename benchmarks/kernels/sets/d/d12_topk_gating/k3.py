import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    logits, bias, k = data
    score = logits + bias
    tokens = score.shape[0]
    index = torch.empty(tokens, k, dtype=torch.int64)
    rows = torch.arange(tokens)
    for j in range(k):
        best = torch.argmax(score, dim=-1)   # the first of equal ones
        index[:, j] = best
        score[rows, best] = float("-inf")
    return torch.softmax(torch.gather(logits, 1, index), dim=-1), index
