"""The process that everything runs in, and its children: what is shared by all of it, what is put back, who ends with whom."""
