import torch


def generate_input(m: int, n: int, k: int, seed: int):
    gen = torch.Generator()
    gen.manual_seed(seed)
    x = torch.randint(-100, 101, (m, k), generator=gen).to(torch.int8)
    zero = torch.randint(-20, 21, (m,), generator=gen).to(torch.int8)
    w = torch.randint(-127, 128, (n, k), generator=gen).to(torch.int8)
    sx = torch.rand(m, generator=gen) * 0.02 + 0.001
    sw = torch.rand(n, generator=gen) * 0.01 + 0.001
    bias = torch.randn(n, generator=gen)
    return x, zero, w, sx, sw, bias


def ref_kernel(data):
    """out[i, j] = sx[i] * sw[j] * sum_k (x[i, k] - zero[i]) * w[j, k] + bias[j].

    x, zero, w: any int8 values. sx, sw, bias, out: float32. The integer sum is exact.
    """
    x, zero, w, sx, sw, bias = data
    acc = (x.to(torch.int64) - zero.to(torch.int64).unsqueeze(1)) @ w.to(torch.int64).t()
    out = acc.double() * sx.double().unsqueeze(1) * sw.double() + bias.double()
    return out.float()
