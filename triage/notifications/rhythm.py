"""When a channel may be told: outside its quiet hours, at the times of its digest."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from triage.models import Channel
from triage.terms import Digest

# Local time of a daily digest: when people start to work.
DAILY_AT = time(9)
ONE_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Rhythm:
    """Quiet hours and digest in the channel's own time zone."""

    zone: ZoneInfo
    digest: Digest
    # Start and end, which may lie past midnight.
    quiet: tuple[time, time] | None

    def first_moment(self, moment: datetime) -> datetime:
        """Return when what happens at a moment may be told: then, or at the next digest."""
        return self.past_quiet(self._next_digest(moment))

    def past_quiet(self, moment: datetime) -> datetime:
        """Return the moment itself, or the end of the quiet hours that it lies in."""
        if self.quiet is None or not self._is_quiet(moment):
            return moment
        return self._next(moment, self.quiet[1])

    def _is_quiet(self, moment: datetime) -> bool:
        start, end = self.quiet or (time(), time())
        local = moment.astimezone(self.zone).time()
        if start < end:
            return start <= local < end
        return local >= start or local < end

    def _next_digest(self, moment: datetime) -> datetime:
        if self.digest is Digest.DAILY:
            return self._next(moment, DAILY_AT)
        if self.digest is Digest.HOURLY:
            hour = moment.replace(minute=0, second=0, microsecond=0)
            return hour + timedelta(hours=1)
        return moment

    def _next(self, moment: datetime, at: time) -> datetime:
        """Return when a clock in the zone next shows a time of day, twice an hour when it falls."""
        today = moment.astimezone(self.zone).date()
        shown = [
            datetime.combine(day, at.replace(fold=fold), self.zone).astimezone(UTC)
            for day in (today, today + ONE_DAY)
            for fold in (0, 1)
        ]
        return min(each for each in shown if each > moment)


def rhythm_of(channel: Channel) -> Rhythm:
    """Return the rhythm that a channel is told in."""
    quiet = None
    if channel.quiet_from is not None and channel.quiet_until is not None:
        quiet = (channel.quiet_from, channel.quiet_until)
    return Rhythm(ZoneInfo(channel.time_zone), Digest(channel.digest), quiet)
