"""No secret of a report reaches a table, and masking changes no judgement."""

from typing import Any

import pytest
from django.db import connection

from tests.flows.policies import set_policy
from tests.flows.suites import REPO, CaseRun, history, suite, take, upload
from triage.models import Observation, Result, Upload
from triage.parse.import_report import import_report
from triage.parse.redaction import Redactor
from triage.parse.report import ReadWarning, RefusedFile, Report, UploadReading

SECRETS = ("sk-proj-abcdefghijkl1234567890", "ada@example.com", "EMP-123456")
FAILURE = f"E       KeyError: 'label' for {SECRETS[1]}\nkey {SECRETS[0]}\nby {SECRETS[2]}"


def stored_text() -> str:
    """Return everything that the tables of the product hold, as text."""
    pieces = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            pieces.append(repr(cursor.fetchall()))
    return "".join(pieces)


@pytest.mark.django_db
def test_no_table_holds_a_secret_of_a_failure() -> None:
    set_policy("redact: ['EMP-[0-9]{6}']\n")

    taken = upload(suite(3, CaseRun("test_ticket[1]", FAILURE)), 1)

    result = Result.objects.get()
    assert result.message == "E       KeyError: 'label' for [redacted:email]"
    assert result.text is not None
    assert "key [redacted:api-key]\nby [redacted:policy]" in result.text.text
    assert result.text.length == len(FAILURE)
    assert not [secret for secret in SECRETS if secret in stored_text()]
    assert Upload.objects.get(pk=taken.pk).reading["files"][0]["failed"] == 1


def test_what_a_warning_quotes_is_masked() -> None:
    warnings = [ReadWarning(f"setup: {SECRETS[1]}")]
    reading = UploadReading(
        [Report("a.xml", "pytest", warnings=warnings)], [RefusedFile("b", "other", SECRETS[0])]
    )

    read, refused = import_report(reading)["files"]

    assert read["warnings"][0]["message"] == "setup: [redacted:email]"
    assert refused["error"] == "[redacted:api-key]"


def judged(repo: str) -> tuple[list[Any], list[Any], Any]:
    """Return what is known of a failing run that holds a secret, without its text."""
    failing = suite(4, CaseRun("test_ticket[1]", FAILURE), CaseRun("test_ticket[2]", FAILURE))
    document = take(failing, 20, repo=repo, branch="topic", pr=7)
    results = Result.objects.filter(repository__full_name=repo).order_by("pk")
    calls = Observation.objects.filter(repository__full_name=repo).order_by("pk")
    kinds = [(each["case"], each["finding"], each["reason"]) for each in document["findings"]]
    return (
        list(results.values_list("outcome", "difference", "signature", "provider")),
        list(calls.values_list("difference", "expected", "observed")),
        (document["conclusion"], kinds),
    )


@pytest.mark.django_db
def test_differences_fingerprints_and_findings_are_the_same_without_masking(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    history(4, runs=3)
    masked = judged(REPO)
    with monkeypatch.context() as patch:
        patch.setattr(Redactor, "redact", lambda self, text: text)
        for number in range(1, 4):
            take(suite(4), number, repo="acme/other")
        whole = judged("acme/other")

    assert masked == whole
