"""Off a terminal a run is a line per trial."""

import io
import sys

import pytest
from render_samples import MARKUP, report, trial

from llmeval.events import Note, RunFinished, RunStarted, TrialFinished, TrialStarted
from llmeval.render.console import echo, is_interactive, look_of
from llmeval.render.plain import PlainLines
from llmeval.results import ErrorInfo, Result

RUN = {"run_id": "r1", "evaluation": "support"}


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


class Encoded(io.TextIOWrapper):
    def __init__(self, encoding: str) -> None:
        super().__init__(io.BytesIO(), encoding=encoding, write_through=True)

    def text(self) -> str:
        return self.buffer.getvalue().decode(self.encoding)


def finished(one, completed, total):
    return TrialFinished(
        **RUN, total=total, completed=completed, case=one.case.name, repetition=one.repetition, trial=one
    )


def test_a_run_is_a_line_for_its_beginning_and_one_per_trial():
    stream = io.StringIO()
    lines = PlainLines(stream)
    lines(
        RunStarted(
            **RUN, total=12, resumed=1, dataset="evals/support.yaml", evaluators=["local"], params={"model": "x"}
        )
    )
    lines(Note(**RUN, message="evaluator: local,\nas configured"))
    lines(TrialStarted(**RUN, case="unopened_return", repetition=1))
    lines(finished(trial(), 2, 12))
    lines(finished(trial("damaged item", False, repetition=2, assertion_failure="assert 1 == 2"), 3, 12))
    lines(
        finished(trial("broken", evaluations=(), error=ErrorInfo(type="ValueError", message="x"), duration=75), 12, 12)
    )
    lines(RunFinished(**RUN, report=report([])))
    assert stream.getvalue() == (
        "support: 12 trials (1 finished before) - evals/support.yaml - graded by local - model=x\n"
        "note: evaluator: local, as configured\n"
        "passed       2/12  unopened_return  0.8s\n"
        "failed       3/12  damaged item #2  0.8s  assertion, concise\n"
        "error       12/12  broken  1m15s  ValueError\n"
    )


@pytest.mark.parametrize("text", MARKUP)
def test_a_name_is_shown_as_it_is(text):
    stream = io.StringIO()
    PlainLines(stream)(finished(trial(text, evaluations=(Result(name=text, value=False),)), 1, 1))
    assert stream.getvalue() == f"failed      1/1  {text}  0.8s  {text}\n"


def test_a_closed_stream_silences_the_lines_and_nothing_else():
    stream = io.StringIO()
    lines = PlainLines(stream)
    stream.close()
    lines(finished(trial(), 1, 2))
    lines(finished(trial(), 2, 2))


def test_a_missing_standard_error_is_no_error(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    PlainLines()(finished(trial(), 1, 1))


def test_what_a_stream_cannot_encode_is_written_as_escapes():
    stream = Encoded("ascii")
    echo("naïve ✓", stream)
    assert stream.text() == "na\\xefve \\u2713\n"


def test_signs_of_our_own_are_ascii_where_the_stream_is():
    stream = Encoded("ascii")
    PlainLines(stream)(RunStarted(**RUN, total=1, dataset="a.yaml"))
    assert stream.text() == "support: 1 trial - a.yaml - not graded\n"
    assert not look_of(stream).unicode
    assert look_of(Encoded("utf-8")).unicode


@pytest.mark.parametrize(
    ("environ", "color"),
    [
        ({}, True),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, True),
        ({"TERM": "dumb"}, False),
    ],
)
def test_a_terminal_has_colours_unless_it_is_told_otherwise(environ, color):
    assert look_of(Terminal(), environ).color is color


def test_force_color_means_colours_and_not_a_live_table():
    assert look_of(io.StringIO(), {"FORCE_COLOR": "1"}).color
    assert not look_of(io.StringIO(), {"FORCE_COLOR": "0"}).color
    assert not is_interactive(io.StringIO(), {"FORCE_COLOR": "1"})


@pytest.mark.parametrize(
    ("environ", "interactive"),
    [({"TERM": "xterm"}, True), ({"TERM": "dumb"}, False), ({"CI": "true"}, False), ({"CI": "false"}, True)],
)
def test_a_live_table_needs_a_terminal_that_moves_its_cursor(environ, interactive):
    assert is_interactive(Terminal(), environ) is interactive
    assert not is_interactive(io.StringIO(), environ)


def test_a_log_is_100_columns_wide_unless_columns_says_otherwise(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    assert look_of(io.StringIO()).width == 100
    monkeypatch.setenv("COLUMNS", "60")
    assert look_of(io.StringIO()).width == 60
