import torch


def custom_kernel(data):
    """Parallel form with decays in log space: h_t = sum_j exp(S_t - S_j) b_j over the
    steps j of the same packed sequence."""
    a, b, h0, reset = data
    B, T, C = a.shape
    S = torch.cumsum(torch.log(a.double()), dim=1)
    seg = torch.cumsum(reset.long(), dim=1)
    i = torch.arange(T)
    same = (seg[:, :, None] == seg[:, None, :]) & (i[:, None] >= i[None, :])[None]
    diff = (S[:, :, None] - S[:, None, :]).masked_fill(~same[..., None], float("-inf"))
    h = torch.einsum("bijc,bjc->bic", torch.exp(diff), b.double())
    lead = torch.exp(S) * h0.double()[:, None]
    return (h + torch.where((seg == 0)[..., None], lead, torch.zeros_like(lead))).float()
