"""For coding assistants: what they are told (`skill.md`), and the tools that they call over the Model Context Protocol."""

from __future__ import annotations

from pathlib import Path


def skill() -> str:
    """The text of the skill: how an assistant that ports a model or writes a kernel calls halfulp and reads its answers."""
    return Path(__file__).with_name("skill.md").read_text(encoding="utf-8")


__all__ = ["skill"]
