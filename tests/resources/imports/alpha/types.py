raise RuntimeError("alpha/types.py was imported instead of the standard library's")
