"""Filters and tags that every template may use."""

from datetime import UTC, datetime, timedelta

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince

from triage.publish.text import UNPRINTABLE
from triage.version import VERSION
from triage.web.presenters.badges import Badge
from triage.web.presenters.rates import Rate

register = template.Library()

NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
SHORT_SHA = 7
JUST_NOW = timedelta(minutes=1)
# Below this a share with one decimal would read as zero, which it is not.
SMALLEST_SHARE = 0.0005
SMALLEST_P_VALUE = 0.001


@register.filter
def percent(share: float) -> str:
    """Return a share in [0, 1] as "2.4 %"; what is not zero never reads as zero."""
    if 0 < share < SMALLEST_SHARE:
        return f"<0.1{NO_BREAK_SPACE}%"
    return f"{_percentage(share)}{NO_BREAK_SPACE}%"


@register.filter
def rate(value: Rate) -> str:
    """Return a rate with n and interval: "2.4 % (12 of 500, 1.4–4.1 %)"."""
    if not value.calls:
        return "no calls yet"
    ends = f"{_percentage(value.low)}–{_percentage(value.high)}{NO_BREAK_SPACE}%"
    return f"{percent(value.share)} ({value.divergent} of {value.calls}, {ends})"


@register.filter
def p_value(value: float) -> str:
    """Return a p-value with two digits that mean something."""
    return f"p < {SMALLEST_P_VALUE}" if value < SMALLEST_P_VALUE else f"p = {value:.2g}"


@register.filter
def short_sha(sha: str) -> str:
    """Return as much of a commit as people read."""
    return sha[:SHORT_SHA]


@register.filter
def plain(text: str | None) -> str:
    """Show characters that would turn the text around or hide in it, whoever wrote it."""
    return UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text or "")


@register.simple_tag
def version() -> str:
    """Return the version of the product that runs."""
    return VERSION


@register.simple_tag
def when(moment: datetime | None) -> SafeString | str:
    """Return a time as a distance and in full."""
    if moment is None:
        return "never"
    there = moment.astimezone(UTC)
    full = f"{there.day} {there:%b %Y %H:%M} UTC"
    return format_html(
        '<time datetime="{}"><span class="when-distance">{}</span> '
        '<span class="when-full">{}</span></time>',
        moment.isoformat(timespec="seconds"),
        _distance(moment),
        full,
    )


@register.simple_tag
def icon(name: str) -> SafeString:
    """Return a symbol of ``_icons.html``; the word beside it says what it means."""
    return format_html(
        '<svg class="icon" aria-hidden="true" focusable="false"><use href="#icon-{}"/></svg>', name
    )


@register.simple_tag
def badge(shown: Badge) -> SafeString:
    """Return a state as icon and word."""
    return format_html(
        '<span class="badge badge--{}">{}{}</span>', shown.tone, icon(shown.icon), shown.word
    )


def _percentage(share: float) -> str:
    return f"{100 * share:.1f}"


def _distance(moment: datetime) -> str:
    now = timezone.now()
    if abs(now - moment) < JUST_NOW:
        return "just now"
    if moment > now:
        return f"in {timesince(now, moment, depth=1)}"
    return f"{timesince(moment, now, depth=1)} ago"
