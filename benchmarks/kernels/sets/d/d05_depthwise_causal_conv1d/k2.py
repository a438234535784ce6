import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cpp_source = r"""
#include <torch/extension.h>
#include <cmath>

template <typename T>
static void run(const T* x, const T* w, const T* b, T* o, int64_t B, int64_t C, int64_t L, int64_t K, int64_t dil) {
    for (int64_t r = 0; r < B * C; ++r) {
        const int64_t c = r % C;
        const T* row = x + r * L;
        for (int64_t t = 0; t < L; ++t) {
            double acc = b[c];
            for (int64_t j = 0; j < K; ++j) {
                const int64_t s = t - (K - 1 - j) * dil;
                if (s >= 0) acc += static_cast<double>(w[c * K + j]) * row[s];
            }
            const T v = static_cast<T>(acc);
            o[r * L + t] = v / (T(1) + std::exp(-v));
        }
    }
}

torch::Tensor causal_conv_silu(torch::Tensor x, torch::Tensor w, torch::Tensor b, int64_t dil) {
    x = x.contiguous();
    w = w.contiguous();
    b = b.contiguous();
    auto out = torch::empty_like(x);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "causal_conv_silu", [&] {
        run<scalar_t>(x.data_ptr<scalar_t>(), w.data_ptr<scalar_t>(), b.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(),
                      x.size(0), x.size(1), x.size(2), w.size(2), dil);
    });
    return out;
}
"""

_ext = load_inline(
    name="dwconv_k2",
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
