"""A solution in a process of its own: what it may do there, where it runs, and what is observed."""
