"""Traces as a stranger sends them: changed by hand, with counts and hashes that fit, as an attacker sees to."""

import hashlib
import json
import shutil
from pathlib import Path


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
