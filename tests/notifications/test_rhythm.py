"""When a channel may be told."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from triage.notifications.rhythm import Rhythm
from triage.terms import Digest

BERLIN = ZoneInfo("Europe/Berlin")
NIGHT = (time(22), time(7))


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def rhythm(
    digest: Digest = Digest.NONE, quiet: tuple[time, time] | None = None, zone: ZoneInfo = BERLIN
) -> Rhythm:
    return Rhythm(zone, digest, quiet)


@pytest.mark.parametrize(
    ("channel", "happened", "told"),
    [
        (rhythm(), "2026-12-01T12:34:56", "2026-12-01T12:34:56"),
        (rhythm(Digest.HOURLY), "2026-12-01T12:34:56", "2026-12-01T13:00:00"),
        (rhythm(Digest.HOURLY), "2026-12-01T13:00:00", "2026-12-01T14:00:00"),
        # Nine in the morning in Berlin is eight in UTC in winter, seven in summer.
        (rhythm(Digest.DAILY), "2026-12-01T07:59:59", "2026-12-01T08:00:00"),
        (rhythm(Digest.DAILY), "2026-12-01T08:00:00", "2026-12-02T08:00:00"),
        (rhythm(Digest.DAILY), "2026-07-01T12:00:00", "2026-07-02T07:00:00"),
        (rhythm(quiet=NIGHT), "2026-12-01T20:59:59", "2026-12-01T20:59:59"),
        (rhythm(quiet=NIGHT), "2026-12-01T21:00:00", "2026-12-02T06:00:00"),
        (rhythm(quiet=NIGHT), "2026-12-02T05:59:59", "2026-12-02T06:00:00"),
        (rhythm(quiet=NIGHT), "2026-12-02T06:00:00", "2026-12-02T06:00:00"),
        (rhythm(quiet=(time(12), time(13))), "2026-12-01T11:30:00", "2026-12-01T12:00:00"),
        (rhythm(Digest.HOURLY, NIGHT), "2026-12-01T20:30:00", "2026-12-02T06:00:00"),
        # The clock goes from two to three on 29 March: half past two is never shown.
        (rhythm(quiet=(time(22), time(2, 30))), "2026-03-29T00:59:00", "2026-03-29T01:30:00"),
        # It goes back from three to two on 25 October: half past two is shown twice.
        (rhythm(quiet=(time(22), time(2, 30))), "2026-10-25T00:10:00", "2026-10-25T00:30:00"),
        (rhythm(quiet=(time(22), time(2, 30))), "2026-10-25T01:10:00", "2026-10-25T01:30:00"),
    ],
)
def test_it_is_told_at_once_at_its_digest_or_after_its_quiet_hours(
    channel: Rhythm, happened: str, told: str
) -> None:
    assert channel.first_moment(at(happened)) == at(told)


TIMES = st.times().map(lambda each: each.replace(second=0, microsecond=0))


@given(
    moment=st.integers(0, 730 * 24 * 60).map(
        lambda minutes: at("2026-01-01T00:00:00") + timedelta(minutes=minutes)
    ),
    zone=st.sampled_from(["Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "UTC"]),
    digest=st.sampled_from(Digest),
    quiet=st.tuples(TIMES, TIMES).filter(lambda ends: ends[0] != ends[1]),
)
@example(at("2026-10-25T01:10:00"), "Europe/Berlin", Digest.NONE, (time(2, 20), time(2, 30)))
def test_nothing_is_told_before_it_happened_in_quiet_hours_or_two_days_late(
    moment: datetime, zone: str, digest: Digest, quiet: tuple[time, time]
) -> None:
    channel = rhythm(digest, quiet, ZoneInfo(zone))

    told = channel.first_moment(moment)

    assert moment <= told <= moment + timedelta(hours=50)
    assert channel.past_quiet(told) == told
