import torch
import torch.nn as nn


class ModelNew(nn.Module):
    @torch.no_grad()
    def forward(self, A, B):
        out = torch.empty_like(B)
        for b in range(A.shape[0]):
            out[b] = torch.linalg.solve(A[b], B[b])
        return out
