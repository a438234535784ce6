import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Batch normalisation over the valid entries of padded sets (point clouds, ragged sequences).
    """
    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1):
        """
        Initializes the layer.

        Args:
            num_features (int): Number of feature channels.
            eps (float, optional): Added to the variance. Defaults to 1e-5.
            momentum (float, optional): Weight of the new statistics. Defaults to 0.1.
        """
        super(Model, self).__init__()
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0, dtype=torch.long))

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """
        Normalises every channel with the statistics of the positions where mask is True. In training
        mode the batch statistics are used (biased variance) and the running ones are updated with the
        unbiased variance, as in nn.BatchNorm1d; in eval mode the running statistics are used. A training
        batch without any valid position leaves the running statistics alone.

        Args:
            x (torch.Tensor): Features of shape (batch, length, num_features). Padded positions may hold
                anything, including inf and NaN.
            mask (torch.Tensor): Bool of shape (batch, length), True where x is valid.

        Returns:
            torch.Tensor: Normalised features, same shape as x, 0 at padded positions.
        """
        m = mask.unsqueeze(-1)
        xv = torch.where(m, x, torch.zeros_like(x))
        if self.training:
            n = int(mask.sum())
            mean = xv.sum(dim=(0, 1)) / max(n, 1)
            dev = torch.where(m, xv - mean, torch.zeros_like(x))
            var = dev.pow(2).sum(dim=(0, 1)) / max(n, 1)
            if n > 0:
                with torch.no_grad():
                    self.running_mean.lerp_(mean, self.momentum)
                    self.running_var.lerp_(var * (n / max(n - 1, 1)), self.momentum)
                    self.num_batches_tracked += 1
        else:
            mean, var = self.running_mean, self.running_var
        y = (xv - mean) * torch.rsqrt(var + self.eps) * self.weight + self.bias
        return torch.where(m, y, torch.zeros_like(y))


batch_size = 8
max_points = 48
num_features = 32


def get_inputs():
    x = torch.randn(batch_size, max_points, num_features) * 2.0 + 0.5
    lengths = torch.randint(max_points // 3, max_points + 1, (batch_size,))
    mask = torch.arange(max_points)[None, :] < lengths[:, None]
    return [x, mask]


def get_init_inputs():
    return [num_features]
