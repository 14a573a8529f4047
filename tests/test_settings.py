"""The environment: every wrong value stops the start, and says what would be right."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from triage.environment import SETTING_IDS, Environment, read_environment, secret_key

PROJECT = Path(__file__).parent.parent

WRONG_VALUES = [
    ("DATABASE_URL", "nonsense", "tiebreak.E001", "sqlite:// or postgres:// or postgresql://"),
    ("DATABASE_URL", "mysql://host/name", "tiebreak.E001", "sqlite:// or postgres://"),
    ("BROKER_URL", "sqs://queue", "tiebreak.E002", "redis:// or rediss:// or amqp://"),
    ("TIEBREAK_DATA_DIR", "/dev/null/data", "tiebreak.E004", "a folder the service may create"),
    ("TIEBREAK_URL", "example.com", "tiebreak.E005", "https://tiebreak.example.com"),
    ("TIEBREAK_URL", "ftp://example.com", "tiebreak.E005", "https://tiebreak.example.com"),
    ("ALLOWED_HOSTS", "https://example.com", "tiebreak.E006", "without scheme or path"),
    ("DEBUG", "maybe", "tiebreak.E007", "valid boolean"),
    ("DATABASE_URL", "postgres://host:port/name", "tiebreak.E001", "a port from 1 to 65535"),
    ("BROKER_URL", "memory://", "tiebreak.E002", "redis:// or rediss:// or amqp://"),
    ("TIEBREAK_DATA_DIR", "", "tiebreak.E004", "a folder the service may create"),
    ("EMAIL_URL", "mail.example.com", "tiebreak.E040", "smtp:// or smtp+tls:// or smtps://"),
    ("EMAIL_FROM", "nobody", "tiebreak.E041", "an e-mail address such as"),
    ("ALLOW_PRIVATE_WEBHOOKS", "maybe", "tiebreak.E042", "valid boolean"),
    ("STORAGE_URL", "http://bucket", "tiebreak.E008", "s3://BUCKET[/PREFIX]"),
    ("STORAGE_URL", "s3://bucket?acl=public", "tiebreak.E008", "endpoint and region"),
    ("GITHUB_APP_ID", "many", "tiebreak.E071", "valid integer"),
    ("GITHUB_CLIENT_ID", "my client", "tiebreak.E076", "should match pattern"),
    ("GITHUB_APP_SLUG", "My App", "tiebreak.E072", "should match pattern"),
    (
        "GITHUB_ID_TOKEN_ISSUERS",
        "http://a.example",
        "tiebreak.E081",
        "https://HOST/_services/token",
    ),
    ("GITHUB_API_URL", "github.com", "tiebreak.E075", "https://tiebreak.example.com"),
    ("LOG_FORMAT", "xml", "tiebreak.E051", "should be 'line' or 'json'"),
    ("TIEBREAK_URL", "http://host:99999x", "tiebreak.E005", "https://tiebreak.example.com"),
]


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """An environment that sets nothing of ours but an empty data directory."""
    for name in SETTING_IDS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TIEBREAK_DATA_DIR", str(tmp_path))
    return monkeypatch


def test_nothing_set_means_sqlite_in_the_data_directory_and_no_broker(
    environment: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    read = read_environment()
    assert read.database_url == f"sqlite:///{tmp_path}/tiebreak.sqlite3"
    assert read.BROKER_URL == ""
    assert read.DEBUG is False
    assert read.hosts == ["127.0.0.1", "localhost", "[::1]"]


@pytest.mark.parametrize(("name", "value", "identity", "legal"), WRONG_VALUES)
def test_a_wrong_value_is_named_with_its_id_and_what_is_legal(
    environment: pytest.MonkeyPatch, name: str, value: str, identity: str, legal: str
) -> None:
    environment.setenv(name, value)
    with pytest.raises(ImproperlyConfigured) as caught:
        read_environment()
    message = str(caught.value)
    assert message.startswith(f"{identity} {name}={value!r}")
    assert legal in message


def test_a_secret_is_never_printed(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("SECRET_KEY", "hunter2")
    environment.setenv("METRICS_TOKEN", "hunter2")
    environment.setenv("SENTRY_DSN", "https://hunter2@")
    environment.setenv("DATABASE_URL", "mysql://user:hunter2@host/name")
    environment.setenv("FIELD_KEYS", "hunter2")
    environment.setenv("GITHUB_PRIVATE_KEY", "hunter2")
    with pytest.raises(ImproperlyConfigured) as caught:
        read_environment()
    message = str(caught.value)
    assert "hunter2" not in message
    assert "tiebreak.E003 SECRET_KEY=(hidden) is not legal: must have at least 50" in message
    assert "tiebreak.E052 SENTRY_DSN=(hidden) is not legal: must be a DSN such as" in message
    assert "tiebreak.E070 FIELD_KEYS=(hidden) is not legal: must be keys as tiebreak" in message
    assert "tiebreak.E073 GITHUB_PRIVATE_KEY=(hidden) is not legal: must be the App's" in message
    assert "tiebreak.E050 METRICS_TOKEN=(hidden) is not legal: must have at least 32" in message


def test_a_key_in_the_storage_s_address_is_refused_and_not_printed(
    environment: pytest.MonkeyPatch,
) -> None:
    environment.setenv("STORAGE_URL", "s3://key:hunter2@bucket")
    with pytest.raises(ImproperlyConfigured) as caught:
        read_environment()
    assert "hunter2" not in str(caught.value)
    assert "AWS_SECRET_ACCESS_KEY" in str(caught.value)


def test_half_an_app_is_refused(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("GITHUB_APP_ID", "1")
    environment.setenv("GITHUB_APP_SLUG", "tiebreak")
    with pytest.raises(ImproperlyConfigured, match=r"tiebreak\.E073 GITHUB_PRIVATE_KEY is not set"):
        read_environment()


def test_half_of_what_signing_in_takes_is_refused(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("GITHUB_CLIENT_SECRET", "0123456789abcdef")

    with pytest.raises(ImproperlyConfigured, match="E076 GITHUB_CLIENT_ID is not set") as refused:
        read_environment()
    assert "0123456789abcdef" not in str(refused.value)


def test_a_private_key_may_be_written_in_one_line(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("GITHUB_PRIVATE_KEY", r"-----BEGIN RSA PRIVATE KEY-----\nMII\n")
    environment.setenv("GITHUB_APP_ID", "1")
    environment.setenv("GITHUB_APP_SLUG", "tiebreak")
    environment.setenv("GITHUB_WEBHOOK_SECRET", "secret")
    assert "-----\nMII\n" in read_environment().GITHUB_PRIVATE_KEY


def test_two_wrong_values_are_named_at_once(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("DATABASE_URL", "nonsense")
    environment.setenv("DEBUG", "maybe")
    with pytest.raises(ImproperlyConfigured, match=r"(?s)tiebreak\.E001 .*\n.*tiebreak\.E007 "):
        read_environment()


def test_a_wrong_value_ends_the_command_line_with_status_2_and_no_traceback() -> None:
    env = os.environ | {"DJANGO_SETTINGS_MODULE": "triage.settings", "DEBUG": "maybe"}
    command = [sys.executable, "manage.py", "check"]
    done = subprocess.run(
        command, cwd=PROJECT, env=env, text=True, capture_output=True, check=False
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("tiebreak.E007 DEBUG='maybe' is not legal: ")
    assert done.stderr.count("\n") == 1


def test_the_own_address_is_answered_and_loses_its_last_slash(
    environment: pytest.MonkeyPatch,
) -> None:
    environment.setenv("TIEBREAK_URL", "https://flakes.example.com/")
    environment.setenv("ALLOWED_HOSTS", "ci.example.com, ,flakes.example.com")
    read = read_environment()
    assert read.TIEBREAK_URL == "https://flakes.example.com"
    assert read.hosts[:2] == ["ci.example.com", "flakes.example.com"]


def test_the_secret_key_is_made_once_and_readable_by_its_owner_alone(
    environment: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    read = read_environment()
    first = secret_key(read)
    assert len(first) > 60
    assert secret_key(read) == first
    assert (tmp_path / "secret_key").stat().st_mode & 0o777 == 0o600


def test_a_secret_key_that_is_set_is_used_and_not_written_down(tmp_path: Path) -> None:
    given = Environment(SECRET_KEY="given" * 10, TIEBREAK_DATA_DIR=tmp_path)
    assert secret_key(given) == "given" * 10
    assert list(tmp_path.iterdir()) == []
