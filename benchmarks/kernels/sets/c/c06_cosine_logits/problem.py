import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Scaled cosine similarity between embeddings and learned prototypes."""

    def __init__(self, dim, num_proto, eps):
        super().__init__()
        self.proto = nn.Parameter(torch.randn(num_proto, dim))
        self.scale = nn.Parameter(torch.tensor(10.0))
        self.eps = eps

    def forward(self, x):
        sim = F.cosine_similarity(x.unsqueeze(1), self.proto.unsqueeze(0), dim=-1, eps=self.eps)
        return self.scale * sim


B = 100
DIM = 80
NUM_PROTO = 96
EPS = 1e-8


def get_inputs():
    return [torch.randn(B, DIM)]


def get_init_inputs():
    return [DIM, NUM_PROTO, EPS]
