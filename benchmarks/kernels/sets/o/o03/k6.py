import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def w4_splitk(x_ptr, qw_ptr, s_ptr, z_ptr, b_ptr, y_ptr, M, N, K, G, SPLITS,
              BM: tl.constexpr, BN: tl.constexpr, BG: tl.constexpr):
    """
    Split-K over groups. The zero point is taken out of the product:
    sum_i x_i (c_i - z) s = s * (sum_i x_i c_i - z * sum_i x_i)
    """
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    split = tl.program_id(2)
    NG = K // G
    out_mask = (rm[:, None] < M) & (rn[None, :] < N)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for g in range(split, NG, SPLITS):
        part = tl.zeros((BM, BN), dtype=tl.float32)
        xsum = tl.zeros((BM,), dtype=tl.float32)
        for i0 in range(0, G, BG):
            i = i0 + tl.arange(0, BG)
            im = i < G
            kk = g * G + i
            x = tl.load(x_ptr + rm[:, None] * K + kk[None, :], mask=(rm[:, None] < M) & im[None, :], other=0.0)
            byte = tl.load(qw_ptr + rn[None, :] * (K // 2) + (kk // 2)[:, None],
                           mask=im[:, None] & (rn[None, :] < N), other=0).to(tl.int32)
            code = (byte >> ((kk % 2) * 4)[:, None]) & 0xF
            part += tl.dot(x, code.to(tl.float32), input_precision="ieee")
            xsum += tl.sum(x, axis=1)
        sc = tl.load(s_ptr + rn * NG + g, mask=rn < N, other=0.0)
        ze = tl.load(z_ptr + rn * NG + g, mask=rn < N, other=0.0)
        acc += sc[None, :] * (part - ze[None, :] * xsum[:, None])
    if split == 0:
        acc += tl.load(b_ptr + rn, mask=rn < N, other=0.0)[None, :]
    tl.atomic_add(y_ptr + rm[:, None] * N + rn[None, :], acc, mask=out_mask)


class ModelNew(nn.Module):
    def __init__(self, in_features: int, out_features: int, group_size: int):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.group_size = group_size
        w = torch.randn(out_features, in_features) * in_features ** -0.5
        g = w.view(out_features, in_features // group_size, group_size)
        lo, hi = g.amin(-1, keepdim=True), g.amax(-1, keepdim=True)
        scales = ((hi - lo) / 15.0).clamp(min=1e-8)
        zeros = torch.round(-lo / scales)
        codes = (torch.round(g / scales) + zeros).clamp(0, 15).to(torch.uint8).view(out_features, in_features)
        self.register_buffer("qweight", codes[:, 0::2] | (codes[:, 1::2] << 4))
        self.register_buffer("scales", scales.squeeze(-1).contiguous())
        self.register_buffer("zeros", zeros.squeeze(-1).contiguous())
        self.register_buffer("bias", torch.zeros(out_features))

    @torch.no_grad()
    def forward(self, x):
        K, N = self.in_features, self.out_features
        xf = x.reshape(-1, K).contiguous()
        M = xf.shape[0]
        y = torch.zeros(M, N, device=x.device)  # the splits add into it
        if M:
            w4_splitk[(triton.cdiv(M, 16), triton.cdiv(N, 32), 4)](
                xf, self.qweight, self.scales, self.zeros, self.bias, y, M, N, K, self.group_size, 4,
                BM=16, BN=32, BG=32)
        return y.view(x.shape[:-1] + (N,))
