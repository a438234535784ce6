import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Negative log-likelihood of a linear-chain conditional random field (sequence tagging).
    """
    def __init__(self, num_tags: int):
        """
        Initializes the CRF.

        Args:
            num_tags (int): Number of tags.
        """
        super(Model, self).__init__()
        self.num_tags = num_tags
        self.start = nn.Parameter(torch.empty(num_tags).uniform_(-0.1, 0.1))
        self.end = nn.Parameter(torch.empty(num_tags).uniform_(-0.1, 0.1))
        self.transitions = nn.Parameter(torch.empty(num_tags, num_tags).uniform_(-0.1, 0.1))

    def forward(self, emissions: torch.Tensor, tags: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """
        Computes log Z - score for every sequence. transitions[i, j] scores the step from tag i to tag j.

        Args:
            emissions (torch.Tensor): Scores of shape (batch, time, num_tags), float32.
            tags (torch.Tensor): Gold tags of shape (batch, time), int64 in [0, num_tags); arbitrary
                (but in range) in the padding.
            mask (torch.Tensor): Bool of shape (batch, time); every row is a run of True of length >= 1
                followed by padding.

        Returns:
            torch.Tensor: Negative log-likelihood per sequence, shape (batch,).
        """
        batch, time, _ = emissions.shape
        rows = torch.arange(batch, device=emissions.device)

        score = self.start[tags[:, 0]] + emissions[rows, 0, tags[:, 0]]
        alpha = self.start + emissions[:, 0]
        for t in range(1, time):
            m = mask[:, t]
            step = self.transitions[tags[:, t - 1], tags[:, t]] + emissions[rows, t, tags[:, t]]
            score = score + torch.where(m, step, torch.zeros_like(step))
            nxt = torch.logsumexp(alpha[:, :, None] + self.transitions, dim=1) + emissions[:, t]
            alpha = torch.where(m[:, None], nxt, alpha)
        last = mask.long().sum(dim=1) - 1
        score = score + self.end[tags[rows, last]]
        log_z = torch.logsumexp(alpha + self.end, dim=1)
        return log_z - score


batch_size = 16
max_len = 24
num_tags = 9


def get_inputs():
    emissions = torch.randn(batch_size, max_len, num_tags)
    tags = torch.randint(0, num_tags, (batch_size, max_len))
    lengths = torch.randint(max_len // 2, max_len + 1, (batch_size,))
    mask = torch.arange(max_len)[None, :] < lengths[:, None]
    return [emissions, tags, mask]


def get_init_inputs():
    return [num_tags]
