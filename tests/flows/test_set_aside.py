"""Uploads that were set aside: their page, and beginning again by a button or a command."""

import uuid
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from tests.flows.lost_uploads import lost_upload
from tests.flows.suites import REPO, report, sha, suite
from triage.models import AuditEntry, Repository, Upload, Verdict
from triage.parse.archives import UploadedFile
from triage.record.storage import store_files
from triage.terms import UploadState

pytestmark = pytest.mark.django_db(transaction=True)

BODY = report(suite(3))
FILES = (UploadedFile("junit.xml", BODY),)


@pytest.fixture
def dead() -> Upload:
    """Return an upload whose file was lost, until it was set aside."""
    upload = lost_upload(sha(1), FILES)
    upload.refresh_from_db()
    return upload


def conclusion(upload: Upload) -> str:
    """Return what the run of an upload was judged to be."""
    return Verdict.objects.get(run=upload.run_id, is_current=True).conclusion


def run(*arguments: str) -> tuple[int, str]:
    """Run the command; return its exit status and what it said is wrong."""
    try:
        call_command("retry_upload", *arguments)
    except CommandError as error:
        return error.returncode, str(error)
    return 0, ""


def test_its_page_says_why_and_how_to_begin_again(dead: Upload, client: Client) -> None:
    Repository.objects.update(is_public=True)

    page = client.get(f"/uploads/{dead.pk}/").content.decode()
    assert "Set aside after 5 of 5 tries" in page
    assert "FileNotFoundError" in page
    assert f"tiebreak retry_upload {dead.pk}" in page
    assert "<button" not in page.split('id="reason"')[1].split("</section>")[0]


def test_the_run_s_page_leads_to_it(dead: Upload, admin_client: Client) -> None:
    page = admin_client.get(f"/runs/{dead.run_id}/").content.decode()

    assert f'href="/uploads/{dead.pk}/"' in page


def test_an_upload_that_there_is_not_is_no_page(admin_client: Client) -> None:
    assert admin_client.get(f"/uploads/{uuid.uuid4()}/").status_code == 404


def test_nobody_who_is_not_signed_in_begins_again(dead: Upload, client: Client) -> None:
    assert client.post(f"/uploads/{dead.pk}/")["Location"].startswith("/sign-in/")
    dead.refresh_from_db()
    assert dead.state == UploadState.DEAD


def test_a_member_begins_again_and_it_is_noted(dead: Upload, admin_client: Client) -> None:
    store_files(REPO, FILES)
    assert "Try again" in admin_client.get(f"/uploads/{dead.pk}/").content.decode()
    answer: Any = admin_client.post(f"/uploads/{dead.pk}/")
    assert answer.url == f"/uploads/{dead.pk}/"
    dead.refresh_from_db()
    assert (dead.state, dead.error, conclusion(dead)) == (UploadState.JUDGED, "", "passed")
    assert AuditEntry.objects.get(action="upload_retried").subject == str(dead.pk)
    assert "Recorded and judged" in admin_client.get(f"/uploads/{dead.pk}/").content.decode()


def test_the_command_begins_again_with_all(dead: Upload) -> None:
    store_files(REPO, FILES)
    assert conclusion(dead) == "on_hold"
    assert run("--all") == (0, "")
    assert conclusion(dead) == "passed"


def test_the_command_says_what_still_fails(dead: Upload) -> None:
    assert run(str(dead.pk)) == (1, "not all could be processed; see above")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((), "name uploads by their numbers, or give --all"),
        (("7",), "an upload's number is a UUID: “7” is not a valid UUID."),
        ((str(uuid.UUID(int=7)),), f"not set aside: {uuid.UUID(int=7)}"),
    ],
)
def test_the_command_names_what_is_wrong(arguments: tuple[str, ...], problem: str) -> None:
    assert run(*arguments) == (2, problem)
