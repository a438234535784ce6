"""A result as one self-contained HTML page: it opens from disk, asks for nothing, and is the same whenever it is made."""

from .assembly import html_of, page, save_page, snippet

__all__ = ["html_of", "page", "save_page", "snippet"]
