"""The live table on a real pseudo-terminal, as a terminal shows it in the end."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pexpect
import pyte
import pytest
from render_samples import MARKUP

SCRIPT = str(Path(__file__).parent / "resources" / "live_run.py")
ROOT = str(Path(__file__).parents[1])
BARS = set("█░▸")


def environment(options):
    kept = {key: value for key, value in os.environ.items() if key not in ("CI", "NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    return {**kept, "TERM": "linux", "PYTHONPATH": ROOT, "LIVE_RUN": json.dumps(options)}


class Shown:
    """What a terminal of a size shows of a run; `lines` holds what scrolled off the screen too."""

    def __init__(self, columns=80, rows=24, resize=(), keys=(), env=None, **options):
        self.screen = pyte.HistoryScreen(columns, rows, history=20_000, ratio=0.5)
        stream = pyte.ByteStream(self.screen)
        child = pexpect.spawn(
            sys.executable,
            [SCRIPT],
            dimensions=(rows, columns),
            env={**environment(options), **(env or {})},
            timeout=30,
        )
        self.raw = b""
        sizes, keys = list(resize), list(keys)
        while True:
            try:
                data = child.read_nonblocking(65536, timeout=30)
            except pexpect.EOF:
                break
            self.raw += data
            stream.feed(data)
            if keys and keys[0][0].encode() in self.raw:
                child.sendline(keys.pop(0)[1])
            if sizes and len(self.raw) > 2000 * (len(resize) - len(sizes) + 1):
                columns, rows = sizes.pop(0)
                child.setwinsize(rows, columns)
                self.screen.resize(rows, columns)
        child.close()
        self.status = child.exitstatus

    @property
    def lines(self):
        past = [
            "".join(row[column].data for column in range(max(row, default=-1) + 1)) for row in self.screen.history.top
        ]
        return [line.rstrip() for line in [*past, *self.screen.display]]

    def rows(self, name="case-"):
        return [line for line in self.lines if name in line]


@pytest.mark.parametrize(("columns", "rows"), [(20, 10), (40, 10), (80, 24), (200, 50), (300, 12)])
def test_300_trials_are_a_row_each_and_nothing_of_the_frame_is_left(columns, rows):
    shown = Shown(columns, rows, trials=300, pause=0.001)
    assert [line.split()[0 if columns > 40 else 1] for line in shown.rows()] == [f"case-{n:03}" for n in range(300)]
    assert not BARS & set("".join(shown.lines))
    assert not any("running" in line for line in shown.lines)
    assert [line for line in shown.lines if line][-1] == "the end"
    assert not shown.screen.cursor.hidden
    assert shown.status == 0


def test_a_row_at_80_columns_has_everything():
    shown = Shown(trials=4)
    assert shown.lines[:7] == [
        "support: 4 trials · evals/support.yaml · graded by local",
        "case                      rep status     criteria asserts   time tokens    cost",
        "note: [bold]a note[/]",
        "case-000                   #1 passed     ✓✓             1   0.5s",
        "case-001                   #1 passed     ✓✓             1   0.5s",
        "case-002                   #1 passed     ✓✓             1   0.5s",
        "case-003                   #1 failed     ✗✗             1   0.5s",
    ]


def test_of_10_000_trials_only_some_of_those_that_did_not_pass_stay():
    shown = Shown(trials=10_000, pause=0)
    assert len(shown.rows()) == 100
    assert all("failed" in line for line in shown.rows())
    assert sum("more of them are in the report" in line for line in shown.lines) == 1


def test_long_names_stay_apart_at_40_columns():
    shown = Shown(
        40, 10, trials=30, name="a-rather-long-case-name-number-{:03}", criteria=[f"criterion {n}" for n in range(12)]
    )
    assert len({line.split()[1] for line in shown.rows("a-rath")}) == 30


def test_everything_that_the_application_prints_stands_above_the_row_of_its_trial():
    shown = Shown(trials=20, mode="noisy")
    start = shown.lines.index("print from 0")
    expected = []
    for number in range(20):
        expected += [f"print from {number}", f"stderr from {number}", f"INFO:httpx:request {number}"]
        expected += [f"thread {number}", f"no newline {number}", "row"]
    found = ["row" if line.startswith("case-") else line for line in shown.lines[start : start + len(expected)]]
    assert found == expected


def test_what_a_subprocess_prints_appears_too():
    shown = Shown(trials=5, mode="process")
    assert [line for line in shown.lines if line.startswith("process")] == [f"process {n}" for n in range(5)]


def test_an_application_with_its_own_progress_bar_keeps_it():
    shown = Shown(trials=8, mode="progress", env={"FORCE_COLOR": "1"})
    assert [line.split()[1] for line in shown.rows("bar ")] == [str(n) for n in range(8)]
    assert all("100%" in line for line in shown.rows("bar "))
    assert len(shown.rows()) == 8
    assert "LiveError" not in shown.raw.decode()


@pytest.mark.parametrize("sizes", [[(40, 24), (120, 30)], [(20, 24), (80, 30)]])
def test_resizing_leaves_no_old_frames(sizes):
    shown = Shown(100, 24, resize=sizes, trials=60, pause=0.012)
    names = [line.removeprefix("✓ ").removeprefix("✗ ").split()[0] for line in shown.rows()]
    assert names == [f"case-{n:03}" for n in range(60)]
    assert not BARS & set("".join(shown.lines))


@pytest.mark.parametrize("mode", ["raise", "kill"])
def test_the_cursor_is_visible_however_the_run_ends(mode):
    shown = Shown(trials=6, mode=mode, pause=0.02)
    assert not shown.screen.cursor.hidden
    assert shown.status != 0
    if mode == "raise":
        assert [line for line in shown.lines if line][-1].startswith("KeyboardInterrupt")
        assert not BARS & set("".join(shown.lines))


def test_a_debugger_gets_the_terminal_and_plain_lines_go_on():
    shown = Shown(trials=6, mode="debug", keys=[("(Pdb)", "p 6 * 7"), ("42", "c")])
    assert "42" in shown.lines
    assert any(
        "application()" in line and "time.sleep(pause)" not in line for line in shown.lines if line.startswith("> ")
    )
    assert "failed      4/6  case-003  0.5s  correctness, concise" in shown.lines
    assert "passed      6/6  case-005  0.5s" in shown.lines


@pytest.mark.parametrize("text", MARKUP)
def test_a_name_means_nothing_to_the_table(text):
    shown = Shown(200, 24, trials=1, name=text.replace("{", "{{"), criteria=[text])
    assert any(line.startswith(text) for line in shown.lines)


@pytest.mark.parametrize(
    "name",
    ["你好世界" * 20, "👩\u200d👩\u200d👧 family", "e\u0301" * 60, "\u202ebidi\x1b[2J", "❤\ufe0f", "שלום", "a\nb"],
)
def test_names_of_any_script_take_one_row(name):
    shown = Shown(trials=3, name=name.replace("{", "{{"))
    rows = [line for line in shown.lines if " passed " in line]
    assert len(rows) == 3
    assert all(line.endswith("0.5s") for line in rows)
    assert not BARS & set("".join(shown.lines))


def test_what_the_terminal_cannot_encode_is_escaped():
    shown = Shown(trials=1, name="naïve", env={"PYTHONIOENCODING": "ascii"})
    assert shown.raw.isascii()
    assert any(line.startswith("na\\xefve") for line in shown.lines)


def test_no_color_has_no_colours_and_ascii_terminals_get_ascii():
    shown = Shown(trials=4, env={"NO_COLOR": "1", "PYTHONIOENCODING": "ascii"})
    assert b"\x1b[3" not in shown.raw
    assert shown.raw.isascii()
    assert len(shown.rows()) == 4


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
def test_a_terminal_that_wraps_lines_anew_shows_no_old_frames_either(tmp_path):
    def tmux(*words):
        command = ["tmux", "-f", "/dev/null", "-S", str(tmp_path / "socket"), *words]
        return subprocess.run(command, capture_output=True, text=True, check=True, env=environment({})).stdout

    run = f"LIVE_RUN='{json.dumps({'trials': 60, 'pause': 0.014})}' exec {sys.executable} {SCRIPT}; sleep 9"
    tmux("new-session", "-d", "-x", "120", "-y", "24", f'sh -c "{run.replace(chr(34), chr(92) + chr(34))}"; sleep 9')
    try:
        for columns, lines in (("60", "24"), ("120", "12"), ("45", "30")):
            time.sleep(0.3)
            tmux("resize-window", "-x", columns, "-y", lines)
        for _ in range(40):
            text = tmux("capture-pane", "-p", "-J", "-S", "-")
            if "the end" in text:
                break
            time.sleep(0.05)
    finally:
        tmux("kill-server")
    rows = [line for line in text.splitlines() if "case-" in line]
    assert sorted({line.removeprefix("✓ ").removeprefix("✗ ").split()[0] for line in rows}) == [
        f"case-{n:03}" for n in range(60)
    ]
    assert len(rows) == 60
    assert not BARS & set(text)
