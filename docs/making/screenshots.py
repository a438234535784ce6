"""Photographs the pages of question 3 and of a planted mistake for the documentation: python docs/making/screenshots.py

First screens at 360, 1024 and 1920 pixels, light and dark, by Chromium.
"""

import copy
import importlib.util
import shutil
import tempfile
from pathlib import Path

import torch
from playwright.sync_api import sync_playwright
from torch import nn

import halfulp
from halfulp.reports.pages import save_page

FOLDER = Path(__file__).parents[1] / "figures"
SIZES = ((360, 780), (1024, 900), (1920, 1080))


class Block(nn.Module):
    """A residual block."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(64)
        self.up = nn.Linear(64, 128)
        self.down = nn.Linear(128, 64)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The block."""
        return x + self.down(torch.relu(self.up(self.norm(x))))


def results() -> dict[str, object]:
    """What is photographed."""
    file = Path(__file__).parents[2] / "examples" / "question_3_linear.py"
    specification = importlib.util.spec_from_file_location("question_3", file)
    question = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(question)
    torch.manual_seed(0)
    right = nn.Sequential(*(Block() for _ in range(12)))
    wrong = copy.deepcopy(right)
    wrong[7].norm.eps = 1e-3
    return {
        "check": halfulp.check(question.actual, question.expected, question.inputs(0), closeups=True),
        "growth": halfulp.growth(question.actual, question.expected, question.inputs),
        "locate": halfulp.locate(wrong, right, (torch.randn(8, 64),)),
    }


def main() -> None:
    """Photograph."""
    FOLDER.mkdir(exist_ok=True)
    path = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        )
        for name, result in results().items():
            file = save_page(result, Path(folder) / f"{name}.html")
            for width, height in SIZES:
                for scheme in ("light", "dark"):
                    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
                    page.goto(f"file://{file}")
                    while not page.evaluate("() => document.documentElement.dataset.drawn"):
                        page.wait_for_timeout(50)
                    page.screenshot(path=FOLDER / f"{name}-{width}-{scheme}.png")
                    page.close()
        browser.close()


if __name__ == "__main__":
    main()
