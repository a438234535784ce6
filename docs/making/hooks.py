"""What MkDocs asks while it builds: blocks of `run` are run and shown, formulas become MathML, pages of results become part of the site."""

from __future__ import annotations

import html
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from latex2mathml.converter import convert
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File
from pymdownx.superfences import SuperFencesException

sys.path.insert(0, str(Path(__file__).parent))

import catalog
import printing

MADE = {"causes": catalog.causes, "public-names": catalog.public_names}
"""Parts of pages that are made from halfulp itself, where a page says <!-- made: NAME -->."""


def on_config(config: Any) -> Any:
    """Say what the fences mean."""
    fences = [
        {"name": "run", "class": "run", "validator": _options, "format": _shown},
        {"name": "math", "class": "math", "format": lambda source, *_, **__: _formula(source, "block")},
    ]
    config.mdx_configs["pymdownx.superfences"] = {"custom_fences": fences}
    config.mdx_configs["pymdownx.inlinehilite"] = {
        "custom_inline": [{"name": "math", "class": "math", "format": lambda source, *_, **__: _formula(source, "inline")}]
    }
    return config


def on_pre_build(config: Any) -> None:
    """Run what was not run yet."""
    try:
        printing.run(progress=sys.stderr.isatty())
    except printing.PrintingError as error:
        raise PluginError(str(error)) from error


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that commands wrote."""
    for block in printing.blocks():
        for page in printing.printed(block).pages:
            source = printing.STORE / block.key / page
            files.append(File.generated(config, f"pages/{page}", abs_src_path=str(source)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Put in what is made from halfulp itself."""
    for name, make in MADE.items():
        mark = f"<!-- made: {name} -->"
        if mark in markdown:
            markdown = markdown.replace(mark, make())
    return markdown


def _options(language: str, inputs: dict[str, str], options: dict[str, Any], attributes: dict[str, Any], md: Any) -> bool:
    """Which options a block of `run` has: exit="1", and lines="1-12" of the output of the last command."""
    if set(inputs) - {"exit", "lines"}:  # any other exception would turn the block into plain text, and the build would go on
        raise SuperFencesException(f"Got options {sorted(inputs)} of a block of `run`. Needed: exit and lines alone. Correct the page.")
    options.update(inputs)
    return True


def _shown(source: str, language: str, class_name: str, options: dict[str, Any], md: Any, **_: Any) -> str:
    try:
        block = printing.parsed(source, options)
        texts = printing.printed(block).texts
        if "lines" in options:
            texts[-1] = _cut(texts[-1].splitlines(), options["lines"])
    except (printing.PrintingError, ValueError) as error:
        raise SuperFencesException(str(error)) from error
    parts: list[str] = []
    for command, text in zip(block.commands, texts):
        parts.append(f'<span class="prompt">$ </span><span class="command">{html.escape(command)}</span>\n')
        parts += [f"{_line(each)}\n" for each in text.splitlines()]
    return f'<div class="run highlight"><pre tabindex="0"><code>{"".join(parts)}</code></pre></div>'


def _cut(lines: list[str], places: str) -> str:
    """The lines of "3-12" or "3-", counted from one."""
    first, _, last = places.partition("-")
    start, end = int(first), int(last) if last else len(lines)
    if not 1 <= start <= end:
        raise ValueError(f"Got lines={places!r}. Needed: first and last line, counted from one. Correct the page.")
    return "\n".join([*(["..."] if start > 1 else []), *lines[start - 1 : end], *(["..."] if end < len(lines) else [])])


def _line(text: str) -> str:
    """Sentences are wrapped; lines of tables are not."""
    return html.escape(text) if len(text) <= printing.COLUMNS + 4 else f'<span class="long">{html.escape(text)}</span>'


def _formula(source: str, display: str) -> str:
    markup = convert(source.strip(), display=display)
    try:
        ElementTree.fromstring(markup)
    except ElementTree.ParseError as error:
        raise SuperFencesException(f"Got a formula that gives no well-formed MathML ({error}): {source}. Write it otherwise.") from error
    return markup
