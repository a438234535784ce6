import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, rotary_dim, max_pos, base):
        super().__init__()
        self.rotary_dim = rotary_dim
        inv = 1.0 / (base ** (torch.arange(0, rotary_dim, 2).float() / rotary_dim))
        ang = torch.outer(torch.arange(max_pos).float(), inv)
        self.register_buffer("cos_table", ang.cos())
        self.register_buffer("sin_table", ang.sin())

    def forward(self, q, k, positions):
        half = self.rotary_dim // 2
        phase = torch.complex(self.cos_table, self.sin_table)[positions][:, :, None, :]
        nq = q.shape[2]
        packed = torch.cat([q, k], dim=2)          # one launch for both tensors
        z = torch.complex(packed[..., :half].contiguous(), packed[..., half:2 * half].contiguous()) * phase
        out = torch.cat([z.real, z.imag, packed[..., 2 * half:]], dim=-1)
        return out[:, :, :nq].contiguous(), out[:, :, nq:].contiguous()
