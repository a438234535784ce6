import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <cmath>
#include <vector>

torch::Tensor argmax_dim(torch::Tensor x, int64_t dim) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32, "float32 expected");
    // reduced dimension last, then one contiguous scan per row
    auto xt = x.transpose(dim, -1).contiguous();
    const int64_t n = xt.size(-1);
    TORCH_CHECK(n > 0, "empty reduction");
    const int64_t rows = xt.numel() / n;
    std::vector<int64_t> shape(xt.sizes().begin(), xt.sizes().end() - 1);
    auto out = torch::empty(shape, x.options().dtype(torch::kInt64));
    const float* p = xt.data_ptr<float>();
    int64_t* op = out.data_ptr<int64_t>();
    for (int64_t r = 0; r < rows; ++r, p += n) {
        float best = p[0];
        int64_t at = 0;
        for (int64_t k = 1; k < n; ++k)
            if (p[k] > best || (std::isnan(p[k]) && !std::isnan(best))) {
                best = p[k];
                at = k;
            }
        op[r] = at;
    }
    return out;
}
"""

argmax_ext = load_inline(
    name="argmax_k8",
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
