"""Results as text: for a terminal, a log, a failing test."""
