"""Settings as they are read from the environment; a wrong value stops the start."""

import re
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured
from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from budgets.terms import LONGEST_WINDOW_DAYS
from triage.mail_settings import MAIL_SCHEMES, mail_address
from triage.paths import default_data_dir
from triage.storage_settings import storage_address

SECRET_KEY_BYTES = 50
# Shorter keys can be guessed; Django warns below the same length.
SHORTEST_SECRET_KEY = 50
# As many as `openssl rand -hex 16` prints.
SHORTEST_METRICS_TOKEN = 32

# One id per setting, so that an operator can search the documentation for it.
SETTING_IDS = {
    "DATABASE_URL": "tiebreak.E001",
    "BROKER_URL": "tiebreak.E002",
    "SECRET_KEY": "tiebreak.E003",
    "TIEBREAK_DATA_DIR": "tiebreak.E004",
    "STORAGE_URL": "tiebreak.E008",
    "TIEBREAK_URL": "tiebreak.E005",
    "ALLOWED_HOSTS": "tiebreak.E006",
    "DEBUG": "tiebreak.E007",
    "EMAIL_URL": "tiebreak.E040",
    "EMAIL_FROM": "tiebreak.E041",
    "ALLOW_PRIVATE_WEBHOOKS": "tiebreak.E042",
    "RETENTION_UPLOADS_DAYS": "tiebreak.E060",
    "RETENTION_TEXTS_DAYS": "tiebreak.E061",
    "RETENTION_RESULTS_DAYS": "tiebreak.E062",
    "RETENTION_LEDGER_DAYS": "tiebreak.E063",
    "RETENTION_EVENTS_DAYS": "tiebreak.E064",
    "RETENTION_AUDIT_DAYS": "tiebreak.E065",
    "METRICS_TOKEN": "tiebreak.E050",
    "LOG_FORMAT": "tiebreak.E051",
    "FIELD_KEYS": "tiebreak.E070",
    "GITHUB_APP_ID": "tiebreak.E071",
    "GITHUB_APP_SLUG": "tiebreak.E072",
    "GITHUB_PRIVATE_KEY": "tiebreak.E073",
    "GITHUB_WEBHOOK_SECRET": "tiebreak.E074",
    "GITHUB_API_URL": "tiebreak.E075",
    "GITHUB_CLIENT_ID": "tiebreak.E076",
    "GITHUB_CLIENT_SECRET": "tiebreak.E077",
    "SENTRY_DSN": "tiebreak.E052",
    "RATE_LIMIT_PER_MINUTE": "tiebreak.E080",
    "GITHUB_ID_TOKEN_ISSUERS": "tiebreak.E081",
}
MOST_DAYS = 36_500
MOST_REQUESTS = 1_000_000
# Cases without LLM calls are held against the outcomes of the last 30 days.
LEAST_RESULTS_DAYS = 31
RESULTS_WHY = ", since judging reads the results of 30 days"
LEDGER_WHY = ", since a budget's window may be as long"
# Settings whose whole value no error may print.
SECRETS = {"SECRET_KEY", "METRICS_TOKEN", "SENTRY_DSN", "FIELD_KEYS"} | {
    "GITHUB_PRIVATE_KEY",
    "GITHUB_WEBHOOK_SECRET",
    "GITHUB_CLIENT_SECRET",
}
# An App is named by all of these or by none.
APP_SETTINGS = ("GITHUB_APP_ID", "GITHUB_APP_SLUG", "GITHUB_PRIVATE_KEY", "GITHUB_WEBHOOK_SECRET")
# As which GitHub knows the App when a person signs in by it: both or none.
CLIENT_SETTINGS = ("GITHUB_CLIENT_ID", "GITHUB_CLIENT_SECRET")
UNKNOWN_SETTING_ID = "tiebreak.E000"
WRONG_PORT = -1


# What stands before the host of a URL, which no error may print.
PASSWORD = re.compile(r"//[^/@\s]*@")


def _url_with_scheme(*schemes: str) -> AfterValidator:
    def check(value: str) -> str:
        if value and urlsplit(value).scheme not in schemes:
            raise ValueError("must start with " + " or ".join(f"{name}://" for name in schemes))
        if value and _port(value) == WRONG_PORT:
            raise ValueError("must have a port from 1 to 65535, or none")
        return value

    return AfterValidator(check)


def _web_address(value: str) -> str:
    parts = urlsplit(value)
    is_web = parts.scheme in {"http", "https"} and parts.hostname
    if not is_web or _port(value) == WRONG_PORT:
        raise ValueError("must be an address such as https://tiebreak.example.com")
    return value.rstrip("/")


def _issuers(told: str | list[str]) -> list[str]:
    listed = told.split(",") if isinstance(told, str) else told
    values = [each.strip() for each in listed if each.strip()]
    for value in values:
        parts = urlsplit(value)
        is_safe = parts.scheme == "https" or parts.hostname in {"127.0.0.1", "localhost"}
        if not (is_safe and parts.hostname) or value.endswith("/") or parts.query:
            raise ValueError(
                "must be addresses without a slash at the end, comma-separated, such as "
                "https://token.actions.githubusercontent.com or https://HOST/_services/token"
            )
    return values


def _dsn(value: str) -> str:
    parts = urlsplit(value)
    is_dsn = parts.username and parts.hostname and parts.path.strip("/")
    if value and not (is_dsn and parts.scheme in {"http", "https"}):
        raise ValueError("must be a DSN such as https://key@sentry.example.com/1")
    return value


def _port(url: str) -> int | None:
    try:
        return urlsplit(url).port
    except ValueError:
        return WRONG_PORT


def _secret(shortest: int) -> AfterValidator:
    def check(value: str) -> str:
        if value and len(value) < shortest:
            raise ValueError(f"must have at least {shortest} characters, random ones")
        return value

    return AfterValidator(check)


def _field_keys(keys: list[str]) -> list[str]:
    for key in keys:
        try:
            Fernet(key)
        except ValueError:
            raise ValueError(
                "must be keys as tiebreak rotate_keys --new prints them, separated by commas, "
                "the newest first"
            ) from None
    return keys


def _private_key(text: str) -> str:
    # One line in an environment file writes its line ends as two characters.
    key = text.replace("\\n", "\n")
    if key and "PRIVATE KEY-----" not in key:
        raise ValueError(
            r"must be the App's private key as GitHub gave it (PEM), lines joined by \n"
        )
    return key


def _days(least: int, why: str) -> tuple[BeforeValidator, AfterValidator]:
    legal = f"0, which keeps forever, or a number of days from {least} to {MOST_DAYS}{why}"

    def read(value: object) -> object:
        if isinstance(value, str) and not re.fullmatch(r"[0-9]{1,6}", value.strip()):
            raise ValueError(f"must be {legal}")
        return value

    def check(days: int) -> int:
        if days and not least <= days <= MOST_DAYS:
            raise ValueError(f"must be {legal}")
        return days

    return BeforeValidator(read), AfterValidator(check)


def _rate(limit: int) -> int:
    if not 0 <= limit <= MOST_REQUESTS:
        raise ValueError(f"must be 0, which is no limit, or a number up to {MOST_REQUESTS}")
    return limit


class Environment(BaseSettings):
    """What an operator may set; the names are those of the environment variables."""

    model_config = SettingsConfigDict(extra="ignore")

    DATABASE_URL: Annotated[str, _url_with_scheme("sqlite", "postgres", "postgresql")] = ""
    BROKER_URL: Annotated[str, _url_with_scheme("redis", "rediss", "amqp", "amqps")] = ""
    SECRET_KEY: Annotated[str, _secret(SHORTEST_SECRET_KEY)] = ""
    TIEBREAK_DATA_DIR: Path = Field(default_factory=default_data_dir)
    STORAGE_URL: Annotated[str, AfterValidator(storage_address)] = ""
    TIEBREAK_URL: Annotated[str, AfterValidator(_web_address)] = "http://127.0.0.1:8000"
    ALLOWED_HOSTS: Annotated[list[str], NoDecode] = Field(default_factory=list)
    DEBUG: bool = False
    EMAIL_URL: Annotated[str, _url_with_scheme(*MAIL_SCHEMES)] = ""
    EMAIL_FROM: Annotated[str, AfterValidator(mail_address)] = "tiebreak@localhost"
    ALLOW_PRIVATE_WEBHOOKS: bool = False
    RETENTION_UPLOADS_DAYS: Annotated[int, *_days(1, "")] = 30
    RETENTION_TEXTS_DAYS: Annotated[int, *_days(1, "")] = 90
    RETENTION_RESULTS_DAYS: Annotated[int, *_days(LEAST_RESULTS_DAYS, RESULTS_WHY)] = 400
    RETENTION_LEDGER_DAYS: Annotated[int, *_days(LONGEST_WINDOW_DAYS, LEDGER_WHY)] = 400
    RETENTION_EVENTS_DAYS: Annotated[int, *_days(1, "")] = 90
    RETENTION_AUDIT_DAYS: Annotated[int, *_days(1, "")] = 730
    METRICS_TOKEN: Annotated[str, _secret(SHORTEST_METRICS_TOKEN)] = ""
    SENTRY_DSN: Annotated[str, AfterValidator(_dsn)] = ""
    LOG_FORMAT: Literal["line", "json"] = "line"
    FIELD_KEYS: Annotated[list[str], NoDecode, AfterValidator(_field_keys)] = Field(
        default_factory=list
    )
    GITHUB_APP_ID: Annotated[int, Field(ge=0)] = 0
    GITHUB_APP_SLUG: Annotated[str, Field(pattern=r"^([a-z0-9][a-z0-9-]{0,99})?$")] = ""
    GITHUB_PRIVATE_KEY: Annotated[str, AfterValidator(_private_key)] = ""
    GITHUB_WEBHOOK_SECRET: str = ""
    GITHUB_API_URL: Annotated[str, AfterValidator(_web_address)] = "https://api.github.com"
    GITHUB_CLIENT_ID: Annotated[str, Field(pattern=r"^[A-Za-z0-9.]{0,100}$")] = ""
    GITHUB_CLIENT_SECRET: str = ""
    RATE_LIMIT_PER_MINUTE: Annotated[int, AfterValidator(_rate)] = 600
    GITHUB_ID_TOKEN_ISSUERS: Annotated[list[str], NoDecode, BeforeValidator(_issuers)] = Field(
        default_factory=lambda: ["https://token.actions.githubusercontent.com"]
    )

    @field_validator("TIEBREAK_DATA_DIR", mode="before")
    @classmethod
    def _refuse_no_folder(cls, value: object) -> object:
        if value == "":
            raise ValueError("must be a folder the service may create files in, or unset")
        return value

    @field_validator("ALLOWED_HOSTS", "FIELD_KEYS", mode="before")
    @classmethod
    def _split_list(cls, value: object) -> object:
        if isinstance(value, str):
            return [each.strip() for each in value.split(",") if each.strip()]
        return value

    @field_validator("ALLOWED_HOSTS")
    @classmethod
    def _check_hosts(cls, hosts: list[str]) -> list[str]:
        for host in hosts:
            if "/" in host or " " in host:
                raise ValueError(f"must be host names without scheme or path, got {host!r}")
        return hosts

    @property
    def hosts(self) -> list[str]:
        """The hosts that are answered: those set, the one of the own address, and loopback."""
        own = urlsplit(self.TIEBREAK_URL).hostname or ""
        return [*dict.fromkeys([*self.ALLOWED_HOSTS, own, "127.0.0.1", "localhost", "[::1]"])]

    @property
    def database_url(self) -> str:
        """The database that is used: the one set, or SQLite in the data directory."""
        return self.DATABASE_URL or f"sqlite:///{self.TIEBREAK_DATA_DIR / 'tiebreak.sqlite3'}"


def read_environment() -> Environment:
    """Read the environment; raise ``ImproperlyConfigured`` naming every wrong value."""
    try:
        environment = Environment()
    except ValidationError as error:
        raise ImproperlyConfigured(_explain(error)) from None
    _refuse_half(environment, APP_SETTINGS, "the GitHub App")
    _refuse_half(environment, CLIENT_SETTINGS, "signing in with GitHub")
    _make_data_dir(environment.TIEBREAK_DATA_DIR)
    return environment


def secret_key(environment: Environment) -> str:
    """Return the key that was set, or the one made once and kept in the data directory."""
    if environment.SECRET_KEY:
        return environment.SECRET_KEY
    kept = environment.TIEBREAK_DATA_DIR / "secret_key"
    try:
        with kept.open("x") as file:
            kept.chmod(0o600)
            file.write(secrets.token_urlsafe(SECRET_KEY_BYTES))
    except FileExistsError:
        pass
    return kept.read_text().strip()


def _refuse_half(environment: Environment, names: Sequence[str], what: str) -> None:
    missing = [name for name in names if not getattr(environment, name)]
    if 0 < len(missing) < len(names):
        raise ImproperlyConfigured(
            f"{SETTING_IDS[missing[0]]} {missing[0]} is not set, but another setting of {what} "
            f"is. Legal: all of {', '.join(names)}, or none."
        )


def _make_data_dir(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".writable"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise ImproperlyConfigured(
            f"{SETTING_IDS['TIEBREAK_DATA_DIR']} TIEBREAK_DATA_DIR={str(folder)!r} cannot be "
            f"written to ({error.strerror}). Legal: a folder the service may create files in."
        ) from None


def _explain(error: ValidationError) -> str:
    return "\n".join(
        _explain_one(str(detail["loc"][0]), detail["input"], detail["msg"])
        for detail in error.errors()
    )


def _explain_one(name: str, value: object, problem: str) -> str:
    shown = "(hidden)" if name in SECRETS else repr(PASSWORD.sub("//***@", str(value)))
    legal = problem.removeprefix("Value error, ")
    return f"{SETTING_IDS.get(name, UNKNOWN_SETTING_ID)} {name}={shown} is not legal: {legal}."
