"""Dataset files: bytes, framing, and the shape of a document, each mistake with its line and cure."""

from __future__ import annotations

from pathlib import Path

import pytest

from llmeval.datasets import load
from llmeval.errors import DatasetError

FILES = Path(__file__).parent / "resources" / "datasets"


def refusal(path: Path) -> str:
    with pytest.raises(DatasetError) as caught:
        load(path, root=path.parent)
    return str(caught.value)


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize("name", ["bom_crlf.yaml", "bom.json", "bom_crlf.jsonl"])
def test_a_byte_order_mark_and_windows_line_ends_change_nothing(name: str) -> None:
    first, second = load(FILES / name).cases
    assert first.to_dict() == {
        "name": "hello-1",
        "inputs": {"text": "Grüß dich"},
        "expected_output": "hallo",
        "metadata": {},
    }
    assert second.inputs == {"text": "first line\nsecond line\n"}


def test_the_same_data_has_the_same_digest_in_each_format() -> None:
    digests = {load(FILES / name).digest for name in ("bom_crlf.yaml", "bom.json", "bom_crlf.jsonl")}
    assert len(digests) == 1
    assert len(digests.pop()) == 64


def test_the_digest_covers_names_values_and_order(tmp_path: Path) -> None:
    a, b = '{"name": "a", "inputs": 1}\n', '{"name": "b", "inputs": 1}\n'
    texts = [a, b, a + b, b + a, a.replace("1", "1.0"), a.replace("}", ', "expected_output": null}')]
    assert len({load(written(tmp_path, "x.jsonl", text)).digest for text in texts}) == len(texts)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("utf16le.yaml", "utf16le.yaml, line 1, byte offset 0: the file is UTF-16, not UTF-8: save it as UTF-8"),
        ("latin1.yaml", "latin1.yaml, line 3, byte offset 41: byte 0xe9 is not UTF-8 (the file looks like Latin-1"),
        ("latin1.jsonl", "latin1.jsonl, line 2, byte offset 91: byte 0xef is not UTF-8 (the file looks like Latin-1"),
        ("lfs_pointer.jsonl", "lfs_pointer.jsonl, line 1: this is a Git LFS pointer, not the dataset itself: run `git"),
    ],
)
def test_what_is_not_utf_8_text_is_named_with_line_and_byte_offset(name: str, message: str) -> None:
    assert refusal(FILES / name).startswith(message)


def test_the_byte_offset_counts_the_byte_order_mark(tmp_path: Path) -> None:
    path = written(tmp_path, "x.jsonl", b"\xef\xbb\xbf{}\n\xff")
    assert refusal(path).startswith("x.jsonl, line 2, byte offset 6: byte 0xff is not UTF-8")


@pytest.mark.parametrize(
    ("content", "found"),
    [("\ufeffa".encode("utf-16-be"), "UTF-16"), ("\ufeffa".encode("utf-32-le"), "UTF-32"), (b"a\0b\0", "a zero byte")],
)
def test_other_encodings_are_named(tmp_path: Path, content: bytes, found: str) -> None:
    assert found in refusal(written(tmp_path, "x.yaml", content))


def test_wide_characters_arrive_unchanged() -> None:
    case = load(FILES / "utf8_wide.yaml").cases[0]
    assert case.name == "日本語ケース"
    assert case.inputs["question"].endswith("👩\u200d👩\u200d👧")


@pytest.mark.parametrize("suffix", [".yaml", ".yml", ".json", ".jsonl"])
@pytest.mark.parametrize("content", ["", "\n \n", "\ufeff"])
def test_an_empty_file_is_refused(tmp_path: Path, suffix: str, content: str) -> None:
    message = refusal(written(tmp_path, f"x{suffix}", content))
    assert message == f"x{suffix}: the file is empty: a dataset has at least one case"


@pytest.mark.parametrize(
    ("name", "content"),
    [("x.yaml", "cases: []"), ("x.yaml", "[]"), ("x.json", '{"cases": []}'), ("x.json", "[]"), ("x.yaml", "# none\n")],
)
def test_a_dataset_without_cases_is_refused(tmp_path: Path, name: str, content: str) -> None:
    assert "a dataset has at least one" in refusal(written(tmp_path, name, content))


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    (tmp_path / "folder.yaml").mkdir()
    assert refusal(tmp_path / "folder.yaml") == "folder.yaml: this is a folder, not a dataset file"
    assert refusal(tmp_path / "none.json") == "none.json: there is no such file"


@pytest.mark.parametrize(("name", "found"), [("x.csv", "the suffix '.csv'"), ("x", "no suffix")])
def test_an_unknown_format_names_those_there_are(tmp_path: Path, name: str, found: str) -> None:
    message = refusal(written(tmp_path, name, "a"))
    assert message == f"{name}: a dataset is a .yml, .yaml, .json or .jsonl file, and this has {found}"


def test_suffixes_may_be_in_capitals(tmp_path: Path) -> None:
    assert len(load(written(tmp_path, "X.JSON", '[{"name": "a", "inputs": 1}]'))) == 1


def test_blank_lines_in_jsonl_are_ignored() -> None:
    assert [case.name for case in load(FILES / "blank_lines.jsonl")] == ["a", "b", "c", "d"]


def test_jsonl_is_split_at_line_feeds_only(tmp_path: Path) -> None:
    text = "a\u2028b\u2029c\x85d\x0be\x1cf".replace("\x0b", "\\u000b").replace("\x1c", "\\u001c")
    path = written(tmp_path, "x.jsonl", f'{{"name": "a", "inputs": "{text}"}}\n')
    assert load(path).cases[0].inputs == "a\u2028b\u2029c\x85d\x0be\x1cf"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("broken_line.jsonl", "broken_line.jsonl, line 5, column 26: a comma before `}`: remove it"),
        ("array.jsonl", "array.jsonl, line 1: this is a JSON array: rename the file to .json, or write one case on"),
        (
            "pretty.jsonl",
            "pretty.jsonl, line 1: this is JSON objects spread over several lines: write each case on one",
        ),
        ("dataset_on_one_line.jsonl", "dataset_on_one_line.jsonl, line 1: this is a whole dataset on one line: rename"),
        ("trailing_comma.json", "trailing_comma.json, line 3, column 29: a comma before `]`: remove it"),
    ],
)
def test_json_in_another_shape_is_named_with_the_cure(name: str, message: str) -> None:
    assert refusal(FILES / name).startswith(message)


def test_lines_that_are_no_objects_are_all_named() -> None:
    assert refusal(FILES / "not_an_object.jsonl").splitlines() == [
        "not_an_object.jsonl: 3 problems",
        "  line 2, column 1: case 2 is the text 'just a string', not an object with name and inputs",
        "  line 3, column 1: case 3 is a list, not an object with name and inputs",
        "  line 4, column 1: case 4 is null, not an object with name and inputs",
    ]


def test_comments_in_json_are_all_named_with_line_and_column() -> None:
    assert refusal(FILES / "comments.json").splitlines() == [
        "comments.json: 2 problems",
        "  line 1, column 1: a comment, which JSON does not have: remove it",
        "  line 2, column 13: a comment, which JSON does not have: remove it",
    ]


def test_every_broken_line_of_jsonl_is_reported_at_once(tmp_path: Path) -> None:
    lines = ['{"name": "a", "inputs": 1}', '{"name": "b"', "", '{"name": "c", "inputs": 1},', "# old", '{"name": "d"}']
    assert refusal(written(tmp_path, "x.jsonl", "\n".join(lines))).splitlines() == [
        "x.jsonl: 4 problems",
        "  line 2, column 13: not valid JSON: the text ends before the `{` of line 2 is closed",
        "  line 4, column 27: not valid JSON: something after the end of the first value: a line holds one object and "
        "no comma after it",
        "  line 5: a comment, which JSONL does not have: remove the line",
        "  line 6, column 1: case 'd': inputs are missing: write what the application is given (null if it is given "
        "nothing)",
    ]


def test_positions_of_cases_count_broken_lines(tmp_path: Path) -> None:
    path = written(
        tmp_path, "x.jsonl", '{"name": "a", "inputs": 1}\n{"name"\n{"inputs": 1}\n{"name": "a", "inputs": 1}\n'
    )
    lines = refusal(path).splitlines()
    assert lines[2] == "  line 3, column 1: case 3: the name is missing: give each case a name of its own"
    assert lines[3].endswith("case 4 has the name 'a' that case 1 (line 1) has already: rename one of them")


def test_a_jsonl_file_called_json_is_named_with_the_cure(tmp_path: Path) -> None:
    message = refusal(written(tmp_path, "x.json", '{"name": "a", "inputs": 1}\n{"name": "b", "inputs": 1}\n'))
    assert message.startswith("x.json, line 2, column 1: not valid JSON")
    assert message.endswith("one object on each line is JSONL, so rename the file to .jsonl")


@pytest.mark.parametrize("name", ["duplicate_keys.yaml", "duplicate_keys.json", "two_case_lists.yaml"])
def test_duplicate_keys_are_refused_with_both_lines(name: str) -> None:
    assert (
        refusal(FILES / name).splitlines()
        == {
            "duplicate_keys.yaml": [
                "duplicate_keys.yaml: 2 problems",
                "  line 6, column 5: the key 'expected_output' is already there at line 4: keep one of the two",
                "  line 10, column 7: the key 'question' is already there at line 9: keep one of the two",
            ],
            "duplicate_keys.json": [
                "duplicate_keys.json, line 1, column 94: the key 'expected_output' is already there at line 1: keep "
                "one of the two"
            ],
            "two_case_lists.yaml": [
                "two_case_lists.yaml, line 5, column 1: the key 'cases' is already there at line 1: keep one of the two"
            ],
        }[name]
    )


def test_duplicate_keys_are_refused_in_jsonl(tmp_path: Path) -> None:
    path = written(tmp_path, "x.jsonl", '{"name": "a", "inputs": {"q": 1, "q": 2}}')
    assert refusal(path) == "x.jsonl, line 1, column 34: the key 'q' is already there at line 1: keep one of the two"


@pytest.mark.parametrize(
    ("name", "wrap"),
    [
        ("x.yaml", "cases: [{{name: a, inputs: {}}}]"),
        ("x.yml", "[{{name: a, inputs: {}}}]"),
        ("x.json", '{{"cases": [{{"name": "a", "inputs": {}}}]}}'),
        ("x.json", '[{{"name": "a", "inputs": {}}}]'),
        ("x.jsonl", '{{"name": "a", "inputs": {}}}'),
    ],
)
def test_the_depth_of_a_value_is_limited_alike_in_each_format(tmp_path: Path, name: str, wrap: str) -> None:
    deepest, deeper = ("[" * levels + "]" * levels for levels in (100, 101))
    assert len(load(written(tmp_path, name, wrap.format(deepest)))) == 1
    message = refusal(written(tmp_path, name, wrap.format(deeper)))
    assert "nested more than 100 levels deep: write the inner part as text, or flatten it" in message
    assert "line 1, column " in message


@pytest.mark.parametrize("name", ["x.yaml", "x.json", "x.jsonl"])
@pytest.mark.parametrize("opening", ["[", '{"a":', "- "])
def test_endless_nesting_is_refused_quickly(tmp_path: Path, name: str, opening: str) -> None:
    assert refusal(written(tmp_path, name, opening * 50_000))


def test_a_deep_file_is_refused_with_its_place() -> None:
    assert refusal(FILES / "deep_nesting.json").startswith(
        "deep_nesting.json, line 1, column 139: nested more than 100"
    )


def test_more_than_twenty_problems_are_counted(tmp_path: Path) -> None:
    lines = refusal(written(tmp_path, "x.yaml", "cases:\n" + "- 1\n" * 30)).splitlines()
    assert lines[0] == "x.yaml: 30 problems"
    assert lines[20] == "  line 21, column 3: case 20 is the number 1, not an object with name and inputs"
    assert lines[21:] == ["  … and 10 more"]


def test_messages_stay_short_when_values_are_long(tmp_path: Path) -> None:
    assert len(refusal(written(tmp_path, "x.jsonl", f'"{"x" * 100_000}"'))) < 300
    assert len(refusal(written(tmp_path, "y.jsonl", f'{{"name": {"9" * 5000}, "{"k" * 9999}": 1}}'))) < 600


def test_the_name_is_the_files_own_or_its_stem(tmp_path: Path) -> None:
    cases = '"cases": [{"name": "a", "inputs": 1}]'
    assert load(written(tmp_path, "x.json", f'{{"name": "orders", {cases}}}')).name == "orders"
    assert load(written(tmp_path, "x.json", f'{{"name": null, {cases}}}')).name == "x"
    assert load(written(tmp_path, "returns.v2.json", f"{{{cases}}}")).name == "returns.v2"


def test_messages_show_the_path_as_given_or_below_the_root(tmp_path: Path) -> None:
    path = written(tmp_path, "x.yaml", "cases: 1")
    with pytest.raises(DatasetError) as caught:
        load(str(path))
    assert str(caught.value).startswith(f"{path}, line 1, column 1: the cases are the number 1, not a list")
    assert refusal(path).startswith("x.yaml, line 1, column 1: ")
