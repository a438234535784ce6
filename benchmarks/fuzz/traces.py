"""Damaged and hostile traces: one valid trace, changed in one way at a time, with counts and hashes that often fit again."""

import contextlib
import copy
import hashlib
import json
import os
import random
import traceback
import warnings
from pathlib import Path

import torch

import halfulp
from halfulp.errors import TraceError
from halfulp.traces import read_trace


def program(x, mask):
    w = torch.arange(12.0).reshape(3, 4) / 8
    with torch.no_grad():
        y = torch.nn.functional.layer_norm(x @ w, (4,))
        y[:, 0] = 0.5
        z = torch.where(mask, y, y.to(torch.bfloat16).float()).sum(0) + torch.full((4,), 2.0)
    return z, torch.zeros(0, 2)


ODD = [
    -1, 0, 1, 2, 3, 2**31, 2**47, 2**48, 2**63 - 1, 2**63, 2**70, 10**30, -(2**63), 1e308, -0.5, 0.5, float("nan"), float("inf"), None, True, False, "",
    "\n", "a\nb", "\ud800", "\x00", "x" * 5000, "../shard-0001.safetensors", "/etc/passwd", "shard-9999.safetensors", "shard-0001.safetensors\n", "shard-0002.safetensors",
    [], {}, [[]], [None], [-1], [2**47, 2**47], [0, 2**47, 2**47], [1] * 65, [1] * 70_000, {"ref": -1}, {"ref": 0}, {"ref": 10**9}, {"ref": "x"}, {"ref": None}, {"ref": 1e400}, {"ref": [1]},
    {"number": "zz"}, {"number": "inf"}, {"number": "nan"}, {"number": "1e400j"}, {"number": None}, {"dtype": "nothing"}, {"dtype": "__class__"}, {"dtype": "load"},
    {"device": "cuda:99"}, {"device": "nothing"}, {"layout": "x"}, {"memory_format": "ones"}, {"object": "x"}, {"symbol": 1}, {"": ""},
    "float32", "float64", "bfloat16", "bool", "complex128", "int64", "module", "op", "backward", "step", "buffer", "parameter", "input", "unseen", "0" * 16, "f" * 16,
    "aten.exp.default", "aten.expand.default", "aten.repeat.default", "aten.cat.default", "aten.convolution.default", "aten.as_strided.default", "aten.reshape.default",
    "aten.zeros.default", "aten.native_layer_norm.default", "aten._to_copy.default", "halfulp.overlay.default", "os.system.default", "aten.__class__.default", "a.b.c.d", ".",
]  # fmt: skip


def nested(depth):
    return "[" * depth + "]" * depth


def places_in(tree, here=()):
    """Every path into a parsed JSON tree."""
    yield here
    if isinstance(tree, dict):
        for key in tree:
            yield from places_in(tree[key], (*here, key))
    elif isinstance(tree, list):
        for key in range(len(tree)):
            yield from places_in(tree[key], (*here, key))


def edited(tree, draw):
    tree = copy.deepcopy(tree)
    for _ in range(draw.choice([1, 1, 1, 2, 3])):
        path = draw.choice(list(places_in(tree)))
        if not path:
            continue
        owner = tree
        for key in path[:-1]:
            owner = owner[key]
        how = draw.random()
        if how < 0.8:
            owner[path[-1]] = copy.deepcopy(draw.choice(ODD))
        elif how < 0.9:
            del owner[path[-1]]
        elif isinstance(owner, list):
            owner.insert(path[-1], copy.deepcopy(owner[path[-1]]))
        else:
            owner[draw.choice(["place", "placements", "value", "step", "x"])] = copy.deepcopy(draw.choice(ODD))
    return tree


OPS = sorted(name for name in dir(torch.ops.aten) if not name.startswith("__"))
HOSTILE = (
    'x"""\nopen("canary", "w")\n"""', "'+open('canary','w').name+'", "\x1b]0;owned\x07\x1b[2J", "\u202eesrever", "a\n::error::x", "</script><script>",
    "{0.__class__}", "%s%n", "../../canary", "x" * 3000, "\ud800", "\x00", "`" * 9,
)  # fmt: skip


def _at(tree, place):
    for key in place:
        tree = tree[key]
    return tree


class Folder:
    """A trace that is damaged and repaired again."""

    FILES = ("manifest.json", "records.jsonl", "shard-0001.safetensors")

    def __init__(self, path, outside):
        self.path, self.outside = path, outside
        self.content = {name: (path / name).read_bytes() for name in self.FILES}
        self.head = json.loads(self.content["manifest.json"])
        self.lines = [json.loads(line) for line in self.content["records.jsonl"].splitlines()]

    def repair(self):
        for name in os.listdir(self.path):
            path = self.path / name
            if name in self.FILES and path.is_file() and not path.is_symlink() and path.read_bytes() == self.content[name]:
                continue
            if path.is_dir() and not path.is_symlink():
                path.rmdir()
            else:
                path.unlink()
        for name in self.FILES:
            if not (self.path / name).exists():
                (self.path / name).write_bytes(self.content[name])

    def write(self, name, content):
        (self.path / name).unlink()
        (self.path / name).write_bytes(content)

    def write_records(self, raw, draw):
        """With a manifest that agrees, so that the damage gets past the hash of the file."""
        self.write("records.jsonl", raw)
        head = dict(self.head)
        if draw.random() < 0.5:
            head["complete"] = False
        else:
            kinds = [json.loads(line) if line[:1] == b"{" else {} for line in raw.splitlines()] if draw.random() < 0.5 else self.lines
            head["values"], head["steps"] = (
                sum("value" in kind for kind in kinds),
                sum("step" in kind and "value" not in kind for kind in kinds),
            )
            head["records_sha256"] = hashlib.sha256(raw).hexdigest()
        self.write("manifest.json", json.dumps(head).encode())

    def lines_as_bytes(self, lines):
        return "".join(json.dumps(line) + "\n" for line in lines).encode()

    # One method a kind of damage; each takes the source of random numbers.

    def flipped_bytes(self, draw):
        name = draw.choice(self.FILES)
        raw = bytearray(self.content[name])
        low = 0 if name != "shard-0001.safetensors" or draw.random() < 0.3 else (1 << 20) + 8
        for _ in range(draw.choice([1, 1, 4])):
            raw[draw.randrange(low, len(raw))] ^= 1 << draw.randrange(8)
        if name == "records.jsonl" and draw.random() < 0.8:
            with contextlib.suppress(ValueError):
                return self.write_records(bytes(raw), draw)
            self.repair()
        self.write(name, bytes(raw))

    def truncated(self, draw):
        name = draw.choice(self.FILES)
        raw = self.content[name][: draw.randrange(len(self.content[name]) + 1)]
        if name.startswith("shard") and draw.random() < 0.6:
            raw = self.content[name][: -draw.randrange(1, 400)]
        if name == "records.jsonl":
            with contextlib.suppress(ValueError):
                return self.write_records(raw, draw)
            self.repair()
        self.write(name, raw)

    def grown(self, draw):
        name = draw.choice(self.FILES)
        self.write(
            name,
            self.content[name] + draw.choice([b"\0", b"{}", b"\n", b"[]\n", b"null\n", b"1\n", b"\xff\xfe", b'"x"\n', b'{"value": 0}\n']),
        )
        if draw.random() < 0.5 and name != "manifest.json":
            self.write("manifest.json", json.dumps({**self.head, "complete": False}).encode())

    def deleted(self, draw):
        (self.path / draw.choice(self.FILES)).unlink()

    def replaced(self, draw):
        name = draw.choice(self.FILES)
        (self.path / name).unlink()
        kind = draw.randrange(4)
        if kind == 0:
            (self.path / name).mkdir()
        elif kind == 1:
            os.mkfifo(self.path / name)
        elif kind == 2:
            (self.path / name).symlink_to(self.outside / name)
        else:
            (self.path / name).write_bytes(b"")

    def swapped_files(self, draw):
        one, other = draw.sample(self.FILES, 2)
        if draw.random() < 0.5:
            self.write(one, (self.outside / one).read_bytes())
        else:
            self.write(one, self.content[other])

    def manifest_edited(self, draw):
        self.write("manifest.json", json.dumps(edited(self.head, draw)).encode())

    def record_edited(self, draw):
        lines = list(self.lines)
        place = draw.randrange(len(lines))
        lines[place] = edited(lines[place], draw)
        self.write_records(self.lines_as_bytes(lines), draw)

    def lines_moved(self, draw):
        lines = list(self.lines)
        place, other = draw.randrange(len(lines)), draw.randrange(len(lines))
        how = draw.randrange(4)
        if how == 0:
            del lines[place]
        elif how == 1:
            lines.insert(other, lines[place])
        elif how == 2:
            lines[place], lines[other] = lines[other], lines[place]
        else:
            lines = lines[:place]
        self.write_records(self.lines_as_bytes(lines), draw)

    def renumbered(self, draw):
        """A record is left out and those after it count on: references then point elsewhere."""
        lines = copy.deepcopy(self.lines)
        del lines[draw.randrange(len(lines))]
        for key in ("value", "step"):
            for number, line in enumerate(line for line in lines if key in line and (key == "value" or "value" not in line)):
                line[key] = number
        self.write_records(self.lines_as_bytes(lines), draw)

    def references_changed(self, draw):
        lines = copy.deepcopy(self.lines)
        step = draw.choice([line for line in lines if "step" in line])
        values = sum("value" in line for line in lines)
        if step["outputs"] and draw.random() < 0.5:
            step["outputs"][draw.randrange(len(step["outputs"]))] = draw.choice([None, draw.randrange(values)])
        else:
            step["arguments"] = [{"ref": draw.randrange(values)} for _ in range(draw.randrange(4))]
        self.write_records(self.lines_as_bytes(lines), draw)

    def places_changed(self, draw):
        lines = copy.deepcopy(self.lines)
        line = draw.choice([line for line in lines if "place" in line])
        size = len(self.content["shard-0001.safetensors"])
        line["place"][draw.randrange(4)] = draw.choice([-1, 0, 1, 8, size - 1, size, size + 1, 2**62, 1.0, "0", None, draw.randrange(size)])
        if draw.random() < 0.5:
            line["hash"] = ""
        if draw.random() < 0.3:
            line["place"][2] = line["place"][1] + 4 if isinstance(line["place"][1], int) else 4
            line["place"][3] = 1
        self.write_records(self.lines_as_bytes(lines), draw)

    def shapes_changed(self, draw):
        lines = copy.deepcopy(self.lines)
        line = draw.choice([line for line in lines if "value" in line])
        line["shape"] = draw.choice(
            [
                [],
                [0],
                [1],
                [2**47],
                [2**24, 2**23],
                [0, 2**47, 2**47],
                [2**47, 2**47, 0],
                line["shape"][::-1],
                [*line["shape"], 1],
                [1] * 64,
                [-1],
                [3.0],
            ]
        )
        line["strides"] = draw.choice([line["strides"], [0] * len(line["shape"]), [-1] * len(line["shape"]), []])
        if draw.random() < 0.5:
            line.pop("place", None)
            line["hash"] = draw.choice(["", line["hash"]])
        self.write_records(self.lines_as_bytes(lines), draw)

    def ops_changed(self, draw):
        """Another op of PyTorch's, whatever it does, on arguments that are large, paths, or values of the trace."""
        lines = copy.deepcopy(self.lines)
        step = draw.choice([line for line in lines if line.get("kind") == "op"])
        values = sum("value" in line for line in lines)
        step["op"] = f"aten.{draw.choice(OPS)}.{draw.choice(['default', 'default', 'Tensor', 'Scalar', 'self', 'out', 'int', 'dim'])}"
        kinds = [
            lambda: {"ref": draw.randrange(values)},
            lambda: {"ref": draw.randrange(values)},
            lambda: draw.choice([0, 1, -1, 2, 1 << 20, 1 << 33, 1 << 62, -(1 << 62), 0.5, 1e300, True, False, None]),
            lambda: [draw.choice([0, 1, 3, -1, 1 << 16, 1 << 31, 1 << 40]) for _ in range(draw.randrange(4))],
            lambda: [{"ref": draw.randrange(values)} for _ in range(draw.choice([1, 2, 3000]))],
            lambda: draw.choice(["none", "tanh", "sum", str(self.outside / "canary"), "cuda:0", "x"]),
            lambda: draw.choice([{"dtype": "float32"}, {"dtype": "int64"}, {"dtype": "__class__"}, {"device": "cuda"}, {"layout": "save"}]),
        ]
        step["arguments"] = [draw.choice(kinds)() for _ in range(draw.randrange(6))]
        step["keywords"] = {
            draw.choice(["dim", "dtype", "out", "size", "__class__", "generator", "filename"]): draw.choice(kinds)()
            for _ in range(draw.choice([0, 0, 1]))
        }
        self.write_records(self.lines_as_bytes(lines), draw)

    def sizes_changed(self, draw):
        """The op as it was, with a number among its arguments that is far too large, small or negative."""
        lines = copy.deepcopy(self.lines)
        steps = [line for line in lines if line.get("kind") == "op"]
        step = draw.choice(steps)
        found = [
            place
            for place in places_in([step["arguments"], step["keywords"]])
            if place and isinstance(_at([step["arguments"], step["keywords"]], place), int)
        ]
        if found:
            tree = [step["arguments"], step["keywords"]]
            place = draw.choice(found)
            _at(tree, place[:-1])[place[-1]] = draw.choice([-1, 0, 7, 1 << 20, 1 << 31, 1 << 33, 1 << 62, -(1 << 40)])
        self.write_records(self.lines_as_bytes(lines), draw)

    def names_changed(self, draw):
        """Names that would be code, markup, escape codes or commands where they are not escaped."""
        lines = copy.deepcopy(self.lines)
        text = draw.choice(HOSTILE)
        for line in lines:
            for key in ("module", "source", "name", "op", "device"):
                if isinstance(line.get(key), str) and draw.random() < 0.3:
                    line[key] = text if key != "op" or draw.random() < 0.1 else line[key]
        self.write_records(self.lines_as_bytes(lines), draw)

    def deep(self, draw):
        depth = draw.choice([50, 900, 5000, 100_000])
        if draw.random() < 0.3:
            raw = self.content["manifest.json"].replace(b'"notes": []', b'"notes": ' + nested(depth).encode())
            return self.write("manifest.json", raw)
        place = draw.randrange(len(self.lines))
        texts = [json.dumps(line) for line in self.lines]
        key = draw.choice(list(self.lines[place]))
        texts[place] = json.dumps({**self.lines[place], key: "@"}).replace(
            '"@"', nested(depth) if draw.random() < 0.5 else '{"ref":' * depth + "0" + "}" * depth
        )
        raw = "".join(text + "\n" for text in texts).encode()
        self.write("records.jsonl", raw)
        self.write("manifest.json", json.dumps({**self.head, "complete": False}).encode())

    def raw_numbers(self, draw):
        place = draw.randrange(len(self.lines))
        texts = [json.dumps(line) for line in self.lines]
        key = draw.choice(list(self.lines[place]))
        odd = draw.choice(
            [
                "NaN",
                "Infinity",
                "-Infinity",
                "1" * 5000,
                "1e999",
                "-0",
                "1E5",
                "[" + "9" * 4000 + "]",
                '"' + "\\ud800" + '"',
                '{"number":"' + "9" * 5000 + '"}',
            ]
        )
        texts[place] = json.dumps({**self.lines[place], key: "@"}).replace('"@"', odd)
        raw = "".join(text + "\n" for text in texts).encode()
        self.write("records.jsonl", raw)
        self.write("manifest.json", json.dumps({**self.head, "complete": False}).encode())


KINDS = [
    name
    for name, each in vars(Folder).items()
    if callable(each) and not name.startswith("_") and name not in ("repair", "write", "write_records", "lines_as_bytes")
]
OFTEN = ("record_edited", "record_edited", "record_edited", "manifest_edited", "references_changed", "shapes_changed")


def outcome_of(folder, other):
    """What a reader gets of a damaged trace: "refused", "works", or the fault."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            trace = read_trace(folder)
            refused = None
            for value in trace.values:
                if value.place is not None:
                    try:
                        trace.stored(value.number)
                        trace.numbers(value.number)
                        trace.rows(value.number, 0, min(1, value.shape[0])) if value.is_complete and value.shape else None
                    except TraceError as error:
                        refused = error
            for first, second in ((trace, other), (other, trace)):
                shown = halfulp.report(halfulp.locate(first, second))
                if any(not each.isprintable() and each not in "\n\t" for each in shown):
                    return "a control character reaches the terminal"
            if refused is not None:
                raise refused
    except TraceError as error:
        text = str(error)
        return (
            f"a message of several lines: {text!r}"
            if "\n" in text
            else f"a message of {len(text)} characters"
            if len(text) > 3000
            else "refused"
        )
    except (Exception, RecursionError) as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        own = [each for each in traceback.extract_tb(error.__traceback__) if "halfulp" in each.filename]
        return f"{type(error).__name__}: {str(error)[:120]} at {Path(own[-1].filename).name}:{own[-1].lineno} ({Path(last.filename).name}:{last.lineno})"
    return "works"


def prepared(folder):
    """A function that tries the mutation of a number."""
    x, mask = (
        torch.randn(2, 3, generator=torch.Generator().manual_seed(0)),
        torch.tensor([[True, False, True, True], [False, True, False, True]]),
    )
    halfulp.record(program, [x, mask], folder / "t", level="tensors")
    halfulp.record(program, [x + 1e-6, mask], folder / "outside", level="tensors")
    other = halfulp.record(program, [x * (1 + 2.0**-20), mask], folder / "other", level="tensors")
    damaged = Folder(folder / "t", folder / "outside")
    if outcome_of(damaged.path, other) != "works":
        raise AssertionError(outcome_of(damaged.path, other))

    def tried(number):
        draw = random.Random(number)
        kind = KINDS[number % len(KINDS)] if number % 2 else draw.choice(OFTEN)
        getattr(damaged, kind)(draw)
        try:
            found = outcome_of(damaged.path, other)
            if found == "works" and draw.random() < 0.2:
                try:
                    halfulp.repro(damaged.path, other, folder / "repro")
                except halfulp.HalfulpError as error:
                    found = "works" if "\n" not in str(error) else f"several lines: {error}"
            return kind, found
        except Exception as error:
            return kind, f"{type(error).__name__}: {error}"
        finally:
            damaged.repair()

    return tried
