import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Linear layer with spectral normalisation, leaky ReLU, dropout.

    In training mode each call does one power-iteration step, which updates the buffer u, and
    applies F.dropout; in eval mode u is used as it is and nothing is dropped. The gradient
    treats u and v as constants: sigma = u . W v.
    """

    def __init__(self, in_features, out_features, p, slope):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(out_features, in_features) * in_features ** -0.5)
        self.bias = nn.Parameter(torch.zeros(out_features))
        self.register_buffer('u', F.normalize(torch.randn(out_features), dim=0))
        self.p = p
        self.slope = slope

    def forward(self, x):
        with torch.no_grad():
            v = F.normalize(torch.mv(self.weight.t(), self.u), dim=0)
            if self.training:
                self.u.copy_(F.normalize(torch.mv(self.weight, v), dim=0))
            u = self.u.clone()
        sigma = torch.dot(u, torch.mv(self.weight, v))
        y = F.linear(x, self.weight / sigma, self.bias)
        return F.dropout(F.leaky_relu(y, self.slope), self.p, self.training)


B = 10
I = 24
O = 18
P = 0.25
SLOPE = 0.1


def get_inputs():
    return [torch.randn(B, I)]


def get_init_inputs():
    return [I, O, P, SLOPE]
