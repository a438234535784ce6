import torch


def generate_input(m: int, k: int, n: int, group: int, seed: int):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(m, k, generator=gen)
    qweight = torch.randint(-2 ** 31, 2 ** 31, (k // 8, n), generator=gen, dtype=torch.int64).to(torch.int32)
    qzeros = torch.randint(-2 ** 31, 2 ** 31, (k // group, n // 8), generator=gen, dtype=torch.int64).to(torch.int32)
    scales = torch.rand(k // group, n, generator=gen) * 0.02 + 0.002
    return x, qweight, qzeros, scales, group


def unpack_rows(packed):
    """(R, n) int32 -> (8 R, n): nibble i of word r is row 8 r + i"""
    shifts = torch.arange(0, 32, 4, device=packed.device, dtype=torch.int32)
    return ((packed[:, None, :] >> shifts[None, :, None]) & 15).reshape(-1, packed.shape[1])


def ref_kernel(data):
    """
    x @ ((q - z) * s) with 4-bit weights packed along k, zero points packed along n, one scale and zero point
    per group of `group` rows (a multiple of 8 that divides k). float32 activations. Inference only.
    """
    x, qweight, qzeros, scales, group = data
    q = unpack_rows(qweight)                                    # (k, n)
    z = unpack_rows(qzeros.t().contiguous()).t()                # (k / group, n)
    g = torch.arange(q.shape[0], device=x.device) // group
    w = (q - z[g]).to(x.dtype) * scales[g]
    return x @ w
