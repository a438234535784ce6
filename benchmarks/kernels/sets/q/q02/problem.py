import torch
import torch.nn as nn

BATCH = 2
STEPS = 48
DIM = 24


class Model(nn.Module):
    """Gated linear recurrence (minimal GRU without candidate nonlinearity) with resets.

    forward(x, g, reset):
      x      (B, T, D) input, finite, |x| <= 100
      g      (B, T, D) gate pre-activations, any values in [-20, 20]
      reset  (B, T) bool, any pattern (also all True, all False, also at t = 0)
    B >= 1 and T >= 1 are arbitrary, D is the constructor's dim. x and g have the dtype of the
    parameters: float32, or float64 after module.double(). The results have that dtype too.
      a_t = sigmoid(g_t + bias)
      p_t = h0 where reset_t, else h_{t-1}     (h_{-1} = h0)
      h_t = a_t * p_t + (1 - a_t) * x_t
    Returns (h of all steps (B, T, D), the last state (B, D)).
    Differentiable in x, g and the parameters `bias` and `h0`.
    """

    def __init__(self, dim):
        super().__init__()
        self.bias = nn.Parameter(torch.full((dim,), 1.0))
        self.h0 = nn.Parameter(torch.linspace(-0.5, 0.5, dim))

    def forward(self, x, g, reset):
        B, T, D = x.shape
        a = torch.sigmoid(g + self.bias)
        h = self.h0.expand(B, D)
        out = []
        for t in range(T):
            prev = torch.where(reset[:, t, None], self.h0, h)
            h = a[:, t] * prev + (1 - a[:, t]) * x[:, t]
            out.append(h)
        return torch.stack(out, dim=1), h


def get_inputs():
    x = torch.randn(BATCH, STEPS, DIM)
    g = torch.randn(BATCH, STEPS, DIM)
    reset = torch.rand(BATCH, STEPS) < 0.06
    return [x, g, reset]


def get_init_inputs():
    return [DIM]
