import torch

G = 32


def _planes(x):
    # sign / magnitude split: magnitudes go through the unsigned path
    return torch.sign(x).to(torch.int32), torch.abs(x).to(torch.int32)


def custom_kernel(data):
    a, b, sa, sb = data
    M, K = a.shape
    N = b.shape[0]
    sgn_a, mag_a = _planes(a)
    sgn_b, mag_b = _planes(b)
    av = (sgn_a * mag_a).float()
    bv = (sgn_b * mag_b).float()
    c = torch.zeros(M, N)
    for j in range(sa.shape[1]):
        k0, k1 = j * G, min((j + 1) * G, K)
        p = av[:, k0:k1] @ bv[:, k0:k1].t()
        col = sb[:, j].repeat_interleave(G)[:N]
        c += p * (sa[:, j:j + 1] * col[None])
    return c
