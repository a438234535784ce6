import torch
# data is a tuple: (values, offsets, scale)


def generate_input(total, segments, scale, seed):
    gen = torch.Generator().manual_seed(seed)
    cuts = torch.sort(torch.randint(0, total, (segments - 1,), generator=gen)).values
    offsets = torch.cat([torch.zeros(1, dtype=torch.int64), cuts, torch.tensor([total])])
    values = 3.0 * torch.randn(total, generator=gen)
    mask = torch.rand(total, generator=gen) < 0.02
    values[mask] = float("-inf")
    return values, offsets, scale


def ref_kernel(data):
    values, offsets, scale = data
    out = torch.zeros(values.numel(), dtype=torch.float64)
    off = offsets.tolist()
    for a, b in zip(off[:-1], off[1:]):
        if b > a:
            x = values[a:b].double() * scale
            m = x.max()
            if m > float("-inf"):
                e = torch.exp(x - m)
                out[a:b] = e / e.sum()
    return out.float()


def check_implementation(data, output):
    ref = ref_kernel(data)
    if output.shape != ref.shape or not torch.allclose(output.float(), ref, rtol=1e-2, atol=1e-2):
        return False, "output differs"
    return True, ""
