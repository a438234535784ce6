"""Backends in processes and environments of their own: how they are made, talked to, watched and restarted."""
