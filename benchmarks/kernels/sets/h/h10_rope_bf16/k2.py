import torch


def custom_kernel(data):
    x, positions, rot, base = data
    half = rot // 2
    inv = torch.exp(torch.arange(half, dtype=torch.float64) * (-2.0 / rot) * torch.log(torch.tensor(base, dtype=torch.float64)))
    ang = torch.einsum("bt,f->btf", positions.double(), inv)
    turn = torch.polar(torch.ones_like(ang), ang).unsqueeze(2)
    z = torch.complex(x[..., :half].double(), x[..., half:rot].double()) * turn
    out = torch.empty(x.shape, dtype=x.dtype)
    out[..., :half] = z.real.float().to(x.dtype)
    out[..., half:rot] = z.imag.float().to(x.dtype)
    out[..., rot:] = x[..., rot:]
    return out
