import json
from base64 import b64encode
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llmeval.cases import Case
from llmeval.jsonable import dumps, freeze
from llmeval.report import Trial
from llmeval.results import ErrorInfo, Probability, Result
from llmeval.secrets import OWN_WORDS, Masker, mask, mask_json, register, register_client

KEY = "sk-CANARY-0123456789abcdef"
AWKWARD = 'pa"ss\\wörd\n\u2028"<€>'


@pytest.fixture
def masker():
    return Masker({"OPENAI_API_KEY": KEY, "HOME": "/home/someone"})


def test_the_value_of_a_key_variable_is_masked_wherever_it_stands(masker):
    assert masker.mask(f"Client(api_key='{KEY}') and again {KEY}") == "Client(api_key='[masked]') and again [masked]"


@pytest.mark.parametrize("name", ["STRIPE_KEY", "github_token", "MySecret", "PGPASSWORD"])
def test_variable_names_that_say_secret_are_found_in_any_case(name):
    assert Masker({name: "correct horse"}).mask("the correct horse") == "the [masked]"


def test_values_under_eight_characters_and_other_variables_stay():
    masker = Masker({"API_KEY": "short12", "HOME": "/home/someone"})
    assert masker.count("short12 in /home/someone") == ("short12 in /home/someone", 0)


def test_text_without_a_secret_comes_back_as_it_is(masker):
    text = "see https://example.test/a?b=c, mail a@b.test, keys and tokens are fine"
    assert masker.mask(text) is text


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Authorization: Bearer abc.DEF-9\nnext", "Authorization: Bearer [masked]\nnext"),
        ("{'Authorization': 'Bearer x'}", "{'Authorization': 'Bearer [masked]'}"),
        ('{"authorization": "Basic dXNlcjpw"}', '{"authorization": "Basic [masked]"}'),
        (
            "[(b'authorization', b'Bearer abc'), (b'accept', b'*')]",
            "[(b'authorization', b'Bearer [masked]'), (b'accept', b'*')]",
        ),
        ("AUTHORIZATION=hunter2hunter2", "AUTHORIZATION=[masked]"),
        ('Authorization: Digest username="u", response="r1"', "Authorization: [masked]"),
        ("x-api-key: sk-ant-1234", "x-api-key: [masked]"),
        ("api-key: 0123456789abcdef", "api-key: [masked]"),
        ("sent bearer eyJhbGciOi.J9 to it", "sent bearer [masked] to it"),
        ("https://user:pass@host.test/v1", "https://[masked]@host.test/v1"),
        ("postgres://u:p%40ss@db:5432/x", "postgres://[masked]@db:5432/x"),
        ("https://ghp_0123456789@github.test", "https://[masked]@github.test"),
        ("https://h.test/?a=1&api_key=k1&b=2", "https://h.test/?a=1&api_key=[masked]&b=2"),
        ("https://h.test/?access_token=k1#top", "https://h.test/?access_token=[masked]#top"),
        ("https://h.test/?X-Amz-Signature=0f&sig=ab", "https://h.test/?X-Amz-Signature=0f&sig=[masked]"),
    ],
)
def test_headers_and_url_credentials_are_masked_whatever_their_value(text, masked):
    assert Masker({}).mask(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "git clone ssh://git@github.test/x",
        "https://host.test/@user/post",
        "https://host.test/?mail=a@b.test",
        "the bearer understands",
        "send the api-key, then wait",
        "max_tokens=100",
    ],
)
def test_ordinary_text_that_looks_similar_stays(text):
    assert Masker({}).mask(text) == text


def test_an_exception_message_with_the_key_in_a_url_is_masked_in_both_places(masker):
    text = f"401 for url https://user:{KEY}@api.example.test/v1?api_key={KEY}"
    assert masker.mask(text) == "401 for url https://[masked]@api.example.test/v1?api_key=[masked]"


def test_a_password_inside_a_url_variable_is_masked_alone_and_as_a_basic_header():
    masker = Masker({"OPENAI_BASE_URL": "https://user:p%40ss-CANARY@gateway.test/v1"})
    basic = b64encode(b"user:p@ss-CANARY").decode()
    assert masker.mask(f"p@ss-CANARY p%40ss-CANARY {basic}") == "[masked] [masked] [masked]"


@pytest.mark.parametrize(
    "write",
    [
        str,
        dumps,
        lambda secret: json.dumps(secret),
        lambda secret: dumps(dumps(secret)),
        lambda secret: json.dumps(json.dumps(secret)),
        repr,
    ],
)
def test_a_secret_with_quotes_and_foreign_letters_is_found_however_it_is_written(write):
    text = write("before " + AWKWARD + " after")
    masked = Masker({"MY_PASSWORD": AWKWARD}).mask(text)
    assert masked == write("before [masked] after")


def test_a_private_key_is_masked_although_a_traceback_indents_it():
    key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0\nBAQEFAASCBKcwggSjAgEAAo\n-----END KEY-----"
    text = "\n".join("    " + line for line in key.splitlines())
    assert "MIIE" not in (masked := Masker({"SIGNING_KEY": key}).mask(text)) and "BAQE" not in masked


def test_of_two_secrets_the_longer_one_is_masked_whole():
    assert Masker({"A_KEY": "abcdefgh", "B_KEY": "abcdefghijkl"}).mask("abcdefghijkl") == "[masked]"


def test_json_is_masked_in_values_and_keys_and_counted(masker):
    value = freeze({"a": [KEY, 1, None, {KEY: "x"}], "b": "fine"})
    masked, count = masker.mask_json({"first": value, "second": "fine"})
    assert masked == {"first": {"a": ["[masked]", 1, None, {"[masked]": "x"}], "b": "fine"}, "second": "fine"}
    assert count == 2


def test_a_masked_key_does_not_overwrite_another(masker):
    other = "sk-CANARY-fedcba9876543210"
    masker = Masker({"A_KEY": KEY, "B_KEY": other})
    assert masker.mask_json({KEY: 1, other: 2}) == ({"[masked]": 1, "[masked] (2)": 2}, 2)


def test_json_without_a_secret_comes_back_as_the_same_object(masker):
    value = {"a": ["https://user@host.test/"]}
    assert masker.mask_json(value) == (value, 0)
    assert masker.mask_json(value)[0] is value


def test_a_header_is_masked_where_name_and_value_are_json_of_their_own(masker):
    value = {"headers": {"Authorization": "opaque", "x-api-key": "k", "Accept": "*/*"}}
    masked = {"headers": {"Authorization": "[masked]", "x-api-key": "[masked]", "Accept": "*/*"}}
    assert masker.mask_json(value) == (masked, 2)


def test_a_secret_number_is_masked_as_text_and_as_a_number():
    masker = Masker({"PIN_TOKEN": "12345678"})
    assert masker.mask_json({"pin": 12345678, "text": "12345678", "ratio": 0.12345678, "n": 5}) == (
        {"pin": "[masked]", "text": "[masked]", "ratio": 0.12345678, "n": 5},
        2,
    )


def test_a_trials_line_is_masked_counted_and_loads_again(masker):
    trial = Trial(
        case=Case("asks", {"key": KEY}),
        output=KEY,
        evaluations=(Result(name="good", value=Probability(0.5), reason=f"it says {KEY}"),),
        error=ErrorInfo(type="RuntimeError", message=KEY, traceback=f"line 1\n{KEY}"),
        masked=2,
    )
    record = json.loads(masker.line(trial.to_dict()))
    assert KEY not in dumps(record)
    assert record["masked"] == 2 + 5
    assert record["error"]["traceback"] == "line 1\n[masked]"


def test_a_trials_line_without_a_secret_is_plain_json(masker):
    record = Trial(case=Case("asks", 1), output="see https://a.test/?q=1").to_dict()
    assert masker.line(record) == dumps(record)


@pytest.mark.parametrize("value", ["evaluations", "fingerprint", "probability", "assertion"])
def test_a_secret_that_is_a_word_of_the_report_does_not_spoil_the_report(value):
    result = Result(name="good", value=Probability(0.5))
    record = Trial(case=Case("asks", 1), evaluations=(result,)).to_dict()
    assert Masker({"MODE_KEY": value}).line(record) == dumps(record)


def test_every_long_key_of_a_trial_is_one_of_the_reports_own_words():
    result = Result(name="good", value=Probability(0.5), minimum=0.5)
    record = Trial(case=Case("asks", 1), evaluations=(result,), error=ErrorInfo(type="E", message="m")).to_dict()
    keys = {*record, *record["case"], *record["evaluations"][0], *record["evaluations"][0]["value"], *record["error"]}
    assert [key for key in keys if len(key) >= 8 and key not in OWN_WORDS.split()] == []


def test_what_is_added_to_the_environment_later_is_learned():
    environ = {"HOME": "/home/someone"}
    masker = Masker(environ)
    assert masker.mask(KEY) == KEY
    environ["LATE_API_KEY"] = KEY
    assert masker.mask(KEY) == "[masked]"


def test_what_is_registered_later_is_learned_by_every_masker(masker):
    secret = "only-given-to-Model-7"
    assert masker.mask(secret) == secret
    register(secret)
    assert masker.mask(secret) == mask(secret) == "[masked]"
    assert mask_json([secret]) == (["[masked]"], 1)


def test_the_keys_of_a_client_object_are_learned(masker):
    url = "https://me:client-url-password@gateway.test/v1"
    register_client(SimpleNamespace(api_key="client-object-key", auth_token=None, base_url=url))
    assert masker.mask("client-object-key client-url-password") == "[masked] [masked]"


def test_a_maskers_repr_shows_no_secret(masker):
    assert KEY not in repr(masker)


@settings(max_examples=150, deadline=None)
@given(
    secret=st.text(min_size=8, max_size=20),
    value=st.recursive(st.text(max_size=5) | st.integers() | st.none(), lambda inner: st.lists(inner, max_size=3)),
)
def test_no_written_form_of_a_secret_survives_and_masking_again_changes_nothing(secret, value):
    masker = Masker({"CANARY_SECRET": secret})
    known = secret.strip()
    record = {"before": value, "secret": f"<{known}>", "again": [known]}
    text = masker.line(record)
    loaded = json.loads(text)
    if len(known) >= 8 and "masked" in loaded:
        assert known not in loaded["secret"] or known in "<[masked]>"
        assert loaded["before"] == value or known in dumps(value)
    assert masker.mask_json(loaded)[1] == 0
