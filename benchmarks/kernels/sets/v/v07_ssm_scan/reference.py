import torch


def generate_input(batch: int, length: int, dim: int, state: int, softplus: bool, has_h0: bool, reset_prob: float,
                   delta_scale: float, seed: int):
    gen = torch.Generator().manual_seed(seed)
    u = torch.randn(batch, length, dim, generator=gen)
    if softplus:
        delta = torch.randn(batch, length, dim, generator=gen) * delta_scale
    else:
        delta = torch.rand(batch, length, dim, generator=gen) * delta_scale
    A = -(0.5 + 1.5 * torch.rand(dim, state, generator=gen))
    B = torch.randn(batch, length, state, generator=gen)
    C = torch.randn(batch, length, state, generator=gen)
    D = torch.randn(dim, generator=gen)
    reset = torch.rand(batch, length, generator=gen) < reset_prob
    h0 = torch.randn(batch, dim, state, generator=gen) if has_h0 else None
    return u, delta, A, B, C, D, reset, h0, softplus


def ref_kernel(data):
    u, delta, A, B, C, D, reset, h0, softplus = data
    u, delta, A, B, C, D = (t.double() for t in (u, delta, A, B, C, D))
    if softplus:
        delta = torch.logaddexp(delta, torch.zeros_like(delta))
    batch, length, dim = u.shape
    h = torch.zeros(batch, dim, A.shape[1], dtype=torch.float64) if h0 is None else h0.double()
    y = torch.empty_like(u)
    for t in range(length):
        h = torch.where(reset[:, t, None, None], 0.0, h)
        d = delta[:, t, :, None]
        h = torch.exp(d * A) * h + d * B[:, t, None, :] * u[:, t, :, None]
        y[:, t] = (h * C[:, t, None, :]).sum(2) + D * u[:, t]
    return y.float(), h.float()
