import math

import torch


def ref_kernel(data):
    """Shifted-force Lennard-Jones in a periodic orthorhombic box.

    data = (pos [n,3] f32, types [n] i32, box [3] f32, eps [t,t] f32, sigma [t,t] f32, rc float)
    returns (forces [n,3] f32, energy [n] f32, virial [n] f32)
    """
    pos, types, box, eps, sigma, rc = data
    n = pos.shape[0]
    d = pos[:, None, :] - pos[None, :, :]
    d = d - box * torch.round(d / box)
    r2 = (d * d).sum(-1)
    eye = torch.eye(n, dtype=torch.bool, device=pos.device)
    inside = (r2 < rc * rc) & ~eye
    r = torch.sqrt(torch.where(inside, r2, torch.ones_like(r2)))
    t = types.long()
    e = eps[t[:, None], t[None, :]]
    s = sigma[t[:, None], t[None, :]]

    def energy(rr):
        q = (s / rr) ** 6
        return 4.0 * e * (q * q - q)

    def force(rr):
        q = (s / rr) ** 6
        return 24.0 * e * (2.0 * q * q - q) / rr

    rcut = torch.full_like(r, rc)
    u = energy(r) - energy(rcut) + (r - rc) * force(rcut)
    f = force(r) - force(rcut)
    zero = torch.zeros_like(r)
    u = torch.where(inside, u, zero)
    f = torch.where(inside, f, zero)
    forces = ((f / r)[:, :, None] * d).sum(1)
    return forces, 0.5 * u.sum(1), 0.5 * (f * r * inside).sum(1)


def generate_input(n: int, ntypes: int, seed: int):
    gen = torch.Generator().manual_seed(seed)
    side = max(2, math.ceil(round(n ** (1.0 / 3.0), 6)))
    spacing = 1.2
    length = side * spacing
    grid = torch.cartesian_prod(*[torch.arange(side, dtype=torch.float32)] * 3) * spacing
    pick = torch.randperm(side ** 3, generator=gen)[:n]
    pos = grid[pick] + 0.1 * (2 * torch.rand((n, 3), generator=gen) - 1)
    pos = pos % length
    types = torch.randint(0, ntypes, (n,), generator=gen).to(torch.int32)
    e1 = 0.5 + torch.rand((ntypes,), generator=gen)
    s1 = 0.85 + 0.2 * torch.rand((ntypes,), generator=gen)
    eps = torch.sqrt(e1[:, None] * e1[None, :])
    sigma = 0.5 * (s1[:, None] + s1[None, :])
    box = torch.full((3,), length, dtype=torch.float32)
    rc = min(2.5, 0.5 * length)
    return pos.contiguous(), types, box, eps, sigma, rc
