"""Who may mute what, for how long, and how many at a time."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.db import IntegrityError, transaction
from django.utils import timezone

from tests.web.builders import Failure, make_case, make_judged_run, make_repository
from triage.errors import InvalidRequestError, NotFoundError
from triage.models import Case, Channel, Mute, Notification, Repository
from triage.notifications.channels import ChannelRequest, add_channel
from triage.terms import ChannelKind, Difference, FindingKind, NotificationEvent
from triage.verdict.mutes import mute_cap, mutes_at, mutes_of
from triage.verdict.muting import LONGEST, MuteRequest, end_expired_mutes, end_mute, mute_case

pytestmark = pytest.mark.django_db

NOON = datetime.fromisoformat("2026-12-01T12:00:00Z")


@pytest.fixture(autouse=True)
def clock() -> Iterator[Any]:
    """A clock that stands still."""
    with time_machine.travel(NOON, tick=False) as clock:
        yield clock


def asked(days: float = 14, owner: str = "@acme/refunds", reason: str = "rollout") -> MuteRequest:
    return MuteRequest(owner, reason, NOON + timedelta(days=days))


def cases(count: int) -> list[Case]:
    repository = make_repository()
    return [make_case(repository, f"case {number}") for number in range(count)]


def channel(repository: Repository) -> Channel:
    request = ChannelRequest("ops", ChannelKind.WEBHOOK, "https://hooks.example/")
    return add_channel(repository, request, "ada").channel


@pytest.mark.parametrize(
    ("request_", "problem"),
    [
        (asked(owner=" "), "owner must have 1 to 200 printable characters, got ' '"),
        (asked(reason=""), "reason must have 1 to 300 printable characters"),
        (asked(reason="x" * 301), "reason must have 1 to 300 printable characters"),
        (asked(reason="a\u202eb"), "reason must have 1 to 300 printable characters"),
        (asked(days=30.01), "within the next 30 days, before 2026-12-31 12:00 UTC, got 2026-12-31"),
        (asked(days=0), "until must lie within the next 30 days"),
        (asked(days=-1), "until must lie within the next 30 days"),
    ],
)
def test_what_is_not_legal_is_refused_and_mutes_nothing(
    request_: MuteRequest, problem: str
) -> None:
    (case,) = cases(1)

    with pytest.raises(InvalidRequestError) as refused:
        mute_case(case, request_, "ada")

    assert problem in str(refused.value)
    assert not Mute.objects.exists()


def test_the_longest_mute_is_thirty_days() -> None:
    (case,) = cases(1)

    assert mute_case(case, asked(days=30), "ada").until - NOON == LONGEST


def test_a_case_without_an_llm_call_cannot_be_muted() -> None:
    (case,) = cases(1)
    case.is_llm = False

    with pytest.raises(InvalidRequestError, match="case 0 calls no LLM"):
        mute_case(case, asked(), "ada")


def test_at_most_one_case_in_twenty_is_muted_and_the_refusal_has_the_numbers() -> None:
    first, second, third, *_ = cases(40)
    mute_case(first, asked(), "ada")
    mute_case(second, asked(), "ada")

    with pytest.raises(InvalidRequestError) as refused:
        mute_case(third, asked(), "ada")

    assert str(refused.value) == (
        "no further case can be muted: 2 of 2 muted (5 % of 40 LLM cases, at least 1); "
        "end another mute first"
    )
    end_mute(first, "ada")
    mute_case(third, asked(), "ada")
    assert {mute.case for mute in mutes_of(third.repository_id, NOON)} == {second, third}


@pytest.mark.parametrize(("size", "most"), [(1, 1), (39, 1), (40, 2), (59, 2), (60, 3)])
def test_a_small_suite_may_mute_one_case(size: int, most: int) -> None:
    first, *_ = cases(size)

    assert mute_cap(first.repository_id, 0).most == most


def test_another_repository_s_mutes_do_not_count() -> None:
    other = make_case(make_repository("other/bot"))
    mute_case(other, asked(), "eve")
    (case,) = cases(1)

    mute_case(case, asked(), "ada")

    assert [mute.case for mute in mutes_of(case.repository_id, NOON)] == [case]


def test_a_case_is_muted_once_at_a_time() -> None:
    case, *_ = cases(100)
    mute = mute_case(case, asked(), "ada")
    with pytest.raises(InvalidRequestError, match="case 0 is muted already"):
        mute_case(case, asked(), "bob")

    mute.pk = None
    with pytest.raises(IntegrityError), transaction.atomic():
        mute.save()


def test_an_end_keeps_who_ended_it_and_what_was_before() -> None:
    (case,) = cases(1)
    mute_case(case, asked(), "ada")

    end_mute(case, "bob")

    mute = Mute.objects.get()
    assert (mute.created_by, mute.ended_by, mute.ended_at) == ("ada", "bob", NOON)
    with pytest.raises(NotFoundError, match="case 0 is not muted"):
        end_mute(case, "bob")


def test_a_mute_holds_from_its_beginning_to_its_end(clock: Any) -> None:
    (case,) = cases(1)
    mute = mute_case(case, asked(days=1), "ada")
    holds = {
        minutes: bool(mutes_at([case.pk], NOON + timedelta(minutes=minutes)))
        for minutes in (-1, 0, 1439, 1440, 1441)
    }

    assert holds == {-1: False, 0: True, 1439: True, 1440: False, 1441: False}
    clock.shift(timedelta(hours=1))
    end_mute(case, "ada")
    assert mutes_at([case.pk], NOON) == {case.pk: mute}
    assert mutes_at([case.pk], NOON + timedelta(hours=1)) == {}


def test_a_mute_that_ended_by_itself_says_so_once(clock: Any) -> None:
    (case,) = cases(1)
    channel(case.repository)
    mute_case(case, asked(days=1), "ada")
    assert end_expired_mutes() == 0
    clock.shift(timedelta(days=2))

    assert [end_expired_mutes() for _ in range(3)] == [1, 0, 0]

    mute = Mute.objects.get()
    assert (mute.ended_at, mute.ended_by) == (mute.until, "")
    told = Notification.objects.get()
    assert told.event == NotificationEvent.MUTE_EXPIRED
    assert told.payload["headline"] == "case 0 is no longer muted: its wording counts again"
    assert told.payload["reason"] == "rollout"


def test_a_case_whose_mute_expired_unnoticed_can_be_muted_again(
    clock: Any,
) -> None:
    (case,) = cases(1)
    mute_case(case, asked(days=1), "ada")
    clock.shift(timedelta(days=2))

    mute_case(case, MuteRequest("ada", "again", timezone.now() + timedelta(days=1)), "ada")

    assert Mute.objects.filter(ended_at__isnull=True).count() == 1


@pytest.mark.parametrize("difference", [each for each in Difference if each != Difference.TEXT])
def test_the_database_knows_no_muted_finding_but_of_wording(difference: Difference) -> None:
    (case,) = cases(1)
    muted = Failure(case, FindingKind.MUTED, difference)

    with pytest.raises(IntegrityError), transaction.atomic():
        make_judged_run(case.repository, [muted])
