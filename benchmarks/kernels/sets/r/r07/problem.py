import torch
import torch.nn as nn


class Model(nn.Module):
    """Linear-chain CRF loss: mean negative log-likelihood of tag sequences of varying length.

    Parameters: transitions [K, K] (from, to), start [K], end [K]. They may hold any finite
    values; -1e4 is used for forbidden moves. All of them, and the emissions, are trained.
    """

    def __init__(self, num_tags: int):
        super().__init__()
        self.transitions = nn.Parameter(torch.randn(num_tags, num_tags) * 0.3)
        self.start = nn.Parameter(torch.randn(num_tags) * 0.3)
        self.end = nn.Parameter(torch.randn(num_tags) * 0.3)

    def forward(self, emissions: torch.Tensor, tags: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """
        Args:
            emissions: float32 [B, T, K]; finite where mask is True, magnitude up to 1e3. Padding
                positions (mask False) may hold anything, NaN and inf included.
            tags: int64 [B, T]; in 0..K-1 where mask is True, any integer (such as -100) in padding.
            mask: bool [B, T]; each row is a run of True (at least one) followed by False only.
            B, T, K >= 1 are arbitrary.
        Returns:
            scalar: mean over the batch of log Z - score(tags).
        """
        emissions = emissions.masked_fill(~mask.unsqueeze(-1), 0.0)
        tags = tags.masked_fill(~mask, 0)
        T = emissions.shape[1]
        gold = emissions.gather(2, tags.unsqueeze(-1)).squeeze(-1)
        score = self.start[tags[:, 0]] + gold[:, 0]
        alpha = self.start + emissions[:, 0]
        for t in range(1, T):
            step = self.transitions[tags[:, t - 1], tags[:, t]] + gold[:, t]
            score = score + torch.where(mask[:, t], step, torch.zeros_like(step))
            nxt = torch.logsumexp(alpha.unsqueeze(2) + self.transitions, dim=1) + emissions[:, t]
            alpha = torch.where(mask[:, t].unsqueeze(1), nxt, alpha)
        last = tags.gather(1, mask.sum(1, keepdim=True) - 1).squeeze(1)
        score = score + self.end[last]
        log_z = torch.logsumexp(alpha + self.end, dim=1)
        return (log_z - score).mean()


BATCH = 4
STEPS = 9
NUM_TAGS = 6


def get_inputs():
    lengths = torch.randint(3, STEPS + 1, (BATCH,))
    mask = torch.arange(STEPS)[None, :] < lengths[:, None]
    return [torch.randn(BATCH, STEPS, NUM_TAGS), torch.randint(0, NUM_TAGS, (BATCH, STEPS)), mask]


def get_init_inputs():
    return [NUM_TAGS]
