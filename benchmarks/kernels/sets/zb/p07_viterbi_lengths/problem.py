import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Viterbi decoding of a linear-chain CRF for a batch of sequences of different lengths.

    emissions: float32 (B, T, K), finite or -inf for forbidden tags (at least one path is possible).
    lengths: int64 (B,), 1 <= length <= T.
    transitions[i, j] is the score of going from tag i to tag j.

    Returns (paths, scores): paths int64 (B, T), -1 beyond the length; scores float32 (B,), the score
    of the best path. Ties go to the lowest tag index, from the last position backwards.
    """

    def __init__(self, num_tags: int):
        super().__init__()
        self.transitions = nn.Parameter(torch.randn(num_tags, num_tags))
        self.start = nn.Parameter(torch.zeros(num_tags))
        self.end = nn.Parameter(torch.zeros(num_tags))

    @torch.no_grad()
    def forward(self, emissions, lengths):
        B, T, K = emissions.shape
        paths = torch.full((B, T), -1, dtype=torch.int64)
        scores = torch.empty(B)
        for n in range(B):
            L = int(lengths[n])
            s = self.start + emissions[n, 0]
            back = []
            for t in range(1, L):
                cand = s[:, None] + self.transitions
                back.append(cand.argmax(0))
                s = cand.amax(0) + emissions[n, t]
            s = s + self.end
            tag = int(s.argmax())
            scores[n] = s[tag]
            paths[n, L - 1] = tag
            for t in range(L - 2, -1, -1):
                tag = int(back[t][tag])
                paths[n, t] = tag
        return paths, scores


def get_inputs():
    return [torch.randn(6, 20, 9), torch.tensor([20, 13, 7, 20, 1, 16])]


def get_init_inputs():
    return [9]
