"""Markdown, JUnit XML and CSV: bounded, accepted by their readers, and inert."""

import csv
import html
import io
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt
from render_samples import MARKUP, PRICED, report, trial

from llmeval.render.csv import COLUMNS, csv_text
from llmeval.render.junit import junit_text
from llmeval.render.markdown import markdown_text
from llmeval.render.summary import verdict_figures
from llmeval.results import Choice, ErrorInfo, Probability, Result, Score
from llmeval.trials import NotRun

ACTIVE = [
    *MARKUP,
    "@someone #12 https://evil.example.test",
    "a|b `c` ``` d",
    "</details></summary>",
    "**x** _y_ ![i](u)",
]


def mixed():
    return report(
        [
            trial("fine"),
            trial("bad", False, repetition=2, assertion_failure="assert 1 == 2"),
            trial(
                "broken", evaluations=(), error=ErrorInfo(type="ValueError", message="boom", traceback="Traceback x")
            ),
            trial("unknown", evaluations=(Result(name="correctness", value=None, reason="Cannot tell."),)),
        ],
        not_run=(NotRun("later", 1, "the budget is spent"),),
    )


def test_markdown_whole():
    assert markdown_text(report([trial("fine"), trial("bad", False, repetition=2, task_usage=PRICED)])) == (
        "### `support`: failed\n"
        "\n"
        "1 of 2 passed, 1 failed · 50% (95% interval 9.5% to 90.5%) · 12.3s\n"
        "\n"
        "| criterion | rate | passed | failed |\n"
        "| --- | --- | --- | --- |\n"
        "| `correctness` | 100% of 2 | 2 |   |\n"
        "| `concise` | 50% of 2 | 1 | 1 |\n"
        "\n"
        "- `application: 1 request · 1,200 in (800 cached), 34 out · cost $0.0012`\n"
        "\n"
        "<details><summary>failed: <code>bad</code> (repetition 2)</summary>\n"
        "\n"
        "`concise`: `fail`\n"
        "\n"
        "```text\n"
        "It promises a refund within 3 days.\n"
        "```\n"
        "\n"
        "output\n"
        "\n"
        "```text\n"
        "Yes, within 30 days.\n"
        "```\n"
        "\n"
        "```sh\n"
        "llmeval run support --only bad\n"
        "```\n"
        "\n"
        "</details>\n"
    )


@pytest.mark.parametrize("text", ACTIVE)
def test_markdown_shows_any_text_as_it_is_and_links_nothing(text):
    one = trial(text, evaluations=(Result(name=text, value=False, reason=text),), output=text)
    made = report([one, trial()], name=text, notes=(text,))
    tokens = MarkdownIt("gfm-like", {"linkify": False, "html": True}).parse(markdown_text(made))
    flat = [token for outer in tokens for token in (outer, *(outer.children or ()))]
    assert not {token.type for token in flat} & {"link_open", "image", "strong_open", "em_open", "html_inline"}
    blocks = {token.content.strip() for token in flat if token.type == "html_block"}
    folded = f"<details><summary>failed: <code>{html.escape(text)}</code></summary>"
    assert blocks == {folded, "</details>"}
    spans = [token.content for token in flat if token.type == "code_inline"]
    assert spans.count(text) >= 4
    assert [token.content for token in flat if token.type == "fence"][:2] == [f"{text}\n"] * 2
    assert len([token for token in flat if token.type == "th_open"]) == 4


def test_markdown_fits_a_comment_and_says_what_is_left_out():
    failing = [trial(f"case-{number}", False, output="x" * 5_000) for number in range(500)]
    text = markdown_text(report(failing, notes=("n" * 10_000,) * 100))
    assert 50_000 < len(text) <= 60_000
    shown = text.count("<details>")
    assert text.count("</details>") == shown
    assert text.endswith(f"\n{500 - shown} more trials did not pass.\n")


def test_junit_has_a_test_case_per_trial():
    suite = ElementTree.fromstring(junit_text(mixed())).find("testsuite")
    assert {key: suite.get(key) for key in ("name", "tests", "failures", "errors", "skipped", "time")} == {
        "name": "support",
        "tests": "5",
        "failures": "2",
        "errors": "1",
        "skipped": "1",
        "time": "12.300",
    }
    cases = {case.get("name"): case for case in suite.iter("testcase")}
    assert list(cases) == ["fine", "bad #2", "broken", "unknown", "later"]
    assert list(cases["fine"]) == []
    assert cases["bad #2"].find("failure").get("message") == "assertion: failed - assert 1 == 2"
    assert "concise: fail\nIt promises a refund within 3 days." in cases["bad #2"].find("failure").text
    assert cases["broken"].find("error").get("message") == "error: ValueError - boom"
    assert cases["unknown"].find("failure").get("type") == "unassessed"
    assert cases["later"].find("skipped").get("message") == "the budget is spent"


def test_a_junit_parser_reads_it():
    junitparser = pytest.importorskip("junitparser")
    suite = next(iter(junitparser.JUnitXml.fromstring(junit_text(mixed()).encode())))
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (5, 2, 1, 1)
    assert [case.name for case in suite] == ["fine", "bad #2", "broken", "unknown", "later"]


def test_junit_holds_any_text():
    nasty = "]]> <a b='\"&> \x00\x1b\ud800\ufffe"
    one = trial(nasty, evaluations=(Result(name=nasty, value=False, reason=nasty),), output=nasty)
    case = next(ElementTree.fromstring(junit_text(report([one], name=nasty)).encode()).iter("testcase"))
    assert case.get("name") == "]]> <a b='\"&> \\x00\\x1b\\ud800\ufffd"
    assert "]]> <a b='\"&> \\x00\\x1b\\ud800\ufffd" in case.find("failure").text


def rows_of(made):
    return list(csv.DictReader(io.StringIO(csv_text(made), newline="")))


def test_csv_has_a_row_per_trial_and_criterion():
    one = trial(
        "a",
        inputs={"q": "x,y"},
        expected=None,
        metadata={"k": 1},
        evaluations=(
            Result(name="p", value=Probability(0.25), minimum=0.5, reason='says "no",\nclearly', model="m"),
            Result(name="s", value=Score(2.0)),
            Result(name="c", value=Choice("refund")),
            Result(name="e", error=ErrorInfo(type="EvaluatorError", message="refused")),
            Result(name="u"),
        ),
        not_applicable=("z",),
        task_usage=PRICED,
    )
    rows = rows_of(report([one, trial("b", evaluations=(), output=["x"])]))
    assert [(row["criterion"], row["criterion_status"], row["value"]) for row in rows] == [
        ("p", "failed", "0.25"),
        ("s", "measured", "2.0"),
        ("c", "measured", "refund"),
        ("e", "error", ""),
        ("u", "unassessed", ""),
        ("z", "not applicable", ""),
        ("", "", ""),
    ]
    first = rows[0]
    assert (first["inputs"], first["expected_output"], first["metadata"]) == ('{"q": "x,y"}', "null", '{"k": 1}')
    assert (first["reason"], first["minimum"], first["model"]) == ('says "no",\nclearly', "0.5", "m")
    assert (first["input_tokens"], first["task_cost"], first["evaluator_cost"]) == ("1200", "0.0012", "")
    assert rows[6]["output"] == '["x"]' and rows[6]["status"] == "measured"
    assert csv_text(report([])) == ",".join(COLUMNS) + "\r\n"


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_spreadsheet_takes_no_text_for_a_formula(text):
    row = rows_of(report([trial(text, output=text, evaluations=(Result(name=text, value=Score(-1)),))]))[0]
    assert row["case"] == row["criterion"] == row["output"] == f"'{text}"
    assert row["value"] == "-1"


def test_csv_holds_any_text():
    nasty = 'a\x00b\ud800"\n,é'
    assert rows_of(report([trial(nasty, output=nasty)]))[0]["output"] == 'a\\x00b\\ud800"\n,é'
    csv_text(report([trial(nasty)])).encode()


def test_all_exports_have_the_same_figures():
    made = mixed()
    assert verdict_figures(made) in markdown_text(made)
    assert sum(row["status"] == "passed" for row in rows_of(made)) == 2
    assert 'failures="2" errors="1"' in junit_text(made)
