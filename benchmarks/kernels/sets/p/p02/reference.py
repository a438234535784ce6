import torch


def ref_kernel(data):
    """Maximum drawdown per asset with the peak and trough positions."""
    prices = data
    a, t = prices.shape
    dev = prices.device
    valid = ~torch.isnan(prices)
    x = torch.where(valid, prices, torch.full_like(prices, float("-inf")))
    peak = torch.cummax(x, dim=1).values
    ratio = torch.where(valid, x / peak, torch.full_like(x, float("inf")))
    best = ratio.min(dim=1, keepdim=True).values
    pos = torch.arange(t, device=dev).expand(a, t)
    far = torch.full_like(pos, t)
    trough = torch.where(ratio == best, pos, far).min(dim=1).values
    peak_at = peak.gather(1, trough[:, None])
    first = torch.where(x == peak_at, pos, far).min(dim=1).values

    has = valid.any(dim=1)
    minus1 = torch.full_like(trough, -1)
    mdd = torch.where(has, 1.0 - best[:, 0], torch.full_like(best[:, 0], float("nan")))
    return {
        "max_drawdown": mdd,
        "peak": torch.where(has, first, minus1).to(torch.int32),
        "trough": torch.where(has, trough, minus1).to(torch.int32),
    }


def generate_input(assets: int, steps: int, missing: float, seed: int):
    gen = torch.Generator().manual_seed(seed)
    start = 10.0 + 490.0 * torch.rand((assets, 1), generator=gen)
    vol = 0.005 + 0.03 * torch.rand((assets, 1), generator=gen)
    steps_ = torch.randn((assets, steps), generator=gen) * vol
    prices = (start * torch.exp(torch.cumsum(steps_, dim=1))).to(torch.float32)
    if missing > 0:
        gone = torch.rand((assets, steps), generator=gen) < missing
        prices = torch.where(gone, torch.full_like(prices, float("nan")), prices)
    return prices.contiguous()
