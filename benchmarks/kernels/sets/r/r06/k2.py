import torch


def custom_kernel(data):
    """Hillis-Steele inclusive scan of the affine maps h -> a h + b."""
    a, b, h0, reset = data
    T = a.shape[1]
    A = torch.where(reset[..., None], torch.zeros_like(a), a).double()
    H = b.double().clone()
    H[:, 0] += A[:, 0] * h0.double()
    A = A.clone()
    A[:, 0] = 0
    d = 1
    while d < T:
        H = torch.cat([H[:, :d], H[:, d:] + A[:, d:] * H[:, :-d]], dim=1)
        A = torch.cat([A[:, :d], A[:, d:] * A[:, :-d]], dim=1)
        d *= 2
    return H.float()
