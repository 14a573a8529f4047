"""Secrets are masked, ordinary failures are left as they are, and hostile text takes no time."""

import time

import pytest

from tests.parse.test_corpus import READABLE, body_of
from triage.parse.redaction import Redactor
from triage.parse.upload import read_upload

LETTERS = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6"
KEY = (
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA1234\nE   abc=\n-----END RSA PRIVATE KEY-----"
)
MEGABYTE = 2**20


def redact(text: str, *patterns: str) -> str:
    return Redactor(patterns).redact(text)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f"key sk-proj-{LETTERS} refused", "key [redacted:api-key] refused"),
        (f"'sk-ant-api03-{LETTERS}'", "'[redacted:api-key]'"),
        (f"x\\nghp_{LETTERS}", "x\\n[redacted:api-key]"),
        (f"github_pat_{LETTERS}", "[redacted:api-key]"),
        ("xoxb-1234567890-abcdef", "[redacted:api-key]"),
        ("AKIAIOSFODNN7EXAMPLE", "[redacted:api-key]"),
        (f"AIza{LETTERS}abc", "[redacted:api-key]"),
        (f"sk_live_{LETTERS}", "[redacted:api-key]"),
        (f"tbk_{LETTERS}", "[redacted:api-key]"),
        ("curl -H 'Authorization: Bearer abc123'", "curl -H 'Authorization: [redacted:header]'"),
        ("authorization: Basic dXNlcjpwYXNz", "authorization: [redacted:header]"),
        ("Cookie: session=abc; theme=dark\nok", "Cookie: [redacted:header]\nok"),
        ("sent bearer abcdef123456", "sent bearer [redacted:token]"),
        ("eyJhbGciOiJI.eyJzdWIiOiIx.abc_def-", "[redacted:web-token]"),
        ("OPENAI_API_KEY=abcdef123", "OPENAI_API_KEY=[redacted:secret]"),
        ('{"api_key": "abc"}', '{"api_key": "[redacted:secret]"}'),
        ('{\\"api_key\\": \\"abc\\"}', '{\\"api_key\\": \\"[redacted:secret]\\"}'),
        ("password: hunter22, next", "password: [redacted:secret], next"),
        ("password='correct horse'", "password='[redacted:secret]'"),
        ("token='a8f7b6c5d4'", "token='[redacted:token]'"),
        ("postgres://u:p@ss@db.example/x", "postgres://[redacted:url-credentials]@db.example/x"),
        ("https://abc123@errors.example/1", "https://[redacted:url-credentials]@errors.example/1"),
        ("asked ada.l+x@mail.example.com.", "asked [redacted:email]."),
        (f"x\n{KEY}\ny", "x\n[redacted:private-key]\ny"),
    ],
)
def test_a_secret_is_masked_and_masking_again_changes_nothing(text: str, masked: str) -> None:
    assert redact(text) == masked
    assert redact(masked) == masked


@pytest.mark.parametrize(
    "text",
    [
        "assert 'billing' == 'fraud'",
        "def login(password: str, api_key: str = None)",
        "api_key = os.environ['OPENAI_API_KEY']",
        "password = read_secret('db')",
        "bearer authentication is missing",
        "{'token': 'fraud', 'logprob': -0.1}",
        "max_tokens=100, token: 128000",
        "node_modules/vitest@1.2.3/dist/index.js:12",
        "@pytest.mark.parametrize",
        "https://docs.example.com/errors#429",
        "task-that-is-not-a-key-but-a-name",
    ],
)
def test_what_is_no_secret_is_left_as_it_is(text: str) -> None:
    assert redact(text) == text


def test_a_private_key_is_masked_on_both_sides_of_where_its_text_was_cut() -> None:
    body = "MIIEpAIBAAKCAQEA12345678\n"
    cut = f"-----BEGIN PRIVATE KEY-----\n{body}{body}\n[… 900 characters cut …]\n{body}"

    masked = redact(f"{cut}-----END PRIVATE KEY-----\nhello")

    assert masked.replace("\n", "") == (
        "[redacted:private-key][… 900 characters cut …][redacted:private-key]hello"
    )


def test_the_patterns_of_a_policy_add_to_what_is_masked() -> None:
    assert redact("EMP-123456 ada@example.com", "EMP-[0-9]{6}") == (
        "[redacted:policy] [redacted:email]"
    )


def test_real_reports_hold_nothing_that_is_masked() -> None:
    redactor = Redactor()
    texts = [
        text
        for row in READABLE
        for report in read_upload([body_of(row)]).reports
        for result in report.results
        for each in result.tries
        for failure in each.failures
        for text in (failure.message, failure.text)
    ]

    assert len(texts) > 1_000
    assert [text for text in texts if redactor.redact(text) != text] == []


@pytest.mark.parametrize(
    "piece",
    [
        *("a", "eyJ-", "a://a@", "token=", "password=a(", 'password="\n', "a@a.", "a" * 64 + "@"),
        "-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAA\n",
        " cut …]\n",
    ],
)
def test_a_megabyte_of_hostile_text_takes_seconds(piece: str) -> None:
    hints = "private key bearer token password authorization cookie eyj sk- :// @ "
    text = hints + piece * (MEGABYTE // len(piece))
    started = time.process_time()

    redact(text)

    # Seconds at most, where a pattern that goes back takes hours; the machine may be busy.
    assert time.process_time() - started < 8.0
