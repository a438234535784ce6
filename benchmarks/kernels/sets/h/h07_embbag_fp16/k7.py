import torch


def custom_kernel(data):
    table, index, weight = data
    acc = torch.zeros(index.shape[0], table.shape[1], dtype=torch.float32)
    count = torch.zeros(index.shape[0], 1, dtype=torch.float32)
    for s in range(index.shape[1]):
        i = index[:, s]
        live = i.ge(0).unsqueeze(1)
        row = table.index_select(0, i.clamp(min=0)).float()
        acc += torch.where(live, row * weight[:, s:s + 1].float(), torch.zeros_like(row))
        count += live
    return (acc / count.clamp(min=1)).to(torch.float16)
