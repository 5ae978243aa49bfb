"""A small shop with a support desk: the application that the evaluations in this folder run."""
