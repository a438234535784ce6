"""The store: results of sweeps as Parquet files in a folder, and questions to it in SQL."""

from __future__ import annotations

from .answer import Answer
from .questions import QUESTIONS, Question
from .records import Finding, Row
from .run_record import RunRecord
from .store import Store
from .writer import Writer

__all__ = ["QUESTIONS", "Answer", "Finding", "Question", "Row", "RunRecord", "Store", "Writer"]
