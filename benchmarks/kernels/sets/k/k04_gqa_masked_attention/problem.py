import torch
import torch.nn as nn


class Model(nn.Module):
    """
    Grouped-query attention on float16 tensors with a boolean mask (True = may attend) and optional
    soft capping of the scores; the arithmetic is float32. Query rows that may attend to nothing
    give 0 and a log-sum-exp of -inf. Returns the output (float16) and the log-sum-exp (float32).
    """

    def __init__(self, num_heads: int, num_kv_heads: int, head_dim: int, softcap: float = 0.0):
        super(Model, self).__init__()
        assert num_heads % num_kv_heads == 0
        self.group = num_heads // num_kv_heads
        self.scale = head_dim ** -0.5
        self.softcap = softcap

    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor):
        kf = k.float().repeat_interleave(self.group, dim=1)
        vf = v.float().repeat_interleave(self.group, dim=1)
        scores = torch.matmul(q.float(), kf.transpose(-1, -2)) * self.scale
        if self.softcap > 0:
            scores = self.softcap * torch.tanh(scores / self.softcap)
        scores = scores.masked_fill(~mask, float("-inf"))
        lse = torch.logsumexp(scores, dim=-1)
        probs = torch.softmax(scores, dim=-1)
        probs = probs.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
        out = torch.matmul(probs, vf)
        return out.to(q.dtype), lse


batch_size = 2
num_heads = 8
num_kv_heads = 2
query_len = 64
key_len = 96
head_dim = 32
softcap = 0.0


def get_inputs():
    q = torch.randn(batch_size, num_heads, query_len, head_dim).half()
    k = torch.randn(batch_size, num_kv_heads, key_len, head_dim).half()
    v = torch.randn(batch_size, num_kv_heads, key_len, head_dim).half()
    mask = torch.rand(batch_size, 1, query_len, key_len) > 0.3
    mask[..., 0] = True
    return [q, k, v, mask]


def get_init_inputs():
    return [num_heads, num_kv_heads, head_dim, softcap]
