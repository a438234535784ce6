import torch

BM, BN, BK = 32, 32, 64


def custom_kernel(data):
    A, B, sa, sb, zb = data
    M, K = A.shape
    N = B.shape[1]
    out = torch.empty(M, N)
    for m0 in range(0, M, BM):
        for n0 in range(0, N, BN):
            m1, n1 = min(m0 + BM, M), min(n0 + BN, N)
            acc = torch.zeros(m1 - m0, n1 - n0, dtype=torch.int32)
            for k0 in range(0, K, BK):
                a = A[m0:m1, k0:k0 + BK].int()
                b = B[k0:k0 + BK, n0:n1].int() - zb[n0:n1]
                acc += a @ b
            out[m0:m1, n0:n1] = acc.float() * sa[m0:m1, None] * sb[None, n0:n1]
    return out
