"""Any text can be shown: nothing invisible, nothing active, never too wide."""

import shlex
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llmeval.render.style import Look
from llmeval.render.text import cell_width, clean, excerpt, fit, one_line, pad, shell_word, shorten, wrap


def test_ordinary_text_of_any_script_is_unchanged():
    text = "Grüße, 你好, שלום, مرحبا, नमस्ते, 🎉 [red]x[/red] :smile:\nsecond line"
    assert clean(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("a\u202eb\u2066c\u200fd", "a\\u202eb\\u2066c\\u200fd"),
        ("a\x00\x07\x7f\x85", "a\\x00\\x07\\x7f\\x85"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("tag\U000e0041", "tag\\U000e0041"),
        ("lone\udc80", "lone\\udc80"),
        ("line\u2028separator", "line\\u2028separator"),
        ("tab\there", "tab    here"),
        ("back\rto\r\nstart", "back\\x0dto\nstart"),
    ],
)
def test_what_would_act_or_hide_is_shown_as_its_escape(text, shown):
    assert clean(text) == shown


def test_one_line_joins_lines_with_a_space():
    assert one_line("a\n  b\t\tc ") == "a b c"


@given(st.text())
@settings(max_examples=200, deadline=None)
def test_one_line_is_one_line_without_control_characters(text):
    shown = one_line(text)
    assert "\n" not in shown
    assert not any(char < " " or "\x7f" <= char < "\xa0" for char in shown)
    assert shown.encode("utf-8").decode("utf-8") == shown


@given(st.text(), st.integers(0, 40), st.booleans(), st.booleans())
@settings(max_examples=200, deadline=None)
def test_fitted_text_is_never_wider_than_asked(text, width, middle, unicode):
    shown = Look(unicode=unicode).fit(one_line(text), width, middle=middle)
    assert cell_width(shown) <= width
    assert len(shown) <= 4 * width + 3


def test_the_middle_is_left_out_so_that_numbered_names_stay_apart():
    assert fit("a-rather-long-case-name-number-017", 18, middle=True) == "a-rather-lon…r-017"
    assert fit("a-rather-long-case-name-number-017", 18) == "a-rather-long-cas…"


def test_wide_characters_count_twice():
    assert cell_width("你好") == 4
    assert pad("你好", 6) == "你好  "
    assert fit("你好世界", 5) == "你好…"


def test_lines_break_at_spaces_and_long_words_anywhere():
    assert wrap("the quick brown fox", 10) == ["the quick", "brown fox"]
    assert wrap("abcdefghij", 4) == ["abcd", "efgh", "ij"]
    assert wrap("a\n\nb", 4) == ["a", "", "b"]


@given(st.text(alphabet=st.sampled_from("ab 你\n")), st.integers(2, 12))
@settings(max_examples=150, deadline=None)
def test_wrapping_loses_nothing_but_spaces(text, width):
    lines = wrap(text, width)
    assert all(cell_width(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace("\n", "").replace(" ", "")


def test_long_text_says_how_much_more_there_is():
    assert shorten("x" * 1500, 500) == "x" * 500 + " … (1,000 more characters)"


def test_an_excerpt_of_data_is_json_and_of_large_data_only_its_beginning():
    assert excerpt({"q": ["é", 1, None]}, 100) == '{"q": ["é", 1, null]}'
    assert excerpt(["word"] * 1_000_000, 20) == '["word", "word", "wo …'


def test_any_name_at_all_can_be_quoted():
    assert shell_word("a\ud800") == "$'a\\xed\\xa0\\x80'"
    assert shell_word("a\udcff") == "$'a\\xff'"


@pytest.mark.parametrize("name", ["plain", "two words", "it's", "a\nb", "\\n", "$HOME `x` !", "[/INST]", "\x1b\u202e'"])
def test_a_shell_reads_a_quoted_name_back(name):
    word = shell_word(name)
    assert "\n" not in word and word.isprintable()
    read = subprocess.run(["bash", "-c", f"printf %s {word}"], capture_output=True, check=True).stdout
    assert read.decode() == name
    if name.isprintable():
        assert shlex.split(word) == [name]
