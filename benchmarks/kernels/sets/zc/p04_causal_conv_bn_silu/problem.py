import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """
    Block of a causal temporal convolution network:

        out = silu(batch_norm(depthwise_causal_conv1d(x)))

    forward(x): x (B, C, L) float32 -> (B, C, L) float32.

    - conv: depthwise (one filter of kernel_size taps per channel, no bias), dilated, causal: x is
      padded on the left only, by (kernel_size - 1) * dilation copies of its first sample (so a constant
      signal has no border effect).
    - bn: nn.BatchNorm1d with its defaults (eps 1e-5, momentum 0.1, affine, running statistics).
      In train() mode the batch's statistics normalise, and running_mean, running_var and
      num_batches_tracked are updated as nn.BatchNorm1d does; in eval() mode the running
      statistics are used and nothing is updated. The module is switched between the two modes and
      its parameters are trained or loaded (load_state_dict) at any time between calls.
    - B and L are any sizes >= 1 (L also shorter than the filter's reach); in train mode B * L >= 2.
    - x may carry a common offset of up to 1000 times its standard deviation (temperatures in Kelvin;
      in calibration runs: train mode, forward and running statistics only, no backward). Apart from
      the offset, every channel of x varies over the batch. x may be non-contiguous; it is not modified.
    - kernel_size >= 2. Gradients with respect to x and all parameters are needed, in both modes
      (for inputs without such an offset).
    """

    def __init__(self, channels: int, kernel_size: int, dilation: int):
        super().__init__()
        self.pad = (kernel_size - 1) * dilation
        self.conv = nn.Conv1d(channels, channels, kernel_size, dilation=dilation, groups=channels, bias=False)
        self.bn = nn.BatchNorm1d(channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.conv(F.pad(x, (self.pad, 0), mode="replicate"))
        return F.silu(self.bn(y))


BATCH = 8
CHANNELS = 24
LENGTH = 128
KERNEL_SIZE = 4
DILATION = 2


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, LENGTH)]


def get_init_inputs():
    return [CHANNELS, KERNEL_SIZE, DILATION]
