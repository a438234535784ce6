"""Question 1: why do CPU and DirectML disagree?

Runs on a DirectML, CUDA or MPS device if there is one; otherwise a float64 product that is silently computed in float32 stands in for one.
"""

import torch

from halfulp.backends import availability

TITLE = "1. CPU and DirectML disagree"
QUESTION = (
    "A float64 matrix product on a DirectML device differs from the CPU's. The post puts it down to PyTorch's CPU default being float64 (it is float32: "
    "only the tensors made from NumPy's float64 arrays were float64), to the order of operations, and to drivers."
)


def device() -> torch.device | None:
    """The accelerator to ask, None for the stand-in."""
    if availability("directml"):
        import torch_directml

        return torch_directml.device()
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps") if torch.backends.mps.is_available() else None


DEVICE = device()
declared = "float64"


def _matrices(seed, size):
    generator = torch.Generator().manual_seed(seed)
    return tuple(torch.rand(size, size, generator=generator, dtype=torch.float64) for _ in range(2))


def inputs(seed):
    return _matrices(seed, 1000)


def actual(left, right):
    """The poster's example 1 and 3 on the device."""
    if DEVICE is None:  # what a device without float64 does with float64 tensors
        return (left.float() @ right.float()).to(left.dtype)
    precision = torch.float32 if DEVICE.type == "mps" else left.dtype
    return (left.to(DEVICE, precision) @ right.to(DEVICE, precision)).cpu().to(left.dtype)


def expected(left, right):
    return left @ right


def _sums_on_device(a, b):
    if DEVICE is not None:
        a, b = a.to(DEVICE), b.to(DEVICE)
    return ((a * b).sum() + (a + b).sum()).cpu()


def _sums(a, b):
    return (a + b).sum() + (a * b).sum()


def parts(full=False):
    given = _matrices(0, 1000 if full else 200)  # the post's size, and one that gives the same answer sooner
    where = f"on {DEVICE}" if DEVICE is not None else "in float32, standing in for a device without float64 (none is here)"
    verdicts = ("ROUNDING", "IDENTICAL") if DEVICE is not None and DEVICE.type == "cuda" else ("REDUCED_PRECISION",)
    yield {
        "title": f"float64 product {where}, float64 declared",
        "actual": actual,
        "expected": expected,
        "inputs": given,
        "declared": "float64",
        "verdicts": verdicts,
    }
    single = tuple(each.float() for each in given)
    yield {
        "title": "the same with float32 tensors and float32 declared",
        "actual": lambda a, b: actual(a, b),
        "expected": expected,
        "inputs": single,
        "verdicts": ("ROUNDING", "IDENTICAL", "REDUCED_PRECISION"),
    }
    small = (torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0.1, 0.2, 0.3]))
    yield {
        "title": "example 2: sums in another order, float32",
        "actual": _sums_on_device,
        "expected": _sums,
        "inputs": small,
        "verdicts": ("ROUNDING", "IDENTICAL"),
    }


def figures(full=False):
    left, right = inputs(0)
    double = (actual(left, right) - expected(left, right)).abs().max().item()
    yield f"Largest difference of the float64 products here: {double:.2g}. The post prints none; float64 rounding alone would leave about 1e-13."
