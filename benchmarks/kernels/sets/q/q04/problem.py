import torch
import torch.nn as nn

ROWS = 300
DIM = 48
LENGTHS = (40, 7, 31, 1, 38, 22, 29, 36, 13, 33, 25, 25)


class Model(nn.Module):
    """Attention pooling over ragged segments (inference only: called under no_grad, no gradients).

    forward(x, offsets):
      x        float32, (N, D), any strides (e.g. a transposed or column-sliced view); finite, and the
               scores below stay within [-500, 500]
      offsets  int32 or int64, (S + 1,), offsets[0] = 0, non-decreasing, offsets[-1] <= N.
               Segment s is x[offsets[s]:offsets[s+1]]; it may be empty and may be as long as N. Rows from
               offsets[-1] on belong to no segment and are ignored.
    N >= 0, S >= 1 arbitrary; D is the constructor's dim, 1 <= D <= 512.
      score = (x @ query) * exp(log_temp)
      pooled[s] = sum_i softmax(score in the segment)_i x_i
      lse[s]    = logsumexp(score in the segment)
    An empty segment gives pooled = 0 and lse = -inf. Returns (pooled (S, D), lse (S,)), both float32.
    """

    def __init__(self, dim):
        super().__init__()
        self.query = nn.Parameter(torch.randn(dim) / dim**0.5)
        self.log_temp = nn.Parameter(torch.zeros(()))

    @torch.no_grad()
    def forward(self, x, offsets):
        S = offsets.numel() - 1
        score = (x @ self.query) * self.log_temp.exp()
        pooled = x.new_zeros(S, x.shape[1])
        lse = x.new_full((S,), float("-inf"))
        off = offsets.tolist()
        for s in range(S):
            a, b = off[s], off[s + 1]
            if b > a:
                pooled[s] = torch.softmax(score[a:b], 0) @ x[a:b]
                lse[s] = torch.logsumexp(score[a:b], 0)
        return pooled, lse


def get_inputs():
    x = torch.randn(ROWS, DIM)
    offsets = torch.tensor((0,) + LENGTHS).cumsum(0)
    return [x, offsets]


def get_init_inputs():
    return [DIM]
