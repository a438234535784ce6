import torch


def custom_kernel(data):
    """Two-way dot product: a pair of products is added in 16 bits, then widened to 32."""
    A, B, sa, sb, zb = data
    M, K = A.shape
    N = B.shape[1]
    a = A.to(torch.int16)
    b = B.to(torch.int16) - zb.to(torch.int16)
    if K % 2:
        a = torch.cat([a, torch.zeros(M, 1, dtype=torch.int16)], 1)
        b = torch.cat([b, torch.zeros(1, N, dtype=torch.int16)], 0)
    acc = torch.zeros(M, N, dtype=torch.int32)
    for k in range(0, a.shape[1], 2):
        pair = a[:, k, None] * b[None, k] + a[:, k + 1, None] * b[None, k + 1]
        acc += pair.int()
    return acc.float() * sa[:, None] * sb[None, :]
