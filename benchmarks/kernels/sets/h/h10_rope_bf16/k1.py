import torch


def custom_kernel(data):
    x, positions, rot, base = data
    dim = x.shape[-1]
    half = rot // 2
    inv = base ** (-torch.arange(0, rot, 2).double() / dim)
    ang = positions.double()[..., None] * inv
    turn = torch.polar(torch.ones_like(ang), ang).unsqueeze(2)
    z = torch.complex(x[..., :half].double(), x[..., half:rot].double()) * turn
    return torch.cat([z.real.float().bfloat16(), z.imag.float().bfloat16(), x[..., rot:]], dim=-1)
