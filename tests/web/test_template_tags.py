"""How numbers, times and names are written."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from triage.terms import Conclusion, FindingKind, Standing
from triage.web.presenters.badges import CONCLUSIONS as CONCLUSION_BADGES
from triage.web.presenters.badges import FINDINGS, OUTCOMES, STANDINGS, Badge, Tone
from triage.web.presenters.rates import Rate
from triage.web.template_tags import badge, p_value, percent, plain, rate, short_sha, when

NOW = datetime(2026, 12, 1, 12, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0.024, "2.4\u00a0%"), (0.0, "0.0\u00a0%"), (1.0, "100.0\u00a0%"), (0.0003, "<0.1\u00a0%")],
)
def test_a_share_is_a_percentage_and_reads_as_zero_only_when_it_is(
    share: float, shown: str
) -> None:
    assert percent(share) == shown


def test_a_rate_is_never_shown_without_n_and_interval() -> None:
    assert rate(Rate(12, 500, 0.01378, 0.04148)) == "2.4\u00a0% (12 of 500, 1.4–4.1\u00a0%)"


def test_a_rate_without_calls_claims_nothing() -> None:
    assert rate(Rate(0, 0, 0.0, 1.0)) == "no calls yet"


@pytest.mark.parametrize(
    ("value", "shown"), [(0.2358, "p = 0.24"), (0.0004, "p < 0.001"), (1.0, "p = 1")]
)
def test_a_p_value_keeps_two_digits(value: float, shown: str) -> None:
    assert p_value(value) == shown


def test_characters_that_turn_text_around_are_made_visible() -> None:
    assert plain("test_\u202egnp.exe\x1b[31m") == "test_\ufffdgnp.exe\ufffd[31m"


def test_nothing_is_plain_nothing() -> None:
    assert plain(None) == ""


def test_a_commit_is_shown_by_its_first_seven_digits() -> None:
    assert short_sha("4f2c9ab0" + "0" * 32) == "4f2c9ab"


@pytest.mark.parametrize(
    ("distance", "shown"),
    [
        (timedelta(seconds=-30), "just now"),
        (timedelta(hours=-3), "3\u00a0hours ago"),
        (timedelta(hours=4), "in 4\u00a0hours"),
    ],
)
@time_machine.travel(NOW, tick=False)
def test_a_time_is_told_as_a_distance(distance: timedelta, shown: str) -> None:
    assert f'<span class="when-distance">{shown}</span>' in when(NOW + distance)


@time_machine.travel(NOW, tick=False)
def test_a_time_is_told_in_full_and_for_machines_too() -> None:
    html = when(NOW)

    assert '<span class="when-full">1 Dec 2026 12:04 UTC</span>' in html
    assert 'datetime="2026-12-01T12:04:00+00:00"' in html


def test_no_time_is_never() -> None:
    assert when(None) == "never"


def test_a_badge_has_a_word_beside_its_icon() -> None:
    html = badge(Badge("near tie", "near-tie", Tone.WARNING))

    assert html.endswith("near tie</span>")
    assert 'href="#icon-near-tie"' in html


def test_every_state_has_a_badge_whose_icon_exists() -> None:
    from django.template.loader import render_to_string

    symbols = render_to_string("_icons.html")
    shown = [
        *(CONCLUSION_BADGES[each] for each in Conclusion),
        *(FINDINGS[each] for each in FindingKind),
        *(STANDINGS[each] for each in Standing),
        *OUTCOMES.values(),
    ]

    assert {each.icon for each in shown if f'id="icon-{each.icon}"' not in symbols} == set()


def test_findings_differ_by_word_and_icon_and_not_by_colour_alone() -> None:
    looks = {(each.word, each.icon) for each in FINDINGS.values()}
    icons = {each.icon for each in FINDINGS.values()}

    assert len(looks) == len(FindingKind)
    assert len(icons) == len(FindingKind)
