"""Sweeps: every case gets one row whatever happens in it, on every engine, and after a kill."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from importlib import metadata

import pyarrow.parquet
import pytest
import torch

import halfulp
from halfulp.store import Row, RunRecord, Store
from halfulp.sweeps.judging import Judging
from halfulp.sweeps.plan import Plan, read_plan

PLAN = """
import os, time
import torch

name = "planned"
seconds = 20.0
memory_gb = 2.0
explain_s = 4.0
subjects = ["exp", "sum", "crash", "hang", "hog", "raise"]

def exact(function):
    return lambda x: function(x.double()).float()

def crash(x):
    os.abort()

def hang(x):
    time.sleep(600)

def hog(x):
    return torch.zeros(2**33).sum() + x

def fails(x):
    raise ValueError("no such thing")

def cases(subject, seed):
    draw = torch.Generator().manual_seed(seed)
    for length in (8, 64):
        x = torch.rand(length, generator=draw)
        actual, expected = {
            "exp": (torch.exp, exact(torch.exp)),
            "sum": (lambda x: (x * 1.001).sum(), exact(torch.sum)),
            "crash": (crash, torch.exp), "hang": (hang, torch.exp), "hog": (hog, torch.exp), "raise": (fails, torch.exp),
        }[subject]
        yield {"actual": actual, "expected": expected, "inputs": (x,), "setting": f"length {length}"}
"""


@pytest.fixture
def plan(tmp_path):
    file = tmp_path / "planned.py"
    file.write_text(PLAN)
    return file


def without(text, *subjects):
    for subject in subjects:
        text = text.replace(f'"{subject}", ', "", 1).replace(f', "{subject}"]', "]", 1)
    return text


def test_whatever_a_case_does_it_costs_that_case_alone(plan, tmp_path):
    plan.write_text(PLAN.replace("seconds = 20.0", "seconds = 8.0"))
    found = halfulp.sweep(plan, tmp_path / "store", processes=2)
    assert found.complete and found.cases == 12
    rows = {(row.subject, row.setting): row for row in Store(tmp_path / "store").rows(found.run)}
    assert len(rows) == 12
    for length in (8, 64):
        assert rows["exp", f"length {length}"].acceptable is True
        assert rows["sum", f"length {length}"].verdict == "MISTAKE" == rows["sum", f"length {length}"].repeated
        assert "SIGABRT" in rows["crash", f"length {length}"].fault
        assert "did not answer within 8 s" in rows["hang", f"length {length}"].fault
        assert "memory" in rows["hog", f"length {length}"].fault
        assert "no such thing" in rows["raise", f"length {length}"].fault
    (problem,) = found.findings
    assert (problem.subject, problem.verdict, problem.cases, problem.checked_again, problem.repeated) == ("sum", "MISTAKE", 2, 2, 2)
    assert problem.smallest and found.exit_code == 1
    assert found.verdicts[""] == 8 and sum(found.faults.values()) == 8
    text = halfulp.report(found)
    assert text.startswith("planned: 12 cases of 6 subjects, 2 not acceptable (16.7 %), in 1 finding (8 without a verdict).")
    assert halfulp.read_result(written(tmp_path, found)) == found


def written(folder, found):
    file = folder / "swept.json"
    file.write_text(found.to_json())
    return file


def test_a_killed_sweep_is_finished_with_no_case_lost_and_none_twice(tmp_path):
    plan = tmp_path / "slow.py"
    plan.write_text(
        textwrap.dedent("""
        import time, torch
        subjects = [f"part {number}" for number in range(6)]
        def late(x):
            time.sleep(0.15)
            return x.exp()
        def cases(subject, seed):
            for number in range(5):
                yield {"actual": late, "expected": torch.exp, "inputs": (torch.rand(4),)}
    """)
    )
    store = tmp_path / "store"
    program = "import sys, halfulp.store.writer as w; w.EVERY_S = w.Writer.__init__.__kwdefaults__['every_s'] = 0.3; import halfulp; halfulp.sweep(*sys.argv[1:], processes=2)"
    process = subprocess.Popen([sys.executable, "-c", program, str(plan), str(store)], start_new_session=True)
    end = time.monotonic() + 120
    while not list(store.rglob("*.rows.parquet")):
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    kept = Store(store)
    (run,) = {row[0] for row in kept.ask("SELECT run FROM results").rows}
    before = kept.ask("SELECT count(*) FROM results").rows[0][0]
    assert 0 < before < 30
    found = halfulp.sweep(plan, store, processes=2, resume=True)
    assert found.run == run and found.complete
    assert kept.ask('SELECT count(*), count(DISTINCT "case") FROM results').rows == ((30, 30),)
    assert sum(pyarrow.parquet.read_metadata(file).num_rows for file in store.rglob("*.rows.parquet")) == 30
    with pytest.raises(halfulp.InputError, match="no run of the plan was interrupted"):
        halfulp.sweep(plan, store, resume=True)


def test_an_unfinished_run_of_another_plan_is_not_taken_for_this_one(plan, tmp_path):
    kept, read = Store(tmp_path / "store"), read_plan(plan)
    RunRecord.begun(read.name, read.digest).write(kept.folder)
    plan.write_text(PLAN + "\n# changed\n")
    with pytest.raises(halfulp.InputError, match="has changed since the unfinished run"):
        halfulp.sweep(plan, kept.folder, resume=True)


def test_the_cases_of_pytorch_against_themselves_in_float64(tmp_path):
    plan = Plan("ops", ({"source": "opinfo", "ops": ["add", "special.erfcx", "sum"], "samples_of_each": 3},), explain_s=0.0)
    found = halfulp.sweep(plan, tmp_path, processes=1)
    assert found.cases == 9 and found.acceptable and not found.faults
    assert {subject.subject for subject in found.subjects} == {"add", "special.erfcx", "sum"}


def test_a_function_on_numbers_in_the_order_of_their_bits():
    import torch

    from halfulp.sweeps.case_sources.functions import numbers_of

    every = numbers_of("bfloat16", 0)
    assert len(every) == 2**16 - 2 * 2**7  # without infinities and NaN: all exponents but one, of both signs
    assert len(every.view(torch.int16).unique()) == len(every)
    assert torch.equal(numbers_of("float32", 1016)[:2], torch.tensor([1.0, 1.0 + 2.0**-23]))


def test_a_function_whose_results_are_no_numbers_is_right():
    plan = Plan("ops", ({"source": "functions", "ops": ["isfinite", "signbit", "logical_not"], "dtypes": ["float16"]},))
    source = plan.source(0)
    for group in plan.groups():
        sample = source.samples(group, 0)[0]()
        found = halfulp.check(sample.actual, sample.expected, sample.inputs)
        assert found.verdict is halfulp.Verdict.IDENTICAL, (group.subject, found.reason)


def test_a_plan_in_python_keeps_its_own_cases_beside_other_sources(tmp_path):
    (tmp_path / "two.py").write_text(TWO + 'sources = [{"source": "files", "folder": "more"}]\n')
    (tmp_path / "more").mkdir()
    own, more = read_plan(tmp_path / "two.py").sources
    assert own["file"] == str(tmp_path / "two.py") and more["folder"] == str(tmp_path / "more")
    (tmp_path / "other.py").write_text('sources = [{"source": "opinfo", "ops": ["exp"]}]\n')
    assert [source["source"] for source in read_plan(tmp_path / "other.py").sources] == ["opinfo"]


def test_environments_get_processes_of_their_own(tmp_path):
    plan = tmp_path / "plan.py"
    plan.write_text(
        textwrap.dedent("""
        import os, torch
        environments = {"": {}, "other": {"HALFULP_OF_TEST": "1"}}
        subjects = ["which"]
        def cases(subject, seed):
            off = float(os.environ.get("HALFULP_OF_TEST", "0"))
            yield {"actual": lambda x: x + off, "expected": lambda x: x + 0.0, "inputs": (torch.rand(64),)}
    """)
    )
    found = halfulp.sweep(plan, tmp_path / "store", processes=2)
    assert {subject.environment: subject.flagged for subject in found.subjects} == {"": 0, "other": 1}


def test_case_files_of_a_folder_and_their_options(tmp_path):
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / "ok.py").write_text("import torch\nactual = expected = torch.exp\ndef inputs(seed): return (torch.rand(8),)\n")
    (tmp_path / "plan.toml").write_text('[[sources]]\nsource = "files"\nfiles = ["cases/*.py"]\nseeds = [0, 3]\n')
    found = halfulp.sweep(tmp_path / "plan.toml", tmp_path / "store", processes=1)
    assert found.plan == "plan" and found.verdicts == {"IDENTICAL": 2}


def test_the_checks_of_tests_are_cases(tmp_path):
    (tmp_path / "test_own.py").write_text(
        textwrap.dedent("""
        import torch
        def test_right(halfulp):
            for function in [torch.exp] * 9 + [torch.sin]:
                halfulp.check(function, function, (torch.rand(4),))
            halfulp.assert_equivalent(lambda x: x + 1e-3, lambda x: x + 1e-3, (torch.rand(4),))
        def test_wrong(halfulp):
            halfulp.assert_equivalent(torch.exp, torch.expm1, (torch.rand(4),))
        def test_plain():
            assert True
    """)
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -ra -q\n")
    (tmp_path / "plan.toml").write_text('[[sources]]\nsource = "pytest"\ntests = ["test_own.py"]\n')
    found = halfulp.sweep(tmp_path / "plan.toml", tmp_path / "store", processes=1)
    assert {subject.subject: (subject.cases, subject.flagged, subject.faults) for subject in found.subjects} == {
        "test_own.py::test_right": (11, 0, 0), "test_own.py::test_wrong": (1, 1, 0), "test_own.py::test_plain": (1, 0, 1),
    }  # fmt: skip
    assert "checks nothing by the fixture" in next(iter(found.faults))
    (problem,) = found.findings
    assert problem.checked_again == 0 and "another seed" not in halfulp.report(found)


def test_the_node_cases_of_onnx(tmp_path):
    pytest.importorskip("onnx", reason="ONNX is not installed")
    plan = Plan("onnx", ({"source": "onnx", "ops": ["test_exp*", "test_matmul_2d", "test_relu"], "runtime": "reference"},), explain_s=0.0)
    found = halfulp.sweep(plan, tmp_path, processes=1)
    assert found.cases >= 4 and found.acceptable and not found.faults


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name = ", "which is not TOML"),
        ('[[sources]]\nsource = "opinfo"\ndevice = "abacus"', "Got the device 'abacus', where PyTorch can't compute"),
        ('[[sources]]\nsource = "opinfo"\ndevice = "meta"', "Got the device 'meta', where PyTorch can't compute"),
        ('surprise = 1\n[[sources]]\nsource = "opinfo"', "Got 'surprise' in the plan"),
        ('[[sources]]\nsource = "opinfos"', "Got the source 'opinfos'. Needed: one of opinfo"),
        ('[[sources]]\nsource = "opinfo"\nop = ["add"]', "Got 'op' for the source opinfo"),
        ('[[sources]]\nsource = "opinfo"\nops = 3', "for ops of the source opinfo"),
        ('seconds = "long"\n[[sources]]\nsource = "opinfo"', "Got 'long' for seconds in the plan"),
        ('seconds = 0\n[[sources]]\nsource = "opinfo"', "Got seconds = 0 in the plan"),
        ('[[sources]]\nsource = "files"\nfiles = ["/*.py"]', "Got '/*.py' in "),
        ('[[sources]]\nsource = "cases"\nfile = "missing.py"', "missing.py, which is not a file"),
        ("name = 'empty'\nsources = []", "without sources"),
    ],
)
def test_a_plan_that_can_not_be_read_is_refused_in_a_line(text, said, tmp_path):
    file = tmp_path / "plan.toml"
    file.write_text(text)
    with pytest.raises(halfulp.HalfulpError) as error:
        list(read_plan(file).groups())
    assert said in str(error.value) and "\n" not in str(error.value)


def test_a_pattern_that_fits_no_op_is_refused_before_anything_runs(tmp_path):
    plan = Plan("ops", ({"source": "opinfo", "ops": ["no_such_op"]},))
    with pytest.raises(halfulp.InputError, match="no_such_op"):
        halfulp.sweep(plan, tmp_path / "store")


def test_the_same_plan_gives_the_same_on_ray(plan, tmp_path):
    pytest.importorskip("ray", reason="Ray is not installed (halfulp[ray])")
    plan.write_text(without(PLAN, "hang", "hog"))
    alone = halfulp.sweep(plan, tmp_path / "alone", processes=2)
    together = halfulp.sweep(plan, tmp_path / "together", engine="ray")

    def rows(folder, run):
        return sorted((row.case, row.verdict, row.excess, row.repeated, row.fault, row.bundle) for row in Store(folder).rows(run))

    assert rows(tmp_path / "alone", alone.run) == rows(tmp_path / "together", together.run)
    assert [problem.cause for problem in alone.findings] == [problem.cause for problem in together.findings]


def test_records_for_pytorchs_dashboards():
    from halfulp.reports.formats.benchmark_records import records_text
    from halfulp.sweeps.swept import Subject, Swept

    subject = Subject("exp", "eager with gradients", "float64", "float32", "", 10, 1, 2, 3, "MISTAKE", 4.5, 1.0)
    found = json.loads(records_text(Swept("plan", "run", "store", {"MISTAKE": 1}, (subject,), ())))
    assert {record["metric"]["name"]: record["metric"]["benchmark_values"] for record in found} == {
        "cases_not_acceptable": [1], "cases": [10], "cases_without_verdict": [5], "largest_error": [4.5],
    }  # fmt: skip
    assert all(record["benchmark"]["mode"] == "training" and record["model"]["name"] == "exp" for record in found)


TWO = """
import torch
name = "two"
explain_s = 0.0
subjects = ["exp", "sin"]
def cases(subject, seed):
    for number in range(6):
        yield {"actual": getattr(torch, subject), "expected": getattr(torch, subject), "inputs": (torch.rand(4) + number,)}
"""


def begun(plan, store, numbers):
    """A run of a plan with some rows, as if it had been interrupted."""
    read, kept = read_plan(plan), Store(store)
    record = RunRecord.begun(read.name, read.digest).write(kept.folder)
    with kept.writer(record.run) as writer:
        for group in read.groups():
            for number in numbers:
                names = (group.source, group.subject, group.actual, group.expected)
                writer.add(
                    Row(
                        "two",
                        record.run,
                        f"{group.key}|case {number + 1}",
                        *names,
                        setting=f"case {number + 1}",
                        number=number,
                        verdict="IDENTICAL",
                        acceptable=True,
                    )
                )
    return record.run


@pytest.mark.parametrize("engine", ["processes", "ray"])
@pytest.mark.parametrize("numbers", [range(6), range(0, 6, 2), [0]])
def test_what_is_done_is_not_done_again_on_any_engine(tmp_path, engine, numbers):
    if engine == "ray":
        pytest.importorskip("ray", reason="Ray is not installed (halfulp[ray])")
    (tmp_path / "two.py").write_text(TWO)
    run = begun(tmp_path / "two.py", tmp_path / "store", numbers)
    found = halfulp.sweep(tmp_path / "two.py", tmp_path / "store", engine=engine, resume=True)
    assert found.run == run and found.complete and found.verdicts == {"IDENTICAL": 12}
    assert sum(pyarrow.parquet.read_metadata(file).num_rows for file in (tmp_path / "store").rglob("*.rows.parquet")) == 12


def test_a_run_that_somebody_works_on_is_left_to_them(tmp_path):
    from halfulp.traces.lock import Lock

    (tmp_path / "two.py").write_text(TWO)
    run = begun(tmp_path / "two.py", tmp_path / "store", [0])
    lock = Lock(tmp_path / "store" / run)
    with pytest.raises(halfulp.InputError, match="this process is working on"):
        halfulp.sweep(tmp_path / "two.py", tmp_path / "store", processes=1, resume=True)
    lock.release()
    assert halfulp.sweep(tmp_path / "two.py", tmp_path / "store", processes=1, resume=True).cases == 12


def test_a_subject_that_is_there_twice_is_refused():
    once = {"source": "opinfo", "ops": ["add"]}
    with pytest.raises(halfulp.InputError, match="Got add of the source opinfo twice in the plan ops, from its sources 1 and 2"):
        list(Plan("ops", (once, {**once, "samples_of_each": 2})).groups())
    assert len(list(Plan("ops", ({**once, "dtypes": ["float32", "float32"]},)).groups())) == 1


def test_a_file_that_two_patterns_fit_is_one_subject(tmp_path):
    (tmp_path / "a.py").write_text("import torch\nactual = expected = torch.exp\ndef inputs(seed): return (torch.rand(8),)\n")
    plan = Plan("files", ({"source": "files", "folder": str(tmp_path), "files": ["*.py", "a.py"]},))
    assert [group.subject for group in plan.groups()] == ["a.py"]
    before = plan.digest
    (tmp_path / "a.py").write_text("import torch\nactual = expected = torch.sin\ndef inputs(seed): return (torch.rand(8),)\n")
    assert plan.digest != before, "a file that is checked has changed"


def test_a_plan_that_was_edited_is_read_again_and_may_import_its_neighbors(tmp_path):
    (tmp_path / "neighbor_of_plan.py").write_text("EXPLAIN_S = 0.0\n")
    file = tmp_path / "two.py"
    file.write_text("from neighbor_of_plan import EXPLAIN_S as explain_s\n" + TWO.replace("explain_s = 0.0\n", ""))
    assert len(list(read_plan(file).groups())) == 2 and read_plan(file).explain_s == 0.0
    file.write_text(TWO.replace('"sin"]', '"sin", "cos"]'))
    assert [group.subject for group in read_plan(file).groups()] == ["exp", "sin", "cos"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ("import no_such_package\n" + TWO, "ModuleNotFoundError while running"),
        (TWO.replace('["exp", "sin"]', "[]"), "whose sources have no cases"),
        (TWO.replace("def cases", "def others"), "without `subjects` or `cases`"),
    ],
)
def test_a_plan_in_python_that_fails_is_told_of_itself(tmp_path, changed, said):
    (tmp_path / "two.py").write_text(changed)
    with pytest.raises(halfulp.HalfulpError) as error:
        halfulp.sweep(tmp_path / "two.py", tmp_path / "store", processes=1)
    assert said in str(error.value)


def test_what_cases_yields_is_looked_at(tmp_path):
    (tmp_path / "two.py").write_text(TWO.replace('"inputs":', '"declred": "tf32", "inputs":').replace('"exp", ', ""))
    found = halfulp.sweep(tmp_path / "two.py", tmp_path / "store", processes=1)
    assert found.exit_code == 3 and "with 'declred'" in next(iter(found.faults))


def test_cases_of_one_name_are_told_apart(tmp_path):
    (tmp_path / "two.py").write_text(TWO.replace('"inputs":', '"setting": "same", "inputs":'))
    found = halfulp.sweep(tmp_path / "two.py", tmp_path / "store", processes=1)
    names = {row.case for row in Store(tmp_path / "store").rows(found.run)}
    assert len(names) == 12 and "cases|exp|actual|expected|||same (6)" in names


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"processes": 0}, "Got processes=0"), ({"processes": -1}, "Got processes=-1"), ({"engine": "slurm"}, "Got engine='slurm'"),
        ({"address": "auto"}, "Got address='auto' with the engine processes"), ({"engine": "ray", "processes": 2}, "Got processes=2 with the engine ray"),
    ],
)  # fmt: skip
def test_options_that_would_be_ignored_or_never_end_are_refused(plan, tmp_path, options, said):
    with pytest.raises(halfulp.InputError) as error:
        halfulp.sweep(plan, tmp_path / "store", **options)
    assert said in str(error.value)


def test_a_resource_that_no_machine_has_is_refused(tmp_path):
    pytest.importorskip("ray", reason="Ray is not installed (halfulp[ray])")
    (tmp_path / "two.py").write_text(TWO + "resources = {'no_such_thing': 1}\n")
    with pytest.raises(halfulp.InputError, match="Got resources with no_such_thing = 1, which none of the 1 machines"):
        halfulp.sweep(tmp_path / "two.py", tmp_path / "store", engine="ray")


def test_drawing_a_group_and_another_seed_have_times_of_their_own(tmp_path):
    """Drawing takes longer than a case may; the verdict stays, and so does that with another seed."""
    slow = TWO.replace("    for number", "    import time\n    time.sleep(3.0)\n    for number").replace('["exp", "sin"]', '["exp"]')
    (tmp_path / "two.py").write_text(slow.replace('"expected": getattr(torch, subject)', '"expected": torch.expm1') + "seconds = 2.0\n")
    found = halfulp.sweep(tmp_path / "two.py", tmp_path / "store", processes=2)
    assert found.verdicts == {"MISTAKE": 6} and found.findings[0].checked_again == found.findings[0].repeated == 6


def test_an_op_that_the_table_wraps_has_no_program():
    plan = Plan("ops", ({"source": "opinfo", "ops": ["einsum", "exp"], "samples_of_each": 1},))
    calls = {group.subject: plan.source(0).samples(group, 0)[0]().call for group in plan.groups()}
    assert calls["einsum"] is None and calls["exp"].actual == "torch.exp"


@pytest.mark.parametrize(
    ("expected", "call"), [("float64", "torch.special.erfcx(x0.double())"), ("numpy", "scipy.special.erfcx(x0.numpy())")]
)
def test_the_program_of_a_finding_calls_what_was_compared(tmp_path, expected, call):
    import torch

    from halfulp.sweeps.finding_script import finding_script

    plan = Plan("ops", ({"source": "opinfo", "ops": ["special.erfcx"], "expected": expected},))
    group = next(plan.groups())
    sample = plan.source(0).samples(group, 0)[0]()
    row = Row(
        "ops", "run", "case", "opinfo", group.subject, group.actual, group.expected, "float32", setting="sample 1", reason="It is off."
    )
    script = finding_script(sample, row, (torch.tensor([0.5, 2.0]),), {}, is_smaller=True)
    assert call in script and "torch.special.erfcx(x0)" in script
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "eager: tensor([0.61" in ran.stdout and f"{expected}: " in ran.stdout
    gradients = Plan("ops", ({"source": "opinfo", "ops": ["exp"], "gradients": True},))
    assert gradients.source(0).samples(next(gradients.groups()), 0)[0]().call is None


def test_programs_of_one_name_are_numbered(tmp_path):
    from halfulp.store import Finding
    from halfulp.sweeps.sweep_run import scripts_of

    kept = Store(tmp_path)
    with kept.writer("run") as writer:
        for number in range(4):
            names = ("plan", "run", f"exp|{number}", "opinfo", "exp", "eager", "float64", "float32")
            writer.add(Row(*names, number=number, verdict="MISTAKE", acceptable=False, bundle=f"bundle {number}"))
            writer.add(Finding("plan", "run", f"exp|{number}", f"bundle {number}", script=f"print({number})"))
    assert sorted(scripts_of(kept, "run")) == [f"exp_float32_mistake{end}.py" for end in ("", "_2", "_3", "_4")]


def test_the_versions_of_what_a_plan_imports_are_kept(plan, tmp_path):
    """Also of what a file beside it imports, and within functions; the standard library and files beside it are no packages."""
    (tmp_path / "neighbor.py").write_text("import json\ndef draw():\n    from scipy import special\n    return special\n")
    plan.write_text("import neighbor\n" + PLAN)
    read = read_plan(plan)
    assert read.packages == ("scipy",)
    row = Judging(read, "run").lost(next(read.groups()), 0, "")
    assert json.loads(row.versions)["scipy"] == metadata.version("scipy")
    other = Plan(read.name, read.sources, packages=("scipy", "onnx"))
    assert other.digest != Plan(read.name, read.sources, packages=("scipy",)).digest


STEPS = """
name = "steps"
explain_s = 8.0
subjects = ["steps"]

def wrong(x):
    return x.sum() * 1.0005 if x.numel() > 3 else x.bfloat16().sum().float()

def cases(subject, seed):
    import torch
    x = torch.rand(64, generator=torch.Generator().manual_seed(seed))
    yield {"actual": wrong, "expected": lambda x: x.sum(), "inputs": (x,)}
"""


def test_smaller_inputs_of_a_finding_have_its_verdict(tmp_path):
    """Up to three numbers are summed in 16 bits, which is another finding."""
    file = tmp_path / "steps.py"
    file.write_text(STEPS)
    (problem,) = halfulp.sweep(file, tmp_path / "store", processes=1).findings
    assert problem.verdict == "MISTAKE"
    assert problem.smallest.startswith("float32 [") and problem.smallest.count(",") == 3, problem.smallest


@pytest.mark.parametrize("device", ["cpu:0", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_ops_run_on_the_device_of_the_source(device, tmp_path):
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    ops = ["exp", "full_like", "sum", "split"]
    plan = Plan("ops", ({"source": "opinfo", "ops": ops, "device": device, "samples_of_each": 2},), explain_s=0.0)
    found = halfulp.sweep(plan, tmp_path, processes=1)
    assert found.acceptable and not found.faults
    rows = Store(tmp_path).ask("SELECT DISTINCT actual, expected FROM results").rows
    assert list(rows) == [(f"eager on {device}", "float64")]
    gradients = Plan("grads", ({"source": "opinfo", "ops": ["exp"], "device": device, "gradients": True},), explain_s=0.0)
    assert halfulp.sweep(gradients, tmp_path, processes=1).acceptable


PLAN_WITH_CALLS = """
import torch

subjects = ["off"]
actual_name, expected_name = "SciPy", "the truth"

def cases(subject, seed):
    import scipy.special
    x = torch.linspace(0.1, 3.0, 40, dtype=torch.float64)
    yield {
        "actual": lambda x: torch.as_tensor(scipy.special.expit(x.numpy())), "expected": lambda x: torch.full_like(x, 0.25), "inputs": (x,),
        "call": CALL,
    }
"""


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        ({"actual": "scipy.special.expit", "taken": "numpy"}, "the truth: tensor([0.25"),
        ({"actual": "(lambda x: scipy.special.expit(x))", "taken": "numpy", "expected": "torch.sigmoid", "given": "float64"}, "the truth: tensor([0."),
    ],
)  # fmt: skip
def test_the_program_of_a_plan_in_python_stands_alone(call, shown, tmp_path):
    (tmp_path / "plan.py").write_text(PLAN_WITH_CALLS.replace("CALL", repr(call)))
    found = halfulp.sweep(tmp_path / "plan.py", tmp_path / "store", processes=1)
    (finding,) = found.findings
    assert "import scipy.special" in finding.script
    ran = subprocess.run([sys.executable, "-c", finding.script], capture_output=True, text=True, check=True)
    assert shown in ran.stdout and "SciPy: [0." in ran.stdout, ran.stdout


@pytest.mark.parametrize("call", [3, {"given": "numpy"}, {"actual": "torch.exp", "taken": "arrays"}, {"actual": "torch.exp", "more": ""}])
def test_a_call_that_can_not_be_read_is_refused(call, tmp_path):
    (tmp_path / "plan.py").write_text(PLAN_WITH_CALLS.replace("CALL", repr(call)))
    found = halfulp.sweep(tmp_path / "plan.py", tmp_path / "store", processes=1)
    assert any("as the call of a case 1 of off" in str(fault) for fault in found.faults), found
