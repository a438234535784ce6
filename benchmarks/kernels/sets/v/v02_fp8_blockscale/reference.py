import torch


def generate_input(m: int, n: int, k: int, group: int, amax: float, out_dtype: str, b_layout: str, seed: int):
    gen = torch.Generator().manual_seed(seed)
    kg = (k + group - 1) // group
    ng = (n + group - 1) // group
    a = ((torch.rand(m, k, generator=gen) * 2 - 1) * amax).to(torch.float8_e4m3fn)
    b = ((torch.rand(n, k, generator=gen) * 2 - 1) * amax)
    if b_layout == "kn":  # stored [k, n], seen as [n, k]
        b = b.t().contiguous().to(torch.float8_e4m3fn).t()
    else:
        b = b.to(torch.float8_e4m3fn)
    a_scale = (0.25 + 2 * torch.rand(m, kg, generator=gen)) / amax
    b_scale = (0.25 + 2 * torch.rand(ng, kg, generator=gen)) / amax
    return a, b, a_scale, b_scale, group, getattr(torch, out_dtype)


def ref_kernel(data):
    a, b, a_scale, b_scale, group, out_dtype = data
    m, k = a.shape
    n = b.shape[0]
    af = a.to(torch.float64) * a_scale.double().repeat_interleave(group, 1)[:, :k]
    bs = b_scale.double().repeat_interleave(group, 0)[:n].repeat_interleave(group, 1)[:, :k]
    bf = b.to(torch.float64) * bs
    return (af @ bf.t()).to(out_dtype)
