import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """CTC training loss from raw logits.

    logits: (T, B, C); targets: (B, S) padded labels in 0..C-1 without the blank, repeats allowed;
    input_lengths: (B,) in 1..T; target_lengths: (B,) in 0..S. Samples without any alignment
    (label longer than the input allows) count as zero. Gradients flow to the logits.
    """

    def __init__(self, blank):
        super().__init__()
        self.blank = blank

    def forward(self, logits, targets, input_lengths, target_lengths):
        lp = F.log_softmax(logits, dim=-1)
        return F.ctc_loss(lp, targets, input_lengths, target_lengths, blank=self.blank,
                          reduction="mean", zero_infinity=True)


T = 24
B = 4
C = 29
S = 10
BLANK = 0


def get_inputs():
    logits = torch.randn(T, B, C)
    targets = torch.randint(1, C, (B, S))
    input_lengths = torch.full((B,), T, dtype=torch.long)
    target_lengths = torch.randint(S // 2, S + 1, (B,))
    return [logits, targets, input_lengths, target_lengths]


def get_init_inputs():
    return [BLANK]
