import torch


def custom_kernel(data):
    x, zero, w, sx, sw, bias = data
    m, k = x.shape
    n = w.shape[0]
    lane = 4
    full = k // lane
    a = x[:, :full * lane].reshape(m, full, lane).to(torch.int32) - zero.to(torch.int32).view(m, 1, 1)
    b = w[:, :full * lane].reshape(n, full, lane).to(torch.int32)
    acc = torch.zeros(m, n, dtype=torch.int32)
    for p in range(lane):
        acc += a[:, :, p] @ b[:, :, p].t()
    return acc.float() * sx.unsqueeze(1) * sw + bias
