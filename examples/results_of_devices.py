"""Results of devices that are not here, as files: what halfulp says where only the numbers are at hand.

    python examples/results_of_devices.py
    halfulp check cuda_linear.npy examples/question_3_linear.py:expected
    halfulp check cuda_linear_tf32.npy examples/question_3_linear.py:expected
    halfulp check directml_product.npy examples/question_1_directml.py:expected

The files are emulated here in NumPy, on the inputs of the questions: the posts print sums of differences and no results. On a machine with
the device, `numpy.save("cuda_linear.npy", F.linear(*(each.cuda() for each in inputs(0))).cpu().numpy())` writes the real one.
"""

import runpy
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


def one_by_one(x, W, B):
    """F.linear in float32, one product after another: the longest chain, as a thread of a device that keeps a single sum adds."""
    total = np.zeros((x.shape[0], W.shape[0]), np.float32)
    for k in range(x.shape[1]):
        total += x[:, k, None] * W[None, :, k]
    return total + B


def in_tf32(array):
    """To the 11 bits that tensor cores take, to nearest."""
    bits = array.view(np.uint32)
    return ((bits + 0xFFF + ((bits >> 13) & 1)) & np.uint32(0xFFFFE000)).view(np.float32)


def inputs_of(question):
    return [each.numpy() for each in runpy.run_path(str(HERE / question), run_name="halfulp_case")["inputs"](0)]


def main(folder):
    x, W, B = inputs_of("question_3_linear.py")
    left, right = inputs_of("question_1_directml.py")
    results = {
        "cuda_linear.npy": one_by_one(x, W, B),
        "cuda_linear_tf32.npy": in_tf32(x) @ in_tf32(W).T + B,
        "directml_product.npy": (left.astype(np.float32) @ right.astype(np.float32)).astype(np.float64),
    }
    for name, result in results.items():
        np.save(folder / name, result)
    apart = np.abs(results["cuda_linear.npy"] - (x @ W.T + B)).sum()
    print(
        f"cuda_linear.npy: the sum of absolute differences from NumPy's x @ W.T + B is {apart:.3f} (the post: 0.188 between CPU and CUDA)"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path())
