"""The tools that coding assistants call, by the protocol's own client; and what the assistants are told."""

import asyncio
import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from typer.testing import CliRunner

from halfulp import Verdict
from halfulp.assistants import skill
from halfulp.cli import COMMANDS, GROUPS, app

mcp = pytest.importorskip("mcp", reason="the extra mcp is not installed")

LINEAR = {"actual": "x @ W.T + b", "expected": "F.linear(x, W, b)", "inputs": "x=randn(8, 64), W=randn(32, 64), b=randn(32)"}
NORM = {"actual": "F.layer_norm(x, (64,), eps=1e-3)", "expected": "F.layer_norm(x, (64,))", "inputs": "x=0.1*randn(8, 64)"}


def run_apart(coroutine):
    """Run to its end in a thread of its own: a browser's tests may have left a loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def called(name, arguments):
    """The result of one call, by the client in this process."""
    from halfulp.assistants.server import server

    async def call():
        async with mcp.Client(server()) as client:
            return await client.call_tool(name, arguments)

    return run_apart(call())


def test_the_tools_are_those_four_with_a_description():
    from halfulp.assistants.server import server

    async def listed():
        async with mcp.Client(server()) as client:
            return (await client.list_tools()).tools

    tools = run_apart(listed())
    assert [tool.name for tool in tools] == ["check", "locate", "explain", "tolerance"]
    assert all(tool.description for tool in tools)


def test_check():
    found = called("check", LINEAR).structured_content
    assert found["verdict"] in ("ROUNDING", "IDENTICAL") and found["acceptable"] is True and found["reason"] in found["report"]
    wrong = called("check", {**LINEAR, "actual": "x @ W.T + 1.01 * b"}).structured_content
    assert wrong["verdict"] == "MISTAKE" and wrong["acceptable"] is False


def test_locate_explain_and_tolerance():
    located = called("locate", NORM).structured_content
    assert "layer_norm" in located["op"] and located["because"]
    explained = called("explain", NORM).structured_content
    assert explained["causes"][0]["name"] == "layer epsilon" and explained["causes"][0]["confidence"] == "high"
    derived = called("tolerance", {"expected": NORM["expected"], "inputs": NORM["inputs"]}).structured_content
    assert derived["rtol"] > 0 and derived["atol"] >= 0


def test_an_error_says_what_to_do():
    result = called("check", {"actual": "no_such_file.py"})
    assert result.is_error and "Needed:" in result.content[0].text


def test_what_the_code_prints_does_not_reach_the_protocol(tmp_path):
    case = tmp_path / "case.py"
    case.write_text(
        "import torch\ndef actual(x):\n    print('{\"jsonrpc\": 1}')\n    return x * 2\n"
        "def expected(x): return x + x\ndef inputs(seed): return (torch.randn(4),)\n"
    )

    async def call():
        command = mcp.StdioServerParameters(command=sys.executable, args=["-m", "halfulp", "mcp"])
        async with mcp.Client(command, read_timeout_seconds=120) as client:
            return await client.call_tool("check", {"actual": str(case)})

    assert run_apart(call()).structured_content["verdict"] == "IDENTICAL"


class TestSkill:
    def test_it_is_printed_and_written(self, tmp_path):
        run = CliRunner()
        assert run.invoke(app, ["skill"]).stdout == skill()
        assert run.invoke(app, ["skill", "-o", str(tmp_path / "a" / "SKILL.md")]).exit_code == 0
        assert (tmp_path / "a" / "SKILL.md").read_text(encoding="utf-8") == skill()

    def test_it_opens_with_what_assistants_look_for(self):
        head = skill().split("---")[1]
        assert re.search(r"^name: halfulp$", head, re.MULTILINE) and "description: " in head

    def test_it_names_every_verdict_and_commands_that_exist(self):
        assert all(verdict.name in skill() for verdict in Verdict)
        named = set(re.findall(r"halfulp ([a-z]+) ", skill()))
        assert {"check", "explain", "locate", "tolerance"} <= named & {*COMMANDS, *GROUPS}

    def test_what_it_says_of_the_json_is_so(self):
        run = CliRunner()
        checked = json.loads(run.invoke(app, ["check", LINEAR["actual"], LINEAR["expected"], "-i", LINEAR["inputs"], "--json"]).stdout)
        assert {"verdict", "acceptable", "reason", "warnings", "evidence"} <= checked.keys()
        explained = json.loads(run.invoke(app, ["explain", NORM["actual"], NORM["expected"], "-i", NORM["inputs"], "--json"]).stdout)
        assert {"name", "statement", "remedy", "share", "confidence", "side", "place"} <= explained["causes"][0].keys()
        located = json.loads(run.invoke(app, ["locate", NORM["actual"], NORM["expected"], "-i", NORM["inputs"], "--json"]).stdout)
        assert {"module", "op", "source", "place", "because"} <= located.keys()
