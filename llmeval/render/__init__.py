"""Reports, diffs and runs in progress, drawn for people."""
