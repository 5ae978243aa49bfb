"""Evaluators: what grades a trial."""
