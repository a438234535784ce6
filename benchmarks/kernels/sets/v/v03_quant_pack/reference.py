import torch


def generate_input(rows: int, cols: int, group: int, bits: int, spread: float, grid: bool, zero_frac: float, layout: str, seed: int):
    gen = torch.Generator().manual_seed(seed)
    if grid:  # multiples of one half
        x = torch.randint(-12, 13, (rows, cols), generator=gen).float() * 0.5
    else:
        x = torch.randn(rows, cols, generator=gen)
    groups = (cols + group - 1) // group
    factor = 2.0 ** torch.randint(-8, 9, (rows, groups), generator=gen).float() if spread == 0 else \
        10.0 ** ((torch.rand(rows, groups, generator=gen) * 2 - 1) * spread)
    if grid:
        factor = torch.ones(rows, groups)
    factor = torch.where(torch.rand(rows, groups, generator=gen) < zero_frac, 0.0, factor)
    x = x * factor.repeat_interleave(group, 1)[:, :cols]
    if layout == "transposed":
        x = x.t().contiguous().t()
    return x, group, bits


def ref_kernel(data):
    x, group, bits = data
    rows, cols = x.shape
    groups = (cols + group - 1) // group
    qmax = 2 ** (bits - 1) - 1
    xp = torch.zeros(rows, groups * group, dtype=torch.float64)
    xp[:, :cols] = x
    xp = xp.view(rows, groups, group)
    amax = xp.abs().amax(2)
    m, e = torch.frexp(amax / qmax)        # in float64; a float32 / qmax is never rounded to a power of two
    e = torch.where(m == 0.5, e - 1, e)
    scale = torch.where(amax == 0, torch.ones_like(amax), torch.ldexp(torch.ones_like(amax), e))
    q = torch.round(xp / scale[:, :, None]).long().view(rows, -1)[:, :cols]
    per = 32 // bits
    words = (cols + per - 1) // per
    qp = torch.zeros(rows, words * per, dtype=torch.int64)
    qp[:, :cols] = q & (2 ** bits - 1)
    shifts = torch.arange(per) * bits
    packed = (qp.view(rows, words, per) << shifts).sum(2)
    packed = torch.where(packed >= 2 ** 31, packed - 2 ** 32, packed).to(torch.int32)
    return packed, scale.float()
