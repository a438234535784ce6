"""The verdicts of many cases for other programs: JUnit XML, GitHub annotations, SARIF, Markdown."""

from .github import workflow_commands
from .junit_xml import junit
from .markdown_summary import markdown
from .sarif_json import sarif

__all__ = ["junit", "markdown", "sarif", "workflow_commands"]
