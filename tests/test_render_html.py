"""The HTML page, read as a file and used in a real browser."""

import html
import json
import re
import shutil
from dataclasses import replace

import pytest
from render_samples import MARKUP, PRICED, report, trial

from llmeval.diff import compare
from llmeval.render.diff_figures import cells, sentence
from llmeval.render.diff_text import diff_text
from llmeval.render.html import diff_page, report_page
from llmeval.render.html.charts import bins, histogram, rates
from llmeval.render.show import slices
from llmeval.render.style import Look
from llmeval.render.summary import verdict_figures
from llmeval.report import Report
from llmeval.results import Choice, ErrorInfo, Result, Score

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
needs_browser = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="chromium and its driver are not installed")
pytestmark = pytest.mark.xdist_group("chromium")

EVIL = [
    *MARKUP,
    "<img src=x onerror='window.hacked=1'>",
    "</script><script>window.hacked=1</script>",
    "<!--<script>window.hacked=1",
    "javascript:window.hacked=1",
    "{{title}} {{data}}",
    "a\u202eb\u2066c\u200bd\x1b[31m\x00\ud800",
    "'\"><svg onload=window.hacked=1>",
]
CHAT = {
    "messages": [
        {"role": "user", "content": "Where is A-1?"},
        {
            "role": "assistant",
            "tool_calls": [{"id": "1", "name": "lookup_order", "arguments": {"id": "A-1"}, "result": {"days": 12}}],
        },
        {"role": "assistant", "content": "It is on its way."},
    ],
    "completeness": "complete",
}


def evil_report():
    trials = [
        trial(
            text,
            inputs={text: text},
            expected=text,
            output=text,
            metadata={text: text},
            evaluations=(
                Result(name=text, value=False, reason=text, model=text),
                Result(name="kind", value=Choice(text)),
            ),
            assertion_failure=text,
            params={text: text},
        )
        for text in EVIL
    ]
    return report(trials, id=EVIL[0], name=EVIL[10], notes=tuple(EVIL), params={text: text for text in EVIL})


def made_report(number=30):
    trials = []
    for index in range(number):
        passed = index % 5 != 0
        results = (
            Result(
                name="correctness", value=passed, reason="Right." if passed else "It says 14 days.", model="gpt-6-luna"
            ),
            Result(name="quality", value=Score(1.0 + index % 3), minimum=1.0),
        )
        trials.append(
            trial(
                f"case-{index:03}",
                inputs={"question": f"Where is A-{index}?"},
                expected="It is on its way.",
                metadata={"category": ("returns", "refunds")[index % 2], "tags": ["vip"] if index % 3 else []},
                evaluations=results,
                output=f"Answer {index}",
                evidence=CHAT if index == 1 else f"Answer {index}",
                duration=index / 10,
                task_usage=PRICED,
                not_applicable=("polite",) if index == 2 else (),
            )
        )
    trials[4:5] = [broken()]
    return report(trials, environment={"commit": "abcdef0123"}, notes=("evaluator: local",))


def broken():
    return trial(
        "case-004",
        evaluations=(),
        output=None,
        error=ErrorInfo(type="ValueError", message="boom", traceback="Traceback\n  File shop.py\nValueError: boom"),
    )


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])


def test_the_page_holds_every_trial_as_data():
    page = report_page(made_report())
    trials = data_of(page)["trials"]
    assert [one["name"] for one in trials] == [f"case-{n:03}" for n in range(30)]
    assert trials[1]["output"] == CHAT
    assert trials[2]["output"] == "Answer 2"
    assert "output" not in trials[4]


def test_the_page_loads_nothing():
    page = report_page(made_report())
    assert not re.findall(r"(?:src|href)=(?![\"']?#)", page.split("<script>")[0].split('id="data"')[0])
    assert "default-src 'none'" in page
    assert "http" not in page.replace("http-equiv", "")


def test_what_a_report_holds_never_ends_the_data_or_fills_the_template():
    page = report_page(evil_report())
    assert page.count("</script>") == 2
    assert [one["name"] for one in data_of(page)["trials"]] == EVIL
    assert "<img" not in page and "<svg onload" not in page


def test_the_figures_are_those_of_the_terminal():
    made = made_report()
    page = report_page(made)
    counts, rate, time = verdict_figures(made).split(" · ")
    for figure in (counts, rate, time):
        assert f"<dd>{figure}</dd>" in page


def test_charts_show_rates_with_their_denominator_and_interval():
    made = made_report()
    drawn = rates("Pass rate by category", slices(made, "metadata.category"))
    assert "80% of 15" in drawn and "78.6% of 14" in drawn and "n/a of 1" in drawn
    assert drawn.count('class="interval"') == 2
    assert 'role="img"' in drawn and "refunds: 12 of 15 passed, 3 failed" in drawn
    assert rates("one", {"x": made.summary}) == ""


def test_a_histogram_has_its_minimum_and_says_its_values():
    drawn = histogram("quality", [0.1, 0.2, 0.2, 0.9], lambda number: f"{number:g}", 0.5)
    assert "4 values from 0.1 to 0.9, median 0.2, minimum 0.5" in drawn
    assert 'class="minimum"' in drawn
    assert histogram("same", [1.0, 1.0], str) == ""
    assert bins([0, 0.5, 1, 1], 0, 1, 4) == [1, 0, 1, 2]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    webdriver = pytest.importorskip("selenium.webdriver")
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    flags = "headless no-sandbox disable-gpu disable-quic no-first-run disable-background-networking"
    flags += " disable-component-update disable-sync window-size=1280,1000"
    for flag in flags.split():
        options.add_argument(f"--{flag}")
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('profile')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield started
    started.quit()


@pytest.fixture
def opened(browser, tmp_path):
    def open_page(made):
        path = tmp_path / "page.html"
        path.write_text(report_page(made) if isinstance(made, Report) else diff_page(made), encoding="utf-8")
        browser.get(f"file://{path}")
        return Page(browser)

    return open_page


class Page:
    """A page in the browser, as a person uses it."""

    def __init__(self, browser):
        self.browser = browser

    def js(self, code):
        return self.browser.execute_script(code)

    def one(self, selector):
        return self.browser.find_element("css selector", selector)

    def all(self, selector):
        return self.browser.find_elements("css selector", selector)

    @property
    def names(self):
        return [one.text for one in self.all("#trials .name")]

    @property
    def count(self):
        return self.one("#count").text

    def choose(self, name, value):
        self.js(f"""
            const field = document.getElementById({json.dumps(name)});
            field.value = {json.dumps(value)};
            field.dispatchEvent(new Event("input", {{bubbles: true}}));
        """)
        self.wait()

    def wait(self):
        self.browser.execute_async_script("setTimeout(arguments[0], 120)")

    def problems(self):
        return [entry["message"] for entry in self.browser.get_log("browser")]


@needs_browser
def test_markup_scripts_and_bidi_controls_stay_text(opened):
    page = opened(evil_report())
    page.js("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    page.wait()
    assert page.js("return window.hacked") is None
    assert page.problems() == []
    assert page.js("return document.querySelectorAll('img, main svg[onload], main script').length") == 0
    text = page.js("return document.body.textContent")
    for one in EVIL[:-2]:
        assert one in text
    assert "a\\u202eb\\u2066c\\u200bd\\x1b[31m\\x00\\ud800" in page.names
    shown = page.js("return document.querySelector('main').innerText")
    assert not set("\u202e\u2066\u200b\x1b") & set(shown)


@needs_browser
def test_searching_looks_into_inputs_outputs_and_reasons(opened):
    page = opened(made_report())
    assert page.count == "All 30 trials"
    page.one("#text").send_keys("ANSWER 17")
    page.wait()
    assert page.names == ["case-017"]
    assert page.count == "1 of 30 trials, 1 of these passed"
    page.choose("text", "14 days")
    assert page.count == "6 of 30 trials, 0 of these passed"
    page.choose("text", "nowhere to be found")
    assert page.count == "0 of 30 trials, 0 of these passed"


@needs_browser
def test_filters_by_status_criterion_and_metadata_work_together(opened):
    page = opened(made_report())
    page.one("#status input[value=passed]").click()
    page.wait()
    assert page.names == ["case-000", "case-004", "case-005", "case-010", "case-015", "case-020", "case-025"]
    page.choose("criterion", "correctness")
    page.choose("outcome", "failed")
    assert page.names == ["case-000", "case-005", "case-010", "case-015", "case-020", "case-025"]
    page.choose("key", "category")
    page.choose("value", "=refunds")
    assert page.names == ["case-005", "case-015", "case-025"]
    page.choose("order", "slowest")
    assert page.names == ["case-025", "case-015", "case-005"]
    page.browser.refresh()
    assert page.names == ["case-025", "case-015", "case-005"]


@needs_browser
def test_a_criterion_that_does_not_apply_can_be_found(opened):
    page = opened(made_report())
    page.choose("criterion", "polite")
    page.choose("outcome", "not applicable")
    assert page.names == ["case-002"]


@needs_browser
def test_a_trial_opens_with_all_that_is_known_of_it(opened):
    page = opened(made_report())
    for index in (0, 1, 4):
        page.all("#trials summary")[index].click()
    page.wait()
    failed, chat, error = [page.all("#trials > li")[index].text for index in (0, 1, 4)]
    for part in ("Where is A-0?", "It is on its way.", "Answer 0", "It says 14 days.", "gpt-6-luna", "1, at least 1"):
        assert part in failed
    assert "llmeval run support --only case-000" in failed
    assert [one.text for one in page.all("#trials .message .role")] == ["user", "assistant", "assistant"]
    assert 'calls lookup_order({\n "id": "A-1"\n})' in chat and '"days": 12' in chat
    assert "ValueError: boom" in error and "output" not in error


@needs_browser
def test_the_keyboard_is_enough(opened):
    page = opened(made_report())
    page.browser.switch_to.active_element.send_keys("/")
    page.browser.switch_to.active_element.send_keys("Answer 7")
    page.wait()
    assert page.names == ["case-007"]
    page.js("document.querySelector('#trials summary').focus()")
    page.browser.switch_to.active_element.send_keys("\ue007")
    page.wait()
    assert "Where is A-7?" in page.one("#trials > li").text


@needs_browser
def test_a_screen_reader_finds_names_and_labels(opened):
    page = opened(made_report())
    unlabelled = "return [...document.querySelectorAll('input, select')].filter((one) => !one.labels.length).length"
    assert page.js(unlabelled) == 0
    assert page.js("return [...document.querySelectorAll('main svg')].every((one) => one.getAttribute('aria-label'))")
    assert page.js("return document.documentElement.lang") == "en"
    assert page.one("#count").get_attribute("aria-live") == "polite"
    assert [one.text for one in page.all("h1")] == ["support"]


@needs_browser
def test_it_is_light_and_dark(opened):
    page = opened(made_report(5))
    found = {}
    for scheme in ("light", "dark"):
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        found[scheme] = page.js("return getComputedStyle(document.body).backgroundColor")
    assert found == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 28)"}


@needs_browser
def test_many_trials_come_in_pages(opened):
    page = opened(made_report(1_000))
    assert len(page.all("#trials > li")) == 100
    page.js("document.getElementById('more').click()")
    assert len(page.all("#trials > li")) == 200
    page.choose("text", "case-999")
    assert page.names == ["case-999"]
    assert not page.one("#more").is_displayed()


def made_diff():
    before = made_report()
    after = [replace(one, output=f"{one.output}, really", evaluations=()) for one in made_report().trials[5:]]
    right = (
        Result(name="correctness", value=True, reason="Right."),
        Result(name="quality", value=Score(1), minimum=1.0),
    )
    wrong = (Result(name="correctness", value=False, reason="Wrong."), *right[1:])
    graded = [replace(one, evaluations=wrong if index % 3 else right) for index, one in enumerate(after)]
    return compare(before, report([*graded, trial("new one", False, inputs="new")], id="r2"), by="metadata.category")


def test_the_figures_of_a_diff_are_those_of_the_terminal():
    diff = made_diff()
    page, text = html.unescape(diff_page(diff)), diff_text(diff, Look(width=400))
    assert sentence(diff) in text and f">{sentence(diff)}</p>" in page
    for one in (*diff.criteria, *diff.slices):
        for cell in filter(None, cells(one)):
            assert f"<td>{cell}</td>" in page
            assert cell in text


def test_a_diff_of_anything_never_ends_the_data():
    page = diff_page(compare(evil_report(), replace(evil_report(), trials=evil_report().trials[1:])))
    assert page.count("</script>") == 2
    assert "<img" not in page and "<svg onload" not in page


@needs_browser
def test_both_sides_of_a_case_stand_side_by_side_with_the_words_that_differ_marked(opened):
    page = opened(made_diff())
    assert page.problems() == []
    page.choose("text", "case-006")
    assert page.names == ["case-006"]
    page.one("#trials summary").click()
    page.wait()
    assert [one.text for one in page.all("#trials del")] == ["Right"]
    assert [one.text.strip() for one in page.all("#trials ins")] == ["Wrong", ", really"]
    left, right = page.all("#trials .sides")[0].find_elements("css selector", "pre")
    assert left.rect["y"] == right.rect["y"] and left.rect["x"] < right.rect["x"]


@needs_browser
def test_cases_are_filtered_by_what_became_of_them(opened):
    page = opened(made_diff())
    for box in page.all("#status input"):
        if box.is_displayed() and box.get_attribute("value") != "new and not passing":
            box.click()
    page.wait()
    assert page.names == ["new one"]
