import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, num_tags: int):
        super().__init__()
        self.transitions = nn.Parameter(torch.randn(num_tags, num_tags))
        self.start = nn.Parameter(torch.zeros(num_tags))
        self.end = nn.Parameter(torch.zeros(num_tags))

    @torch.no_grad()
    def forward(self, emissions, lengths):
        B, T, K = emissions.shape
        valid = torch.arange(T)[:, None] < lengths[None, :]
        em = emissions.transpose(0, 1)
        v = self.start + em[0]
        bp = []
        for t in range(1, T):
            cand = v.unsqueeze(-1) + self.transitions
            bp.append(cand.argmax(dim=-2))
            v = torch.where(valid[t].unsqueeze(-1), cand.amax(dim=-2) + em[t], v)
        v = v + self.end
        tag = v.argmax(dim=-1, keepdim=True)
        score = v.gather(-1, tag).squeeze(-1)
        steps = [torch.where(valid[T - 1].unsqueeze(-1), tag, -1)]
        for t in range(T - 1, 0, -1):
            tag = torch.where(valid[t].unsqueeze(-1), bp[t - 1].gather(-1, tag), tag)
            steps.append(torch.where(valid[t - 1].unsqueeze(-1), tag, -1))
        paths = torch.stack(steps[::-1], dim=1).squeeze()
        return paths, score
