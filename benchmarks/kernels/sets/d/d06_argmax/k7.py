import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <cmath>
#include <cstdint>
#include <vector>

torch::Tensor argmax_dim(torch::Tensor x, int64_t dim) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32, "float32 expected");
    if (dim < 0) dim += x.dim();
    auto xc = x.contiguous();
    int64_t outer = 1, inner = 1;
    const int64_t n = x.size(dim);
    std::vector<int64_t> shape;
    for (int64_t d = 0; d < x.dim(); ++d) {
        if (d < dim) outer *= x.size(d);
        if (d > dim) inner *= x.size(d);
        if (d != dim) shape.push_back(x.size(d));
    }
    TORCH_CHECK(n > 0, "empty reduction");
    auto out = torch::empty(shape, x.options().dtype(torch::kInt64));
    const float* xp = xc.data_ptr<float>();
    int64_t* op = out.data_ptr<int64_t>();
    // position table half the cache footprint of the values
    std::vector<float> best(inner);
    std::vector<uint16_t> at(inner);
    for (int64_t o = 0; o < outer; ++o) {
        const float* p = xp + o * n * inner;
        for (int64_t i = 0; i < inner; ++i) {
            best[i] = p[i];
            at[i] = 0;
        }
        for (int64_t k = 1; k < n; ++k)
            for (int64_t i = 0; i < inner; ++i) {
                const float v = p[k * inner + i];
                if (v > best[i] || (std::isnan(v) && !std::isnan(best[i]))) {
                    best[i] = v;
                    at[i] = static_cast<uint16_t>(k);
                }
            }
        for (int64_t i = 0; i < inner; ++i) op[o * inner + i] = at[i];
    }
    return out;
}
"""

argmax_ext = load_inline(
    name="argmax_k7",
    cpp_sources=source,
    functions=["argmax_dim"],
    extra_cflags=["-O3"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        return argmax_ext.argmax_dim(x, self.dim)
