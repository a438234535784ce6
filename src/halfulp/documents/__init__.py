"""A result as JSON: one kind of document for each, with a schema, checked when it is read."""

from .kinds import KINDS, Kind
from .reader import parsed, read_document, read_result, restored, schema_of
from .writer import document, plain, text_of

__all__ = ["KINDS", "Kind", "document", "parsed", "plain", "read_document", "read_result", "restored", "schema_of", "text_of"]
