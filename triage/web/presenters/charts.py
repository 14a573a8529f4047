"""A rate over time as a chart: positions are percentages of the chart's width and height."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.db.models import F, QuerySet, Sum

from triage.models import EpochDay
from triage.web.presenters.rates import Rate, rate_of_days

# More points than that are no longer told apart on a phone.
MOST_BINS = 24
# A point of fewer calls is all interval and says nothing.
CALLS_PER_POINT = 5
MOST_DAYS = 366
LEFT, RIGHT = 14.0, 97.0
TOP, BOTTOM = 12.0, 88.0
# Ends of the scale that people read without thinking.
SCALE_ENDS = (0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 1.0)


@dataclass(frozen=True, slots=True)
class Day:
    """The calls of a case, or of all cases of a repository, on one day."""

    day: date
    calls: int
    wording: int
    label: int


@dataclass(frozen=True, slots=True)
class Point:
    """The rate over some days: where it stands and from where to where it may lie."""

    first: date
    last: date
    rate: Rate
    x: float
    y: float
    y_low: float
    y_high: float


@dataclass(frozen=True, slots=True)
class EpochMark:
    """Where an epoch began."""

    number: int
    day: date
    x: float


@dataclass(frozen=True, slots=True)
class Chart:
    """One rate over time. ``accepted_y`` is the height of the accepted rate, if there is one."""

    name: str
    points: Sequence[Point]
    marks: Sequence[EpochMark]
    scale_end: float
    accepted: float | None
    accepted_y: float | None
    top: float = TOP
    bottom: float = BOTTOM


def days_of(case_id: int) -> list[Day]:
    """Return the days on which a case made calls, oldest first; one query."""
    return _days(EpochDay.objects.filter(epoch__case_id=case_id))


def days_of_repository(repository_id: int, since: date) -> list[Day]:
    """Return the days since one on which LLM cases made calls, oldest first; one query."""
    return _days(EpochDay.objects.filter(repository_id=repository_id, day__gte=since))


def _days(counted: QuerySet[EpochDay]) -> list[Day]:
    rows = (
        counted.filter(calls__gt=0)
        .values("day")
        .annotate(
            made=Sum("calls"),
            wording=Sum(F("text") + F("invalid") + F("unknown")),
            flips=Sum("label"),
        )
        .order_by("-day")
        .values_list("day", "made", "wording", "flips")[:MOST_DAYS]
    )
    return [Day(*row) for row in rows][::-1]


def chart(
    name: str,
    days: Sequence[Day],
    divergent: Sequence[int],
    starts: Sequence[tuple[int, date]],
    accepted: float | None,
) -> Chart:
    """Return the chart of a rate.

    ``divergent`` counts per day of ``days``; ``starts`` are the epochs' numbers and first days.
    """
    points = min(max(sum(day.calls for day in days) // CALLS_PER_POINT, 1), MOST_BINS)
    span = _Span(days[0].day, days[-1].day, points)
    bins = _bins(days, divergent, span)
    highest = max([rate.high for _, _, rate in bins] + [accepted or 0.0])
    end = next(each for each in SCALE_ENDS if each >= min(highest, 1.0))
    return Chart(
        name=name,
        points=[_point(first, last, rate, span, end) for first, last, rate in bins],
        marks=[EpochMark(number, day, span.x(day)) for number, day in starts if span.holds(day)],
        scale_end=end,
        accepted=accepted,
        accepted_y=None if accepted is None else _y(accepted, end),
    )


@dataclass(frozen=True, slots=True)
class _Span:
    first: date
    last: date
    # Into how many stretches of equal length it is cut.
    bins: int

    @property
    def days(self) -> int:
        return (self.last - self.first).days + 1

    def holds(self, day: date) -> bool:
        """Whether an epoch's start is to be marked; the first one needs no mark."""
        return self.first < day <= self.last

    def x(self, day: date, half_days: int = 0) -> float:
        share = ((day - self.first).days + half_days / 2) / self.days
        return round(LEFT + (RIGHT - LEFT) * share, 2)

    def bin_of(self, day: date) -> int:
        return (day - self.first).days * self.bins // self.days


def _bins(
    days: Sequence[Day], divergent: Sequence[int], span: _Span
) -> list[tuple[date, date, Rate]]:
    grouped: dict[int, list[tuple[Day, int]]] = {}
    for day, count in zip(days, divergent, strict=True):
        grouped.setdefault(span.bin_of(day.day), []).append((day, count))
    return [
        (
            held[0][0].day,
            held[-1][0].day,
            rate_of_days(sum(count for _, count in held), sum(day.calls for day, _ in held)),
        )
        for held in grouped.values()
    ]


def _point(first: date, last: date, rate: Rate, span: _Span, end: float) -> Point:
    return Point(
        first=first,
        last=last,
        rate=rate,
        x=span.x(first, half_days=(last - first).days + 1),
        y=_y(rate.share, end),
        y_low=_y(rate.low, end),
        y_high=_y(rate.high, end),
    )


def _y(share: float, end: float) -> float:
    return round(BOTTOM - (BOTTOM - TOP) * min(share / end, 1.0), 2)
