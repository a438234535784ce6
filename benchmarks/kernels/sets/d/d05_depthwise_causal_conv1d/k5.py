import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = r"""
#include <torch/extension.h>
#include <cmath>
#include <vector>

torch::Tensor causal_conv_silu(torch::Tensor x, torch::Tensor w, torch::Tensor b, int64_t dil) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32, "float32 expected");
    x = x.contiguous();
    w = w.contiguous();
    const int64_t B = x.size(0), C = x.size(1), L = x.size(2), K = w.size(2);
    auto out = torch::empty_like(x);
    const float* wp = w.data_ptr<float>();
    const float* bp = b.data_ptr<float>();
    const int64_t left = (K - 1) * dil;
    std::vector<float> padded(left + L, 0.0f);
    for (int64_t r = 0; r < B * C; ++r) {
        const int64_t c = r % C;
        const float* row = x.data_ptr<float>() + r * L;
        float* o = out.data_ptr<float>() + r * L;
        std::copy(row, row + L, padded.begin() + left);
        const float* p = padded.data() + left - (K - 1);
        for (int64_t t = 0; t < L; ++t) {
            float acc = bp[c];
            for (int64_t j = 0; j < K; ++j) acc += wp[c * K + j] * p[t + j];
            o[t] = acc / (1.0f + std::exp(-acc));
        }
    }
    return out;
}
"""

_ext = load_inline(
    name="dwconv_k5",
    cpp_sources=cpp_source,
    functions=["causal_conv_silu"],
    extra_cflags=["-O3"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self, channels: int, kernel_size: int, dilation: int):
        super().__init__()
        self.dilation = dilation
        self.conv = nn.Conv1d(channels, channels, kernel_size, dilation=dilation, groups=channels)

    def forward(self, x):
        return _ext.causal_conv_silu(x.detach(), self.conv.weight.detach(), self.conv.bias.detach(), self.dilation)
