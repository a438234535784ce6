"""Screened Coulomb (Yukawa) energies of particles in a periodic orthorhombic box.

pos (N, 3) float32, charge (N,) float32, box (3,) float32 edge lengths, which in general
differ. N >= 1 is arbitrary. Positions are unwrapped: they drift out of the box by up to
10 edge lengths to either side, and every pair interacts by its minimum image. The cutoff
is at most half the shortest edge; image distances are at least 0.3.

    e_i = 1/2 sum_{j != i, r_ij < cutoff} q_i q_j (exp(-kappa r)/r - exp(-kappa cutoff)/cutoff)

Returns the energy per particle (N,). Inputs keep their values. Gradients with respect to
pos and charge are taken, of any weighted combination of the energies (e.g. of the energy
of a subset of the particles); the box is constant.
"""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, kappa, cutoff):
        super().__init__()
        self.kappa = kappa
        self.cutoff = cutoff

    def forward(self, pos, charge, box):
        d = pos[:, None, :] - pos[None, :, :]
        d = d - box * torch.round(d.detach() / box)
        eye = torch.eye(pos.shape[0], dtype=torch.bool, device=pos.device)
        r = torch.sqrt((d * d).sum(-1).masked_fill(eye, 1.0))
        near = (r < self.cutoff) & ~eye
        shift = torch.exp(torch.tensor(-self.kappa * self.cutoff, dtype=torch.float64)).item() / self.cutoff
        v = torch.exp(-self.kappa * r) / r - shift
        return 0.5 * charge * torch.where(near, v * charge, torch.zeros_like(v)).sum(1)


grid = (8, 4, 4)
edge = 8.0
kappa = 0.8
cutoff = 3.5


def get_inputs():
    axes = [torch.arange(g) * (edge / g) for g in grid]
    pos = torch.stack(torch.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3)
    pos = pos + 0.3 + 0.3 * torch.rand(pos.shape)
    return [pos, torch.randn(pos.shape[0]), torch.full((3,), edge)]


def get_init_inputs():
    return [kappa, cutoff]
