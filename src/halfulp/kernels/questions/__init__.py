"""What a solution is asked beyond the given inputs."""
