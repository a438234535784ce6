import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """
    Linear layer, GELU (exact), a learned shift, and a log-sum-exp over the features.
    """

    def __init__(self, in_features: int, out_features: int):
        super(Model, self).__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.shift = nn.Parameter(torch.zeros(out_features))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """
        Args:
            x: float32 tensor (batch_size, in_features).
        Returns:
            float32 tensor (batch_size, 1).
        """
        y = F.gelu(self.linear(x)) + self.shift
        return torch.logsumexp(y, dim=1, keepdim=True)


batch_size = 48
in_features = 128
out_features = 200


def get_inputs():
    return [torch.randn(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features]
