"""What the site is made from: blocks of commands that are run, parts that are made from halfulp, docstrings as Griffe reads them."""

import re
import sys
import types
from pathlib import Path

import pytest
import typer

import halfulp
from halfulp.causes.hypotheses import CATALOG
from halfulp.cli import app

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS / "making"))

import catalog  # noqa: E402
import printing  # noqa: E402


@pytest.fixture
def site(tmp_path, monkeypatch):
    """An empty site."""
    for name in ("docs", "cases"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(printing, "DOCS", tmp_path / "docs")
    monkeypatch.setattr(printing, "STORE", tmp_path / "store")
    monkeypatch.setattr(printing, "OLD_S", -1.0)
    monkeypatch.setattr(printing, "SOURCES", {"": tmp_path / "cases"})
    return tmp_path


def page(site, *lines):
    (site / "docs" / "page.md").write_text("\n".join(lines) + "\n")


def test_blocks_are_found_with_their_exit_codes_and_indentation(site):
    page(
        site,
        "# Page",
        "```run",
        "$ echo a \\",
        "    b",
        "$ true",
        "```",
        "- item",
        "",
        '    ```run exit="3"',
        "    $ exit 3",
        "    ```",
        "```console",
        "$ false",
        "```",
    )
    first, second = printing.blocks()
    assert first.commands == ("echo a b", "true") and first.exit == 0
    assert second.commands == ("exit 3",) and second.exit == 3
    assert first.key != second.key != printing.Block(("exit 3",), 0).key


def test_what_commands_print_and_write_is_kept(site):
    (site / "cases" / "words.txt").write_text("from a case file")
    page(site, "```run", "$ cat words.txt; echo unseen >&2", "$ echo '<p>a page</p>' > page.html", "$ exit 3", "```")
    with pytest.raises(printing.PrintingError, match="Got exit code 3 from `exit 3` in page.md. Needed: 0"):
        printing.run(progress=False)
    page(site, '```run exit="3"', "$ cat words.txt; echo unseen >&2", "$ echo '<p>a page</p>' > page.html", "$ exit 3", "```")
    printing.run(progress=False)
    (block,) = printing.blocks()
    found = printing.printed(block)
    assert found.texts == ["from a case file", "", ""] and found.pages == ["page.html"]
    assert (printing.STORE / block.key / "page.html").read_text() == "<p>a page</p>\n"
    page(site, "nothing")
    printing.run(progress=False)
    assert list(printing.STORE.iterdir()) == []


def test_all_that_fails_is_reported_and_the_rest_is_kept(site):
    page(site, "```run", "$ exit 5", "```", "```run", "$ echo fine", "```", "```run", "$ echo words; exit 2", "```")
    with pytest.raises(printing.PrintingError) as raised:
        printing.run(progress=False)
    assert "exit 5" in str(raised.value) and "words" in str(raised.value)
    kept = [block for block in printing.blocks() if (printing.STORE / block.key / "printed.json").is_file()]
    assert [each.commands for each in kept] == [("echo fine",)]
    with pytest.raises(printing.PrintingError, match="was not run"):
        printing.printed(printing.blocks()[0])


def test_the_page_of_causes_has_every_record():
    made = catalog.causes()
    assert set(re.findall(r"^### (.+)$", made, re.MULTILINE)) == {each.name for each in CATALOG}
    assert all(each.experiment in made and each.remedy in made for each in CATALOG)
    assert "](https://github.com/" in made


def test_every_command_has_its_page_with_its_help():
    group = typer.main.get_command(app)
    for name in group.commands:
        text = (DOCS / "commands" / f"{name}.md").read_text()
        assert text.startswith(f"# halfulp {name}") and f"$ halfulp {name}" in text and "--help" in text


def test_every_verdict_has_its_page():
    for verdict in halfulp.Verdict:
        text = (DOCS / "verdicts" / f"{verdict.name.lower().replace('_', '-')}.md").read_text()
        assert verdict.name in text.splitlines()[0] and "```run" in text


def test_every_public_name_is_in_the_reference_once():
    named = re.findall(r"^::: (halfulp\.\w+)$", "\n".join(path.read_text() for path in (DOCS / "api").glob("*.md")), re.MULTILINE)
    assert sorted(set(named)) == sorted(named)
    assert {f"halfulp.{name}" for name in halfulp.__all__} <= set(named)


def test_docstrings_get_a_line_for_each_name():
    griffe = pytest.importorskip("griffe")
    import docstrings

    with griffe.temporary_visited_module(
        '''
        def add(a, b, c):
            """Sum.

            Args:
                a, b: terms: both. c: another,
                    over two lines.

            Raises:
                InputError: a text. RunError: another.

            Example:
                >>> add(1, 2, 3)
                6
            """
        ''',
        extensions=griffe.load_extensions(docstrings.Docstrings()),
    ) as module:
        sections = {each.kind.value: each.value for each in module["add"].docstring.parse("google", warnings=False)}
    assert [(each.name, " ".join(each.description.split())) for each in sections["parameters"]] == [
        ("a", "terms: both."), ("b", "terms: both."), ("c", "another, over two lines."),
    ]  # fmt: skip
    assert [str(each.annotation) for each in sections["raises"]] == ["InputError", "RunError"]
    assert "examples" in sections


def test_blocks_that_are_wrong_stop_the_build(site):
    """A block with a mistake in it would otherwise be shown as plain text."""
    pymdownx = pytest.importorskip("pymdownx.superfences")
    markdown = pytest.importorskip("markdown")
    pytest.importorskip("mkdocs")
    import hooks

    config = hooks.on_config(types.SimpleNamespace(mdx_configs={}))
    for text in ("```run\n$ echo never\n```", '```run foo="1"\n$ true\n```', "```math\n\\text{<img>}\n```"):
        with pytest.raises(pymdownx.SuperFencesException):
            markdown.markdown(text, extensions=["pymdownx.superfences"], extension_configs=config.mdx_configs)
    page(site, "```running", "$ exit 9", "```")
    assert printing.blocks() == []
    page(site, "```run exit='1'", "$ exit 1", "```")
    with pytest.raises(printing.PrintingError, match="exit='1'"):
        printing.blocks()
