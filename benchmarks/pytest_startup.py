"""What the plugin costs pytest in a project that does not use it: start-up with it ÷ start-up with `-p no:llmeval`.

    python benchmarks/pytest_startup.py [ROUNDS]

Both are measured in turn, in processes of their own, with no other plugin; the CPU time counts, and the best of the
rounds. It needs an installed llmeval. An editable one has no list of files for pytest to read: install a wheel into a
new environment to see what users pay.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from tempfile import TemporaryDirectory

ROUNDS = 15


def seconds(folder: Path, *arguments: str) -> float:
    """Returns the CPU seconds of one `pytest` over one test."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments, str(folder)]
    subprocess.run(command, cwd=folder, env={**os.environ, "PYTEST_ADDOPTS": ""}, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(rounds: int) -> None:
    """Prints both times, their difference and their ratio."""
    others = [f"-pno:{one.name}" for one in entry_points(group="pytest11") if one.name != "llmeval"]
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "test_one.py").write_text("def test_one():\n    assert 1 + 1 == 2\n", encoding="utf-8")
        with_it, without = [], []
        for _ in range(rounds):
            without.append(seconds(folder, *others, "-p", "no:llmeval"))
            with_it.append(seconds(folder, *others))
    best, base = min(with_it), min(without)
    print(f"with llmeval {best * 1000:.1f} ms, with -p no:llmeval {base * 1000:.1f} ms")
    print(f"difference {(best - base) * 1000:.1f} ms, ratio {best / base:.3f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS)
