"""Evidence: one kind a file; each is a function from a case to what it measured and what that speaks for."""
