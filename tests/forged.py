"""Traces as a stranger sends them: changed by hand, with counts and hashes that fit, as an attacker sees to."""

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np

from halfulp.traces import Fingerprint, Step, Value
from halfulp.traces.hashes import hash_of
from halfulp.traces.writer import TraceWriter


def entries(folder):
    return [json.loads(line) for line in (Path(folder) / "records.jsonl").read_text().splitlines()]


def forge(source, target, change):
    """A copy of a trace whose list of records was changed in place by `change`."""
    shutil.copytree(source, target)
    found = entries(target)
    change(found)
    return rewritten(target, found)


def rewritten(folder, found):
    text = "".join(json.dumps(each) + "\n" for each in found)
    (folder / "records.jsonl").write_text(text)
    head = json.loads((folder / "manifest.json").read_text())
    head["records_sha256"] = hashlib.sha256(text.encode()).hexdigest()
    head["values"], head["steps"] = sum("value" in each for each in found), sum("step" in each for each in found)
    (folder / "manifest.json").write_text(json.dumps(head))
    return folder


def op_replaced(at, op, arguments, keywords=None):
    """A change that makes every call of an op another call."""

    def change(found):
        for each in found:
            if each.get("kind") == "op" and each["op"] == at:
                each["op"], each["arguments"], each["keywords"] = op, arguments, keywords or {}

    return change


class Unstored:
    """A value of a forged trace that has a shape and nothing else."""

    def __init__(self, *shape):
        self.shape = shape


def written(folder, values, steps):
    """A trace of these values (arrays, or `Unstored`) and steps (op, arguments, number of the result); the last result is the output."""
    writer = TraceWriter(folder, level="tensors", fingerprint=Fingerprint({}, ()))
    made = {number for _, _, number in steps}
    for number, value in enumerate(values):
        role, name = ("op", "") if number in made else ("input", f"x{number}")
        if isinstance(value, Unstored):
            writer.add_value(Value(number, role, name, "float32", value.shape, (1,) * len(value.shape), "cpu", "", {}, None))
            continue
        array = np.ascontiguousarray(value)
        place = writer.store(str(array.dtype), array.shape, array, elements=array.size)
        strides = tuple(stride // array.itemsize for stride in array.strides)
        writer.add_value(Value(number, role, name, str(array.dtype), array.shape, strides, "cpu", hash_of(array), {}, place))
    for index, (op, arguments, number) in enumerate(steps):
        writer.add_step(Step(index, "op", "forward", op, "m", 0, "model.py:1 forward", tuple(arguments), {}, (number,)))
    return writer.close(named={"output": steps[-1][2]}, notes=())
