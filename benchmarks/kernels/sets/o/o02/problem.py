import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Causal sliding-window attention with grouped key/value heads, key lengths and logit soft-capping.

    Query i of sequence b sees key j when  i - window < j <= i  and  j < lengths[b].
    A query which sees no key yields zeros. Inference only; all values are finite.
    """

    def __init__(self, num_heads: int, num_kv_heads: int, head_dim: int, window: int, softcap: float):
        """
        Args:
            num_heads (int): query heads, a multiple of num_kv_heads. Query head h reads kv head h // (num_heads // num_kv_heads).
            num_kv_heads (int): key/value heads.
            head_dim (int): size of a head (any positive number).
            window (int): number of keys a query sees at most, itself included (>= 1).
            softcap (float): logits s become softcap * tanh(s / softcap); 0 switches it off.
        """
        super(Model, self).__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = head_dim
        self.window = window
        self.softcap = softcap

    @torch.no_grad()
    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """
        Args:
            q (torch.Tensor): (B, num_heads, T, head_dim) float32.
            k, v (torch.Tensor): (B, num_kv_heads, T, head_dim) float32.
            lengths (torch.Tensor): (B,) int64, 0 <= lengths <= T.
        Returns:
            torch.Tensor: (B, num_heads, T, head_dim).
        """
        T = q.shape[2]
        group = self.num_heads // self.num_kv_heads
        k = k.repeat_interleave(group, dim=1)
        v = v.repeat_interleave(group, dim=1)
        s = torch.matmul(q, k.transpose(-1, -2)) * self.head_dim ** -0.5
        if self.softcap > 0:
            s = self.softcap * torch.tanh(s / self.softcap)
        i = torch.arange(T, device=q.device)[:, None]
        j = torch.arange(T, device=q.device)[None, :]
        seen = (j <= i) & (j > i - self.window)
        seen = seen[None, None] & (j[None, None] < lengths[:, None, None, None])
        s = s.masked_fill(~seen, float("-inf"))
        p = torch.softmax(s, dim=-1)
        p = torch.where(seen.any(dim=-1, keepdim=True), p, torch.zeros_like(p))
        return torch.matmul(p, v)


batch_size = 2
num_heads = 4
num_kv_heads = 2
seq_len = 64
head_dim = 32
window = 48
softcap = 0.0


def get_inputs():
    q = torch.randn(batch_size, num_heads, seq_len, head_dim)
    k = torch.randn(batch_size, num_kv_heads, seq_len, head_dim)
    v = torch.randn(batch_size, num_kv_heads, seq_len, head_dim)
    lengths = torch.full((batch_size,), seq_len, dtype=torch.int64) - torch.arange(batch_size) % 2 * (seq_len // 4)
    return [q, k, v, lengths]


def get_init_inputs():
    return [num_heads, num_kv_heads, head_dim, window, softcap]
