"""The pages of an audit and a fingerprint: a table each."""

from __future__ import annotations

from ...audits import Audit
from ...audits.findings import KINDS
from ...traces import Fingerprint
from ...words.numbers import counted
from ..text.audits import audit_answer
from .page import Column, Number, Page, Pairs, Section, Table, Words
from .tables import columns_of


def audit_page(audit: Audit) -> Page:
    """The page of an audit."""
    rows = (
        (entry.kind, entry.op, ", ".join(entry.formats), entry.result, entry.detail, entry.count, entry.where or "in a backward pass")
        for entry in audit.entries
    )
    datasets = {"entries": columns_of(rows, "kind", "op", "formats", "result", "detail", "count", "where")}
    columns = (
        Column("kind", "finding"), Column("op", "op", is_code=True), Column("formats", "from"), Column("result", "to"), Column("detail", "what happens"),
        Column("count", "times", True), Column("where", "where", is_code=True),
    )  # fmt: skip
    kinds = tuple((kind, words) for kind, words in KINDS.items() if audit.find(kind))
    sections = (
        Section(
            "findings",
            "The findings",
            (Table("entries", "Where formats change", columns), *([Pairs("What each kind means", kinds)] if kinds else [])),
        ),
    )
    numbers = (Number(f"{len(audit.entries):,}", "findings"), Number(f"{audit.ops:,}", "ops looked at"))
    headline = (
        f"{counted(len(audit.entries), 'place')} where the format changes"
        if audit.entries
        else "The format never changes"
        if audit.ops
        else "Nothing was examined"
    )
    return Page(
        "audit",
        "Where do formats change?",
        headline,
        "plain",
        audit_answer(audit),
        numbers,
        (),
        sections if audit.entries else (),
        datasets,
    )


def fingerprint_page(fingerprint: Fingerprint) -> Page:
    """The page of a fingerprint."""
    sections = tuple(
        Section(f"section-{place}", title, (Pairs(title, tuple(entries.items())),))
        for place, (title, entries) in enumerate(fingerprint.sections.items())
    )
    count = len(fingerprint.surprises)
    surprises = Section("surprises", "Surprises", (Words(fingerprint.surprises or ("None that halfulp knows of.",), is_list=True),))
    return Page(
        "fingerprint", "What decides the bits here?", f"{counted(count, 'surprising setting')}" if count else "No surprising settings", "unsure" if count else "good",
        "Versions, hardware and settings that decide which bits come out.", (Number(str(sum(len(section) for section in fingerprint.sections.values())), "settings"),), (),
        (surprises, *sections),
    )  # fmt: skip
