"""Words: how numbers are written, and how texts from outside are shown. Nothing here knows a result."""
