"""Muting on the command line."""

import io
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from tests.web.builders import REPO, make_case, make_repository
from triage.models import Mute

pytestmark = pytest.mark.django_db

WHY = ("--owner", "@acme/refunds", "--reason", "rollout")


def run(command: str, *arguments: str) -> str:
    """Run a command for the repository; return what it printed."""
    out = io.StringIO()
    call_command(command, REPO, *arguments, stdout=out)
    return out.getvalue()


def test_a_case_is_muted_by_a_part_of_its_name_and_unmuted_by_its_number() -> None:
    case = make_case(make_repository(), "tests/test_refunds.py::test_a")

    printed = run("mute", "refunds.py::test_a", *WHY, "--until", "14d")

    mute = Mute.objects.get()
    assert (mute.case, mute.owner, mute.reason) == (case, "@acme/refunds", "rollout")
    assert mute.created_by == "the command line"
    assert mute.until - mute.created_at <= timedelta(days=14)
    assert printed == (
        f"muted tests/test_refunds.py::test_a until {mute.until:%Y-%m-%d %H:%M} UTC; "
        "its label flips still block\n"
    )
    assert "no longer muted" in run("unmute", str(case.pk))
    mute.refresh_from_db()
    assert mute.ended_by == "the command line"


def test_a_day_is_taken_as_utc() -> None:
    make_case(make_repository())
    day = (timezone.now() + timedelta(days=3)).date()

    run("mute", "test_a", *WHY, "--until", day.isoformat())

    assert Mute.objects.get().until.isoformat() == f"{day}T00:00:00+00:00"


@pytest.mark.parametrize(
    ("case", "until", "problem"),
    [
        ("test_", "14d", r"2 cases fit 'test_'; name one by its number:\n  \d+: "),
        ("nowhere", "14d", "no case of acme/support-bot is called 'nowhere'"),
        ("test_a", "31d", "until must lie within the next 30 days"),
        ("test_a", "soon", "must be days such as 14d or an ISO 8601 time"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_muted(case: str, until: str, problem: str) -> None:
    repository = make_repository()
    make_case(repository, "tests/test_refunds.py::test_a")
    make_case(repository, "tests/test_refunds.py::test_b")

    with pytest.raises(CommandError, match=problem):
        run("mute", case, *WHY, "--until", until)

    assert not Mute.objects.exists()


def test_ending_a_mute_that_is_not_there_is_an_error() -> None:
    make_case(make_repository())

    with pytest.raises(CommandError, match="is not muted"):
        run("unmute", "test_a")
