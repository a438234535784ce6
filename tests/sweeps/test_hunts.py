"""The plans in hunts/: each can be read and has cases, and the one against mpmath finds the formulas that are known to be wrong."""

from importlib import metadata
from pathlib import Path

import pytest

from halfulp.sweeps.judging import Judging
from halfulp.sweeps.plan import read_plan

HUNTS = Path(__file__).parents[2] / "hunts"
NEEDED = {
    "attention.py": ["transformers"],
    "exporters.py": ["transformers", "onnxruntime", "openvino"],
    "onnx.toml": ["onnx", "onnxruntime"],
}


def plan_of(name):
    for package in NEEDED.get(name, ()):
        try:
            metadata.version(package)
        except metadata.PackageNotFoundError:
            pytest.skip(f"{package} is not installed")
    return read_plan(HUNTS / name)


@pytest.mark.parametrize("name", sorted(file.name for file in HUNTS.iterdir() if file.suffix in (".py", ".toml")))
def test_every_hunt_has_cases(name):
    assert list(plan_of(name).groups())


@pytest.mark.parametrize(
    ("name", "subject", "acceptable"),
    [
        ("special.py", "pytorch.bessel_j0", False),
        ("special.py", "scipy.bessel_j0", True),
        ("special.py", "pytorch.erf", True),
        ("special.py", "pytorch.softplus", True),
        ("special.py", "pytorch.legendre_polynomial_p", True),
        ("special.py", "scipy.polygamma", True),
        ("special.py", "numpy.complex.exp", True),
        ("special.py", "numpy.complex.abs", True),
        ("special.py", "numpy.complex.log1p", False),
        ("distributions.py", "pytorch.VonMises.log_prob", False),
        ("distributions.py", "pytorch.InverseGamma.cdf", False),
        ("distributions.py", "pytorch.Gamma.log_prob", True),
        ("distributions.py", "pytorch.Normal.cdf", True),
        ("distributions.py", "pytorch.Beta.entropy", True),
    ],
)
def test_what_is_known_is_found(name, subject, acceptable):
    plan = plan_of(name)
    judging = Judging(plan, "run")
    (group,) = [group for group in plan.groups() if group.subject == subject]
    rows = [judging.row(group, place) for place in range(judging.count(group))]
    assert all(row.verdict for row in rows), [row.fault for row in rows]
    assert all(row.acceptable is True for row in rows) is acceptable, [(row.setting, row.verdict, row.reason) for row in rows]


def test_a_package_that_is_missing_is_told_of_each_function():
    plan = plan_of("in_float64.py")
    judging = Judging(plan, "run")
    missing = [group for group in plan.groups() if group.subject.startswith("torchaudio.")]
    try:
        metadata.version("torchaudio")
    except metadata.PackageNotFoundError:
        with pytest.raises(Exception, match="torchaudio"):
            judging.count(missing[0])
    else:
        assert judging.count(missing[0])
