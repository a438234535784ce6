"""The questions that a solution is asked beyond the given inputs."""
