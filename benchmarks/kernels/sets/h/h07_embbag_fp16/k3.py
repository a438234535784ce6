import torch


def custom_kernel(data):
    table, index, weight = data
    acc = torch.zeros(index.shape[0], table.shape[1], dtype=table.dtype)
    for s in range(index.shape[1]):
        i = index[:, s]
        w = torch.where(i >= 0, weight[:, s], torch.zeros_like(weight[:, s]))
        acc = torch.addcmul(acc, table[i.clamp_min(0)], w.unsqueeze(1))
    count = (index >= 0).sum(dim=1, keepdim=True).clamp_min(1)
    return acc / count.to(acc.dtype)
