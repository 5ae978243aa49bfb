"""How long llmeval takes to start, beside importing the libraries that its command line needs.

    python benchmarks/startup.py

The ratio for `llmeval cases support` is to be at most 2.2.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).parent.parent
ROUNDS = 15
BASELINE = ("-c", "import typer, rich, yaml")
COMMANDS = {
    'python -c ""': ("-c", ""),
    "python -c 'import llmeval'": ("-c", "import llmeval"),
    "llmeval cases support": ("-m", "llmeval", "cases", "support"),
    "llmeval list": ("-m", "llmeval", "list"),
    "llmeval run title_formatting": ("-m", "llmeval", "run", "title_formatting"),
    "llmeval --help": ("-m", "llmeval", "--help"),
}


def main() -> None:
    """Prints the best of several starts of each command, and its ratio to the baseline, taken in turns with it."""
    baseline, best = float("inf"), dict.fromkeys(COMMANDS, float("inf"))
    for _ in range(ROUNDS):
        baseline = min(baseline, seconds(BASELINE))
        for name, command in COMMANDS.items():
            best[name] = min(best[name], seconds(command))
    print(f"{baseline * 1000:6.0f} ms          python -c 'import typer, rich, yaml'  (the baseline)")
    for name, found in best.items():
        print(f"{found * 1000:6.0f} ms  {found / baseline:5.2f} x  {name}")


def seconds(arguments: tuple[str, ...]) -> float:
    """Returns how long Python takes for `arguments`, from start to exit."""
    begun = perf_counter()
    subprocess.run([sys.executable, *arguments], cwd=ROOT, env=environment(), capture_output=True, check=True)
    return perf_counter() - begun


def environment() -> dict[str, str]:
    """Returns this environment with llmeval importable from anywhere."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}


if __name__ == "__main__":
    main()
