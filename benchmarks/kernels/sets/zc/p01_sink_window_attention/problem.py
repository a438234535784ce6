import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Causal sliding-window attention with grouped key/value heads and one learned
    attention sink per query head (as in gpt-oss).

    forward(q, k, v):
        q: (B, n_heads, S, head_dim)     float32
        k: (B, n_kv_heads, S, head_dim)  float32
        v: (B, n_kv_heads, S, head_dim)  float32
        returns (B, n_heads, S, head_dim) float32

    - Query head h reads key/value head h // (n_heads // n_kv_heads).
    - Query i sees exactly the keys j with i - window < j <= i (so at most `window`
      keys, itself included).
    - scores = q.k / sqrt(head_dim). The sink logit sinks[h] takes part in the softmax
      like one more score, but it has no value vector: it only takes probability away.

    B and S may be any size >= 1, S shorter or longer than the window and not a multiple of
    anything. q, k, v need not be contiguous (they are often transposed views of a
    (B, S, H, D) projection). Scores and sinks can reach a few hundred in magnitude, the
    result stays finite. q, k, v are not modified.
    The module is trained: gradients with respect to q, k, v and sinks are needed.
    """

    def __init__(self, n_heads: int, n_kv_heads: int, head_dim: int, window: int):
        super().__init__()
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.head_dim = head_dim
        self.window = window
        self.sinks = nn.Parameter(torch.randn(n_heads))

    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        B, H, S, D = q.shape
        rep = self.n_heads // self.n_kv_heads
        k = k.repeat_interleave(rep, dim=1)
        v = v.repeat_interleave(rep, dim=1)
        scores = torch.matmul(q, k.transpose(-1, -2)) * (D**-0.5)
        i = torch.arange(S, device=q.device)[:, None]
        j = torch.arange(S, device=q.device)[None, :]
        hidden = (j > i) | (j <= i - self.window)
        scores = scores.masked_fill(hidden, float("-inf"))
        sink = self.sinks.view(1, H, 1, 1).expand(B, H, S, 1)
        probs = torch.softmax(torch.cat([scores, sink], dim=-1), dim=-1)[..., :S]
        return torch.matmul(probs, v)


B = 2
S = 128
N_HEADS = 8
N_KV_HEADS = 2
HEAD_DIM = 32
WINDOW = 128


def get_inputs():
    q = torch.randn(B, N_HEADS, S, HEAD_DIM)
    k = torch.randn(B, N_KV_HEADS, S, HEAD_DIM)
    v = torch.randn(B, N_KV_HEADS, S, HEAD_DIM)
    return [q, k, v]


def get_init_inputs():
    return [N_HEADS, N_KV_HEADS, HEAD_DIM, WINDOW]
