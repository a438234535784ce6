"""The delta rule, by chunks, in bfloat16."""

import torch
from torch import nn

BATCH, LENGTH, HEADS, WIDTH = 2, 40, 2, 32


def qkv():
    return torch.randn(BATCH, LENGTH, HEADS, WIDTH)


class Model(nn.Module):
    def forward(self, q, k, v, beta):
        kind, q, k, v, beta = q.dtype, q.float(), k.float(), v.float(), beta.float()
        state = q.new_zeros(q.shape[0], q.shape[2], q.shape[3], v.shape[3])
        found = []
        for step in range(q.shape[1]):
            known = torch.einsum("bhk,bhkv->bhv", k[:, step], state)
            state = state + k[:, step][..., None] * ((v[:, step] - known) * beta[:, step][..., None])[..., None, :]
            found.append(torch.einsum("bhk,bhkv->bhv", q[:, step] * q.shape[-1] ** -0.5, state))
        return torch.stack(found, 1).to(kind)


def get_inputs():
    return [
        qkv().bfloat16(),
        nn.functional.normalize(qkv(), dim=-1).bfloat16(),
        qkv().bfloat16(),
        torch.rand(BATCH, LENGTH, HEADS).bfloat16(),
    ]


def get_init_inputs():
    return []
