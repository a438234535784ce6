import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = 2
seq_len = 64
dim = 48
c = 8.0


class Model(nn.Module):
    """
    Real-gated linear recurrent unit over packed documents (the recurrence of a Griffin block).

        log_a_t = -c * softplus(lam) * sigmoid(gate_t)
        h_t     = exp(log_a_t) * h_{t-1} + sqrt(1 - exp(2 * log_a_t)) * x_t
    At a position where reset is true a new document begins: the state before it counts as zero and
    x_t enters with factor 1, so h_t = x_t. Any position may be a reset, the first one too.

    Inputs:
        x: (batch, seq, dim) bfloat16; gate: (batch, seq, dim) float32, any finite values;
        reset: (batch, seq) bool; h0: (batch, dim) float32, the state before the first position.
        Sequences may be of any length, up to many thousands.
    Returns:
        y: (batch, seq, dim) bfloat16, the states h_t, and h_last: (batch, dim) float32, the last
        state. The state is carried in float32 throughout; only y is rounded to bfloat16.
    Used for inference only.
    """

    def __init__(self, dim, c):
        super().__init__()
        self.c = c
        self.lam = nn.Parameter(torch.linspace(-6.0, -3.0, dim))

    def forward(self, x, gate, reset, h0):
        log_a = -self.c * F.softplus(self.lam) * torch.sigmoid(gate)
        a = torch.exp(log_a)
        mult = torch.sqrt(-torch.expm1(2 * log_a))
        a = torch.where(reset[..., None], 0.0, a)
        mult = torch.where(reset[..., None], 1.0, mult)
        h = h0
        ys = []
        for t in range(x.shape[1]):
            h = a[:, t] * h + mult[:, t] * x[:, t].float()
            ys.append(h)
        return torch.stack(ys, 1).to(x.dtype), h


def get_inputs():
    x = torch.randn(batch_size, seq_len, dim).to(torch.bfloat16)
    gate = torch.randn(batch_size, seq_len, dim)
    reset = torch.zeros(batch_size, seq_len, dtype=torch.bool)
    reset[0, seq_len // 3] = True
    reset[1, seq_len // 2] = True
    h0 = torch.randn(batch_size, dim)
    return [x, gate, reset, h0]


def get_init_inputs():
    return [dim, c]
