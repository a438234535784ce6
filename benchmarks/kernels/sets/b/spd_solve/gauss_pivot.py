import numpy as np
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Gauss-Jordan with partial pivoting on the extended matrix, float64, one system at a time."""

    @torch.no_grad()
    def forward(self, A, B):
        out = np.empty(tuple(B.shape), dtype=np.float32)
        for b in range(A.shape[0]):
            m = np.concatenate([A[b].double().numpy(), B[b].double().numpy()], axis=1)
            n = A.shape[1]
            for c in range(n):
                p = c + int(np.argmax(np.abs(m[c:, c])))
                if p != c:
                    m[[c, p]] = m[[p, c]]
                m[c] /= m[c, c]
                for r in range(n):
                    if r != c:
                        m[r] -= m[r, c] * m[c]
            out[b] = m[:, n:]
        return torch.from_numpy(out)
