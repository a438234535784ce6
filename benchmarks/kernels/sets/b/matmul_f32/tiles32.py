import torch

BM, BN, BK = 32, 32, 32


def custom_kernel(data):
    a, b = data
    M, K = a.shape
    N = b.shape[1]
    c = torch.empty(M, N, dtype=torch.float32)
    for m0 in range(0, M, BM):
        m1 = min(m0 + BM, M)
        for n0 in range(0, N, BN):
            n1 = min(n0 + BN, N)
            acc = torch.zeros(m1 - m0, n1 - n0)
            for k0 in range(0, K, BK):
                k1 = min(k0 + BK, K)
                acc += a[m0:m1, k0:k1] @ b[k0:k1, n0:n1]
            c[m0:m1, n0:n1] = acc
    return c
